"""When a key can have been pressed, in a program that stood still for a while."""

from __future__ import annotations

import pytest

from signoff_tui.pulse import BACKLOG, BEAT, Pulse

STILL = 0.25


class Clock:
    """Moves only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pulse(clock: Clock) -> Pulse:
    """A pulse that has just beaten."""
    return Pulse(clock, STILL)


def test_while_the_program_runs_a_key_was_pressed_when_it_was_read(clock: Clock, pulse: Pulse) -> None:
    for _ in range(20):
        clock.now += BEAT
        pulse.beat()
    assert pulse.earliest(clock.now) == clock.now


def test_a_key_read_after_a_standstill_may_be_as_old_as_the_standstill(clock: Clock, pulse: Pulse) -> None:
    clock.now += 2.0
    pulse.beat()
    assert pulse.earliest(clock.now) == 100.0


def test_a_standstill_is_noticed_by_a_key_that_comes_before_the_next_beat(clock: Clock, pulse: Pulse) -> None:
    clock.now += 2.0
    assert pulse.earliest(clock.now) == 100.0


def test_a_key_read_some_time_after_a_standstill_was_pressed_after_it(clock: Clock, pulse: Pulse) -> None:
    clock.now += 2.0
    pulse.beat()
    clock.now += BACKLOG
    assert pulse.earliest(clock.now) == clock.now


def test_a_key_read_before_a_standstill_keeps_its_time(clock: Clock, pulse: Pulse) -> None:
    clock.now += 2.0
    assert pulse.earliest(99.5) == 99.5


def test_standstills_without_a_pause_between_them_are_one(clock: Clock, pulse: Pulse) -> None:
    for length in (2.0, BACKLOG / 2, 2.0):
        clock.now += length
        pulse.beat()
    assert pulse.earliest(clock.now) == 100.0


def test_a_short_delay_is_no_standstill(clock: Clock, pulse: Pulse) -> None:
    clock.now += STILL
    assert pulse.earliest(clock.now) == clock.now
