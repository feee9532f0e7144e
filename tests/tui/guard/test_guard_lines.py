"""Decisions typed as lines: the rules of the keys, for exactly what was named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from guard_bench import MOMENT
from msgspec.structs import replace

from signoff_tui.guard import (
    Act,
    Decide,
    GuardSettings,
    Ignored,
    LineGuard,
    NeedsGroupBar,
    NeedsUnseenBar,
    Omission,
    OpenSheet,
    Permit,
    PermitError,
    Reason,
    Ref,
    TargetFacts,
    Verdict,
)


@dataclass
class Lines:
    """Requests by their ids, all of them shown, and the guard that is asked about them."""

    settings: GuardSettings = field(default_factory=GuardSettings)
    now: float = 0.0
    known: dict[str, TargetFacts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.guard: LineGuard[str] = LineGuard(self.settings, self.known.get, lambda: self.now)
        for id_ in "abc":
            self.known[id_] = TargetFacts(Ref(id_, 1, f"digest {id_}"), "low", 1.0)

    def alter(self, id_: str, **values: Any) -> None:
        self.known[id_] = replace(self.known[id_], **values)

    def judge(self, decision: str, ids: str, *, agreed: bool = False) -> Verdict:
        return self.guard.judge(decision, [self.known[id_].ref for id_ in ids], agreed=agreed)

    def permit(self, decision: str, ids: str, *, agreed: bool = False) -> Permit:
        verdict = self.judge(decision, ids, agreed=agreed)
        assert isinstance(verdict, Decide), verdict
        return verdict.permit


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.mark.parametrize(
    ("decision", "ids", "act"),
    [
        ("y", "a", Act.APPROVE),
        ("y", "cab", Act.APPROVE_GROUP),
        ("n", "a", Act.REJECT),
        ("n", "cab", Act.REJECT),
        ("x", "a", Act.STOP),
        ("x", "ba", Act.STOP),
    ],
)
def test_a_line_decides_about_what_it_names_in_its_order(lines: Lines, decision: str, ids: str, act: Act) -> None:
    permit = lines.permit(decision, ids)
    assert (permit.act, "".join(ref.id for ref in permit.refs)) == (act, ids)


def test_several_are_approved_all_or_none(lines: Lines) -> None:
    lines.alter("b", risk="HIGH")
    lines.alter("c", coverage=0.5)
    verdict = lines.judge("y", "abc")
    assert isinstance(verdict, NeedsGroupBar)
    assert [(left.ref.id, left.reason) for left in verdict.left_out] == [
        ("b", Omission.HIGH),
        ("c", Omission.UNSEEN),
    ]
    assert lines.permit("n", "abc").act is Act.REJECT
    lines.alter("a", closed="withdrawn")
    assert isinstance(lines.judge("n", "abc"), NeedsGroupBar)


def test_whatever_the_settings_say_only_what_was_shown_is_approved() -> None:
    lines = Lines(GuardSettings(require_seen=False))
    lines.alter("a", coverage=0.0)
    assert isinstance(lines.judge("y", "a"), NeedsUnseenBar)


def test_the_deliberate_sign_is_for_what_was_not_all_shown(lines: Lines) -> None:
    verdict = lines.judge("!", "a")
    assert isinstance(verdict, Ignored)
    assert verdict.reason is Reason.NOT_OFFERED
    lines.alter("a", coverage=0.5)
    assert lines.permit("!", "a").act is Act.APPROVE_UNSEEN


def test_nothing_is_remembered_before_it_was_said_what_that_covers(lines: Lines) -> None:
    assert isinstance(lines.judge("s", "a"), OpenSheet)
    assert lines.permit("s", "a", agreed=True).act is Act.REMEMBER


@pytest.mark.parametrize(("risk", "coverage"), [("HIGH", 1.0), ("low", 0.5)])
def test_what_may_not_be_remembered_is_not_by_agreement_either(lines: Lines, risk: str, coverage: float) -> None:
    lines.alter("a", risk=risk, coverage=coverage)
    assert not isinstance(lines.judge("s", "a", agreed=True), Decide)


def test_a_request_has_one_held_decision(lines: Lines) -> None:
    lines.guard.hold(lines.permit("n", "a"), "no")
    verdict = lines.judge("y", "a")
    assert isinstance(verdict, Ignored)
    assert verdict.reason is Reason.HELD


def test_a_permit_is_good_for_one_hold_before_the_next_line(lines: Lines) -> None:
    permit = lines.permit("y", "a")
    lines.judge("y", "b")
    with pytest.raises(PermitError):
        lines.guard.hold(permit, "yes")


def test_a_hold_ends_when_its_time_is_over(lines: Lines) -> None:
    lines.guard.hold(lines.permit("y", "a"), "yes")
    lines.now = 3.0 - MOMENT
    assert not lines.guard.holds.due(lines.now)
    lines.now = 60.0
    assert [held.payload for held in lines.guard.holds.due(lines.now)] == ["yes"]


def test_what_was_printed_takes_a_line_after_its_wait(lines: Lines) -> None:
    lines.guard.printed()
    lines.now = 0.25 - MOMENT
    assert not lines.guard.armed
    lines.now = 0.25
    assert lines.guard.armed
