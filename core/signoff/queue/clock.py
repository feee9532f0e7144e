"""The time, as the queue writes it down."""

from __future__ import annotations

import time

__all__ = ["LONGEST_WAIT", "SECOND", "now_us"]

SECOND = 1_000_000
"""Microseconds in a second."""

LONGEST_WAIT = 100 * 365 * 86_400.0
"""Longest deadline that may be given, in seconds: a hundred years."""


def now_us() -> int:
    """Return the wall clock in whole microseconds since the epoch, UTC."""
    return time.time_ns() // 1_000
