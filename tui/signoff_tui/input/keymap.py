"""The keys of a person: the table of actions, with some of them on other keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

from msgspec.structs import replace

from signoff_tui.guard import DECISION_KEYS, KeyMeanings
from signoff_tui.input.actions import ACTIONS, Action, Place

__all__ = ["MAPPABLE", "STANDARD", "KeyMap", "check_keys"]

_FIXED = frozenset({"back", "open", "run", "interrupt"})
"""Actions whose keys stay: without them a place would be a trap, or Enter would change its meaning."""

_OWN_KEYS: tuple[tuple[Place, ...], ...] = (("rules",), ("message",))
"""Places whose own actions have fixed keys."""

_RESERVED = frozenset({"escape", "enter", "return", "ctrl+j", "ctrl+m", "ctrl+c", "tab", "ctrl+i"})
"""Keys that mean the same everywhere."""

_TYPED: tuple[tuple[Place, ...], ...] = (("palette",), ("message",))
"""Places where words are typed."""

_NAMES = {" ": "Space", "pagedown": "PgDn", "pageup": "PgUp"}

MAPPABLE = tuple(
    name
    for name in dict.fromkeys(action.name for action in ACTIONS)
    if name not in _FIXED and any(action.places not in _OWN_KEYS for action in ACTIONS if action.name == name)
)
"""Names of the actions that can be put on other keys."""


@dataclass(frozen=True)
class KeyMap:
    """The action of each key, at each place.

    Attributes:
        moved: Other keys for some actions, by the action's name; their usual keys are free then.

    Raises:
        ValueError: A key cannot be used for an action, or would have two actions at one place.
    """

    moved: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse keys that could not work."""
        for name, keys in self.moved.items():
            check_keys(name, keys)
        for place in get_args(Place):
            _check_place(place, self.actions_on(place))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The table of actions with these keys."""
        return tuple(map(self._moved, ACTIONS))

    @cached_property
    def _by_key(self) -> Mapping[tuple[Place, str], Action]:
        return {(place, key): action for action in self.actions for place in action.places for key in action.keys}

    @cached_property
    def _shown_at(self) -> Mapping[Place, Mapping[str, str]]:
        return {
            place: {action.name: action.shown for action in reversed(self.actions_on(place))}
            for place in get_args(Place)
        }

    def action_of(self, key: str, place: Place) -> Action | None:
        """Return the action of a key at a place, or None."""
        return self._by_key.get((place, key))

    def actions_on(self, place: Place) -> tuple[Action, ...]:
        """Return all actions at a place, in the order of the table."""
        return tuple(action for action in self.actions if place in action.places)

    def key(self, name: str) -> str:
        """The first key of an action of the review, as the guard names it."""
        return next(action.keys[0] for action in self.actions_on("review") if action.name == name)

    def names_of_keys(self, name: str) -> tuple[str, ...]:
        """All keys of an action, as a settings file names them."""
        found = [key for action in self.actions if action.name == name for key in action.keys]
        return tuple(dict.fromkeys("space" if key == " " else key for key in found))

    def shown(self, *names: str, place: Place = "review") -> str:
        """The first keys of actions of a place, as people read them."""
        found = self._shown_at[place]
        return "/".join(found[name] for name in names)

    def filled_in(self, words: str, place: Place = "review") -> str:
        """Words for people in which the name of an action in braces stands for its first key at a place."""
        return words.format_map(self._shown_at[place])

    def guard_keys(self, place: Place = "review") -> KeyMeanings:
        """Return the keys of a place for a guard; keys that change something at once stand for themselves."""
        actions = self.actions_on(place)
        return KeyMeanings(
            rapid=frozenset(key for action in actions if action.rapid for key in action.keys),
            bound=frozenset(key for action in actions for key in action.keys),
            decides={
                key: _DECISIONS.get(action.name, key)
                for action in actions
                if action.decides or action.changes
                for key in action.keys
            },
        )

    def _moved(self, action: Action) -> Action:
        keys = self.moved.get(action.name)
        # Where words are typed, letters are words.
        if keys is None or action.places in _TYPED:
            return action
        return replace(action, keys=keys, shown=_shown(keys[0]))


_DECISIONS = {action.name: action.keys[0] for action in ACTIONS if action.decides}
assert frozenset(_DECISIONS.values()) == DECISION_KEYS


def check_keys(name: str, keys: tuple[str, ...]) -> None:
    """Make sure that an action can be on some keys at all.

    Args:
        name: The action.
        keys: The keys.

    Raises:
        ValueError: A key cannot be used; the message says why.
    """
    if name not in MAPPABLE:
        raise ValueError(f'the keys of "{name}" cannot be changed')
    if not keys:
        raise ValueError(f'"{name}" needs a key')
    for key in keys:
        if key in _RESERVED:
            raise ValueError(f'"{name}" cannot be on {_shown(key)}: that means the same everywhere')
        if name in _DECISIONS and not (len(key) == 1 and key.isprintable() and key != " "):
            raise ValueError(
                f'"{name}" decides, so its key must be one character that is no blank, not {_shown(key)}'
            )


def _check_place(place: Place, actions: tuple[Action, ...]) -> None:
    taken: dict[str, Action] = {}
    for action in actions:
        for key in action.keys:
            other = taken.setdefault(key, action)
            if other is not action:
                raise ValueError(f'{_shown(key)} would be both "{other.name}" and "{action.name}" in the {place}')


def _shown(key: str) -> str:
    if len(key) == 1 and key != " ":
        return key
    return _NAMES.get(key) or "+".join(part.capitalize() for part in key.split("+"))


STANDARD = KeyMap()
"""The keys of the table, for a person who has moved none."""
