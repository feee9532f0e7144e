"""The one decision procedure: mode, then what was remembered, then a person."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from controller_samples import MODES, Ask, StartReviewer, Tool, never, request_for

from answering import waiting, yes
from signoff.controller import ApprovalController
from signoff.execution import execute_tool
from signoff.queue import (
    AgentQueue,
    Decision,
    DecisionSource,
    RequestState,
    ReviewQueue,
    StoredRequest,
    Submission,
)
from signoff.session_memory import ApprovalMemory
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalRequest,
)

# -- modes


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


# -- the reviewer


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


# -- nobody decided


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
