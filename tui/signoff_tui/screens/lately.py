"""What was decided last and today, and who is there: read once while nothing waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field

from signoff.queue import AgentRecord, HistoryFilter, HistoryRecord, ReviewQueue
from signoff.text.time import read_time, when_text
from signoff_tui.screens.history.wording import Deciders, outcome, what
from signoff_tui.text.lines import Chunk, Line, chunk, wrapped

__all__ = ["Lately", "lately_lines", "look_back"]

MOST_COUNTED = 500
"""Records of today that are counted; of more it is said that there are."""

MOST_AGENTS = 6

_NAME = 18
_LONGEST_SUBJECT = 60


class Lately(Struct, frozen=True):
    """What was read.

    Attributes:
        last: The newest record; None if there is none.
        today: How many calls ended today, by who or what answered, or by how they ended if nobody did.
        whole: Whether all of today was counted.
        agents: Who is connected, first come first.
        ended: Who was today, and is not any more.
    """

    last: HistoryRecord | None = None
    today: Counter[str] = field(default_factory=Counter)
    whole: bool = True
    agents: Sequence[str] = ()
    ended: Sequence[str] = ()


def look_back(queue: ReviewQueue, now: int) -> Lately:
    """Read what was decided lately, and who is there.

    Args:
        queue: An open connection.
        now: Wall clock, microseconds since the epoch.

    Raises:
        QueueError: The queue cannot be read.
    """
    day = read_time("today", now)
    midnight = now if day is None else day[0]
    today = queue.history(HistoryFilter(since=midnight), limit=MOST_COUNTED)
    newest = today[:1] or queue.history(limit=1)
    deciders = Deciders(queue.reviewer)
    records = queue.agents()
    alive = list(dict.fromkeys(record.name for record in records if record.ended_at is None))
    ended = dict.fromkeys(record.name for record in records if _ended_since(record, midnight))
    return Lately(
        last=newest[0] if newest else None,
        today=Counter(_answered(record, deciders) for record in today),
        whole=len(today) < MOST_COUNTED,
        agents=alive,
        ended=[name for name in ended if name not in alive],
    )


def lately_lines(lately: Lately, now: int, width: int) -> list[Line]:
    """Say it, a line or a few for each; nothing of what there is nothing to say of.

    Args:
        lately: What was read.
        now: Wall clock, microseconds since the epoch.
        width: Cells of a line.
    """
    lines: list[Line] = []
    if lately.last is not None:
        words, token = outcome(lately.last)
        subject = what(lately.last)
        if len(subject) > _LONGEST_SUBJECT:
            subject = f"{subject[:_LONGEST_SUBJECT]}..."
        told = f"{when_text(lately.last.at, now, 'row')} {words} {subject} ({lately.last.agent_name})"
        lines += wrapped(told, width, token, head=_head("last decision"))
    if total := lately.today.total():
        asks = "ask" if total == 1 else "asks"
        counted = f"{total} {asks}" if lately.whole else f"{total} {asks} or more; the last {total}"
        parts = ", ".join(f"{number} {how}" for how, number in lately.today.most_common())
        lines += wrapped(f"{counted}: {parts}", width, head=_head("today"))
    there = [f"{name} connected" for name in lately.agents] + [f"{name} ended" for name in lately.ended]
    if there:
        more = f", and {len(there) - MOST_AGENTS} more" if len(there) > MOST_AGENTS else ""
        lines += wrapped(", ".join(there[:MOST_AGENTS]) + more, width, head=_head("agents"))
    return lines


def _answered(record: HistoryRecord, deciders: Deciders) -> str:
    who = deciders.category(record)
    return f"by {who}" if who != "nobody" else outcome(record)[0]


def _ended_since(record: AgentRecord, at: int) -> bool:
    return record.ended_at is not None and record.ended_at >= at


def _head(name: str) -> Chunk:
    return chunk(f"   {name:<{_NAME - 3}}", "muted", keep=True)
