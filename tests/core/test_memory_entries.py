"""What is kept of a remembered approval, and what is told of it."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from signoff.queue.amendment import Instead
from signoff.session_memory import ApprovalMemory, call_key
from signoff.types import ApprovalDecision

FOR_SESSION = ApprovalDecision(approved=True, remember="session", note="fine")


def test_an_answer_says_that_it_is_the_memorys() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, ApprovalDecision(approved=True, remember="session", by="anna"))
    found = memory.lookup("deploy", {})
    assert found is not None
    assert found.by == "memory"


def test_a_stored_refusal_is_not_used_as_an_approval() -> None:
    memory = ApprovalMemory()
    memory.store("t", {}, ApprovalDecision(approved=False, remember="session"))
    assert memory.use(call_key("t", {})) is None
    assert memory.list_approvals()[0][2].approved is False


def test_what_was_never_stored_is_not_used() -> None:
    assert ApprovalMemory().use(call_key("t", {})) is None


def test_what_is_listed_is_what_was_stored_whatever_the_caller_changes_later() -> None:
    memory = ApprovalMemory()
    payload = {"to": "staging"}
    memory.store("deploy", payload, FOR_SESSION)
    payload["to"] = "production"
    memory.list_approvals()[0][1]["to"] = "moon"
    assert memory.list()[0].payload == {"to": "staging"}


def test_uses_are_kept_when_the_same_call_is_approved_again() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, FOR_SESSION)
    memory.lookup("deploy", {})
    memory.store("deploy", {}, FOR_SESSION)
    assert memory.list()[0].uses == 1


def test_a_payload_may_be_any_mapping() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", MappingProxyType({"to": "staging"}), FOR_SESSION)
    assert memory.contains("deploy", MappingProxyType({"to": "staging"}))


def test_other_definitions_are_those_of_approvals_of_the_same_call() -> None:
    memory = ApprovalMemory()
    refused = ApprovalDecision(approved=False, remember="session")
    for definition in (None, "earlier", "now"):
        memory.store("deploy", {}, FOR_SESSION, definition)
    memory.store("deploy", {}, refused, "refused")
    memory.store("deploy", {"to": "moon"}, FOR_SESSION, "of another payload")
    memory.store("destroy", {}, FOR_SESSION, "of another tool")
    assert memory.other_definitions(call_key("deploy", {}, "now")) == ["earlier"]


def test_revoking_a_call_leaves_other_calls_of_the_tool() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, FOR_SESSION, "now")
    memory.store("deploy", {"to": "moon"}, FOR_SESSION, "now")
    assert memory.revoke("deploy", {})
    assert [each.payload for each in memory.list()] == [{"to": "moon"}]


def test_what_is_stored_for_a_definition_comes_before_what_is_stored_for_all() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, FOR_SESSION)
    memory.store("deploy", {}, ApprovalDecision(approved=False, remember="session"), "now")
    assert not memory.contains("deploy", {}, "now")
    assert memory.contains("deploy", {}, "another")


def test_an_approval_of_something_else_is_never_remembered() -> None:
    other = ApprovalDecision(approved=True, remember="session").with_instead(Instead(arguments={"a": 2}))
    memory = ApprovalMemory()
    with pytest.raises(ValueError, match="never remembered"):
        memory.store("act", {"a": 1}, other)
    assert not memory.contains("act", {"a": 1})
