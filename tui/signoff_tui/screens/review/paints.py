"""Which pictures reached the terminal, and what they showed.

The guard arms a target from the moment at which it was on the screen, and the coverage counts lines from then on.
Asking for a refresh does not make a picture yet: a widget draws its lines when the next picture is composed, and
only that picture, once written, counts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from signoff_tui.widgets.lines_view import LinesView

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Paints"]


class Paints:
    """Tells desk and guard what was painted.

    Args:
        screen: The screen whose pictures are watched.
    """

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen

    def expect(self) -> None:
        """Draw what names the target once more if the guard waits for a picture of it."""
        if self._screen.desk.guard.pending is not None:
            for view in self._naming():
                view.draw_again()

    def displayed(self) -> bool:
        """A picture of the screen was written to the terminal; returns whether it showed anything new."""
        news = [self._frame_displayed(), self._content_displayed()]
        return any(news)

    def _naming(self) -> tuple[LinesView, ...]:
        return tuple(self._screen.query_one(selector, LinesView) for selector in ("#target", "#actions"))

    def _frame_displayed(self) -> bool:
        guard = self._screen.desk.guard
        frame = guard.pending
        if frame is None or not all(view.drawn for view in self._naming()):
            return False
        shows = self._screen.views.content_visible or self._screen.views.page is not None
        if shows and not self._screen.document.drawn:
            return False
        guard.painted(frame, time.monotonic())
        return True

    def _content_displayed(self) -> bool:
        desk, document, page = self._screen.desk, self._screen.document, self._screen.views.page
        if page is not None and not desk.guard.too_small:
            if document.owner != page.owner or not document.drawn:
                return False
            return desk.coverages.painted_together(page.split(document.parts), document.layout_number)
        entry = desk.inbox.focused_request()
        if entry is None or not self._screen.views.content_visible or desk.guard.too_small:
            desk.coverages.covered()
            return False
        key = desk.key(entry)
        if document.owner != key or not document.drawn:
            return False
        return desk.coverages.painted(key, document.parts, document.layout_number)
