"""When the screen changes by itself, without a key and without news from the queue."""

from __future__ import annotations

from signoff_tui.desk import Desk

__all__ = ["next_moment"]

MINUTE = 60.0
"""Seconds of waiting, or left to wait, up to which `running_text` tells them one by one."""

SHORTEST_WAIT = 5.0
"""Seconds by which a number of minutes may be late: many requests do not keep the screen busy."""

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
    """Seconds until the words for a waiting time, or for a time that is left, change on the screen."""
    if len(desk.guard.holds):
        return 1.0
    pending = [entry.request for entry in desk.inbox.entries() if entry.request.pending]
    deadlines = (request.submission.expires_at for request in pending)
    waited = [(wall - request.created_at) / 1e6 for request in pending]
    left = [(deadline - wall) / 1e6 for deadline in deadlines if deadline is not None]
    if any(seconds < MINUTE + SHORTEST_WAIT for seconds in (*waited, *left)):
        return 1.0
    changes = (*(MINUTE - seconds % MINUTE for seconds in waited), *(seconds % MINUTE for seconds in left))
    return max(min(changes, default=NEVER), SHORTEST_WAIT)
