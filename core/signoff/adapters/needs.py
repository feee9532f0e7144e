"""Who decides whether a tool call must be approved.

In this order: a block (`PermissionError`) outranks everything; then what `tool_configs` says of the tool; then
whoever asks for approval: the toolset itself, the mark on the function, the object that a method belongs to; then
whoever says that none is needed; then the default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from signoff.declaring import Question, mark_of, questions, under_its_name
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
            PermissionError: The toolset, the function or its object blocks the call.
            TypeError: A hook takes other arguments, or answers with something else, than documented.
        """
        # All are asked whatever the settings say, because each may block.
        opinions = [_of_toolset(toolset, ctx, memory), *_of_function(function, toolset, ctx, memory)]
        held = [opinion for opinion in opinions if opinion is not None]
        asked = next((opinion.request for opinion in held if opinion.request is not None), None)
        setting = self._settings.get(ctx.tool_name)
        if setting == "none":
            return None
        if setting == "required":
            declared = asked or _as_declared(toolset, function, ctx)
            return declared or _plain(ctx, "tool_configs: required")
        if held:
            return asked
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
        return _opinion(_call(check, (ctx.tool_name, ctx.args, memory), (ctx,)), ctx, "check_approval")
    needs = getattr(toolset, "needs_approval", None)
    if needs is not None:
        answer = _call(needs, (ctx.tool_name, ctx.args))
        # Here False says no; None is a function that forgot to answer, so it is asked about.
        return _opinion(True if answer is None else answer, ctx, "needs_approval")
    return None


def _of_function(
    function: Callable[..., Any] | None, toolset: object, ctx: ApprovalContext, memory: ApprovalMemory
) -> Iterator[_Opinion | None]:
    for question in _questions(function, toolset, ctx, "check_approval"):
        named = question.context
        answer = _call(question.hook, (named.tool_name, named.args, memory), (named,))
        opinion = _opinion(answer, ctx, "check_approval")
        if opinion is not None and opinion.request is not None:
            yield _Opinion(under_its_name(opinion.request, question, ctx))
        else:
            yield opinion
    if mark_of(function, "_requires_approval") is True:
        yield _Opinion(_plain(ctx, "@requires_approval"))


def _as_declared(
    toolset: object, function: Callable[..., Any] | None, ctx: ApprovalContext
) -> ApprovalRequest | None:
    """The own description of a call by somebody who would not have asked about it."""
    describe = getattr(toolset, "approval_request", None)
    asked = [] if describe is None else [Question(describe, ctx)]
    for question in (*asked, *_questions(function, toolset, ctx, "approval_request")):
        opinion = _opinion(_call(question.hook, (question.context,)), ctx, "approval_request")
        if opinion is not None and opinion.request is not None:
            return under_its_name(opinion.request, question, ctx)
    return None


def _questions(
    function: Callable[..., Any] | None, toolset: object, ctx: ApprovalContext, hook: str
) -> Iterator[Question]:
    """The hooks of a function; a method of the toolset itself has none of its own."""
    found = questions(function, ctx, hook)
    return (question for question in found if getattr(question.hook, "__self__", None) is not toolset)


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


def _opinion(answer: object, ctx: ApprovalContext, hook: str) -> _Opinion | None:
    """What an answer means; `NotImplemented` says that the call is none of the hook's business."""
    return None if answer is NotImplemented else _Opinion(_request_from(answer, ctx, hook))


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
