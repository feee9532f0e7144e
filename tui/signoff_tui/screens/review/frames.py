"""Pictures of the review screen: which reached the terminal, what they showed, and what waits for them.

The guard arms a target from the moment at which it was on the screen, and the coverage counts lines from then on.
Asking for a refresh does not make a picture yet: a widget draws its lines when the next picture is composed, and
only that picture, once written, counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from signoff_tui.state.documents import ContentKey
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["PATIENCE_SECONDS", "AfterPicture", "Paints", "Patience"]


class _TargetLine(Protocol):
    """A part of the screen that names the target of the decision keys."""

    @property
    def drawn(self) -> bool: ...

    def draw_again(self) -> None: ...


class Paints:
    """Tells session and guard which pictures were painted.

    Args:
        screen: The screen whose pictures are watched.
    """

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen

    def expect(self) -> None:
        """Draw what names the target once more if the guard waits for a picture of it."""
        if self._screen.desk.guard.pending is not None:
            for part in self._naming():
                part.draw_again()

    def displayed(self) -> bool:
        """Note a picture that was written to the terminal; returns True if it showed anything new."""
        news = [self._frame_displayed(), self._content_displayed()]
        return any(news)

    def _naming(self) -> Iterator[_TargetLine]:
        """Yield the parts that name the target: the head of the content, or the row of the list; and the keys."""
        screen = self._screen
        if screen.content_visible:
            yield screen.query_one("#head", LinesView)
        elif not screen.desk.guard.too_small:
            yield from (each for each in screen.query(RowList) if each.has_cursor)
        yield screen.query_one("#sheet" if screen.bar is not None else "#keys", LinesView)

    def _frame_displayed(self) -> bool:
        guard, document = self._screen.desk.guard, self._screen.document
        frame = guard.pending
        if frame is None or not all(part.drawn for part in self._naming()):
            return False
        if self._screen.content_visible and not document.drawn:
            return False
        guard.painted(frame, time.monotonic())
        return True

    def _content_displayed(self) -> bool:
        desk, document, page = self._screen.desk, self._screen.document, self._screen.contents.page
        if page is None or not self._screen.content_visible or desk.guard.too_small:
            desk.coverages.covered()
            return False
        if document.owner is not page.owner or not document.drawn:
            return False
        return desk.coverages.painted_together(page.split(document.parts), document.layout_number)


# -- One picture instead of two where contents are about to be there.
#
# To draw the screen without contents, and once more with them, takes longer than to make most contents, and nobody
# would look at the first of the two.

PATIENCE_SECONDS = 0.1


class Patience:
    """Says whether a picture waits: once for each content, and never for two without a picture between them."""

    def __init__(self) -> None:
        self._for: ContentKey | None = None
        self._until = 0.0
        self._waits = False
        self._painted = True

    @property
    def waits(self) -> bool:
        """True if a picture is owed: what is on the screen is not what the cursor is on."""
        return self._waits

    def begins(self, missing: ContentKey | None, now: float) -> bool:
        """Decide whether the picture that is due waits.

        Args:
            missing: The contents that it would have to say are being prepared; None if there are none.
            now: Monotonic seconds.
        """
        if missing is not None and missing != self._for and self._painted:
            self._for, self._until, self._painted = missing, now + PATIENCE_SECONDS, False
        self._waits = missing is not None and missing == self._for and now < self._until
        return self._waits

    def ends(self) -> None:
        """Note that the picture is wanted now, whatever is missing."""
        self._until = 0.0

    def painted(self) -> None:
        """Note a picture of what the cursor is on."""
        self._painted = True


# -- Work in threads that starts once the picture was drawn that it would hold up: a thread and the loop of the
# screen take turns, so what a thread does before a page is painted makes it come later.


class AfterPicture:
    """Starts what is given to it: at once, or when the content that is on its way to the screen was painted.

    Args:
        screen: The screen whose pictures are waited for.
    """

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen
        self._waiting: list[Callable[[], None]] = []

    def start(self, work: Callable[[], None]) -> None:
        """Start something now, or after the picture that is being drawn."""
        self._waiting.append(work)
        self.displayed()

    def displayed(self) -> None:
        """Start what waits, if a picture was painted or none is waited for any more."""
        if self._screen.document.drawn or not self._screen.content_visible:
            waiting, self._waiting = self._waiting, []
            for work in waiting:
                work()
