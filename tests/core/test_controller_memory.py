"""What was approved for the session is not asked again, and nothing else is covered by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from controller_samples import Ask, Counting, StartReviewer, approve, never, request_for, write

from signoff.controller import ApprovalController
from signoff.effects import Command
from signoff.queue import (
    AgentQueue,
    Decision,
    DecisionSource,
    QueueError,
    ReviewQueue,
)
from signoff.session_memory import ApprovalMemory
from signoff.types import (
    ApprovalDecision,
    ApprovalRequest,
)


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


def test_the_record_says_that_the_author_of_the_agent_added_and_cleared_an_approval(
    asking: AgentQueue, looking: ReviewQueue
) -> None:
    controller = ApprovalController(queue=asking)
    controller.add_session_approval(request_for())
    controller.clear_session_approvals()
    (grant,) = looking.grants(include_revoked=True)
    assert (grant.created_by, grant.revoked_by) == ("agent author", "agent author")


def test_an_approval_that_was_added_is_not_told_as_the_reviewers() -> None:
    controller = ApprovalController(approval_callback=never)
    controller.add_session_approval(request_for())
    (entry,) = controller.memory.list()
    assert entry.decision.source is DecisionSource.CALLBACK


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
    for asked in (1, 2):
        with pytest.warns(RuntimeWarning, match="approved once, not for the session: it is HIGH risk"):
            decision = await ask(controller, request)
        assert (callback.asked, decision.remember, controller.memory.list()) == (asked, "none", ())


async def test_high_risk_is_not_answered_by_a_memory_that_holds_it(ask: Ask, workdir: Path) -> None:
    request = write(workdir / ".bashrc", "x")
    memory = ApprovalMemory()
    memory.store(request.tool_name, request.payload, ApprovalDecision(approved=True, remember="session"))
    callback = Counting(approved=False)
    controller = ApprovalController(approval_callback=callback, memory=memory)
    assert not controller.is_session_approved(request)
    assert not (await ask(controller, request)).approved


async def test_that_one_call_is_harmless_says_nothing_of_another_call_of_the_tool(ask: Ask) -> None:
    harmless, deleting = request_for(method="GET"), request_for(method="DELETE")
    memory = ApprovalMemory()
    for request in (harmless, deleting):
        memory.store(request.tool_name, request.payload, ApprovalDecision(approved=True, remember="session"))
    controller = ApprovalController(approval_callback=Counting(approved=False), memory=memory)
    assert [(await ask(controller, request)).approved for request in (harmless, deleting)] == [True, False]


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


async def test_an_equal_payload_with_riskier_arguments_is_asked(ask: Ask) -> None:
    callback = Counting(approved=True, remember="session")
    controller = ApprovalController(approval_callback=callback)
    harmless = request_for(path="/v1/items").model_copy(update={"arguments": {"method": "GET"}})
    deleting = harmless.model_copy(update={"arguments": {"method": "DELETE"}})
    for wanted in (harmless, harmless):
        await ask(controller, wanted)
    for wanted in (deleting, deleting):
        with pytest.warns(RuntimeWarning, match="deploy approved once"):
            await ask(controller, wanted)
    assert callback.asked == 3


@pytest.mark.parametrize("note", [None, "go on"])
async def test_what_a_callback_wants_remembered_and_is_not_is_told(
    ask: Ask, workdir: Path, note: str | None
) -> None:
    outside = write(workdir.parent / "elsewhere.txt", "x").model_copy(update={"tool_name": "wr\x1b[2Jite"})
    callback = Counting(approved=True, remember="session", note=note)
    controller = ApprovalController(approval_callback=callback, cwd=str(workdir))
    with pytest.warns(RuntimeWarning, match="approved once") as told:
        decision = await ask(controller, outside)
    words = "approved once, not for the session: it is HIGH risk (outside the project, hidden chars)"
    assert decision.note == (words if note is None else f"go on ({words})")
    assert "\x1b" not in str(told[0].message)


async def test_a_stored_approval_is_counted_once_for_each_call_it_answers(ask: Ask) -> None:
    controller = ApprovalController(approval_callback=Counting(approved=True, remember="session"))
    for _ in range(4):
        await ask(controller, request_for(to="staging"))
    assert [each.uses for each in controller.memory.list()] == [3]


async def test_a_revoked_approval_answers_nothing(ask: Ask) -> None:
    callback = Counting(approved=True, remember="session")
    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for(to="staging"))
    controller.memory.revoke("deploy", {"to": "staging"})
    await ask(controller, request_for(to="staging"))
    assert callback.asked == 2


async def test_a_grant_of_the_queue_is_found_with_one_read(ask: Ask, asking: AgentQueue) -> None:
    controller = ApprovalController(queue=asking)
    controller.add_session_approval(request_for(to="staging"))
    statements: list[str] = []
    asking._engine._connection.set_trace_callback(statements.append)
    assert (await ask(controller, request_for(to="staging"))).approved
    asking._engine._connection.set_trace_callback(None)
    begun = next(index for index, text in enumerate(statements) if "BEGIN IMMEDIATE" in text)  # counting the use
    assert ["FROM grants" in text for text in statements[:begun]].count(True) == 1


async def test_what_is_remembered_is_what_was_asked_whatever_the_callback_does_to_the_request(ask: Ask) -> None:
    def callback(request: ApprovalRequest) -> ApprovalDecision:
        request.payload["files"].append("/etc/passwd")
        return ApprovalDecision(approved=True, remember="session")

    controller = ApprovalController(approval_callback=callback)
    await ask(controller, request_for(files=["a"]))
    assert [each.payload for each in controller.memory.list()] == [{"files": ["a"]}]
