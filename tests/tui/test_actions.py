"""The one table of keys: nothing in it is dead, nothing works that is not in it."""

from __future__ import annotations

from collections import Counter

import pytest

from signoff_tui.actions import ACTIONS, Action, action_of, guard_keys
from signoff_tui.guard import DECISION_KEYS
from signoff_tui.screens.help.screen import key_lines
from signoff_tui.screens.review.navigating import Navigating


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_every_action_is_a_decision_of_the_guard_or_has_a_handler(action: Action) -> None:
    if action.decides:
        assert {*action.keys} <= DECISION_KEYS
    else:
        assert callable(getattr(Navigating, f"do_{action.name}"))


def test_every_handler_has_a_key() -> None:
    handlers = {name.removeprefix("do_") for name in vars(Navigating) if name.startswith("do_")}
    assert handlers == {action.name for action in ACTIONS if not action.decides}


def test_every_decision_key_is_in_the_table() -> None:
    assert {key for action in ACTIONS if action.decides for key in action.keys} == DECISION_KEYS


def test_no_key_does_two_things() -> None:
    counts = Counter(key for action in ACTIONS for key in action.keys)
    assert [key for key, count in counts.items() if count > 1] == []


def test_names_are_unique() -> None:
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


def test_enter_and_space_decide_nothing() -> None:
    for key in ("enter", " ", "escape", "ctrl+c"):
        action = action_of(key)
        assert action is not None
        assert not action.decides


def test_a_key_that_is_not_in_the_table_does_nothing() -> None:
    assert action_of("w") is None


def test_the_guard_knows_which_keys_only_move() -> None:
    keys = guard_keys()
    assert {"j", "u", " "} <= keys.navigation
    assert not keys.navigation & DECISION_KEYS
    assert keys.navigation <= keys.bound


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_help_lists_every_key_with_what_it_does(width: int) -> None:
    text = "\n".join("".join(piece.text.text for piece in line.left) for line in key_lines(width))
    for action in ACTIONS:
        assert action.words in text
        assert f" {action.shown} " in text
