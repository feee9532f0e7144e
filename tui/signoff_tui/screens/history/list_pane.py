"""The list of records, with the names of its columns above."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from signoff_tui.screens.history.lines import heading, height, item_row
from signoff_tui.screens.history.listing import Listing
from signoff_tui.screens.history.wording import Deciders
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["ListPane"]

_SOON = 5
"""So many rows before the end it is near."""


class ListPane(Vertical):
    """Draws a listing.

    Args:
        listing: What is listed; whoever changes it calls `lay_out`.
    """

    class Clicked(Message):
        """A row was clicked."""

        def __init__(self, index: int, *, double: bool) -> None:
            super().__init__()
            self.index = index
            self.double = double

    class EndNear(Message):
        """The last of so many records are on the screen."""

        def __init__(self, count: int) -> None:
            super().__init__()
            self.count = count

    class Resized(Message):
        """The rows have another width, and were laid out anew."""

    def __init__(self, listing: Listing, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._listing = listing

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="heading")
        yield RowList(id="rows")

    @property
    def page(self) -> int:
        """Rows on a page."""
        return self._rows.page

    def lay_out(self) -> None:
        """Count the rows of the records."""
        width = self._rows.row_width
        self._listing.lay_out(lambda item: height(item, width))

    def show(self, deciders: Deciders, now: int, empty: Sequence[Line]) -> None:
        """Draw the rows.

        Args:
            deciders: Who and what decides here.
            now: Wall clock, microseconds since the epoch.
            empty: What is said where no record is listed.
        """
        listing, glyphs, current = self._listing, look_of(self).glyphs, self._listing.index

        def row(index: int, width: int) -> tuple[Line, ...]:
            if index >= len(listing.rows) - _SOON and listing.more:
                self.post_message(self.EndNear(len(listing.records)))
            at, part = listing.rows[index]
            item = listing.items[at]
            focused, opened = at == current, listing.is_open(item)
            lines = item_row(item, deciders, glyphs, width, now=now, focused=focused, opened=opened)
            return lines[part : part + 1]

        head = [heading(self._rows.row_width)] if listing.records else empty
        self.query_one("#heading", LinesView).show(head)
        self._rows.show(len(listing.rows), row, cursor=listing.cursor_row)

    @property
    def _rows(self) -> RowList:
        return self.query_one(RowList)

    @on(RowList.Clicked)
    def _row_clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        self.post_message(self.Clicked(self._listing.rows[event.index][0], double=event.double))

    @on(RowList.Resized)
    def _rows_resized(self, event: RowList.Resized) -> None:
        event.stop()
        self.lay_out()
        self.post_message(self.Resized())
