"""A block of lines, drawn as given."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from signoff_tui.text.lines import Line, paint
from signoff_tui.text.look import look_of
from signoff_tui.widgets.sized import Measured

__all__ = ["LinesView"]


class LinesView(Measured):
    """Draws `Line`s from the top; as high as there are lines."""

    DEFAULT_CSS = """
    LinesView { height: 0; width: 1fr; }
    """

    virtual_size = Reactive(Size(0, 0), layout=False)
    """It does not scroll, so another size needs no second layout; Textual's is for scrolling widgets."""

    class Clicked(Message):
        """Posted when a row was clicked."""

        def __init__(self, view: LinesView, column: int, row: int) -> None:
            super().__init__()
            self.view = view
            self.column = column
            self.row = row

        @property
        def control(self) -> LinesView:
            """The view, for `@on` selectors."""
            return self.view

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()
        self._drawn = True

    @property
    def lines(self) -> tuple[Line, ...]:
        """The drawn lines."""
        return self._lines

    @property
    def drawn(self) -> bool:
        """True if the last drawn picture shows these lines."""
        return self._drawn

    def show(self, lines: Sequence[Line]) -> None:
        """Draw other lines. Nothing happens if they are the same."""
        new = tuple(lines)
        if new == self._lines:
            return
        if len(new) != len(self._lines):
            # A style, and not `height: auto`: that keeps the old height when the lines change once more
            # between a layout and the idle moment after it (Textual 8, `Widget._box_model_cache`).
            self.styles.height = len(new)
        self._lines = new
        self._drawn = False
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Report the click."""
        self.post_message(self.Clicked(self, event.x, event.y))

    def draw_again(self) -> None:
        """Draw the same lines once more, so that `drawn` refers to a new picture."""
        self._drawn = False
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        self._drawn = True
        look = look_of(self)
        content = self._lines[y] if y < len(self._lines) else Line()
        return paint(content, self.width_drawn, look.theme, ellipsis=look.glyphs.ellipsis)
