"""When a key counts: press time against paint time, and what came between."""

from __future__ import annotations

from typing import Any

import pytest
from guard_bench import KEYS, MOMENT, Bench, reason

from signoff_tui.guard import (
    Cause,
    DecisionGuard,
    GuardSettings,
    Reason,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


# Settings


def with_time(name: str, seconds: float) -> GuardSettings:
    times: dict[str, Any] = {name: seconds}
    return GuardSettings(**times)


@pytest.mark.parametrize("name", ["arm_moved", "arm_advanced", "arm_high", "arm_sheet", "arm_focus"])
def test_no_arming_time_may_be_under_150_ms(name: str) -> None:
    with pytest.raises(ValueError, match=rf"guard\.{name} is 0\.149"):
        with_time(name, 0.149).validate()


@pytest.mark.parametrize("name", ["hold"])
def test_a_hold_is_off_or_long_enough_for_the_typing_window(name: str) -> None:
    with_time(name, 0.0).validate()
    with_time(name, 0.8).validate()
    with pytest.raises(ValueError, match=rf"guard\.{name}"):
        with_time(name, 0.79).validate()


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_time_that_is_no_time_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"guard\.link_delay"):
        GuardSettings(link_delay=value).validate()


def test_a_guard_is_not_made_with_settings_that_are_refused() -> None:
    with pytest.raises(ValueError, match=r"guard\.arm_moved"):
        DecisionGuard[str](GuardSettings(arm_moved=0.0), KEYS, lambda _: None, lambda: 0.0)


def test_settings_say_when_a_protection_is_off() -> None:
    assert not GuardSettings().reduced
    assert GuardSettings(hold=0).reduced
    assert GuardSettings(require_seen=False).reduced


# Arming: press time against paint time


@pytest.mark.parametrize(
    ("cause", "wait"),
    [
        (Cause.MOVED, 0.25),
        (Cause.ADVANCED, 0.4),
        (Cause.ARRIVED, 1.0),
        (Cause.CHANGED, 1.0),
    ],
)
def test_a_target_is_armed_so_long_after_its_paint(bench: Bench, cause: Cause, wait: float) -> None:
    bench.request("a")
    bench.show("a", cause)
    bench.paint(5.0)

    assert reason(bench.press("y", 5.0 + wait - MOMENT)) is Reason.TOO_EARLY
    bench.pass_time(1.0)
    assert bench.accepts("y")


@pytest.mark.parametrize("wait", [0.25, 0.4, 1.0])
def test_a_key_at_the_end_of_the_wait_counts(bench: Bench, wait: float) -> None:
    bench.request("a")
    cause = {0.25: Cause.MOVED, 0.4: Cause.ADVANCED, 1.0: Cause.ARRIVED}[wait]
    bench.show("a", cause)
    bench.paint(5.0)

    assert bench.accepts("y", 5.0 + wait + MOMENT)


def test_a_high_target_takes_800_ms_whatever_brought_it(bench: Bench) -> None:
    bench.request("a", risk="HIGH")
    bench.show("a", Cause.MOVED)
    bench.paint(5.0)

    assert reason(bench.press("y", 5.8 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", 6.0)


def test_a_slow_line_adds_to_every_wait() -> None:
    bench = Bench(GuardSettings(link_delay=0.5))
    bench.request("a")
    bench.show("a")
    bench.paint(5.0)

    assert reason(bench.press("y", 5.75 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", 5.95)


def test_focus_wants_500_ms_more(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.focus_in(bench.now)

    assert reason(bench.press("y", bench.now + 0.5 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_moving_on_does_not_shorten_the_wait_after_focus(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.guard.focus_in(bench.now)
    bench.show("b")
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.5 - MOMENT)) is Reason.TOO_EARLY


def test_what_was_not_painted_is_not_armed_however_long_ago_it_was_shown(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")

    assert reason(bench.press("y", 60.0)) is Reason.CATCHING_UP


def test_the_paint_of_an_earlier_target_arms_nothing(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.guard.changed()
    frame = bench.guard.pending
    assert frame is not None
    bench.show("b")
    bench.guard.painted(frame, bench.now)

    assert reason(bench.press("y", bench.now + 10)) is Reason.CATCHING_UP


def test_a_later_frame_also_shows_what_was_pending_before(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    bench.guard.restart()
    bench.paint(5.0)

    assert bench.accepts("y", 5.3)


def test_the_first_paint_counts_not_the_last(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    frame = bench.guard.pending
    assert frame is not None
    bench.guard.painted(frame, 5.0)
    bench.guard.painted(frame, 5.2)

    assert bench.accepts("y", 5.26)


def test_showing_the_same_again_does_not_disturb_the_arming(bench: Bench) -> None:
    bench.armed("a")
    bench.show("a", Cause.CHANGED)

    assert bench.guard.pending is None
    assert bench.accepts("y")


def test_another_revision_under_the_same_id_is_armed_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.request("a", revision=2)
    bench.show("a", Cause.CHANGED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_another_risk_is_armed_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", risk="med")
    bench.show("a", Cause.CHANGED)

    assert bench.guard.pending is not None


def test_a_change_under_the_same_name_takes_a_second_after_its_paint(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.changed()

    assert reason(bench.press("y")) is Reason.CATCHING_UP
    bench.pass_time(1.0)
    bench.paint()
    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_other_contents_under_the_same_id_take_a_second_whatever_the_screen_calls_it(bench: Bench) -> None:
    bench.armed("a")
    bench.request("a", revision=2)
    bench.show("a", Cause.MOVED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_going_away_and_back_takes_only_the_time_of_a_move(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.show("b")
    bench.show("a")
    bench.paint()

    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


def test_saying_the_same_of_a_switch_again_disturbs_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.set_connected(True)
    bench.guard.set_read_only(False)

    assert bench.guard.pending is None
    assert bench.accepts("y")


def test_after_a_decision_the_next_target_has_advanced_whatever_the_screen_says(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.press("y")
    bench.show("b", Cause.MOVED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_only_the_next_target_has_advanced(bench: Bench) -> None:
    bench.armed("a", "b", "c")
    bench.press("y")
    bench.show("b")
    bench.paint()
    bench.pass_time(1.0)
    bench.show("c")
    bench.paint()

    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


@pytest.mark.parametrize("again", ["restart", "resized", "focus"])
def test_resize_theme_and_focus_never_decide(bench: Bench, again: str) -> None:
    bench.armed("a")
    match again:
        case "restart":
            bench.guard.restart()
        case "resized":
            bench.guard.resized(too_small=False)
        case _:
            bench.guard.focus_in(bench.now)

    assert not bench.accepts("y")
    assert bench.sent() == []


def test_a_restarted_target_is_armed_after_its_paint_by_its_own_cause(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.restart()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_reconnecting_arms_anew_and_decides_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.set_connected(False)
    bench.guard.set_connected(True)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY
    assert bench.sent() == []


# Keys that come too soon after others, or too late


def test_a_decision_key_within_150_ms_of_another_is_dropped_and_starts_arming_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", closed="for the moment")
    bench.press("y")
    bench.alter("a", closed="")

    assert reason(bench.press("y", bench.now + 0.15 - MOMENT)) is Reason.TOO_EARLY
    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_a_decision_key_within_250_ms_of_any_other_key_is_dropped(bench: Bench) -> None:
    bench.armed("a")
    bench.press("v")

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.5)


def test_a_key_that_waited_in_a_blocked_program_is_dropped(bench: Bench) -> None:
    bench.armed("a")
    pressed_at = bench.now
    bench.pass_time(0.25 + MOMENT)

    assert reason(bench.press("y", pressed_at)) is Reason.LATE


def test_nothing_pressed_before_a_late_key_was_handled_counts(bench: Bench) -> None:
    bench.armed("a")
    start = bench.now
    bench.pass_time(0.5)
    bench.press("y", start)

    assert reason(bench.press("y", start + 0.45)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


def test_a_key_that_was_read_when_the_stopped_program_went_on_is_dropped(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.went_on()

    assert reason(bench.press("y", bench.now + 0.05)) is Reason.LATE


def test_a_word_typed_while_the_program_was_stopped_locks_the_keys(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.went_on()
    verdicts = [reason(bench.press(key, bench.now)) for key in "sudo y"]

    assert verdicts[-1] is Reason.TYPING
    assert bench.sent() == []


def test_a_key_pressed_well_after_the_program_went_on_counts(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.went_on()

    assert bench.accepts("y", bench.now + 0.3)


def test_a_time_stamp_from_the_future_is_taken_as_now(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    bench.paint(5.0)
    reaction = bench.guard.press("y", 60.0)

    assert reason(reaction) is Reason.TOO_EARLY
