"""Work beside drawing: workers of a widget, and daemon threads for calls that may hang.

It is done in threads of its own, which are left behind when the program ends. The usual threads would not do:
there are few of them, decisions are sent by them, and the program waits for each before it ends.
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
"""Pieces of work that are under way at a time: what hangs is not added to for ever."""


class AsideBusyError(Exception):
    """So much hangs already that nothing more is begun."""


class Aside:
    """Runs functions that may never return."""

    def __init__(self) -> None:
        self.under_way = 0
        """Pieces of work that did not end yet."""

    def begin(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Begin a piece of work; call it in the event loop.

        Returns:
            What gets the result. Whoever does not want it any more cancels that, which ends nothing.

        Raises:
            AsideBusyError: Too much is under way.
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


# -- What a screen does beside drawing, without holding it up.


def run_beside(
    node: DOMNode, act: Callable[[], Coroutine[Any, Any, None]], *, group: str, exclusive: bool = False
) -> None:
    """Do something in a worker of a screen.

    It is given as what makes the coroutine, not as a coroutine: one that is cancelled before it began would
    otherwise be left behind, never awaited.

    Args:
        node: The screen, or the program, with which it ends.
        act: What to do.
        group: Name of what belongs together.
        exclusive: Whether what runs in the group already is cancelled.
    """
    work: WorkType[None] = act
    node.run_worker(work, group=group, exclusive=exclusive)
