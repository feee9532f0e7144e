"""Times that go on while they are shown: how they are told, and when the words change.

All are written as the clock of the command line writes them. They are told no finer than somebody needs who
decides: every change of words is a picture to draw, and many requests must not keep the screen busy.
"""

from __future__ import annotations

from signoff.lengths import clock

__all__ = ["age_text", "left_text", "length_text", "until_age_changes", "until_left_changes"]

STEP = 10
"""Seconds from one wording to the next within the first hour, and within the last one before a deadline."""

MINUTE, HOUR, DAY = 60, 3600, 86400


def length_text(seconds: float) -> str:
    """How long something took: ``00:38``, ``04:12``, ``1h02m`` from an hour on, ``1d02h`` from a day on."""
    return clock(int(seconds * 1_000_000))


def age_text(seconds: float) -> str:
    """How long ago something was, to ten seconds: ``00:00``, ``04:10``, ``1h02m``, ``1d02h``."""
    return length_text(_in_steps(seconds))


def left_text(seconds: float) -> str:
    """How much time is left, never more than there is: ``1h02m``, ``04:10``, and by seconds at last."""
    whole = max(int(seconds), 0)
    return length_text(whole if whole < STEP else _in_steps(whole))


def until_age_changes(seconds: float) -> float:
    """In how many seconds `age_text` says something else of a time that grows."""
    now = max(seconds, 0.0)
    return _step(now) - now % _step(now) + (now - seconds)


def until_left_changes(seconds: float) -> float | None:
    """In how many seconds `left_text` says something else of a time that gets less; None if it never does."""
    if seconds < 1:
        return None
    step = 1 if seconds < STEP else _step(seconds)
    return seconds % step


def _in_steps(seconds: float) -> int:
    whole = max(int(seconds), 0)
    return whole - whole % STEP


def _step(seconds: float) -> int:
    return STEP if seconds < HOUR else MINUTE if seconds < DAY else HOUR
