"""The reading pane: its page, made when it is wanted, and the reader's place on it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from signoff_tui.guard import Cause
from signoff_tui.screens.review.frames import PATIENCE_SECONDS, AfterPicture, Patience
from signoff_tui.state.documents import KEPT, content_key, revealed_key
from signoff_tui.state.drift import DriftWatch, Looked
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.page import ContentPage, page_from
from signoff_tui.text.lines import Line, chunk, line
from signoff_tui.widgets.document.layout import ViewPosition

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.work import ContentMade, Drifted, MarksRead, Work
    from signoff_tui.state.documents import ContentKey
    from signoff_tui.state.read_marks import ReadMark
    from signoff_tui.state.session import ReviewSession
    from signoff_tui.widgets.document.view import DocumentView

__all__ = ["Contents"]

_PREPARING = (Line(), line(chunk("   preparing what this would do ...", "muted")))


class Contents:
    """Has contents made, and shows them once they are.

    Args:
        screen: Has the reading pane.
        desk: Keeps what was made.
        work: Makes it.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession, work: Work) -> None:
        self._screen = screen
        self._desk = desk
        self._work = work
        self._after_picture = AfterPicture(screen)
        self._drift = DriftWatch(work.look_at_files)
        self._redraws_soon = False
        self._timer: Timer | None = None
        self._for: RowKey | None = None
        self._at_first_unread = False
        self._kept = 0
        self.patience = Patience()
        """Decides whether a picture waits for contents."""
        self.page: ContentPage | None = None
        """The contents under the cursor, and those to read next; None without any."""

    # -- the page ------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Begin another page if the cursor was moved, or what the page began with is not there any more."""
        cursor = self._desk.inbox.cursor
        if cursor is None:
            self.page = self._for = None
        elif self.page is None or cursor != self._for or not self.page.begins_as_it_did:
            self.page, self._for = page_from(self._desk, cursor), cursor
            self._at_first_unread = True

    @property
    def read(self) -> Entry | None:
        """The request at the top of the page, which is being read."""
        page, document = self.page, self._screen.document
        if page is None:
            return None
        there = document.owner is page.owner
        section = page.section_at(document.viewport.document_at_top if there else 0)
        id_ = page.first[0] if section is None else section.request_id
        return self._desk.inbox.entry(id_) if id_ in self._desk.inbox else None

    def follow_reader(self, *, from_heading: bool = False) -> bool:
        """Put the cursor on the request that is being read; True if it moved.

        Args:
            from_heading: True to leave the heading of the group for it.
        """
        inbox, entry = self._desk.inbox, self.read
        if entry is None or self.page is None or inbox.cursor is None:
            return False
        key = RowKey("request", entry.id)
        if key == inbox.cursor or (inbox.cursor.kind == "group" and not from_heading):
            return False
        inbox.move_to(key)
        self._for = inbox.cursor
        return True

    # -- showing -------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Show the page, as far as it has room, and have the missing contents made."""
        visible, entry = self._screen.content_visible, self._desk.inbox.focused_request()
        if entry is None or not visible or not self._desk.is_revealed(entry):
            self._desk.revealed = None
        if visible and (entry is None or not self._show_revealed(entry)):
            self._show_page()
        looked_at = entry is not None and entry.waiting and visible
        self._drift.follow(entry.request if entry is not None and looked_at else None)
        self.make_wanted()

    def _show_page(self) -> None:
        page, document = self.page, self._screen.document
        if page is None:
            document.notice(())
            return
        page.renew()
        if not page.documents and not page.grow():
            document.notice(_PREPARING)
            return
        document.show(page.owner, page.documents)
        if self._at_first_unread and document.viewport.visible:
            self._at_first_unread = False
            document.go_unit(page.first_unread)
        while document.size.height and not document.rest.more and page.grow():
            document.show(page.owner, page.documents)
        read = self.read
        document.hunks.among = range(0) if read is None else page.documents_of(read.id)

    def goes_on(self) -> None:
        """Note that the reader moved: the end of the page may have come near."""
        page = self.page
        if page is not None and self._screen.document.owner is page.owner:
            self._show_page()
            self.make_wanted()

    def _show_revealed(self, entry: Entry) -> bool:
        """Show a request with its secrets; False if they are to stay hidden, or while that content is not made."""
        if not self._desk.is_revealed(entry):
            return False
        content = self._desk.revealed_content(entry)
        if content is not None:
            self._screen.document.show(content.key, content.documents)
            return True
        if self._desk.contents.want(revealed_key(entry.request)):
            self._work.make(entry, revealed=True)
        return False

    # -- making --------------------------------------------------------------------------------------------

    def make_wanted(self) -> None:
        """Have the contents made that are on the screen or may be next."""
        for wanted in list(self._wanted())[:KEPT]:  # more would push each other out again, and be made for ever
            if self._desk.contents.want(content_key(wanted.request)):
                self._work.make(wanted)

    def _wanted(self) -> Iterator[Entry]:
        page, inbox = self.page, self._desk.inbox
        near_the_end = page is None or not page.documents or not self._screen.document.rest.more
        if page is not None and page.wanted is not None and near_the_end and self._screen.content_visible:
            yield page.wanted
        if self.patience.waits:
            return  # for that one alone: others would take time from it
        focused = inbox.focused_request()
        if focused is not None:
            yield focused
        yield from (inbox.entry(row.key.id) for row in self._screen.visible_rows if row.key.kind == "request")

    def take(self, event: ContentMade) -> None:
        """Take over contents that were made, or the reason why they cannot be."""
        if event.content is not None:
            self._desk.take_content(event.content)
        else:
            self._desk.contents.fail(event.key, event.failure)
        request_id, *_ = event.key
        if self.page is not None and request_id in self.page and self._screen.content_visible:
            self._screen.redraw(Cause.MOVED)
        elif not self._redraws_soon:
            # Many are made at once: they are drawn together.
            self._redraws_soon = True
            self._screen.call_later(self._redraw_others)
        if event.content is not None and not event.content.scanned:
            self._after_picture.start(partial(self._work.scan, event.content))

    def _redraw_others(self) -> None:
        self._redraws_soon = False
        self._screen.redraw(Cause.MOVED)

    def color(self, wanted: DocumentView.ColorsWanted) -> None:
        """Compute colors once the page is painted that they are for."""
        self._after_picture.start(partial(self._work.color, wanted))

    def displayed(self) -> None:
        """Note a painted picture."""
        self._after_picture.displayed()

    # -- read marks ----------------------------------------------------------------------------------------

    def keep_marks(self) -> None:
        """Write down what was shown, if that is more than before."""
        if self._desk.coverages.changes != self._kept:
            self._kept = self._desk.coverages.changes
            self._work.keep_marks(self.marks)

    @property
    def marks(self) -> Mapping[ContentKey, ReadMark]:
        """The marks of what was shown of waiting requests."""
        inbox = self._desk.inbox
        waits = lambda id_: id_ in inbox and inbox.entry(id_).request.pending  # noqa: E731
        return self._desk.coverages.marks(waits, self._screen.office.now())

    def take_marks(self, event: MarksRead) -> None:
        """Count what was shown before, or on another screen."""
        if self._desk.coverages.restore(event.marks):
            self._at_first_unread = self._screen.document.viewport.top == ViewPosition(0)
            self._screen.redraw(Cause.CHANGED)

    # -- waiting for contents ------------------------------------------------------------------------------

    def keeps_picture_waiting(self) -> bool:
        """Have the contents made that are missing; True if the picture waits for them."""
        page, entry = self.page, self._desk.inbox.focused_request()
        shown = page is not None and self._screen.content_visible
        revealed = entry is not None and self._desk.is_revealed(entry)
        missing = None
        if page is not None and shown and not revealed and not page.documents and not page.grow():
            wanted = page.wanted
            missing = None if wanted is None else content_key(wanted.request)
        before = self.patience.waits
        if not self.patience.begins(missing, time.monotonic()):
            self._end_timer()
            return False
        if not before:
            self._desk.coverages.covered()  # from now on nothing counts as shown, until there is a picture
            self._end_timer()
            self._timer = self._screen.set_timer(PATIENCE_SECONDS, self.draw_at_once)
        self.make_wanted()
        return True

    def draw_at_once(self) -> None:
        """Draw what was waited for, as far as it is there."""
        if self.patience.waits:
            self.patience.ends()
            self._screen.redraw()

    def _end_timer(self) -> None:
        """Stop the timer of another wait, which would end this one too early."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # -- files ---------------------------------------------------------------------------------------------

    def take_drift(self, event: Drifted) -> None:
        """Take over how the files of a request are now."""
        looked, before = event.looked, self._desk.drift
        if looked.key != self._drift.key:
            return
        self._desk.drift = looked
        before = before if before is not None and before.key == looked.key else Looked(looked.key)
        if (looked.reasons, looked.unseen) != (before.reasons, before.unseen):
            self._screen.redraw(Cause.CHANGED)
        elif looked != before:
            self._screen.redraw(Cause.MOVED)

    def stop(self) -> None:
        """Stop looking at files."""
        self._drift.stop()
