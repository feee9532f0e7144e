"""Calls that are asked about by name and arguments alone, answered from memory before anything describes them."""

from __future__ import annotations

from typing import Any

import pytest
from controller_samples import never
from hypothesis import given
from hypothesis import strategies as st

from signoff.canonical import canonical
from signoff.controller import ApprovalController, Mode
from signoff.decorators import simple_approval_request
from signoff.queue import AgentQueue
from signoff.session_memory import ApprovalMemory, PlainCall, call_key
from signoff.tool_definition import Definition
from signoff.types import ApprovalDecision, DecisionSource

FOR_SESSION = ApprovalDecision(approved=True, remember="session", note="fine")
STAGING = {"to": "staging"}


def plain(arguments: dict[str, Any], tool_name: str = "deploy") -> PlainCall:
    return PlainCall(tool_name, arguments, canonical(arguments))


def memory_of(arguments: dict[str, Any]) -> ApprovalMemory:
    memory = ApprovalMemory()
    memory.store("deploy", arguments, FOR_SESSION)
    return memory


def controller_with(memory: ApprovalMemory, mode: Mode = "interactive") -> ApprovalController:
    return ApprovalController(mode, never, memory=memory)


def test_a_plain_call_matches_on_what_a_request_with_all_its_arguments_matches_on() -> None:
    assert plain(STAGING).key == call_key("deploy", STAGING)


def test_a_plain_call_of_a_known_tool_matches_under_its_definition_only() -> None:
    definition = Definition.of("deploy", "Deploys.", {"type": "object"})
    memory = ApprovalMemory()
    memory.store("deploy", STAGING, FOR_SESSION, definition.digest)
    controller = controller_with(memory)
    assert controller.remembered(PlainCall("deploy", STAGING, canonical(STAGING), definition)) is not None
    assert controller.remembered(plain(STAGING)) is None


def test_an_equal_call_is_approved_by_memory_and_counted_once() -> None:
    memory = memory_of(STAGING)
    decision = controller_with(memory).remembered(plain(dict(STAGING)))
    assert decision is not None
    assert (decision.approved, decision.source, decision.note) == (True, DecisionSource.GRANT, "fine")
    assert memory.list()[0].uses == 1


def test_equal_calls_are_approved_by_memory_every_time() -> None:
    memory = memory_of(STAGING)
    controller = controller_with(memory)
    assert all(controller.remembered(plain(dict(STAGING))) for _ in range(3))
    assert memory.list()[0].uses == 3


@pytest.mark.parametrize("other", [{}, {"to": "Staging"}, {"to": "staging", "force": None}, {"to": ["staging"]}])
def test_other_arguments_are_not_covered(other: dict[str, Any]) -> None:
    assert controller_with(memory_of(STAGING)).remembered(plain(other)) is None


def test_another_tool_is_not_covered() -> None:
    assert controller_with(memory_of(STAGING)).remembered(plain(STAGING, "destroy")) is None


def test_a_revoked_approval_is_gone_at_once() -> None:
    memory = memory_of(STAGING)
    controller = controller_with(memory)
    assert controller.remembered(plain(STAGING)) is not None
    memory.revoke("deploy", STAGING)
    assert controller.remembered(plain(STAGING)) is None


def test_a_refusal_that_was_stored_on_purpose_answers_nothing() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", STAGING, ApprovalDecision(approved=False, remember="session"))
    assert controller_with(memory).remembered(plain(STAGING)) is None


@pytest.mark.parametrize("mode", ["strict", "approve_all"])
def test_a_mode_that_decides_itself_is_not_answered_for(mode: Mode) -> None:
    assert controller_with(memory_of(STAGING), mode).remembered(plain(STAGING)) is None


def test_a_change_of_the_mode_holds_for_the_next_call() -> None:
    controller = controller_with(memory_of(STAGING))
    assert controller.remembered(plain(STAGING)) is not None
    controller.mode = "strict"
    assert controller.remembered(plain(STAGING)) is None


def test_with_a_queue_that_keeps_a_history_memory_alone_is_not_enough(asking: AgentQueue) -> None:
    controller = ApprovalController(queue=asking, memory=memory_of(STAGING))
    assert controller.remembered(plain(STAGING)) is None


def test_a_call_of_high_risk_is_never_answered_from_memory() -> None:
    deleting = {"method": "DELETE"}
    memory = memory_of(deleting)
    controller = controller_with(memory)
    assert [controller.remembered(plain(deleting)) for _ in range(2)] == [None, None]
    assert memory.list()[0].uses == 0


VALUES = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, -0.0, 1.0, "1", "true", "DELETE"])
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "method", "\u202e"]), VALUES | st.lists(VALUES, max_size=2))


STORED_AND_CALLED = st.tuples(ARGUMENTS, ARGUMENTS) | ARGUMENTS.map(lambda same: (same, dict(same)))


@given(arguments=STORED_AND_CALLED)
def test_the_answer_is_that_of_a_request_for_the_same_call(
    arguments: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    stored, called = arguments
    asked = ApprovalDecision(approved=False, note="asked")
    controller = ApprovalController("interactive", lambda _: asked, memory=memory_of(stored))
    answered = controller.request_approval_sync(simple_approval_request("deploy", called))
    expected = answered if answered.approved else None
    assert controller.remembered(plain(called)) == expected
