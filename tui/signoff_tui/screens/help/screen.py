"""Help: every key of the action table, and what the marks mean."""

from __future__ import annotations

from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen

from signoff_tui.actions import ACTIONS, Area
from signoff_tui.lines import Line, chunk, line, rule
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
    " brackets: [y] works now   (y) not yet: arming, or not all shown",
    " marks: low med HIGH risk   new 61% seen   held = not sent yet   --- closed",
    " kinds: D edit  N new file  $ command  { structured call  T text  B binary  G group",
)
_COLUMN = 46


class HelpScreen(Screen[None]):
    """Two columns of keys where there is room, else one."""

    AUTO_FOCUS = ""

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield LinesView(id="title")
        with VerticalScroll(can_focus=False):
            yield LinesView(id="keys")
        yield LinesView(id="marks")

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
            case _:
                pass

    def _write(self) -> None:
        width, glyph = self.size.width, look_of(self).glyphs.rule
        title = line(
            chunk(" signoff  keys", "strong"), right=(chunk("any key not listed does nothing ", "muted"),)
        )
        self.query_one("#title", LinesView).show([title, rule(glyph)])
        self.query_one("#keys", LinesView).show(key_lines(width))
        marks = [
            rule(glyph),
            *(line(chunk(words, "muted")) for words in _MARKS),
            line(chunk(" [Esc] back", "key")),
        ]
        self.query_one("#marks", LinesView).show(marks)


def key_lines(width: int) -> list[Line]:
    """Every key of the table, in two columns where there is room."""
    left = [*_area("decide"), Line(), *_area("go")]
    right = [*_area("read"), Line(), *_area("list"), Line(), *_area("safety")]
    right += [line(chunk(f"      {words}", "muted")) for words in _SAFETY]
    if width < 2 * _COLUMN - 6:
        return [*left, Line(), *right]
    return [_beside(a, b) for a, b in zip_longest(left, right, fillvalue=Line())]


def _area(area: Area) -> list[Line]:
    lines = [line(chunk(f" {_HEADINGS[area]}", "strong"))]
    lines += (
        line(chunk(f"   {action.shown:<7}", "key", keep=True), chunk(action.words))
        for action in ACTIONS
        if action.area == area
    )
    return lines


def _beside(left: Line, right: Line) -> Line:
    used = sum(piece.width for piece in left.left)
    gap = chunk(" " * max(_COLUMN - used, 1), keep=True)
    return Line((*left.left, gap, *right.left))
