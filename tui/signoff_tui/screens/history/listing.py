"""The list of records: what one key decided or one cause ended is one row, and the cursor is bound to a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from signoff.filter import Found
from signoff.queue import DecisionSource, HistoryRecord, Risk
from signoff.text.time import local_time
from signoff_tui.screens.history.outcomes import exited

__all__ = ["ActKey", "Item", "Listing", "Together", "act_of", "acts_in", "oddities"]

_BY_KEY = frozenset({DecisionSource.REVIEWER, DecisionSource.CASCADE, DecisionSource.GRANT})
"""Sources that answer waiting requests: a reviewer, or the consequences of the reviewer's answer to another."""


class ActKey(NamedTuple):
    """The key of an act that ended several requests. One transaction has one time, and no two have the same.

    Attributes:
        at: The time.
        cause: True if they were approved, False if rejected; name and session of an agent that exited.
    """

    at: int
    cause: bool | str


class Together(Struct, frozen=True):
    """Records that have one cause.

    Attributes:
        act: The key of the act that ended them.
        records: Those that are listed, newest first; two at least.
        size: Their number, listed or not.
    """

    act: ActKey
    records: tuple[HistoryRecord, ...]
    size: int

    @property
    def as_asked(self) -> tuple[HistoryRecord, ...]:
        """The records in the order in which they were asked, as the inbox lists them."""
        return tuple(sorted(self.records, key=lambda record: record.took_us, reverse=True))

    @property
    def lead(self) -> HistoryRecord | None:
        """The record that a key decided, if that brought an answer to all others with it."""
        decided = [
            record
            for record in self.records
            if record.decision is not None and record.decision.source is DecisionSource.REVIEWER
        ]
        return decided[0] if len(decided) == 1 else None

    @property
    def group(self) -> str | None:
        """The group that all of them belong to, or None."""
        groups = {record.group_id for record in self.records}
        return groups.pop() if len(groups) == 1 else None

    @property
    def note(self) -> str:
        """The words to the agent that all of them got."""
        notes = {record.decision.note for record in self.records if record.decision is not None}
        return (notes.pop() or "") if len(notes) == 1 else ""

    @property
    def high(self) -> int:
        """The number of records of HIGH risk."""
        return sum(record.risk is Risk.HIGH for record in self.records)

    @property
    def least_shown(self) -> HistoryRecord:
        """The record of which least was shown."""
        return min(self.records, key=_shown)

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents that asked, each once."""
        return tuple(dict.fromkeys(record.agent_name for record in self.records))


def _shown(record: HistoryRecord) -> float:
    shown = None if record.decision is None else record.decision.shown
    return 2.0 if shown is None else shown


def act_of(record: HistoryRecord) -> ActKey | None:
    """Return the key of the act that ended a record; None if it cannot have ended others, too."""
    decision = record.decision
    if record.request_id is None:
        return None
    if decision is None:
        return ActKey(record.at, f"{record.agent_name}\0{record.session}") if exited(record) else None
    return ActKey(record.at, decision.approved) if decision.source in _BY_KEY else None


def acts_in(records: Sequence[HistoryRecord]) -> Iterator[tuple[ActKey | None, Sequence[HistoryRecord]]]:
    """Yield the records of each act, in their order; a record that belongs to none stands alone."""
    for _, found in groupby(records, key=lambda record: act_of(record) or record.seq):
        members = tuple(found)
        yield act_of(members[0]), members


# -- What is odd between a record and the next older one: missing records, and a clock that was set back.

BACK_US = 1_000_000
"""Microseconds by which processes may disagree about the time although nobody changed a clock."""


def oddities(records: Sequence[HistoryRecord], *, whole: bool) -> dict[int, str]:
    """Return what to say below records, by their seq.

    Args:
        records: Newest first, which is the order of the queue whatever the clock said.
        whole: True if every record is listed: a filter leaves gaps of its own.
    """
    said: dict[int, str] = {}
    for newer, older in pairwise(records):
        words: list[str] = []
        missing = newer.seq - older.seq - 1
        if whole and missing:
            named = f"{missing} {'record' if missing == 1 else 'records'}"
            words.append(f"-- {named} missing between {older.seq} and {newer.seq} --")
        if newer.at < older.at - BACK_US:
            words.append(f"clock changed {local_time(newer.at, 'minute')}")
        if words:
            said[newer.seq] = "; ".join(words)
    return said


# -- The list.


class Item(Struct, frozen=True):
    """One row of the list: a record, or several that have one cause.

    Attributes:
        record: The record; of several the one that a key decided, or the newest.
        together: The records that it stands for, or belongs to; None if it ended alone.
        heads: True if it stands for all of them.
        size: The number of records that ended together, listed or not.
        odd: An oddity between it and the next older row, in words; empty if there is none.
    """

    record: HistoryRecord
    together: Together | None = None
    heads: bool = False
    size: int = 1
    odd: str = ""


class Listing:
    """Records, newest first, with a cursor. What has one cause is one row that opens to its members."""

    def __init__(self) -> None:
        self.records: list[HistoryRecord] = []
        self.more = False
        """True if there are older records that fit, or that were not looked at."""
        self.looked_to: int | None = None
        """Seq of the oldest record that was looked at, if older ones were not."""
        self.arrived = 0
        """Records that came since the cursor was last on top."""
        self.items: list[Item] = []
        """The rows."""
        self._sizes: dict[ActKey, int] = {}
        self._whole = False
        self._open: set[ActKey] = set()
        self._cursor: int | None = None
        self._on_head = False
        self._index = 0
        self._lines: list[tuple[int, int]] = []
        self._first_lines: list[int] = []

    @property
    def index(self) -> int:
        """The row that the cursor is on; 0 if nothing is listed."""
        return self._index

    @property
    def item(self) -> Item | None:
        """The row under the cursor; None if nothing is listed."""
        return self.items[self._index] if self.items else None

    @property
    def current(self) -> HistoryRecord | None:
        """The record that the cursor is on."""
        return None if self.item is None else self.item.record

    @property
    def rows(self) -> Sequence[tuple[int, int]]:
        """Index of a row and of one of its lines, for each line."""
        return self._lines

    @property
    def cursor_row(self) -> int | None:
        """First line of the row under the cursor; None if nothing is listed."""
        return self._first_lines[self._index] if self.items else None

    def show(self, found: Found, *, whole: bool = False) -> None:
        """List other records. The cursor stays on its record, or goes to the nearest older one.

        Args:
            found: The records.
            whole: True if every record is listed, so that one which is not there is missing.
        """
        self._whole = whole
        self.records, self._sizes = list(found.records), {}
        self._end(found)
        self.arrived = 0
        self._place_rows()
        if self._cursor is None:
            self.move_to(0)

    def add_older(self, found: Found) -> None:
        """List older records below."""
        self.records += found.records
        self._end(found)
        self._place_rows()

    def add_newer(self, records: Sequence[HistoryRecord]) -> None:
        """List newer records above. The cursor stays where it is."""
        self.records[:0] = records
        self.arrived += len(records)
        self._place_rows()

    def add_sizes(self, sizes: Mapping[ActKey, int]) -> bool:
        """Take over the number of records of acts, listed or not; True if that says more than the list."""
        before = self.items
        self._sizes |= sizes
        self._place_rows()
        return self.items != before

    def step(self, steps: int) -> None:
        """Move the cursor."""
        self.move_to(self._index + steps)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, or on the first or last one."""
        if not self.items:
            self._cursor, self._index = None, 0
            return
        self._index = max(0, min(index, len(self.items) - 1))
        item = self.items[self._index]
        self._cursor, self._on_head = item.record.seq, item.heads
        if self._index == 0:
            self.arrived = 0

    def is_open(self, item: Item) -> bool:
        """True if the members of a row that stands for several are listed below it."""
        return item.together is not None and item.together.act in self._open

    def set_open(self, *, open_: bool) -> bool:
        """Open or close the members of the row under the cursor; True if that changed something.

        Closing from one of the members puts the cursor on the row that stands for them.
        """
        item = self.item
        if item is None or item.together is None or self.is_open(item) is open_:
            return False
        act = item.together.act
        self._open = self._open | {act} if open_ else self._open - {act}
        self._cursor, self._on_head = item.together.records[0].seq, True
        self._place_rows()
        return True

    def lay_out(self, height: Callable[[Item], int]) -> None:
        """Count the lines of every row."""
        self._lines, self._first_lines = [], []
        for index, item in enumerate(self.items):
            self._first_lines.append(len(self._lines))
            self._lines += [(index, part) for part in range(height(item))]

    def _place_rows(self) -> None:
        """Make the rows, and find the cursor among them."""
        self.items = []
        odd = oddities(self.records, whole=self._whole)
        for act, members in acts_in(self.records):
            size = max(len(members), 1 if act is None else self._sizes.get(act, 1))
            if act is None or len(members) == 1:
                self.items.append(Item(members[0], size=size, odd=odd.get(members[0].seq, "")))
                continue
            together, open_ = Together(act, tuple(members), size), act in self._open
            inside = "; ".join(odd[member.seq] for member in members if member.seq in odd)
            first = together.lead or members[0]
            self.items.append(Item(first, together, heads=True, size=size, odd="" if open_ else inside))
            if open_:
                self.items += [
                    Item(member, together, size=size, odd=odd.get(member.seq, "")) for member in together.as_asked
                ]
        self._find_cursor()

    def _find_cursor(self) -> None:
        at = self._cursor
        if at is None or not self.items:
            self._index = 0
            return
        records = (record.seq for record in self.records)
        seq = next((seq for seq in records if seq <= at), self.records[-1].seq)
        heads = self._on_head and seq == at
        self.move_to(next(index for index, item in enumerate(self.items) if self._holds(item, seq, heads=heads)))

    def _holds(self, item: Item, seq: int, *, heads: bool) -> bool:
        """True for the row of a record, or the row that stands for it and others: there the cursor goes."""
        if item.heads and item.together is not None and (heads or not self.is_open(item)):
            return item.together.records[-1].seq <= seq <= item.together.records[0].seq
        return not item.heads and item.record.seq == seq

    def _end(self, found: Found) -> None:
        self.more = found.more or found.stopped_at is not None
        if found.stopped_at is not None:
            self.looked_to = found.stopped_at
        else:
            self.looked_to = found.records[-1].seq if found.more and found.records else None
