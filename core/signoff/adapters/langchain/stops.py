"""Turns of an agent that a hard refusal has stopped, and the calls that still wait for an answer in them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

__all__ = ["Stops"]

Answer = TypeVar("Answer")


class Stops:
    """The stopped turns of one agent, by the id of the model's message."""

    def __init__(self) -> None:
        self._stopped: set[str] = set()
        self._waiting: set[tuple[str, asyncio.Future[Any]]] = set()

    def __contains__(self, turn: object) -> bool:
        return turn in self._stopped

    def stop(self, turn: str) -> None:
        """Let no more calls of a turn run; those that wait in this event loop are woken."""
        self._stopped.add(turn)
        for waiting_in, asking in tuple(self._waiting):
            if waiting_in == turn:
                asking.cancel()

    def forget(self, turns: Iterable[str]) -> None:
        """Forget turns that are over."""
        self._stopped.difference_update(turns)

    async def answer_unless_stopped(self, turn: str, asking: Coroutine[Any, Any, Answer]) -> Answer | None:
        """Wait for an answer; None if the turn was stopped meanwhile. What was asked is taken back then."""
        entry = turn, asyncio.ensure_future(asking)
        self._waiting.add(entry)
        try:
            return await entry[1]
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if turn not in self._stopped or (current is not None and current.cancelling()):
                raise
            return None
        finally:
            self._waiting.discard(entry)
