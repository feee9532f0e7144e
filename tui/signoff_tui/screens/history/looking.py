"""Reads the history: pages of what a filter keeps, and what is new. Everything here runs in a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.filter import (
    Found,
    Query,
    Viewpoint,
    existing_values,
    narrowed,
    of_record,
    search_history,
)
from signoff.queue import HistoryFilter, HistoryRecord, ReviewQueue

__all__ = [
    "MOST",
    "PAGE",
    "STEP",
    "Around",
    "Newer",
    "look_around",
    "look_for_newer",
    "look_for_older",
    "look_for_values",
]

PAGE = 500
"""Records that are listed at once; older ones follow when the end is reached."""
STEP = 5_000
"""Records that are looked at in one go: between them, another filter may take over."""
MOST = 50_000
"""Records that are looked at for one page; whoever goes to the end again looks further."""
_NEWS = 50


class Around(Struct, frozen=True):
    """What the screen says besides the records.

    Attributes:
        head: Seq of the newest record, whatever the filter; 0 if there is none.
        oldest: Seq of the oldest one.
        waiting: Requests that wait.
        high: Those of them with HIGH risk.
        numbers: Numbers of the remembered approvals, by their id.
    """

    head: int = 0
    oldest: int = 1
    waiting: int = 0
    high: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many records there are: there are no gaps."""
        return max(self.head - self.oldest + 1, 0)


class Newer(Struct, frozen=True):
    """What is new.

    Attributes:
        records: Those that the filter keeps, newest first.
        around: What the screen says besides.
    """

    records: tuple[HistoryRecord, ...]
    around: Around


def look_around(queue: ReviewQueue, before: Around | None = None) -> Around:
    """Read what the screen says besides the records.

    Args:
        queue: An open connection.
        before: What was read before: the oldest record is not looked for again.

    Raises:
        QueueError: The queue cannot be read.
    """
    newest = queue.history(limit=1)
    if before is not None and before.head:
        oldest = before.oldest
    else:
        oldest = next((record.seq for record in queue.export()), 1)
    stats = queue.stats()
    numbers = {grant.id: number for number, grant in enumerate(queue.grants(include_revoked=True), 1)}
    head = newest[0].seq if newest else 0
    return Around(head, oldest, stats.pending, stats.pending_high, numbers)


def look_for_older(queue: ReviewQueue, query: Query, view: Viewpoint, before: int | None, wanted: int) -> Found:
    """Look at some records, and return those that the filter keeps.

    Raises:
        QueueError: The queue cannot be read.
    """
    found = search_history(queue, query, view, before=before, limit=wanted, most=STEP)
    if len(found.records) == wanted and found.stopped_at is not None:
        return replace(found, more=True, stopped_at=None)
    return found


def look_for_newer(queue: ReviewQueue, query: Query, view: Viewpoint, known: Around) -> Newer:
    """Look for records that came since.

    Raises:
        QueueError: The queue cannot be read.
    """
    around = look_around(queue, known)
    narrow = narrowed(query, view, HistoryFilter())
    if narrow is None or around.head <= known.head:
        return Newer((), around)
    test = query.test(view)
    found: list[HistoryRecord] = []
    before: int | None = around.head + 1  # what comes after this look is found by the next one
    while page := queue.history(narrow, before=before, limit=_NEWS):
        found += [record for record in page if record.seq > known.head and test(of_record(record))]
        before = page[-1].seq
        if before <= known.head:
            break
    return Newer(tuple(found), around)


def look_for_values(queue: ReviewQueue) -> Mapping[str, Sequence[str]]:
    """Values that the newest records have, by the name of their field.

    Raises:
        QueueError: The queue cannot be read.
    """
    return existing_values(map(of_record, queue.history(limit=PAGE)))
