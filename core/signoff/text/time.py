"""Lengths of time and times, read and written.

Both are whole microseconds, times since the epoch. Only lengths that go on while they are shown are seconds, as
timers count them. They are no finer than a reviewer needs, since every change of words is a picture to draw, and
many requests must not keep the screen busy.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

__all__ = [
    "LengthStyle",
    "TimeStyle",
    "age_text",
    "iso",
    "left_text",
    "length_text",
    "local_time",
    "read_length",
    "read_time",
    "until_age_changes",
    "until_left_changes",
    "when_text",
]

LengthStyle = Literal["clock", "words", "unit"]
"""``04:12``, from an hour on ``1h02m``, from a day on ``1d02h``; ``4 min``; ``250ms`` or ``2m``, exactly."""

TimeStyle = Literal["full", "day", "clock", "minute"]
"""``2026-11-20 14:30:05``, or a part of it."""

STEP = 10
"""Seconds from one wording to the next within the first hour, and within the last before a deadline."""

MINUTE, HOUR, DAY = 60, 3600, 86400
_SECOND = 1_000_000
_UNITS = {
    "ms": 1_000,
    "s": _SECOND,
    "m": MINUTE * _SECOND,
    "h": HOUR * _SECOND,
    "d": DAY * _SECOND,
    "w": 7 * DAY * _SECOND,
}
_LENGTH = re.compile(r"0|(?:\d{1,9}(?:\.\d{1,3})?(?:ms|[smhdw]))+")
_PART = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?(ms|[smhdw])")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS = {"full": slice(19), "day": slice(10), "clock": slice(11, 19), "minute": slice(11, 16)}


def read_length(text: str) -> tuple[int, int] | None:
    """Read a length: ``250ms``, ``1.5s``, ``5m``, ``1h30m``, ``2d``, ``1w`` or ``0``.

    Returns:
        The length, and the unit of its last digit; None if the text is no length.
    """
    if not _LENGTH.fullmatch(text):
        return None
    length, step = 0, _SECOND
    for number, (whole, decimals, unit) in enumerate(_PART.findall(text)):
        size = _UNITS[unit] // 10 ** len(decimals)
        length += int(whole + decimals) * size
        step = min(step, size) if number else size
    return length, step


def length_text(length: int, style: LengthStyle = "clock") -> str:
    """Write a length; a negative one is written as zero."""
    length = max(0, length)
    seconds = length // _SECOND
    match style:
        case "clock":
            if seconds < HOUR:
                return f"{seconds // MINUTE}:{seconds % MINUTE:02d}"
            if seconds < DAY:
                return f"{seconds // HOUR}h{seconds % HOUR // MINUTE:02d}m"
            return f"{seconds // DAY}d{seconds % DAY // HOUR:02d}h"
        case "words":
            if seconds < 2 * MINUTE:
                return f"{seconds} s"
            if seconds < 2 * HOUR:
                return f"{seconds // MINUTE} min"
            return f"{seconds // HOUR} h" if seconds < 2 * DAY else f"{seconds // DAY} days"
        case "unit":
            whole = (f"{length // _UNITS[unit]}{unit}" for unit in "hms" if length % _UNITS[unit] == 0)
            return next(whole, f"{length / 1_000:.12g}ms") if length else "0"


def read_time(text: str, now: int, zone: tzinfo | None = None) -> tuple[int, int] | None:
    """Read a time: a length (so long ago), ``14:30`` (when it was last), or any date or time of ISO 8601.

    Args:
        text: The time, or a day, which may also be ``today`` or ``yesterday``.
        now: The present.
        zone: The zone of a time without an offset; None for the reader's own.

    Returns:
        The first and the last microsecond of a day, twice the same for any other time; None if it is no time.
    """
    word = text.lower()
    found = read_length(word)
    if found:
        return now - found[0], now - found[0]
    try:
        today = (_EPOCH + timedelta(microseconds=now)).astimezone(zone).date()
        clock = _CLOCK.fullmatch(word)
        if clock:
            at = time(int(clock[1]), int(clock[2]))
            point = _point(datetime.combine(today, at), zone)
            if point > now:
                point = _point(datetime.combine(today - timedelta(days=1), at), zone)
            return point, point
        day = _day(text, today)
        if day is None:
            point = _point(datetime.fromisoformat(text), zone)
            return point, point
        first = _point(datetime.combine(day, time()), zone)
    except (ValueError, OverflowError):
        return None
    try:
        return first, _point(datetime.combine(day + timedelta(days=1), time()), zone) - 1
    except (ValueError, OverflowError):  # beyond the calendar
        return first, first + DAY * _SECOND - 1


def _day(text: str, today: date) -> date | None:
    if text.lower() in ("today", "yesterday"):
        return today - timedelta(days=text.lower() == "yesterday")
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _point(there: datetime, zone: tzinfo | None) -> int:
    if there.tzinfo is None:
        there = there.astimezone() if zone is None else there.replace(tzinfo=zone)
    return (there - _EPOCH) // timedelta(microseconds=1)


def iso(at: int | None) -> str | None:
    """Write a time as ISO 8601 in UTC, or report that no calendar has it."""
    if at is None:
        return None
    moment = _moment(at)
    return _no_time(at) if moment is None else moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def local_time(at: int, style: TimeStyle = "full") -> str:
    """Write a time in the reader's zone, or report that no calendar has it."""
    there = _there(at)
    return _no_time(at) if there is None else there.isoformat(" ", "seconds")[_PARTS[style]]


def when_text(at: int, now: int, style: Literal["full", "row", "short"] = "full") -> str:
    """Write the time of day of a time of today, else the date.

    Args:
        at: The time.
        now: The present.
        style: ``14:30:05`` or ``2026-11-19 14:30``; in a row, of eight cells at most, ``14:30:05``, ``19 Nov`` or
            ``2025-11``; short ``14:30`` or ``11-19``.
    """
    there, text = _there(at), local_time(at)
    if there is None:
        return text
    if local_time(now, "day") == text[:10]:
        return text[11:16] if style == "short" else text[11:]
    if style == "full":
        return text[:16]
    if style == "short":
        return text[5:10]
    return f"{there:%d %b}" if local_time(now)[:4] == text[:4] else text[:7]


def _moment(at: int) -> datetime | None:
    """The time, or None outside the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(microseconds=at)
    except OverflowError:
        return None


def _there(at: int) -> datetime | None:
    moment = _moment(at)
    try:
        return None if moment is None else moment.astimezone()
    except (OverflowError, ValueError, OSError):  # at the ends of the calendar, the offset leads beyond it
        return None


def _no_time(at: int) -> str:
    return f"outside the calendar ({at} microseconds since 1970)"


def age_text(seconds: float) -> str:
    """Return the age of a time, in steps of ten seconds: ``0:00``, ``4:10``, ``1h02m``, ``1d02h``."""
    return length_text(_in_steps(seconds) * _SECOND)


def left_text(seconds: float) -> str:
    """Return the time left, never more than there is: ``1h02m``, ``4:10``, and by seconds in the last minute."""
    whole = int(seconds)
    return length_text((whole if whole < MINUTE else _in_steps(whole)) * _SECOND)


def until_age_changes(seconds: float) -> float:
    """Return the seconds until `age_text` changes for a growing time."""
    now = max(seconds, 0.0)
    return _step(now) - now % _step(now) + (now - seconds)


def until_left_changes(seconds: float) -> float | None:
    """Return the seconds until `left_text` changes for a shrinking time; None if it never does."""
    if seconds < 1:
        return None
    step = 1 if seconds < MINUTE else _step(seconds)
    return seconds % step


def _in_steps(seconds: float) -> int:
    return int(seconds) // STEP * STEP


def _step(seconds: float) -> int:
    return STEP if seconds < HOUR else MINUTE if seconds < DAY else HOUR
