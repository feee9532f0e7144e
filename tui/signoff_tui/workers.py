"""Work beside drawing: workers of a widget, and daemon threads for calls that may hang.

Calls that may hang run in threads of their own, which are left behind when the program ends. The usual threads
would not do: there are few of them, decisions are sent by them, and the program waits for each before it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec, TypeVar

from textual.dom import DOMNode
from textual.worker import WorkType

__all__ = [
    "Aside",
    "AsideBusyError",
    "run_beside",
]


P = ParamSpec("P")
T = TypeVar("T")

MOST = 8
"""The most calls under way at a time: hanging ones do not pile up for ever."""


class AsideBusyError(Exception):
    """So many calls hang already that no more are begun."""


class Aside:
    """Runs functions that may never return."""

    def __init__(self) -> None:
        self.under_way = 0
        """The number of calls that have not ended yet."""

    def begin(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Begin a call; to be used in the event loop.

        Returns:
            The future with the result. Cancelling it drops the result, but does not end the call.

        Raises:
            AsideBusyError: Too many calls are under way.
        """
        if self.under_way >= MOST:
            raise AsideBusyError
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            tell: Callable[[], None]
            try:
                tell = partial(result.set_result, function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - it is raised where the result is wanted
                tell = partial(result.set_exception, error)
            with contextlib.suppress(RuntimeError):  # the loop ended
                loop.call_soon_threadsafe(self._ended, result, tell)

        self.under_way += 1
        threading.Thread(target=work, name="aside", daemon=True).start()
        return result

    def _ended(self, result: asyncio.Future[T], tell: Callable[[], None]) -> None:
        self.under_way -= 1
        if not result.done():  # nobody cancelled it
            tell()


# -- Work of a screen that runs beside drawing.


def run_beside(
    node: DOMNode, act: Callable[[], Coroutine[Any, Any, None]], *, group: str, exclusive: bool = False
) -> None:
    """Run a coroutine in a worker of a screen.

    It takes a function that makes the coroutine: a coroutine that is cancelled before it began would otherwise
    never be awaited.

    Args:
        node: The screen or program with which it ends.
        act: Makes the coroutine.
        group: Name of a group of workers.
        exclusive: True to cancel running workers of the group.
    """
    work: WorkType[None] = act
    node.run_worker(work, group=group, exclusive=exclusive)
