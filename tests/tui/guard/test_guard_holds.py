"""Held decisions: what is sent, when, and what can be taken back."""

from __future__ import annotations

import pytest
from guard_bench import MOMENT, Bench
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from signoff_tui.guard import Act, Cause, GuardSettings, Held, Holds, Permit, Ref, TakenBack


def permit(*ids: str, pressed_at: float = 0.0) -> Permit:
    refs = tuple(Ref(id_, 1) for id_ in ids)
    return Permit(Act.APPROVE, refs, "y", pressed_at, 1.0)


@pytest.fixture
def holds() -> Holds[str]:
    return Holds(GuardSettings())


@pytest.mark.parametrize("ids", ["a", "abc"])
def test_every_decision_is_held_three_seconds(holds: Holds[str], ids: str) -> None:
    holds.hold(permit(*ids), "yes", 10.0)

    assert holds.due(13.0 - MOMENT) == ()
    assert [held.payload for held in holds.due(13.0)] == ["yes"]


def test_a_decision_is_handed_out_once(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "yes", 10.0)

    assert len(holds.due(13.1)) == 1
    assert holds.due(13.2) == ()
    assert holds.next_due() is None


def test_without_a_hold_a_decision_is_due_at_once() -> None:
    holds: Holds[str] = Holds(GuardSettings(hold=0))
    holds.hold(permit("a"), "yes", 10.0)

    assert holds.next_due() == 10.0
    assert len(holds.due(10.0)) == 1


def test_without_a_hold_a_late_look_sends_as_well() -> None:
    holds: Holds[str] = Holds(GuardSettings(hold=0))
    holds.hold(permit("a"), "yes", 10.0)

    assert len(holds.due(12.0)) == 1


def test_decisions_leave_in_the_order_they_were_made(holds: Holds[str]) -> None:
    for number, id_ in enumerate("cab"):
        holds.hold(permit(id_), id_, 10.0 + number / 100)

    assert [held.payload for held in holds.due(13.1)] == ["c", "a", "b"]


def test_the_next_one_due_is_the_soonest(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "first", 10.0)
    holds.hold(permit("b"), "last", 10.5)

    assert holds.next_due() == 13.0
    assert [held.payload for held in holds.due(13.0)] == ["first"]
    assert holds.next_due() == 13.5


def test_the_last_decision_is_taken_back_first(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "first", 10.0)
    holds.hold(permit("b"), "last", 10.1)
    taken = holds.take_back_last()

    assert taken is not None
    assert taken.payload == "last"
    assert [held.payload for held in holds.due(13.1)] == ["first"]


def test_with_nothing_held_nothing_is_taken_back(holds: Holds[str]) -> None:
    assert holds.take_back_last() is None
    assert holds.take_back_all() == ()


def test_everything_can_be_taken_back(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "first", 10.0)
    holds.hold(permit("b"), "last", 10.1)

    assert [held.payload for held in holds.take_back_all()] == ["first", "last"]
    assert holds.due(60.0) == ()


def test_what_was_taken_back_can_be_decided_again(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "yes", 10.0)
    holds.take_back_last()

    assert holds.hold(permit("a"), "no", 10.5).payload == "no"


def test_a_request_is_held_once_at_a_time(holds: Holds[str]) -> None:
    holds.hold(permit("a", "b"), "yes", 10.0)

    with pytest.raises(ValueError, match="request b is held already"):
        holds.hold(permit("b", "c"), "no", 10.1)
    assert holds.find("c") is None


def test_quitting_with_a_yes_sends_everything_at_once(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "first", 10.0)
    holds.hold(permit("b"), "last", 10.1)

    assert [held.payload for held in holds.release_all()] == ["first", "last"]
    assert len(holds) == 0


def test_a_look_that_comes_late_waits_for_the_keys_pressed_meanwhile(holds: Holds[str]) -> None:
    """The program was blocked. The keys that would take the decision back are still queued."""
    holds.hold(permit("a"), "yes", 10.0)

    assert holds.due(14.0) == ()
    assert holds.next_due() == pytest.approx(14.1)
    assert len(holds.due(14.1)) == 1


def test_a_program_that_is_always_late_can_still_send(holds: Holds[str]) -> None:
    holds.hold(permit("a"), "yes", 0.0)
    looks = [holds.due(float(second)) for second in range(4, 14)]

    assert sum(len(look) for look in looks) == 1


def test_a_row_counts_down_in_whole_seconds(holds: Holds[str]) -> None:
    holds.hold(permit("a", "b"), "yes", 10.0)

    assert holds.row_text("b", 10.0) == "3 s"
    assert holds.row_text("b", 11.9) == "2 s"
    assert holds.row_text("b", 13.5) == "0 s"
    assert holds.row_text("c", 10.0) == ""


# The guard and its holds


def test_a_lost_queue_takes_everything_back() -> None:
    bench = Bench()
    bench.armed("a", "b")
    bench.press("y")
    bench.show("b", Cause.ADVANCED)
    bench.paint()
    bench.press("y", bench.now + 0.5)
    taken = bench.guard.set_connected(False)

    assert [held.refs[0].id for held in taken] == ["a", "b"]
    assert bench.sent() == []


def test_an_approval_is_held_from_when_it_was_handled() -> None:
    """A key that was handled late is shown as held for as long as any other."""
    bench = Bench()
    bench.armed("a")
    pressed_at = bench.now
    bench.pass_time(0.2)
    bench.press("y", pressed_at)

    assert bench.guard.holds.next_due() == pytest.approx(pressed_at + 3.2)


def test_taking_back_makes_a_request_wait_again() -> None:
    bench = Bench()
    bench.armed("a")
    bench.press("y")
    bench.guard.holds.take_back_last()

    assert bench.accepts("y", bench.now + 1)


def test_typing_during_a_stall_still_takes_back() -> None:
    """`yarn` is typed, and the program is blocked from the `y` on until the hold is over."""
    bench = Bench()
    bench.armed("a")
    start = bench.now
    bench.press("y")
    bench.pass_time(4.0)
    assert bench.guard.holds.due(bench.now) == ()
    effects = [
        effect for number, key in enumerate("arn", 1) for effect in bench.press(key, start + number / 10).effects
    ]

    assert any(isinstance(effect, TakenBack) for effect in effects)
    assert bench.sent() == []


@given(st.integers(0, 6), st.integers(0, 6))
def test_each_decision_is_either_sent_or_taken_back(made: int, taken_back: int) -> None:
    holds: Holds[int] = Holds(GuardSettings())
    for number in range(made):
        holds.hold(permit(str(number)), number, 10.0)
    taken = [held.payload for _ in range(taken_back) if (held := holds.take_back_last()) is not None]
    sent = [held.payload for held in holds.due(13.1)]

    assert sorted(sent + taken) == list(range(made))


class HoldingMachine(RuleBasedStateMachine):
    """Whatever is done in whatever order, a decision leaves once, after its time, or never."""

    def __init__(self) -> None:
        super().__init__()
        self.holds: Holds[int] = Holds(GuardSettings())
        self.now = 0.0
        self.made = 0
        self.waiting: dict[int, float] = {}

    @rule()
    def hold(self) -> None:
        held = self.holds.hold(permit(str(self.made), pressed_at=self.now), self.made, self.now)
        self.waiting[self.made] = held.until
        self.made += 1

    @rule(seconds=st.floats(0.0, 4.0))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def look(self) -> None:
        for held in self.holds.due(self.now):
            assert self.waiting.pop(held.payload) <= self.now

    @precondition(lambda self: self.waiting)
    @rule()
    def take_back(self) -> None:
        held = self.holds.take_back_last()
        assert held is not None
        assert held.payload == max(self.waiting)
        self.waiting.pop(held.payload)

    @rule(since=st.floats(0.0, 10.0))
    def take_back_since(self, since: float) -> None:
        taken: tuple[Held[int], ...] = self.holds.take_back_where(lambda permit: permit.pressed_at >= since)
        for held in taken:
            self.waiting.pop(held.payload)

    @invariant()
    def everything_is_accounted_for(self) -> None:
        assert [held.payload for held in self.holds] == sorted(self.waiting)


HoldingMachine.TestCase.settings = settings(max_examples=50, deadline=None)
TestHoldingMachine = HoldingMachine.TestCase
