"""Ends of a wait without an answer: Ctrl+C, and the end of the program that asked for the call.

Python raises `KeyboardInterrupt` in the main thread alone. A thread that waits for a person would go on waiting,
and would carry out a later yes for a program that was told to stop: LangChain's ``invoke``, ``asyncio.to_thread``
and every pool of threads wait so. No handler can be installed for them: asyncio brings its own, and only where it
finds Python's default. So a wait in another thread looks several times a second what the main thread does. It is
interrupted while that one handles a `KeyboardInterrupt` (most often it waits for its pool to end), and when the
program ends by one.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

__all__ = [
    "LOOK_SECONDS",
    "NobodyWaits",
    "hears_interrupts",
    "interrupted",
    "require_uninterrupted",
    "why_ended",
]

LOOK_SECONDS = 0.2
"""Longest time between two looks."""

_ended_by_interrupt = threading.Event()


class NobodyWaits(BaseException):
    """Raised to end a wait whose answer nobody would take any more; its text is the recorded reason.

    Not an `Exception`, so that nothing on the way mistakes it for a failure of the tool.
    """


def hears_interrupts() -> bool:
    """True if Python raises `KeyboardInterrupt` in this thread; any other thread has to look for it."""
    if threading.current_thread() is threading.main_thread():
        return True
    _watch_the_end()
    return False


def interrupted() -> bool:
    """True if Ctrl+C has stopped the program; for threads other than the main one."""
    if _ended_by_interrupt.is_set():
        return True
    handled: Any = sys._current_exceptions().get(threading.main_thread().ident or 0)  # noqa: SLF001 - documented
    if isinstance(handled, tuple):  # Python 3.11: class, exception, traceback
        _, handled, _ = handled
    return isinstance(handled, KeyboardInterrupt)


def require_uninterrupted() -> None:
    """End the wait of a thread that is not the main one if Ctrl+C has stopped the program.

    Raises:
        KeyboardInterrupt: Ctrl+C has stopped the program.
    """
    if interrupted():
        raise KeyboardInterrupt


def why_ended(error: BaseException) -> str:
    """Return the reason for the end of a wait, for the record of a withdrawn request."""
    if isinstance(error, NobodyWaits):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return "the agent was interrupted (Ctrl+C)"
    return "the agent stopped waiting"


def _note_the_end() -> None:
    """Release waiting threads if an interrupt ended the program; called before Python joins its threads."""
    ended_by = getattr(sys, "last_type", None)
    if ended_by is not None and issubclass(ended_by, KeyboardInterrupt):
        _ended_by_interrupt.set()


_watching = threading.Lock()
_watched = False


def _watch_the_end() -> None:
    global _watched  # noqa: PLW0603
    with _watching:
        if _watched:
            return
        # The last registered function is called first, and executors wait for their threads in such a call.
        import concurrent.futures.thread  # noqa: F401

        register: Callable[[Callable[[], None]], None] = threading._register_atexit  # type: ignore[attr-defined] # noqa: SLF001
        try:
            register(_note_the_end)
        except RuntimeError:  # the interpreter is ending already
            _note_the_end()
        _watched = True
