"""A vertical line between two panes."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from signoff_tui.text.lines import chunk, line, paint
from signoff_tui.text.look import look_of

__all__ = ["Divider"]


class Divider(Widget):
    """One column of a line, which the mouse can move."""

    DEFAULT_CSS = """
    Divider { width: 1; height: 1fr; }
    """

    class Dragged(Message):
        """Posted while the mouse moves it, with the column of the screen."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to move."""
        event.stop()
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move with the mouse."""
        if self.app.mouse_captured is self:
            event.stop()
            self.post_message(self.Dragged(event.screen_x))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stay where it is."""
        event.stop()
        self.release_mouse()

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        look = look_of(self)
        return paint(line(chunk(look.glyphs.column, "rule")), self.size.width, look.theme)
