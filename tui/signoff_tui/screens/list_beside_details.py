"""A list, and everything about its focused row beside or below it: what agents and memory have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll

from signoff_tui.screens.plain import PlainScreen
from signoff_tui.text.lines import Line, chunk, rule
from signoff_tui.text.look import look_of
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList, RowPainter

__all__ = ["FAR", "LOW", "TWO_PANES", "ListBesideDetails", "Rows"]

TWO_PANES = 100
"""From this many cells on, list and details stand side by side."""

LOW = 16
"""Under so many rows there is room for the list only; `v` shows the details."""

WIDE_ENOUGH = 80
"""From this many cells on, two rows are enough for the keys."""

FAR = 10**9
"""More rows than any list has."""

_TITLE, _SCROLLBAR = 2, 1


class Rows(Struct, frozen=True):
    """What the list draws.

    Attributes:
        painter: Makes the lines of a row.
        lines_per_row: Height of each row.
        heading: Stands above the rows.
        note: Stands below them.
    """

    painter: RowPainter
    lines_per_row: int = 1
    heading: Sequence[Line] = ()
    note: Sequence[Line] = ()


class ListBesideDetails(PlainScreen):
    """Rows with a cursor, and the details of the focused one.

    Where it is wide, they stand side by side; else the details are below, and where it is low as well they are
    shown on the whole screen only. An empty list has the whole body for what it says.
    """

    DEFAULT_CSS = """
    ListBesideDetails { background: $signoff-background; color: $signoff-text; }
    ListBesideDetails #body { layout: vertical; height: 1fr; }
    ListBesideDetails #list-pane { width: 1fr; height: 1fr; min-height: 3; }
    ListBesideDetails #between { height: 1; }
    ListBesideDetails #detail-pane { width: 1fr; }
    ListBesideDetails #scroll { height: 1fr; width: 1fr; }
    ListBesideDetails.-two #body { layout: horizontal; }

    ListBesideDetails VerticalScroll { scrollbar-size-vertical: 1; }
    ListBesideDetails RowList { scrollbar-gutter: stable; }
    ListBesideDetails RowList, ListBesideDetails #scroll {
        background: $signoff-background;
        scrollbar-color: $signoff-rule;
        scrollbar-background: $signoff-background;
        scrollbar-color-hover: $signoff-muted;
        scrollbar-background-hover: $signoff-background;
        scrollbar-color-active: $signoff-muted;
        scrollbar-background-active: $signoff-background;
    }
    """

    list_share: ClassVar[float] = 0.55
    """Of the width, beside the details."""

    _cursor = 0
    _full = False

    # -- what a screen of this kind says ---------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    def title_line(self, width: int) -> Line:
        """Where am I, and how does it stand."""
        raise NotImplementedError

    def rows(self, width: int) -> Rows:
        """The rows, for a list of some width in cells; there is at least one."""
        raise NotImplementedError

    def empty_lines(self, width: int) -> Sequence[Line]:
        """What is said where there is no row."""
        raise NotImplementedError

    def detail_lines(self, width: int) -> Sequence[Line]:
        """Everything about the focused row."""
        raise NotImplementedError

    def foot_lines(self, width: int, rows: int) -> Sequence[Line]:
        """What was said last, and what the keys do now, on so many rows for the keys."""
        raise NotImplementedError

    def moved(self) -> None:
        """Another row has the focus."""

    def take_standing(self) -> None:
        """Draw it."""
        self.draw()

    # -- laying out ------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        self.set_class(self.two_panes, "-two")  # before there are parts, whose styles would be worked out twice
        yield LinesView(id="title")
        with Container(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
                yield LinesView(id="note")
            yield Divider(id="divider")
            with Vertical(id="detail-pane"):
                yield LinesView(id="between")
                with VerticalScroll(id="scroll", can_focus=False):
                    yield LinesView(id="detail")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Lay out for what nobody knows yet."""
        self._lay_out(full=False, empty=False)

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self.draw()

    def on_key(self, event: events.Key) -> None:
        """Whatever the key did is drawn."""
        super().on_key(event)
        self.draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self.draw()

    @on(RowList.Clicked)
    def _row_clicked(self, event: RowList.Clicked) -> None:
        if self.takes_clicks:
            self.go_to(event.index)
            self.draw()

    @property
    def takes_clicks(self) -> bool:
        """Whether a click may move the cursor now."""
        return True

    @property
    def two_panes(self) -> bool:
        """Whether list and details stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def full(self) -> bool:
        """Whether the details have the whole body."""
        return self._full

    @property
    def low(self) -> bool:
        """Whether there is room for few rows only."""
        return self.size.height < LOW

    # -- moving ----------------------------------------------------------------------------------------------

    def do_back(self) -> None:
        """From details on the whole screen to the list; else one level back."""
        if self._full:
            self._full = False
        else:
            self.dismiss()

    def do_down(self) -> None:
        """Next row."""
        self.step(1)

    def do_up(self) -> None:
        """Previous row."""
        self.step(-1)

    def do_first(self) -> None:
        """First row."""
        self.step(-FAR)

    def do_last(self) -> None:
        """Last row."""
        self.step(FAR)

    def do_page_down(self) -> None:
        """Page through the details, or through the list where they are not shown."""
        self._page(1)

    def do_page_up(self) -> None:
        """Page back."""
        self._page(-1)

    def do_full(self) -> None:
        """Details on the whole screen, and back."""
        self._full = bool(self.row_count) and not self._full
        self.to_top()

    def step(self, steps: int) -> None:
        """Move the cursor by so many rows."""
        self.go_to(self._cursor + steps)

    def go_to(self, index: int) -> None:
        """Put the cursor on a row, or the one next to where it should be."""
        self._cursor = max(0, min(self.row_count - 1, index))
        self.to_top()
        self.moved()

    def to_top(self) -> None:
        """Show the details from their first line on."""
        self.scroller.scroll_home(animate=False)

    def _page(self, pages: int) -> None:
        if self.full or self.two_panes or not self.low:
            scroller = self.scroller
            scroller.scroll_relative(y=pages * max(scroller.size.height - 1, 1), animate=False)
        else:
            self.step(pages * self.query_one("#rows", RowList).page)

    @property
    def scroller(self) -> VerticalScroll:
        """Holds the details."""
        return self.query_one("#scroll", VerticalScroll)

    @property
    def hidden_lines(self) -> int:
        """Lines of the details that are below the last one on the screen."""
        scroller = self.scroller
        if not self.row_count or not scroller.size.height:  # the second, where they are not shown at all
            return 0
        lines = len(self.query_one("#detail", LinesView).lines)
        return max(lines - int(scroller.scroll_offset.y) - scroller.size.height, 0)

    # -- drawing ---------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw everything."""
        if not self.stands:
            return
        width, glyphs = self.size.width, look_of(self).glyphs
        full = bool(self.row_count) and self.full
        beside = self.two_panes and not full
        self._lay_out(full=full, empty=not self.row_count)
        share = beside and bool(self.row_count)
        self.query_one("#list-pane").styles.width = f"{self.list_share:.0%}" if share else "1fr"
        self.query_one("#detail-pane").styles.height = "1fr" if full or beside else self._room + 1
        self.query_one("#title", LinesView).show([self.titled(self.title_line, width), rule(glyphs.rule)])
        self._draw_list()
        self.query_one("#between", LinesView).show([rule(glyphs.rule)])
        # The pane itself is laid out only after it is written.
        room = width - (math.ceil(width * self.list_share) + 1 if beside else 0)
        self.query_one("#detail", LinesView).show(self.detail_lines(room - _SCROLLBAR) if self.row_count else [])
        self._draw_foot()

    def _lay_out(self, *, full: bool, empty: bool) -> None:
        # A change of a class has the styles of all parts worked out anew: no class for what changes often.
        beside, below = self.two_panes, not self.two_panes
        self.set_class(beside, "-two")
        self.query_one("#list-pane").display = not full
        self.query_one("#divider").display = beside and not full and not empty
        self.query_one("#between").display = below and not full
        self.query_one("#detail-pane").display = full or not (empty or (below and self.low))

    def displayed(self) -> None:
        """How much of the details is not on the screen is known now."""
        if self.is_mounted and self.query("#foot"):
            self._draw_foot()

    def _draw_list(self) -> None:
        listing = self.query_one(RowList)
        heading, note = self.query_one("#heading", LinesView), self.query_one("#note", LinesView)
        if not self.row_count:
            heading.show(self.empty_lines(self.size.width))
            note.show([])
            listing.show(0, lambda _index, _width: (), cursor=None)
            return
        rows = self.rows(listing.row_width or self.size.width)
        heading.show(rows.heading)
        note.show(rows.note)
        listing.show(self.row_count, rows.painter, cursor=self._cursor, lines_per_row=rows.lines_per_row)

    def _draw_foot(self) -> None:
        hidden, glyph = self.hidden_lines, look_of(self).glyphs.rule
        key = self._office.keys.shown("page_down", place=self.place)
        more = f" {hidden} more {'line' if hidden == 1 else 'lines'}: [{key}] "
        ruler = Line((), (chunk(more, "warn"),), fill=glyph) if hidden else rule(glyph)
        rows = 1 if self.low else 2 if self.size.width >= WIDE_ENOUGH else 3
        self.query_one("#foot", LinesView).show([ruler, *self.foot_lines(self.size.width, rows)])

    @property
    def _room(self) -> int:
        """Rows of the details below the list; they stay the same whatever is in it."""
        return max((self.size.height - 7) * 5 // 9, 3)
