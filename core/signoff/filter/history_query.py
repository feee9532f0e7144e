"""Filtering of the history: the queue looks up what it can, the rest is matched record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from msgspec import Struct

from signoff.filter.evaluate import span_of_time
from signoff.filter.fields import Span, Viewpoint, amount_span, length_of
from signoff.filter.grammar import All, Expression, Operator, Pair, Value
from signoff.filter.query import Query
from signoff.filter.subjects import of_record
from signoff.queue.history import HistoryFilter, HistoryRecord
from signoff.queue.records import RequestState

__all__ = ["MOST_LOOKED_AT", "Found", "History", "narrowed", "search_history"]

MOST_LOOKED_AT = 200_000
"""Most records that one search looks at."""

_PAGE = 500
_LATEST = 2**63 - 1

_STATES = {
    ("decision", "approved"): {RequestState.APPROVED},
    ("decision", "rejected"): {RequestState.REJECTED},
    ("decision", "soft"): {RequestState.REJECTED},
    ("decision", "hard"): {RequestState.REJECTED},
    ("decision", "stopped"): {RequestState.REJECTED},
    ("decision", "expired"): {RequestState.EXPIRED},
    ("is", "expired"): {RequestState.EXPIRED},
    ("is", "gone"): {RequestState.WITHDRAWN},
    ("scope", "once"): {RequestState.APPROVED},
    ("scope", "session"): {RequestState.APPROVED},
}
_ENDED = frozenset(state for state in RequestState if state.final)


class History(Protocol):
    """The part of a review queue that is used here."""

    def history(
        self, which: HistoryFilter | None = None, *, before: int | None = None, limit: int = 100
    ) -> tuple[HistoryRecord, ...]:
        """A page of history, newest first, of records with seq below `before`."""


class Found(Struct, frozen=True):
    """The result of a search of the history.

    Attributes:
        records: The records, newest first.
        more: True if there are more than were wanted.
        stopped_at: Seq of the last record that was looked at, if the search gave up there before older ones;
            ``before`` set to it searches those. None if it looked at all it had to.
    """

    records: tuple[HistoryRecord, ...]
    more: bool = False
    stopped_at: int | None = None


def search_history(
    history: History,
    query: Query,
    view: Viewpoint,
    which: HistoryFilter | None = None,
    *,
    before: int | None = None,
    limit: int = 100,
    most: int = MOST_LOOKED_AT,
) -> Found:
    """Find records that a filter keeps, newest first.

    Args:
        history: The history.
        query: The filter.
        view: The viewpoint of the filter.
        which: Further conditions.
        before: Only records with a lower seq.
        limit: Most records that are wanted.
        most: Most records that are looked at.
    """
    narrow = narrowed(query, view, which or HistoryFilter())
    if narrow is None:
        return Found(())
    test = query.test(view)
    found: list[HistoryRecord] = []
    looked_at = 0
    for record in _newest_first(history, narrow, before):
        if looked_at >= most:
            return Found(tuple(found), stopped_at=before)
        looked_at, before = looked_at + 1, record.seq
        if test(of_record(record)):
            if len(found) == limit:
                return Found(tuple(found), more=True)
            found.append(record)
    return Found(tuple(found))


def narrowed(query: Query, view: Viewpoint, which: HistoryFilter) -> HistoryFilter | None:
    """Return the narrowest queue filter that all kept records fit, or None if there can be no record.

    Args:
        query: The filter.
        view: The viewpoint of the filter.
        which: Further conditions.
    """
    states = which.states or _ENDED
    span = Span(which.since, which.until)
    names: dict[str, str | None] = {
        "agent": which.agent_name,
        "session": which.session,
        "tool": which.tool_name,
        "by": which.decided_by,
    }
    for pair in _pairs(query.expression):
        states &= _states_of(pair)
        span = _overlap(span, _span_of(pair, view))
        if pair.operator is Operator.EQUAL and len(pair.values) == 1 and pair.name in names:
            wanted = pair.values[0].text
            if names[pair.name] not in (None, wanted):
                return None
            names[pair.name] = wanted
    if not states or (span.first is not None and span.last is not None and span.first > span.last):
        return None
    return replace(
        which,
        states=frozenset() if states == _ENDED else states,
        since=None if span.first is None else max(0, min(_LATEST, span.first)),
        until=None if span.last is None else max(0, min(_LATEST, span.last)),
        agent_name=names["agent"],
        session=names["session"],
        tool_name=names["tool"],
        decided_by=names["by"],
    )


def _newest_first(history: History, which: HistoryFilter, before: int | None) -> Iterator[HistoryRecord]:
    while page := history.history(which, before=before, limit=_PAGE):
        yield from page
        before = page[-1].seq


def _pairs(expression: Expression | None) -> Iterator[Pair]:
    """The pairs that all kept records fit."""
    match expression:
        case Pair():
            yield expression
        case All(parts):
            for part in parts:
                yield from _pairs(part)


def _states_of(pair: Pair) -> frozenset[RequestState]:
    known = [_STATES.get((pair.name, value.text.lower()), _ENDED) for value in pair.values]
    return frozenset().union(*known)


def _span_of(pair: Pair, view: Viewpoint) -> Span:
    """All times that any of the values lets through."""
    read: Callable[[Value], Span]
    match pair.name:
        case "since" | "until" | "on":

            def read(value: Value) -> Span:
                return span_of_time(pair.name, value.text, view)
        case "age":

            def read(value: Value) -> Span:
                return _times_of(amount_span(value.text, pair.operator, length_of), view)
        case _:
            return Span()
    return _around([read(value) for value in pair.values])


def _times_of(age: Span, view: Viewpoint) -> Span:
    # A time that seems to be in the future has no age, so it counts as new.
    last = None if not age.first else view.now - age.first
    return Span(None if age.last is None else view.now - age.last, last)


def _around(spans: Sequence[Span]) -> Span:
    firsts, lasts = [span.first for span in spans], [span.last for span in spans]
    return Span(
        None if None in firsts else min(first for first in firsts if first is not None),
        None if None in lasts else max(last for last in lasts if last is not None),
    )


def _overlap(one: Span, other: Span) -> Span:
    firsts = [first for first in (one.first, other.first) if first is not None]
    lasts = [last for last in (one.last, other.last) if last is not None]
    return Span(max(firsts, default=None), min(lasts, default=None))
