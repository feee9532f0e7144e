"""A person's own keys: what they do, what is refused, and that every screen says the same."""

from __future__ import annotations

import time
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screen_bench import LARGE, command, post, screen

from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue
from signoff.settings_yaml import ConfigError
from signoff_tui.guard import DECISION_KEYS, Cause
from signoff_tui.input.actions import ACTIONS, Place, action_of
from signoff_tui.input.keymap import MAPPABLE, KeyMap
from signoff_tui.screens.help.screen import key_lines
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
    assert set(KeyMap().guard_keys("memory").decides) == {"x", "R", "!"}
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
    assert not known.navigation & {*known.decides}


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


# -- leader and profile --------------------------------------------------------------------------------------

LED = KeyMap(single=False)


def test_a_leader_is_shown_before_each_key_that_decides_or_changes_something_and_before_no_other() -> None:
    assert (LED.shown("approve"), LED.shown("stop"), LED.shown("despite")) == (",y", ",x", ",!")
    assert (LED.shown("revoke", place="memory"), LED.shown("confirm", place="rules")) == (",x", ",!")
    assert (LED.shown("later"), LED.shown("history"), LED.shown("widen", place="memory")) == ("z", "h", "w")
    assert KeyMap(single=False, leader="`", moved={"approve": ("A",)}).shown("approve") == "`A"


def test_the_guard_knows_the_leader_as_a_key_that_is_no_sign_of_typing() -> None:
    known = LED.guard_keys()
    assert (known.leader, {","} <= known.navigation & known.bound) == (",", True)
    assert "," not in KeyMap().guard_keys().bound


def test_arrows_have_no_letters_for_moving() -> None:
    keys = KeyMap(profile="arrows")
    for place in PLACES:
        moving = [action for action in keys.actions_on(place) if action.name in {"down", "up", "first", "last"}]
        assert all(len(key) > 1 for action in moving for key in action.keys)
    assert [name_at(keys, key) for key in ("j", "k", "J", "K", "g", "G")] == [None] * 6
    assert [name_at(keys, key) for key in ("shift+down", "home", "down")] == ["next_request", "first", "down"]
    assert name_at(KeyMap({"down": ("Q",)}, profile="arrows"), "Q") == "down"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{single: off, leader: ;}", 's:1:21: keys.leader: ; cannot be the leader: it is "tagged" in the review'),
        ("{leader: y}", 'keys.leader: y cannot be the leader: it is "approve" in the review'),
        ("{leader: R}", 'keys.leader: R cannot be the leader: it is "revoke_all" in the memory'),
        ("{leader: f9}", "keys.leader: the leader must be one character that is no blank, not F9"),
        ("{leader: space}", "keys.leader: the leader must be one character that is no blank, not Space"),
        ('{single: off, map: {tag: ","}}', 'keys.single: , cannot be the leader: it is "tag" in the review'),
        ("{single: maybe}", "keys.single: must be on or off"),
        ("{profile: emacs}", "keys.profile: must be default or arrows"),
        ("{profile: arrows, map: {later: home}}", 'keys.map: Home would be both "'),
    ],
)
def test_leaders_and_profiles_that_could_not_work_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(f"keys: {text}", "s")
    assert problem in str(caught.value)


def test_letters_that_the_profile_frees_can_be_used_for_something_else() -> None:
    settings = parse_settings("keys: {map: {later: j}, profile: arrows, single: off, leader: '`'}")
    keys = settings.keys.key_map
    assert (name_at(keys, "j"), keys.leading, keys.profile) == ("later", "`", "arrows")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_help_shows_the_leader_and_keys_of_any_length(width: int) -> None:
    keys = KeyMap(single=False, profile="arrows")
    rows = key_lines("review", width, keys)
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in rows)
    for shown in (" ,y ", " ,! ", " Shift+Down ", " Home "):
        assert shown in text


# -- on the screen -------------------------------------------------------------------------------------------


async def test_the_new_key_decides_and_the_old_one_does_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    chosen = ResolvedSettings(keys=KeyMap({"approve": ("A",)}))
    async with screen(place, size=LARGE, waiting=1, chosen=chosen) as seen:
        await seen.reads(request)
        await seen.shows("[A] approve")
        assert "[y]" not in seen.text
        await seen.press("y")
        await seen.armed()
        assert looking.get(request.id).pending
        await seen.press("A")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")


async def test_the_help_and_the_palette_say_the_new_key(place: Path) -> None:
    async with screen(place, chosen=ResolvedSettings(keys=KeyMap({"history": ("Z",), "approve": ("A",)}))) as seen:
        await seen.press("question_mark")
        await seen.shows(" A      approve this request, once")
        await seen.press("escape", "colon")
        await seen.types("history")
        await seen.shows("Z        history")


async def test_a_sheet_is_confirmed_by_the_key_that_approves(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    chosen = ResolvedSettings(keys=KeyMap({"approve": ("A",)}))
    async with screen(place, size=LARGE, waiting=1, chosen=chosen) as seen:
        await seen.reads(request)
        await seen.press("s")
        await seen.shows("[A] yes, remember")
        await seen.sheet_armed()
        await seen.press("A")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")


async def test_with_a_leader_no_single_key_decides_and_the_bar_says_which_keys_do(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command(text, workdir)) for text in ("ls one", "ls two"))
    async with screen(place, size=LARGE, waiting=2, chosen=ResolvedSettings(keys=LED)) as seen:
        await seen.reads(first)
        await seen.shows("[,y] approve", "[,n] reject", "[,x] stop", "[,s] session")
        await seen.armed()
        await seen.press("y")
        await seen.shows("y alone does nothing: press ,, then y")
        await seen.press("comma")
        await seen.shows(", is pressed: now the key that decides")
        await seen.press("j", "k", "y")  # any other key ended it
        await seen.shows("y alone does nothing")
        assert looking.get(first.id).pending
        await seen.armed()
        await seen.press("comma", "s")
        await seen.shows("[,y] yes, remember")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.shows("y alone does nothing")
        await seen.press("comma", "y")
        await seen.until(lambda: looking.get(first.id).state is RequestState.APPROVED, "the approval")
        await seen.reads(second)
        await seen.armed()
        await seen.press("comma", "n")
        await seen.types("y, no, y")
        await seen.press("enter")
        await seen.until(lambda: looking.get(second.id).state is RequestState.REJECTED, "the rejection")
        decision = looking.get(second.id).decision
        assert decision is not None
        assert decision.note == "y, no, y"
        await seen.press("question_mark")
        await seen.shows(" ,y     approve this request, once")


async def test_with_a_leader_nothing_is_revoked_by_a_single_key(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    posted = post(asking, command("ls", workdir))
    looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=True, remember=True, shown=1.0))
    async with screen(place, size=LARGE, chosen=ResolvedSettings(keys=LED)) as seen:
        await seen.press("4")
        await seen.shows("1 active", "[,x] revoke at once", "[,R] revoke all", "[w] widen")
        deliberate = seen.app.screen._asking.deliberate  # type: ignore[attr-defined]
        await seen.until(lambda: deliberate.armed_at("list", Cause.MOVED) < time.monotonic())
        await seen.press("x")
        await seen.shows("x alone does nothing: press ,, then x")
        assert looking.grants()
        await seen.press("comma")
        await seen.shows(", is pressed")
        await seen.press("x")
        await seen.shows("#1 revoked")
    assert not looking.grants()
