"""Keys of the box for a message to the agent, besides those that write into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from signoff.settings_yaml import ConfigError
from signoff_tui.input.actions import Action, action_of
from signoff_tui.screens.review.open_bar import Picking, Writing
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
        office: Keeps replies and earlier texts.
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
        if self._writing.picking is not None and self._picks(key, action, t):
            return True
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

    def do_replies(self) -> None:
        """Choose from the replies; again: the next of them."""
        bar = self._writing
        if bar.picking is not None:
            self._open(bar.picking.next())
            return
        try:
            replies = self._office.replies.all()
        except ConfigError as error:
            self._screen.say(f"no replies: {error.problems[0]}")
            return
        if not replies:
            self._screen.say("there are no replies: write one, then Ctrl+S keeps it", token="muted")
            return
        self._open(Picking(replies, most=self._screen.extent.reply_rows))

    def do_keep_reply(self) -> None:
        """Keep what is written as a reply."""
        text = self._box.value
        try:
            kept = self._office.replies.keep(text)
        except (ConfigError, OSError) as error:
            reason = error.problems[0] if isinstance(error, ConfigError) else error.strerror
            self._screen.say(f"not kept: {reason}")
            return
        already = "it is a reply already" if text.strip() else "write something first"
        self._screen.say("kept as a reply: Tab lists it" if kept else f"not kept: {already}", token="muted")
        if kept and self._writing.picking is not None:
            self._open(replace(self._writing.picking, replies=self._office.replies.all()))

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
        """Close the list of replies, else the box; what is written is kept."""
        if self._writing.picking is not None:
            self._open(None)
        else:
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

    def _open(self, picking: Picking | None) -> None:
        extent = self._screen.extent
        self._box.grow_to(1 if picking is not None and extent.low else extent.message_rows)
        self._screen.open_bar(replace(self._writing, picking=picking))

    def _picks(self, key: str, action: Action | None, t: float) -> bool:
        """Take a key while replies are listed; False when it is no choice, which closes the list."""
        picking = self._writing.picking
        assert picking is not None
        reply = picking.chosen(key)
        if reply is not None:
            # Enter stands for the digit: as itself the guard would take it for sending.
            digit = str(picking.marked - picking.first + 1) if key == "enter" else key
            self._screen.desk.guard.press(digit, t)
            self._open(None)
            if not self._box.insert(reply):
                self._screen.say(f"not put in: a message has at most {LONGEST:,} characters")
            return True
        if action is not None and action.name in {"earlier_text", "later_text"}:
            self._screen.desk.guard.press(key, t)
            self._open(picking.moved(-1 if action.name == "earlier_text" else 1))
            return True
        if action is None or action.name not in {"replies", "back", "keep_reply"}:
            self._open(None)
        return False

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
