"""How a line of a view on documents is drawn: over the whole width, or before and after beside each other."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from rich.segment import Segment
from textual.strip import Strip

from signoff.present.document.rows import Side
from signoff_tui.look import Look
from signoff_tui.reading import Cell, VisibleLine
from signoff_tui.widgets.document_lines import DocumentLine, Gutter, paint_document_line

__all__ = ["half_of", "paint_columns"]

_BETWEEN = 1
"""Cells between two columns: one sign."""

_SIDES: tuple[Side, Side] = ("old", "new")


def half_of(width: int) -> int:
    """Cells of the left one of two columns; the right one may have one more."""
    return (width - _BETWEEN) // 2


def paint_columns(
    visible: VisibleLine, line_of: Callable[[Cell], DocumentLine], gutter: Gutter, width: int, look: Look
) -> Strip:
    """Draw the columns of a line to exactly `width` cells.

    Args:
        visible: The line.
        line_of: What there is to draw of a cell.
        gutter: What stands to the left of the text.
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
