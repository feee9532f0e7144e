"""Times as they are written into files: ISO 8601, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["EPOCH", "iso", "moment_of", "no_time"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(microseconds: int | None) -> str | None:
    """Write a time, microseconds since the epoch, as ISO 8601 in UTC, or say that no calendar has it."""
    if microseconds is None:
        return None
    moment = moment_of(microseconds)
    if moment is None:
        return no_time(microseconds)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment_of(microseconds: int) -> datetime | None:
    """The time, or None outside the years 1 to 9999."""
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def no_time(microseconds: int) -> str:
    """What is said of a time that no calendar has."""
    return f"outside the calendar ({microseconds} microseconds since 1970)"
