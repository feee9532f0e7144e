"""The one table of keys: nothing in it is dead, nothing works that is not in it."""

from __future__ import annotations

from collections import Counter
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
from signoff_tui.screens.memory.screen import MemoryScreen
from signoff_tui.screens.palette.commands import commands_on
from signoff_tui.screens.palette.screen import PaletteScreen
from signoff_tui.screens.review.navigating import Navigating
from signoff_tui.screens.review.writing_keys import WritingKeys
from signoff_tui.screens.rules.screen import RulesScreen
from signoff_tui.screens.themes.screen import ThemesScreen

HANDLERS: dict[Place, type] = {
    "review": Navigating,
    "history": HistoryScreen,
    "memory": MemoryScreen,
    "agents": AgentsScreen,
    "rules": RulesScreen,
    "help": HelpScreen,
    "palette": PaletteScreen,
    "details": DetailsScreen,
    "themes": ThemesScreen,
    "message": WritingKeys,
}
"""Who does what the table says, for each place."""

PLACES: tuple[Place, ...] = get_args(Place)
EVERY = [
    pytest.param(place, action, id=f"{place}-{action.name}") for place in PLACES for action in actions_on(place)
]


def parts_of(handler: type) -> list[type]:
    """The classes of one screen alone; what several have in common is not used by all of them."""
    folder = handler.__module__.rpartition(".")[0]
    return [part for part in handler.__mro__ if part.__module__.rpartition(".")[0] == folder]


def test_every_place_has_a_handler() -> None:
    assert set(HANDLERS) == set(PLACES)


@pytest.mark.parametrize(("place", "action"), EVERY)
def test_every_action_is_a_decision_of_the_guard_or_has_a_handler(place: Place, action: Action) -> None:
    if action.decides:
        assert {*action.keys} <= DECISION_KEYS
    else:
        assert callable(getattr(HANDLERS[place], f"do_{action.name}"))


@pytest.mark.parametrize("place", PLACES)
def test_every_handler_has_a_key(place: Place) -> None:
    names = [name for part in parts_of(HANDLERS[place]) for name in vars(part)]
    own = {name.removeprefix("do_") for name in names if name.startswith("do_")}
    assert own <= {action.name for action in actions_on(place)}


def test_decisions_are_made_in_the_review_only() -> None:
    assert {action.places for action in ACTIONS if action.decides} == {("review",)}


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


def test_the_guard_knows_which_keys_only_move() -> None:
    keys = KeyMap().guard_keys()
    assert {"j", "u", " "} <= keys.navigation
    assert not keys.navigation & DECISION_KEYS
    assert keys.navigation <= keys.bound


@pytest.mark.parametrize(("place", "width"), [*product(PLACES, [40, 80, 120])])
def test_the_help_of_a_place_lists_every_key_with_what_it_does(place: Place, width: int) -> None:
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in key_lines(place, width))
    for action in actions_on(place):
        assert action.words in text
        assert f" {action.shown} " in text


def test_the_help_of_a_place_lists_no_dead_key() -> None:
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in key_lines("history", 80))
    dead = [action.words for action in actions_on("review") if "history" not in action.places]
    assert [words for words in dead if words in text] == []
