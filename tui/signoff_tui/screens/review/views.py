"""What has the review screen: the list, a request, a group or all of it on one page."""

from __future__ import annotations

from collections.abc import Callable

from signoff_tui.screens.review.extent import View
from signoff_tui.state.group_page import GroupPage
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.session import ReviewSession

__all__ = ["Views"]


class Views:
    """Goes from one view to another, and back when what one is about has left it.

    Args:
        desk: Knows what the cursor is on.
        two_panes: Whether list and content stand side by side now.
        changed: Called when another view is shown.
    """

    def __init__(self, desk: ReviewSession, two_panes: Callable[[], bool], changed: Callable[[], None]) -> None:
        self._desk = desk
        self._two_panes = two_panes
        self._changed = changed
        self._group: RowKey | None = None
        self.now: View = "inbox"
        """What has the screen, or the attention."""
        self.page: GroupPage | None = None
        """All of a group on one page, while that has the screen."""

    def show(self, view: View) -> None:
        """Show another view."""
        self.now = view
        group = self._desk.inbox.focused_group()
        self._group = group.key if group is not None and view in {"group", "page"} else None
        self.page = GroupPage(self._desk, group.key) if group is not None and view == "page" else None
        self._changed()

    def settle(self) -> None:
        """Go back to the list when what the view was about has left it, or a large screen shows both."""
        inbox = self._desk.inbox
        group = inbox.focused_group()
        if self.now == "group" and (self._two_panes() or group is None or group.key != self._group):
            self.show("inbox")
        if self.now == "request" and inbox.focused_request() is None:
            self.show("inbox")
        if self.now == "page" and inbox.cursor != self._group:
            # What the keys act on now is another row: a page is about its group alone.
            here = group is not None and group.key == self._group and not self._two_panes()
            self.show("group" if here else "inbox")

    @property
    def content_visible(self) -> bool:
        """Whether the content of the focused request is on the screen."""
        focused = self._desk.inbox.focused_request() is not None
        return focused and (self.now == "request" or (self._two_panes() and self.now == "inbox"))

    @property
    def group_visible(self) -> bool:
        """Whether the members of the focused group are on the screen instead of content."""
        if self.now in {"group", "page"}:
            return self.now == "group"
        cursor = self._desk.inbox.cursor
        return self._two_panes() and cursor is not None and cursor.kind == "group"
