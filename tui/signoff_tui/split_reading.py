"""Reading a change in two columns: what was before on the left, what would be after on the right."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from signoff.present.document.model import Document
from signoff.present.document.rows import Block
from signoff_tui.reading import Reading

__all__ = ["LEAST_WIDTH", "WIDE", "SplitReading", "can_be_split"]

LEAST_WIDTH = 110
"""Cells of a view in which two columns are wide enough to read."""

WIDE = 160
"""Columns of a terminal in which a change takes two of them unless somebody wants it otherwise."""


def can_be_split(documents: Sequence[Document]) -> bool:
    """Whether any of the documents has a before and an after."""
    return any(document.kind == "diff" for document in documents)


class SplitReading(Reading):
    """Documents one after the other, each change as a left and a right column.

    Args:
        documents: What to read; at least one.
        width: Cells for text that takes the whole width.
        column: Cells for text in one of two columns.
        wrap: Whether rows that are too wide are wrapped rather than cut.
    """

    def __init__(self, documents: Sequence[Document], width: int, column: int, *, wrap: bool = True) -> None:
        self._half = max(column, 1)
        self._blocks: list[tuple[int, Block]] = []
        """The first row of the document of each block, and the block."""
        start = 0
        for document in documents:
            self._blocks += [(start, block) for block in _blocks(document)]
            start += len(document)
        self._block_starts = list(accumulate((len(block) for _, block in self._blocks), initial=0))
        self._first_rows = [start + _first(block) for start, block in self._blocks]
        super().__init__(documents, width, wrap=wrap)

    @property
    def layout(self) -> int:
        """As in the base; never what a reading in one column has, unless rows are cut."""
        return -self._half if self.wrap else 0

    def __len__(self) -> int:
        return self._block_starts[-1]

    def rows_at(self, index: int) -> tuple[int | None, ...]:
        """The row that takes the whole width, or the left and the right one."""
        number = bisect_right(self._block_starts, index) - 1
        start, block = self._blocks[number]
        at = index - self._block_starts[number]
        if block.whole:
            return (start + block.after[at],)
        return tuple(start + rows[at] if at < len(rows) else None for rows in (block.before, block.after))

    def index_of(self, row: int) -> int:
        """The row of the reading that shows a row of the documents."""
        number = bisect_right(self._first_rows, row) - 1
        start, block = self._blocks[number]
        side = block.before if row - start in block.before else block.after
        return self._block_starts[number] + side.index(row - start)

    def width_of(self, columns: int) -> int:
        """Cells for the text of a column where there are so many of them."""
        return self.width if columns == 1 else self._half


def _blocks(document: Document) -> Sequence[Block]:
    if document.kind == "diff":
        return document.sides
    rows = range(len(document))
    return (Block(rows, rows, whole=True),) if rows else ()


def _first(block: Block) -> int:
    return min(rows.start for rows in (block.before, block.after) if rows)
