"""The base of the lists over the inbox: a list, and the details of its focused row beside it or in its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll

from signoff_tui.header import too_small_lines
from signoff_tui.input.handlers import Handlers
from signoff_tui.layout import Layout
from signoff_tui.screens.plain import PLAIN_HANDLERS, PlainScreen
from signoff_tui.text.bars import Key, LastWords, keys_row, message_chunk, place_at
from signoff_tui.text.lines import Line, chunk, line
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList, RowPainter

__all__ = ["FAR", "LIST_HANDLERS", "TWO_PANES", "ListBesideDetails", "ListRows"]

LIST_HANDLERS: Handlers[ListBesideDetails] = Handlers(PLAIN_HANDLERS)
"""Handlers for the actions of every list over the inbox."""

TWO_PANES = 100
"""The width in cells from which list and details stand side by side."""

FAR = 10**9
"""More rows than any list has."""

_SCROLLBAR = 1


class ListRows(Struct, frozen=True):
    """The rows of the list, with the lines above and below them.

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

    Where it is wide, they stand side by side; else the details take the place of the list until Esc. An empty list
    has the whole body for what it says.
    """

    DEFAULT_CSS = """
    ListBesideDetails { background: $signoff-background; color: $signoff-text; }
    ListBesideDetails #body { height: 1fr; }
    ListBesideDetails #list-pane { width: 1fr; height: 1fr; }
    ListBesideDetails #detail-pane { width: 1fr; height: 1fr; }
    ListBesideDetails #scroll { height: 1fr; width: 1fr; }

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

    handlers: ClassVar[Handlers[Any]] = LIST_HANDLERS

    tab: ClassVar[str]
    """The tab of this screen in the first row."""

    list_share: ClassVar[float] = 0.55
    """The list's share of the width, beside the details."""

    _cursor = 0
    _full = False
    _said = LastWords()

    # -- what a screen of this kind says ---------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    def rows(self, width: int) -> ListRows:
        """Return the rows, for a list of some width in cells; there is at least one."""
        raise NotImplementedError

    def empty_lines(self, width: int) -> Sequence[Line]:
        """Return the words in the place of an empty list."""
        raise NotImplementedError

    def detail_lines(self, width: int) -> Sequence[Line]:
        """Return everything about the focused row."""
        raise NotImplementedError

    def bar_keys(self) -> Sequence[Key]:
        """Return the keys of the bottom row, at most six; none while a box for text is open."""
        raise NotImplementedError

    def special_line(self, width: int) -> Line:
        """Return the row above the keys: the last message."""
        return line(message_chunk(self._said)) if self._said.text else Line()

    def question_lines(self, width: int, rows: int) -> Sequence[Line]:
        """Return a question in place of the keys, in some cells and at most so many rows; nothing as a rule."""
        return ()

    def moved(self) -> None:
        """Take note that another row has the focus."""

    def open_row(self) -> None:
        """Do what a double click on the focused row does."""

    # -- laying out ------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="title")
        with Horizontal(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
                yield LinesView(id="note")
            yield Divider(id="divider")
            with Vertical(id="detail-pane"):
                yield from self.compose_details()
                yield LinesView(id="below")
        yield LinesView(id="special")
        yield from self.compose_boxes()
        yield LinesView(id="question")
        yield LinesView(id="keys")

    def compose_details(self) -> ComposeResult:
        """Lay out the details."""
        with VerticalScroll(id="scroll", can_focus=False):
            yield LinesView(id="detail")

    def compose_boxes(self) -> ComposeResult:
        """Lay out boxes for text, above the keys."""
        yield from ()

    def on_mount(self) -> None:
        """Lay out the list before anything is read."""
        self._lay_out(full=False, empty=False)

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self.draw()

    def on_key(self, event: events.Key) -> None:
        """Do what the key stands for, and draw; the last message stays until then."""
        self._said = LastWords()
        super().on_key(event)
        self.draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self.draw()

    @on(RowList.RowClicked)
    def _row_clicked(self, event: RowList.RowClicked) -> None:
        if self.takes_clicks:
            self._said = LastWords()
            self.go_to(event.index)
            if event.double:
                self.open_row()
            self.draw()

    @on(LinesView.Clicked, "#keys")
    def _key_clicked(self, event: LinesView.Clicked) -> None:
        keys, place = self.bar_keys(), place_at(event.column, self.size.width)
        if self.takes_clicks and place < len(keys) and keys[place].live and keys[place].action:
            self._said = LastWords()
            self.handlers.do(keys[place].action, self)
            self.draw()

    @property
    def takes_clicks(self) -> bool:
        """True if a click may move the cursor now."""
        return not self.room.too_small

    @property
    def room(self) -> Layout:
        """The size of the terminal, and what it allows."""
        return Layout(self.size.width, self.size.height)

    @property
    def two_panes(self) -> bool:
        """True if list and details stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def full(self) -> bool:
        """True if the details have the whole body."""
        return self._full

    @property
    def details_visible(self) -> bool:
        """True if the details of the focused row are on the screen."""
        return bool(self.row_count) and (self.full or self.two_panes) and not self.room.too_small

    # -- moving ----------------------------------------------------------------------------------------------

    @LIST_HANDLERS("back")
    def do_back(self) -> None:
        """Go from details on the whole screen to the list; else one level back."""
        if self._full:
            self._full = False
        else:
            self.dismiss()

    @LIST_HANDLERS("down")
    def do_down(self) -> None:
        """Go to the next row, or to the next line of details that have the whole screen."""
        self.step(1)

    @LIST_HANDLERS("up")
    def do_up(self) -> None:
        """Go to the previous row, or line."""
        self.step(-1)

    @LIST_HANDLERS("first")
    def do_first(self) -> None:
        """Go to the first row."""
        self.step(-FAR)

    @LIST_HANDLERS("last")
    def do_last(self) -> None:
        """Go to the last row."""
        self.step(FAR)

    @LIST_HANDLERS("page_down")
    def do_page_down(self) -> None:
        """Page through the details; where they are not shown, show them."""
        if self.details_visible:
            self.scroll_pages(1)
        else:
            self.do_full()

    @LIST_HANDLERS("page_up")
    def do_page_up(self) -> None:
        """Page back through the details; where they are not shown, through the list."""
        if self.details_visible:
            self.scroll_pages(-1)
        else:
            self.step(-self.query_one("#rows", RowList).page)

    @LIST_HANDLERS("full")
    def do_full(self) -> None:
        """Give the details the whole screen, or the list its place again."""
        self._full = bool(self.row_count) and not self._full
        self.to_top()

    def step(self, steps: int) -> None:
        """Move the cursor by so many rows; in details that have the whole screen, by so many lines."""
        if self.full and self.row_count:
            self.scroller.scroll_relative(y=steps, animate=False)
        else:
            self.go_to(self._cursor + steps)

    def go_to(self, index: int) -> None:
        """Put the cursor on a row, or on the first or last one."""
        before, self._cursor = self._cursor, max(0, min(self.row_count - 1, index))
        if self._cursor != before:
            self.to_top()
            self.moved()

    def to_top(self) -> None:
        """Show the details from their first line on."""
        self.scroller.scroll_home(animate=False)

    def scroll_pages(self, pages: int) -> None:
        """Page through the details."""
        scroller = self.scroller
        scroller.scroll_relative(y=pages * max(scroller.size.height - 1, 1), animate=False)

    @property
    def scroller(self) -> VerticalScroll:
        """The part in which the details scroll."""
        return self.query_one("#scroll", VerticalScroll)

    @property
    def hidden_lines(self) -> int:
        """Lines of the details that are below the last one on the screen."""
        scroller = self.scroller
        if not self.details_visible or not scroller.size.height:
            return 0
        lines = len(self.query_one("#detail", LinesView).lines)
        return max(lines - int(scroller.scroll_offset.y) - scroller.size.height, 0)

    @property
    def details_read(self) -> bool:
        """True if the last line of the details is on the screen."""
        shown = self.details_visible and self.scroller.size.height > 0
        return shown and self.query_one("#detail", LinesView).drawn and not self.hidden_lines

    # -- saying ----------------------------------------------------------------------------------------------

    def say(self, text: str, token: str = "warn") -> None:
        """Say something above the keys, until the next key."""
        self._said = LastWords(text, token)
        self.draw()

    def tell(self, words: str) -> None:
        """Show the effect of the last key, in words."""
        self.say(words, "muted")

    # -- drawing ---------------------------------------------------------------------------------------------

    def take_standing(self) -> None:
        """Draw the screen: its first line changed."""
        self.draw()

    def draw(self) -> None:
        """Draw everything."""
        if not self.stands:
            return
        width = self.size.width
        full = bool(self.row_count) and self.full
        beside = self.two_panes and not full
        self._lay_out(full=full, empty=not self.row_count)
        share = beside and bool(self.row_count)
        self.query_one("#list-pane").styles.width = f"{self.list_share:.0%}" if share else "1fr"
        self.query_one("#title", LinesView).show([self._office.status_row(self.tab, width)])
        self._draw_list()
        # The pane itself is laid out only after it is written.
        self.draw_details(width - (math.ceil(width * self.list_share) + 1 if beside else 0))
        self._draw_below()
        self._draw_bars()

    def draw_details(self, width: int) -> None:
        """Draw the details of the focused row in some cells; nothing if there is none."""
        self.query_one("#detail", LinesView).show(self.detail_lines(width - _SCROLLBAR) if self.row_count else [])

    def displayed(self) -> None:
        """Draw the number of lines below, which is known once the details are on the screen."""
        if self.is_mounted and self.query("#below"):
            self._draw_below()

    def _lay_out(self, *, full: bool, empty: bool) -> None:
        small = self.room.too_small
        self.query_one("#body").display = not small
        self.query_one("#list-pane").display = not full
        self.query_one("#divider").display = self.two_panes and not full and not empty
        self.query_one("#detail-pane").display = full or (self.two_panes and not empty)

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

    def _draw_below(self) -> None:
        hidden = self.hidden_lines
        words = f" {hidden} {'line' if hidden == 1 else 'lines'} below"
        self.query_one("#below", LinesView).show([line(chunk(words, "warn"))] if hidden else [Line()])

    def _draw_bars(self) -> None:
        width, room = self.size.width, self.room
        if room.too_small:
            question, special, keys = [], [], [*too_small_lines(self._office.counts(), width)]
        else:
            question, special = [*self.question_lines(width, room.sheet_rows)], [self.special_line(width)]
            bar_keys = self.bar_keys()
            keys = [keys_row(bar_keys, width)] if bar_keys and not question else []
        self.query_one("#special", LinesView).show(special)
        self.query_one("#question", LinesView).show(question)
        self.query_one("#keys", LinesView).show(keys)
