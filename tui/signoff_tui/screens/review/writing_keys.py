"""Keys of the box for a message to the agent, besides those that write into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff_tui.input.actions import action_of
from signoff_tui.screens.review.open_bar import Writing
from signoff_tui.state.message import LONGEST, Message, as_message
from signoff_tui.text.summary import summarize

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.deciding import Deciding
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.widgets.message_box import MessageBox

__all__ = ["WritingKeys"]


class WritingKeys:
    """One method per action of the message box, named ``do_`` and the action's name.

    None of them sends anything: only Enter does, and the guard judges it.

    Args:
        screen: Where the box is.
        office: Keeps earlier texts.
        deciding: Closes the box.
    """

    def __init__(self, screen: ReviewScreen, office: Office, deciding: Deciding) -> None:
        self._screen = screen
        self._office = office
        self._deciding = deciding
        self._earlier = 0
        self._own_text = ""

    def begin(self) -> None:
        """The box was opened: Up begins with the last text again."""
        self._earlier = 0
        self._own_text = ""

    def takes(self, key: str, t: float) -> bool:
        """Do what a key does besides writing; False when it is for the box, or for the guard.

        Args:
            key: As the guard names it.
            t: When it was pressed.
        """
        action = action_of(key, "message")
        if action is None and key.startswith("alt+"):
            self._screen.say(f"{key} does nothing here: nothing was written", token="muted")
            return True
        if action is None or action.name == "new_line":
            return False
        self._screen.desk.guard.press(key, t)  # the guard tells a hasty hand by every key that is pressed here
        getattr(self, f"do_{action.name}")()
        return True

    # -- keys ----------------------------------------------------------------------------------------------

    def do_new_line(self) -> None:
        """The box does it."""

    def do_soften(self) -> None:
        """Of a stop make a rejection."""
        if not self._writing.hard:
            self._screen.say("it only rejects: the agent goes on", token="muted")
            return
        self._deciding.soften()
        self._screen.redraw()

    def do_earlier_text(self) -> None:
        """A row up; from the first one to the text that was sent before."""
        if not self._box.step(-1):
            self._go_to_text(self._earlier + 1)

    def do_later_text(self) -> None:
        """A row down; from the last one to the text that was sent after."""
        if not self._box.step(1):
            self._go_to_text(self._earlier - 1)

    def do_edit_message(self) -> None:
        """Write in the person's own editor."""
        desk = self._screen.desk
        if len(desk.guard.holds):
            self._screen.say("Ctrl+E waits: take back what is held, or let it be sent")
            return
        box = self._box

        def write() -> None:
            after = self._office.edit(box.value, ".txt")
            text = None if after is None else as_message(after).strip()
            if text is not None and len(text) > LONGEST:
                self._screen.say(f"not taken: it is longer than {LONGEST:,} characters")
            elif text is not None:
                box.change(Message.of(text))

        self._screen.outside.without_terminal(write, "not edited")

    def do_copy_message(self) -> None:
        """Copy what is written, through the terminal."""
        self._screen.outside.copy_text(self._box.value)

    def do_back(self) -> None:
        """Close the box; what is written is kept."""
        self._deciding.close_bar()
        self._screen.redraw()

    # -- parts ---------------------------------------------------------------------------------------------

    @property
    def _writing(self) -> Writing:
        bar = self._screen.bar
        assert isinstance(bar, Writing)
        return bar

    @property
    def _box(self) -> MessageBox:
        return self._screen.message_box

    def _go_to_text(self, number: int) -> None:
        """Put an earlier text into the box: the first is the newest; 0 is what was being written."""
        writing = self._writing
        entry = next(
            (self._screen.desk.inbox.entry(id_) for id_ in writing.about if id_ in self._screen.desk.inbox), None
        )
        tool = "" if entry is None else summarize(entry.request).tool.text
        texts = self._office.earlier.for_tool(tool)
        if not 0 <= number <= len(texts):
            none = "nothing was sent in this run yet" if not texts else "there is no earlier text"
            if number > 0:
                self._screen.say(none, token="muted")
            return
        if self._earlier == 0:
            self._own_text = self._box.value
        self._earlier = number
        self._box.change(Message.of(self._own_text if number == 0 else texts[number - 1]))
