"""When the screen changes by itself, without a key and without news from the queue."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.queue.records import StoredRequest
from signoff.text.time import until_age_changes, until_left_changes
from signoff_tui.state.delivery import until_unconfirmed_changes
from signoff_tui.state.session import ReviewSession

__all__ = ["next_moment"]

SHORTEST_WAIT = 5.0
"""Seconds by which a waiting time may be late: many requests do not keep the screen busy."""

SOONEST_DEADLINE = 1.0
"""Seconds by which a time that is left may be late."""

NEVER = 3600.0


def next_moment(desk: ReviewSession, shown: Iterable[StoredRequest], now: float, wall: int) -> float:
    """When to look again: a hold ends, keys get armed, lines were shown for long enough, a time on screen changes.

    Args:
        desk: What is shown.
        shown: The requests whose times are on the screen.
        now: Monotonic seconds.
        wall: Wall clock, microseconds since the epoch.

    Returns:
        Monotonic seconds, later than `now` except where something is due already.
    """
    armed_at = desk.guard.status(now).changes_at
    moments = [
        desk.guard.holds.next_due(),
        armed_at if armed_at is not None and armed_at > now else None,
        desk.coverages.settles_at,
        now + (1.0 if len(desk.guard.holds) else _until_a_time_changes(desk, shown, wall)),
    ]
    return min(moment for moment in moments if moment is not None)


def _until_a_time_changes(desk: ReviewSession, shown: Iterable[StoredRequest], wall: int) -> float:
    """Seconds until the words for a waiting time, or for a time that is left, change on the screen."""
    changes = [NEVER]
    oldest = desk.inbox.tally.counts.oldest_at
    if oldest is not None:
        changes.append(_until_older(oldest, wall))
    for request in shown:
        unconfirmed = until_unconfirmed_changes(request, desk.reviewer, wall)
        if unconfirmed is not None:
            changes.append(max(unconfirmed, SOONEST_DEADLINE))
        if request.pending:
            changes.append(_until_older(request.created_at, wall))
            if (expires := request.expires_at) is not None:
                seconds = (expires - wall) / 1e6
                left = seconds if 0 <= seconds < 1 else until_left_changes(seconds)
                changes += [] if left is None else [max(left, SOONEST_DEADLINE)]
    return min(changes)


def _until_older(since: int, wall: int) -> float:
    return max(until_age_changes((wall - since) / 1e6), SHORTEST_WAIT)
