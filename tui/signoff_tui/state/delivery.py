"""Sent answers that no agent has taken yet; the screen mentions them after some seconds."""

from __future__ import annotations

from signoff.queue.records import StoredRequest

__all__ = ["SOON", "is_unconfirmed", "until_unconfirmed"]

SOON = 5.0
"""The time, in seconds, in which a waiting agent usually takes its answer."""


def is_unconfirmed(request: StoredRequest, reviewer: str, now: int) -> bool:
    """True if the agent has not taken a reviewer's answer for longer than is normal.

    Args:
        request: A request that ended, or waits.
        reviewer: The reviewer who answered.
        now: Wall clock, microseconds since the epoch.
    """
    seconds = _seconds(request, reviewer, now)
    return seconds is not None and seconds >= SOON


def until_unconfirmed(request: StoredRequest, reviewer: str, now: int) -> float | None:
    """Return the seconds until `is_unconfirmed` is true; None if time alone does not change it."""
    seconds = _seconds(request, reviewer, now)
    return SOON - seconds if seconds is not None and seconds < SOON else None


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
