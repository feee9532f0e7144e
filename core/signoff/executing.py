"""Running a plain tool function behind an approval."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from typing import Any

from signoff.binding import bound_to
from signoff.controller import ApprovalController
from signoff.declaring import mark_of, questions, under_its_name
from signoff.marking import simple_approval_request
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["execute_tool"]


async def execute_tool(
    tool_func: Callable[..., Any],
    tool_name: str,
    args: dict[str, Any],
    approval_controller: ApprovalController,
    context_metadata: dict[str, Any] | None = None,
) -> Any:
    """Run a tool function, asking first if it says so.

    The method of an object with a `check_approval`, such as `ShellTool.run_command`, is decided by that object,
    whatever the tool is called. A method that the object does not know is asked about.

    Args:
        tool_func: Synchronous or asynchronous function, with `check_approval` if it needs approval.
        tool_name: Name of the tool, as shown.
        args: Keyword arguments of the call.
        approval_controller: Decides.
        context_metadata: Ids and batch of the call, see `ApprovalContext`.

    Returns:
        What the function returned.

    Raises:
        PermissionError: The tool blocked the call, or it was not approved (`ApprovalDeniedError`).
        TypeError: A `check_approval` answered with something else than documented.
    """
    ctx = ApprovalContext(tool_name=tool_name, args=args, metadata=context_metadata or {})
    if not _has_a_say(tool_func, ctx):
        return await _call(tool_func, args)
    # A copy of our own: nobody may change what is asked about before it runs.
    args = copy.deepcopy(args)
    ctx = ctx.model_copy(update={"args": copy.deepcopy(args)})
    request = _request_for(tool_func, ctx)
    if request is None:
        return await _call(tool_func, args)
    decision = await approval_controller.request_approval(request, ctx)
    decision.raise_if_denied()
    with bound_to(request, decision.snapshot):
        return await _call(tool_func, args)


def _has_a_say(function: Callable[..., Any], ctx: ApprovalContext) -> bool:
    return mark_of(function, "_requires_approval") is True or any(questions(function, ctx))


def _request_for(function: Callable[..., Any], ctx: ApprovalContext) -> ApprovalRequest | None:
    """The first request that anybody makes; None if somebody said that none is needed."""
    answer: object = NotImplemented
    for question in questions(function, ctx):
        said = question.hook(question.context)
        if isinstance(said, ApprovalRequest):
            return under_its_name(said, question, ctx)
        if said is not None and said is not NotImplemented:
            raise TypeError(f"check_approval answered with {type(said).__name__}; answer with None or a request")
        answer = None if said is None else answer
    if answer is None and mark_of(function, "_requires_approval") is not True:
        return None
    return simple_approval_request(ctx.tool_name, ctx.args)


async def _call(tool_func: Callable[..., Any], args: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(tool_func):
        return await tool_func(**args)
    result = await asyncio.to_thread(tool_func, **args)
    return await result if inspect.isawaitable(result) else result
