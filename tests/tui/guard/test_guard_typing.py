"""Telling deciding from typing: bursts, held keys, answers meant for other windows, pastes."""

from __future__ import annotations

import pytest
from guard_bench import MOMENT, Bench, reason
from guard_desk import Desk

from signoff_tui.guard import (
    Act,
    BarClosed,
    EditorText,
    Effect,
    GuardSettings,
    KeysLocked,
    NotDecisive,
    Reaction,
    Reason,
    SheetClosed,
    TakenBack,
)


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.armed("a", "b", group="g")
    return bench


def effects_of(reactions: list[Reaction]) -> list[Effect]:
    return [effect for reaction in reactions for effect in reaction.effects]


# Bursts: three keys in 700 ms


def test_three_letters_in_700_ms_are_typing(bench: Bench) -> None:
    reactions = bench.press_all("yar", gap=0.3)

    assert reason(reactions[-1]) is Reason.TYPING
    taken = reactions[-1].effects[0]
    assert isinstance(taken, TakenBack)
    assert [held.payload for held in taken.held] == ["y"]
    assert bench.sent() == []


def test_three_letters_in_more_than_700_ms_are_not(bench: Bench) -> None:
    bench.press_all("yar", gap=0.35 + MOMENT)

    assert len(bench.sent()) == 1


def test_navigation_and_tagging_are_no_typing(bench: Bench) -> None:
    reactions = bench.press_all("y" + "jtkjt GgJ K<>", gap=0.06)

    assert effects_of(reactions) == []


def test_view_keys_alone_are_no_typing(bench: Bench) -> None:
    assert effects_of(bench.press_all("vdoi", gap=0.1)) == []


def test_the_same_key_thrice_is_no_typing(bench: Bench) -> None:
    assert effects_of(bench.press_all("qqq", gap=0.14)) == []


def test_a_key_bound_to_nothing_tells(bench: Bench) -> None:
    assert reason(bench.press_all("vdl", gap=0.1)[-1]) is Reason.TYPING


@pytest.mark.parametrize("word", ["yhq", "yqv", "y1v", "y:q"])
def test_keys_that_open_pages_are_letters_of_words(bench: Bench, word: str) -> None:
    assert reason(bench.press_all(word, gap=0.3)[-1]) is Reason.TYPING
    assert bench.sent() == []


def test_alt_with_a_letter_is_typing(bench: Bench) -> None:
    for key in ("v", "d"):
        bench.press(key)
        bench.pass_time(0.1)

    assert reason(bench.press("alt+y")) is Reason.TYPING


def test_only_decisions_of_the_window_are_taken_back(bench: Bench) -> None:
    bench.press("y")
    bench.pass_time(0.75)
    bench.press_all("var", gap=0.1)

    assert [held.payload for held in bench.sent()] == ["y"]


def test_typing_closes_the_open_sheet(bench: Bench) -> None:
    bench.press("s")
    bench.guard.sheet_opened(confirm="y")
    bench.paint()
    reactions = bench.press_all("sh", gap=0.1)

    assert SheetClosed() in reactions[-1].effects
    bench.pass_time(1.0)
    assert bench.press("j").verdict == NotDecisive()


def test_typing_closes_the_bar_that_offers_the_deliberate_key(bench: Bench) -> None:
    bench.alter("a", coverage=0.5)
    bench.press("y")
    bench.paint()
    reactions = bench.press_all("ar", gap=0.2)

    assert BarClosed() in reactions[-1].effects
    assert reason(bench.press("!", bench.now + 2)) is Reason.NOT_OFFERED


def test_typing_names_the_keys_that_the_screen_obeyed(bench: Bench) -> None:
    """So that it can undo the filter, mute, tag or later that they made."""
    reaction = bench.press_all("zay", gap=0.1)[-1]
    locked = reaction.effects[-1]

    assert "zay" in str(reaction.verdict)
    assert isinstance(locked, KeysLocked)
    assert (locked.keys, locked.text) == (("z", "a"), "zay")


def test_an_impatient_key_in_a_sheet_is_no_typing(bench: Bench) -> None:
    bench.press("s")
    bench.guard.sheet_opened(confirm="y")
    bench.paint()
    bench.pass_time(0.2)
    reactions = bench.press_all("yy", gap=0.25)

    assert effects_of(reactions) == []
    assert len(bench.sent()) == 1


def test_typing_can_be_switched_off() -> None:
    bench = Bench(GuardSettings(typing_lock=False))
    bench.armed("a")
    reactions = bench.press_all("yarn", gap=0.1)
    reactions.append(bench.press("enter"))

    assert effects_of(reactions) == []
    assert len(bench.sent()) == 1


# Two letters of which the first decided


def test_another_letter_within_250_ms_makes_a_decision_the_start_of_a_word(bench: Bench) -> None:
    reactions = bench.press_all("yo", gap=0.25 - MOMENT)

    assert reason(reactions[-1]) is Reason.TYPING
    assert bench.sent() == []


def test_another_letter_later_than_that_does_not(bench: Bench) -> None:
    bench.press_all("yo", gap=0.25 + MOMENT)

    assert len(bench.sent()) == 1


def test_going_on_with_a_key_that_moves_takes_nothing_back(bench: Bench) -> None:
    bench.press_all("yj", gap=0.1)

    assert len(bench.sent()) == 1


# The lock


def test_no_letter_does_anything_until_800_ms_of_silence(bench: Bench) -> None:
    bench.press_all("yar", gap=0.1)
    quiet_from = bench.now - 0.1

    assert reason(bench.press("v", quiet_from + 0.8 - MOMENT)) is Reason.TYPING
    assert reason(bench.press("y", bench.now + 0.8 - MOMENT)) is Reason.TYPING
    assert bench.accepts("y", bench.now + 0.8 + MOMENT)


def test_the_lock_leaves_arrows_and_escape_alone(bench: Bench) -> None:
    bench.press_all("yar", gap=0.1)

    assert bench.press("down").verdict == NotDecisive()
    assert bench.press("escape").verdict == NotDecisive()
    assert reason(bench.press("enter")) is Reason.TYPING


def test_the_lock_says_what_was_typed_and_when_it_ends(bench: Bench) -> None:
    bench.press_all("yarn te", gap=0.1)

    assert bench.guard.typed_text == "yarn te"
    assert bench.guard.status(bench.now).word == "locked"
    assert bench.guard.status(bench.now).changes_at == pytest.approx(bench.now + 0.7)


# Enter after an approval


@pytest.mark.parametrize("enter", ["enter", "ctrl+j"])
def test_enter_within_500_ms_takes_an_approval_back_and_locks(bench: Bench, enter: str) -> None:
    bench.press("y")
    reaction = bench.press(enter, bench.now + 0.5 - MOMENT)

    assert reason(reaction) is Reason.ENTER_AFTER
    assert isinstance(reaction.effects[0], TakenBack)
    assert bench.guard.status(bench.now).word == "locked"
    assert bench.sent() == []


def test_enter_after_that_is_an_ordinary_key(bench: Bench) -> None:
    bench.press("y")

    assert bench.press("enter", bench.now + 0.5 + MOMENT).verdict == NotDecisive()
    assert len(bench.sent()) == 1


def test_enter_takes_a_remembered_approval_back_too(bench: Bench) -> None:
    bench.press("s")
    bench.guard.sheet_opened(confirm="y")
    bench.paint()
    bench.press("y", bench.now + 1)

    assert reason(bench.press("enter", bench.now + 0.3)) is Reason.ENTER_AFTER
    assert bench.sent() == []


def test_enter_takes_no_rejection_back(bench: Bench) -> None:
    bench.press("n")
    bench.press("enter", bench.now + 1)
    bench.press("enter", bench.now + 0.3)

    assert [held.permit.act for held in bench.sent()] == [Act.REJECT]


def test_a_letter_after_the_enter_that_rejects_is_no_typing(bench: Bench) -> None:
    bench.press("n")
    bench.press("enter", bench.now + 1)

    assert bench.press("v", bench.now + 0.2).verdict == NotDecisive()
    assert len(bench.sent()) == 1


# Editors opened in haste


def test_text_within_300_ms_makes_an_editor_ask_again(bench: Bench) -> None:
    bench.press("n")
    bench.press("p", bench.now + 0.3 - MOMENT)

    assert reason(bench.press("enter", bench.now + 5)) is Reason.ENTER_AGAIN
    assert bench.accepts("enter", bench.now + 0.4 + MOMENT)


def test_enter_within_500_ms_makes_an_editor_ask_again(bench: Bench) -> None:
    bench.press("n")

    assert reason(bench.press("enter", bench.now + 0.5 - MOMENT)) is Reason.ENTER_AGAIN


def test_enter_twice_must_be_400_ms_apart(bench: Bench) -> None:
    bench.press("n")
    bench.press("enter")

    assert reason(bench.press("enter", bench.now + 0.4 - MOMENT)) is Reason.ENTER_AGAIN
    assert reason(bench.press("enter", bench.now + 0.4 - MOMENT)) is Reason.ENTER_AGAIN
    assert bench.accepts("enter", bench.now + 0.4 + MOMENT)


def test_text_between_two_enters_asks_again(bench: Bench) -> None:
    """Two commands typed one after the other send nothing."""
    bench.press("n")
    bench.press("p")
    bench.press("enter", bench.now + 1)
    bench.press("l", bench.now + 1)

    assert reason(bench.press("enter", bench.now + 1)) is Reason.ENTER_AGAIN


def test_an_editor_that_was_never_painted_was_opened_in_haste(bench: Bench) -> None:
    bench.guard.press("n", bench.now)

    assert reason(bench.press("enter", bench.now + 5)) is Reason.ENTER_AGAIN


def test_an_editor_opened_and_used_at_leisure_asks_nothing(bench: Bench) -> None:
    bench.press("n")
    bench.press("k", bench.now + 0.3 + MOMENT)

    assert bench.accepts("enter", bench.now + 0.3)


# Keys held down, and taps


@pytest.mark.parametrize("rate", [8, 12, 20, 30])
@pytest.mark.parametrize("delay", [0.2, 0.4, 0.66, 1.0])
def test_a_held_key_decides_once(delay: float, rate: int) -> None:
    """UT-03, with every phase between the keys and the frames, and a little jitter."""
    for phase in range(50):
        desk = Desk(frame=0.016 + phase / 50 / rate)
        desk.strike("y")
        desk.wait(delay)
        for repeat in range(3 * rate):
            desk.strike("y")
            desk.wait(1 / rate + (0.002 if repeat % 2 else -0.002))
        desk.wait(10.0)
        assert [held.refs[0].id for held in desk.sent] == ["a"]


@pytest.mark.parametrize("gap", [0.04, 0.07, 0.1, 0.13, 0.16])
def test_a_double_tap_decides_once(gap: float) -> None:
    for phase in range(50):
        desk = Desk(frame=0.001 + phase * 0.002)
        desk.strike_all("yy", gap)
        desk.wait(10.0)
        assert [held.refs[0].id for held in desk.sent] == ["a"]


@pytest.mark.parametrize("gap", [0.04, 0.07, 0.1, 0.13, 0.16])
def test_a_triple_tap_decides_at_most_once(gap: float) -> None:
    for phase in range(50):
        desk = Desk(frame=0.001 + phase * 0.002)
        desk.strike_all("yyy", gap)
        desk.wait(10.0)
        assert len(desk.sent) <= 1


@pytest.mark.parametrize("key", ["Y", "s", "n", "x"])
def test_no_other_held_key_decides_more(key: str) -> None:
    desk = Desk()
    desk.strike_all(key * 100, gap=1 / 30)
    desk.wait(10.0)

    assert len(desk.sent) <= (1 if key == "Y" else 0)


# Pastes


def test_a_paste_is_never_a_command(bench: Bench) -> None:
    """UT-05 with bracketed paste: the terminal reports one event."""
    reaction = bench.guard.paste(bench.now)

    assert reason(reaction) is Reason.TYPING
    assert reason(bench.press("y", bench.now + 0.1)) is Reason.TYPING
    assert bench.sent() == []


def test_a_paste_right_after_a_decision_takes_it_back(bench: Bench) -> None:
    bench.press("y")
    bench.pass_time(0.1)
    bench.guard.paste(bench.now)

    assert bench.sent() == []


def test_a_paste_into_an_editor_is_text(bench: Bench) -> None:
    bench.press("n")

    assert bench.guard.paste(bench.now + 1).verdict == EditorText()


@pytest.mark.parametrize("text", ["y\n" * 100, "y" * 100, "n\n" * 100, "Y\n" * 100, "s\ny\n" * 50, "yn" * 50])
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.005])
def test_a_paste_that_comes_as_keys_decides_nothing(text: str, gap: float) -> None:
    """UT-05 without bracketed paste."""
    desk = Desk()
    desk.strike_all(text, gap)
    desk.wait(10.0)

    assert desk.sent == []


def test_a_command_and_enter_in_the_wrong_window_rejects_nothing() -> None:
    desk = Desk()
    desk.strike_all("npm test\n", gap=0.12)
    desk.wait(10.0)

    assert desk.sent == []
