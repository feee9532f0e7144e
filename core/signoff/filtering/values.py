"""Amounts, lengths of time and times, as a filter has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from msgspec import Struct

from signoff.filtering.errors import quoted
from signoff.filtering.syntax import Operator

__all__ = ["Moment", "Span", "Viewpoint", "amount_span", "length_of", "moment_of", "number_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LENGTH = re.compile(r"(?:[0-9]{1,9}[smhdw])+")
_PART = re.compile(r"([0-9]{1,9})([smhdw])")
_NUMBER = re.compile(r"([0-9]{1,9})(%?)")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEARS = range(1970, 9999)


class Viewpoint(Struct, frozen=True):
    """When, where and by whom a filter is asked.

    Attributes:
        now: The present, microseconds since the epoch.
        reviewer: Who ``by:you`` is; "" for anybody.
        zone: Time zone of days and clock times, or None for that of this machine.
    """

    now: int
    reviewer: str = ""
    zone: tzinfo | None = None


class Span(Struct, frozen=True):
    """Whole numbers from one to another.

    Attributes:
        first: The least, or None for no limit.
        last: The greatest, or None for no limit.
    """

    first: int | None = None
    last: int | None = None

    def __contains__(self, number: int) -> bool:
        return (self.first is None or number >= self.first) and (self.last is None or number <= self.last)


Reader = Callable[[str], tuple[int, int]]
"""Reads an amount, and how much it would have to grow to be written otherwise."""


def number_of(text: str) -> tuple[int, int]:
    """Read a number, with or without a percent sign.

    Raises:
        ValueError: It is none.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"{quoted(text)} is no number; write 200 or 50..90")
    return int(found[1]), 1


def length_of(text: str) -> tuple[int, int]:
    """Read a length of time, such as ``90s`` or ``1h30m``, in microseconds.

    Raises:
        ValueError: It is none.
    """
    if not _LENGTH.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no length of time; write 90s, 5m, 1h30m, 2d or 1m..5m")
    parts = [(int(amount) * _SECONDS[unit], _SECONDS[unit]) for amount, unit in _PART.findall(text)]
    return sum(amount for amount, _ in parts) * 1_000_000, min(unit for _, unit in parts) * 1_000_000


def amount_span(text: str, operator: Operator, read: Reader) -> Span:
    """Read an amount or a range, and return what it means.

    Args:
        text: The amount, or two with ``..`` between them, both of which are included.
        operator: How it is compared.
        read: Reads an amount.

    Raises:
        ValueError: It cannot be read, or makes no sense.
    """
    low, dots, high = text.partition("..")
    if dots:
        if operator not in (Operator.FITS, Operator.EQUAL):
            raise ValueError(f"a range takes no {operator}")
        first, last = read(low)[0], read(high)[0]
        if first > last:
            raise ValueError(f"the range {quoted(text)} ends before it begins")
        return Span(first, last)
    amount, step = read(text)
    match operator:
        case Operator.MORE:
            return Span(first=amount + 1)
        case Operator.AT_LEAST:
            return Span(first=amount)
        case Operator.LESS:
            return Span(last=amount - 1)
        case Operator.AT_MOST:
            return Span(last=amount)
    return Span(amount, amount + step - 1)


class Moment(Struct, frozen=True):
    """A time as it is written: it depends on the present and the place what it means.

    Attributes:
        ago: So many microseconds ago, or None.
        clock: The last time that it was this hour and minute, or None.
        day: A day, or None.
        days_ago: The day so many days ago, or None.
    """

    ago: int | None = None
    clock: tuple[int, int] | None = None
    day: date | None = None
    days_ago: int | None = None

    @property
    def is_day(self) -> bool:
        """Whether it is a whole day."""
        return self.day is not None or self.days_ago is not None

    def span(self, view: Viewpoint) -> Span:
        """The first and last microsecond of it."""
        if self.ago is not None:
            return Span(view.now - self.ago, view.now - self.ago)
        today = (_EPOCH + timedelta(microseconds=view.now)).astimezone(view.zone).date()
        if self.clock is not None:
            at = time(*self.clock)
            point = _point(today, at, view)
            if point > view.now:
                point = _point(today - timedelta(days=1), at, view)
            return Span(point, point)
        day = self.day if self.day is not None else today - timedelta(days=self.days_ago or 0)
        return Span(_point(day, time(), view), _point(day + timedelta(days=1), time(), view) - 1)


def moment_of(text: str) -> Moment:
    """Read a time.

    Raises:
        ValueError: It is none.
    """
    word = text.lower()
    if word in ("today", "yesterday"):
        return Moment(days_ago=("today", "yesterday").index(word))
    if _LENGTH.fullmatch(word):
        return Moment(ago=length_of(word)[0])
    clock = _CLOCK.fullmatch(word)
    if clock:
        return Moment(clock=(int(clock[1]), int(clock[2])))
    if _DAY.fullmatch(word):
        try:
            day = date.fromisoformat(word)
        except ValueError:
            raise ValueError(f"no calendar has the day {quoted(text)}") from None
        if day.year not in _YEARS:
            raise ValueError(f"{quoted(text)} is no day of the years {_YEARS[0]} to {_YEARS[-1]}")
        return Moment(day=day)
    raise ValueError(f"{quoted(text)} is no time; write 1h, 14:30, today, yesterday or 2026-11-20")


def _point(day: date, at: time, view: Viewpoint) -> int:
    """The microsecond at which it is this time on this day, where the filter is asked."""
    there = datetime.combine(day, at, view.zone)
    moment = there.astimezone() if view.zone is None else there
    return (moment - _EPOCH) // timedelta(microseconds=1)
