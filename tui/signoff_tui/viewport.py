"""What of a reading is visible in a view of some height, and how one gets to the rest of it. No widgets."""

from __future__ import annotations

from collections.abc import Callable

from signoff_tui.reading import Place, Reading, VisibleLine

__all__ = ["Viewport"]


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
        self.top = Place(0)
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
        self.scroll(Place(0))

    def go_end(self) -> None:
        """Go to the last line."""
        if self.reading is not None:
            self.scroll(self.reading.last(self._height))

    def go_document(self, number: int) -> bool:
        """Go to the beginning of a document; False when it is there already."""
        return self.reading is not None and self.go(self.reading.place_of_document(number))

    def scroll(self, place: Place) -> None:
        """Put a place at the top; what was pointed at is left behind, unless nothing moves."""
        if self.go(place):
            self.at_hunk = None

    def go(self, place: Place) -> bool:
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
