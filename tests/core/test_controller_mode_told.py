"""Reviewers see in which mode a controller on their queue answers; its answers do not depend on that."""

from __future__ import annotations

from typing import Any

import pytest
from controller_samples import Ask, approve, request_for

from signoff.controller import ApprovalController
from signoff.queue import AgentMode, AgentQueue, QueueUnavailableError, ReviewQueue


def modes(looking: ReviewQueue) -> list[AgentMode | None]:
    return [record.mode for record in looking.agents(connected=True)]


@pytest.mark.parametrize("mode", AgentMode)
def test_the_queue_knows_the_mode_of_a_new_controller(asking: AgentQueue, looking: ReviewQueue, mode: Any) -> None:
    controller = ApprovalController(mode.value, queue=asking)
    assert (modes(looking), controller.mode) == ([mode], mode.value)


def test_the_queue_learns_of_each_later_mode(asking: AgentQueue, looking: ReviewQueue) -> None:
    controller = ApprovalController("interactive", queue=asking)
    for mode in ("approve_all", "strict", "interactive"):
        controller.mode = mode
        assert modes(looking) == [AgentMode(mode)]


def test_an_asking_controller_does_not_hide_one_that_approves_on_the_same_connection(
    asking: AgentQueue, looking: ReviewQueue
) -> None:
    loose = ApprovalController("approve_all", queue=asking)
    ApprovalController("interactive", queue=asking)
    assert modes(looking) == [AgentMode.APPROVE_ALL]
    loose.mode = "interactive"
    assert modes(looking) == [AgentMode.INTERACTIVE]


@pytest.mark.usefixtures("place")
def test_the_default_queue_learns_of_it_when_it_is_opened(looking: ReviewQueue) -> None:
    controller = ApprovalController("interactive", approve)
    controller.mode = "strict"
    with controller._open_queue(None):
        assert modes(looking) == [AgentMode.STRICT]


@pytest.mark.parametrize(("mode", "approved"), [("approve_all", True), ("strict", False)])
async def test_a_queue_that_cannot_be_told_leaves_the_answer_as_it_is(
    asking: AgentQueue,
    looking: ReviewQueue,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    mode: Any,
    approved: bool,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise QueueUnavailableError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(asking, "announce_mode", refuse)
        controller = ApprovalController(mode, queue=asking)
        assert (await ask(controller, request_for(to="staging"))).approved is approved
    await ask(controller, request_for(to="staging"))
    assert modes(looking) == [AgentMode(mode)]  # it was told later
