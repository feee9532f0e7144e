"""What was approved for the session, and what that covers."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from matching_corpus import cases, covers
from signoff.canonical import NotJsonError
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalDecision, DecisionSource

FOR_SESSION = ApprovalDecision(approved=True, remember="session", note="fine")


@pytest.mark.parametrize(("calls", "accepted"), cases())
def test_an_approval_covers_exactly_what_it_says(calls: dict[str, Any], accepted: list[bool]) -> None:
    assert covers(calls["remembered"], calls["later"]) in accepted


@pytest.fixture
def memory() -> ApprovalMemory:
    memory = ApprovalMemory()
    memory.store("deploy", {"to": "staging"}, FOR_SESSION)
    return memory


def test_a_hit_gives_the_approval_and_says_that_it_was_remembered(memory: ApprovalMemory) -> None:
    found = memory.lookup("deploy", {"to": "staging"})
    assert found is not None
    assert (found.approved, found.note, found.source) == (True, "fine", DecisionSource.GRANT)


def test_the_order_of_keys_does_not_matter(memory: ApprovalMemory) -> None:
    memory.store("t", {"a": 1, "b": 2}, FOR_SESSION)
    assert memory.contains("t", {"b": 2, "a": 1})


def test_another_tool_is_not_covered(memory: ApprovalMemory) -> None:
    assert memory.lookup("deploy2", {"to": "staging"}) is None


def test_an_approval_for_once_is_not_stored(memory: ApprovalMemory) -> None:
    memory.store("t", {}, ApprovalDecision(approved=True))
    assert not memory.contains("t", {})


def test_a_refusal_that_is_stored_on_purpose_covers_nothing(memory: ApprovalMemory) -> None:
    memory.store("t", {}, ApprovalDecision(approved=False, remember="session"))
    assert not memory.contains("t", {})
    assert [entry.tool_name for entry in memory.list()] == ["deploy"]
    found = memory.lookup("t", {})
    assert found is not None
    assert not found.approved


def test_a_later_refusal_replaces_the_approval(memory: ApprovalMemory) -> None:
    memory.store("deploy", {"to": "staging"}, ApprovalDecision(approved=False, remember="session"))
    assert not memory.contains("deploy", {"to": "staging"})


@pytest.mark.parametrize("payload", [{"x": {1, 2}}, {"x": float("inf")}, {"x": object()}])
def test_what_is_not_json_is_never_remembered_and_never_covered(payload: dict[str, Any]) -> None:
    memory = ApprovalMemory()
    with pytest.raises(NotJsonError):
        memory.store("t", payload, FOR_SESSION)
    assert memory.lookup("t", payload) is None


def test_nothing_is_revoked_by_what_is_not_json(memory: ApprovalMemory) -> None:
    assert memory.revoke("deploy", {"to": object()}) is False
    assert memory.contains("deploy", {"to": "staging"})


def test_lookups_are_counted_and_looking_is_not(memory: ApprovalMemory) -> None:
    memory.contains("deploy", {"to": "staging"})
    memory.lookup("deploy", {"to": "staging"})
    memory.lookup("deploy", {"to": "staging"})
    (entry,) = memory.list()
    assert entry.uses == 2


def test_a_change_of_the_payload_afterwards_changes_nothing() -> None:
    memory = ApprovalMemory()
    payload = {"to": "staging"}
    memory.store("deploy", payload, FOR_SESSION)
    payload["to"] = "production"
    assert not memory.contains("deploy", payload)


def test_one_approval_can_be_revoked(memory: ApprovalMemory) -> None:
    memory.store("deploy", {"to": "test"}, FOR_SESSION)
    assert memory.revoke("deploy", {"to": "staging"})
    assert not memory.revoke("deploy", {"to": "staging"})
    assert memory.contains("deploy", {"to": "test"})


def test_all_can_be_forgotten(memory: ApprovalMemory) -> None:
    memory.clear()
    assert len(memory) == 0
    assert memory.list() == ()


def test_what_is_stored_can_be_listed_with_its_decisions(memory: ApprovalMemory) -> None:
    assert memory.list_approvals() == [("deploy", {"to": "staging"}, FOR_SESSION)]


@pytest.mark.parametrize(
    ("remembered", "later"),
    [([], {}), ("", {}), ([["a", 1]], {"a": 1}), (["ab"], {"a": "b"}), ((), {}), ([{"a": 1, "b": 2}], {"a": "b"})],
)
def test_a_list_or_a_text_is_no_object(remembered: Any, later: Any) -> None:
    for first, second in ((remembered, later), (later, remembered)):
        memory = ApprovalMemory()
        memory.store("deploy", first, FOR_SESSION)
        assert not memory.contains("deploy", second)
        assert memory.contains("deploy", first)
        assert [payload for _, payload, _ in memory.list_approvals()] == [first]


def test_threads_lose_no_use(memory: ApprovalMemory) -> None:
    def look() -> None:
        for _ in range(200):
            memory.lookup("deploy", {"to": "staging"})

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.list()[0].uses == 800
