"""Which records one key made: a group, all of an agent, the tagged, or what a stop took along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from signoff.queue import DecisionSource, HistoryFilter, HistoryRecord, ReviewQueue, Risk

__all__ = ["Act", "Together", "act_of", "acts_in", "sizes_of_acts"]

_PAGE = 500

_BY_KEY = frozenset({DecisionSource.REVIEWER, DecisionSource.CASCADE, DecisionSource.GRANT})
"""Who answers requests that wait: a reviewer, or what the reviewer's answer to another one brought with it."""


class Act(NamedTuple):
    """What all records of one act have in common. One transaction has one time, and no two have the same."""

    at: int
    source: DecisionSource
    by: str
    approved: bool
    hard: bool
    held_us: int
    note: str | None


class Together(Struct, frozen=True):
    """Records in one row of the list.

    Attributes:
        act: What they have in common.
        records: Those that are listed, newest first; two at least.
        size: How many there are, listed or not.
    """

    act: Act
    records: tuple[HistoryRecord, ...]
    size: int

    @property
    def as_asked(self) -> tuple[HistoryRecord, ...]:
        """The same in the order in which they were asked, as the inbox lists them."""
        return tuple(sorted(self.records, key=lambda record: record.took_us, reverse=True))

    @property
    def group(self) -> str | None:
        """The group that all of them belong to, or None."""
        groups = {record.group_id for record in self.records}
        return groups.pop() if len(groups) == 1 else None

    @property
    def name(self) -> str | None:
        """What the agent calls all of them: their group, or the batch that a stop took along."""
        batches = {record.batch_id for record in self.records}
        if self.act.source is not DecisionSource.CASCADE or len(batches) > 1:
            return self.group
        batch = batches.pop()
        return self.group if batch is None else f"batch {batch}"

    @property
    def high(self) -> int:
        """How many are of HIGH risk."""
        return sum(record.risk is Risk.HIGH for record in self.records)

    @property
    def least_shown(self) -> HistoryRecord:
        """The one of which least was shown."""
        return min(self.records, key=_shown)

    @property
    def longest(self) -> HistoryRecord:
        """The one that waited longest."""
        return max(self.records, key=lambda record: record.took_us)

    @property
    def agents(self) -> tuple[str, ...]:
        """Who asked."""
        return tuple(dict.fromkeys(record.agent_name for record in self.records))


def _shown(record: HistoryRecord) -> float:
    shown = None if record.decision is None else record.decision.shown
    return 2.0 if shown is None else shown


def act_of(record: HistoryRecord) -> Act | None:
    """The act that a record is of; None if nobody can have decided about several with it."""
    decision = record.decision
    if decision is None or record.request_id is None or decision.source not in _BY_KEY:
        return None
    return Act(
        record.at,
        decision.source,
        decision.by,
        decision.approved,
        decision.hard,
        decision.held_us,
        decision.note,
    )


def acts_in(records: Sequence[HistoryRecord]) -> Iterator[tuple[Act | None, Sequence[HistoryRecord]]]:
    """The records of each act, in their order; a record that belongs to none stands alone."""
    for _, found in groupby(records, key=lambda record: act_of(record) or record.seq):
        members = tuple(found)
        yield act_of(members[0]), members


def sizes_of_acts(queue: ReviewQueue, records: Sequence[HistoryRecord]) -> Mapping[Act, int]:
    """How many records each act has of which records are listed.

    Args:
        queue: An open connection.
        records: What is listed, newest first.

    Raises:
        QueueError: The queue cannot be read.
    """
    sizes: dict[Act, int] = {}
    above: int | None = None
    runs = list(acts_in(records))
    for (act, members), (_, following) in pairwise([*runs, (None, ())]):
        newest, oldest = members[0].seq, members[-1].seq
        # Between two neighbors of other acts, nothing of this one can be missing.
        whole = newest - oldest + 1 == len(members) and above == newest + 1
        whole &= bool(following) and following[0].seq == oldest - 1
        above = oldest
        if act is not None:
            sizes[act] = len(members) if whole else _size(queue, act)
    return sizes


def _size(queue: ReviewQueue, act: Act) -> int:
    which = HistoryFilter(since=act.at, until=act.at)
    number, before = 0, None
    while page := queue.history(which, before=before, limit=_PAGE):
        number += sum(act_of(record) == act for record in page)
        before = page[-1].seq
        if len(page) < _PAGE:
            break
    return number
