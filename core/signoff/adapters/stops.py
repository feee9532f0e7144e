"""Turns of an agent that a hard refusal has stopped, and their calls that still wait for an answer."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from signoff.types import ApprovalDecision, DecisionSource

__all__ = ["FALLEN", "Stops"]

Answer = TypeVar("Answer")

FALLEN = ApprovalDecision(
    approved=False,
    note="the reviewer stopped another call of this turn",
    mode="soft",
    source=DecisionSource.WITHDRAWAL,
)
"""The decision on a call whose turn was stopped."""


@dataclass(frozen=True, eq=False, slots=True)
class _Waiting:
    """A call that waits for its answer.

    Attributes:
        turn: Id of the turn that the call belongs to.
        asking: The task that waits.
        loop: The event loop in which it waits.
    """

    turn: str
    asking: asyncio.Task[Any]
    loop: asyncio.AbstractEventLoop

    def take_back(self) -> None:
        """Wake the call; may be called from any thread."""
        with contextlib.suppress(RuntimeError):  # a closed loop has nobody waiting any more
            self.loop.call_soon_threadsafe(self.asking.cancel)


class Stops:
    """The stopped turns of one agent, by an id: that of the model's message, or of the prompt.

    The calls of a turn may wait in one event loop or, when the agent runs them in threads, each in its own.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._stopped: set[str] = set()
        self._waiting: set[_Waiting] = set()

    def __contains__(self, turn: object) -> bool:
        return turn in self._stopped

    def stop(self, turn: str) -> None:
        """Stop a turn: no more of its calls run, and those that wait for an answer are woken."""
        with self._guard:
            self._stopped.add(turn)
            fallen = [waiting for waiting in self._waiting if waiting.turn == turn]
        for waiting in fallen:
            waiting.take_back()

    def forget(self, turns: Iterable[str]) -> None:
        """Forget turns that are over."""
        with self._guard:
            self._stopped.difference_update(turns)

    async def answer_unless_stopped(self, turn: str, asking: Coroutine[Any, Any, Answer]) -> Answer | None:
        """Wait for an answer; None if the turn is stopped, which withdraws the request."""
        task = asyncio.ensure_future(asking)
        waiting = _Waiting(turn, task, asyncio.get_running_loop())
        with self._guard:
            self._waiting.add(waiting)
            if turn in self._stopped:
                task.cancel()  # before it has asked
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if turn not in self._stopped or (current is not None and current.cancelling()):
                raise
            return None
        finally:
            with self._guard:
                self._waiting.discard(waiting)
