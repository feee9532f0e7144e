"""The way of each key, paste and click to its part of the screen: the guard judges first whatever may decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from signoff_tui.screens.review.open_bar import Editing, FindBar, Unseen, Writing
from signoff_tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from signoff_tui.input.actions import Action
    from signoff_tui.screens.review.actions import Actions
    from signoff_tui.screens.review.decisions import Decisions
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Pressing"]


class Pressing:
    """Takes all keys, pastes and clicks, in one place.

    Args:
        screen: The screen that has the keys.
        decisions: Does what the guard permits.
        actions: Does what decides nothing.
    """

    def __init__(self, screen: ReviewScreen, decisions: Decisions, actions: Actions) -> None:
        self._screen = screen
        self._decisions = decisions
        self._actions = actions

    @property
    def moves_allowed(self) -> bool:
        """True if the cursor may move: not while a sheet or text box is about what it stands on."""
        bar = self._screen.bar
        return not self._screen.filter_bar.is_open and (bar is None or isinstance(bar, Unseen))

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        screen, bar = self._screen, self._screen.bar
        key = event.character if event.is_printable and event.character else event.key
        screen.say("")
        if key == "ctrl+e" and isinstance(screen.open_box, TextBox):
            screen.outside.edit_line(screen.open_box)
            return True
        if screen.filter_bar.is_open:
            return screen.filtering.takes_key(event)
        if isinstance(bar, FindBar):
            return screen.boxes.find(key)
        if isinstance(bar, Writing | Editing) and screen.boxes.takes(key, event.time):
            return True
        reaction = screen.desk.guard.press(key, event.time)
        if not self._decisions.react(reaction):
            bar = screen.bar
            if isinstance(bar, Writing | Editing):
                if key == "enter":
                    screen.say("Enter came as in a paste and began a line; press it again")
                screen.message_box.focus()
                return False
            if self._decisions.allow_key(key):
                pass
            elif self.moves_allowed or key == "escape":
                self._actions.press(key)
                if key.isalpha() and not key.isascii() and len(key) == 1:
                    screen.say("keys are Latin letters: switch the keyboard layout")
        screen.schedule()
        return True

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        if self._screen.filter_bar.is_open:
            return False
        return self._decisions.react(self._screen.desk.guard.paste(event.time))

    def perform(self, action: Action) -> None:
        """Do what the palette chose. A decision is left to its key: what stands in a list was not looked at."""
        if action.decides:
            self._screen.say(f"{action.shown} does that: look, then press it")
        elif self.moves_allowed:
            self._actions.perform(action)

    def click_key(self, name: str | None) -> None:
        """Do what a key of the bottom row does, if a click may."""
        if name is not None and self.moves_allowed and not self._screen.desk.guard.too_small:
            self._screen.say("")
            self._actions.do(name)

    def click_row(self, index: int, *, double: bool) -> None:
        """Go to a row of the list, or open it."""
        inbox = self._screen.desk.inbox
        rows = inbox.rows()
        if index >= len(rows) or not self.moves_allowed:
            return
        self._screen.say("")
        inbox.move_to(rows[index].key)
        self._screen.desk.fold()
        if double:
            self._actions.open()
        self._screen.redraw()
