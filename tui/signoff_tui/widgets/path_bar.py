"""The line for typing the path of a file to write: Enter asks for it, Esc leaves."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from signoff.present.reveal.escape import typeable
from signoff_tui.text.lines import chunk, fullest, line, wrapped
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.sized import Sized
from signoff_tui.widgets.text_box import TextBox

__all__ = ["PathBar"]

_KEYS = "Enter writes it, nobody but you can read it, no file is replaced   Esc back"
_FEW_KEYS = ("Enter writes a new file   Esc back", "Enter writes   Esc back")


class PathBar(Vertical, Sized):
    """The path of a file to write; hidden unless somebody types.

    The screen asks `takes_key` about every key while the bar is open, and must leave keys that it does not take to
    the text box.
    """

    DEFAULT_CSS = """
    PathBar { height: 2; display: none; }
    PathBar.-open { display: block; }
    PathBar Horizontal { height: 1; }
    PathBar #path-prompt { width: 11; height: 1; }
    PathBar TextBox { width: 1fr; padding: 0; background: $signoff-surface; color: $signoff-text; }
    """

    class Chosen(Message):
        """Posted with the chosen path. The bar stays until the result is known."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    class Dismissed(Message):
        """Posted when typing has ended."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._said = ("", "")
        self._waits = False
        self._offered = ""

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        with Horizontal():
            yield LinesView(id="path-prompt")
            yield TextBox(id="path-words")
        yield LinesView(id="path-hints")

    @property
    def is_open(self) -> bool:
        """True if somebody types."""
        return self.has_class("-open")

    def open(self, path: str) -> None:
        """Open the bar for typing.

        Args:
            path: The path to go on from.
        """
        self._said, self._waits, self._offered = ("", ""), False, path
        self.add_class("-open")
        self._box.write(path)
        self.draw()

    def close(self) -> None:
        """Close the bar, because the file is written or not wanted any more."""
        self._waits = False
        self.remove_class("-open")
        self.screen.set_focus(None)
        self.post_message(self.Dismissed())

    def refuse(self, words: str) -> None:
        """Show why nothing was written; another path may be typed."""
        self._said, self._waits = (words, "danger"), False
        self.draw()

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key: write, or leave; False if it is for the text box."""
        if event.key == "escape":
            self.close()
        elif self._waits:
            return True  # the path of a file being written stays
        elif event.key == "enter":
            self._choose()
        else:
            self._said = ("", "")
            self.draw()
            return False
        return True

    def resized(self) -> None:
        """Lay out for the width."""
        self.draw()

    @property
    def _box(self) -> TextBox:
        return self.query_one(TextBox)

    def _choose(self) -> None:
        path = self._box.value.strip()
        if path == typeable(self._offered):
            path = self._offered  # a folder may have a name that cannot be typed
        if not path:
            self.refuse("not written: no place is typed")
            return
        self._said, self._waits = ("writing ...", "muted"), True
        self.draw()
        self.post_message(self.Chosen(path))

    def draw(self) -> None:
        """Draw the lines around the box."""
        if not self.is_open or not self.size.width:
            return
        width, (said, token) = self.size.width, self._said
        self.query_one("#path-prompt", LinesView).show([line(chunk(" write to: ", "accent"))])
        if said:
            hints = wrapped(said, width, token, head=chunk(" ", keep=True))
        else:
            hints = [fullest([line(chunk(f" {words}", "muted")) for words in (_KEYS, *_FEW_KEYS)], width)]
        self.query_one("#path-hints", LinesView).show(hints)
        self.styles.height = 1 + len(hints)
