"""Running a plain tool function behind an approval."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from signoff.approval_rules import HOOKS, ApprovalNeeds, Setting, mark_of, questions
from signoff.approved_call import HONORS, EditedCall, bound_to, told
from signoff.controller import ApprovalController
from signoff.types import ApprovalContext

if TYPE_CHECKING:
    from signoff.policy.tool_rules import CallPolicy

__all__ = ["execute_tool"]


async def execute_tool(
    tool_func: Callable[..., Any],
    tool_name: str,
    args: dict[str, Any],
    approval_controller: ApprovalController,
    context_metadata: dict[str, Any] | None = None,
    *,
    default_approval: Setting = "none",
    policy: CallPolicy | None = None,
    server: str | None = None,
) -> Any:
    """Run a tool function, asking first if it needs approval.

    The method of an object with a `check_approval`, such as `ShellTool.run_command`, is decided by that object,
    whatever the tool is called. A method that the object does not know is asked about.

    Args:
        tool_func: Synchronous or asynchronous function, with `check_approval` if it needs approval.
        tool_name: Name of the tool, as shown.
        args: Keyword arguments of the call.
        approval_controller: The controller that decides.
        context_metadata: Ids and batch of the call, see `ApprovalContext`.
        default_approval: ``"required"`` asks also about a function that says nothing about approval.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            one that it asks about is asked about whatever the function says. If it knows neither the tool nor its
            server, `default_approval` decides: name the server exactly, or have it ``"required"``.
        server: The server that the tool belongs to, as the policy calls it; None for a tool of the agent itself.

    Returns:
        The result of the function.

    Raises:
        PermissionError: The policy or the tool blocked the call, or it was not approved (`ApprovalDeniedError`).
        TypeError: A `check_approval` returned something undocumented.
    """
    ctx = ApprovalContext(tool_name=tool_name, args=args, metadata=context_metadata or {})
    default: Setting = "required" if _has_a_say(tool_func, ctx) else default_approval
    if default == "none" and policy is None:
        return await _call(tool_func, args)
    # A copy: nobody may change what is asked about before it runs.
    args = copy.deepcopy(args)
    ctx = ctx.model_copy(update={"args": copy.deepcopy(args)})
    needs = ApprovalNeeds({}, default, policy=policy, server=server)
    memory = approval_controller.memory
    request = needs.request_for(ctx, None, tool_func, memory)
    if request is None:
        return await _call(tool_func, args)
    edited = EditedCall(
        ctx,
        request,
        partial(_taken_by, tool_func),
        lambda changed: needs.request_for(changed, None, tool_func, memory),
    )
    changeable = ctx.model_copy(update={"honors": HONORS, "check_edited": edited})
    decision = await approval_controller.request_approval(request, changeable)
    decision.raise_if_denied()
    instead = decision.instead
    if instead is not None and instead.arguments is not None:
        request, args = edited.request or request, copy.deepcopy(dict(instead.arguments))
    with bound_to(request, decision.snapshot, instead):
        return told(await _call(tool_func, args), instead)


def _has_a_say(function: Callable[..., Any], ctx: ApprovalContext) -> bool:
    if mark_of(function, "_requires_approval") is True:
        return True
    return any(next(questions(function, ctx, hook), None) is not None for hook in HOOKS)


def _taken_by(function: Callable[..., Any], args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments, if a function accepts them.

    Raises:
        TypeError: The function does not accept them.
    """
    inspect.signature(function).bind(**args)
    return args


async def _call(tool_func: Callable[..., Any], args: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(tool_func):
        return await tool_func(**args)
    result = await asyncio.to_thread(tool_func, **args)
    return await result if inspect.isawaitable(result) else result
