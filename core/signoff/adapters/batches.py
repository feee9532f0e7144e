"""Calls of one turn that wait together, before any of them runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from signoff.types import ApprovalDecision, ApprovalDeniedError, DecisionSource

__all__ = ["all_decided"]


async def all_decided(questions: Iterable[Coroutine[Any, Any, ApprovalDecision]]) -> list[ApprovalDecision]:
    """Wait for the decisions on all calls of a turn; whatever ends that earlier withdraws the others.

    Raises:
        ApprovalDeniedError: One of them was refused hard.
    """
    asking = [asyncio.ensure_future(question) for question in questions]
    waiting = set(asking)
    try:
        while waiting:
            answered, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for each in answered:
                if each.result().hard and each.result().source is not DecisionSource.CASCADE:
                    raise ApprovalDeniedError(each.result())
    finally:
        for each in waiting:
            each.cancel()
        if waiting:
            await asyncio.wait(waiting)
    return [each.result() for each in asking]
