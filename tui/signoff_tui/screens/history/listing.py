"""Which records are listed, and which one the cursor is on: bound to the record, not to its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from signoff.filter import Found
from signoff.queue import HistoryRecord
from signoff_tui.screens.history.order import oddities
from signoff_tui.screens.history.together import Act, Together, acts_in

__all__ = ["Item", "Listing"]


class Item(Struct, frozen=True):
    """One row of the list: a record, or several that were decided together.

    Attributes:
        record: The record; the newest of several.
        together: What it stands for, or belongs to; None if it was decided alone.
        heads: Whether it stands for all of them.
        size: How many were decided together, listed or not.
        odd: What is odd between it and the next older row, in words; empty if nothing is.
    """

    record: HistoryRecord
    together: Together | None = None
    heads: bool = False
    size: int = 1
    odd: str = ""


Height = Callable[[Item], int]
"""How many lines a row takes."""


class Listing:
    """Records, newest first, with a cursor. What was decided together is one row that opens to its members."""

    def __init__(self) -> None:
        self.records: list[HistoryRecord] = []
        self.more = False
        """Whether there are older ones that fit, or that nobody looked at."""
        self.looked_to: int | None = None
        """Seq of the oldest record that was looked at, if older ones were not."""
        self.arrived = 0
        """Records that came since the cursor was last on top."""
        self.items: list[Item] = []
        """The rows."""
        self._sizes: dict[Act, int] = {}
        self._whole = False
        self._open: set[Act] = set()
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
        """What the cursor is on."""
        return self.items[self._index] if self.items else None

    @property
    def current(self) -> HistoryRecord | None:
        """The record that the cursor is on; the newest of several."""
        return None if self.item is None else self.item.record

    @property
    def rows(self) -> Sequence[tuple[int, int]]:
        """Index of a row and of one of its lines, for each line."""
        return self._lines

    @property
    def cursor_row(self) -> int | None:
        """First line of what the cursor is on."""
        return self._first_lines[self._index] if self.items else None

    def show(self, found: Found, *, whole: bool = False) -> None:
        """List other records. The cursor stays on its record, or goes to the nearest older one.

        Args:
            found: The records.
            whole: Whether every record is listed, so that one which is not there is missing.
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

    def add_sizes(self, sizes: Mapping[Act, int]) -> bool:
        """Take over how many records acts have, listed or not; returns whether that says more than the list."""
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
        """Whether the members of what was decided together are listed below it."""
        return item.together is not None and item.together.act in self._open

    def set_open(self, *, open_: bool) -> bool:
        """Open or close what the cursor is on; returns whether that changed something.

        Whoever closes among the members is on the row that stands for them then.
        """
        item = self.item
        if item is None or item.together is None or self.is_open(item) is open_:
            return False
        act = item.together.act
        self._open = self._open | {act} if open_ else self._open - {act}
        self._cursor, self._on_head = item.together.records[0].seq, True
        self._place_rows()
        return True

    def lay_out(self, height: Height) -> None:
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
            self.items.append(Item(members[0], together, heads=True, size=size, odd="" if open_ else inside))
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
        """Whether the cursor is on a row if it was on a record, or on the row that stands for it and others."""
        if item.heads and item.together is not None and (heads or not self.is_open(item)):
            return item.together.records[-1].seq <= seq <= item.together.records[0].seq
        return not item.heads and item.record.seq == seq

    def _end(self, found: Found) -> None:
        self.more = found.more or found.stopped_at is not None
        if found.stopped_at is not None:
            self.looked_to = found.stopped_at
        else:
            self.looked_to = found.records[-1].seq if found.more and found.records else None
