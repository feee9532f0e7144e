"""The one decision procedure: mode, then what was remembered, then a person."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answering import Answer, Reviewer, waiting, yes
from signoff.asking import plain_submission
from signoff.connecting import connect_agent
from signoff.controller import ApprovalController
from signoff.effects import Command, FileEdit, FileWrite
from signoff.executing import execute_tool
from signoff.memory import ApprovalMemory
from signoff.present.snapshot import take
from signoff.queue import (
    AgentQueue,
    Decision,
    DecisionSource,
    QueueError,
    RequestState,
    ReviewQueue,
    StoredRequest,
    Submission,
    open_review_queue,
)
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalPresentation,
    ApprovalRequest,
)

MODES = ("interactive", "approve_all", "strict")
Ask = Callable[[ApprovalController, ApprovalRequest], Awaitable[ApprovalDecision]]
StartReviewer = Callable[[Answer], Reviewer]


@pytest.fixture(params=["async", "sync"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Both ways to ask; the blocking one in a thread of its own."""
    if request.param == "async":
        return lambda controller, wanted: controller.request_approval(wanted)
    return lambda controller, wanted: asyncio.to_thread(controller.request_approval_sync, wanted)


def request_for(**payload: Any) -> ApprovalRequest:
    return ApprovalRequest(tool_name="deploy", description="Deploy", payload=payload)


def approve(request: ApprovalRequest) -> ApprovalDecision:
    return ApprovalDecision(approved=True)


def never(request: ApprovalRequest) -> ApprovalDecision:
    raise AssertionError("nobody should have been asked")


class Tool:
    """A tool that answers `check_approval` with what it was made with."""

    def __init__(self, answer: ApprovalRequest | BaseException | None) -> None:
        self.ran = False
        self.answer = answer

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def __call__(self) -> str:
        self.ran = True
        return "done"


# -- modes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_that_needs_no_approval_runs_in_every_mode(mode: Any) -> None:
    tool = Tool(None)
    assert await execute_tool(tool, "deploy", {}, ApprovalController(mode, never)) == "done"


@pytest.mark.parametrize("mode", MODES)
async def test_a_block_stays_a_block_in_every_mode_and_nobody_is_asked(mode: Any) -> None:
    tool = Tool(PermissionError("outside the project"))
    with pytest.raises(PermissionError, match="outside the project"):
        await execute_tool(tool, "deploy", {}, ApprovalController(mode, never))
    assert not tool.ran


async def test_interactive_asks_and_runs_what_was_approved() -> None:
    asked: list[ApprovalRequest] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request)
        return ApprovalDecision(approved=True)

    tool = Tool(request_for(to="staging"))
    await execute_tool(tool, "deploy", {}, ApprovalController("interactive", callback))
    assert tool.ran
    assert [request.payload for request in asked] == [{"to": "staging"}]


async def test_interactive_does_not_run_what_was_refused() -> None:
    tool = Tool(request_for())
    controller = ApprovalController("interactive", lambda _: ApprovalDecision(approved=False, note="not today"))
    with pytest.raises(ApprovalDeniedError, match="not today"):
        await execute_tool(tool, "deploy", {}, controller)
    assert not tool.ran


async def test_approve_all_runs_without_asking_even_with_a_callback_that_refuses() -> None:
    tool = Tool(request_for())
    await execute_tool(tool, "deploy", {}, ApprovalController("approve_all", never))
    assert tool.ran


async def test_strict_refuses_without_asking_even_with_a_callback_that_approves() -> None:
    tool = Tool(request_for())
    with pytest.raises(ApprovalDeniedError, match="Strict mode"):
        await execute_tool(tool, "deploy", {}, ApprovalController("strict", never))
    assert not tool.ran


async def test_strict_refuses_what_was_remembered_before() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, ApprovalDecision(approved=True, remember="session"))
    decision = await ApprovalController("strict", memory=memory).request_approval(request_for())
    assert not decision.approved


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="interactive, approve_all, strict"):
        ApprovalController("yolo")  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["approve_all", "strict"])
async def test_a_decision_by_mode_is_in_the_history(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, mode: Any
) -> None:
    await ask(ApprovalController(mode, queue=asking), request_for())
    (record,) = looking.history()
    assert record.decision is not None
    assert (record.decision.source, record.decision.by) == (DecisionSource.MODE, mode)


# -- callbacks ---------------------------------------------------------------------------------------------


async def approve_async(request: ApprovalRequest) -> ApprovalDecision:
    return ApprovalDecision(approved=True)


class Approver:
    async def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision(approved=True)


@pytest.mark.parametrize("callback", [approve, approve_async, Approver()])
async def test_callbacks_may_be_synchronous_or_asynchronous(ask: Ask, callback: Any) -> None:
    assert (await ask(ApprovalController(approval_callback=callback), request_for())).approved


async def test_a_synchronous_callback_does_not_hold_up_the_event_loop() -> None:
    answered = threading.Event()

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        assert answered.wait(30)
        return ApprovalDecision(approved=True)

    asked = asyncio.ensure_future(ApprovalController(approval_callback=callback).request_approval(request_for()))
    asyncio.get_running_loop().call_soon(answered.set)
    assert (await asked).approved


@pytest.mark.parametrize("garbage", [None, True, "yes", {"approved": True}, 1])
async def test_a_callback_that_returns_something_else_approves_nothing(ask: Ask, garbage: Any) -> None:
    with pytest.raises(TypeError, match="return an ApprovalDecision"):
        await ask(ApprovalController(approval_callback=lambda _: garbage), request_for())


async def test_a_callback_is_not_taken_for_the_reviewer(ask: Ask) -> None:
    decision = await ask(ApprovalController(approval_callback=approve), request_for())
    assert decision.source is DecisionSource.CALLBACK


async def test_a_callback_that_timed_out_is_not_taken_for_a_no(ask: Ask) -> None:
    late = ApprovalDecision(approved=False, note="no answer in time", source=DecisionSource.EXPIRY)
    decision = await ask(ApprovalController(approval_callback=lambda _: late), request_for())
    assert decision.source is DecisionSource.EXPIRY


async def test_the_decision_of_a_callback_is_in_the_history(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue
) -> None:
    await ask(ApprovalController(approval_callback=approve, queue=asking), request_for())
    (record,) = looking.history()
    assert record.decision is not None
    assert record.decision.source is DecisionSource.CALLBACK


async def test_a_callback_is_shown_the_difference_that_an_edit_makes(ask: Ask, workdir: Path) -> None:
    (workdir / "a.txt").write_text("one\ntwo\n")
    shown: list[ApprovalPresentation | None] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        shown.append(request.presentation)
        return ApprovalDecision(approved=False)

    await ask(ApprovalController(approval_callback=callback), edit(workdir / "a.txt", "two", "2\x1b[2J"))
    (presentation,) = shown
    assert presentation is not None
    assert presentation.type == "diff"
    which, _, *changes = presentation.content.splitlines()
    assert "a.txt" in which
    assert changes == [" one", "-two", "+2^[[2J"]


async def text_for_callback(ask: Ask, request: ApprovalRequest) -> list[str]:
    """The lines that a callback is shown."""
    shown: list[str] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        assert request.presentation is not None
        shown.extend(request.presentation.content.splitlines())
        return ApprovalDecision(approved=False)

    await ask(ApprovalController(approval_callback=callback), request)
    return shown


async def test_a_callback_is_shown_the_effects_before_the_words_of_the_tool(ask: Ask, workdir: Path) -> None:
    own = ApprovalPresentation(type="text", content="Nothing to see here")
    request = write(workdir / "a.txt", "rm -rf /").model_copy(update={"presentation": own})
    lines = await text_for_callback(ask, request)
    label = lines.index("sent by the tool")
    assert any("rm -rf /" in line for line in lines[:label])
    assert "Nothing to see here" in lines[label:]


async def test_a_callback_is_shown_arguments_that_the_effects_do_not_show(ask: Ask, workdir: Path) -> None:
    arguments = {"path": "a.txt", "then_send_to": "evil@example.com"}
    request = write(workdir / "a.txt", "2").model_copy(update={"arguments": arguments})
    lines = await text_for_callback(ask, request)
    assert any("evil@example.com" in line for line in lines)


async def test_a_presentation_of_a_call_without_effects_is_left_alone(ask: Ask) -> None:
    own = ApprovalPresentation(type="text", content="Two becomes 2")
    request = request_for().model_copy(update={"presentation": own})
    assert await text_for_callback(ask, request) == ["Two becomes 2"]


# -- what is remembered ------------------------------------------------------------------------------------


class Counting:
    """A callback that counts how often it is asked."""

    def __init__(self, **answer: Any) -> None:
        self.asked = 0
        self.answer = ApprovalDecision(**answer)

    def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked += 1
        return self.answer


async def test_an_approval_for_the_session_is_not_asked_again(ask: Ask) -> None:
    callback = Counting(approved=True, remember="session")
    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for(to="staging"))
    again = await ask(controller, request_for(to="staging"))
    assert (callback.asked, again.approved, again.source) == (1, True, DecisionSource.GRANT)


async def test_another_payload_is_asked(ask: Ask) -> None:
    callback = Counting(approved=True, remember="session")
    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for(count=1))
    await ask(controller, request_for(count=1.0))
    assert callback.asked == 2


async def test_an_approval_for_once_is_asked_again(ask: Ask) -> None:
    callback = Counting(approved=True)
    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for())
    await ask(controller, request_for())
    assert callback.asked == 2


async def test_a_refusal_is_not_remembered_even_if_it_says_session(ask: Ask) -> None:
    callback = Counting(approved=False, remember="session")
    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for())
    await ask(controller, request_for())
    assert callback.asked == 2


async def test_a_refusal_that_was_stored_on_purpose_answers_nothing(ask: Ask) -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, ApprovalDecision(approved=False, remember="session"))
    assert (await ask(ApprovalController(approval_callback=approve, memory=memory), request_for())).approved


async def test_an_empty_memory_that_is_shared_stays_shared(ask: Ask) -> None:
    memory = ApprovalMemory()
    callback = Counting(approved=True, remember="session")
    await ask(ApprovalController(approval_callback=callback, memory=memory), request_for())
    await ask(ApprovalController(approval_callback=callback, memory=memory), request_for())
    assert callback.asked == 1


async def test_what_the_reviewer_approved_for_the_session_is_answered_by_its_grant(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    controller = ApprovalController(queue=asking)
    await ask(controller, request_for(to="staging"))
    again = await ask(controller, request_for(to="staging"))
    (grant,) = looking.grants()
    assert (len(reviewer.seen), again.approved, again.by) == (1, True, f"grant {grant.id}")
    record = looking.history()[0].decision
    assert record is not None
    assert (record.source, record.by) == (DecisionSource.GRANT, grant.id)


@pytest.mark.parametrize("with_queue", [False, True])
def test_an_approval_added_by_the_author_counts_until_it_is_cleared(asking: AgentQueue, with_queue: bool) -> None:
    controller = ApprovalController(approval_callback=never, queue=asking if with_queue else None)
    controller.add_session_approval(request_for(to="staging"))
    assert controller.is_session_approved(request_for(to="staging"))
    assert not controller.is_session_approved(request_for(to="production"))
    assert controller.request_approval_sync(request_for(to="staging")).approved
    controller.clear_session_approvals()
    assert not controller.is_session_approved(request_for(to="staging"))


@pytest.mark.parametrize("with_queue", [False, True])
async def test_what_leads_to_another_file_by_now_is_asked_although_it_was_remembered(
    ask: Ask, asking: AgentQueue, workdir: Path, with_queue: bool
) -> None:
    callback = Counting(approved=False)
    queue = asking if with_queue else None
    controller = ApprovalController(approval_callback=callback, queue=queue, cwd=str(workdir))
    request = write(workdir / "a.ini", "x")
    controller.add_session_approval(request)
    assert (await ask(controller, request)).approved
    (workdir / "other.ini").write_text("kept\n")
    (workdir / "a.ini").symlink_to("other.ini")
    assert not (await ask(controller, request)).approved
    assert callback.asked == 1


@pytest.mark.parametrize("with_queue", [False, True])
async def test_a_command_in_another_directory_by_now_is_asked_although_it_was_remembered(
    ask: Ask, asking: AgentQueue, workdir: Path, with_queue: bool
) -> None:
    (workdir / "here").mkdir()
    callback = Counting(approved=False)
    queue = asking if with_queue else None
    controller = ApprovalController(approval_callback=callback, queue=queue, cwd=str(workdir))
    request = request_for().model_copy(update={"effects": (Command("ls", str(workdir / "here")),)})
    controller.add_session_approval(request)
    assert (await ask(controller, request)).approved
    (workdir / "here").rename(workdir / "there")
    (workdir / "here").symlink_to("there")
    assert not (await ask(controller, request)).approved


@pytest.mark.parametrize("with_queue", [False, True])
async def test_high_risk_is_asked_every_time(
    ask: Ask, asking: AgentQueue, workdir: Path, with_queue: bool
) -> None:
    callback = Counting(approved=True, remember="session")
    controller = ApprovalController(approval_callback=callback, queue=asking if with_queue else None)
    request = write(workdir / ".bashrc", "x")
    first = await ask(controller, request)
    await ask(controller, request)
    assert (callback.asked, first.remember, controller.memory.list()) == (2, "none", ())


async def test_high_risk_is_not_answered_by_a_memory_that_holds_it(ask: Ask, workdir: Path) -> None:
    request = write(workdir / ".bashrc", "x")
    memory = ApprovalMemory()
    memory.store(request.tool_name, request.payload, ApprovalDecision(approved=True, remember="session"))
    callback = Counting(approved=False)
    controller = ApprovalController(approval_callback=callback, memory=memory)
    assert not controller.is_session_approved(request)
    assert not (await ask(controller, request)).approved


@pytest.mark.parametrize("with_queue", [False, True])
def test_the_author_cannot_have_high_risk_remembered(asking: AgentQueue, workdir: Path, with_queue: bool) -> None:
    controller = ApprovalController(queue=asking if with_queue else None)
    with pytest.raises(QueueError, match="HIGH"):
        controller.add_session_approval(write(workdir / ".bashrc", "x"))


async def test_the_history_says_that_an_approval_by_callback_was_for_the_session(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue
) -> None:
    callback = Counting(approved=True, remember="session")
    await ask(ApprovalController(approval_callback=callback, queue=asking), request_for())
    (record,) = looking.history()
    assert record.decision is not None
    assert record.decision.remember


# -- the reviewer ------------------------------------------------------------------------------------------


async def test_the_reviewers_words_come_back(ask: Ask, asking: AgentQueue, reviewed: StartReviewer) -> None:
    reviewed(lambda _: Decision(approved=False, note="use the other key", hard=False))
    decision = await ask(ApprovalController(queue=asking), request_for())
    assert decision == ApprovalDecision(approved=False, note="use the other key", mode="soft", by="anna")


async def test_a_hard_refusal_comes_back_as_one(ask: Ask, asking: AgentQueue, reviewed: StartReviewer) -> None:
    reviewed(lambda _: Decision(approved=False, hard=True))
    assert (await ask(ApprovalController(queue=asking), request_for())).hard


async def test_without_a_callback_the_default_queue_is_asked(
    ask: Ask, place: Path, reviewed: StartReviewer
) -> None:
    reviewed(yes)
    controller = ApprovalController()
    assert (await ask(controller, request_for())).approved
    assert controller.queue is not None
    controller.queue.close()


async def test_the_default_queue_is_opened_once_however_many_ask(place: Path, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    controller = ApprovalController()
    wanted = [asyncio.to_thread(controller.request_approval_sync, request_for(number=i)) for i in range(4)]
    await asyncio.gather(*wanted)
    assert len({request.asked_by.agent_id for request in reviewer.seen}) == 1
    assert controller.queue is not None
    controller.queue.close()


async def test_the_call_is_shown_with_its_full_arguments(asking: AgentQueue, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    context = ApprovalContext(tool_name="deploy", args={"to": "staging", "notes": "…"})
    await ApprovalController(queue=asking).request_approval(request_for(to="staging"), context)
    assert reviewer.seen[0].submission.arguments == {"to": "staging", "notes": "…"}


async def test_a_call_that_is_numbered_like_an_earlier_one_is_asked_again(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    """Some models number their calls from zero in every turn."""
    reviewer = reviewed(yes)
    controller = ApprovalController(queue=asking)
    for step in (1, 2):
        metadata = {"run_id": "r", "run_step": step, "tool_call_id": "call_0"}
        context = ApprovalContext(tool_name="deploy", args={}, metadata=metadata)
        await controller.request_approval(request_for(), context)
    assert len(reviewer.seen) == 2


# -- nobody decided ----------------------------------------------------------------------------------------


async def test_an_expiry_is_not_told_as_a_no(ask: Ask, asking: AgentQueue) -> None:
    request = request_for().model_copy(update={"expires_in": 0.01})
    decision = await ask(ApprovalController(queue=asking), request)
    assert (decision.approved, decision.source, decision.mode) == (False, DecisionSource.EXPIRY, "soft")
    with pytest.raises(ApprovalDeniedError, match=r"^Not run: expired .* nobody decided"):
        decision.raise_if_denied()


async def test_a_withdrawal_is_not_told_as_a_no(ask: Ask, asking: AgentQueue, reviewed: StartReviewer) -> None:
    reviewer = reviewed(waiting)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for()))
    (request,) = await asyncio.to_thread(reviewer.wait_for, 1)
    asking.withdraw(request.id, "changed its plan")
    decision = await asked
    assert (decision.source, decision.note) == (DecisionSource.WITHDRAWAL, "changed its plan")


async def test_a_queue_that_cannot_be_opened_approves_nothing(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIGNOFF_QUEUE", str(tmp_path / "file"))
    decision = await ask(ApprovalController(), request_for())
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)


async def test_a_connection_that_is_closed_while_waiting_approves_nothing(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(waiting)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for()))
    await asyncio.to_thread(reviewer.wait_for, 1)
    asking.close()
    decision = await asked
    assert not decision.approved
    # Closing withdraws and then takes the queue away; the waiter may notice the one or the other first.
    assert decision.source in {DecisionSource.WITHDRAWAL, DecisionSource.ERROR}


async def test_cancelling_the_call_withdraws_the_request(
    asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(waiting)
    asked = asyncio.ensure_future(ApprovalController(queue=asking).request_approval(request_for()))
    await asyncio.to_thread(reviewer.wait_for, 1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert looking.pending() == ()
    assert looking.history()[0].state is RequestState.WITHDRAWN


@pytest.mark.parametrize("turns", range(0, 40, 3))
async def test_wherever_the_call_is_cancelled_nothing_stays_behind(
    asking: AgentQueue, looking: ReviewQueue, turns: int
) -> None:
    asked = asyncio.ensure_future(ApprovalController(queue=asking).request_approval(request_for()))
    for _ in range(turns):
        await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert looking.pending() == ()


async def test_a_request_that_is_just_being_posted_is_withdrawn_too(
    asking: AgentQueue, looking: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    posting, cancelled, posted = threading.Event(), threading.Event(), threading.Event()
    submit = asking.submit

    def submit_after_the_cancellation(submission: Submission) -> StoredRequest:
        posting.set()
        assert cancelled.wait(30)
        try:
            return submit(submission)
        finally:
            posted.set()

    monkeypatch.setattr(asking, "submit", submit_after_the_cancellation)
    asked = asyncio.ensure_future(ApprovalController(queue=asking).request_approval(request_for()))
    assert await asyncio.to_thread(posting.wait, 30)
    asked.cancel()
    asyncio.get_running_loop().call_soon(cancelled.set)
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert await asyncio.to_thread(posted.wait, 30)
    assert looking.pending() == ()


# -- what you see is what runs -----------------------------------------------------------------------------


def edit(path: Path, old: str, new: str) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name="edit_file",
        description="Edit a file",
        payload={"path": str(path)},
        effects=(FileEdit(str(path), old, new),),
    )


def write(path: Path, content: str) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name="write_file",
        description="Write a file",
        payload={"path": str(path)},
        effects=(FileWrite(str(path), content),),
    )


async def test_a_file_that_changed_after_the_decision_is_asked_about_again(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("one\n")

    def change_before_the_first_answer(request: StoredRequest) -> Decision:
        if request.revision == 1:
            file.write_text("one\nand more\n")
        return Decision(approved=True)

    reviewer = reviewed(change_before_the_first_answer)
    decision = await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    first, second = reviewer.seen
    assert decision.approved
    assert (first.id, first.revision, second.revision) == (second.id, 1, 2)
    assert first.submission.digest != second.submission.digest


async def test_a_refused_call_is_not_asked_again_because_a_file_changed(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("one\n")

    def change_and_refuse(request: StoredRequest) -> Decision:
        file.write_text("else\n")
        return Decision(approved=False)

    reviewer = reviewed(change_and_refuse)
    assert not (await ask(ApprovalController(queue=asking), write(file, "two"))).approved
    assert len(reviewer.seen) == 1


async def test_an_edit_that_no_longer_applies_is_not_run_and_says_why(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("one\n")

    def take_the_text_away(request: StoredRequest) -> Decision:
        file.write_text("something else\n")
        return Decision(approved=True)

    reviewed(take_the_text_away)
    decision = await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert "not in" in (decision.note or "")


async def test_the_history_says_that_an_approved_call_was_not_run(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("one\n")

    def take_the_text_away(request: StoredRequest) -> Decision:
        file.write_text("something else\n")
        return Decision(approved=True)

    reviewed(take_the_text_away)
    await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    last, first = looking.history()
    assert (first.state, last.state) == (RequestState.APPROVED, RequestState.SUPERSEDED)
    assert last.reason.startswith("approved, not run: ")


async def test_the_history_says_that_a_call_approved_by_callback_was_not_run(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("one\n")

    def take_the_text_away(request: ApprovalRequest) -> ApprovalDecision:
        file.write_text("something else\n")
        return ApprovalDecision(approved=True)

    controller = ApprovalController(approval_callback=take_the_text_away, queue=asking)
    assert not (await ask(controller, edit(file, "one", "two"))).approved
    (record,) = looking.history()
    assert record.decision is not None
    assert (record.decision.note or "").startswith("approved, not run: ")


async def test_what_another_connection_replaced_is_not_approved_and_says_who_did_it(
    ask: Ask, place: Path, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    """Another connection of the session puts something else in place of what was posted."""
    reviewer = reviewed(lambda request: yes(request) if request.revision == 2 else None)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for(to="staging")))
    (first,) = await asyncio.to_thread(reviewer.wait_for, 1)
    with connect_agent("other", session="s-1", place=place) as other:
        evil = plain_submission(request_for(to="production"), None)
        other.amend(first.id, replace(evil, key=first.submission.key))
        decision = await asked
    assert (decision.approved, decision.source) == (False, DecisionSource.WITHDRAWAL)
    assert "another connection of the session asked for it: other (process " in (decision.note or "")


async def test_a_request_that_another_connection_took_over_is_answered_to_that_one_only(
    ask: Ask, place: Path, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda request: yes(request) if request.asked_by.name == "other" else None)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for(to="staging")))
    (first,) = await asyncio.to_thread(reviewer.wait_for, 1)
    with connect_agent("other", session="s-1", place=place) as other, open_review_queue(place) as review:
        taken = other.submit(first.submission)
        review.decide(taken.id, taken.revision, taken.submission.digest, Decision(approved=True))
        assert other.wait(taken.id).approved
        decision = await asked
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)


@pytest.mark.parametrize("by", ["queue", "grant", "memory", "callback", "approve_all"])
async def test_an_approval_says_what_exactly_was_approved(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path, by: str
) -> None:
    (workdir / "a.txt").write_text("one\n")
    request = edit(workdir / "a.txt", "one", "two")
    controllers = {
        "queue": lambda: ApprovalController(queue=asking),
        "grant": lambda: ApprovalController(queue=asking, approval_callback=never),
        "memory": lambda: ApprovalController(approval_callback=never, cwd=str(workdir)),
        "callback": lambda: ApprovalController(approval_callback=approve),
        "approve_all": lambda: ApprovalController("approve_all"),
    }
    controller = controllers[by]()
    if by in ("grant", "memory"):
        controller.add_session_approval(request)
    if by == "queue":
        reviewed(yes)
    assert (await ask(controller, request)).snapshot == take(request.effects)


async def test_a_refusal_or_a_call_without_effects_has_no_snapshot(ask: Ask, workdir: Path) -> None:
    strict, free = ApprovalController("strict"), ApprovalController("approve_all")
    assert (await ask(strict, write(workdir / "a.txt", "two"))).snapshot is None
    assert (await ask(free, request_for())).snapshot is None


async def test_a_callback_is_asked_again_when_the_file_changed_meanwhile(ask: Ask, workdir: Path) -> None:
    file = workdir / "a.txt"
    contents = iter(["one changed\n", "one changed\n"])
    file.write_text("one\n")
    asked = 0

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        nonlocal asked
        asked += 1
        file.write_text(next(contents))
        return ApprovalDecision(approved=True)

    assert (await ask(ApprovalController(approval_callback=callback), edit(file, "one", "two"))).approved
    assert asked == 2


async def test_an_edit_that_does_not_apply_is_never_put_to_a_person(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    decision = await ask(ApprovalController(queue=asking), edit(workdir / "missing.txt", "a", "b"))
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert looking.history() == ()


@pytest.mark.parametrize("mode", ["approve_all", "strict"])
async def test_no_file_is_read_when_the_mode_decides(ask: Ask, workdir: Path, mode: Any) -> None:
    """The edit could not be shown, and nobody notices."""
    decision = await ask(ApprovalController(mode), edit(workdir / "missing.txt", "a", "b"))
    assert decision.source is DecisionSource.MODE


async def test_a_grant_does_not_answer_a_call_that_cannot_be_shown(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    """Where it leads is not known, so nothing says that it is what was approved."""
    controller = ApprovalController(queue=asking)
    request = edit(workdir / "missing.txt", "a", "b")
    controller.add_session_approval(request)
    decision = await ask(controller, request)
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert looking.grants()[0].uses == 0
