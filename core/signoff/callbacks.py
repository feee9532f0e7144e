"""Calling a function that asks a person itself, from synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from pydantic import ValidationError

from signoff.types import ApprovalDecision, ApprovalRequest, DecisionSource

__all__ = ["ApprovalCallback", "call_from_async", "call_from_sync"]

ApprovalCallback = Callable[[ApprovalRequest], ApprovalDecision | Awaitable[ApprovalDecision]]
"""A function that asks a person itself, instead of the queue."""

_NOT_A_NO = frozenset({DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR})


async def call_from_async(callback: ApprovalCallback, request: ApprovalRequest) -> ApprovalDecision:
    """Ask; a synchronous callback is called in a thread.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    with _own_mistakes():
        if inspect.iscoroutinefunction(callback):
            return _checked(await callback(request))
        answer = await asyncio.to_thread(callback, request)
        return _checked(await answer if inspect.isawaitable(answer) else answer)


def call_from_sync(callback: ApprovalCallback, request: ApprovalRequest) -> ApprovalDecision:
    """Ask; an asynchronous callback is run in an event loop of its own, beside one that already runs here.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    with _own_mistakes():
        answer = callback(request)
        if not inspect.isawaitable(answer):
            return _checked(answer)
        if not _in_event_loop():
            return _checked(asyncio.run(_finish(answer)))
        with ThreadPoolExecutor(1, thread_name_prefix="signoff-callback") as thread:
            return _checked(thread.submit(asyncio.run, _finish(answer)).result())


@contextlib.contextmanager
def _own_mistakes() -> Iterator[None]:
    """Tell of a wrong answer as the callback's mistake: frameworks take a pydantic error for the model's."""
    try:
        yield
    except ValidationError as error:
        raise TypeError(f"the approval callback failed: {error}") from error


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _finish(answer: Awaitable[ApprovalDecision]) -> ApprovalDecision:
    return await answer


def _checked(answer: object) -> ApprovalDecision:
    """Check what a callback returned and name its true source: a callback is not the reviewer's screen."""
    if not isinstance(answer, ApprovalDecision):
        raise TypeError(f"the approval callback returned {type(answer).__name__}; return an ApprovalDecision")
    if answer.instead is not None:
        # It would run without having been judged: nobody asked the policy about it.
        raise TypeError("the approval callback approved something else than was asked; only a queue can do that")
    if answer.approved is not True and answer.source in _NOT_A_NO:
        return answer
    return answer.model_copy(update={"source": DecisionSource.CALLBACK})
