"""Text that is marked with the mouse, in the picture as it stands: in another picture nothing is marked."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

__all__ = ["MarkedRow", "Selection", "marked_text"]

_MARKED = Style(reverse=True)


class Selection(Struct, frozen=True):
    """The cells from one to another, row by row, within one column of text.

    Attributes:
        anchor: Row and column, in cells of the view, where the mouse was pressed.
        head: Row and column where it is, or was released; that cell is marked, too.
        left: First column of the text.
        right: The column behind its last one.
    """

    anchor: tuple[int, int]
    head: tuple[int, int]
    left: int
    right: int

    @property
    def rows(self) -> range:
        """The rows with marked cells."""
        first, last = sorted((self.anchor[0], self.head[0]))
        return range(first, last + 1)

    def columns(self, row: int) -> tuple[int, int]:
        """Return the first marked column of a row and the one behind the last; the same if none is marked."""
        first, last = sorted((self.anchor, self.head))
        if row not in self.rows:
            return self.left, self.left
        start = max(first[1], self.left) if row == first[0] else self.left
        end = min(last[1] + 1, self.right) if row == last[0] else self.right
        return start, max(start, end)

    def painted(self, strip: Strip, row: int) -> Strip:
        """Return a row of the view with its marked part reversed."""
        start, end = self.columns(row)
        if start == end:
            return strip
        return Strip.join([strip.crop(0, start), strip.crop(start, end).apply_style(_MARKED), strip.crop(end)])


class MarkedRow(Struct, frozen=True):
    """A row with marked cells.

    Attributes:
        text: Its text.
        column: The column at which that begins.
        goes_on: True if it is the second part of a wrapped row, or a further one.
    """

    text: str
    column: int
    goes_on: bool


def marked_text(selection: Selection, rows: Iterable[MarkedRow]) -> str:
    """Return the marked text, without line numbers and signs; the parts of a wrapped row are one line again.

    Args:
        selection: The marked part.
        rows: The rows with marked cells, from the first on.
    """
    lines: list[str] = []
    for at, row in zip(selection.rows, rows, strict=False):
        start, end = (max(column - row.column, 0) for column in selection.columns(at))
        part = Strip([Segment(row.text)]).crop(start, end).text
        if row.goes_on and lines:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines)
