"""Which part a key, a paste or a click is for: the guard judges first whatever may decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from signoff_tui.screens.review.open_bar import Asking, Finding, GroupNotReady, Unseen, Writing
from signoff_tui.state.inbox import RowKey
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.input.actions import Action
    from signoff_tui.screens.review.deciding import Deciding
    from signoff_tui.screens.review.navigating import Navigating
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.writing_keys import WritingKeys

__all__ = ["Pressing"]


class Pressing:
    """Takes what the person presses, in one place.

    Args:
        screen: Where it was pressed.
        deciding: Does what the guard permits.
        navigating: Does what decides nothing.
        writing: Keys of the message box.
    """

    def __init__(
        self, screen: ReviewScreen, deciding: Deciding, navigating: Navigating, writing: WritingKeys
    ) -> None:
        self._screen = screen
        self._deciding = deciding
        self._navigating = navigating
        self._writing = writing

    @property
    def moves_allowed(self) -> bool:
        """Whether the cursor may move: not while a sheet or text box is about what it stands on."""
        bar = self._screen.bar
        return not self._screen.filter_bar.is_open and (bar is None or isinstance(bar, Unseen | GroupNotReady))

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        screen, bar = self._screen, self._screen.bar
        key = event.character if event.is_printable and event.character else event.key
        if screen.filter_bar.is_open:
            return screen.filtering.takes_key(event)
        if isinstance(bar, Finding):
            return screen.boxes.find(key)
        if isinstance(bar, Writing) and self._writing.takes(key, event.time):
            return True
        reaction = screen.desk.guard.press(key, event.time)
        if not self._deciding.react(reaction):
            bar = screen.bar
            if isinstance(bar, Writing):
                if key == "enter":
                    screen.say("Enter came as fast as in a paste, so it began a line; press it again to send")
                screen.message_box.focus()
                return False
            if isinstance(bar, Asking) and bar.about == "filter" and key != "escape":
                self._navigating.choose_filter(key)
            elif self.moves_allowed or key == "escape":
                self._navigating.press(key)
        screen.passing_time.schedule()
        return True

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        if self._screen.filter_bar.is_open:
            return False
        return self._deciding.react(self._screen.desk.guard.paste(event.time))

    def perform(self, action: Action) -> None:
        """Do what the palette chose. A decision is left to its key: what stands in a list was not looked at."""
        if action.decides:
            self._screen.say(f"{action.shown} does that, once the bar says [armed]: look, then press it")
        elif self.moves_allowed:
            self._screen.desk.tags.act(on=False)
            self._navigating.perform(action)

    def click_row(self, event: RowList.Clicked) -> None:
        """Go to a row of the list, or open it."""
        rows = self._screen.desk.inbox.rows()
        if event.index < len(rows):
            self._click(rows[event.index].key, opens=event.double)

    def click_member(self, event: RowList.Clicked) -> None:
        """Go to a member of the group under the cursor, or open it."""
        inbox = self._screen.desk.inbox
        group = inbox.focused_group()
        members = () if group is None else inbox.listed(group.key)
        if event.index < len(members):
            self._click(RowKey("request", members[event.index].id), opens=event.double)

    def _click(self, key: RowKey, *, opens: bool) -> None:
        if not self.moves_allowed:
            return
        self._screen.desk.tags.act(on=False)
        self._screen.desk.inbox.move_to(key)
        if opens:
            self._navigating.do_open()
        self._screen.redraw()
