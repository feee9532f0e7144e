"""The last decision, and the agents of today: read once while nothing waits."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff.queue import HistoryRecord, ReviewQueue
from signoff.text.time import read_time, when_text
from signoff_tui.screens.history.outcomes import outcome, what
from signoff_tui.text.lines import Chunk, Line, chunk, wrapped

__all__ = ["RecentActivity", "read_recent_activity", "recent_lines"]

MOST_AGENTS = 6

_NAME = 18
_LONGEST_SUBJECT = 60


class RecentActivity(Struct, frozen=True):
    """The last decision, and the agents of today.

    Attributes:
        last: The newest record; None if there is none.
        working: Names of the connected agents, first come first.
        exited: Names of agents that were connected today, and are not any more.
    """

    last: HistoryRecord | None = None
    working: Sequence[str] = ()
    exited: Sequence[str] = ()


def read_recent_activity(queue: ReviewQueue, now: int) -> RecentActivity:
    """Read the last decision, and the agents that are there or were today.

    Args:
        queue: An open connection.
        now: Wall clock, microseconds since the epoch.

    Raises:
        QueueError: The queue cannot be read.
    """
    day = read_time("today", now)
    midnight = now if day is None else day[0]
    newest, records = queue.history(limit=1), queue.agents()
    working = list(dict.fromkeys(record.name for record in records if record.ended_at is None))
    exited = dict.fromkeys(record.name for record in records if (record.ended_at or 0) >= midnight)
    return RecentActivity(newest[0] if newest else None, working, [name for name in exited if name not in working])


def recent_lines(recent: RecentActivity, now: int, width: int) -> list[Line]:
    """Return the lines about the recent activity; none for a part of which there is nothing to say.

    Args:
        recent: The recent activity.
        now: Wall clock, microseconds since the epoch.
        width: Cells of a line.
    """
    lines: list[Line] = []
    if recent.last is not None:
        words, token = outcome(recent.last)
        subject = what(recent.last)
        if len(subject) > _LONGEST_SUBJECT:
            subject = f"{subject[:_LONGEST_SUBJECT]}..."
        told = f"{when_text(recent.last.at, now, 'row')} {words} {subject} ({recent.last.agent_name})"
        head = "last ended" if recent.last.decision is None else "last decision"
        lines += wrapped(told, width, token, head=_head(head))
    there = [f"{name} working" for name in recent.working] + [f"{name} exited" for name in recent.exited]
    if there:
        more = f", and {len(there) - MOST_AGENTS} more" if len(there) > MOST_AGENTS else ""
        lines += wrapped(", ".join(there[:MOST_AGENTS]) + more, width, head=_head("agents"))
    return lines


def _head(name: str) -> Chunk:
    return chunk(f"   {name:<{_NAME - 3}}", "muted", keep=True)
