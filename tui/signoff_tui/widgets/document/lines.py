"""The look of the rows of a document: numbers, sign, syntax colors, changed words, revealed characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from signoff.present.document.model import Document
from signoff.present.document.rows import Row, RowKind, Side
from signoff_tui.text.lines import signs_between
from signoff_tui.text.look import Appearance
from signoff_tui.widgets.document.highlight import Spans
from signoff_tui.widgets.document.layout import Cell, VisibleLine

__all__ = [
    "NARROW",
    "WHOLE_WIDTH",
    "DocumentLine",
    "Gutter",
    "half_of",
    "paint_columns",
    "paint_document_line",
]


NARROW = 60
"""The width in cells below which one line number is shown instead of two."""

LEAST_DIGITS = 3
"""The least digits of line numbers, so that most documents look alike."""

POINTED = ">"
"""The sign before the heading of the hunk that a key would refuse."""

CUT = ">"
"""The sign at the end of a row that goes on where it cannot be seen."""

_BASE = {
    RowKind.ADDED: "add",
    RowKind.REMOVED: "del",
    RowKind.HUNK: "hunk",
    RowKind.FOLD: "fold",
    RowKind.FACT: "fact",
    RowKind.NOTE: "warn",
    RowKind.FILE: "bar-strong",
    RowKind.COMMAND: "strong",
    RowKind.PARTS: "fold",
    RowKind.ABOUT: "muted",
}
_LEAD = {
    RowKind.PART: "risk-low",
    RowKind.RISKY_PART: "risk-medium",
    RowKind.HIGH_PART: "risk-high",
    RowKind.HUNK: "warn",
}
"""Styles of the words before the text of a part or a hunk."""
_STRUCK = Style(strike=True)
_BACKGROUND = {RowKind.ADDED: "add-bg", RowKind.REMOVED: "del-bg"}
_SIGN_TOKEN = {RowKind.ADDED: "add-sign", RowKind.REMOVED: "del-sign"}
_EMPHASIS = {RowKind.ADDED: "add-emph", RowKind.REMOVED: "del-emph"}
_SIGN = {
    RowKind.ADDED: "+",
    RowKind.REMOVED: "-",
    RowKind.FACT: "!",
    RowKind.NOTE: "!",
    RowKind.PLACE: "@",
    RowKind.COMMAND: "$",
}
WHOLE_WIDTH = frozenset({RowKind.HUNK, RowKind.FOLD, RowKind.FILE, RowKind.PARTS})
_COLORED = frozenset({RowKind.CONTEXT, RowKind.PLAIN, RowKind.COMMAND})
"""Rows with syntax colors. Changed lines keep the color of the change: the reader looks for it."""

Overlay = tuple[int, int, Style]


class Gutter(Struct, frozen=True):
    """The columns to the left of the text: line numbers and the sign of the row.

    Attributes:
        columns: Columns of line numbers: before and after, only one of them, or none.
        digits: Digits of the largest number.
        side: The version whose numbers stand in the only column; None for the new ones, if there are any.
    """

    columns: int
    digits: int
    side: Side | None = None

    @classmethod
    def of(cls, documents: Sequence[Document], width: int) -> Gutter:
        """Return the gutter for documents in a view of some width in cells."""
        kinds = {document.kind for document in documents}
        has_lines = any(kind.has_file_lines for kind in kinds)
        columns = 2 if any(kind.has_sides for kind in kinds) else 1 if has_lines else 0
        largest = max(
            (max(len(document.source("old")), len(document.source("new"))) for document in documents), default=0
        )
        return cls(min(columns, 1) if width < NARROW else columns, max(LEAST_DIGITS, len(str(largest))))

    @property
    def width(self) -> int:
        """Cells, with the spaces around the sign."""
        return 1 + self.columns * (self.digits + 1) + 2

    def numbers(self, row: Row) -> str:
        """Return the text before the sign of a row."""
        old = "" if row.old_no is None else str(row.old_no)
        new = "" if row.new_no is None else str(row.new_no)
        only = new or old if self.side is None else old if self.side == "old" else new
        shown = {0: (), 1: (only,), 2: (old, new)}[self.columns]
        return " " + "".join(f"{number:>{self.digits}} " for number in shown)


class DocumentLine(Struct, frozen=True):
    """One line of the view, with all facts needed to draw it.

    Attributes:
        row: The row it belongs to.
        cell: The part of the row that it shows.
        syntax: Syntax colors of the row's source line; None or empty for none.
        tree: Colors of the row of a tree, as it is shown.
        emphasis: Spans of the changed words in the row's text.
        found: Spans of the words of the search.
        pointed: True for the heading of the hunk that a key would refuse.
    """

    row: Row
    cell: Cell
    syntax: Spans | None = None
    tree: Spans = ()
    emphasis: tuple[tuple[int, int], ...] = ()
    found: tuple[tuple[int, int], ...] = ()
    pointed: bool = False


def paint_document_line(line: DocumentLine, gutter: Gutter, width: int, look: Appearance) -> Strip:
    """Draw a line to exactly `width` cells."""
    if line.cell.cut:
        more = Segment(CUT, look.theme.style("warn"))
        whole = replace(line, cell=replace(line.cell, cut=False))
        return Strip([*paint_document_line(whole, gutter, width - 1, look), more])
    kind = line.row.kind
    text = list(_text(line, look))
    if kind in WHOLE_WIDTH:
        fill = look.theme.style(_BASE[kind])
        # Among rows without numbers, a fold stands where their text does.
        before = " " * (gutter.width if kind is RowKind.FOLD and not gutter.columns else 1)
        parts = [Segment(POINTED if line.pointed else before, fill), *text]
        return Strip(parts).adjust_cell_length(width, fill)
    background = "background" if line.row.refused else _BACKGROUND.get(kind, "background")
    fill = look.theme.style("text", background=background)
    return Strip([*_before_text(line, gutter, look), *text]).adjust_cell_length(width, fill)


def _before_text(line: DocumentLine, gutter: Gutter, look: Appearance) -> Sequence[Segment]:
    kind = line.row.kind
    background = "background" if line.row.refused else _BACKGROUND.get(kind, "background")
    numbers = look.theme.style("muted", background=background)
    if line.cell.part:
        return [Segment(look.glyphs.wrap.rjust(gutter.width - 1) + " ", numbers)]
    sign = look.theme.style("muted" if line.row.refused else _SIGN_TOKEN.get(kind, _BASE.get(kind, "text")))
    return [Segment(gutter.numbers(line.row), numbers), Segment(f"{_SIGN.get(kind, ' ')} ", sign)]


def _text(line: DocumentLine, look: Appearance) -> Sequence[Segment]:
    row, theme = line.row, look.theme
    base = theme.style("muted") + _STRUCK if row.refused else theme.style(_BASE.get(row.kind, "text"))
    overlays: list[Overlay] = []
    if row.kind in _COLORED and not row.refused:
        overlays += [
            (*row.text.map_span(start, end), base + Style(color=theme.syntax_color(token)))
            for start, end, token in line.syntax or ()
        ]
    overlays += [(start, end, base + Style(color=theme.syntax_color(token))) for start, end, token in line.tree]
    if row.lead:
        overlays.append((0, row.lead, theme.style(_LEAD[row.kind])))
    if row.kind in _EMPHASIS and not row.refused:
        overlays += [(start, end, theme.style(_EMPHASIS[row.kind])) for start, end in line.emphasis]
    signs = signs_between(row.text, line.cell.start, line.cell.end)
    overlays += [(start, end, theme.style("found")) for start, end in line.found]
    overlays += [(start, end, theme.style(token)) for (start, end), token in signs]
    return _styled(row.text.text, line.cell.start, line.cell.end, base, overlays)


def _styled(text: str, start: int, end: int, base: Style, overlays: Sequence[Overlay]) -> Sequence[Segment]:
    """Cut a part of a text into segments; later overlays lie on top of earlier ones."""
    clipped = [(max(a, start), min(b, end), style) for a, b, style in overlays if a < end and b > start]
    cuts = sorted({start, end, *(a for a, _, _ in clipped), *(b for _, b, _ in clipped)})
    return [
        Segment(text[a:b], next((style for x, y, style in reversed(clipped) if x <= a and y >= b), base))
        for a, b in pairwise(cuts)
    ]


# -- The drawing of a line of documents: over the whole width, or before and after beside each other.

_BETWEEN = 1
"""Cells between two columns: one sign."""

_SIDES: tuple[Side, Side] = ("old", "new")


def half_of(width: int) -> int:
    """Cells of the left one of two columns; the right one may have one more."""
    return (width - _BETWEEN) // 2


def paint_columns(
    visible: VisibleLine, line_of: Callable[[Cell], DocumentLine], gutter: Gutter, width: int, look: Appearance
) -> Strip:
    """Draw the columns of a line to exactly `width` cells.

    Args:
        visible: The line.
        line_of: Returns the line to draw for a cell.
        gutter: The columns to the left of the text.
        width: Cells of the view.
        look: Colors and signs.
    """
    if len(visible.columns) == 1:
        (cell,) = visible.cells
        return paint_document_line(line_of(cell), gutter, width, look)
    half = half_of(width)
    left, right = (
        Strip.blank(cells, look.theme.style("text"))
        if cell is None
        else paint_document_line(line_of(cell), replace(gutter, side=side), cells, look)
        for cell, side, cells in zip(visible.columns, _SIDES, (half, width - half - _BETWEEN), strict=True)
    )
    between = Segment(look.glyphs.column, look.theme.style("rule"))
    return Strip([*left, between, *right])
