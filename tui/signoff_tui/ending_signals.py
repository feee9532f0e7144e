"""The signals that end the screen from outside: they end it as its own key does, and at last without its help."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["EndingSignals"]

PATIENCE = 10.0
"""Seconds that the program gets to end by itself."""

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class EndingSignals:
    """Listens for SIGHUP, SIGINT, SIGQUIT and SIGTERM, unless whoever started the program has it ignore them.

    Args:
        told: Called with each signal, in the main thread at any moment: it must be short and must not block.
        at_last: Called in a thread when the program has not ended in time; it is ended without its help then.
    """

    def __init__(self, told: Callable[[int], None], at_last: Callable[[], None]) -> None:
        self._told = told
        self._at_last = at_last
        self._before: dict[int, Any] = {}
        self._ends = False

    def listen(self) -> None:
        """Listen from now on. Signals reach the main thread only: elsewhere this does nothing."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _ENDING:
            if (before := signal.getsignal(number)) is not signal.SIG_IGN and number not in self._before:
                self._before[number] = before
                signal.signal(number, self._take)

    def stop(self) -> None:
        """Give the signals back to whoever had them before."""
        while self._before:
            signal.signal(*self._before.popitem())

    def end(self, number: int) -> None:
        """Tell of a signal, and see to it that the program ends."""
        if not self._ends:
            self._ends = True
            last = threading.Timer(PATIENCE, self._end_at_once, [number])
            last.daemon = True
            last.start()
        self._told(number)

    def _take(self, number: int, _: FrameType | None) -> None:
        self.end(number)

    def _end_at_once(self, number: int) -> None:
        self._at_last()
        os._exit(128 + number)
