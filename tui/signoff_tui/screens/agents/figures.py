"""Who answered the calls of the last hour: read once, then only what is new, and counted agent by agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from msgspec import Struct

from signoff.queue import DecisionSource, HistoryFilter, HistoryRecord, ReviewQueue

__all__ = ["HOUR_US", "AgentKey", "Answered", "Call", "Figures", "LastHour", "count", "read_last_hour"]

HOUR_US = 3_600_000_000

MOST_READ = 20_000
"""Records that are counted at most; whether there were more is said."""

_FIRST_PAGE, _PAGE = 50, 1_000

Answered = Literal["you", "auto", "rejected", "other"]

_AUTO = {DecisionSource.GRANT: "memory", DecisionSource.RULE: "rule", DecisionSource.MODE: "mode"}


class AgentKey(Struct, frozen=True):
    """What people take for one agent: a name in a session, however many connections it has."""

    name: str
    session: str


class Call(Struct, frozen=True):
    """A record of the history, as far as it is counted.

    Attributes:
        seq: Place in the history.
        at: When it ended, microseconds since the epoch.
        asked_at: When it was asked.
        agent: Whose call it was.
        request: Id of the request, or None if nobody was asked.
        answered: By whom, in one of four columns.
        how: In words, where the column does not say it.
        took: Microseconds that it waited for you, if you decided it.
        rule: The rule that answered, or that made it wait; empty if there was none.
    """

    seq: int
    at: int
    asked_at: int
    agent: AgentKey
    request: str | None
    answered: Answered
    how: str
    took: int | None
    rule: str


class LastHour(Struct, frozen=True):
    """What was read of the last hour.

    Attributes:
        calls: Newest first.
        newest: Seq of the newest record that was looked at.
        whole: Whether all of the hour was read.
    """

    calls: Sequence[Call] = ()
    newest: int = 0
    whole: bool = True


@dataclass(slots=True)
class Figures:
    """The last hour of one agent.

    Attributes:
        columns: Calls by who answered.
        how: The same in words, where the column does not say it.
        rules: How often which rule answered or made a call wait.
        requests: Ids of what was asked.
        last_asked: When it asked for the last time, or None.
        waits: Microseconds of each wait for you.
    """

    columns: Counter[Answered] = field(default_factory=Counter)
    how: dict[Answered, Counter[str]] = field(default_factory=dict)
    rules: Counter[str] = field(default_factory=Counter)
    requests: set[str] = field(default_factory=set)
    last_asked: int | None = None
    waits: list[int] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """All calls that ended."""
        return self.columns.total()

    @property
    def median_wait(self) -> float | None:
        """Seconds that half of the requests that you decided waited at most; None if you decided none."""
        return median(self.waits) / 1e6 if self.waits else None


def read_last_hour(queue: ReviewQueue, known: LastHour, now: int, you: str) -> LastHour:
    """Read what the history holds of the last hour and is not known yet.

    Args:
        queue: An open connection.
        known: What was read before.
        now: Wall clock, microseconds since the epoch.
        you: Name of the reviewer.

    Raises:
        QueueError: The queue cannot be read.
    """
    which = HistoryFilter(since=now - HOUR_US)
    fresh: list[Call] = []
    before: int | None = None
    whole = False
    while not whole and len(fresh) < MOST_READ:
        limit = _PAGE if fresh else _FIRST_PAGE
        page = queue.history(which, before=before, limit=limit)
        fresh += [_call(record, you) for record in page if record.seq > known.newest]
        whole = len(page) < limit or page[-1].seq <= known.newest
        before = page[-1].seq if page else None
    kept = [call for call in known.calls if call.at >= now - HOUR_US] if whole else []
    newest = fresh[0].seq if fresh else known.newest
    calls = (*fresh, *kept)
    reached = known.whole or len(kept) < len(known.calls)
    return LastHour(calls[:MOST_READ], newest, whole and reached and len(calls) <= MOST_READ)


def count(calls: Iterable[Call], now: int) -> Mapping[AgentKey, Figures]:
    """Count the calls of the last hour, agent by agent."""
    found: dict[AgentKey, Figures] = {}
    for call in calls:
        if call.at >= now - HOUR_US:
            _add(found.setdefault(call.agent, Figures()), call)
    return found


def _add(figures: Figures, call: Call) -> None:
    figures.columns[call.answered] += 1
    if call.how:
        figures.how.setdefault(call.answered, Counter())[call.how] += 1
    if call.rule:
        figures.rules[call.rule] += 1
    if call.request is not None:
        figures.requests.add(call.request)
        figures.last_asked = max(figures.last_asked or 0, call.asked_at)
    if call.took is not None:
        figures.waits.append(call.took)


def _call(record: HistoryRecord, you: str) -> Call:
    answered, how = _answer(record, you)
    decision = record.decision
    by_you = decision is not None and decision.source is DecisionSource.REVIEWER and decision.by == you
    ruled = decision is not None and decision.source is DecisionSource.RULE
    return Call(
        seq=record.seq,
        at=record.at,
        asked_at=record.at - record.took_us,
        agent=AgentKey(record.agent_name, record.session),
        request=record.request_id,
        answered=answered,
        how=how,
        took=record.took_us if by_you else None,
        rule=decision.by if ruled and decision is not None else record.why,
    )


def _answer(record: HistoryRecord, you: str) -> tuple[Answered, str]:
    decision = record.decision
    if decision is None:
        return "other", str(record.state)
    if not decision.approved:
        return "rejected", "by you" if decision.source is DecisionSource.REVIEWER and decision.by == you else ""
    if decision.source in _AUTO:
        return "auto", f"by {_AUTO[decision.source]}"
    if decision.source is not DecisionSource.REVIEWER:
        return "other", f"approved by {decision.source}"
    return ("you", "") if decision.by == you else ("other", f"approved by {decision.by}")
