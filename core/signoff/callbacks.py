"""Calls of an author's functions, plain or asynchronous, from synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from pydantic import ValidationError

from signoff.types import ApprovalDecision, ApprovalRequest, DecisionSource

__all__ = ["ApprovalCallback", "awaited", "call_from_async", "call_from_sync", "finished"]

ApprovalCallback = Callable[[ApprovalRequest], ApprovalDecision | Awaitable[ApprovalDecision]]
"""A function that asks a person itself, instead of the queue."""

_CALLBACK = "the approval callback"
_NOT_A_NO = frozenset({DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR})


async def call_from_async(callback: ApprovalCallback, request: ApprovalRequest) -> ApprovalDecision:
    """Ask; a synchronous callback is called in a thread.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    return _checked(await awaited(callback, request))


def call_from_sync(callback: ApprovalCallback, request: ApprovalRequest) -> ApprovalDecision:
    """Ask; an asynchronous callback is run in an event loop of its own, beside one that already runs here.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    return _checked(finished(callback, request))


async def awaited(
    function: Callable[[ApprovalRequest], object], request: ApprovalRequest, who: str = _CALLBACK
) -> object:
    """Result of an author's function; a synchronous one is called in a thread.

    Args:
        function: Plain or asynchronous.
        request: Its argument.
        who: Name of the function in errors.

    Raises:
        TypeError: It made something that pydantic refuses.
    """
    with _own_mistakes(who):
        if inspect.iscoroutinefunction(function):
            return await function(request)
        answer = await asyncio.to_thread(function, request)
        return await _finish(answer) if inspect.isawaitable(answer) else answer


def finished(
    function: Callable[[ApprovalRequest], object], request: ApprovalRequest, who: str = _CALLBACK
) -> object:
    """Result of an author's function; an asynchronous one is run in an event loop of its own.

    Args:
        function: Plain or asynchronous.
        request: Its argument.
        who: Name of the function in errors.

    Raises:
        TypeError: It made something that pydantic refuses.
    """
    with _own_mistakes(who):
        answer = function(request)
        if not inspect.isawaitable(answer):
            return answer
        if not _in_event_loop():
            return asyncio.run(_finish(answer))
        with ThreadPoolExecutor(1, thread_name_prefix="signoff-callback") as thread:
            return thread.submit(asyncio.run, _finish(answer)).result()


@contextlib.contextmanager
def _own_mistakes(who: str) -> Iterator[None]:
    """Tell of a wrong answer as the author's mistake: frameworks take a pydantic error for the model's."""
    try:
        yield
    except ValidationError as error:
        raise TypeError(f"{who} failed: {error}") from error


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _finish(answer: Awaitable[object]) -> object:
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
