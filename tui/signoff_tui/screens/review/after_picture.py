"""Work in threads that starts once the picture was drawn that it would hold up.

A thread and the loop of the screen take turns, so what a thread does before a page is painted makes it come later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["AfterPicture"]


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
        """A picture was painted, or none is waited for any more."""
        if self._screen.document.drawn or not self._screen.views.content_visible:
            waiting, self._waiting = self._waiting, []
            for work in waiting:
                work()
