"""The one table of keys: nothing in it is dead, nothing works that is not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import product
from typing import get_args

import pytest

from signoff_tui.guard import DECISION_KEYS
from signoff_tui.input.actions import (
    ACTIONS,
    Action,
    Place,
    action_of,
    actions_on,
)
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.agents.screen import AgentsScreen
from signoff_tui.screens.details.screen import DetailsScreen
from signoff_tui.screens.help.screen import HelpScreen, key_lines
from signoff_tui.screens.history.screen import HistoryScreen
from signoff_tui.screens.list_beside_details import LIST_HANDLERS
from signoff_tui.screens.palette.commands import commands_on
from signoff_tui.screens.palette.screen import PaletteScreen
from signoff_tui.screens.plain import PlainScreen
from signoff_tui.screens.review import actions as review_actions
from signoff_tui.screens.review import writing
from signoff_tui.screens.rules.screen import RulesScreen
from signoff_tui.screens.scrolling import SCROLLING_HANDLERS
from signoff_tui.screens.themes.screen import ThemesScreen

SCREENS: dict[Place, type[PlainScreen]] = {
    "history": HistoryScreen,
    "agents": AgentsScreen,
    "rules": RulesScreen,
    "help": HelpScreen,
    "palette": PaletteScreen,
    "details": DetailsScreen,
    "themes": ThemesScreen,
}
"""The screens over the review, each with a registry of its own."""

COMMON = {*LIST_HANDLERS, *SCROLLING_HANDLERS}
"""What several screens have in common, and not all of them have a key for."""

REGISTRIES: dict[Place, Collection[str]] = {
    "review": {*review_actions._HANDLERS},
    "message": {*writing._HANDLERS, "new_line"},  # a new line is text
}
"""The names of what is done where there is no screen of its own."""

PLACES: tuple[Place, ...] = get_args(Place)
EVERY = [
    pytest.param(place, action, id=f"{place}-{action.name}") for place in PLACES for action in actions_on(place)
]


def handled_at(place: Place) -> set[str]:
    """The names of all actions that something is done for."""
    if place in REGISTRIES:
        return {*REGISTRIES[place]}
    return {*SCREENS[place].handlers}


def test_every_place_has_handlers() -> None:
    assert SCREENS.keys() | REGISTRIES.keys() == set(PLACES)


@pytest.mark.parametrize(("place", "action"), EVERY)
def test_every_action_is_a_decision_of_the_guard_or_has_a_handler(place: Place, action: Action) -> None:
    if action.decides:
        assert {*action.keys} <= DECISION_KEYS
    else:
        assert action.name in handled_at(place)


@pytest.mark.parametrize("place", PLACES)
def test_every_handler_has_an_action(place: Place) -> None:
    assert handled_at(place) - COMMON <= {action.name for action in actions_on(place)}


def test_decisions_are_made_in_the_inbox_and_agents_are_stopped_in_their_list() -> None:
    places = {(action.name, place) for action in ACTIONS if action.decides for place in action.places}
    assert {place for _, place in places} == {"review", "agents"}
    assert {name for name, place in places if place == "agents"} == {"stop", "despite"}


def test_every_decision_key_is_in_the_table() -> None:
    assert {key for action in ACTIONS if action.decides for key in action.keys} == DECISION_KEYS


@pytest.mark.parametrize("place", PLACES)
def test_no_key_does_two_things_at_one_place(place: Place) -> None:
    counts = Counter(key for action in actions_on(place) for key in action.keys)
    assert [key for key, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("place", PLACES)
def test_no_place_is_a_trap(place: Place) -> None:
    assert action_of("escape", place)


@pytest.mark.parametrize("place", [place for place in PLACES if action_of(":", place)])
def test_the_palette_of_a_place_offers_all_that_can_be_done_there(place: Place) -> None:
    offered = {command.action.name for command in commands_on(place, ()) if command.action is not None}
    assert offered == {action.name for action in actions_on(place)} - {"palette"}


@pytest.mark.parametrize("place", ["review", "history"])
def test_the_palette_can_be_opened_wherever_there_is_a_choice(place: Place) -> None:
    assert action_of(":", place)


def test_enter_and_space_decide_nothing() -> None:
    for key in ("enter", " ", "escape", "ctrl+c"):
        action = action_of(key, "review")
        assert action is not None
        assert not action.decides


def test_a_key_that_is_not_in_the_table_does_nothing() -> None:
    assert action_of("ctrl+y", "review") is None


def test_only_keys_pressed_in_quick_succession_are_no_sign_of_typing() -> None:
    """Each letter more is one that words for another window lose."""
    keys = KeyMap().guard_keys()
    assert {key for key in keys.rapid if len(key) == 1} == {*"jkJKgGbtu][}{<> "}
    assert not keys.rapid & DECISION_KEYS
    assert keys.rapid <= keys.bound


@pytest.mark.parametrize(("place", "width"), [*product(PLACES, [40, 80, 120])])
def test_the_help_of_a_place_lists_every_key_with_what_it_does(place: Place, width: int) -> None:
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in key_lines(place, width))
    for action in actions_on(place):
        assert (action.words in text) is bool(action.keys)
        assert f" {action.shown} " in text or not action.keys


def test_the_help_of_a_place_lists_no_dead_key() -> None:
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in key_lines("history", 80))
    dead = [action.words for action in actions_on("review") if "history" not in action.places]
    assert [words for words in dead if f" {words}\n" in f"{text}\n"] == []
