"""Layout of documents: wrapping, paging, two columns, and what is visible.

Rows are wrapped only where they are looked at, so a document of any length opens at once. A place is a row and a
part of it, never a count of screen lines, so it survives another width.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise, zip_longest
from typing import overload

from msgspec import Struct
from rich.cells import cell_len, chop_cells

from signoff.present.document.model import Document, Words
from signoff.present.document.rows import Block, Row
from signoff_tui.state.coverage import PaintedRow

__all__ = [
    "LEAST_WIDTH",
    "WIDE",
    "Cell",
    "Reading",
    "Rest",
    "SplitReading",
    "ViewPosition",
    "Viewport",
    "VisibleLine",
    "can_be_split",
]


COUNTED = 60
"""Most rows below the view that are wrapped to be counted: they have to be made for it, before the page shows."""

LONG = 20_000
"""Characters of a row whose cells are not measured one by one."""


class ViewPosition(Struct, frozen=True, order=True):
    """The topmost visible line: a row, and which wrapped part of it."""

    row: int
    part: int = 0


class Cell(Struct, frozen=True):
    """What a column shows on one line of the view.

    Attributes:
        row: Row of the documents.
        part: Which wrapped part of it.
        parts: How many parts it has, one more if the rest is cut off.
        start: First character of the row's text on this line.
        end: The character after the last one.
        cut: Whether the row goes on to the right of the view, where it cannot be seen.
    """

    row: int
    part: int
    parts: int
    start: int
    end: int
    cut: bool = False


class VisibleLine(Struct, frozen=True):
    """One line of the view.

    Attributes:
        row: Row of the reading, as places name it.
        part: Which line of that row.
        columns: What the columns show: one over the whole width, or before and after; None where one is empty.
    """

    row: int
    part: int
    columns: tuple[Cell | None, ...]

    @property
    def cells(self) -> Iterator[Cell]:
        """What it shows."""
        return (cell for cell in self.columns if cell is not None)


class Rest(Struct, frozen=True):
    """What lies below a view.

    Attributes:
        rows: Rows of the screen that it takes.
        more: Whether it may be more: so much follows that it was not wrapped to be counted.
        line: The line that goes on below, by its number; None if it ends in the view.
    """

    rows: int
    more: bool = False
    line: int | None = None


class Reading:
    """Documents one after the other, read in a view of some size. Each of their rows is a row of the reading.

    Args:
        documents: What to read; at least one.
        width: Cells available for text, without the gutter.
        wrap: Whether rows that are too wide are wrapped rather than cut.
    """

    def __init__(self, documents: Sequence[Document], width: int = 80, *, wrap: bool = True) -> None:
        self.documents = tuple(documents)
        self._starts = _running_totals(len(document) for document in self.documents)
        self._unit_starts = _running_totals(document.units for document in self.documents)
        self.emphasis = lru_cache(maxsize=512)(self._emphasis)
        """Spans of the changed words in a row of the documents, by its index."""
        self.set_width(width, wrap=wrap)

    def set_width(self, width: int, *, wrap: bool = True) -> None:
        """Wrap, or cut, at another width."""
        self.width = max(width, 1)
        self.wrap = wrap
        self._laid_out = lru_cache(maxsize=2048)(self._lay_out)

    @property
    def layout(self) -> int:
        """Tells the ways to break rows into lines apart: parts shown in one way are no parts in another."""
        return self.width if self.wrap else 0

    # -- rows of the documents -------------------------------------------------------------------------

    def locate(self, index: int) -> tuple[Document, int]:
        """The document of a row, and the row's index in it."""
        which = bisect_right(self._starts, index) - 1
        return self.documents[which], index - self._starts[which]

    def row(self, index: int) -> Row:
        """A row of the documents."""
        document, inner = self.locate(index)
        return document.row(inner)

    @property
    def units(self) -> int:
        """Coverage units of all documents."""
        return self._unit_starts[-1]

    def unit(self, index: int) -> int | None:
        """The coverage unit of a row, counted over all documents."""
        which = bisect_right(self._starts, index) - 1
        unit = self.documents[which].unit_at(index - self._starts[which])
        return None if unit is None else self._unit_starts[which] + unit

    # -- rows of the reading ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._starts[-1]

    def rows_at(self, index: int) -> tuple[int | None, ...]:
        """The rows of the documents that a row of the reading shows, column by column."""
        return (index,)

    def index_of(self, row: int) -> int:
        """The row of the reading that shows a row of the documents."""
        return row

    def width_of(self, columns: int) -> int:
        """Cells for the text of a column where there are so many of them."""
        return self.width

    def unit_from(self, place: ViewPosition) -> int | None:
        """The first coverage unit at a place or below, or None if there is none."""
        rows = (row for index in range(place.row, len(self)) for row in self.rows_at(index) if row is not None)
        return next((unit for row in rows if (unit := self.unit(row)) is not None), None)

    def place_of_unit(self, unit: int) -> ViewPosition:
        """Where a coverage unit begins."""
        which = bisect_right(self._unit_starts, unit) - 1
        row = self._starts[which] + self.documents[which].row_of_unit(unit - self._unit_starts[which])
        return ViewPosition(self.index_of(row))

    def place_of_document(self, number: int) -> ViewPosition:
        """Where a document begins."""
        return ViewPosition(self.index_of(self._starts[number]))

    def document_at(self, place: ViewPosition) -> int:
        """Which document a place is in."""
        row = next((row for row in self.rows_at(place.row) if row is not None), 0)
        return bisect_right(self._starts, row) - 1

    # -- what is visible -------------------------------------------------------------------------------

    def window(self, top: ViewPosition, height: int) -> tuple[VisibleLine, ...]:
        """The lines a view of some height shows from a place on."""
        return tuple(islice(self._lines_from(top), height))

    def parts(self, visible: Sequence[VisibleLine]) -> tuple[PaintedRow, ...]:
        """What of the coverage units the lines show."""
        found = []
        for cell in (cell for item in visible for cell in item.cells):
            unit = self.unit(cell.row)
            if unit is not None:
                found.append(PaintedRow(unit, cell.part, cell.parts))
        return tuple(found)

    def whole_units(self, visible: Sequence[VisibleLine]) -> frozenset[int]:
        """The coverage units of which the lines show every part."""
        counts = Counter(part.unit for part in self.parts(visible))
        return frozenset(part.unit for part in self.parts(visible) if counts[part.unit] == part.count)

    # -- moving ----------------------------------------------------------------------------------------

    def down(self, top: ViewPosition, lines: int, height: int) -> ViewPosition:
        """The place some lines further down, at most so far that the last line is at the bottom."""
        place = top
        for index, visible in enumerate(self._lines_from(top)):
            if index == lines:
                place = ViewPosition(visible.row, visible.part)
                break
        else:
            return self.last(height)
        return max(self.within(place, height), min(place, top))

    def up(self, top: ViewPosition, lines: int) -> ViewPosition:
        """The place some lines further up."""
        row, part = top.row, top.part
        for _ in range(lines):
            if part > 0:
                part -= 1
            elif row > 0:
                row -= 1
                part = self._height(row) - 1
            else:
                break
        return ViewPosition(row, part)

    def last(self, height: int) -> ViewPosition:
        """The place from which the end of the text is at the bottom of the view."""
        if not len(self):
            return ViewPosition(0)
        end = len(self) - 1
        return self.up(ViewPosition(end, self._height(end) - 1), max(height - 1, 0))

    def within(self, top: ViewPosition, height: int) -> ViewPosition:
        """A place, or the one from which the end of the text is at the bottom if that comes before it."""
        # Every row takes a line: rows at the end need not be made to know that they are far away.
        return top if top.row + height <= len(self) else min(top, self.last(height))

    def at_end(self, top: ViewPosition, height: int) -> bool:
        """Whether the view shows the end of the text."""
        return top.row + height >= len(self) and top >= self.last(height)

    def next_hunk(self, top: ViewPosition) -> ViewPosition | None:
        """The next hunk or file heading below a place."""
        return self._heading_at(bisect_right(self._headings, top.row))

    def previous_hunk(self, top: ViewPosition) -> ViewPosition | None:
        """The hunk or file heading above a place."""
        return self._heading_at(bisect_left(self._headings, top.row) - 1)

    def hunk_at(self, top: ViewPosition) -> tuple[int, int]:
        """Which hunk or file a place is in, from 1, or 0 above the first; and how many there are."""
        return bisect_right(self._headings, top.row), len(self._headings)

    def hunk_place(self, number: int) -> ViewPosition | None:
        """Where a hunk or file heading is, by its number from 0; None if there is none."""
        return self._heading_at(number)

    def rest(self, visible: Sequence[VisibleLine]) -> Rest:
        """What lies below some lines of the view, counted as it is wrapped there."""
        if not visible:
            return Rest(0)
        last = visible[-1]
        below = self._height(last.row) - last.part - 1
        following = range(last.row + 1, len(self))
        more = len(following) > COUNTED
        # They would have to be made to be counted as they are wrapped: of many, every one takes a row at least.
        rows = below + (len(following) if more else sum(map(self._height, following)))
        if not below:
            return Rest(rows, more)
        # Of two columns, the longer one goes on.
        cell = max(last.cells, key=lambda cell: cell.parts)
        row = self.row(cell.row)
        return Rest(rows, more, row.new_no or row.old_no or cell.row + 1)

    # -- finding ---------------------------------------------------------------------------------------

    def find(self, words: Words, row: int, *, forward: bool) -> int | None:
        """The next row of the documents that holds words as they are shown, from a row on; or the one above it.

        Where the text ends, it goes on at the other end.
        """
        end = self._starts[-1]
        if forward:
            stretches = [range(row, end), range(row)]
        else:
            stretches = [range(row - 1, -1, -1), range(end - 1, row - 1, -1)]
        return next((found for rows in stretches if (found := self._find(words, rows)) is not None), None)

    def place_of(self, words: Words, row: int) -> ViewPosition:
        """Where words begin that a row of the documents holds."""
        first = next(words.spans(self.row(row).text.text), (0, 0))[0]
        index = self.index_of(row)
        for part, columns in enumerate(zip_longest(*self._laid_out(index))):
            if any(cell is not None and cell.row == row and cell.start <= first < cell.end for cell in columns):
                return ViewPosition(index, part)
        return ViewPosition(index)

    def _find(self, words: Words, rows: range) -> int | None:
        """The first of some rows, in their order, that holds words."""
        stretches = list(zip(self.documents, pairwise(self._starts), strict=True))
        for document, (start, stop) in stretches if rows.step > 0 else reversed(stretches):
            low, high = max(min(rows, default=0), start), min(max(rows, default=-1), stop - 1)
            inner = range(low - start, high - start + 1)
            found = document.find(words, inner if rows.step > 0 else reversed(inner))
            if found is not None:
                return start + found
        return None

    # -- parts -----------------------------------------------------------------------------------------

    def _lines_from(self, top: ViewPosition) -> Iterator[VisibleLine]:
        first = top.part
        for row in range(top.row, len(self)):
            columns = self._laid_out(row)
            height = max(map(len, columns))
            # Another width may have left fewer parts than the place names.
            for part in range(min(first, height - 1), height):
                yield VisibleLine(
                    row, part, tuple(cells[part] if part < len(cells) else None for cells in columns)
                )
            first = 0

    def _height(self, index: int) -> int:
        """Lines that a row of the reading takes."""
        return max(len(column) for column in self._laid_out(index))

    def _lay_out(self, index: int) -> tuple[Sequence[Cell], ...]:
        """The lines of each column of a row of the reading."""
        rows = self.rows_at(index)
        width = self.width_of(len(rows))
        return tuple(() if row is None else self._column(row, width) for row in rows)

    def _column(self, row: int, width: int) -> Sequence[Cell]:
        text = self.row(row).text.text
        if self.wrap and len(text) > LONG:
            return _LongRow(row, len(text), width if text.isascii() else max(width // 2, 1))
        spans = _broken(text, width) if self.wrap else _cut(text, width)
        cut = spans[-1][1] < len(text)
        # What is cut off is a part that is never shown.
        return tuple(Cell(row, part, len(spans) + cut, *span, cut) for part, span in enumerate(spans))

    @cached_property
    def _headings(self) -> Sequence[int]:
        """Rows of the reading that are headings of hunks or files."""
        pairs = zip(self._starts, self.documents, strict=False)
        return [self.index_of(start + hunk) for start, document in pairs for hunk in document.hunks]

    def _heading_at(self, number: int) -> ViewPosition | None:
        return ViewPosition(self._headings[number]) if 0 <= number < len(self._headings) else None

    def _emphasis(self, index: int) -> tuple[tuple[int, int], ...]:
        document, inner = self.locate(index)
        return document.emphasis(inner)


class _LongRow(Sequence[Cell]):
    """The lines of a very long row, made where they are looked at: all of them at once would take too long.

    Args:
        row: Row of the documents.
        length: Characters of its text.
        step: Characters of each line.
    """

    def __init__(self, row: int, length: int, step: int) -> None:
        self._row, self._length, self._step = row, length, step

    def __len__(self) -> int:
        return (self._length + self._step - 1) // self._step

    @overload
    def __getitem__(self, part: int) -> Cell: ...

    @overload
    def __getitem__(self, part: slice) -> Sequence[Cell]: ...

    def __getitem__(self, part: int | slice) -> Cell | Sequence[Cell]:
        if isinstance(part, slice):
            return [self[each] for each in range(*part.indices(len(self)))]
        start = range(0, self._length, self._step)[part]
        return Cell(self._row, start // self._step, len(self), start, min(start + self._step, self._length))


def _broken(text: str, width: int) -> Sequence[tuple[int, int]]:
    """Where a text is broken so that no line is wider than some cells."""
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return ((0, len(text)),)
    if text.isascii():
        return [(start, min(start + width, len(text))) for start in range(0, len(text), width)]
    ends = list(accumulate(len(piece) for piece in chop_cells(text, width)))
    return list(pairwise([0, *ends]))


def _cut(text: str, width: int) -> Sequence[tuple[int, int]]:
    """How much of a text there is room for, with a cell for the sign that it goes on."""
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return ((0, len(text)),)
    return ((0, len(chop_cells(text[:LONG], max(width - 1, 1))[0])),)


def _running_totals(sizes: Iterable[int]) -> list[int]:
    return list(accumulate(sizes, initial=0))


# -- Reading a change in two columns: what was before on the left, what would be after on the right.

LEAST_WIDTH = 110
"""Cells of a view in which two columns are wide enough to read."""

WIDE = 160
"""Columns of a terminal in which a change takes two of them unless somebody wants it otherwise."""


def can_be_split(documents: Sequence[Document]) -> bool:
    """Whether any of the documents has a before and an after."""
    return any(document.kind.has_sides for document in documents)


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
    if document.kind.has_sides:
        return document.sides
    rows = range(len(document))
    return (Block(rows, rows, whole=True),) if rows else ()


def _first(block: Block) -> int:
    return min(rows.start for rows in (block.before, block.after) if rows)


# -- What of a reading is visible in a view of some height, and how one gets to the rest of it. No widgets.


class Viewport:
    """The place of the reader: it stays at a row and a part of it, whatever the width.

    Args:
        height: Lines of the view; 0 while it has no size.
        moved: Called when the reader went somewhere, also when that led nowhere else.
    """

    def __init__(self, height: Callable[[], int], moved: Callable[[], None]) -> None:
        self._height_now = height
        self._moved = moved
        self.reading: Reading | None = None
        """What is read; None while there is nothing to read."""
        self.top = ViewPosition(0)
        """The topmost line."""
        self.visible: tuple[VisibleLine, ...] = ()
        """The lines of the view."""
        self.at_hunk: int | None = None
        """The hunk heading that was gone to, from 0; None once it was left behind."""

    # -- where the reader is -----------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether the end of the text is visible."""
        return self.reading is None or self.reading.at_end(self.top, self._height)

    @property
    def top_row(self) -> int:
        """The row of the documents at the top of the view."""
        if self.reading is None or not len(self.reading):
            return 0
        return next(row for row in self.reading.rows_at(self.top.row) if row is not None)

    @property
    def first_row(self) -> int:
        """The row of the documents on the first visible line."""
        return next(cell.row for cell in self.visible[0].cells) if self.visible else 0

    @property
    def document_at_top(self) -> int:
        """Which of the documents is at the top of the view, from 0."""
        return 0 if self.reading is None or not len(self.reading) else self.reading.document_at(self.top)

    def unseen_on_screen(self, is_shown: Callable[[int], bool]) -> int:
        """How many coverage units are wholly visible now and were not shown for long enough yet."""
        visible = () if self.reading is None else self.reading.whole_units(self.visible)
        return sum(not is_shown(unit) for unit in visible)

    def first_unseen(self, is_shown: Callable[[int], bool]) -> int | None:
        """The first coverage unit that was not shown and is not visible now; None when there is none."""
        if self.reading is None:
            return None
        visible, units = self.reading.whole_units(self.visible), range(self.reading.units)
        return next((unit for unit in units if unit not in visible and not is_shown(unit)), None)

    # -- moving ------------------------------------------------------------------------------------------

    def scroll_lines(self, lines: int) -> None:
        """Scroll by lines, down for positive numbers."""
        if self.reading is None:
            return
        if lines > 0:
            self.scroll(self.reading.down(self.top, lines, self._height))
        else:
            self.scroll(self.reading.up(self.top, -lines))

    def scroll_pages(self, pages: float) -> None:
        """Scroll by pages, one line of overlap."""
        self.scroll_lines(round(max(self._height - 1, 1) * pages))

    def go_home(self) -> None:
        """Go to the first line."""
        self.scroll(ViewPosition(0))

    def go_end(self) -> None:
        """Go to the last line."""
        if self.reading is not None:
            self.scroll(self.reading.last(self._height))

    def go_document(self, number: int) -> bool:
        """Go to the beginning of a document; False when it is there already."""
        return self.reading is not None and self.go(self.reading.place_of_document(number))

    def scroll(self, place: ViewPosition) -> None:
        """Put a place at the top; what was pointed at is left behind, unless nothing moves."""
        if self.go(place):
            self.at_hunk = None

    def go(self, place: ViewPosition) -> bool:
        """Put a place at the top, as far as the text reaches; False when nothing moves."""
        before = self.top
        self.top = place
        self.lay_out()
        self._moved()
        return self.top != before

    def lay_out(self) -> None:
        """Find out which lines are visible."""
        self.visible = ()
        if self.reading is not None and self._height_now():
            # A view that grew shows the end at its bottom rather than blank lines.
            self.top = self.reading.within(self.top, self._height)
            self.visible = self.reading.window(self.top, self._height)

    @property
    def _height(self) -> int:
        return max(self._height_now(), 1)
