"""The toolset that asks before it calls."""

from __future__ import annotations

import copy
import hashlib
import os.path
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic_ai import RunContext, ToolDenied
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.tools import AgentDepsT, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FunctionToolset, ToolsetTool, WrapperToolset
from pydantic_ai.toolsets.function import FunctionToolsetTool

from signoff.adapters.json_values import plain_call, plain_hints, plain_schema
from signoff.adapters.look_ahead import look_ahead
from signoff.adapters.pydantic_ai.marks import approved_context, called_at_once, is_marked, without_mark
from signoff.adapters.pydantic_ai.objects import ObjectToolset
from signoff.adapters.turns import taking_turns
from signoff.approval_rules import HOOKS, ApprovalNeeds, Setting, default_setting, hook_of
from signoff.approved_call import HONORS, EditedCall, bound_to, told
from signoff.canonical import NotJsonError
from signoff.controller import ApprovalCallback, ApprovalController
from signoff.expiry import ExpiresIn, seconds_of, within
from signoff.policy.tool_rules import CallPolicy
from signoff.redefinition import ToolGoneError
from signoff.session_memory import ApprovalMemory, PlainCall
from signoff.tool_definition import Definition
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalRequest,
    DecisionSource,
    LookAtDefinition,
    denial_text,
)

__all__ = [
    "VIA",
    "ApprovalToolset",
    "AskedCall",
    "Definitions",
    "Look",
    "approval_context",
    "looking_at",
    "may_change",
    "server_of",
    "spelled",
]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a person has to be asked about.

    Attributes:
        call: The call.
        request: The request.
        context: Its origin, and what can be changed in it.
        edited: Checks arguments that a reviewer changed.
    """

    call: PlainCall
    request: ApprovalRequest
    context: ApprovalContext
    edited: EditedCall


@dataclass(init=False)
class ApprovalToolset(WrapperToolset[AgentDepsT]):
    """A toolset whose calls are approved before they run.

    A soft refusal reaches the model as a denied call with the reviewer's words, and so does a call about
    which nobody decided. A hard refusal ends the run with `ApprovalDeniedError`, a `PermissionError`; use
    `pydantic_ai.capture_run_messages` to keep the conversation. Cancelling the run withdraws its requests.

    A controller is one session: a remembered approval holds for every run and every conversation of the
    controller. Conversations that must not share approvals need a controller, with a queue connection, each.

    An approval is for one call. A tool that raises `ModelRetry`, or fails, has used it up: if the model calls it
    again, it is asked about again, unless the reviewer approved for the session.

    PydanticAI's own ways to ask are answered here too, without ending the run: `requires_approval=True` counts as
    a mark on the tool, and an `ApprovalRequired` that a running tool raises is asked about. An approved call runs
    with ``ctx.tool_call_approved``. Calls that are deferred outside of this toolset (by a toolset around it, or by
    an `args_validator`) are approved there first and then asked about here. Tools that something else executes
    (`ExternalToolset`) are never called through here, and so never asked about.

    Attributes that it does not have are looked up in the wrapped toolset or object.

    Args:
        inner: The toolset to wrap, or an object whose public methods are the tools (see
            `signoff.adapters.pydantic_ai.objects`); `wrapped` is another name for it. A failure of an object's
            method (`OSError`, `ValueError`) is reported to the model.
        approval_callback: Asks a person; `prompt_fn` is another name for it. The method of an
            `ApprovalController` stands for that controller. Without a callback and a controller, requests
            go to the local queue.
        memory: Remembered approvals, to share them with other toolsets.
        pre_approved: Deprecated. Tools that need no approval; use `tool_configs`.
        tool_configs: By tool name ``{"approval": "required"}``, ``"none"`` or ``"deny"`` (blocked in every mode).
            With ``"edit": True`` a reviewer may change the arguments and approve the call so.
        controller: The controller that decides; instead of a callback and a memory.
        default_approval: ``"required"`` or ``"none"``, for tools that neither `tool_configs`, nor the toolset, nor
            a mark such as `@requires_approval` decides. None means ``"none"`` if `tool_configs`, even an empty
            one, or `pre_approved` was given: its author has looked at all tools. Otherwise it means
            ``"required"``: wrapping a toolset and no more asks for every call.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            its tool is not offered to the model if the name alone is reason enough. A call that it asks about is
            asked about, whatever else is said; a call that it allows is not asked about for the default alone. If
            it knows neither a tool nor its server, the default decides.
        server: The server that the tools belong to, as the policy calls it; None for tools of the agent itself.
            The policy judges tools by the names that `inner` gives them, so add prefixes around this toolset. An
            approval is for one server: without this, a tool of an `MCPToolset` is known by the toolset's `id`,
            else by the address it connects to.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself, as with
            `@requires_approval`; None leaves it to the controller.

    Raises:
        ValueError: A setting is unknown, or arguments contradict each other.
        TypeError: There is nothing to wrap, an object without methods that could be tools, or a toolset with
            approval hooks inside another that hides it.
    """

    # A copy is made from the fields alone: PydanticAI copies a wrapper for each run.
    controller: ApprovalController
    tool_configs: Mapping[str, Mapping[str, Any]]
    default_approval: Setting
    policy: CallPolicy | None
    server: str | None
    expires_in: ExpiresIn | None

    def __init__(
        self,
        inner: AbstractToolset[AgentDepsT] | object | None = None,
        approval_callback: ApprovalCallback | None = None,
        memory: ApprovalMemory | None = None,
        pre_approved: Sequence[str] | None = None,
        tool_configs: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        wrapped: AbstractToolset[AgentDepsT] | object | None = None,
        prompt_fn: ApprovalCallback | None = None,
        controller: ApprovalController | None = None,
        default_approval: Setting | None = None,
        policy: CallPolicy | None = None,
        server: str | None = None,
        expires_in: ExpiresIn | None = None,
    ) -> None:
        given = _one_of("inner", inner, "wrapped", wrapped)
        if given is None:
            raise TypeError("ApprovalToolset needs the toolset to wrap as its first argument")
        super().__init__(given if isinstance(given, AbstractToolset) else ObjectToolset(given))
        _refuse_hidden_hooks(self.wrapped)
        callback = _one_of("approval_callback", approval_callback, "prompt_fn", prompt_fn)
        self.controller = _controller(controller, callback, memory)
        self.tool_configs = _with_pre_approved(tool_configs or {}, pre_approved)
        tools_were_named = tool_configs is not None or pre_approved is not None
        self.default_approval = default_setting(default_approval, tools_were_named=tools_were_named)
        self.policy = policy
        self.server = server
        self.expires_in = expires_in
        self._seconds = seconds_of(expires_in)
        self._needs = ApprovalNeeds(self.tool_configs, self.default_approval, policy=policy, server=server)
        self._definitions = Definitions()

    @property
    def memory(self) -> ApprovalMemory:
        """The remembered approvals of this process."""
        return self.controller.memory

    def __getattr__(self, name: str) -> Any:
        """Look up an attribute in the wrapped toolset or object."""
        if name == "wrapped":  # not set yet, while a copy is being made
            raise AttributeError(name)
        return getattr(self._given, name)

    @property
    def _given(self) -> object:
        """The wrapped toolset, or the object that a toolset was made of."""
        return self.wrapped.given if isinstance(self.wrapped, ObjectToolset) else self.wrapped

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset that the policy does not block by name.

        Tools that PydanticAI would defer for approval are called at once.
        """
        tools = await self.wrapped.get_tools(ctx)
        return {name: called_at_once(tool) for name, tool in tools.items() if not self._needs.hides(name)}

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        """Run a tool, asking first if it needs approval.

        Returns:
            The result of the tool, or a `ToolDenied`: with the reviewer's words, or because the arguments cannot
            be shown to a reviewer as they are.

        Raises:
            PermissionError: The call is blocked, or was refused hard (`ApprovalDeniedError`).
        """
        given = self._given
        function = _function_behind(name, tool, given)
        if self._needs.lets_run(name, given, function):
            return await self.wrapped.call_tool(name, tool_args, approved_context(ctx), tool)
        marked_by = "requires_approval=True" if is_marked(tool) else None
        asks_plainly = self._needs.asks_plainly(name, given, function, marked_by=marked_by)
        defined_now = looking_at(self.wrapped, name, ctx) if may_change(tool) else None
        definition: Definition | None = None
        if asks_plainly:
            definition = self._definitions.of(tool) if defined_now is None else await defined_now()
            if definition is None and defined_now is not None:
                return _gone(name)
        validate = partial(_validated, tool, ctx=ctx)
        server = self.server or server_of(tool)
        try:
            call = plain_call(name, tool_args, definition, validate=validate, server=server)
        except NotJsonError as error:
            return ToolDenied(f"Not run: {error}")
        if asks_plainly and self.controller.remembered(call) is not None:
            with bound_to(call):
                return await self.wrapped.call_tool(name, tool_args, approved_context(ctx), tool)
        context = approval_context(call, ctx, defined_now)
        request = self._request_for(context, function, marked_by)
        if request is None:
            trusted = approved_context(ctx) if self._needs.never_asks(name) else ctx
            try:
                return await self.wrapped.call_tool(name, tool_args, trusted, tool)
            except ApprovalRequired:
                request = self._request_for(context, function, "ApprovalRequired")
                if request is None:
                    raise
        if not asks_plainly:
            definition = self._definitions.of(tool) if defined_now is None else await defined_now()
            if definition is None and defined_now is not None:
                return _gone(name)
        asked = self._asked(call, request.with_definition(definition), context, ctx, tool, function, marked_by)
        async with taking_turns(asked.request.effects):
            decision = await self.controller.request_approval(asked.request, asked.context)
            return await self.carry_out(asked, decision, tool_args, ctx, tool)

    async def ask_deferred(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
        why: str,
    ) -> AskedCall | ToolDenied | None:
        """Describe a call that PydanticAI has deferred for approval, for `ApprovalController.request_approval`.

        Args:
            name: Name of the tool.
            tool_args: Validated arguments.
            ctx: The run, with the id of the call.
            tool: The tool.
            why: PydanticAI's reason to defer it.

        Returns:
            The call; None if the tool's setting is ``"none"``; the refusal if it cannot be shown, or is gone.

        Raises:
            PermissionError: The call is blocked.
        """
        function = _function_behind(name, tool, self._given)
        defined_now = looking_at(self.wrapped, name, ctx) if may_change(tool) else None
        try:
            definition = self._definitions.of(tool) if defined_now is None else await defined_now()
            if definition is None:
                return _gone(name)
            validate = partial(_validated, tool, ctx=ctx)
            server = self.server or server_of(tool)
            call = plain_call(name, tool_args, definition, validate=validate, server=server)
        except NotJsonError as error:
            return ToolDenied(f"Not run: {error}")
        context = approval_context(call, ctx, defined_now)
        request = self._request_for(context, function, why)
        if request is None:
            return None
        return self._asked(call, request.with_definition(definition), context, ctx, tool, function, why)

    def _asked(
        self,
        call: PlainCall,
        request: ApprovalRequest,
        context: ApprovalContext,
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
        function: Callable[..., Any] | None,
        marked_by: str | None,
    ) -> AskedCall:
        request = within(request, self._seconds)
        validate = partial(_validated, tool, ctx=ctx)
        edited = EditedCall(
            context,
            request,
            lambda changed: plain_call(call.tool_name, validate(changed), validate=validate).payload,
            lambda changed: self._request_for(changed, function, marked_by),
        )
        own_check = getattr(tool, "args_validator_func", None)  # it may wait, or ask the model to try again
        check_edited = edited if own_check is None else None
        changeable = context.model_copy(update={"honors": HONORS, "check_edited": check_edited})
        return AskedCall(call, request, changeable, edited)

    async def carry_out(
        self,
        asked: AskedCall,
        decision: ApprovalDecision,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        """Run a call as it was approved, or return the refusal.

        Raises:
            PermissionError: It was refused hard, or is not the call that was approved.
        """
        if decision.approved is not True:
            return _refusal(decision)
        name = asked.call.tool_name
        if spelled(name, tool_args, ctx, tool) != asked.call.spelled:
            raise PermissionError(f"{name} was not run: its arguments were changed since it was approved")
        request, instead = asked.request, decision.instead
        if instead is not None and instead.arguments is not None:
            request = asked.edited.request or request
            tool_args = _validated(tool, copy.deepcopy(dict(instead.arguments)), ctx)
        with bound_to(request, decision.snapshot, instead):
            result = await self.wrapped.call_tool(name, tool_args, approved_context(ctx), tool)
            return told(result, instead)

    def _request_for(
        self, context: ApprovalContext, function: Callable[..., Any] | None, marked_by: str | None
    ) -> ApprovalRequest | None:
        return self._needs.request_for(context, self._given, function, self.memory, marked_by=marked_by)


def _validated(tool: ToolsetTool[Any], arguments: dict[str, Any], ctx: RunContext[Any]) -> dict[str, Any]:
    """Return the arguments that PydanticAI makes of a model's, with which the tool is called.

    Raises:
        ValueError: The tool does not accept them.
    """
    context = getattr(ctx, "validation_context", None)
    made: dict[str, Any] = tool.args_validator.validate_python(arguments, context=context)
    return made


def spelled(name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> str:
    """Return the arguments of a call in canonical form.

    Raises:
        NotJsonError: They cannot be shown as they are.
    """
    return plain_call(name, tool_args, validate=partial(_validated, tool, ctx=ctx)).spelled


def _gone(name: str) -> ToolDenied:
    return ToolDenied(f"Not run: {ToolGoneError(name)}")


def _refuse_hidden_hooks(toolset: AbstractToolset[Any]) -> None:
    """Refuse to wrap a toolset with approval hooks that another toolset hides.

    Raises:
        TypeError: There is such a toolset.
    """
    for inner in _inside(toolset):
        if isinstance(inner, ApprovalToolset):
            continue  # it asks itself
        if any(hook_of(inner, hook) is not None for hook in HOOKS):
            name = type(inner).__name__
            raise TypeError(
                f"{name} says which calls need approval, but {type(toolset).__name__} around it hides that: put an"
                f" ApprovalToolset directly around {name}, and rename, filter or combine the result"
            )
        _refuse_hidden_hooks(inner)


def _inside(toolset: AbstractToolset[Any]) -> Sequence[AbstractToolset[Any]]:
    if isinstance(toolset, WrapperToolset):
        return [toolset.wrapped]
    return toolset.toolsets if isinstance(toolset, CombinedToolset) else []


def _refusal(decision: ApprovalDecision) -> ToolDenied:
    """Return the refusal for the model, or end the run.

    A call that was rejected with an earlier one of its batch never ends the run itself: the earlier one does, with
    the reviewer's words.

    Raises:
        ApprovalDeniedError: The refusal is hard.
    """
    if decision.mode == "hard" and decision.source is not DecisionSource.CASCADE:
        raise ApprovalDeniedError(decision)
    return ToolDenied(denial_text(decision))


def _one_of(name: str, value: Any, other_name: str, other_value: Any) -> Any:
    if value is not None and other_value is not None and value is not other_value:
        raise ValueError(f"{name!r} and {other_name!r} are two names for one argument; give one of them")
    return value if value is not None else other_value


def _controller(
    controller: ApprovalController | None,
    callback: ApprovalCallback | None,
    memory: ApprovalMemory | None,
) -> ApprovalController:
    """The controller that decides; for a callback of a controller, that controller itself."""
    behind = getattr(callback, "__self__", None)
    if isinstance(behind, ApprovalController):
        if controller is not None and controller is not behind:
            raise ValueError("the callback belongs to another controller than the one given; give one of them")
        controller, callback = behind, None
    if controller is None:
        return ApprovalController(approval_callback=callback, memory=memory)
    if callback is not None:
        raise ValueError("give a controller or a callback: a controller knows whom to ask")
    if memory is not None and memory is not controller.memory:
        raise ValueError("give a controller or a memory: a controller has its own")
    return controller


def _with_pre_approved(
    tool_configs: Mapping[str, Mapping[str, Any]], pre_approved: Sequence[str] | None
) -> Mapping[str, Mapping[str, Any]]:
    """The settings of all tools; a setting in `tool_configs` outranks the list.

    Raises:
        TypeError: `pre_approved` is a text, not a list.
    """
    if pre_approved is None:
        return tool_configs
    if isinstance(pre_approved, str):
        raise TypeError(f"pre_approved is a list of names, such as [{pre_approved!r}], not one text")
    warnings.warn(
        'pre_approved is deprecated, use tool_configs instead: {"tool": {"approval": "none"}}',
        DeprecationWarning,
        stacklevel=3,
    )
    merged = dict(tool_configs)
    for name in pre_approved:
        given = merged.get(name, {})
        if given.get("approval") is None:
            merged[name] = {**given, "approval": "none"}
    return merged


_REGISTRIES = ("tools", "functions", "_functions")
"""Attributes in which toolsets keep their functions, by the name of the tool."""


def _function_behind(name: str, tool: object, toolset: object) -> Callable[..., Any] | None:
    """The Python function with the marks of a tool, if it can be found."""
    for each in _perhaps_behind(name, tool, toolset):
        if callable(each):
            return cast("Callable[..., Any]", each)
    return None


def _perhaps_behind(name: str, tool: object, toolset: object) -> Iterator[Any]:
    """The places where the function of a tool may be, the surest first."""
    while (source := getattr(tool, "source_tool", None)) is not None:  # that of a CombinedToolset
        tool = source
    schema = getattr(getattr(tool, "call_func", None), "__self__", None)  # a FunctionToolset's tool
    yield getattr(schema, "function", None)
    registries = (getattr(toolset, registry, None) for registry in _REGISTRIES)
    registered = [registry.get(name) for registry in registries if isinstance(registry, Mapping)]
    yield from (getattr(candidate, "function", None) for candidate in (*registered, tool))
    yield from registered
    yield getattr(toolset, name, None)


# -- The facts that a PydanticAI run has about a call, as an `ApprovalContext`.

VIA = "pydantic-ai"
"""The name of the adapter for reviewers."""


def approval_context(
    call: PlainCall, ctx: RunContext[Any] | None, defined_now: LookAtDefinition | None = None
) -> ApprovalContext:
    """Return the context of a call: its arguments, its ids, and the later calls of the turn.

    Args:
        call: The call, under the name that the wrapped toolset knows it by.
        ctx: The run; None for a call from outside a run.
        defined_now: Looks up the present definition of the tool; None if it cannot change.
    """
    return ApprovalContext(
        tool_name=call.tool_name,
        args=call.payload,
        server=call.server,
        metadata=_metadata(ctx),
        defined_now=defined_now,
    )


def _metadata(ctx: RunContext[Any] | None) -> dict[str, Any]:
    if ctx is None:
        return {"via": VIA}
    own = ctx.metadata or {}
    agent = None if ctx.agent is None else ctx.agent.name
    return {
        **own,
        "via": VIA,
        "run_id": ctx.run_id,
        "run_step": ctx.run_step,
        "tool_call_id": ctx.tool_call_id,
        "caller": agent or own.get("caller"),
        **_batch(ctx),
    }


def _batch(ctx: RunContext[Any]) -> dict[str, Any]:
    """The position among the calls of the same model turn, and the later ones."""
    calls = _calls_of_turn(ctx)
    position = next((i for i, call in enumerate(calls) if call.tool_call_id == ctx.tool_call_id), None)
    if position is None:
        return {}
    return {
        "batch_id": f"{ctx.run_id}:{ctx.run_step}",
        "batch_position": position,
        "batch_remaining": [_look_ahead(call) for call in calls[position + 1 :]],
    }


def _calls_of_turn(ctx: RunContext[Any]) -> list[ToolCallPart]:
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            return [call for call in message.tool_calls if not _is_output(call, ctx)]
    return []


def _is_output(call: ToolCallPart, ctx: RunContext[Any]) -> bool:
    """True if the call only hands in the result of the run."""
    known = None if ctx.tool_manager is None else ctx.tool_manager.get_tool_def(call.tool_name)
    return known is not None and known.kind == "output"


def _look_ahead(call: ToolCallPart) -> dict[str, Any]:
    """A later call as the model wrote it; arguments that are not JSON are shown as text."""
    try:
        arguments: object = call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        arguments = NotImplemented  # no JSON value, so the written text is shown
    return look_ahead(call.tool_name, arguments, call.args)


# -- The MCP server that runs a PydanticAI tool, by a name that no server chooses itself.

_DIGITS = 8
"""The number of hexadecimal digits that tell apart two servers with nearly the same address."""


def server_of(tool: ToolsetTool[Any] | None) -> str | None:
    """Return the name of the server that runs a tool; None for a tool of the agent itself.

    It is the `id` that the agent's author gave to the toolset, through prefixed, renamed and combined toolsets.
    Without an `id` it is the address that the toolset connects to, never a name that the server gives itself.
    """
    if tool is None:
        return None
    while (source := getattr(tool, "source_tool", None)) is not None:  # that of a CombinedToolset
        tool = source
    toolset: AbstractToolset[Any] | None = getattr(tool, "toolset", None)
    while isinstance(toolset, WrapperToolset):
        toolset = toolset.wrapped
    if toolset is None or isinstance(toolset, FunctionToolset):
        return None
    transport = getattr(getattr(toolset, "client", None), "transport", None)
    chosen: str | None = getattr(toolset, "_explicit_id", None)  # any other `id` may be just a host
    if chosen is not None or transport is None:
        return chosen or toolset.id
    return _connected_to(transport)


def _connected_to(transport: Any) -> str:
    """The target of a transport of FastMCP: a URL, a program, or a server in this process."""
    url = getattr(transport, "url", None)
    if url is not None:
        parts = urlsplit(str(url))
        place = parts.netloc.rpartition("@")[2] + parts.path  # no password, and no key in a query
        return f"{place} {_digits(str(url))}"
    command = getattr(transport, "command", None)
    if command is not None:
        facts = [getattr(transport, name, None) for name in ("command", "args", "cwd", "env")]
        return f"{os.path.basename(command)} {_digits(*facts)}"  # noqa: PTH119 - a word, not a path here
    within = getattr(getattr(transport, "server", None), "name", None)
    kind = type(transport).__name__
    return f"{kind} {within or _digits(getattr(transport, 'config', None))}"


def _digits(*facts: Any) -> str:
    return hashlib.sha256(ascii(facts).encode()).hexdigest()[:_DIGITS]


# -- The definition of a PydanticAI tool, for which an approval is given.

Look = Callable[[], Awaitable[Definition | None]]
"""Looks up the present definition of a tool; None if it is not offered any more."""


class Definitions:
    """The definitions of a toolset's tools; each is spelled once, not for every call.

    A toolset makes new objects for every step of a run, from the same description, schema and metadata.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[ToolDefinition, Definition]] = {}

    def of(self, tool: ToolsetTool[Any] | None) -> Definition | None:
        """Return the definition of a tool; None for a call without a tool.

        Raises:
            NotJsonError: Its schema is nested too deep.
        """
        if tool is None:
            return None
        offered = tool.tool_def
        known = self._known.get(offered.name)
        if known is not None and (known[0] is offered or _said(known[0]) == _said(offered)):
            return known[1]
        made = _definition(offered)
        self._known[offered.name] = offered, made
        return made


def may_change(tool: ToolsetTool[Any] | None) -> bool:
    """True if something else than this process runs the tool, so that its definition may have changed.

    A function tool has the function that it describes; a tool of an MCP server is just a name.
    """
    if tool is None or isinstance(tool, FunctionToolsetTool):
        return False
    while (source := getattr(tool, "source_tool", None)) is not None:  # that of a CombinedToolset
        tool = source
    return not isinstance(tool, FunctionToolsetTool)


def looking_at(toolset: AbstractToolset[Any], name: str, ctx: RunContext[Any]) -> Look:
    """Return a function that looks up the present definition of a tool in a toolset."""

    async def look() -> Definition | None:
        tool = (await toolset.get_tools(ctx)).get(name)
        return None if tool is None else _definition(tool.tool_def)

    return look


def _said(offered: ToolDefinition) -> tuple[Any, ...]:
    # Identical parts are found equal without a comparison.
    return offered.description, offered.parameters_json_schema, offered.metadata, offered.return_schema


def _definition(offered: ToolDefinition) -> Definition:
    hints: Mapping[str, Any] = {**without_mark(offered.metadata), "returns": offered.return_schema}
    schema = plain_schema(offered.parameters_json_schema)
    return Definition.of(offered.name, offered.description, schema, plain_hints(hints))
