"""Deciding told from typing, held keys and keys pressed without looking; the leader key."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from signoff_tui.guard.settings import GuardSettings

__all__ = [
    "DECISION_KEYS",
    "ENTER_KEYS",
    "KeyWatch",
    "Keys",
    "Leading",
    "Seen",
    "is_typed",
]


DECISION_KEYS = frozenset("yYnNsSxX!")
"""The letters of the decisions; a key map may put them on other keys."""

ENTER_KEYS = frozenset({"enter", "return", "ctrl+j", "ctrl+m"})
"""Names under which terminals report the end of a typed or pasted line."""

MEMORY = 3.0
"""Seconds that typed keys are remembered for the text on the bar."""


class Keys(Struct, frozen=True):
    """The meaning of keys on the screens, by the name that `press` takes.

    Attributes:
        navigation: Keys that only move, page or take back, and `t`: no sign of typing.
        bound: All keys that do something. A printable key that is not among them is typing.
        decides: From key to the decision it stands for, one of `DECISION_KEYS`.
        leader: The key that has to come right before one that decides; empty if single keys decide. It is bound,
            and no sign of typing.
    """

    navigation: frozenset[str]
    bound: frozenset[str]
    decides: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({key: key for key in DECISION_KEYS})
    )
    leader: str = ""


def is_typed(key: str) -> bool:
    """True if a key writes a character; Alt with a letter counts, as Esc and a letter do."""
    return (len(key) == 1 and key.isprintable()) or (len(key) == 5 and key.startswith("alt+"))


class Seen(Struct, frozen=True):
    """The facts about one key in the light of those before it.

    Attributes:
        typing_since: Time of the first key of the typing that this key completes.
        repeating_since: Time of the first of a run of equal keys that nobody can press so
            fast: the key is held down.
        quiet: Seconds since any other key.
    """

    typing_since: float | None
    repeating_since: float | None
    quiet: float


class _Stroke(Struct, frozen=True):
    key: str
    t: float
    counts: bool = False


class KeyWatch:
    """Sees every key outside text boxes, with the time of its press."""

    def __init__(self, settings: GuardSettings, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys
        self._strokes: deque[_Stroke] = deque()
        self._last: _Stroke | None = None
        self._other_at = -math.inf
        self._run_start = -math.inf
        self._run_length = 0
        self._decision: _Stroke | None = None

    def press(
        self, key: str, t: float, awaited: frozenset[str] = frozenset(), led_since: float | None = None
    ) -> Seen:
        """Take note of a key and say what it tells.

        Args:
            key: As `press` of the guard takes it.
            t: The time of the press.
            awaited: Keys that an open sheet or bar asks for. Pressing them twice is impatience.
            led_since: Time when its leader was pressed, if right before: the two are one act, so that what
                was silent before the leader was silent before the key.
        """
        self._follow_run(key, t, led=led_since is not None)
        counts = is_typed(key) and key not in self._keys.navigation and key not in awaited
        if is_typed(key):
            self._strokes.append(_Stroke(key, t, counts))
        while self._strokes and t - self._strokes[0].t > MEMORY:
            self._strokes.popleft()
        return Seen(
            typing_since=self._typing_since(key, t) if counts and self._settings.typing_lock else None,
            repeating_since=self._run_start if self._run_length >= 3 else None,
            quiet=(t if led_since is None else led_since) - self._other_at,
        )

    def decided(self, key: str, t: float) -> None:
        """The key at `t` was taken as a decision."""
        self._decision = _Stroke(key, t)

    def typed_since(self, t: float) -> str:
        """The text typed from `t` on."""
        return "".join(stroke.key[-1] for stroke in self._strokes if stroke.t >= t)

    def obeyed_since(self, t: float) -> tuple[str, ...]:
        """Keys from `t` on, before the last one, that the screen was told to handle itself."""
        strokes = tuple(self._strokes)[:-1]
        return tuple(stroke.key for stroke in strokes if stroke.t >= t and stroke.key not in self._keys.decides)

    def _follow_run(self, key: str, t: float, *, led: bool = False) -> None:
        last = self._last
        self._last = _Stroke(key, t)
        if last is not None and last.key != key and not led:
            self._other_at = last.t
        if last is not None and last.key == key and t - last.t < self._settings.autorepeat:
            self._run_length += 1
        else:
            self._run_start = t
            self._run_length = 1

    def _typing_since(self, key: str, t: float) -> float | None:
        start = t - self._settings.burst_window
        window = [stroke for stroke in self._strokes if stroke.counts and stroke.t >= start]
        if (
            len(window) >= self._settings.burst_keys
            and len({stroke.key for stroke in window}) > 1
            and any(self._tells(stroke.key) for stroke in window)
        ):
            return window[0].t
        return self._goes_on_after_decision(key, t)

    def _goes_on_after_decision(self, key: str, t: float) -> float | None:
        """The first two letters of a word, of which the first was taken as a decision."""
        first = self._decision
        if first is None or first.key == key or t - first.t >= self._settings.quiet_before:
            return None
        return first.t

    def _tells(self, key: str) -> bool:
        return key in self._keys.decides or key not in self._keys.bound


# -- The key that has to come before a key that decides, for who cannot have single characters decide.
#
# Somebody who dictates, or whose hand trembles, hits single keys by accident. With a leader no single key
# decides: the leader and the key after it are one act. Nothing but the next key ends the waiting for it, no time
# does; so the act counts from the leader on: what changed on the screen after it was pressed was not what it was
# pressed for.


class Leading:
    """Sees every key outside text boxes.

    Args:
        leader: The key, or empty if there is none and single keys decide.
    """

    def __init__(self, leader: str) -> None:
        self._leader = leader
        self._at: float | None = None

    def press(self, key: str, t: float) -> float | None:
        """Take note of a key.

        Args:
            key: As the guard takes it.
            t: The time of the press.

        Returns:
            The time of the leader, if right before this key; None without one, or if this is the leader.
        """
        before, self._at = self._at, t if self.is_leader(key) else None
        return None if self.is_leader(key) else before

    def is_leader(self, key: str) -> bool:
        """True if a key is the leader."""
        return bool(self._leader) and key == self._leader

    def forget(self) -> None:
        """Something came between: what follows is not led any more."""
        self._at = None

    def lacks(self, led_since: float | None) -> bool:
        """True if a key that decides came without its leader.

        Args:
            led_since: Result of `press`.
        """
        return bool(self._leader) and led_since is None

    @property
    def waits(self) -> str:
        """The hint after the leader was pressed."""
        return f"{self._leader} is pressed: now the key that decides"

    def asks_for(self, key: str) -> str:
        """The hint after a key that came without its leader."""
        return f"{key} alone does nothing: press {self._leader}, then {key}"
