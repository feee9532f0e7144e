"""Help: every key of the action table, and what the marks mean."""

from __future__ import annotations

from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen

from signoff_tui.actions import ACTIONS, Area
from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.lines import Line, chunk, fullest, line, rule, wrapped
from signoff_tui.look import look_of
from signoff_tui.widgets.lines_view import LinesView

__all__ = ["HelpScreen", "key_lines"]

_HEADINGS: dict[Area, str] = {
    "decide": "decide (only when the bar says [armed])",
    "read": "read",
    "list": "lists",
    "go": "go",
    "safety": "safety",
}
_SAFETY = (
    "Enter and Space never approve",
    "Esc only goes back",
    "a paste is never a command",
    "nothing moves by itself",
    "what is held can be taken back",
)
_MARKS = (
    "brackets: [y] works now, (y) not yet: arming, or not all shown",
    "marks: low med HIGH risk, new 61% seen, held = not sent yet, --- closed",
    "kinds: D edit, N new file, $ command, { structured call, T text, B binary, G group",
)
_KEYS = (KeyHint("j/k", "scroll"), KeyHint("Space", "page"), KeyHint("Esc", "back"))
_COLUMN = 40
_KEY = 9
_SCROLLBAR = 1


class HelpScreen(Screen[None]):
    """Two columns of keys where there is room, else one."""

    AUTO_FOCUS = ""
    CSS = """
    HelpScreen VerticalScroll { scrollbar-size-vertical: 1; }
    """

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield LinesView(id="title")
        with VerticalScroll(can_focus=False):
            yield LinesView(id="keys")
        yield LinesView(id="end")

    def on_mount(self) -> None:
        """Write the page."""
        self._write()

    def on_resize(self, _: events.Resize) -> None:
        """Write the page for another width."""
        self._write()

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        event.stop()
        event.prevent_default()
        scroll = self.query_one(VerticalScroll)
        match event.key:
            case "escape" | "q" | "question_mark" | "ctrl+q":
                self.dismiss()
            case "down" | "j":
                scroll.scroll_down(animate=False)
            case "up" | "k":
                scroll.scroll_up(animate=False)
            case "space" | "pagedown":
                scroll.scroll_page_down(animate=False)
            case "b" | "pageup":
                scroll.scroll_page_up(animate=False)
            case "g" | "home":
                scroll.scroll_home(animate=False)
            case "G" | "end":
                scroll.scroll_end(animate=False)
            case _:
                pass

    def _write(self) -> None:
        width, glyph = self.size.width, look_of(self).glyphs.rule
        name = chunk(" signoff  keys", "strong", keep=True)
        title = fullest(
            [line(name, right=(chunk("any key not listed does nothing ", "muted"),)), line(name)], width
        )
        self.query_one("#title", LinesView).show([title, rule(glyph)])
        self.query_one("#keys", LinesView).show([*key_lines(width), Line(), *mark_lines(width)])
        self.query_one("#end", LinesView).show([rule(glyph), *flow(_KEYS, Room(width, 1))])


def key_lines(width: int) -> list[Line]:
    """Every key of the table, in two columns where there is room."""
    left = [*_area("decide"), Line(), *_area("safety")]
    left += [line(chunk(" " * _KEY + words, "muted")) for words in _SAFETY]
    right = [*_area("read"), Line(), *_area("list"), Line(), *_area("go")]
    if width < 2 * _COLUMN:
        return [*left, Line(), *right]
    return [_beside(a, b) for a, b in zip_longest(left, right, fillvalue=Line())]


def mark_lines(width: int) -> list[Line]:
    """What brackets, words and letters on the screens mean."""
    return [row for words in _MARKS for row in wrapped(words, width - _SCROLLBAR, "muted", head=chunk("  "))]


def _area(area: Area) -> list[Line]:
    lines = [line(chunk(f" {_HEADINGS[area]}", "strong"))]
    lines += (
        line(chunk(f"  {action.shown:<{_KEY - 2}}", "key", keep=True), chunk(action.words))
        for action in ACTIONS
        if action.area == area
    )
    return lines


def _beside(left: Line, right: Line) -> Line:
    used = sum(piece.width for piece in left.left)
    gap = chunk(" " * max(_COLUMN - used, 1), keep=True)
    return Line((*left.left, gap, *right.left))
