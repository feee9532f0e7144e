"""A function that asks a person itself, instead of the queue."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from controller_samples import Ask, approve, edit, request_for, write

from signoff.controller import ApprovalController
from signoff.queue import (
    AgentQueue,
    DecisionSource,
    ReviewQueue,
)
from signoff.queue.amendment import Instead
from signoff.queue.clock import now_us
from signoff.types import (
    ApprovalDecision,
    ApprovalPresentation,
    ApprovalRequest,
)


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


def let_a_millisecond_pass() -> None:
    begun = now_us()
    while now_us() <= begun + 1_000:
        pass


async def test_an_answer_after_the_deadline_is_an_expiry(ask: Ask) -> None:
    def late(request: ApprovalRequest) -> ApprovalDecision:
        let_a_millisecond_pass()
        return ApprovalDecision(approved=True, remember="session")

    controller = ApprovalController(approval_callback=late)
    request = request_for().model_copy(update={"expires_in": 0.001})
    decision = await ask(controller, request)
    assert (decision.approved, decision.source, len(controller.memory)) == (False, DecisionSource.EXPIRY, 0)
    assert not decision.hard
    assert decision.note is not None
    assert decision.note.startswith("expired")


async def test_an_answer_before_the_deadline_counts(ask: Ask) -> None:
    request = request_for().model_copy(update={"expires_in": 3600})
    assert (await ask(ApprovalController(approval_callback=approve), request)).approved


async def test_a_no_after_the_deadline_is_still_a_no(ask: Ask) -> None:
    def late(request: ApprovalRequest) -> ApprovalDecision:
        let_a_millisecond_pass()
        return ApprovalDecision(approved=False, note="not on a Sunday")

    request = request_for().model_copy(update={"expires_in": 0.001})
    decision = await ask(ApprovalController(approval_callback=late), request)
    assert (decision.note, decision.source) == ("not on a Sunday", DecisionSource.CALLBACK)


async def test_with_a_callback_no_queue_is_opened(ask: Ask, place: Path) -> None:
    controller = ApprovalController(approval_callback=approve)
    assert (await ask(controller, request_for())).approved
    assert controller.queue is None


async def test_a_decision_that_cannot_be_is_the_mistake_of_the_callback(ask: Ask) -> None:
    def wrong(request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision(approved="yes")  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="approval callback failed"):
        await ask(ApprovalController(approval_callback=wrong), request_for())


def test_a_callback_cannot_have_something_else_run_than_was_asked() -> None:
    """Nobody would have asked the policy about it."""
    other = ApprovalDecision(approved=True).with_instead(Instead(arguments={"target": "production"}))
    controller = ApprovalController("interactive", lambda _: other)
    with pytest.raises(TypeError, match="something else than was asked"):
        controller.request_approval_sync(ApprovalRequest(tool_name="deploy", description="d", payload={}))
