"""Telling a key that was meant from one that came with others.

Nothing on the screens that lie over the review approves a request. Revoking is the safe direction, so it is not
held and asked again; but a word typed into the wrong window should not empty the list, nor trust a file. A key
acts only when it was pressed after its row or bar was painted, and after a pause: of a word, at most the first
letter can do anything, so it revokes one remembered approval at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from signoff_tui.guard import GuardSettings, Keys
from signoff_tui.guard.typing import KeyWatch, Leading
from signoff_tui.input.actions import Place
from signoff_tui.input.keymap import KeyMap

__all__ = ["Calm"]


class Calm:
    """Sees every key of the screen.

    Args:
        settings: Times of the decision guard.
        keys: The keys of the person.
        place: The screen.
        changing: Keys that change something there.
    """

    def __init__(self, settings: GuardSettings, keys: KeyMap, place: Place, changing: Iterable[str]) -> None:
        self._settings = settings
        self._watch = KeyWatch(settings, _meanings(keys, place, changing))
        self._leading = Leading(keys.leading)
        self._quiet_from = -math.inf
        self._pressed_at = self._since = -math.inf
        self._key = ""
        self._lacks_leader = False
        self._calm = False
        self._shown_at: dict[str, float] = {}

    def press(self, key: str, at: float, now: float) -> None:
        """Take note of a key.

        Args:
            key: The character, or the name of a key that prints none.
            at: When it was pressed, monotonic seconds.
            now: When the program got it.
        """
        led_since = self._leading.press(key, at)
        seen = self._watch.press(key, at, led_since=led_since)
        self._key, self._lacks_leader = key, self._leading.lacks(led_since)
        if seen.typing_since is not None:
            self._quiet_from = at + self._settings.burst_quiet
        self._calm = (
            at >= self._quiet_from
            and seen.repeating_since is None
            and seen.quiet >= self._settings.quiet_before
            and now - at <= self._settings.late
        )
        if at < self._quiet_from:
            self._quiet_from = max(self._quiet_from, at + self._settings.burst_quiet)
        self._pressed_at = at
        self._since = at if led_since is None else led_since

    def painted(self, what: str, at: float) -> None:
        """What a key acts on is on the screen since this time; it counts from the first paint on."""
        self._shown_at.setdefault(what, at)

    def gone(self, what: str) -> None:
        """It is not on the screen any more."""
        self._shown_at.pop(what, None)

    def forget_all(self) -> None:
        """Nothing counts as painted: the program stood still, and the screen was somebody else's."""
        self._shown_at.clear()

    def armed_at(self, what: str, delay: float) -> float:
        """From when on keys may act on what was painted; never, if it was not."""
        return self._shown_at.get(what, math.inf) + delay + self._settings.link_delay

    def meant(self, what: str, delay: float) -> bool:
        """Whether the last key was meant, and for what has been on the screen for so long.

        Args:
            what: As for `painted`.
            delay: Seconds from the paint on.
        """
        return self._calm and not self._lacks_leader and self._since >= self.armed_at(what, delay)

    @property
    def leader_waits(self) -> str:
        """What is said if the last key was the leader; else nothing."""
        return self._leading.waits if self._leading.is_leader(self._key) else ""

    @property
    def leader_lacks(self) -> str:
        """What is said if the last key came without the leader that it needs; else nothing."""
        return self._leading.asks_for(self._key) if self._lacks_leader else ""

    def acted(self, key: str) -> None:
        """The last key did something: what follows it at once makes it the first letter of a word."""
        self._watch.decided(key, self._pressed_at)


def _meanings(keys: KeyMap, place: Place, changing: Iterable[str]) -> Keys:
    """What the keys of a screen mean to whoever tells typing from pressing."""
    actions = keys.actions_on(place)
    leader = frozenset({keys.leading} - {""})
    return Keys(
        navigation=leader | frozenset(key for action in actions if action.moves for key in action.keys),
        bound=leader | frozenset(key for action in actions for key in action.keys),
        decides={key: key for key in changing},
    )
