"""The timer of the review screen, for changes by themselves: ends of holds, armed keys, shown lines, times."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.timer import Timer

from signoff.queue.records import StoredRequest
from signoff.text.time import until_age_changes, until_left_changes
from signoff_tui.state.delivery import until_unconfirmed
from signoff_tui.state.session import ReviewSession

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Clock", "next_moment"]

SHORTEST_TIMER = 0.02


class Clock:
    """Wakes the screen once, when the next thing changes.

    Args:
        screen: The screen to wake.
        office: Has the wall clock.
    """

    def __init__(self, screen: ReviewScreen, office: Office) -> None:
        self._screen = screen
        self._office = office
        self._timer: Timer | None = None

    def schedule(self) -> None:
        """Set the timer to the next time at which something changes by itself."""
        if self._timer is not None:
            self._timer.stop()
        now = time.monotonic()
        wall, lost = self._office.now(), self._screen.incoming.lost
        moment = next_moment(self._screen.desk, self._screen.timed, now, wall)
        if lost is not None:
            moment = min(moment, now + _until_older(lost.since, wall))
        self._timer = self._screen.set_timer(max(moment - now, SHORTEST_TIMER), self._tick)

    def _tick(self) -> None:
        self._timer = None
        desk = self._screen.desk
        for held in desk.guard.holds.due(time.monotonic()):
            self._screen.send(held)
        desk.coverages.settle()
        self._screen.redraw()


# -- The moment of the next change.

SHORTEST_WAIT = 5.0
"""Seconds by which a waiting time may be late: many requests do not keep the screen busy."""

SOONEST_DEADLINE = 1.0
"""Seconds by which a time that is left may be late."""

NEVER = 3600.0


def next_moment(desk: ReviewSession, shown: Iterable[StoredRequest], now: float, wall: int) -> float:
    """Return when a hold ends, keys get armed, lines were shown for long enough, or a time on screen changes.

    Args:
        desk: The session.
        shown: The requests whose times are on the screen.
        now: Monotonic seconds.
        wall: Wall clock, microseconds since the epoch.

    Returns:
        Monotonic seconds, later than `now` except where something is due already.
    """
    moments = [
        desk.guard.holds.next_due(),
        desk.guard.next_arming(now),
        desk.coverages.settles_at,
        now + (1.0 if len(desk.guard.holds) else _until_a_time_changes(desk, shown, wall)),
    ]
    return min(moment for moment in moments if moment is not None)


def _until_a_time_changes(desk: ReviewSession, shown: Iterable[StoredRequest], wall: int) -> float:
    """Return the seconds until the words for a waiting time, or for a time that is left, change on the screen."""
    changes = [NEVER]
    oldest = desk.inbox.tally.counts.oldest_at
    if oldest is not None:
        changes.append(_until_older(oldest, wall))
    for request in shown:
        unconfirmed = until_unconfirmed(request, desk.reviewer, wall)
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
