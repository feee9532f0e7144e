"""A controller that is interrupted, cancelled, used beside a queue, or cannot reach it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from controller_samples import Ask, Counting, approve, request_for, write

from signoff.controller import ApprovalController
from signoff.controller.asking import _settled
from signoff.effects import FileEdit
from signoff.queue import AgentQueue, QueueError, RequestState, ReviewQueue
from signoff.session_memory import ApprovalMemory
from signoff.submission import submission_with_snapshot
from signoff.types import ApprovalDecision, ApprovalRequest

FOR_SESSION = ApprovalDecision(approved=True, remember="session", note="fine")


async def test_a_refusal_is_not_even_stored(ask: Ask) -> None:
    controller = ApprovalController(approval_callback=Counting(approved=False, remember="session"))
    await ask(controller, request_for())
    assert len(controller.memory) == 0


async def test_what_is_remembered_holds_on_to_no_file(ask: Ask, workdir: Path) -> None:
    controller = ApprovalController(
        approval_callback=Counting(approved=True, remember="session"), cwd=str(workdir)
    )
    await ask(controller, write(workdir / "a.txt", "x"))
    ((_, _, decision),) = controller.memory.list_approvals()
    assert decision.snapshot is None


async def test_a_refusal_by_callback_has_no_snapshot(ask: Ask, workdir: Path) -> None:
    controller = ApprovalController(approval_callback=Counting(approved=False))
    assert (await ask(controller, write(workdir / "a.txt", "x"))).snapshot is None


async def test_a_callback_that_refused_is_not_asked_again_because_a_file_changed(ask: Ask, workdir: Path) -> None:
    asked = []

    def change_and_refuse(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request)
        (workdir / "a.txt").write_text(str(len(asked)))
        return ApprovalDecision(approved=len(asked) > 1)

    decision = await ask(ApprovalController(approval_callback=change_and_refuse), write(workdir / "a.txt", "x"))
    assert (len(asked), decision.approved) == (1, False)


def test_the_default_queue_is_told_the_working_directory(place: Path, workdir: Path) -> None:
    controller = ApprovalController(cwd=str(workdir))
    assert not controller.is_session_approved(request_for())
    queue = controller._open_queue(None)
    assert queue.agent.cwd == str(workdir)
    queue.close()


def test_an_interrupt_while_waiting_withdraws_the_request(
    asking: AgentQueue, looking: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ApprovalController(queue=asking).request_approval_sync(request_for())
    (record,) = looking.history()
    assert (record.state, record.reason) == (RequestState.WITHDRAWN, "the agent was interrupted (Ctrl+C)")


def test_an_interrupt_is_not_hidden_by_a_queue_that_fails(
    asking: AgentQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    def broken(*_: Any) -> Any:
        raise QueueError("gone")

    monkeypatch.setattr(asking, "wait", interrupted)
    monkeypatch.setattr(asking, "withdraw", broken)
    with pytest.raises(KeyboardInterrupt):
        ApprovalController(queue=asking).request_approval_sync(request_for())


async def test_a_cancellation_is_not_hidden_by_a_queue_that_fails(
    asking: AgentQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asyncio.Event()

    async def forever(*_: Any) -> Any:
        waiting.set()
        await asyncio.Event().wait()

    async def broken(*_: Any) -> Any:
        raise QueueError("gone")

    monkeypatch.setattr(asking, "await_outcome", forever)
    monkeypatch.setattr(asking, "awithdraw", broken)
    asked = asyncio.ensure_future(ApprovalController(queue=asking).request_approval(request_for()))
    await waiting.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked


async def test_who_is_cancelled_twice_has_withdrawn_the_request_all_the_same(
    asking: AgentQueue, looking: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, withdrawing, go_on, withdrawn = (asyncio.Event() for _ in range(4))
    really_withdraw = asking.awithdraw

    async def forever(*_: Any) -> Any:
        waiting.set()
        await asyncio.Event().wait()

    async def slowly(request_id: str, reason: str) -> Any:
        withdrawing.set()
        await go_on.wait()
        await really_withdraw(request_id, reason)
        withdrawn.set()

    monkeypatch.setattr(asking, "await_outcome", forever)
    monkeypatch.setattr(asking, "awithdraw", slowly)
    asked = asyncio.ensure_future(ApprovalController(queue=asking).request_approval(request_for()))
    for begun in (waiting, withdrawing):
        await begun.wait()
        asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    go_on.set()
    await asyncio.wait_for(withdrawn.wait(), 30)
    assert looking.history()[0].state is RequestState.WITHDRAWN


async def test_an_approval_that_is_revoked_just_now_is_asked(ask: Ask, workdir: Path) -> None:
    class Forgetful(ApprovalMemory):
        def use(self, key: Any) -> None:
            return None

    memory = Forgetful()
    request = write(workdir / "a.txt", "x")
    memory.store(request.tool_name, request.payload, FOR_SESSION)
    callback = Counting(approved=False)
    controller = ApprovalController(approval_callback=callback, memory=memory, cwd=str(workdir))
    assert not (await ask(controller, request)).approved
    assert callback.asked == 1


async def test_what_the_memory_answers_is_in_the_history_too(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue
) -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, FOR_SESSION)
    controller = ApprovalController(approval_callback=Counting(approved=False), queue=asking, memory=memory)
    assert (await ask(controller, request_for())).approved
    (record,) = looking.history()
    assert record.decision is not None
    assert (record.decision.source, record.decision.by) == ("grant", "memory")


async def test_beside_a_queue_too_high_risk_is_not_answered_by_a_memory_that_holds_it(
    ask: Ask, asking: AgentQueue, workdir: Path
) -> None:
    request = write(workdir / ".bashrc", "x")
    memory = ApprovalMemory()
    memory.store(request.tool_name, request.payload, FOR_SESSION)
    callback = Counting(approved=False)
    controller = ApprovalController(approval_callback=callback, queue=asking, memory=memory)
    assert not (await ask(controller, request)).approved
    assert callback.asked == 1


async def test_a_grant_answers_the_very_first_call_through_the_default_queue(
    ask: Ask, asking: AgentQueue, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_SESSION", "s-1")
    ApprovalController(queue=asking).add_session_approval(request_for())
    controller = ApprovalController(cwd=str(workdir))
    request = request_for().model_copy(update={"expires_in": 0.5})
    assert (await ask(controller, request)).approved
    assert controller.queue is not None
    controller.queue.close()


def test_a_controller_can_be_used_as_a_plain_function() -> None:
    assert ApprovalController(approval_callback=approve).approval_callback(request_for()).approved
    assert not ApprovalController("strict").approval_callback(request_for()).approved


async def test_nothing_is_read_in_the_thread_of_the_event_loop(
    asking: AgentQueue, reviewed: Any, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.queue import Decision

    loop = threading.get_ident()
    wrong: list[str] = []

    def watched(name: str, function: Any) -> Any:
        def call(*args: Any) -> Any:
            if threading.get_ident() == loop:
                wrong.append(name)
            return function(*args)

        return call

    for name, function in (("submission_with_snapshot", submission_with_snapshot), ("_settled", _settled)):
        monkeypatch.setattr(f"signoff.controller.asking.{name}", watched(name, function))
    monkeypatch.setattr(Snapshot, "drift", watched("drift", Snapshot.drift))
    found = ApprovalController._without_asking
    monkeypatch.setattr(ApprovalController, "_without_asking", watched("_without_asking", found))
    reviews: list[Any] = []

    def change_then_approve(request: Any) -> Any:
        reviews.append(request)
        if len(reviews) in (1, 3):
            (workdir / "a.txt").write_text(f"one {len(reviews)}\n")
        return None

    def callback(request: Any) -> ApprovalDecision:
        change_then_approve(request)
        return ApprovalDecision(approved=True)

    def answer(request: Any) -> Decision:
        change_then_approve(request)
        return Decision(approved=True)

    (workdir / "a.txt").write_text("one\n")
    reviewed(answer)
    request = ApprovalRequest(
        tool_name="e", description="", payload={}, effects=(FileEdit(str(workdir / "a.txt"), "one", "two"),)
    )
    assert (await ApprovalController(queue=asking).request_approval(request)).approved
    assert (await ApprovalController(approval_callback=callback).request_approval(request)).approved
    assert len(reviews) == 4

    def spoil(request: Any) -> ApprovalDecision:
        (workdir / "a.txt").write_text("nothing\n")
        return ApprovalDecision(approved=True)

    assert not (await ApprovalController(approval_callback=spoil).request_approval(request)).approved
    assert wrong == []


async def test_an_approved_call_is_not_run_even_if_the_history_cannot_be_told(
    ask: Ask, asking: AgentQueue, reviewed: Any, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signoff.queue import Decision, DecisionSource

    def broken(*_: Any) -> Any:
        raise QueueError("gone")

    def spoil(request: Any) -> Decision:
        (workdir / "a.txt").write_text("nothing\n")
        return Decision(approved=True)

    (workdir / "a.txt").write_text("one\n")
    monkeypatch.setattr(asking, "give_up", broken)
    reviewed(spoil)
    request = ApprovalRequest(
        tool_name="e", description="", payload={}, effects=(FileEdit(str(workdir / "a.txt"), "one", "two"),)
    )
    decision = await ask(ApprovalController(queue=asking), request)
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert "not in" in (decision.note or "")
