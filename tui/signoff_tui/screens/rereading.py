"""One reading at a time: what comes while one is going on is read once more afterwards."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Rereading"]


class Rereading:
    """Keeps readings from overtaking each other, and from piling up.

    Args:
        start: Starts a reading; whoever ends it calls `ended`.
    """

    def __init__(self, start: Callable[[], None]) -> None:
        self._start = start
        self._going_on = self._outdated = False

    def wanted(self) -> None:
        """Read what changed: now, or after the reading that is going on."""
        if self._going_on:
            self._outdated = True
        else:
            self._going_on = True
            self._start()

    def ended(self) -> None:
        """Note that the reading is over; begin the next if one is wanted."""
        self._going_on = False
        if self._outdated:
            self._outdated = False
            self.wanted()
