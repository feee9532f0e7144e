"""What leaves the screen: text for the clipboard, and the terminal while a program of the person's has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from signoff_tui.external import HandoverError
from signoff_tui.guard import Cause
from signoff_tui.screens.review.copying import copied_text
from signoff_tui.terminal.sequences import Copy

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.work import Work
    from signoff_tui.state.amendments import Editable
    from signoff_tui.state.inbox import Entry
    from signoff_tui.state.session import ReviewSession

__all__ = ["Outside"]


class Outside:
    """Copies, and leaves the terminal to others.

    Args:
        screen: Says what came of it.
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
        """Put something of the focused request into the clipboard, through the terminal."""
        entry = self._desk.inbox.focused_request()
        content = None if entry is None else self._desk.content(entry)
        documents = () if content is None else content.documents
        self.copy_text("" if entry is None else copied_text(what, entry.request, documents))

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
        """Have the person edit a text, and take over what comes of it."""
        content = self._desk.asked_content(entry)
        if content is None:
            return

        def edits() -> None:
            after = self._office.edit(text, what.suffix)
            if after is None:
                self._screen.say("the edit changed nothing", token="muted")
            else:
                self._work.edit(entry, content, what, after)

        self.without_terminal(edits, "not edited")

    def hand_over(self, work: Callable[[], None]) -> bool:
        """Leave the terminal to something; False if that failed, which was said then."""
        return self.without_terminal(lambda: self._office.hand_over(work), "not shown outside")

    def without_terminal(self, work: Callable[[], None], failed: str) -> bool:
        """Do something during which nothing of the screen is seen and no key is meant for it.

        Args:
            work: What has the terminal meanwhile.
            failed: What is said if that fails, before the reason.

        Returns:
            Whether it did not fail.
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
