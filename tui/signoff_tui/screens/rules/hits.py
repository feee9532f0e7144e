"""The number of times that each rule asked or decided, as far as the history says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from signoff.queue import DecisionSource, HistoryRecord, ReviewQueue

if TYPE_CHECKING:
    from signoff.config.report import RuleRow

__all__ = ["MOST_READ", "HitCounts", "Hits", "add_newer"]

MOST_READ = 1_000
"""The most records of the history that are looked at; their number is shown."""

_PAGE = 200


class Hits(Struct, frozen=True):
    """The calls of one rule in the history.

    Attributes:
        asked: Number of calls that it asked about.
        decided: Number of calls that it answered by itself.
    """

    asked: int = 0
    decided: int = 0

    @property
    def total(self) -> int:
        """The number of both."""
        return self.asked + self.decided


class HitCounts(Struct, frozen=True):
    """The counts of a reading of the history.

    Attributes:
        looked_at: Number of records.
        newest: Seq of the newest one.
        asking: Number of times that each reason for asking was given.
        deciding: Number of times that each rule decided.
    """

    looked_at: int = 0
    newest: int = 0
    asking: Counter[str] = field(default_factory=Counter)
    deciding: Counter[str] = field(default_factory=Counter)

    def of(self, rule: RuleRow) -> Hits:
        """Return the calls of a rule."""
        return Hits(_sum(rule, self.asking), _sum(rule, self.deciding))


def add_newer(queue: ReviewQueue, known: HitCounts) -> HitCounts:
    """Read the records that are not counted yet, and count them.

    Args:
        queue: An open connection.
        known: The counts so far.

    Raises:
        QueueError: The queue cannot be read.
    """
    fresh: list[HistoryRecord] = []
    before = None
    while known.looked_at + len(fresh) < MOST_READ or not fresh:
        page = queue.history(before=before, limit=_PAGE)
        fresh += [record for record in page if record.seq > known.newest]
        if len(page) < _PAGE or page[-1].seq <= known.newest:
            break
        before = page[-1].seq
    if not fresh:
        return known
    asking, deciding = known.asking.copy(), known.deciding.copy()
    asking.update(_reasons(fresh))
    deciding.update(_rules(fresh))
    return HitCounts(known.looked_at + len(fresh), fresh[0].seq, asking, deciding)


def _reasons(records: Iterable[HistoryRecord]) -> Iterable[str]:
    return (record.why for record in records if record.why)


def _rules(records: Iterable[HistoryRecord]) -> Iterable[str]:
    decisions = (record.decision for record in records)
    return (each.by for each in decisions if each is not None and each.source is DecisionSource.RULE)


def _sum(rule: RuleRow, said: Counter[str]) -> int:
    return sum(number for words, number in said.items() if rule.asked(words))
