"""Help: every key of the action table, and what the marks mean."""

from __future__ import annotations

from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from signoff_tui.actions import Area, Place
from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.keymap import STANDARD, KeyMap
from signoff_tui.lines import Line, chunk, fullest, line, rule, wrapped
from signoff_tui.look import look_of
from signoff_tui.office import Office
from signoff_tui.screens.plain import PlainScreen
from signoff_tui.widgets.lines_view import LinesView

__all__ = ["HelpScreen", "key_lines"]

_HEADINGS: dict[Area, str] = {
    "decide": "decide (only when the bar says [armed])",
    "read": "read",
    "list": "lists",
    "go": "go",
    "safety": "safety",
}
_TITLES: dict[Place, str] = {
    "review": "inbox, request and group",
    "history": "history",
    "help": "help",
    "palette": "palette",
}
_SAFETY = (
    "Enter and Space never approve",
    "Esc only goes back",
    "a paste is never a command",
    "nothing moves by itself",
    "what is held can be taken back",
)
_DECIDES_NOTHING = "no decision keys work here"
_MARKS = (
    "brackets: [y] works now, (y) not yet: arming, or not all shown",
    "marks: low med HIGH risk, new 61% seen, held = not sent yet, --- closed",
    "kinds: D edit, N new file, $ command, { structured call, T text, B binary, G group",
)
_KEYS = (KeyHint("j/k", "scroll"), KeyHint("Space", "page"), KeyHint("Esc", "back"))
_COLUMN = 40
_KEY = 9
_SCROLLBAR = 1


class HelpScreen(PlainScreen):
    """Two columns of keys where there is room, else one.

    Args:
        office: What all screens share.
        about: Whose keys are explained.
    """

    place = "help"
    CSS = """
    HelpScreen VerticalScroll { scrollbar-size-vertical: 1; }
    """

    def __init__(self, office: Office, about: Place) -> None:
        super().__init__(office)
        self._about = about

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

    def do_help(self) -> None:
        """Close: the key that opened it."""
        self.dismiss()

    def do_down(self) -> None:
        """Next line."""
        self._scroller.scroll_down(animate=False)

    def do_up(self) -> None:
        """Previous line."""
        self._scroller.scroll_up(animate=False)

    def do_page_down(self) -> None:
        """Page."""
        self._scroller.scroll_page_down(animate=False)

    def do_page_up(self) -> None:
        """Page back."""
        self._scroller.scroll_page_up(animate=False)

    def do_first(self) -> None:
        """First line."""
        self._scroller.scroll_home(animate=False)

    def do_last(self) -> None:
        """Last line."""
        self._scroller.scroll_end(animate=False)

    @property
    def _scroller(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    def _write(self) -> None:
        width, glyph = self.size.width, look_of(self).glyphs.rule
        name = chunk(f" signoff  keys for: {_TITLES[self._about]}", "strong", keep=True)
        title = fullest(
            [line(name, right=(chunk("any key not listed does nothing ", "muted"),)), line(name)], width
        )
        self.query_one("#title", LinesView).show([title, rule(glyph)])
        self.query_one("#keys", LinesView).show(
            [*key_lines(self._about, width, self._office.keys), Line(), *mark_lines(width)]
        )
        self.query_one("#end", LinesView).show([rule(glyph), *flow(_KEYS, Room(width, 1))])


def key_lines(place: Place, width: int, keys: KeyMap = STANDARD) -> list[Line]:
    """Every key of a place, in two columns where there is room."""
    facts = _SAFETY if place == "review" else (_DECIDES_NOTHING,)
    safety = [*_area(keys, place, "safety"), *(line(chunk(" " * _KEY + words, "muted")) for words in facts)]
    left = _stacked(_area(keys, place, "decide"), safety)
    right = _stacked(_area(keys, place, "read"), _area(keys, place, "list"), _area(keys, place, "go"))
    if width < 2 * _COLUMN:
        return [*left, Line(), *right]
    return [_beside(a, b) for a, b in zip_longest(left, right, fillvalue=Line())]


def mark_lines(width: int) -> list[Line]:
    """What brackets, words and letters on the screens mean."""
    return [row for words in _MARKS for row in wrapped(words, width - _SCROLLBAR, "muted", head=chunk("  "))]


def _area(keys: KeyMap, place: Place, area: Area) -> list[Line]:
    actions = [action for action in keys.actions_on(place) if action.area == area]
    if not actions:
        return []
    return [
        line(chunk(f" {_HEADINGS[area]}", "strong")),
        *(
            line(chunk(f"  {action.shown:<{_KEY - 2}}", "key", keep=True), chunk(action.words))
            for action in actions
        ),
    ]


def _stacked(*blocks: list[Line]) -> list[Line]:
    """Blocks with an empty line between them."""
    lines = [row for block in blocks if block for row in (*block, Line())]
    return lines[:-1]


def _beside(left: Line, right: Line) -> Line:
    used = sum(piece.width for piece in left.left)
    gap = chunk(" " * max(_COLUMN - used, 1), keep=True)
    return Line((*left.left, gap, *right.left))
