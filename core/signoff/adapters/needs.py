"""Who decides whether a tool call must be approved.

In this order: a block (`PermissionError`) outranks everything; then what `tool_configs` says of the tool; then
the toolset itself; then the mark on the function; then the default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from signoff.marking import simple_approval_request
from signoff.memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["ApprovalNeeds", "Setting"]

Setting = Literal["required", "none"]

_SETTINGS: tuple[Setting, ...] = ("required", "none")


@dataclass(frozen=True, slots=True)
class _Opinion:
    """What somebody said who was asked: this request, or that none is needed."""

    request: ApprovalRequest | None


class ApprovalNeeds:
    """The rules of one wrapped toolset.

    Args:
        tool_configs: By tool name, a mapping with ``"approval"``: ``"required"`` or ``"none"``. A tool that is
            missing, or whose setting is None, is decided by the toolset, the function or the default.
        default: For tools that nobody says anything about.

    Raises:
        ValueError: A setting or a key is unknown.
    """

    def __init__(self, tool_configs: Mapping[str, Mapping[str, Any]], default: Setting) -> None:
        if default not in _SETTINGS:
            raise ValueError(f'default_approval must be "required" or "none", not {default!r}')
        self._default = default
        self._settings = {name: _setting(name, config) for name, config in tool_configs.items()}

    def request_for(
        self,
        ctx: ApprovalContext,
        toolset: object,
        function: Callable[..., Any] | None,
        memory: ApprovalMemory,
    ) -> ApprovalRequest | None:
        """The request to ask for a call, or None when it needs no approval.

        Args:
            ctx: The call.
            toolset: The wrapped toolset, asked through `check_approval` or `needs_approval` if it has one.
            function: The function behind the tool, if known.
            memory: Handed to a `check_approval` that wants it.

        Raises:
            PermissionError: The toolset or the function blocks the call.
            TypeError: A hook takes other arguments, or answers with something else, than documented.
        """
        # Both are asked whatever the settings say, because both may block.
        opinions = [_of_toolset(toolset, ctx, memory), _of_function(function, ctx)]
        opinion = next((found for found in opinions if found is not None), None)
        setting = self._settings.get(ctx.tool_name)
        if setting == "none":
            return None
        if setting == "required":
            said = None if opinion is None else opinion.request
            return said or _as_declared(toolset, ctx) or _plain(ctx, "tool_configs: required")
        if opinion is not None:
            return opinion.request
        return _plain(ctx, "default_approval: required") if self._default == "required" else None


def _setting(tool_name: str, config: Mapping[str, Any]) -> Setting | None:
    if not isinstance(config, Mapping):
        raise ValueError(f'tool_configs[{tool_name!r}] must be like {{"approval": "required"}}')  # noqa: TRY004
    unknown = set(config) - {"approval"}
    if unknown:
        raise ValueError(f"tool_configs[{tool_name!r}] has unknown keys: {', '.join(sorted(unknown))}")
    setting = config.get("approval")
    if setting is not None and setting not in _SETTINGS:
        raise ValueError(f'tool_configs[{tool_name!r}]: approval must be "required" or "none", not {setting!r}')
    return cast("Setting | None", setting)


def _of_toolset(toolset: object, ctx: ApprovalContext, memory: ApprovalMemory) -> _Opinion | None:
    check = getattr(toolset, "check_approval", None)
    if check is not None:
        answer = _call(check, (ctx.tool_name, ctx.args, memory), (ctx,))
        return _Opinion(_request_from(answer, ctx, "check_approval"))
    needs = getattr(toolset, "needs_approval", None)
    if needs is not None:
        answer = _call(needs, (ctx.tool_name, ctx.args))
        # Here False says no; None is a function that forgot to answer, so it is asked about.
        return _Opinion(_request_from(True if answer is None else answer, ctx, "needs_approval"))
    return None


def _of_function(function: Callable[..., Any] | None, ctx: ApprovalContext) -> _Opinion | None:
    check = getattr(function, "check_approval", None)
    if check is not None:
        return _Opinion(_request_from(_call(check, (ctx,)), ctx, "check_approval"))
    if getattr(function, "_requires_approval", False) is True:
        return _Opinion(_plain(ctx, "@requires_approval"))
    return None


def _as_declared(toolset: object, ctx: ApprovalContext) -> ApprovalRequest | None:
    """The toolset's own description of a call that it would not have asked about."""
    describe = getattr(toolset, "approval_request", None)
    return None if describe is None else _request_from(_call(describe, (ctx,)), ctx, "approval_request")


def _call(hook: Callable[..., Any], *spellings: Iterable[Any]) -> Any:
    """Call a hook with the first of the argument lists that its signature takes."""
    signature = inspect.signature(hook)
    for arguments in map(tuple, spellings):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return hook(*arguments)
    raise TypeError(f"{hook!r} takes other arguments than documented: {signature}")


def _request_from(answer: object, ctx: ApprovalContext, hook: str) -> ApprovalRequest | None:
    if answer is None or answer is False:
        return None
    if answer is True:
        return _plain(ctx, hook)
    if isinstance(answer, ApprovalRequest):
        return answer
    if isinstance(answer, Mapping):
        return ApprovalRequest(**{**dict(_plain(ctx, hook)), **answer})
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError(f"{hook} must not be asynchronous: it decides from configuration and arguments")
    raise TypeError(
        f"{hook} answered with {type(answer).__name__}; answer with None, a bool or an ApprovalRequest"
    )


def _plain(ctx: ApprovalContext, why: str) -> ApprovalRequest:
    request = simple_approval_request(ctx.tool_name, ctx.args)
    return request.model_copy(update={"why": why})
