"""The box for a message of several lines. Its screen gets every key first, and passes on text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset
from textual.message import Message as Posted
from textual.strip import Strip

from signoff_tui.state.message import Message, cells_of, rows_of
from signoff_tui.text.lines import Line, chunk, foreign, fullest, line, paint
from signoff_tui.text.look import look_of
from signoff_tui.widgets.sized import Sized
from signoff_tui.widgets.text_box import TakesKeys

__all__ = ["NEW_LINE", "MessageBox"]

NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter"})
"""Keys that begin a line. Every terminal tells Ctrl+J from Enter; the others only some do."""

_MARGIN = 3
"""Cells before the text, for the sign that words go here."""

_EDITS: Mapping[str, Callable[[Message], Message]] = MappingProxyType(
    {
        "left": lambda message: message.moved("left"),
        "right": lambda message: message.moved("right"),
        "home": lambda message: message.moved("start"),
        "ctrl+a": lambda message: message.moved("start"),
        "end": lambda message: message.moved("end"),
        "ctrl+left": lambda message: message.moved("word_left"),
        "alt+left": lambda message: message.moved("word_left"),
        "ctrl+right": lambda message: message.moved("word_right"),
        "alt+right": lambda message: message.moved("word_right"),
        "backspace": lambda message: message.erased("left"),
        "ctrl+h": lambda message: message.erased("left"),
        "delete": lambda message: message.erased("right"),
        "ctrl+d": lambda message: message.erased("right"),
        "ctrl+w": lambda message: message.erased("word_left"),
        "alt+backspace": lambda message: message.erased("word_left"),
        "alt+delete": lambda message: message.erased("word_right"),
        "ctrl+u": lambda message: message.erased("start"),
        "ctrl+k": lambda message: message.erased("end"),
        "enter": lambda message: message.inserted("\n"),  # the screen takes it, unless it is part of a paste
        **dict.fromkeys(NEW_LINE, lambda message: message.inserted("\n")),
    }
)


class MessageBox(Sized, can_focus=True):
    """Some lines of text. Enter and Esc belong to the screen."""

    DEFAULT_CSS = """
    MessageBox { height: 1; width: 1fr; }
    """

    class TooLong(Posted):
        """Posted when a paste had no room in the message, and was left out."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._message = Message()
        self._most = 4
        self._top = 0

    @property
    def value(self) -> str:
        """The text."""
        return self._message.text

    def write(self, text: str) -> None:
        """Take the focus, with a text to go on from."""
        self.change(Message.of(text))
        self.screen.set_focus(self)  # at once: the next key may be there already

    def take_text(self) -> str:
        """Return the text, and empty the box."""
        text = self.value
        self.change(Message())
        return text

    def insert(self, text: str) -> bool:
        """Insert a text at the cursor; False if the message would be too long."""
        after = self._message.inserted(text)
        taken = after is not self._message
        self.change(after)
        return taken or not text

    def step(self, rows: int) -> bool:
        """Move the cursor up or down; False if there is no row."""
        after = self._message.row_moved(rows, self._columns)
        if after is not None:
            self.change(after)
        return after is not None

    def change(self, message: Message) -> None:
        """Set another text, or another place in it."""
        self._message = message
        self._lay_out()

    def grow_to(self, rows: int) -> None:
        """Set the most rows; the number of hidden rows is shown, and they scroll in with the cursor."""
        if rows != self._most:
            self._most = max(rows, 1)
            self._lay_out()

    @property
    def cursor_offset(self) -> Offset:
        """The place of the cursor on the screen."""
        x, y, _, _ = self.content_region
        return Offset(x + _MARGIN + self._message.column(self._columns), y + self._row - self._top)

    def resized(self) -> None:
        """Lay out for the width."""
        self._lay_out()

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def take(self, event: events.Key) -> None:
        """Handle a key in the box, unless the screen takes it."""
        if cast("TakesKeys", self.screen).takes_key(event):
            return
        edit = _EDITS.get(event.key)
        if edit is not None:
            self.change(edit(self._message))
        elif event.is_printable and event.character:
            self.insert(event.character)

    def take_paste(self, event: events.Paste) -> None:
        """Insert a paste, unless the screen takes it; report it if it has no room."""
        if not cast("TakesKeys", self.screen).takes_paste(event) and not self.insert(event.text):
            self.post_message(self.TooLong())

    async def _on_click(self, event: events.Click) -> None:
        rows = rows_of(self.value, self._columns)
        row = min(self._top + event.y, len(rows) - 1)
        first, last = rows[row]
        at, room = first, event.x - _MARGIN
        while at < last and (room := room - cells_of(self.value[at])) >= 0:
            at += 1
        self.change(Message(self.value, at))

    # -- drawing ------------------------------------------------------------------------------------------

    @property
    def _columns(self) -> int:
        return max(self.size.width - _MARGIN, 3)

    @property
    def _row(self) -> int:
        return self._message.row(self._columns)

    def _lay_out(self) -> None:
        """Set the height to the text, up to a limit, with the cursor visible; one more row if some are hidden."""
        rows = len(rows_of(self.value, self._columns))
        height = min(rows, self._most)
        self._top = max(0, min(self._top, rows - height, self._row))
        self._top = max(self._top, self._row - height + 1)
        if self.size.width:  # without it the rows are not known yet
            self.styles.height = height + (rows > height)
        if self.has_focus:
            self.app.cursor_position = self.cursor_offset
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        look, width = look_of(self), self.size.width
        rows = rows_of(self.value, self._columns)
        index, shown = self._top + y, min(len(rows), self._most)
        if y >= shown or index >= len(rows):
            which = f"   rows {self._top + 1} to {self._top + shown} of {len(rows)}"
            words = [f"{which}; Up and Down show the others", f"{which}; Up, Down", which]
            told = fullest([line(chunk(each, "muted"), background="surface") for each in words], width)
            return paint(told if len(rows) > shown else Line(), width, look.theme, ellipsis=look.glyphs.ellipsis)
        first, last = rows[index]
        sign = chunk(" > " if index == 0 else "   ", "accent", keep=True)
        text = foreign(self.value[first:last], "text", keep=True)
        strip = paint(line(sign, text, background="surface"), width, look.theme)
        if self.has_focus and index == self._row:
            under = self.value[self._message.at : self._message.at + 1]
            x = _MARGIN + self._message.column(self._columns)
            return _with_cursor(strip, x, max(cells_of(under), 1))
        return strip


def _with_cursor(strip: Strip, x: int, cells: int) -> Strip:
    """The row with the cells under the cursor reversed."""
    under = Strip(
        [Segment(part.text, (part.style or Style()) + Style(reverse=True)) for part in strip.crop(x, x + cells)]
    )
    return Strip.join([strip.crop(0, x), under, strip.crop(x + cells)])
