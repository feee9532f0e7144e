"""The boxes for text: what is looked for in a content, and the message to an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.present.document.model import Words
from signoff_tui.screens.review.open_bar import Finding, OpenBar, Writing
from signoff_tui.text.summary import summarize
from signoff_tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.guard import Ref
    from signoff_tui.screens.review.deciding import Deciding
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.writing_keys import WritingKeys

__all__ = ["Boxes"]


class Boxes:
    """Opens and closes the boxes with the bars that they belong to, and uses what is in them.

    Args:
        screen: Where the boxes are.
        office: Keeps what was written and not sent, and what was sent.
        deciding: Closes bars.
        writing: Keys of the message box.
    """

    def __init__(self, screen: ReviewScreen, office: Office, deciding: Deciding, writing: WritingKeys) -> None:
        self._screen = screen
        self._office = office
        self._deciding = deciding
        self._writing = writing

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
            self._writing.begin()
            box.grow_to(screen.extent.message_rows)
            box.write(drafts.pop(bar.about, ""))
        elif isinstance(before, Writing) and not isinstance(bar, Writing):
            if text := box.take_text():
                drafts[before.about] = text
            screen.set_focus(None)

    def find(self, key: str) -> bool:
        """Look for what is in the box; False when the key is text for it."""
        document = self._screen.document
        if key == "escape":
            self._deciding.close_bar()
            document.end_find()
        elif key in {"enter", "down", "up"}:
            words = self._find_box.value
            if words:
                found = document.find(Words(words), forward=key != "up")
                self._screen.open_bar(Finding("" if found else "not in what is shown; } unfolds more"))
        else:
            return False
        return True

    def feedback_text(self, about: Sequence[Ref]) -> str:
        """What was written to be sent about requests; it is used up."""
        text, inbox = self._screen.message_box.take_text().strip(), self._screen.desk.inbox
        entry = next((inbox.entry(ref.id) for ref in about if ref.id in inbox), None)
        if entry is not None:
            self._office.earlier.add(summarize(entry.request).tool.text, text)
        return text

    @property
    def _find_box(self) -> TextBox:
        return self._screen.query_one("#find", TextBox)
