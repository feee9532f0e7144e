"""Times that go on while they are shown: how they are told, and when the words change.

They are told no finer than somebody needs who decides: every change of words is a picture to draw, and many
requests must not keep the screen busy.
"""

from __future__ import annotations

__all__ = ["age_text", "age_words", "left_text", "until_age_changes", "until_left_changes"]

STEP = 10
"""Seconds from one wording to the next within the first minute, and within the last one before a deadline."""

MINUTE, HOUR = 60, 3600


def age_text(seconds: float) -> str:
    """How long ago something was: ``<10s``, ``40s``, ``5m`` under an hour, ``1h02m`` above."""
    whole = max(int(seconds), 0)
    if whole < STEP:
        return f"<{STEP}s"
    return f"{whole // STEP * STEP}s" if whole < MINUTE else _minutes(whole)


def age_words(seconds: float) -> str:
    """The same in words: ``less than 10 s``, ``40 s``, ``5 min``, ``1 h 02 min``."""
    whole = max(int(seconds), 0)
    if whole < STEP:
        return f"less than {STEP} s"
    if whole < MINUTE:
        return f"{whole // STEP * STEP} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE:02} min"


def left_text(seconds: float) -> str:
    """How much time is left, never more than there is: ``1h02m``, ``5m``, ``40s``, and by seconds at last."""
    whole = max(int(seconds), 0)
    if whole < STEP:
        return f"{whole}s"
    return f"{whole // STEP * STEP}s" if whole < MINUTE else _minutes(whole)


def until_age_changes(seconds: float) -> float:
    """In how many seconds `age_text` says something else of a time that grows."""
    now = max(seconds, 0.0)
    step = STEP if now < MINUTE else MINUTE
    return step - now % step + (now - seconds)


def until_left_changes(seconds: float) -> float | None:
    """In how many seconds `left_text` says something else of a time that gets less; None if it never does."""
    if seconds < 1:
        return None
    step = 1 if seconds < STEP else STEP if seconds < MINUTE else MINUTE
    return seconds % step


def _minutes(whole: int) -> str:
    if whole < HOUR:
        return f"{whole // MINUTE}m"
    return f"{whole // HOUR}h{whole % HOUR // MINUTE:02}m"
