"""Which records are listed, and which one the cursor is on: bound to the record, not to its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from signoff.filtering import Found
from signoff.queue import HistoryRecord

__all__ = ["Listing"]

Height = Callable[[HistoryRecord], int]
"""How many rows a record takes."""


class Listing:
    """Records, newest first, with a cursor."""

    def __init__(self) -> None:
        self.records: list[HistoryRecord] = []
        self.more = False
        """Whether there are older ones that fit, or that nobody looked at."""
        self.looked_to: int | None = None
        """Seq of the oldest record that was looked at, if older ones were not."""
        self.arrived = 0
        """Records that came since the cursor was last on top."""
        self._cursor: int | None = None
        self._rows: list[tuple[int, int]] = []
        self._first_rows: list[int] = []

    @property
    def index(self) -> int:
        """Where the cursor is; 0 if nothing is listed."""
        return next((at for at, record in enumerate(self.records) if record.seq == self._cursor), 0)

    @property
    def current(self) -> HistoryRecord | None:
        """What the cursor is on."""
        return self.records[self.index] if self.records else None

    @property
    def rows(self) -> Sequence[tuple[int, int]]:
        """Index of a record and of one of its lines, for each row."""
        return self._rows

    @property
    def cursor_row(self) -> int | None:
        """First row of what the cursor is on."""
        return self._first_rows[self.index] if self.records else None

    def show(self, found: Found) -> None:
        """List other records. The cursor stays on its record, or goes to the nearest older one."""
        self.records = list(found.records)
        self._end(found)
        self.arrived = 0
        at = self._cursor
        if at is None:
            self.move_to(0)
        else:
            older = (place for place, record in enumerate(self.records) if record.seq <= at)
            self.move_to(next(older, len(self.records) - 1))

    def add_older(self, found: Found) -> None:
        """List older records below."""
        self.records += found.records
        self._end(found)

    def add_newer(self, records: Sequence[HistoryRecord]) -> None:
        """List newer records above. The cursor stays where it is."""
        self.records[:0] = records
        self.arrived += len(records)

    def step(self, steps: int) -> None:
        """Move the cursor."""
        self.move_to(self.index + steps)

    def move_to(self, index: int) -> None:
        """Put the cursor on a record, or on the first or last one."""
        if not self.records:
            self._cursor = None
            return
        index = max(0, min(index, len(self.records) - 1))
        self._cursor = self.records[index].seq
        if index == 0:
            self.arrived = 0

    def lay_out(self, height: Height) -> None:
        """Count the rows of every record."""
        self._rows, self._first_rows = [], []
        for index, record in enumerate(self.records):
            self._first_rows.append(len(self._rows))
            self._rows += [(index, part) for part in range(height(record))]

    def _end(self, found: Found) -> None:
        self.more = found.more or found.stopped_at is not None
        if found.stopped_at is not None:
            self.looked_to = found.stopped_at
        else:
            self.looked_to = found.records[-1].seq if found.more and found.records else None
