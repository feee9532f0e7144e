"""The outcomes of each agent's requests in the last hour: read once, then only what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from signoff.queue import HistoryFilter, HistoryRecord, ReviewQueue

__all__ = ["HOUR_US", "AgentKey", "LastHour", "Outcome", "last_hour_text", "read_last_hour"]

HOUR_US = 3_600_000_000

MOST_READ = 20_000
"""Records that are counted at most; whether there were more is said."""

_FIRST_PAGE, _PAGE = 50, 1_000

Outcome = Literal["approved", "rejected", "other"]


class AgentKey(Struct, frozen=True):
    """The identity of an agent, as people see it: a name in a session, however many connections it has."""

    name: str
    session: str


class _EndedRequest(Struct, frozen=True):
    at: int
    agent: AgentKey
    outcome: Outcome


class LastHour(Struct, frozen=True):
    """The records of the last hour.

    Attributes:
        ended: Newest first.
        newest: Seq of the newest record that was looked at.
        whole: True if all of the hour was read.
    """

    ended: Sequence[_EndedRequest] = ()
    newest: int = 0
    whole: bool = True

    def counts(self, now: int) -> Mapping[AgentKey, Counter[Outcome]]:
        """Return the number of requests of each agent by their outcome, in the hour before a time."""
        found: dict[AgentKey, Counter[Outcome]] = {}
        for each in self.ended:
            if each.at >= now - HOUR_US:
                found.setdefault(each.agent, Counter())[each.outcome] += 1
        return found


def last_hour_text(counts: Mapping[Outcome, int]) -> str:
    """Return the counts of one agent in words."""
    outcomes: tuple[Outcome, ...] = ("approved", "rejected", "other")
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in outcomes if counts.get(outcome))


def read_last_hour(queue: ReviewQueue, known: LastHour, now: int) -> LastHour:
    """Read what the history holds of the last hour and is not known yet.

    Args:
        queue: An open connection.
        known: The records read before.
        now: Wall clock, microseconds since the epoch.

    Raises:
        QueueError: The queue cannot be read.
    """
    which = HistoryFilter(since=now - HOUR_US)
    fresh: list[HistoryRecord] = []
    before: int | None = None
    reached = False
    while not reached and len(fresh) < MOST_READ:
        limit = _PAGE if fresh else _FIRST_PAGE
        page = queue.history(which, before=before, limit=limit)
        fresh += [record for record in page if record.seq > known.newest]
        reached = len(page) < limit or page[-1].seq <= known.newest
        before = page[-1].seq if page else None
    kept = [each for each in known.ended if each.at >= now - HOUR_US] if reached else []
    ended = (*map(_ended, fresh), *kept)
    newest = fresh[0].seq if fresh else known.newest
    whole = reached and (known.whole or len(kept) < len(known.ended)) and len(ended) <= MOST_READ
    return LastHour(ended[:MOST_READ], newest, whole)


def _ended(record: HistoryRecord) -> _EndedRequest:
    decision = record.decision
    outcome: Outcome = "other" if decision is None else "approved" if decision.approved else "rejected"
    return _EndedRequest(record.at, AgentKey(record.agent_name, record.session), outcome)
