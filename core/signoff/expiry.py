"""The time that a request waits before it expires: in seconds or as a `timedelta`."""

from __future__ import annotations

import math
import os
from datetime import timedelta
from typing import TYPE_CHECKING

from signoff.queue.clock import LONGEST_WAIT

if TYPE_CHECKING:
    from signoff.types import ApprovalRequest

__all__ = ["EXPIRES_VARIABLE", "ExpiresIn", "expires_in_environment", "seconds_of", "within"]

EXPIRES_VARIABLE = "SIGNOFF_EXPIRES_IN"
"""Environment variable with the seconds that requests wait where nothing else sets a time."""

ExpiresIn = float | timedelta
"""Seconds, or a length of time."""


def seconds_of(expires_in: ExpiresIn | None) -> float | None:
    """Return the seconds; None, which is for ever, stays None.

    Raises:
        ValueError: The time is not more than zero, or more than a hundred years.
        TypeError: The time is neither a number nor a `timedelta`.
    """
    if expires_in is None:
        return None
    if isinstance(expires_in, bool) or not isinstance(expires_in, int | float | timedelta):
        raise TypeError(f"expires_in takes seconds or a timedelta, not {expires_in!r}")
    seconds = expires_in.total_seconds() if isinstance(expires_in, timedelta) else float(expires_in)
    if not (math.isfinite(seconds) and 0 < seconds <= LONGEST_WAIT):
        raise ValueError(
            f"expires_in takes more than 0 and at most {LONGEST_WAIT:.0f} seconds, not {expires_in!r}"
        )
    return seconds


def expires_in_environment() -> float | None:
    """Return the seconds of ``SIGNOFF_EXPIRES_IN``; None if it is not set.

    Raises:
        ValueError: It is not a valid number of seconds.
    """
    said = os.environ.get(EXPIRES_VARIABLE)
    if not said:
        return None
    try:
        return seconds_of(float(said))
    except ValueError:
        raise ValueError(
            f"{EXPIRES_VARIABLE} is {said!r}; give a number of seconds, more than 0 and at most {LONGEST_WAIT:.0f}"
        ) from None


def within(request: ApprovalRequest, seconds: float | None) -> ApprovalRequest:
    """Return the request with a deadline, unless it sets its own."""
    if seconds is None or request.expires_in is not None:
        return request
    return request.model_copy(update={"expires_in": seconds})
