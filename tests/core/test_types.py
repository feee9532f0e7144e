"""The models an agent author meets: liberal in what they read, strict in what they mean."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from signoff.canonical import NotJsonError
from signoff.present.snapshot.snapshot import Snapshot
from signoff.queue.records import DecisionSource
from signoff.types import (
    ApprovalAware,
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalPresentation,
    ApprovalRequest,
    ApprovalScope,
    denial_text,
)


def decision(**fields: Any) -> ApprovalDecision:
    return ApprovalDecision.model_validate(fields)


# -- decisions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["true", "yes", 1, 1.0, None, [True]])
def test_only_true_and_false_are_answers(value: Any) -> None:
    with pytest.raises(ValidationError):
        decision(approved=value)


def test_an_answer_is_not_optional() -> None:
    with pytest.raises(ValidationError):
        decision(note="fine with me")


@pytest.mark.parametrize("name", ["note", "feedback", "reason"])
def test_the_reviewers_words_have_three_names(name: str) -> None:
    assert decision(approved=False, **{name: "not today"}).note == "not today"


def test_a_note_is_preferred_to_its_synonyms() -> None:
    assert decision(approved=False, feedback="b", note="a", reason="c").note == "a"


@pytest.mark.parametrize(("scope", "remember"), [("once", "none"), ("session", "session")])
def test_scope_is_remember_under_another_name(scope: str, remember: str) -> None:
    read = decision(approved=True, scope=scope)
    assert read.remember == remember
    assert read.scope == ApprovalScope(scope)


@pytest.mark.parametrize(("scope", "remember"), [("once", "session"), ("session", "none"), ("once", "none")])
def test_given_scope_and_remember_the_narrower_wins(scope: str, remember: str) -> None:
    assert decision(approved=True, scope=scope, remember=remember).remember == "none"


def test_scope_and_remember_may_agree_on_the_session() -> None:
    assert decision(approved=True, scope="session", remember="session").remember == "session"


def test_an_approval_is_for_once_unless_it_says_more() -> None:
    assert decision(approved=True).scope is ApprovalScope.ONCE


@pytest.mark.parametrize("fields", [{"scope": "forever"}, {"remember": "always"}, {"scoep": "session"}])
def test_an_unknown_reach_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        decision(approved=True, **fields)


@pytest.mark.parametrize("mode", ["soft", "reject_soft"])
def test_soft_has_two_names(mode: str) -> None:
    assert not decision(approved=False, mode=mode).hard


@pytest.mark.parametrize(
    "fields",
    [{}, {"mode": "hard"}, {"mode": "reject_hard"}, {"mode": "SOFT"}, {"mode": None}, {"mode": ["soft"]}],
)
def test_a_refusal_whose_mode_is_missing_or_unknown_is_hard(fields: dict[str, Any]) -> None:
    assert decision(approved=False, **fields).hard


def test_an_approval_is_never_hard() -> None:
    assert not decision(approved=True, mode="hard").hard


def test_a_decision_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        decision(approved=False).approved = True


def test_an_approval_passes() -> None:
    approved = decision(approved=True)
    assert approved.raise_if_denied() is approved


def test_a_refusal_raises_with_the_reviewers_words_and_the_decision() -> None:
    refused = decision(approved=False, note="not today")
    with pytest.raises(PermissionError, match="Approval denied: not today") as caught:
        refused.raise_if_denied()
    assert isinstance(caught.value, ApprovalDeniedError)
    assert caught.value.decision is refused


@pytest.mark.parametrize(
    "source",
    [DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR, DecisionSource.CASCADE],
)
def test_what_no_person_refused_is_not_told_as_denied(source: DecisionSource) -> None:
    text = denial_text(decision(approved=False, source=source, note="why"))
    assert text.startswith("Not run")
    assert text.endswith(": why")


def test_what_was_approved_is_neither_compared_nor_serialized() -> None:
    plain = decision(approved=True)
    bound = plain.with_snapshot(Snapshot())
    assert (bound.snapshot, plain.snapshot) == (Snapshot(), None)
    assert (bound, hash(bound), bound.model_dump()) == (plain, hash(plain), plain.model_dump())


# -- requests ----------------------------------------------------------------------------------------------


def request(**fields: Any) -> ApprovalRequest:
    return ApprovalRequest(**{"tool_name": "t", "description": "d", "payload": {}, **fields})


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), {1: "a"}, b"bytes"])
@pytest.mark.parametrize("field", ["payload", "arguments"])
def test_payload_and_arguments_are_json(field: str, value: Any) -> None:
    with pytest.raises(NotJsonError, match=rf"^{field}: .* at \$\.value.* not JSON"):
        request(**{field: {"value": value}})


def test_what_a_request_does_not_know_it_refuses() -> None:
    with pytest.raises(ValidationError):
        request(presentaton=None)


def test_a_presentation_may_be_given_as_plain_data() -> None:
    shown = request(presentation={"type": "command", "content": "ls"}).presentation
    assert shown == ApprovalPresentation(type="command", content="ls")


def test_an_unknown_kind_of_presentation_is_refused() -> None:
    with pytest.raises(ValidationError):
        request(presentation={"type": "html", "content": "<b>"})


@pytest.mark.parametrize("fields", [{"group_size": 0}, {"expires_in": 0}, {"expires_in": -1}])
def test_sizes_and_deadlines_are_positive(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request(**fields)


@pytest.mark.parametrize("seconds", [1e12, float("inf"), float("nan")])
def test_a_deadline_has_a_date(seconds: float) -> None:
    with pytest.raises(ValidationError):
        request(expires_in=seconds)


def test_a_tool_is_aware_by_having_the_method() -> None:
    class Tool:
        def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
            return None

    assert isinstance(Tool(), ApprovalAware)
    assert not isinstance(object(), ApprovalAware)
