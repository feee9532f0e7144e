"""A reader's place in one or more documents: wrapping, paging, what is visible.

Rows are wrapped only where they are looked at, so a document of any length opens at once. A place is a row and a
part of it, never a count of screen lines, so it survives another width.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len, chop_cells

from signoff.present.document import Document
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
    """

    def __init__(self, documents: Sequence[Document], width: int = 80) -> None:
        self.documents = tuple(documents)
        self._starts = _running_totals(len(document) for document in self.documents)
        self._unit_starts = _running_totals(document.units for document in self.documents)
        self.emphasis = lru_cache(maxsize=512)(self._emphasis)
        """Spans of the changed words in a row, by its index."""
        self.set_width(width)

    def set_width(self, width: int) -> None:
        """Wrap at another width."""
        self.width = max(width, 1)
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
        return self._heading(range(top.row + 1, len(self)))

    def previous_hunk(self, top: Place) -> Place | None:
        """The hunk or file heading above a place."""
        return self._heading(range(top.row - 1, -1, -1))

    def rest(self, visible: Sequence[VisibleLine]) -> Rest:
        """What lies below some lines of the view, counted as it is wrapped there."""
        if not visible:
            return Rest(0)
        last = visible[-1]
        cut = last.parts - last.part - 1
        stop = min(last.row + 1 + COUNTED, len(self))
        rows = cut + sum(len(self._wrapped(row)) for row in range(last.row + 1, stop)) + len(self) - stop
        row = self.row(last.row)
        number = (row.new_no or row.old_no or last.row + 1) if cut else None
        return Rest(rows, more=stop < len(self), line=number, percent=100 * (last.part + 1) // last.parts)

    # -- parts -----------------------------------------------------------------------------------------

    def _lines_from(self, top: Place) -> Iterator[VisibleLine]:
        first = top.part
        for row in range(top.row, len(self)):
            spans = self._wrapped(row)
            # Another width may have left fewer parts than the place names.
            for part in range(min(first, len(spans) - 1), len(spans)):
                yield VisibleLine(row, part, len(spans), *spans[part])
            first = 0

    def _heading(self, rows: range) -> Place | None:
        wanted = {
            start + hunk for start, doc in zip(self._starts, self.documents, strict=False) for hunk in doc.hunks
        }
        return next((Place(row) for row in rows if row in wanted), None)

    def _emphasis(self, index: int) -> tuple[tuple[int, int], ...]:
        document, inner = self.locate(index)
        return document.emphasis(inner)

    def _wrap(self, index: int) -> tuple[tuple[int, int], ...]:
        text = self.row(index).text.text
        if len(text) <= self.width and (text.isascii() or cell_len(text) <= self.width):
            return ((0, len(text)),)
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
