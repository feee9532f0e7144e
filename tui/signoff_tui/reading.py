"""A reader's place in one or more documents: wrapping, paging, what is visible.

Rows are wrapped only where they are looked at, so a document of any length opens at once. A place is a row and a
part of it, never a count of screen lines, so it survives another width.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from rich.cells import cell_len, chop_cells

from signoff.present.document import Document
from signoff.present.finding import Words
from signoff.present.rows import Row
from signoff_tui.coverage import Part

__all__ = ["Place", "Reading", "Rest", "VisibleLine"]

COUNTED = 500
"""Lines below the view that are wrapped to be counted: it is done at every step."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The topmost visible line: a row, and which wrapped part of it."""

    row: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class VisibleLine:
    """One line of the view."""

    row: int
    part: int
    parts: int
    start: int
    """First character of the row's text on this line."""
    end: int
    cut: bool = False
    """Whether the row goes on to the right of the view, where it cannot be seen."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What lies below a view.

    Attributes:
        rows: Rows of the screen that it takes.
        more: Whether it may be more: so much follows that it was not wrapped to be counted.
        line: The line that goes on below, by its number; None if it ends in the view.
        percent: How much of that line the view and what is above it show.
    """

    rows: int
    more: bool = False
    line: int | None = None
    percent: int = 100


class Reading:
    """Documents one after the other, read in a view of some size.

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
        """Spans of the changed words in a row, by its index."""
        self.set_width(width, wrap=wrap)

    def set_width(self, width: int, *, wrap: bool = True) -> None:
        """Wrap, or cut, at another width."""
        self.width = max(width, 1)
        self.wrap = wrap
        self._wrapped = lru_cache(maxsize=2048)(self._wrap)

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def units(self) -> int:
        """Coverage units of all documents."""
        return self._unit_starts[-1]

    def locate(self, index: int) -> tuple[Document, int]:
        """The document of a row, and the row's index in it."""
        which = bisect_right(self._starts, index) - 1
        return self.documents[which], index - self._starts[which]

    def row(self, index: int) -> Row:
        """A row of the whole."""
        document, inner = self.locate(index)
        return document.row(inner)

    def unit(self, index: int) -> int | None:
        """The coverage unit of a row, counted over all documents."""
        which = bisect_right(self._starts, index) - 1
        unit = self.documents[which].unit_at(index - self._starts[which])
        return None if unit is None else self._unit_starts[which] + unit

    def unit_from(self, place: Place) -> int | None:
        """The first coverage unit at a place or below, or None if there is none."""
        rows = range(place.row, len(self))
        return next((unit for row in rows if (unit := self.unit(row)) is not None), None)

    def place_of_unit(self, unit: int) -> Place:
        """Where a coverage unit begins."""
        which = bisect_right(self._unit_starts, unit) - 1
        return Place(self._starts[which] + self.documents[which].row_of_unit(unit - self._unit_starts[which]))

    # -- what is visible -------------------------------------------------------------------------------

    def window(self, top: Place, height: int) -> tuple[VisibleLine, ...]:
        """The lines a view of some height shows from a place on."""
        lines: list[VisibleLine] = []
        for visible in self._lines_from(top):
            if len(lines) >= height:
                break
            lines.append(visible)
        return tuple(lines)

    def parts(self, visible: Sequence[VisibleLine]) -> tuple[Part, ...]:
        """What of the coverage units the lines show."""
        found = []
        for item in visible:
            unit = self.unit(item.row)
            if unit is not None:
                found.append(Part(unit, item.part, item.parts))
        return tuple(found)

    def whole_units(self, visible: Sequence[VisibleLine]) -> frozenset[int]:
        """The coverage units of which the lines show every part."""
        counts = Counter(part.unit for part in self.parts(visible))
        return frozenset(part.unit for part in self.parts(visible) if counts[part.unit] == part.count)

    # -- moving ----------------------------------------------------------------------------------------

    def down(self, top: Place, lines: int, height: int) -> Place:
        """The place some lines further down, at most so far that the last line is at the bottom."""
        place = top
        for index, visible in enumerate(self._lines_from(top)):
            if index == lines:
                place = Place(visible.row, visible.part)
                break
        else:
            return self.last(height)
        return min(place, max(self.last(height), top))

    def up(self, top: Place, lines: int) -> Place:
        """The place some lines further up."""
        row, part = top.row, top.part
        for _ in range(lines):
            if part > 0:
                part -= 1
            elif row > 0:
                row -= 1
                part = len(self._wrapped(row)) - 1
            else:
                break
        return Place(row, part)

    def last(self, height: int) -> Place:
        """The place from which the end of the text is at the bottom of the view."""
        if not len(self):
            return Place(0)
        end = len(self) - 1
        return self.up(Place(end, len(self._wrapped(end)) - 1), max(height - 1, 0))

    def at_end(self, top: Place, height: int) -> bool:
        """Whether the view shows the end of the text."""
        return top >= self.last(height)

    def next_hunk(self, top: Place) -> Place | None:
        """The next hunk or file heading below a place."""
        return self._heading_at(bisect_right(self._headings, top.row))

    def previous_hunk(self, top: Place) -> Place | None:
        """The hunk or file heading above a place."""
        return self._heading_at(bisect_left(self._headings, top.row) - 1)

    def hunk_at(self, top: Place) -> tuple[int, int]:
        """Which hunk or file a place is in, from 1, or 0 above the first; and how many there are."""
        return bisect_right(self._headings, top.row), len(self._headings)

    def find(self, words: Words, row: int, *, forward: bool) -> Place | None:
        """The next row that holds words as they are shown, from a row on; or the previous one, above it.

        Where the text ends, it goes on at the other end.
        """
        if forward:
            stretches = [range(row, len(self)), range(row)]
        else:
            stretches = [range(row - 1, -1, -1), range(len(self) - 1, row - 1, -1)]
        for stretch in stretches:
            if (found := self._find(words, stretch)) is not None:
                return self._place_of(found, words)
        return None

    def rest(self, visible: Sequence[VisibleLine]) -> Rest:
        """What lies below some lines of the view, counted as it is wrapped there."""
        if not visible:
            return Rest(0)
        last = visible[-1]
        cut = len(self._wrapped(last.row)) - last.part - 1
        stop = min(last.row + 1 + COUNTED, len(self))
        rows = cut + sum(len(self._wrapped(row)) for row in range(last.row + 1, stop)) + len(self) - stop
        row = self.row(last.row)
        number = (row.new_no or row.old_no or last.row + 1) if cut else None
        return Rest(
            rows, more=stop < len(self), line=number, percent=100 * (last.part + 1) // last.parts if cut else 100
        )

    # -- parts -----------------------------------------------------------------------------------------

    def _lines_from(self, top: Place) -> Iterator[VisibleLine]:
        first = top.part
        for row in range(top.row, len(self)):
            spans = self._wrapped(row)
            # Another width may have left fewer parts than the place names.
            cut = not self.wrap and spans[-1][1] < len(self.row(row).text.text)
            for part in range(min(first, len(spans) - 1), len(spans)):
                # What is cut off is a part that is never shown.
                yield VisibleLine(row, part, len(spans) + cut, *spans[part], cut)
            first = 0

    @cached_property
    def _headings(self) -> Sequence[int]:
        """Rows that are headings of hunks or files."""
        pairs = zip(self._starts, self.documents, strict=False)
        return [start + hunk for start, document in pairs for hunk in document.hunks]

    def _heading_at(self, number: int) -> Place | None:
        return Place(self._headings[number]) if 0 <= number < len(self._headings) else None

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

    def _place_of(self, row: int, words: Words) -> Place:
        """The wrapped part of a row in which the words begin."""
        first = next(words.spans(self.row(row).text.text), (0, 0))[0]
        ends = [end for _, end in self._wrapped(row)]
        return Place(row, min(bisect_right(ends, first), len(ends) - 1))

    def _emphasis(self, index: int) -> tuple[tuple[int, int], ...]:
        document, inner = self.locate(index)
        return document.emphasis(inner)

    def _wrap(self, index: int) -> tuple[tuple[int, int], ...]:
        text = self.row(index).text.text
        if len(text) <= self.width and (text.isascii() or cell_len(text) <= self.width):
            return ((0, len(text)),)
        if not self.wrap:
            return ((0, len(chop_cells(text, max(self.width - 1, 1))[0])),)
        if text.isascii():
            return tuple((start, min(start + self.width, len(text))) for start in range(0, len(text), self.width))
        spans, start = [], 0
        for piece in chop_cells(text, self.width):
            spans.append((start, start + len(piece)))
            start += len(piece)
        return tuple(spans)


def _running_totals(sizes: Iterable[int]) -> list[int]:
    totals = [0]
    for size in sizes:
        totals.append(totals[-1] + size)
    return totals
