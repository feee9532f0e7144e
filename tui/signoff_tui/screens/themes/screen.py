"""The choice of a theme: each is shown in its own colors, Enter keeps one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.strip import Strip

from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.list_beside_details import FAR
from signoff_tui.screens.plain import PLAIN_HANDLERS, PlainScreen
from signoff_tui.screens.themes.sample import ROWS, sample_lines
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line, chunk, foreign, fullest, line, paint, rule
from signoff_tui.text.look import look_of
from signoff_tui.text.themes import Theme
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["ThemesScreen"]

_HANDLERS: Handlers[ThemesScreen] = Handlers(PLAIN_HANDLERS)


class ThemesScreen(PlainScreen):
    """All themes, with a sample of each.

    Args:
        office: The services that all screens share.
        themes: Gives the themes, by the names under which they are chosen; it is asked at every picture.
        current: Name of the one that is chosen now.
        where: The file into which the choice is written.
        keep: Uses the theme of a name and writes it there.
        first: True if the screen opened by itself because no theme was ever chosen.
    """

    place = "themes"
    handlers = _HANDLERS
    CSS = """
    ThemesScreen RowList { background: $signoff-background; }
    """

    def __init__(
        self,
        office: Office,
        themes: Callable[[], Mapping[str, Theme]],
        current: str,
        where: str,
        keep: Callable[[str], None],
        *,
        first: bool = False,
    ) -> None:
        super().__init__(office)
        self._themes = themes
        self._names = tuple(themes())
        self._cursor = self._names.index(current)
        self._where = where
        self._keep = keep
        self._first = first

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield LinesView(id="title")
        yield _Samples(id="rows")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Draw the page."""
        self._draw()

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._draw()

    def take_standing(self) -> None:
        """Draw the page: its first line changed."""
        self._draw()

    @on(RowList.RowClicked)
    def _row_clicked(self, event: RowList.RowClicked) -> None:
        self._move_to(event.index)

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._draw()

    @_HANDLERS("down")
    def do_down(self) -> None:
        """Go to the next theme."""
        self._move_to(self._cursor + 1)

    @_HANDLERS("up")
    def do_up(self) -> None:
        """Go to the previous theme."""
        self._move_to(self._cursor - 1)

    @_HANDLERS("first")
    def do_first(self) -> None:
        """Go to the first theme."""
        self._move_to(0)

    @_HANDLERS("last")
    def do_last(self) -> None:
        """Go to the last theme."""
        self._move_to(FAR)

    @_HANDLERS("page_down")
    def do_page_down(self) -> None:
        """Go one page down."""
        self._move_to(self._cursor + self.query_one(RowList).page)

    @_HANDLERS("page_up")
    def do_page_up(self) -> None:
        """Go one page up."""
        self._move_to(self._cursor - self.query_one(RowList).page)

    @_HANDLERS("keep")
    def do_keep(self) -> None:
        """Use the theme, and write it into the settings."""
        self.dismiss()
        self._keep(self._names[self._cursor])

    def _move_to(self, index: int) -> None:
        self._cursor = max(min(index, len(self._names) - 1), 0)
        self._draw()

    def _draw(self) -> None:
        if not self.stands:
            return
        look, width = look_of(self), self.size.width
        name = chunk(" signoff  theme", "strong", keep=True)
        asked = (chunk(": which one do you read best?"),) if self._first else ()
        title = line(name, *asked, background="surface")
        self.query_one("#title", LinesView).show([self.titled(lambda _: title, width), rule(look.glyphs.rule)])
        themes = self._themes()
        self.query_one(_Samples).themes = tuple(themes.values())

        def row(index: int, room: int) -> Sequence[Line]:
            name = self._names[index]
            return sample_lines(name, themes[name], look.glyphs.focus, room, focused=index == self._cursor)

        self.query_one(RowList).show(len(self._names), row, cursor=self._cursor, lines_per_row=ROWS)
        back = "not now" if self._first else "back"
        hints = [
            KeyHint("Enter", "keep it" if self._where else "use it"),
            KeyHint(self._office.keys.shown("down", "up", place="themes"), "choose"),
            KeyHint("Esc", back),
        ]
        wordings = (f" Enter writes it to {self._where} ", " Enter writes it to your settings ")
        if not self._where:
            wordings = (
                " It lasts until you quit: nothing is written ",
                " It lasts until you quit ",
            )
        said = fullest([line(foreign(words, "muted")) for words in wordings], width)
        self.query_one("#foot", LinesView).show([rule(look.glyphs.rule), said, *flow(hints, BarRoom(width, 1))])


class _Samples(RowList):
    """Rows, each painted with the theme that it is about."""

    themes: Sequence[Theme] = ()
    """The theme of each row."""

    def painted(self, content: Line, index: int) -> Strip:
        """Paint with the theme of the row; what is below the last one is painted as the screen is."""
        if index >= len(self.themes):
            return super().painted(content, index)
        return paint(content, self.size.width, self.themes[index], ellipsis=look_of(self).glyphs.ellipsis)
