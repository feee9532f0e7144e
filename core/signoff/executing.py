"""Running a plain tool function behind an approval."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from typing import Any

from signoff.binding import bound_to
from signoff.controller import ApprovalController
from signoff.types import ApprovalContext

__all__ = ["execute_tool"]


async def execute_tool(
    tool_func: Callable[..., Any],
    tool_name: str,
    args: dict[str, Any],
    approval_controller: ApprovalController,
    context_metadata: dict[str, Any] | None = None,
) -> Any:
    """Run a tool function, asking first if it says so.

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
    """
    check = getattr(tool_func, "check_approval", None)
    if check is None:
        return await _call(tool_func, args)
    # A copy of our own: nobody may change what is asked about before it runs.
    args = copy.deepcopy(args)
    ctx = ApprovalContext(tool_name=tool_name, args=copy.deepcopy(args), metadata=context_metadata or {})
    request = check(ctx)
    if request is None:
        return await _call(tool_func, args)
    decision = await approval_controller.request_approval(request, ctx)
    decision.raise_if_denied()
    with bound_to(request):
        return await _call(tool_func, args)


async def _call(tool_func: Callable[..., Any], args: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(tool_func):
        return await tool_func(**args)
    result = await asyncio.to_thread(tool_func, **args)
    return await result if inspect.isawaitable(result) else result
