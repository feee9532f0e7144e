"""Calls of one turn that wait together, before any of them runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from signoff.controller.asking import to_the_end
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
        await to_the_end(error, *waiting)
        raise
    return [each.result() for each in asking]


def _require_no_stop(decision: ApprovalDecision) -> None:
    if decision.hard and decision.source is not DecisionSource.CASCADE:
        raise ApprovalDeniedError(decision)
