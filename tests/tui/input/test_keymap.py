"""A person's own keys: what they do, what is refused, and that every screen says the same."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screen_bench import LARGE, command, post, screen

from signoff.queue import AgentQueue, RequestState, ReviewQueue
from signoff.settings_yaml import ConfigError
from signoff_tui.guard import DECISION_KEYS
from signoff_tui.input.actions import ACTIONS, Place, action_of
from signoff_tui.input.keymap import MAPPABLE, KeyMap
from signoff_tui.settings import parse_settings
from signoff_tui.settings.resolve import ResolvedSettings

PLACES: tuple[Place, ...] = get_args(Place)
KEYS = st.sampled_from([*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?;:,.", "f5", "ctrl+y", " "])


def name_at(keys: KeyMap, key: str, place: Place = "review") -> str | None:
    action = keys.action_of(key, place)
    return None if action is None else action.name


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_settings(f"keys: {{map: {text}}}", "s")
    return str(caught.value)


# -- the map -------------------------------------------------------------------------------------------------


def test_without_a_map_every_key_is_that_of_the_table() -> None:
    keys = KeyMap()
    assert keys.actions == ACTIONS
    assert all(keys.action_of(key, place) == action_of(key, place) for key in "yjhq?" for place in PLACES)


def test_the_guard_knows_which_keys_revoke_and_trust() -> None:
    assert set(KeyMap().guard_keys("rules").decides) == {"x", "!"}
    assert set(KeyMap().guard_keys("rules").decides) == {"x", "!"}


def test_what_is_moved_is_on_its_new_key_and_not_on_the_old_one() -> None:
    keys = KeyMap({"later": ("Z", "f5")})
    assert (name_at(keys, "Z"), name_at(keys, "f5"), name_at(keys, "z")) == ("later", "later", None)
    assert keys.shown("later") == "Z"


def test_the_guard_knows_which_keys_decide_now() -> None:
    known = KeyMap({"approve": ("A",)}).guard_keys()
    assert known.decides["A"] == "y"
    assert "y" not in known.decides
    assert "y" not in known.bound


def test_two_keys_can_change_places() -> None:
    keys = KeyMap({"approve": ("n",), "reject": ("y",)})
    assert (name_at(keys, "n"), name_at(keys, "y")) == ("approve", "reject")


def test_letters_stay_words_where_words_are_typed() -> None:
    assert name_at(KeyMap({"down": ("Q",), "up": ("P",)}), "Q", "palette") is None


@given(st.dictionaries(st.sampled_from(MAPPABLE), st.lists(KEYS, min_size=1, max_size=2).map(tuple), max_size=4))
def test_a_map_that_is_accepted_is_no_trap_and_decides_by_characters_only(
    moved: dict[str, tuple[str, ...]],
) -> None:
    try:
        keys = KeyMap(moved)
    except ValueError:
        return
    assert all(keys.action_of("escape", place) for place in PLACES)
    assert {name_at(keys, "enter")} == {"open"}
    known = keys.guard_keys()
    assert {*known.decides.values()} == DECISION_KEYS
    assert all(len(key) == 1 and key != " " for key in known.decides)
    assert not known.rapid & {*known.decides}


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{approve: u}", 'u would be both "approve" and "undo" in the review'),
        ("{later: j}", 'j would be both "later" and "down" in the review'),
        ("{approv: a}", '"approv" is no key that is known here; did you mean "approve"?'),
        ("{approve: enter}", '"approve" cannot be on Enter: that means the same everywhere'),
        ("{approve: space}", "its key must be one character that is no blank, not Space"),
        ("{approve: f5}", "its key must be one character that is no blank, not F5"),
        ("{later: []}", '"later" needs a key'),
        ("{back: b}", '"back" is no key that is known here'),
        ("[a]", "must hold names of actions with keys, such as approve: A, not a list"),
    ],
)
def test_what_could_not_work_is_refused_with_both_names(text: str, problem: str) -> None:
    assert refused(text).startswith("s:1:8: keys.map: ")
    assert problem in refused(text)


# -- on the screen -------------------------------------------------------------------------------------------


async def test_the_new_key_decides_and_the_old_one_does_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    chosen = ResolvedSettings(keys=KeyMap({"approve": ("A",)}))
    async with screen(place, size=LARGE, waiting=1, chosen=chosen) as seen:
        await seen.reads(request)
        await seen.shows(" A approve")
        assert "y approve" not in seen.text
        await seen.press("y")
        await seen.armed()
        assert looking.get(request.id).pending
        await seen.press("A")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")


async def test_the_help_and_the_palette_say_the_new_key(place: Path) -> None:
    async with screen(place, chosen=ResolvedSettings(keys=KeyMap({"history": ("Z",), "approve": ("A",)}))) as seen:
        await seen.press("question_mark")
        await seen.shows(" A      approve")
        await seen.press("escape", "colon")
        await seen.types("history")
        await seen.shows("Z        history")


@pytest.mark.parametrize(
    ("pressed", "said"),
    [
        ("C", "C copies what a request holds: go to one"),
        ("I", "I shows ids and hashes of a request: go to one"),
        ("ctrl+c", "Q quits; Ctrl+C decides nothing"),
    ],
)
async def test_what_the_screen_says_of_keys_names_the_new_ones(place: Path, pressed: str, said: str) -> None:
    chosen = ResolvedSettings(keys=KeyMap({"copy": ("C",), "details": ("I",), "quit": ("Q",)}))
    async with screen(place, chosen=chosen) as seen:
        await seen.press(pressed)
        await seen.shows(said)


async def test_a_sheet_is_confirmed_by_the_key_that_approves(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, danger = (post(asking, command(text, workdir, group_id="build")) for text in ("ls", "rm -rf build"))
    chosen = ResolvedSettings(keys=KeyMap({"approve": ("A",)}))
    async with screen(place, size=LARGE, waiting=2, chosen=chosen) as seen:
        await seen.reads(first)
        await seen.group_armed()
        await seen.press("Y")
        await seen.shows("Approve exactly: ls", " A approve this 1")
        await seen.sheet_armed()
        await seen.press("A")
        await seen.until(lambda: looking.get(first.id).state is RequestState.APPROVED, "the approval")
        assert looking.get(danger.id).pending
