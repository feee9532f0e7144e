"""The guard with a leader: it and the key after it are one act, as hard to do by accident as a single key."""

from __future__ import annotations

import pytest
from guard_bench import KEYS, MOMENT, Bench, reason
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from signoff_tui.guard import Cause, Decide, GuardSettings, Ignored, OpenEditor, OpenSheet, Reason
from signoff_tui.guard.typing import Leading

LEADER = ","
LED = replace(KEYS, leader=LEADER, navigation=KEYS.navigation | {LEADER})


@pytest.fixture
def bench() -> Bench:
    bench = Bench(keys=LED)
    bench.armed("a", "b", group="g")
    return bench


def led(bench: Bench, key: str, gap: float = MOMENT) -> object:
    """Press the leader, then a key."""
    bench.press(LEADER)
    bench.pass_time(gap)
    return bench.press(key).verdict


# -- one act -------------------------------------------------------------------------------------------------


def test_without_its_leader_no_key_decides(bench: Bench) -> None:
    for key in "yYnNsSxX!":
        assert reason(bench.press(key)) is Reason.LEADER
        bench.pass_time(5.0)
    assert not bench.sent()


def test_the_leader_and_a_key_decide_however_fast_they_come(bench: Bench) -> None:
    assert isinstance(led(bench, "y"), Decide)
    assert [held.refs[0].id for held in bench.sent()] == ["a"]


def test_no_time_ends_the_waiting_of_the_leader(bench: Bench) -> None:
    assert isinstance(led(bench, "y", gap=3600.0), Decide)


@pytest.mark.parametrize("between", ["j", " ", "q", "escape", "enter", "z"])
def test_any_other_key_ends_it(bench: Bench, between: str) -> None:
    led(bench, between)
    bench.pass_time(5.0)
    assert reason(bench.press("y")) is Reason.LEADER


def test_a_key_that_decided_needs_its_leader_again(bench: Bench) -> None:
    led(bench, "y")
    bench.pass_time(5.0)
    assert reason(bench.press("y")) is Reason.LEADER


def test_a_paste_ends_it(bench: Bench) -> None:
    bench.press(LEADER)
    bench.guard.paste(bench.now)
    bench.pass_time(5.0)
    assert reason(bench.press("y")) is Reason.LEADER


def test_a_sheet_wants_the_leader_too(bench: Bench) -> None:
    assert isinstance(led(bench, "s"), OpenSheet)
    bench.guard.sheet_opened(confirm="y")
    bench.paint()
    bench.pass_time(5.0)
    assert reason(bench.press("y")) is Reason.LEADER
    bench.pass_time(5.0)
    assert isinstance(led(bench, "y"), Decide)


def test_a_question_that_decides_nothing_is_answered_by_a_single_key(bench: Bench) -> None:
    bench.guard.question_opened(frozenset("yu"))
    bench.paint()
    bench.pass_time(5.0)
    assert bench.accepts("y")


def test_in_a_text_box_the_leader_is_text(bench: Bench) -> None:
    assert isinstance(led(bench, "n"), OpenEditor)
    for key in "no, y":
        bench.press(key)
        bench.pass_time(0.2)
    bench.guard.editor_closed()
    bench.paint()
    bench.pass_time(5.0)
    assert reason(bench.press("y")) is Reason.LEADER


# -- the guard stays in force --------------------------------------------------------------------------------


def test_what_changed_after_the_leader_was_not_meant(bench: Bench) -> None:
    bench.press(LEADER)
    bench.pass_time(1.0)
    bench.show("b", Cause.ADVANCED)
    bench.paint()
    bench.pass_time(10.0)
    assert reason(bench.press("y")) is Reason.TOO_EARLY


def test_the_leader_needs_silence_before_it_as_a_single_key_does(bench: Bench) -> None:
    bench.press("j")
    bench.pass_time(bench.settings.quiet_before / 2)
    verdict = led(bench, "y")
    assert isinstance(verdict, Ignored)
    assert verdict.reason is Reason.TOO_EARLY


@pytest.mark.parametrize("text", ["well,yes please", "a,b,y,n", "tidy,yes", "n,no,never"])
def test_typed_words_with_commas_are_typing(bench: Bench, text: str) -> None:
    bench.press_all(text, gap=0.12)
    assert not bench.sent()


def test_a_held_key_decides_nothing_with_a_leader_before_it(bench: Bench) -> None:
    bench.press(LEADER)
    bench.press_all("yyyyyy", gap=0.03)
    assert not bench.sent()


def test_what_is_locked_says_so_at_the_leader(bench: Bench) -> None:
    bench.guard.set_locked(True)
    assert reason(bench.press(LEADER)) is Reason.LOCKED


@given(
    st.lists(st.tuples(st.sampled_from([",", "y", "n", "s", "j", "!", "enter", "escape"]), st.floats(0.3, 3.0)))
)
def test_every_decision_has_its_leader_right_before_it(presses: list[tuple[str, float]]) -> None:
    bench = Bench(GuardSettings(typing_lock=False), keys=LED)
    bench.armed("a", "b")
    before = ""
    for key, gap in presses:
        verdict = bench.press(key).verdict
        if isinstance(verdict, Decide | OpenEditor | OpenSheet):
            assert before == LEADER or key == "enter"
        if isinstance(verdict, OpenEditor):
            bench.guard.editor_closed()
            bench.paint()
        if isinstance(verdict, OpenSheet):
            bench.guard.sheet_closed()
            bench.paint()
        before = key
        bench.pass_time(gap)


def test_without_a_leader_nothing_is_asked_of_any_key() -> None:
    leading = Leading("")
    assert leading.press("y", 1.0) is None
    assert not leading.is_leader("")
    assert not leading.lacks(None)
