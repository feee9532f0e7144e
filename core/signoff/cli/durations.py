"""Times and lengths of time, as the command line reads and writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from signoff.history_export import EPOCH, iso, moment_of, no_time

__all__ = ["iso", "local_time", "parse_since"]

_LENGTH = re.compile(r"(\d{1,9})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def local_time(microseconds: int) -> str:
    """Write a time, microseconds since the epoch, as date and time where the reader is.

    Like `iso` it says so if no calendar has it.
    """
    moment = moment_of(microseconds)
    try:
        local = None if moment is None else moment.astimezone()
    except (OverflowError, ValueError, OSError):  # at the ends of the calendar the offset leads out of it
        local = None
    return no_time(microseconds) if local is None else local.isoformat(sep=" ", timespec="seconds")[:19]


def parse_since(text: str, now: int) -> int:
    """Read ``90s``, ``30m``, ``1h``, ``2d``, ``1w`` (so long ago) or an ISO 8601 date or time.

    A time without an offset is meant where the reader is.

    Args:
        text: What the user wrote.
        now: The present, in microseconds since the epoch.

    Returns:
        Microseconds since the epoch.

    Raises:
        ValueError: The text is neither.
    """
    length = _LENGTH.fullmatch(text)
    if length:
        return max(0, now - int(length[1]) * _SECONDS[length[2]] * 1_000_000)
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text!r} is no time; write 90s, 30m, 1h, 2d, 1w or an ISO 8601 time such as 2025-01-31T14:00"
        ) from None
    return (moment - EPOCH) // timedelta(microseconds=1)
