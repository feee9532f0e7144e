"""The boxes for text: what is looked for in a content, and the message to an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.present.document.model import Words
from signoff_tui.input.actions import action_of
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.review.open_bar import Finding, OpenBar, Writing
from signoff_tui.state.message import LONGEST, Message, as_message
from signoff_tui.text.summary import summarize
from signoff_tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.guard import Ref
    from signoff_tui.screens.review.decisions import Decisions
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.widgets.message_box import MessageBox

__all__ = ["Boxes"]


_HANDLERS: Handlers[Boxes] = Handlers()


class Boxes:
    """Opens and closes the boxes with the bars that they belong to, and uses what is in them.

    Args:
        screen: Where the boxes are.
        office: Keeps what was written and not sent, and what was sent.
        decisions: Closes bars.
    """

    def __init__(self, screen: ReviewScreen, office: Office, decisions: Decisions) -> None:
        self._screen = screen
        self._office = office
        self._decisions = decisions
        self._earlier = 0
        self._own_text = ""

    def change(self, before: OpenBar | None, bar: OpenBar | None) -> None:
        """Show or hide boxes; what was written and not used is kept for the same requests."""
        screen, box = self._screen, self._screen.message_box
        box.display, self._find_box.display = isinstance(bar, Writing), isinstance(bar, Finding)
        if isinstance(bar, Finding) and not isinstance(before, Finding):
            self._find_box.write("")
        elif isinstance(before, Finding) and not isinstance(bar, Finding):
            self._find_box.take_text()
            screen.set_focus(None)
        drafts = self._office.drafts
        if isinstance(bar, Writing) and not isinstance(before, Writing):
            self._earlier, self._own_text = 0, ""
            box.grow_to(screen.room.message_rows)
            box.write(drafts.pop(bar.about, ""))
        elif isinstance(before, Writing) and not isinstance(bar, Writing):
            if text := box.take_text():
                drafts[before.about] = text
            screen.set_focus(None)

    # -- looking for words ---------------------------------------------------------------------------------

    def find(self, key: str) -> bool:
        """Look for what is in the box; False when the key is text for it."""
        document = self._screen.document
        if key == "escape":
            self._decisions.close_bar()
            document.end_find()
        elif key in {"enter", "down", "up"}:
            words = self._find_box.value
            if words:
                found = document.find(Words(words), forward=key != "up")
                self._screen.open_bar(Finding("" if found else "not in what is shown; } unfolds more"))
        else:
            return False
        return True

    # -- a message -----------------------------------------------------------------------------------------

    def feedback_text(self, about: Sequence[Ref]) -> str:
        """Return what was written to be sent about requests; it is used up."""
        text, inbox = self._screen.message_box.take_text().strip(), self._screen.desk.inbox
        entry = next((inbox.entry(ref.id) for ref in about if ref.id in inbox), None)
        if entry is not None:
            self._office.earlier.add(summarize(entry.request).tool.text, text)
        return text

    def takes(self, key: str, t: float) -> bool:
        """Do what a key does besides writing; False when it is for the box, or for the guard.

        None of these keys sends anything: only Enter does, and the guard judges it.

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
        _HANDLERS.do(action.name, self)
        return True

    @_HANDLERS("earlier_text")
    def _earlier_text(self) -> None:
        if not self._box.step(-1):
            self._go_to_text(self._earlier + 1)

    @_HANDLERS("later_text")
    def _later_text(self) -> None:
        if not self._box.step(1):
            self._go_to_text(self._earlier - 1)

    @_HANDLERS("copy_message")
    def _copy(self) -> None:
        self._screen.outside.copy_text(self._box.value)

    @_HANDLERS("back")
    def _back(self) -> None:
        self._decisions.close_bar()
        self._screen.redraw()

    @_HANDLERS("soften")
    def _soften(self) -> None:
        """Of a stop make a rejection."""
        if not self._writing.hard:
            self._screen.say("it only rejects: the agent goes on", token="muted")
            return
        self._decisions.soften()
        self._screen.redraw()

    @_HANDLERS("edit_message")
    def _edit(self) -> None:
        """Write in the person's own editor."""
        if len(self._screen.desk.guard.holds):
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

    def _go_to_text(self, number: int) -> None:
        """Put an earlier text into the box: the first is the newest; 0 is what was being written."""
        writing, inbox = self._writing, self._screen.desk.inbox
        entry = next((inbox.entry(id_) for id_ in writing.about if id_ in inbox), None)
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

    @property
    def _writing(self) -> Writing:
        bar = self._screen.bar
        assert isinstance(bar, Writing)
        return bar

    @property
    def _box(self) -> MessageBox:
        return self._screen.message_box

    @property
    def _find_box(self) -> TextBox:
        return self._screen.query_one("#find", TextBox)
