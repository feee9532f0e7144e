"""Notice of SIGCONT: the program goes on after it was stopped.

A key is stamped when it is read. Keys typed while the process was stopped are read, and stamped, only when it goes
on; the kernel reports that with SIGCONT, and Python runs the handler before any other code of the main thread.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

__all__ = ["Standstill"]


class Standstill:
    """A handler of SIGCONT that also calls the one before.

    Args:
        went_on: Called in the main thread, whatever it was about to do: it must be short and must not block.
    """

    def __init__(self, went_on: Callable[[], None]) -> None:
        self._went_on = went_on
        self._before: object = None
        self._listening = False

    def listen(self) -> None:
        """Listen from now on. Signals reach the main thread only: elsewhere this does nothing."""
        if self._listening or threading.current_thread() is not threading.main_thread():
            return
        self._before = signal.signal(signal.SIGCONT, self._continued)
        self._listening = True

    def stop(self) -> None:
        """Restore the handler of before."""
        if self._listening:
            self._listening = False
            signal.signal(signal.SIGCONT, self._before if callable(self._before) else signal.SIG_DFL)

    def _continued(self, number: int, frame: FrameType | None) -> None:
        self._went_on()
        if callable(self._before):
            self._before(number, frame)
