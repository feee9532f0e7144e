"""Use of a queue from an event loop without ever blocking it.

Kept apart from the rest because importing asyncio takes longer than asking a question.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Self, TypeVar

from signoff.queue.errors import CLOSED_CONNECTION, QueueUnavailableError
from signoff.queue.sqlite.wakeups import Bell

__all__ = ["AsyncBell", "OwnThread"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class OwnThread:
    """A thread that does the blocking work of a connection, in the order in which it is given.

    The loop's default executor would not do: an agent may fill it with tools that wait for signoff.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="signoff-queue")

    async def run(self, work: Callable[_P, _T], *args: _P.args, **options: _P.kwargs) -> _T:
        """Do the work in the thread and return its result. Cancelling does not stop work that has begun.

        Raises:
            QueueUnavailableError: The thread was closed.
        """
        loop = asyncio.get_running_loop()
        try:
            doing = loop.run_in_executor(self._executor, lambda: work(*args, **options))
        except RuntimeError as error:
            raise QueueUnavailableError(CLOSED_CONNECTION) from error
        return await doing

    def close(self, last: Callable[[], object] | None = None) -> None:
        """Let the thread end after the work it has.

        Args:
            last: Is done there after that.
        """
        if last is not None:
            with contextlib.suppress(RuntimeError):  # the program ends
                self._executor.submit(last)
        self._executor.shutdown(wait=False)


class AsyncBell:
    """A bell that wakes a coroutine instead of a thread; takes the bell over.

    Must be created and closed in the running event loop.
    """

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._rung = asyncio.Event()
        self._woken = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(bell.descriptor, self._heard)

    def poke(self) -> None:
        """Wake the sleeper from within the event loop."""
        self._woken = True
        self._rung.set()

    async def sleep(self, seconds: float) -> bool:
        """Sleep until rung or poked, and return True, or until the time is over, and return False."""
        # Cheaper than a time-out, which would make a task each time.
        alarm = self._loop.call_later(max(0.0, seconds), self._rung.set)
        try:
            await self._rung.wait()
        finally:
            alarm.cancel()
        self._rung.clear()
        woken, self._woken = self._woken, False
        return woken

    def close(self) -> None:
        """Take the bell down. Closing twice is harmless."""
        if self._bell.descriptor >= 0:
            self._loop.remove_reader(self._bell.descriptor)
            self._bell.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _heard(self) -> None:
        self._bell.hush()
        self.poke()
