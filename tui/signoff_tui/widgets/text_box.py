"""The box for one line of text. Its screen gets every key first, and passes on text."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol, cast

from textual import events
from textual.actions import SkipAction
from textual.widgets import Input

from signoff.present.reveal.escape import typeable

__all__ = ["TakesKeys", "TextBox"]


class TakesKeys(Protocol):
    """A screen that judges keys before a text box gets them."""

    def takes_key(self, event: events.Key) -> bool:
        """Handle the key; False when it is text for the box."""

    def takes_paste(self, event: events.Paste) -> bool:
        """Handle the paste; False when it is text for the box."""


class TextBox(Input):
    """One line of text. Enter and Esc belong to the screen."""

    DEFAULT_CSS = """
    TextBox { height: 1; border: none; padding: 0 1; }
    TextBox:focus { border: none; background-tint: transparent; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Remove characters that cannot be seen, wherever the text comes from."""
        return typeable(value)

    def write(self, text: str) -> None:
        """Take the focus, with a text to go on from."""
        self.value = text
        self.cursor_position = len(text)
        self.screen.set_focus(self)  # at once: the next key may be there already

    def take_text(self) -> str:
        """Return the text, and empty the box."""
        text, self.value = self.value, ""
        return text

    def take(self, event: events.Key) -> None:
        """Handle a key in the box, unless the screen takes it: at once, so that no later key overtakes it."""
        if cast("TakesKeys", self.screen).takes_key(event):
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            name, _, selects = binding.action.partition("(")
            with suppress(SkipAction):  # there is nothing to scroll
                getattr(self, f"action_{name}")(*[True] * bool(selects))
            return
        if event.is_printable and event.character:
            self.replace(event.character, *self.selection)

    def take_paste(self, event: events.Paste) -> None:
        """Insert a paste, unless the screen takes it."""
        if not cast("TakesKeys", self.screen).takes_paste(event):
            # The box has one line; a paste may have several, and any characters.
            self.insert_text_at_cursor(typeable(" ".join(event.text.splitlines())))
