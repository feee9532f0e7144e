"""What changes on the review screen by itself: holds end, lines count as shown, times and words go by."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from textual.timer import Timer

from signoff_tui.screens.review.drawing import Drawing, LastWords
from signoff_tui.screens.review.moments import next_moment
from signoff_tui.screens.review.status import clock_is_shown

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["PassingTime"]

MESSAGE_SECONDS = 5.0
SHORTEST_TIMER = 0.02
MINUTE = 60


class PassingTime:
    """Wakes the screen once, when the next thing changes.

    Args:
        screen: What changes.
        drawing: Knows which times are on the screen, and draws the last row.
        office: Has the wall clock.
    """

    def __init__(self, screen: ReviewScreen, drawing: Drawing, office: Office) -> None:
        self._screen = screen
        self._drawing = drawing
        self._office = office
        self._timer: Timer | None = None
        self.words = LastWords()
        """What the last row says."""

    def say(self, text: str, *, token: str) -> None:
        """Say something on the last row, for some seconds from when it is painted."""
        self.words = words = LastWords(text, token, math.inf if text else 0.0)
        self._drawing.last_row(words)
        self.schedule()
        if text:
            self._screen.call_after_refresh(self._count_down, words)

    def _count_down(self, words: LastWords) -> None:
        if self.words is words:
            self.words = LastWords(words.text, words.token, time.monotonic() + MESSAGE_SECONDS)
            self.schedule()

    def end_words(self) -> None:
        """What was said does not hold any more."""
        self.words = LastWords()

    def schedule(self) -> None:
        """Wake up once, when the next thing changes by itself."""
        if self._timer is not None:
            self._timer.stop()
        now = time.monotonic()
        moment = next_moment(self._screen.desk, self._drawing.timed(), now, self._office.now())
        if clock_is_shown(self._screen.desk.inbox.tally.counts, self._screen.size.width):
            moment = min(moment, now + MINUTE - self._office.now() / 1e6 % MINUTE)
        if self.words.until:
            moment = min(moment, self.words.until)
        self._timer = self._screen.set_timer(max(moment - now, SHORTEST_TIMER), self._tick)

    def _tick(self) -> None:
        self._timer = None
        desk = self._screen.desk
        for held in desk.guard.holds.due(time.monotonic()):
            self._screen.send(held)
        if self.words.until and time.monotonic() >= self.words.until:
            self.end_words()
        desk.coverages.settle()
        self._screen.redraw()
