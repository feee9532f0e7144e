"""A long list of rows of equal height, drawn line by line. It moves only when its owner says so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from signoff_tui.text.lines import Line, paint
from signoff_tui.text.look import look_of
from signoff_tui.widgets.sized import Measured, Sized

__all__ = ["RowList", "RowPainter"]

RowPainter = Callable[[int, int], Sequence[Line]]
"""Makes the lines of a row: index of the row, width in cells."""


class RowList(ScrollView, Sized, Measured, can_focus=False):
    """Rows with a cursor. The owner sets the rows and the cursor."""

    DEFAULT_CSS = """
    RowList { height: 1fr; width: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

    ALLOW_SELECT = False

    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)
    """Rows that come and go outside the view change only the scroll bar: no layout, no row is drawn anew."""

    class RowClicked(Message):
        """Posted when a row was clicked."""

        def __init__(self, row_list: RowList, index: int, *, double: bool) -> None:
            super().__init__()
            self.row_list = row_list
            self.index = index
            self.double = double

        @property
        def control(self) -> RowList:
            """The list, for `@on` selectors."""
            return self.row_list

    class Resized(Message):
        """Posted when the rows have another width."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._count = 0
        self._lines_per_row = 1
        self._cursor: int | None = None
        self._key: Hashable = None
        self._painter: RowPainter = lambda _index, _width: ()
        self._rows: dict[int, Sequence[Line]] = {}
        """The lines of the visible rows as they were drawn last."""
        self._drawn = True

    def show(
        self,
        count: int,
        painter: RowPainter,
        *,
        cursor: int | None,
        lines_per_row: int = 1,
        key: Hashable = None,
    ) -> None:
        """Draw other rows. The row under the cursor keeps its place on the screen.

        Rows with the same lines as before are not drawn.

        Args:
            count: Number of rows.
            painter: Makes their lines.
            cursor: Index of the focused row, or None.
            lines_per_row: Height of each row.
            key: Identifies the focused row. While it is the same as before, the row keeps its place at any
                price: there may be blank lines below the last row.
        """
        before = self._screen_line_of_cursor()
        moved = cursor != self._cursor
        stays, self._key = key is not None and key == self._key, key
        same_shape = (count, lines_per_row) == (self._count, self._lines_per_row)
        self._count, self._painter, self._lines_per_row = count, painter, lines_per_row
        self._cursor = cursor
        if not same_shape:
            self.virtual_size = Size(0, count * lines_per_row)
            self._scroll_update(self.virtual_size)
        if cursor is not None:
            self._keep_in_place(cursor, None if same_shape and moved else before, blank=stays)
        self._draw_changes()

    @property
    def has_cursor(self) -> bool:
        """True if the focused row is one of these."""
        return self._cursor is not None

    @property
    def count(self) -> int:
        """The number of rows."""
        return self._count

    @property
    def drawn(self) -> bool:
        """True if the last drawn picture shows the row under the cursor as it is."""
        return self._drawn

    def draw_again(self) -> None:
        """Draw the row under the cursor once more, so that `drawn` refers to a new picture."""
        if self._cursor is not None:
            self._drawn = False
            height = self._lines_per_row
            top = self._cursor * height - int(self.scroll_offset.y)
            self.refresh(Region(0, top, self.size.width, height))

    @property
    def row_width(self) -> int:
        """Cells of a row, beside the scroll bar."""
        return self.scrollable_content_region.width

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw rows; anew if there is a scroll bar now, or none any more."""
        if self.width_drawn != self.row_width:
            self._rows.clear()
        return super().render_lines(crop)

    @property
    def first_visible(self) -> int:
        """Index of the topmost row that is at least partly visible."""
        return int(self.scroll_offset.y) // self._lines_per_row

    @property
    def visible_rows(self) -> range:
        """Indices of the rows that are at least partly visible."""
        if not self.size.height:
            return range(0)
        last = (int(self.scroll_offset.y) + self.size.height - 1) // self._lines_per_row
        return range(self.first_visible, min(last + 1, self._count))

    @property
    def page(self) -> int:
        """Rows on a page."""
        return max(self.size.height // self._lines_per_row - 1, 1)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        index, part = divmod(y + int(self.scroll_offset.y), self._lines_per_row)
        self._drawn = self._drawn or index == self._cursor
        lines = self._lines_of(index, self.width_drawn)
        return self.painted(lines[part] if part < len(lines) else Line(), index)

    def painted(self, content: Line, _index: int) -> Strip:
        """Paint one line of a row."""
        look = look_of(self)
        return paint(content, self.width_drawn, look.theme, ellipsis=look.glyphs.ellipsis)

    def resized(self) -> None:
        """Keep the focused row on the screen."""
        self._rows.clear()
        if self._cursor is not None:
            self._keep_in_place(self._cursor, None)
        self.post_message(self.Resized())

    def on_click(self, event: events.Click) -> None:
        """Report the row that was clicked."""
        index = (event.y + int(self.scroll_offset.y)) // self._lines_per_row
        if 0 <= index < self._count:
            event.stop()
            self.post_message(self.RowClicked(self, index, double=event.chain > 1))

    def _draw_changes(self) -> None:
        """Draw the visible rows with other lines than before, and the room below the last one."""
        before, self._rows, width = self._rows, {}, self.row_width
        changed = [index for index in self.visible_rows if self._lines_of(index, width) != before.get(index)]
        if before.keys() != self._rows.keys():
            self.refresh()
            return
        height, top = self._lines_per_row, int(self.scroll_offset.y)
        for index in changed:
            self.refresh(Region(0, index * height - top, self.size.width, height))

    def _lines_of(self, index: int, width: int) -> Sequence[Line]:
        """The lines of a row since the last `show`; none below the last row."""
        if index >= self._count:
            return ()
        if index not in self._rows:
            self._rows[index] = self._painter(index, width)
        return self._rows[index]

    def _screen_line_of_cursor(self) -> int | None:
        if self._cursor is None:
            return None
        return self._cursor * self._lines_per_row - int(self.scroll_offset.y)

    def _keep_in_place(self, cursor: int, wanted: int | None, *, blank: bool = False) -> None:
        """Scroll so that the row is visible, at the wanted line of the view if possible.

        Args:
            cursor: Index of the row.
            wanted: The line; None for the nearest.
            blank: True if there may be blank lines below the last row for it.
        """
        height = self.size.height
        if not height:
            return
        top = cursor * self._lines_per_row
        offset = int(self.scroll_offset.y)
        if wanted is not None and 0 <= wanted < height:
            offset = top - wanted
        if top < offset:
            offset = top
        elif top + self._lines_per_row > offset + height:
            offset = top + self._lines_per_row - height
        rows = self._count * self._lines_per_row
        limit = max(offset if blank else 0, rows - height, 0)
        if self.virtual_size.height != (needed := max(rows, limit + height if limit else 0)):
            self.virtual_size = Size(0, needed)
            self._scroll_update(self.virtual_size)
        self.scroll_to(y=max(0, min(offset, limit)), animate=False, immediate=True, force=True)
