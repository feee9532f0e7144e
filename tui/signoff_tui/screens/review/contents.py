"""What stands in the content pane: the documents of a request or of a whole group, made when they are wanted."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from signoff_tui.guard import Cause
from signoff_tui.screens.review.after_picture import AfterPicture
from signoff_tui.screens.review.patience import PATIENCE_SECONDS, Patience
from signoff_tui.state.documents import content_key, raw_arguments, revealed_key
from signoff_tui.state.drift import DriftWatch, Looked
from signoff_tui.text.lines import Line, chunk, foreign, line

if TYPE_CHECKING:
    from signoff_tui.screens.review.drawing import Drawing
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.work import ContentMade, Drifted, Work
    from signoff_tui.state.group_page import GroupPage
    from signoff_tui.state.inbox import Entry
    from signoff_tui.state.session import ReviewSession
    from signoff_tui.widgets.document.view import DocumentView

__all__ = ["Contents"]


class Contents:
    """Has contents made, and shows them once they are.

    Args:
        screen: Where the content pane is.
        desk: Keeps what was made.
        work: Makes it.
        drawing: Says what is wanted.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession, work: Work, drawing: Drawing) -> None:
        self._screen = screen
        self._desk = desk
        self._work = work
        self._drawing = drawing
        self._after_picture = AfterPicture(screen)
        self._drift = DriftWatch(work.look_at_files)
        self._redraws_soon = False
        self._timer: Timer | None = None
        self.patience = Patience()
        """Whether a picture waits for contents."""

    # -- showing -------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Show what the cursor is on, as far as it has room, and have made what is missing."""
        screen, entry = self._screen, self._desk.inbox.focused_request()
        visible = entry is not None and screen.views.content_visible
        if entry is None or not visible or not self._desk.is_revealed(entry):
            self._desk.revealed = None
        if screen.views.page is not None:
            self.show_page(screen.views.page)
        elif entry is not None and visible:
            self._show_request(entry)
        elif entry is None:
            screen.preview.show()
        looked_at = entry is not None and entry.waiting and visible and screen.views.page is None
        self._drift.follow(entry.request if entry is not None and looked_at else None)
        self.make_wanted()

    def show_page(self, page: GroupPage) -> None:
        """Show the members of a group below each other, as many as there is room for."""
        page.renew()
        if not page.documents and not page.grow():
            self._screen.document.notice((Line(), line(foreign("   preparing the page ...", "muted"))))
            return
        document = self._screen.document
        document.show(page.owner, page.documents)
        while document.size.height and not document.rest.more and self.grow_page():
            pass

    def grow_page(self) -> bool:
        """Put the next member on the page, if it is made; returns whether that was so."""
        page = self._screen.views.page
        if page is None or not page.grow():
            return False
        self._screen.document.show(page.owner, page.documents)
        return True

    def _show_request(self, entry: Entry) -> None:
        if self._desk.is_revealed(entry) and self._show_revealed(entry):
            return
        content, failure = self._desk.content(entry), self._desk.failure(entry)
        if content is not None:
            self._screen.document.show(content.key, content.documents)
            return
        if failure is None:
            self._screen.document.notice((Line(), line(chunk("   preparing what this would do ...", "muted"))))
            return
        # Under another owner than the content: seeing the arguments is not seeing what they would do.
        owner = ("arguments", self._desk.key(entry))
        if self._screen.document.owner != owner:
            self._screen.document.show(owner, [raw_arguments(entry.request)])

    def _show_revealed(self, entry: Entry) -> bool:
        """Show a request with its secrets; False while that is not made."""
        content = self._desk.revealed_content(entry)
        if content is not None:
            self._screen.document.show(content.key, content.documents)
            return True
        if self._desk.contents.want(revealed_key(entry.request)):
            self._work.make(entry, revealed=True)
        return False

    # -- making --------------------------------------------------------------------------------------------

    def make_wanted(self) -> None:
        """Have made what is on the screen and what may be next."""
        for wanted in self._drawing.wanted():
            if self._desk.contents.want(content_key(wanted.request)):
                self._work.make(wanted)

    def take(self, event: ContentMade) -> None:
        """Contents were made, or cannot be."""
        if event.content is not None:
            self._desk.take_content(event.content)
        else:
            self._desk.contents.fail(event.key, event.failure)
        request_id, *_ = event.key
        entry = self._desk.inbox.focused_request()
        if self._screen.views.page is not None or (entry is not None and entry.id == request_id):
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
        """A picture was painted."""
        self._after_picture.displayed()

    # -- waiting for contents ------------------------------------------------------------------------------

    def keeps_picture_waiting(self) -> bool:
        """Whether the picture waits for the contents of the focused request, and has them made."""
        entry, missing = self._desk.inbox.focused_request(), None
        shown = entry is not None and self._screen.views.content_visible and self._screen.views.page is None
        if entry is not None and shown and not self._desk.is_revealed(entry):
            made = self._desk.content(entry) is not None or self._desk.failure(entry) is not None
            missing = None if made else content_key(entry.request)
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
        """A timer of another wait would end this one too early."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # -- files ---------------------------------------------------------------------------------------------

    def take_drift(self, event: Drifted) -> None:
        """The files of a request were looked at."""
        looked, before = event.looked, self._desk.drift
        if looked.key != self._drift.key:
            return
        self._desk.drift = looked
        if looked != (before if before is not None and before.key == looked.key else Looked(looked.key)):
            self._screen.redraw(Cause.CHANGED)

    def stop(self) -> None:
        """Look at no files any more."""
        self._drift.stop()
