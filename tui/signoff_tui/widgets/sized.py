"""A base class for widgets that need to know every size they get."""

from __future__ import annotations

from textual import events
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

__all__ = [
    "Measured",
    "Sized",
]


class Sized(Widget):
    """Lays itself out anew for every size.

    Textual reports a size that differs from the known one. A widget that is asked for its size between its
    appearance and the next layout computes it there and then; that layout finds it known, and reports nothing. So
    the size is compared after each layout, too.

    Among several base classes it comes last: Textual takes the style from the first.
    """

    _laid_out_for: Size | None = None

    def on_mount(self) -> None:
        """Compare sizes after each layout."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._was_laid_out)

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._check_size()

    def resized(self) -> None:
        """Lay out for `size`, which has changed."""
        raise NotImplementedError

    def forget_size(self) -> None:
        """Lay out again at the next size, even the same one: there was none when the content came."""
        self._laid_out_for = None

    def _was_laid_out(self, _: Screen[object]) -> None:
        self._check_size()

    def _check_size(self) -> None:
        size = self.size
        if size == self._laid_out_for:
            return
        self._laid_out_for = size
        if size:
            self.resized()


# -- A widget that knows its width while it draws its rows.


class Measured(Widget):
    """Measures itself once for each picture: Textual would go through all parents for each row.

    Among several base classes it comes last: Textual takes the style from the first.
    """

    width_drawn = 0
    """Cells of a row in this picture, or in the last one."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw rows."""
        self.width_drawn = self.row_width
        return super().render_lines(crop)

    @property
    def row_width(self) -> int:
        """Cells of a row."""
        return self.size.width
