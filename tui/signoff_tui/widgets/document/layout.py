"""Layout of documents: wrapping, paging, two columns, and the visible lines.

Rows are wrapped only when they are looked at, so a document of any length opens at once. A place is a row and a
part of it, never a count of screen lines, so it survives another width.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise, zip_longest
from typing import overload

from msgspec import Struct
from rich.cells import cell_len

from signoff.present.document.model import Document, Words
from signoff.present.document.rows import PROSE, Block, Row
from signoff.present.reveal import SafeText
from signoff.present.reveal.unicode_table import JOINTS
from signoff_tui.state.coverage import PaintedRow, UnitCoverage
from signoff_tui.text.lines import fitting, splits_flag

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
"""The most rows below the view that are wrapped to be counted, before the page shows."""

LONG = 20_000
"""The length of a row, in characters, from which its cells are not measured one by one."""


class ViewPosition(Struct, frozen=True, order=True):
    """The topmost visible line: a row, and one of its wrapped parts."""

    row: int
    part: int = 0


class Cell(Struct, frozen=True):
    """The content of a column on one line of the view.

    Attributes:
        row: Row of the documents.
        part: The wrapped part of the row.
        parts: The number of its parts, one more if the rest is cut off.
        start: First character of the row's text on this line.
        end: The character after the last one.
        cut: True if the row goes on to the right of the view, where it cannot be seen.
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
        row: Row of the reading, as in a place.
        part: The line of that row.
        columns: The columns: one over the whole width, or before and after; None for an empty one.
    """

    row: int
    part: int
    columns: tuple[Cell | None, ...]

    @property
    def cells(self) -> Iterator[Cell]:
        """The cells of the columns that are not empty."""
        return (cell for cell in self.columns if cell is not None)


class Rest(Struct, frozen=True):
    """The lines below a view.

    Attributes:
        rows: The number of screen rows that they take.
        more: True if there may be more: too many rows follow to be wrapped and counted.
        units: The number of coverage units among them, with those that only begin in the view.
        changes: True if the document at the end of the view is a change of a file.
    """

    rows: int
    more: bool = False
    units: int = 0
    changes: bool = False


class Reading:
    """Documents one after another, laid out for a view. Each of their rows is a row of the reading.

    Args:
        documents: The documents; at least one.
        width: Cells available for text, without the gutter.
        wrap: True to wrap rows that are too wide, False to cut them.
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
        """A number for the present line breaks: parts of one layout are no parts of another."""
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
        """Return the rows of the documents that a row of the reading shows, column by column."""
        return (index,)

    def index_of(self, row: int) -> int:
        """Return the row of the reading that shows a row of the documents."""
        return row

    def width_of(self, columns: int) -> int:
        """Return the cells for the text of each of so many columns."""
        return self.width

    def unit_from(self, place: ViewPosition) -> int | None:
        """Return the first coverage unit at a place or below, or None if there is none."""
        rows = (row for index in range(place.row, len(self)) for row in self.rows_at(index) if row is not None)
        return next((unit for row in rows if (unit := self.unit(row)) is not None), None)

    def place_of_unit(self, unit: int) -> ViewPosition:
        """Return the place at which a coverage unit begins."""
        which = bisect_right(self._unit_starts, unit) - 1
        row = self._starts[which] + self.documents[which].row_of_unit(unit - self._unit_starts[which])
        return ViewPosition(self.index_of(row))

    def shows_unit(self, unit: int) -> bool:
        """True if a coverage unit has a row of its own, and is not folded into one."""
        rows = self.rows_at(self.place_of_unit(unit).row)
        return any(row is not None and self.unit(row) == unit for row in rows)

    def place_of_document(self, number: int) -> ViewPosition:
        """Return the place at which a document begins."""
        return ViewPosition(self.index_of(self._starts[number]))

    def document_at(self, place: ViewPosition) -> int:
        """Return the number of the document that a place is in."""
        row = next((row for row in self.rows_at(place.row) if row is not None), 0)
        return bisect_right(self._starts, row) - 1

    # -- visible lines ---------------------------------------------------------------------------------

    def window(self, top: ViewPosition, height: int) -> tuple[VisibleLine, ...]:
        """Return the lines that a view of some height shows from a place on."""
        return tuple(islice(self._lines_from(top), height))

    def parts(self, visible: Sequence[VisibleLine]) -> tuple[PaintedRow, ...]:
        """Return the parts of coverage units that the lines show."""
        found = []
        for cell in (cell for item in visible for cell in item.cells):
            unit = self.unit(cell.row)
            if unit is not None:
                found.append(PaintedRow(unit, cell.start, cell.end, len(self.row(cell.row).text)))
        return tuple(found)

    def whole_units(self, visible: Sequence[VisibleLine]) -> frozenset[int]:
        """Return the coverage units of which the lines show every character."""
        shown: dict[int, UnitCoverage] = {}
        for part in self.parts(visible):
            shown.setdefault(part.unit, UnitCoverage(part.of)).add(part)
        return frozenset(unit for unit, seen in shown.items() if seen.complete)

    # -- moving ----------------------------------------------------------------------------------------

    def down(self, top: ViewPosition, lines: int, height: int) -> ViewPosition:
        """Return the place some lines further down, at most that with the last line at the bottom."""
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
        """Return the place from which the end of the text is at the bottom of the view."""
        if not len(self):
            return ViewPosition(0)
        end = len(self) - 1
        return self.up(ViewPosition(end, self._height(end) - 1), max(height - 1, 0))

    def within(self, top: ViewPosition, height: int) -> ViewPosition:
        """Return a place, or that with the end of the text at the bottom if it comes before."""
        # Every row takes a line: rows at the end need not be made to know that they are far away.
        return top if top.row + height <= len(self) else min(top, self.last(height))

    def at_end(self, top: ViewPosition, height: int) -> bool:
        """True if the view shows the end of the text."""
        return top.row + height >= len(self) and top >= self.last(height)

    def next_hunk(self, top: ViewPosition) -> ViewPosition | None:
        """The next hunk or file heading below a place."""
        return self._heading_at(bisect_right(self._headings, top.row))

    def previous_hunk(self, top: ViewPosition) -> ViewPosition | None:
        """The hunk or file heading above a place."""
        return self._heading_at(bisect_left(self._headings, top.row) - 1)

    def hunk_at(self, top: ViewPosition) -> tuple[int, int]:
        """Return the number of a place's hunk or file, from 1, or 0 above the first; and the number of all."""
        return bisect_right(self._headings, top.row), len(self._headings)

    def hunk_place(self, number: int) -> ViewPosition | None:
        """Return the place of a hunk or file heading, by its number from 0; None if there is none."""
        return self._heading_at(number)

    def rest(self, visible: Sequence[VisibleLine]) -> Rest:
        """Return the number of lines below some lines of the view, counted as they are wrapped."""
        if not visible:
            return Rest(0)
        last = visible[-1]
        below = self._height(last.row) - last.part - 1
        following = range(last.row + 1, len(self))
        more = len(following) > COUNTED
        # Counting wrapped rows would make them: many are counted as one line each, the least that they take.
        rows = below + (len(following) if more else sum(map(self._height, following)))
        # A row that is cut does not go on below.
        begun = (cell for cell in last.cells if cell.part + 1 < cell.parts and not cell.cut)
        goes_on = sum(self.unit(cell.row) is not None for cell in begun)
        units = self.units - self.units_to(last.row + 1) + goes_on
        return Rest(rows, more, units, self.documents[self.document_at(ViewPosition(last.row))].kind.has_sides)

    def units_to(self, index: int) -> int:
        """Return the number of coverage units before a row of the reading."""
        return self._units_before(index)

    def _units_before(self, row: int) -> int:
        """The number of coverage units before a row of the documents."""
        if row >= self._starts[-1]:
            return self.units
        which = bisect_right(self._starts, row) - 1
        return self._unit_starts[which] + self.documents[which].units_in(0, row - self._starts[which]).stop

    # -- finding ---------------------------------------------------------------------------------------

    def find(self, words: Words, row: int, *, forward: bool) -> int | None:
        """Return the next row of the documents with the shown words, from a row on; or the previous one.

        At the end of the text it goes on at the other end.
        """
        end = self._starts[-1]
        if forward:
            stretches = [range(row, end), range(row)]
        else:
            stretches = [range(row - 1, -1, -1), range(end - 1, row - 1, -1)]
        return next((found for rows in stretches if (found := self._find(words, rows)) is not None), None)

    def place_of(self, words: Words, row: int) -> ViewPosition:
        """Return the place of the words in a row of the documents."""
        first = next(words.spans(self.row(row).text.text), (0, 0))[0]
        index = self.index_of(row)
        for part, columns in enumerate(zip_longest(*self._laid_out(index))):
            if any(cell is not None and cell.row == row and cell.start <= first < cell.end for cell in columns):
                return ViewPosition(index, part)
        return ViewPosition(index)

    def _find(self, words: Words, rows: range) -> int | None:
        """The first of some rows, in their order, that holds the words."""
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
            # Another width may have fewer parts than the place names.
            for part in range(min(first, height - 1), height):
                yield VisibleLine(
                    row, part, tuple(cells[part] if part < len(cells) else None for cells in columns)
                )
            first = 0

    def _height(self, index: int) -> int:
        """The number of lines that a row of the reading takes."""
        return max(len(column) for column in self._laid_out(index))

    def _lay_out(self, index: int) -> tuple[Sequence[Cell], ...]:
        """The lines of each column of a row of the reading."""
        rows = self.rows_at(index)
        width = self.width_of(len(rows))
        return tuple(() if row is None else self._column(row, width) for row in rows)

    def _column(self, row: int, width: int) -> Sequence[Cell]:
        shown = self.row(row)
        text = shown.text.text
        ours = shown.kind in PROSE  # what signoff says is never cut
        if self.wrap and len(text) > LONG:
            return _LongRow(row, shown.text, width if text.isascii() else max(width // 2, 1))
        spans = _broken(shown.text, width, ours=ours) if self.wrap or ours else _cut(text, width)
        cut = spans[-1][1] < len(text)
        # The part that is cut off is a part that is never shown.
        return tuple(Cell(row, part, len(spans) + cut, *span, cut) for part, span in enumerate(spans))

    @cached_property
    def _headings(self) -> Sequence[int]:
        """The rows of the reading that are headings of hunks or files."""
        pairs = zip(self._starts, self.documents, strict=False)
        return [self.index_of(start + hunk) for start, document in pairs for hunk in document.hunks]

    def _heading_at(self, number: int) -> ViewPosition | None:
        return ViewPosition(self._headings[number]) if 0 <= number < len(self._headings) else None

    def _emphasis(self, index: int) -> tuple[tuple[int, int], ...]:
        document, inner = self.locate(index)
        return document.emphasis(inner)


class _LongRow(Sequence[Cell]):
    """The lines of a very long row, made on demand: all of them at once would take too long.

    Each line ends in a stretch of its own, so that none depends on those before it.

    Args:
        row: Row of the documents.
        text: Its text.
        most: The most characters of a line.
    """

    def __init__(self, row: int, text: SafeText, most: int) -> None:
        self._row, self._text = row, text
        self._stretch = max(most // 3, min(most - 1, 2))
        self._step = most - self._stretch

    def __len__(self) -> int:
        return (len(self._text) + self._step - 1) // self._step

    @overload
    def __getitem__(self, part: int) -> Cell: ...

    @overload
    def __getitem__(self, part: slice) -> Sequence[Cell]: ...

    def __getitem__(self, part: int | slice) -> Cell | Sequence[Cell]:
        if isinstance(part, slice):
            return [self[each] for each in range(*part.indices(len(self)))]
        at = range(len(self))[part]
        return Cell(self._row, at, len(self), self._break(at), self._break(at + 1))

    def _break(self, number: int) -> int:
        """The place at which a line begins, by its number."""
        end = number * self._step
        if not number or end >= len(self._text):
            return min(end, len(self._text))
        low = end - self._stretch
        return _best_break(self._text, low, low, end)


# -- The breaks of a row that is too wide: what is read together stays together, and nothing is lost.

_JOINER = JOINTS[0x200D]
"""The sign of the character that joins two emoji."""

_TO_PUNCTUATION = re.compile(r".*[!%&)*+,\-./:;=>?\\\]_|}、。，．：；！？）」』】》]", re.DOTALL)
"""A text up to the last sign after which it may be broken: those that end something."""


def _broken(shown: SafeText, width: int, *, ours: bool) -> Sequence[tuple[int, int]]:
    """The lines of a text, none of them wider than some cells.

    Args:
        shown: The text.
        width: Cells of a line.
        ours: True for words of signoff, which are broken inside a word only if it is wider than a line. Others
            are broken at a blank in the last third of a line, else after punctuation there, else anywhere.
    """
    text = shown.text
    narrow = text.isascii()
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > width or not (narrow or cell_len(text[start:]) <= width):
        end = start + (width if narrow else fitting(text, start, width))
        if end == len(text):
            break
        if ours:
            low = start + len(text[start:end]) - len(text[start:end].lstrip(" "))  # an indentation is no line
        else:
            low = start + (end - start) * 2 // 3
        end = _best_break(shown, start, low, end, ours=ours)
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


def _best_break(shown: SafeText, start: int, low: int, end: int, *, ours: bool = False) -> int:
    """The best place to break a line that begins at `start`: after `low`, and not after `end`."""
    text = shown.text
    at = text.rfind(" ", low, end) + 1
    while at and _begun(shown, at):
        at = text.rfind(" ", low, at - 1) + 1
    if at:
        return at
    ending = None if ours else _TO_PUNCTUATION.match(text, low, end)
    while ending is not None and _begun(shown, ending.end()):
        ending = _TO_PUNCTUATION.match(text, low, ending.end() - 1)
    if ending is not None:
        return ending.end()
    whole = end
    while whole > start and (back := _begun(shown, whole)):
        whole -= back
    return whole if whole > start else end  # a cluster that is wider than the line


def _begun(shown: SafeText, at: int) -> int:
    """The number of characters before a place that belong together with those after it."""
    text, hidden = shown.text, shown.hidden
    if not text[at].isascii() and (unicodedata.category(text[at])[0] == "M" or splits_flag(text, at)):
        return 1
    if not hidden:
        return 0
    span = bisect_left(hidden, (at,)) - 1  # the last one that begins before
    if span >= 0:
        first, last = hidden[span]
        if at < last or (at == last and text[last - 1] == _JOINER and _is_mark(shown, span)):
            return at - first
    return int(span + 1 < len(hidden) and hidden[span + 1][0] == at and _is_mark(shown, span + 1))


def _is_mark(shown: SafeText, span: int) -> bool:
    """True if a sign stands for a part of the character before it."""
    return bool(shown.replaced) and shown.is_mark(span)


def _cut(text: str, width: int) -> Sequence[tuple[int, int]]:
    """The part of a text that there is room for, with a cell for the sign that it goes on."""
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return ((0, len(text)),)
    return ((0, fitting(text, 0, max(width - 1, 1))),)


def _running_totals(sizes: Iterable[int]) -> list[int]:
    return list(accumulate(sizes, initial=0))


# -- A change in two columns: the text before on the left, the text after on the right.

LEAST_WIDTH = 110
"""The least cells of a view for two columns that can be read."""

WIDE = 130
"""The cells of a view from which a change takes two columns by default."""


def can_be_split(documents: Sequence[Document]) -> bool:
    """True if any of the documents has a before and an after."""
    return any(document.kind.has_sides for document in documents)


class SplitReading(Reading):
    """Documents one after another, each change as a left and a right column.

    Args:
        documents: The documents; at least one.
        width: Cells for text that takes the whole width.
        column: Cells for text in one of two columns.
        wrap: True to wrap rows that are too wide, False to cut them.
    """

    def __init__(self, documents: Sequence[Document], width: int, column: int, *, wrap: bool = True) -> None:
        self._half = max(column, 1)
        self._blocks: list[tuple[int, Block]] = []
        """The blocks, each after the first row of its document."""
        start = 0
        for document in documents:
            self._blocks += [(start, block) for block in _blocks(document)]
            start += len(document)
        self._block_starts = list(accumulate((len(block) for _, block in self._blocks), initial=0))
        self._first_rows = [start + _first(block) for start, block in self._blocks]
        super().__init__(documents, width, wrap=wrap)

    @property
    def layout(self) -> int:
        """A number as in the base class; never that of one column, unless rows are cut."""
        return -self._half if self.wrap else 0

    def __len__(self) -> int:
        return self._block_starts[-1]

    def rows_at(self, index: int) -> tuple[int | None, ...]:
        """Return the row over the whole width, or the left and the right one."""
        number = bisect_right(self._block_starts, index) - 1
        start, block = self._blocks[number]
        at = index - self._block_starts[number]
        if block.whole:
            return (start + block.after[at],)
        return tuple(start + rows[at] if at < len(rows) else None for rows in (block.before, block.after))

    def units_to(self, index: int) -> int:
        """Return the number of coverage units before a row of the reading."""
        if index >= len(self):
            return self.units
        number = bisect_right(self._block_starts, index) - 1
        start, block = self._blocks[number]
        before, at = self._units_before(start + _first(block)), index - self._block_starts[number]
        sides = (block.after,) if block.whole or block.before == block.after else (block.before, block.after)
        shown = (side[:at] for side in sides if side)
        return before + sum(
            self._units_before(start + rows.stop) - self._units_before(start + rows.start) for rows in shown
        )

    def index_of(self, row: int) -> int:
        """Return the row of the reading that shows a row of the documents."""
        number = bisect_right(self._first_rows, row) - 1
        start, block = self._blocks[number]
        side = block.before if row - start in block.before else block.after
        return self._block_starts[number] + side.index(row - start)

    def width_of(self, columns: int) -> int:
        """Return the cells for the text of each of so many columns."""
        return self.width if columns == 1 else self._half


def _blocks(document: Document) -> Sequence[Block]:
    if document.kind.has_sides:
        return document.sides
    rows = range(len(document))
    return (Block(rows, rows, whole=True),) if rows else ()


def _first(block: Block) -> int:
    return min(rows.start for rows in (block.before, block.after) if rows)


# -- The visible part of a reading in a view of some height, and ways to the rest of it. No widgets.


class Viewport:
    """The place of the reader: it stays at a row and a part of it, whatever the width.

    Args:
        height: Lines of the view; 0 while it has no size.
        moved: Called after each move of the reader, also one without effect.
    """

    def __init__(self, height: Callable[[], int], moved: Callable[[], None]) -> None:
        self._height_now = height
        self._moved = moved
        self.reading: Reading | None = None
        """The documents as they are laid out; None without any."""
        self.top = ViewPosition(0)
        """The topmost line."""
        self.visible: tuple[VisibleLine, ...] = ()
        """The lines of the view."""
        self.at_hunk: int | None = None
        """The hunk heading that the reader went to, from 0; None after leaving it."""

    # -- the place of the reader --------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """True if the end of the text is visible."""
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
        """The number of the document at the top of the view, from 0."""
        return 0 if self.reading is None or not len(self.reading) else self.reading.document_at(self.top)

    def unseen_on_screen(self, is_shown: Callable[[int], bool]) -> int:
        """Return the number of coverage units that are wholly visible and were not shown for long enough yet."""
        visible = () if self.reading is None else self.reading.whole_units(self.visible)
        return sum(not is_shown(unit) for unit in visible)

    def first_unseen(self, is_shown: Callable[[int], bool]) -> int | None:
        """Return the first coverage unit that was neither shown nor is visible now; None if there is none."""
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

    def scroll(self, place: ViewPosition) -> None:
        """Put a place at the top; the hunk that was pointed at is left, unless nothing moves."""
        if self.go(place):
            self.at_hunk = None

    def go(self, place: ViewPosition) -> bool:
        """Put a place at the top, as far as the text reaches; False if nothing moves."""
        before = self.top
        self.top = place
        self.lay_out()
        self._moved()
        return self.top != before

    def lay_out(self) -> None:
        """Work out the visible lines."""
        self.visible = ()
        if self.reading is not None and self._height_now():
            # A view that grew shows the end at its bottom rather than blank lines.
            self.top = self.reading.within(self.top, self._height)
            self.visible = self.reading.window(self.top, self._height)

    @property
    def _height(self) -> int:
        return max(self._height_now(), 1)
