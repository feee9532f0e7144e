"""The boxes for text: what is looked for in a content, the message to an agent, and the call that is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.present.document.model import Words
from signoff_tui.guard import Cause
from signoff_tui.input.actions import action_of
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.review.open_bar import Editing, FindBar, OpenBar, Writing
from signoff_tui.state.documents import content_key
from signoff_tui.state.edits import DECIDED
from signoff_tui.state.message import LONGEST, Message, as_message, fits_in_a_box
from signoff_tui.text.summary import summarize
from signoff_tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.layout import Layout
    from signoff_tui.screens.review.decisions import Decisions
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.state.edits import Editable
    from signoff_tui.state.inbox import Entry
    from signoff_tui.widgets.message_box import MessageBox

__all__ = ["Boxes"]


_HANDLERS: Handlers[Boxes] = Handlers()


class Boxes:
    """Opens and closes the boxes with the bars that they belong to, and uses what is in them.

    Args:
        screen: Has the boxes.
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
        box.display, self._find_box.display = isinstance(bar, Writing | Editing), isinstance(bar, FindBar)
        if isinstance(bar, FindBar) and not isinstance(before, FindBar):
            self._find_box.write("")
        elif isinstance(before, FindBar) and not isinstance(bar, FindBar):
            self._find_box.take_text()
            screen.set_focus(None)
        if isinstance(bar, Writing | Editing) and not isinstance(before, Writing | Editing):
            self._earlier, self._own_text = 0, ""
            self.fit(screen.room)
            box.write(self._draft(bar))
        elif isinstance(before, Writing | Editing) and not isinstance(bar, Writing | Editing):
            self._keep_draft(before, box.take_text())
            screen.set_focus(None)

    def fit(self, room: Layout) -> None:
        """Let the box grow as far as the terminal has room for it."""
        bar = self._screen.bar
        edits = isinstance(bar, Editing) or (isinstance(bar, Writing) and bar.suggests is not None)
        self._box.grow_to(room.edited_rows if edits else room.message_rows)

    def _draft(self, bar: Writing | Editing) -> str:
        """The text to go on from."""
        what = bar.what if isinstance(bar, Editing) else bar.suggests
        if isinstance(bar, Writing) and what is None:
            return self._office.drafts.pop(bar.about, "")
        changes, inbox = self._screen.desk.changes, self._screen.desk.inbox
        entry = inbox.entry(bar.of[0] if isinstance(bar, Editing) else bar.about[0])
        assert what is not None
        text = changes.text_to_edit(entry, what)
        return text if what.path is None else what.suggestion(text)

    def _keep_draft(self, bar: Writing | Editing, text: str) -> None:
        """Keep what was written and not used."""
        if isinstance(bar, Editing):
            self._screen.desk.changes.keep_draft(bar.of[0], bar.what, text)
        elif bar.suggests is None:
            if text:
                self._office.drafts[bar.about] = text
        elif bar.suggests.path is None:  # of a file the draft is what the editor left
            self._screen.desk.changes.keep_draft(bar.about[0], bar.suggests, text)

    # -- an edit -------------------------------------------------------------------------------------------

    def edit(self, entry: Entry, what: Editable) -> None:
        """Open the box for a call, or for what its agent should do instead if it cannot run that."""
        if not what.runs:
            self._open_suggestion(entry, what)
            return
        self._screen.desk.guard.edit_opened()
        self._screen.open_bar(Editing(content_key(entry.request), what))

    def suggest(self, entry: Entry, what: Editable, text: str) -> None:
        """Open the box for an edit that came from an editor, if a message holds it."""
        if (why_not := _why_not(what, text)) is not None:
            self._screen.say(f"not suggested: {why_not}")
        elif len(as_message(what.suggestion(text))) > LONGEST:
            self._screen.say(f"not suggested: a message has at most {LONGEST:,} characters")
        else:
            self._open_suggestion(entry, what)

    def _open_suggestion(self, entry: Entry, what: Editable) -> None:
        desk = self._screen.desk
        offer = desk.guard.suggestion_opened(desk.ref(entry), desk.keys.key("edit_call"))
        self._screen.open_bar(Writing(offer, hard=False, suggests=what))

    def accept(self, bar: Editing) -> None:
        """Take over an edit: it is compared, shown and has to be read. What cannot run stays in the box."""
        text = self._box.value
        if (why_not := self._why_not_accepted(bar, text)) is not None:
            self._screen.say(why_not)
            return
        self._decisions.close_bar()
        self._compare(bar, text)

    def _accept_without_box(self, bar: Editing, text: str) -> None:
        """Take over an edit that the box would not hold as it is."""
        self._decisions.close_bar()
        self._screen.desk.changes.keep_draft(bar.of[0], bar.what, text)
        if (why_not := self._why_not_accepted(bar, text)) is not None:
            self._screen.say(why_not)
        else:
            self._compare(bar, text)

    def _why_not_accepted(self, bar: Editing, text: str) -> str | None:
        inbox = self._screen.desk.inbox
        if bar.of[0] not in inbox or not inbox.entry(bar.of[0]).waiting:
            return f"cannot edit: {DECIDED}; your text is kept"
        return bar.what.why_not(text)

    def _compare(self, bar: Editing, text: str) -> None:
        desk = self._screen.desk
        entry = desk.inbox.entry(bar.of[0])
        if content_key(entry.request) == bar.of:
            self._screen.outside.accept(entry, bar.what, text)
        else:
            key = desk.keys.shown("edit_call")
            self._screen.say(f"the request changed meanwhile: your edit is kept, {key} opens it again")
        self._screen.redraw(Cause.CHANGED)

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
                self._screen.open_bar(FindBar("" if found else "not in what is shown; } unfolds more"))
        else:
            return False
        return True

    # -- a message -----------------------------------------------------------------------------------------

    def note(self, bar: Writing) -> str:
        """Return what was written to be sent with a rejection; it is used up."""
        text, inbox = self._screen.message_box.take_text().strip(), self._screen.desk.inbox
        if bar.suggests is not None:
            return text if bar.suggests.path is not None else bar.suggests.suggestion(text)
        entry = next((inbox.entry(id_) for id_ in bar.about if id_ in inbox), None)
        if entry is not None:
            self._office.earlier.add(summarize(entry.request).tool.text, text)
        return text

    def takes(self, key: str, t: float) -> bool:
        """Do what a key does besides writing; False when it is for the box, or for the guard.

        None of these keys sends anything: only Enter does, and the guard judges it.

        Args:
            key: As the guard names it.
            t: The time of the press.
        """
        if key == "enter" and (why_not := self._why_not_suggested()) is not None:
            self._screen.say(why_not)
            return True
        action = action_of(key, "message")
        if action is None and key.startswith("alt+"):
            self._screen.say(f"{key} does nothing here: nothing was written", token="muted")
            return True
        if action is None or action.name == "new_line":
            return False
        self._screen.desk.guard.press(key, t)  # the guard tells a hasty hand by every key that is pressed here
        _HANDLERS.do(action.name, self)
        return True

    def _why_not_suggested(self) -> str | None:
        """Return the reason why the text is no suggestion; None if it is one, or if something else is written."""
        bar = self._screen.bar
        what = bar.suggests if isinstance(bar, Writing) else None
        return None if what is None or what.path is not None else _why_not(what, self._box.value)

    @_HANDLERS("earlier_text")
    def _earlier_text(self) -> None:
        if not self._box.step(-1) and (writing := self._message) is not None:
            self._go_to_text(writing, self._earlier + 1)

    @_HANDLERS("later_text")
    def _later_text(self) -> None:
        if not self._box.step(1) and (writing := self._message) is not None:
            self._go_to_text(writing, self._earlier - 1)

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
        if (writing := self._message) is None:
            return
        if not writing.hard:
            self._screen.say("it only rejects: the agent goes on", token="muted")
            return
        self._decisions.soften()
        self._screen.redraw()

    @_HANDLERS("edit_message")
    def _edit(self) -> None:
        """Write in the person's own editor. An edit that the box does not hold as it is needs no box any more."""
        if len(self._screen.desk.guard.holds):
            self._screen.say("Ctrl+E waits: take back what is held, or let it be sent")
            return
        box, bar = self._box, self._screen.bar
        suffix = bar.what.suffix if isinstance(bar, Editing) else ".txt"

        def write() -> None:
            after = self._office.edit(box.value, suffix)
            if after is None:
                return
            if isinstance(bar, Editing) and not fits_in_a_box(after):
                self._accept_without_box(bar, after.removesuffix("\n"))
                return
            text = after.removesuffix("\n") if isinstance(bar, Editing) else as_message(after).strip()
            if len(text) > LONGEST:
                self._screen.say(f"not taken: it is longer than {LONGEST:,} characters")
            else:
                box.change(Message.of(text))

        self._screen.outside.without_terminal(write, "not edited")

    def _go_to_text(self, writing: Writing, number: int) -> None:
        """Put an earlier text into the box: the first is the newest; 0 is what was being written."""
        inbox = self._screen.desk.inbox
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
    def _message(self) -> Writing | None:
        """The message that is written; None while a call is edited."""
        bar = self._screen.bar
        return bar if isinstance(bar, Writing) and bar.suggests is None else None

    @property
    def _box(self) -> MessageBox:
        return self._screen.message_box

    @property
    def _find_box(self) -> TextBox:
        return self._screen.query_one("#find", TextBox)


def _why_not(what: Editable, text: str) -> str | None:
    """Return the reason why an edit is no suggestion to an agent that cannot run it; None if it is one."""
    if (why_not := what.why_not(text)) is not None:
        return why_not
    return "it is what was asked: change it, or Esc" if what.is_asked(text) else None
