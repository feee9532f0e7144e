"""The palette: type some words, choose, Enter. It decides nothing: decisions are named here, not made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events, on
from textual.app import ComposeResult

from signoff_tui.context import Office
from signoff_tui.input.actions import action_of
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.palette.commands import PaletteCommand, fitting
from signoff_tui.screens.plain import PLAIN_HANDLERS, PlainScreen
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line, chunk, line, rule
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.text_box import TextBox

__all__ = ["PaletteScreen"]

_HANDLERS: Handlers[PaletteScreen] = Handlers(PLAIN_HANDLERS)

_KEY = 9
_KEYS = (KeyHint("Enter", "do it"), KeyHint("Down/Up", "choose"), KeyHint("Esc", "back"))


class PaletteScreen(PlainScreen):
    """Commands that fit what was typed.

    Args:
        office: The services that all screens share.
        commands: The commands to choose from.
        run: Does what was chosen, once the palette is gone.
    """

    place = "palette"
    handlers = _HANDLERS
    CSS = """
    PaletteScreen TextBox { background: $signoff-surface; color: $signoff-text; }
    PaletteScreen RowList { background: $signoff-background; }
    """

    def __init__(
        self, office: Office, commands: Sequence[PaletteCommand], run: Callable[[PaletteCommand], None]
    ) -> None:
        super().__init__(office)
        self._commands = commands
        self._run = run
        self._words = ""
        self._found = tuple(commands)
        self._cursor = 0

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield LinesView(id="title")
        yield TextBox(id="words")
        yield RowList(id="rows")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Put the cursor into the box for words."""
        self.query_one(TextBox).write("")
        self._draw()

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._draw()

    def takes_key(self, event: events.Key) -> bool:
        """Choose, run, go back; False when the key is text for the box."""
        self._look_for(self.query_one(TextBox).value)  # what was typed a moment ago was not told yet
        action = None if event.is_printable else action_of(event.key, self.place)
        if action is None:
            return False
        self.perform(action)
        return True

    def takes_paste(self, _: events.Paste) -> bool:
        """Pasted text is text to look for."""
        return False

    def take_standing(self) -> None:
        """Draw the page: its first line changed."""
        self._draw()

    @on(TextBox.Changed)
    def _typed(self, event: TextBox.Changed) -> None:
        event.stop()
        self._look_for(self.query_one(TextBox).value)
        self._draw()

    def _look_for(self, words: str) -> None:
        if words != self._words:
            self._words, self._found, self._cursor = words, fitting(self._commands, words), 0

    @on(RowList.RowClicked)
    def _row_clicked(self, event: RowList.RowClicked) -> None:
        self._cursor = event.index
        self._draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._draw()

    @_HANDLERS("down")
    def do_down(self) -> None:
        """Go to the next command."""
        self._move_by(1)

    @_HANDLERS("up")
    def do_up(self) -> None:
        """Go to the previous command."""
        self._move_by(-1)

    @_HANDLERS("page_down")
    def do_page_down(self) -> None:
        """Go one page down."""
        self._move_by(self.query_one(RowList).page)

    @_HANDLERS("page_up")
    def do_page_up(self) -> None:
        """Go one page up."""
        self._move_by(-self.query_one(RowList).page)

    @_HANDLERS("run")
    def do_run(self) -> None:
        """Close, and do what was chosen."""
        if self._found:
            chosen = self._found[self._cursor]
            self.dismiss()
            self._run(chosen)

    def _move_by(self, rows: int) -> None:
        self._cursor = max(min(self._cursor + rows, len(self._found) - 1), 0)
        self._draw()

    def _draw(self) -> None:
        if not self.stands:
            return
        look = look_of(self)
        title = line(chunk(" signoff  what to do: type some words", "strong"), background="surface")
        first = self.titled(lambda _: title, self.size.width)
        self.query_one("#title", LinesView).show([first, rule(look.glyphs.rule)])
        found = self._found

        def row(index: int, _: int) -> tuple[Line, ...]:
            return (_row(found[index], look.glyphs.focus, focused=index == self._cursor),)

        self.query_one("#rows", RowList).show(len(found), row, cursor=self._cursor if found else None)
        said = [] if found else [line(chunk(" nothing is called so", "muted"))]
        keys = flow(_KEYS, BarRoom(self.size.width, 1))
        self.query_one("#foot", LinesView).show([*said, rule(look.glyphs.rule), *keys])


def _row(command: PaletteCommand, focus: str, *, focused: bool) -> Line:
    token = "strong" if focused else "text"
    return Line(
        (
            chunk(f"{focus} " if focused else "  ", "accent", keep=True),
            chunk(f"{command.key:<{_KEY}}", "key", keep=True),
            chunk(command.name, token),
        ),
        (chunk("by its key only ", "muted"),) if command.by_key_only else (),
        background="focus-bg" if focused else "background",
    )
