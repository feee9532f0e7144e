"""Below the members of a group, where there is room: what the first of them that is to be read would do.

It is a look ahead. What the keys act on is the group, so nothing here counts as shown: that begins when the
request itself is gone to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import first_unseen_of
from signoff_tui.text.lines import Chunk, Line, chunk, fullest, line
from signoff_tui.text.summary import summarize
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.state.session import ReviewSession

__all__ = ["GroupPreview", "preview_title"]


class GroupPreview:
    """Shares the content pane between the members of a group and the content of one of them.

    Args:
        screen: Where the pane is.
        desk: Knows the members, and what of them was shown.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession) -> None:
        self._screen = screen
        self._desk = desk

    @property
    def entry(self) -> Entry | None:
        """Whose content stands below the members; None where there is no room, or nothing waits to be read."""
        inbox, views = self._desk.inbox, self._screen.views
        group = inbox.focused_group()
        if group is None or inbox.focused_request() is not None or not views.group_visible:
            return None
        if not self._screen.two_panes or not self._screen.extent.previews(len(inbox.listed(group.key))):
            return None
        return first_unseen_of(self._desk, group.key)

    def lay_out(self) -> None:
        """Give members and content their room."""
        members, document = self._screen.query_one("#members", RowList), self._screen.document
        listed, entry = self._screen.views.group_visible, self.entry
        group = self._desk.inbox.focused_group()
        members.display, document.display = listed, not listed or entry is not None
        if listed:
            rows = len(self._desk.inbox.listed(group.key)) if group is not None and entry is not None else "1fr"
            # Not by a class of the screen: that would have the styles of all its parts worked out anew.
            members.styles.height = rows

    def show(self) -> None:
        """Show the content, if it is made."""
        entry, document = self.entry, self._screen.document
        content = None if entry is None else self._desk.content(entry)
        if content is not None:
            document.show(content.key, content.documents)
        elif entry is None:
            document.notice(())
        elif self._desk.failure(entry) is None:
            document.notice((line(chunk("   preparing what this would do ...", "muted")),))
        else:
            document.notice((line(chunk("   cannot be shown here", "muted")),))

    def below(self, document: DocumentView, glyph: str, width: int) -> Line:
        """How much of the content there is below the view."""
        rest = document.rest
        more = f" {'over ' if rest.more else ''}{rest.rows:,} more {'row' if rest.rows == 1 else 'rows'} below "
        sign = chunk(glyph * 2, "rule")
        words = (sign, chunk(more if rest.rows else " end ", "muted"))
        key = self._desk.keys.shown("page_down")
        notes = [f" {key} opens it: only there it counts as shown ", f" {key} opens it: only there it counts "]
        told = [Line(words, (chunk(note, "muted"), sign), fill=glyph) for note in notes]
        return fullest([*told, Line(words, fill=glyph)], width)


def preview_title(desk: ReviewSession, entry: Entry, width: int) -> Line:
    """Whose content follows.

    Args:
        desk: Has the content.
        entry: The member.
        width: Cells.
    """
    summary, content = summarize(entry.request), desk.content(entry)
    counts = f"  +{content.added} -{content.removed}" if content and (content.added or content.removed) else ""
    what = (
        chunk(f"{summary.letter} ", "accent", keep=True),
        summary.shown("strong"),
        Chunk(chunk(counts).text, keep=True),
    )
    return fullest(
        [line(chunk(f" {words}", "muted", keep=True), *what) for words in ("to be read next: ", "")], width
    )
