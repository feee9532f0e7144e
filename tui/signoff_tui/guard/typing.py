"""Deciding told from typing, held keys and keys pressed without looking."""

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
    "KeyMeanings",
    "KeyWatch",
    "Seen",
    "is_typed",
]


DECISION_KEYS = frozenset("yYnNsx!")
"""The letters of the decisions; a key map may put them on other keys."""

ENTER_KEYS = frozenset({"enter", "return", "ctrl+j", "ctrl+m"})
"""Names under which terminals report the end of a typed or pasted line."""

MEMORY = 3.0
"""Seconds that typed keys are remembered for the text on the bar."""


class KeyMeanings(Struct, frozen=True):
    """The meaning of keys on the screens, by the name that `press` takes.

    Attributes:
        rapid: Keys that move, page, tag or take back, and follow each other fast: no sign of typing.
        bound: All keys that do something. A printable key that is not among them is typing.
        decides: From key to the decision it stands for, one of `DECISION_KEYS`.
    """

    rapid: frozenset[str]
    bound: frozenset[str]
    decides: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({key: key for key in DECISION_KEYS})
    )


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

    def __init__(self, settings: GuardSettings, keys: KeyMeanings) -> None:
        self._settings = settings
        self._keys = keys
        self._strokes: deque[_Stroke] = deque()
        self._last: _Stroke | None = None
        self._other_at = -math.inf
        self._run_start = -math.inf
        self._run_length = 0
        self._decision: _Stroke | None = None

    def press(self, key: str, t: float, awaited: frozenset[str] = frozenset()) -> Seen:
        """Take note of a key and say what it tells.

        Args:
            key: As `press` of the guard takes it.
            t: The time of the press.
            awaited: Keys that an open sheet or bar asks for. Pressing them twice is impatience.
        """
        self._follow_run(key, t)
        counts = is_typed(key) and key not in self._keys.rapid and key not in awaited
        if is_typed(key):
            self._strokes.append(_Stroke(key, t, counts))
        while self._strokes and t - self._strokes[0].t > MEMORY:
            self._strokes.popleft()
        return Seen(
            typing_since=self._typing_since(key, t) if counts and self._settings.typing_lock else None,
            repeating_since=self._run_start if self._run_length >= 3 else None,
            quiet=t - self._other_at,
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

    def _follow_run(self, key: str, t: float) -> None:
        last = self._last
        self._last = _Stroke(key, t)
        if last is not None and last.key != key:
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
