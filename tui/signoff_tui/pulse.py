"""Notices when the program stood still: stopped, swapped out, or blocked.

A key is stamped when it is read. What was pressed while the whole process stood still is read, and stamped, only
when it goes on; it was pressed at some moment before, at a picture that could not change.
"""

from __future__ import annotations

import math
from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable

__all__ = ["Pulse"]

BEAT = 0.05
"""Seconds between two beats."""

BACKLOG = 0.1
"""Seconds in which a program that goes on has read what was pressed before."""


class Pulse:
    """Beats while the program runs; where beats are missing, it stood still.

    Args:
        clock: Monotonic seconds, the clock that stamps keys.
        still: Seconds without a beat that count as standing still.
    """

    def __init__(self, clock: Callable[[], float], still: float) -> None:
        self._clock = clock
        self._still = still
        self._last = clock()
        self._stood_since = self._stood_until = -math.inf
        self._next: TimerHandle | None = None

    def start(self, loop: AbstractEventLoop) -> None:
        """Beat by itself from now on."""
        self._last = self._clock()
        self._keep_beating(loop)

    def stop(self) -> None:
        """Beat no more."""
        if self._next is not None:
            self._next.cancel()

    def beat(self) -> None:
        """Take note that the program runs."""
        now = self._clock()
        if now - self._last > self._still:
            if self._last >= self._stood_until + BACKLOG:
                self._stood_since = self._last
            self._stood_until = now
        self._last = now

    def earliest(self, stamped: float) -> float:
        """When a key can have been pressed at the earliest.

        Args:
            stamped: When it was read.
        """
        self.beat()
        return min(stamped, self._stood_since) if stamped < self._stood_until + BACKLOG else stamped

    def _keep_beating(self, loop: AbstractEventLoop) -> None:
        self.beat()
        self._next = loop.call_later(BEAT, self._keep_beating, loop)
