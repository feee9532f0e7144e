"""Sent answers that no agent has taken yet; the screen mentions them after some seconds."""

from __future__ import annotations

from signoff.queue.records import StoredRequest
from signoff.text.time import age_text, until_age_changes

__all__ = ["SOON", "unconfirmed_text", "until_unconfirmed_changes"]

SOON = 5.0
"""The time, in seconds, in which a waiting agent usually takes its answer."""


def unconfirmed_text(request: StoredRequest, reviewer: str, now: int) -> str:
    """Return for how long the agent has not taken a reviewer's answer; empty while that is normal.

    Args:
        request: A request that ended, or waits.
        reviewer: The reviewer who answered.
        now: Wall clock, microseconds since the epoch.
    """
    seconds = _seconds(request, reviewer, now)
    return "" if seconds is None or seconds < SOON else f"agent has not confirmed ({age_text(seconds)})"


def until_unconfirmed_changes(request: StoredRequest, reviewer: str, now: int) -> float | None:
    """Return the seconds until `unconfirmed_text` changes by itself; None if it never does."""
    seconds = _seconds(request, reviewer, now)
    if seconds is None:
        return None
    return SOON - seconds if seconds < SOON else until_age_changes(seconds)


def _seconds(request: StoredRequest, reviewer: str, now: int) -> float | None:
    decision = request.decision
    if (
        decision is None
        or decision.by != reviewer
        or request.delivered_at is not None
        or request.decided_at is None
    ):
        return None
    return (now - request.decided_at) / 1e6
