"""When the screen changes by itself, without a key and without news from the queue."""

from __future__ import annotations

from signoff_tui.desk import Desk

__all__ = ["next_moment"]

SOON = 60.0
"""Seconds of waiting, or left to wait, up to which such times are shown to the second."""

NEVER = 3600.0


def next_moment(desk: Desk, now: float, wall: int) -> float:
    """When to look again: a hold ends, keys get armed, lines were shown for long enough, a time on screen changes.

    Args:
        desk: What is shown.
        now: Monotonic seconds.
        wall: Wall clock, microseconds since the epoch.

    Returns:
        Monotonic seconds, later than `now` except where something is due already.
    """
    armed_at = desk.guard.status(now).changes_at
    moments = [
        desk.guard.holds.next_due(),
        armed_at if armed_at is not None and armed_at > now else None,
        desk.settles_at,
        now + _until_a_time_changes(desk, wall),
    ]
    return min(moment for moment in moments if moment is not None)


def _until_a_time_changes(desk: Desk, wall: int) -> float:
    """Seconds until a waiting time or a time that is left changes on the screen: one under a minute, ten above."""
    if len(desk.guard.holds):
        return 1.0
    pending = [entry.request for entry in desk.inbox.entries() if entry.request.pending]
    if not pending:
        return NEVER
    newest = max(request.created_at for request in pending)
    deadlines = [request.submission.expires_at for request in pending if request.submission.expires_at is not None]
    soon = (wall - newest) / 1e6 < SOON or any((deadline - wall) / 1e6 < SOON for deadline in deadlines)
    return 1.0 if soon else 10.0
