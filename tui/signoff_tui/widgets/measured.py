"""A widget that knows how wide it is while it draws its rows."""

from __future__ import annotations

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

__all__ = ["Measured"]


class Measured(Widget):
    """Measures itself once for each picture: Textual would go through all parents for each row.

    Of several bases it is the last one: Textual takes the style from the first.
    """

    width_drawn = 0
    """Cells of a row in this picture, or in the last one."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw rows."""
        self.width_drawn = self.size.width
        return super().render_lines(crop)
