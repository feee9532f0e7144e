"""What the parts that react to keys may ask of the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from signoff.filtering import SavedFilter
from signoff_tui.desk import Answer, Desk
from signoff_tui.editing import Editable
from signoff_tui.group_page import GroupPage
from signoff_tui.guard import Cause, Held, Ref
from signoff_tui.inbox import Entry
from signoff_tui.inbox_filter import InboxFilter
from signoff_tui.office import Draft
from signoff_tui.screens.review.extent import Extent, View
from signoff_tui.screens.review.open_bar import OpenBar
from signoff_tui.widgets.document_view import DocumentView

__all__ = ["Face"]


class Face(Protocol):
    """The screen, as its helpers see it."""

    @property
    def desk(self) -> Desk:
        """The state behind the screen."""

    @property
    def document(self) -> DocumentView:
        """The view on the content."""

    @property
    def extent(self) -> Extent:
        """What has room."""

    def now(self) -> int:
        """The wall clock, in microseconds since the epoch."""

    @property
    def two_panes(self) -> bool:
        """Whether list and content stand side by side."""

    @property
    def content_visible(self) -> bool:
        """Whether the content of the focused request is on the screen."""

    @property
    def page(self) -> GroupPage | None:
        """All of a group on one page, while that has the screen."""

    def grow_page(self) -> bool:
        """Put the next member on the page, if it is made; returns whether that was so."""

    @property
    def view(self) -> View:
        """What has the screen, or the attention, now."""

    @property
    def filter(self) -> InboxFilter:
        """What is listed."""

    def type_filter(self) -> None:
        """Let somebody type a filter."""

    def use_filter(self, text: str) -> None:
        """Put a filter in force that needs no typing."""

    def undo_filter(self) -> None:
        """Put the filter in force that was before the last one."""

    @property
    def saved_filters(self) -> Sequence[SavedFilter]:
        """The filters under a digit."""

    @property
    def drafts(self) -> dict[Draft, str]:
        """What was written and not sent."""

    @property
    def bar(self) -> OpenBar | None:
        """What lies over the action bar."""

    def set_view(self, view: View) -> None:
        """Show another view."""

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put something over the action bar, or remove it."""

    def mute(self) -> str:
        """Hold all notices back for a while, or do not any more; returns what to say."""

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something on the last row, until the next key."""

    def feedback_text(self, about: Sequence[Ref]) -> str:
        """What was written to be sent about requests; it is used up."""

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""

    def copy(self, what: str) -> None:
        """Put something of the focused request into the clipboard: a key of `COPIES`."""

    def send(self, held: Held[Answer]) -> None:
        """Give a decision to the queue."""

    def go(self, name: str, query: str = "") -> None:
        """Go to another screen, with what the query picks: ``history``, ``memory``, ``agents``, ``help``."""

    def edit(self, entry: Entry, what: Editable, text: str) -> None:
        """Have the person edit a text, and take over what comes of it."""

    @property
    def viewer(self) -> Sequence[str]:
        """Program and arguments that show a diff outside of the screen; empty if there is none."""

    def hand_over(self, work: Callable[[], None]) -> bool:
        """Leave the terminal to something; False if that failed, which was said then."""

    def leave(self) -> None:
        """End the program."""
