"""How a request ended, in the words of each place."""

from __future__ import annotations

from typing import get_args

import pytest

from signoff.queue import Decision, DecisionSource, Instead, RequestState
from signoff.text.outcome import OutcomeStyle, outcome_text

YES, NO = Decision(approved=True), Decision(approved=False)
APPROVED, REJECTED = RequestState.APPROVED, RequestState.REJECTED


@pytest.mark.parametrize(
    ("state", "decision", "words"),
    [
        (APPROVED, None, ("approved", "approved", "approved")),
        (APPROVED, YES, ("approved", "approved", "approved")),
        (
            APPROVED,
            Decision(approved=True, remember=True),
            ("approved", "approved for session", "approved"),
        ),
        (
            APPROVED,
            Decision(approved=True, instead=Instead(arguments={}, refused=("x",))),
            ("approved with changes", "approved with changes", "approved"),
        ),
        (APPROVED, Decision(approved=True, source=DecisionSource.RULE), ("approved", "approved", "approved")),
        (
            APPROVED,
            Decision(approved=True, source=DecisionSource.GRANT),
            ("approved", "allowed", "approved"),
        ),
        (REJECTED, NO, ("rejected", "rejected", "rejected")),
        (REJECTED, Decision(approved=False, hard=True), ("rejected", "stopped", "stopped")),
        (
            REJECTED,
            Decision(approved=False, source=DecisionSource.CASCADE),
            ("rejected with its batch", "stopped with its turn", "stopped"),
        ),
        (RequestState.EXPIRED, None, ("expired", "expired", "expired")),
        (RequestState.SUPERSEDED, YES, ("superseded", "superseded by a newer revision", "replaced")),
    ],
)
def test_each_place_has_its_words(state: RequestState, decision: Decision | None, words: tuple[str, ...]) -> None:
    assert tuple(outcome_text(state, decision, style) for style in get_args(OutcomeStyle)) == words


def test_only_the_screen_tells_that_an_agent_is_gone() -> None:
    assert [outcome_text(RequestState.WITHDRAWN, None, style, gone=True) for style in get_args(OutcomeStyle)] == [
        "withdrawn",
        "agent exited",
        "agent exited",
    ]
