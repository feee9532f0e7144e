"""The history is searched page by page, and finds what matching every record would find."""

from __future__ import annotations

from collections.abc import Sequence

from filter_samples import DAY, HOUR, MINUTE, NOON, VIEW, YES, record
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import Filtered, narrowed, of_record, parse, search_history
from signoff.filter.history_query import History
from signoff.queue import Decision, DecisionSource, HistoryFilter, HistoryRecord, RequestState

NAMES = ["refactor", "Refactor", "docs"]
RECORDS = st.lists(
    st.builds(
        record,
        agent=st.sampled_from(NAMES),
        state=st.sampled_from([state for state in RequestState if state.final]),
        decision=st.sampled_from(
            [None, YES, Decision(approved=False, source=DecisionSource.CASCADE, by="refactor")]
        ),
        ago=st.sampled_from([-HOUR, 0, 1, MINUTE, MINUTE + 1, 5 * MINUTE, HOUR, 13 * HOUR, 3 * DAY]),
    ),
    max_size=8,
)
PAIRS = st.sampled_from(
    [
        "agent:=refactor", "agent:refactor", "by:=refactor", "decision:approved", "decision:hard,expired",
        "is:gone", "is:gone,closed", "scope:session", "since:1h", "until:1h", "on:today", "age:>1m", "age:<=1m",
        "on:yesterday,2026-11-17", "age:1m", "age:0s..5m", "age:0s,1h", "age:<1m", "-since:1h", "file",
        "(decision:approved | since:1h)",
    ]
)  # fmt: skip
FLAGS = st.builds(
    HistoryFilter,
    agent_name=st.sampled_from([None, "refactor"]),
    states=st.sampled_from([frozenset(), frozenset({RequestState.APPROVED})]),
    since=st.sampled_from([None, NOON - HOUR]),
)


class Shelf:
    """A history in memory that looks up exactly what a queue looks up by these fields."""

    def __init__(self, records: Sequence[HistoryRecord]) -> None:
        self.records = [
            record(
                agent=each.agent_name, state=each.state, decision=each.decision, ago=NOON - each.at, seq=place + 1
            )
            for place, each in enumerate(records)
        ]
        self.read = 0

    def history(
        self, which: HistoryFilter | None = None, *, before: int | None = None, limit: int = 100
    ) -> tuple[HistoryRecord, ...]:
        wanted = [
            each for each in reversed(self.records)
            if (before is None or each.seq < before) and (which is None or _fits(each, which))
        ]  # fmt: skip
        self.read += len(wanted[:limit])
        return tuple(wanted[:limit])


def _fits(one: HistoryRecord, which: HistoryFilter) -> bool:
    return (
        which.agent_name in (None, one.agent_name)
        and (not which.states or one.state in which.states)
        and (which.since is None or one.at >= which.since)
        and (which.until is None or one.at <= which.until)
        and (which.decided_by is None or (one.decision is not None and one.decision.by == which.decided_by))
    )


@given(RECORDS, st.lists(PAIRS, min_size=1, max_size=3), FLAGS)
def test_it_finds_what_matching_every_record_would_find(
    records: list[HistoryRecord], pairs: list[str], which: HistoryFilter
) -> None:
    query = parse(" ".join(pairs), Filtered.HISTORY)
    shelf: History = Shelf(records)
    found = search_history(shelf, query, VIEW, which)
    every = [each for each in shelf.history(which) if query.matches(of_record(each), VIEW)]
    assert [each.seq for each in found.records] == [each.seq for each in every]


def test_what_the_queue_can_look_up_is_not_read() -> None:
    shelf = Shelf([record(), record(state=RequestState.EXPIRED, decision=None), record(ago=2 * HOUR)])
    query = parse("decision:approved since:1h", Filtered.HISTORY)
    assert len(search_history(shelf, query, VIEW).records) == shelf.read == 1


def test_what_cannot_be_is_not_looked_for() -> None:
    shelf = Shelf([record()])
    for text in ("decision:approved is:expired", "since:1h until:2h", "agent:=a agent:=b"):
        assert search_history(shelf, parse(text, Filtered.HISTORY), VIEW).records == ()
    assert shelf.read == 0


def test_a_limit_says_that_there_is_more() -> None:
    shelf = Shelf([record()] * 3)
    query = parse("file", Filtered.HISTORY)
    found = search_history(shelf, query, VIEW, limit=2)
    assert ([each.seq for each in found.records], found.more) == ([3, 2], True)
    assert search_history(shelf, query, VIEW, limit=3).more is False


def test_a_search_that_gives_up_says_where_to_go_on() -> None:
    shelf = Shelf([record(agent="a"), *[record()] * 3])
    query = parse("agent:a", Filtered.HISTORY)
    first = search_history(shelf, query, VIEW, most=2)
    assert (first.records, first.stopped_at) == ((), 3)
    rest = search_history(shelf, query, VIEW, before=first.stopped_at, most=2)
    assert ([each.seq for each in rest.records], rest.stopped_at) == ([1], None)


def test_times_beyond_what_a_database_holds_are_cut_to_it() -> None:
    for text in ("since:999999999w", "until:999999999w", "age:>999999999w"):
        narrow = narrowed(parse(text, Filtered.HISTORY), VIEW, HistoryFilter())
        assert narrow is not None
        assert {narrow.since, narrow.until} <= {None, 0}


def test_the_uses_of_a_remembered_approval_are_found_by_its_id() -> None:
    used, other = (Decision(approved=True, source=DecisionSource.GRANT, by=id_ * 16) for id_ in ("ab", "cd"))
    subjects = [of_record(record(decision=decision)) for decision in (used, other)]
    kept = parse(f"by:{used.by}", Filtered.HISTORY).keep(subjects, VIEW)
    assert [subject.by for subject in kept] == [used.by]
