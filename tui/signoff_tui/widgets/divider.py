"""A vertical line between two panes."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from signoff_tui.text.lines import chunk, line, paint
from signoff_tui.text.look import look_of

__all__ = ["Divider"]


class Divider(Widget):
    """One column of a line."""

    DEFAULT_CSS = """
    Divider { width: 1; height: 1fr; }
    """

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        look = look_of(self)
        return paint(line(chunk(look.glyphs.column, "rule")), self.size.width, look.theme)
