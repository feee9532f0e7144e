"""The base of help and details: a page of lines that may be longer than the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.plain import PLAIN_HANDLERS, PlainScreen
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line, rule
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView

__all__ = ["SCROLLING_HANDLERS", "ScrollingScreen"]

SCROLLING_HANDLERS: Handlers[ScrollingScreen] = Handlers(PLAIN_HANDLERS)

_SCROLLBAR = 1


class ScrollingScreen(PlainScreen):
    """A title, lines to scroll through, and the keys that do it."""

    handlers: ClassVar[Handlers[Any]] = SCROLLING_HANDLERS

    DEFAULT_CSS = """
    ScrollingScreen VerticalScroll { scrollbar-size-vertical: 1; }
    """

    def title_line(self, width: int) -> Line:
        """Return the title of the page."""
        raise NotImplementedError

    def page_lines(self, width: int) -> Sequence[Line]:
        """Return the page, for lines of some width in cells."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield LinesView(id="title")
        with VerticalScroll(can_focus=False):
            yield LinesView(id="page")
        yield LinesView(id="end")

    def on_mount(self) -> None:
        """Write the page."""
        self.write()

    def on_resize(self, _: events.Resize) -> None:
        """Write the page for another width."""
        self.write()

    def take_standing(self) -> None:
        """Write the page again: its first line changed."""
        if self.stands:
            self.write()

    def write(self) -> None:
        """Write the page as it is now."""
        width, glyph = self.size.width, look_of(self).glyphs.rule
        self.query_one("#title", LinesView).show([self.titled(self.title_line, width), rule(glyph)])
        self.query_one("#page", LinesView).show([*self.page_lines(width - _SCROLLBAR)])
        self.query_one("#end", LinesView).show([rule(glyph), *flow(self._keys, BarRoom(width, 1))])

    @SCROLLING_HANDLERS("down")
    def do_down(self) -> None:
        """Scroll one line down."""
        self._scroller.scroll_down(animate=False)

    @SCROLLING_HANDLERS("up")
    def do_up(self) -> None:
        """Scroll one line up."""
        self._scroller.scroll_up(animate=False)

    @SCROLLING_HANDLERS("page_down")
    def do_page_down(self) -> None:
        """Scroll one page down."""
        self._scroller.scroll_page_down(animate=False)

    @SCROLLING_HANDLERS("page_up")
    def do_page_up(self) -> None:
        """Scroll one page up."""
        self._scroller.scroll_page_up(animate=False)

    @SCROLLING_HANDLERS("first")
    def do_first(self) -> None:
        """Scroll to the first line."""
        self._scroller.scroll_home(animate=False)

    @SCROLLING_HANDLERS("last")
    def do_last(self) -> None:
        """Scroll to the last line."""
        self._scroller.scroll_end(animate=False)

    @property
    def _scroller(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    @property
    def _keys(self) -> tuple[KeyHint, ...]:
        keys = self._office.keys
        return (
            KeyHint(keys.shown("down", "up"), "scroll"),
            KeyHint(keys.shown("page_down"), "page"),
            KeyHint("Esc", "back"),
        )
