"""Calls of one turn that wait together, before any of them runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from signoff.types import ApprovalDecision, ApprovalDeniedError, DecisionSource

__all__ = ["all_decided"]


async def all_decided(questions: Iterable[Coroutine[Any, Any, ApprovalDecision]]) -> list[ApprovalDecision]:
    """Wait for the decisions on all calls of a turn; whatever ends that earlier withdraws the others.

    When it ends, also by a cancellation, none of their requests waits any more.

    Raises:
        ApprovalDeniedError: One of them was refused hard.
        CancelledError: It was cancelled, before or while the others were withdrawn.
    """
    asking = [asyncio.ensure_future(question) for question in questions]
    waiting = set(asking)
    try:
        while waiting:
            answered, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for each in answered:
                _require_no_stop(each.result())
    except BaseException as error:
        for each in waiting:
            each.cancel()
        await _to_the_end(error, *waiting)
        raise
    return [each.result() for each in asking]


def _require_no_stop(decision: ApprovalDecision) -> None:
    if decision.hard and decision.source is not DecisionSource.CASCADE:
        raise ApprovalDeniedError(decision)


async def _to_the_end(ended_by: BaseException, *tasks: asyncio.Task[Any]) -> None:
    """Wait until tasks are done, however often that is cancelled; their results are left to the caller.

    Args:
        ended_by: What is on its way meanwhile; a cancellation that comes later outranks it, unless it is one.
        tasks: They end by themselves.

    Raises:
        CancelledError: The first one.
    """
    cancelled = ended_by if isinstance(ended_by, asyncio.CancelledError) else None
    # Asked of the tasks each time: a cancelled scope of AnyIO cancels at every turn of the loop, so that no wait
    # comes back by itself.
    while left := [each for each in tasks if not each.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
    if cancelled is not None:
        raise cancelled
