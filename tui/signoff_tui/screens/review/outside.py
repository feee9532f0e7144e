"""The ways out of the screen: text for the clipboard, and the terminal for a program of the person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from signoff.present.document.model import Document
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.present.subject import step_text, steps_of
from signoff.queue.records import StoredRequest
from signoff_tui.external import HandoverError, in_pager, in_viewer
from signoff_tui.guard import Cause
from signoff_tui.screens.review.names import name_of
from signoff_tui.terminal.sequences import Copy

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.work import Work
    from signoff_tui.state.documents import Content
    from signoff_tui.state.edits import Editable
    from signoff_tui.state.inbox import Entry
    from signoff_tui.state.session import ReviewSession
    from signoff_tui.widgets.text_box import TextBox

__all__ = ["COPIES", "Outside"]

_ALL = 10**9
"""Unchanged lines around changes that leave no line out."""


class Outside:
    """Copies text, and hands the terminal to other programs.

    Args:
        screen: Shows the result in words.
        desk: Knows what is focused.
        office: Speaks to the terminal, and hands it over.
        work: Compares what was edited.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession, office: Office, work: Work) -> None:
        self._screen = screen
        self._desk = desk
        self._office = office
        self._work = work

    def copy(self, what: str) -> None:
        """Put a part of the focused request into the clipboard, through the terminal."""
        entry = self._desk.inbox.focused_request()
        content = None if entry is None else self._desk.content(entry)
        documents = () if content is None else content.documents
        self.copy_text("" if entry is None else copied_text(what, self._desk.request(entry), documents))

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard, through the terminal."""
        try:
            saying = Copy(text)
        except ValueError as error:
            self._screen.say(f"not copied: {error}")
            return
        if not text:
            self._screen.say("there is nothing of that to copy", token="muted")
            return
        self._office.speak(saying)
        words = f"copied {len(text):,} characters, if the terminal lets programs copy"
        self._screen.say(words, token="muted")

    def edit(self, entry: Entry, what: Editable, text: str) -> None:
        """Have the person edit a text in their own editor, and take over what comes of it."""

        def edits() -> None:
            after = self._office.edit(text, what.suffix)
            if after is None:
                self._screen.say("the edit changed nothing", token="muted")
            else:
                self.accept(entry, what, after if what.path is not None else after.removesuffix("\n"))

        self.without_terminal(edits, "not edited")

    def edit_line(self, box: TextBox) -> None:
        """Have the person write what is in a box of one line in their own editor."""
        if len(self._desk.guard.holds):
            self._screen.say("Ctrl+E waits: take back what is held, or let it be sent")
            return

        def edits() -> None:
            after = self._office.edit(box.value, ".txt")
            if after is not None:
                box.write(" ".join(after.split()))

        self.without_terminal(edits, "not edited")

    def accept(self, entry: Entry, what: Editable, text: str) -> None:
        """Have an edit compared with what was asked; one that the agent cannot run becomes a suggestion."""
        content = self._desk.asked_content(entry)
        if content is None:
            self._desk.changes.keep_draft(entry.id, what, text)
            self._screen.say(
                "not edited: what was asked is being read again; your text is kept, press the key again"
            )
            return
        if what.runs:
            self._desk.changes.compare(entry)
            self._work.edit(entry, content, what, text)
            return
        self._desk.changes.keep_draft(entry.id, what, text)
        self._screen.boxes.suggest(entry, what, text)

    def view(self) -> None:
        """Show the diff in the person's viewer if they named one, anything else in their pager."""
        found = self._read()
        if found is None:
            return
        entry, content = found
        document = next((each for each in content.documents if each.kind.has_file_lines), None)
        viewer = self._office.viewer
        if not viewer or document is None:
            self._in_pager(entry, content)
            return
        before = [row.text for row in document.safe_lines("old")]
        after = [row.text for row in document.safe_lines("new")]
        self._hand_over(lambda: in_viewer(viewer, before, after, document.path or ""))

    def page(self) -> None:
        """Show all of the request in the person's pager."""
        found = self._read()
        if found is not None:
            self._in_pager(*found)

    def _in_pager(self, entry: Entry, content: Content) -> None:
        name = name_of(self._desk, self._desk.ref(entry))
        head = f"{name}, revision {entry.request.revision}: all of it, secrets as marks"
        whole = (row for each in content.documents for row in as_shown(each.with_context(_ALL)))
        text = "\n".join([head, "", *whole, ""])
        self._hand_over(lambda: in_pager(text))

    def _read(self) -> tuple[Entry, Content] | None:
        """Return the request that is read, with its documents and without its secrets; say so if there is none."""
        entry = self._desk.inbox.focused_request() or self._screen.contents.read
        content = None if entry is None else self._desk.content(entry)
        if entry is None or content is None:
            self._screen.say("open a request to read it outside of the screen", token="muted")
            return None
        if len(self._desk.guard.holds):
            key = self._desk.keys.shown("outside")
            self._screen.say(f"{key} waits: take back what is held, or let it be sent")
            return None
        return entry, content

    def _hand_over(self, work: Callable[[], None]) -> None:
        """Leave the terminal to a program."""
        if self.without_terminal(lambda: self._office.hand_over(work), "not shown outside"):
            self._screen.say("what was shown outside does not count as shown here", token="muted")

    def without_terminal(self, work: Callable[[], None], failed: str) -> bool:
        """Do something during which nothing of the screen is seen and no key is meant for it.

        Args:
            work: Runs while it has the terminal.
            failed: The words before the reason if that fails.

        Returns:
            True if it did not fail.
        """
        self._desk.coverages.covered()
        try:
            work()
        except HandoverError as error:
            self._screen.say(f"{failed}: {error}")
            return False
        finally:
            self._desk.guard.went_on()
            self._desk.guard.restart()
            self._screen.redraw(Cause.CHANGED)
        return True


# -- What of a request can be copied: as it is shown, or as it was sent.

COPIES = {"t": "text as shown", "a": "text as sent", "p": "path or command", "i": "id of the request"}
"""The keys of the question, and the part that each copies."""

_SIGNS = {"added": "+", "removed": "-"}


def copied_text(what: str, request: StoredRequest, documents: Sequence[Document]) -> str:
    """Return the text that a key of `COPIES` copies; empty if the request has none of that.

    As shown: made safe, with masks, one row a line. As sent: what would be written or run, unchanged.
    """
    match what:
        case "i":
            return request.id
        case "p":
            return _subject(request)
        case "t":
            return "\n".join(row for each in documents for row in as_shown(each))
        case _:
            return "".join(line for each in documents for line in each.source("new") or each.source("old"))


def as_shown(document: Document) -> Iterator[str]:
    """Return the rows of a document with their signs, made safe, with marks for secrets."""
    return (f"{_SIGNS.get(row.kind, ' ')} {row.text.text}" for row in document)


def _subject(request: StoredRequest) -> str:
    """Return the paths and commands of a request, one a line."""
    try:
        return "\n".join(step_text(step, "") for step in steps_of(request.submission.snapshot))
    except SnapshotError:
        return ""
