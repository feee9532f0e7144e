"""A function tool of the OpenAI Agents SDK that asks before it runs."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from agents import AgentsException, FunctionTool, ToolOutputFileContent, ToolOutputImage, ToolOutputText
from agents.function_schema import function_schema
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from pydantic import BaseModel

from signoff.adapters.argument_schema import fitting
from signoff.adapters.json_values import plain_hints, plain_schema
from signoff.adapters.turns import taking_turns
from signoff.approval_rules import ApprovalNeeds, Setting
from signoff.approved_call import HONORS, EditedCall, bound_to, told
from signoff.canonical import NotJsonError, parse_json
from signoff.controller import ApprovalController
from signoff.expiry import within
from signoff.policy.tool_rules import CallPolicy
from signoff.queue.amendment import Instead
from signoff.tool_definition import Definition
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalRequest,
    DecisionSource,
    denial_text,
)

__all__ = ["AskingInvoker", "CallBlockedError", "Place", "RunStoppedError", "ToolRules", "asking_tool"]

VIA = "openai-agents"
"""The name of the adapter for reviewers."""


class RunStoppedError(ApprovalDeniedError, AgentsException):
    """A reviewer stopped the run."""

    def __init__(self, decision: ApprovalDecision) -> None:
        super().__init__(decision)
        self.run_data = None


class CallBlockedError(PermissionError, AgentsException):
    """A call is blocked, by a rule or by its tool, and so the run ends."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.run_data = None


_ended_inside: ContextVar[list[AgentsException] | None] = ContextVar("signoff_ended_inside", default=None)
"""The errors that ended the run of an agent that is a tool: the SDK would tell the outer model, which goes on."""


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The rules of one agent, for its own tools and those of its servers.

    Attributes:
        controller: The controller that decides.
        tool_configs: Settings by tool name.
        default: The setting of tools that nothing else decides.
        policy: Rules on calls.
        server: The server that the function tools belong to; None for tools of the agent itself.
        expires_in: Seconds after which a request expires that sets no time itself.
    """

    controller: ApprovalController
    tool_configs: Mapping[str, Mapping[str, Any]]
    default: Setting
    policy: CallPolicy | None
    server: str | None
    expires_in: float | None
    _known: dict[str | None, ApprovalNeeds] = field(default_factory=dict)

    def needs(self, server: str | None) -> ApprovalNeeds:
        """Return the rules for the tools of a server; None for tools of the agent itself."""
        if server not in self._known:
            self._known[server] = ApprovalNeeds(self.tool_configs, self.default, policy=self.policy, server=server)
        return self._known[server]


Look = Callable[[ToolContext[Any]], Awaitable[FunctionTool | None]]
"""Looks up a tool again; None if it is not offered any more."""


@dataclass(frozen=True, slots=True)
class Place:
    """The MCP server that a tool comes from.

    Attributes:
        server: Its name.
        tool: The name of the tool there.
        look: Looks up the tool again.
    """

    server: str
    tool: str
    look: Look


def asking_tool(tool: FunctionTool, rules: ToolRules, place: Place | None = None) -> FunctionTool:
    """Return the tool with a question before each call; one that asks already stays as it is.

    A limit of time is for the tool alone, not for the person. The SDK's own `needs_approval` counts as a mark.
    """
    if isinstance(tool.on_invoke_tool, AskingInvoker):
        return tool
    asking = copy.copy(tool)
    asking.on_invoke_tool = AskingInvoker(tool, rules, place)
    asking.needs_approval = False
    asking.timeout_seconds = None
    return asking


class AskingInvoker:
    """The `on_invoke_tool` of a tool that asks.

    Args:
        tool: The tool that runs.
        rules: The rules of its agent.
        place: The server that it comes from; None for a tool of the agent itself.
    """

    def __init__(self, tool: FunctionTool, rules: ToolRules, place: Place | None) -> None:
        self._tool = tool
        self._rules = rules
        self._place = place
        self._name = tool.name if place is None else place.tool
        self._needs = rules.needs(rules.server if place is None else place.server)
        self._function = cast("Callable[..., Any] | None", getattr(tool, "__wrapped__", None))
        self._model = _model_of(self._function)

    @property
    def hidden(self) -> bool:
        """True if the policy blocks all calls of the tool, so that no model should be offered it."""
        return self._needs.hides(self._name)

    async def __call__(self, ctx: ToolContext[Any], input: str) -> Any:  # noqa: A002 - the name of the SDK
        """Run a call if it is approved, and return the result, or what the model is told instead.

        Raises:
            CallBlockedError: The call is blocked.
            RunStoppedError: It was refused hard.
        """
        try:
            arguments = self._read(input)
            marked_by = await self._marked_by(ctx, arguments)
            context = self._context(ctx, arguments)
            request = self._request_for(context, marked_by)
        except NotJsonError as error:
            return f"Not run: {error}"
        except PermissionError as error:
            _end_run(CallBlockedError(str(error)))
        if request is None:
            return await self._run(ctx, arguments)
        request = within(request.with_definition(_definition(self._tool, self._name)), self._rules.expires_in)
        edited = EditedCall(
            context, request, self._accepted, lambda changed: self._request_for(changed, marked_by)
        )
        check_edited = edited if self._takes_other_arguments else None
        changeable = context.model_copy(update={"honors": HONORS, "check_edited": check_edited})
        async with taking_turns(request.effects):
            decision = await self._rules.controller.request_approval(request, changeable)
            if decision.approved is not True:
                return _refusal(decision)
            instead = decision.instead
            if instead is not None and instead.arguments is not None:
                request = edited.request or request
                arguments = copy.deepcopy(dict(instead.arguments))
            with bound_to(request, decision.snapshot, instead):
                return _told(await self._run(ctx, arguments), instead)

    def _read(self, written: str) -> dict[str, Any]:
        """Return the arguments as the model wrote them.

        Raises:
            NotJsonError: They are not a JSON object, or the tool would not take them.
        """
        arguments = parse_json(written or "{}")
        if not isinstance(arguments, dict):
            raise NotJsonError(f"the arguments of {self._name} are not a JSON object")
        if self._model is not None:
            try:
                self._model(**arguments)
            except (ValueError, TypeError) as error:
                raise NotJsonError(f"{self._name} does not take these arguments: {error}") from error
        return arguments

    def _accepted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments that a reviewer changed, if the tool takes them.

        Raises:
            ValueError: It does not.
        """
        if self._model is not None:
            self._model(**arguments)
            return arguments
        return fitting(arguments, self._tool.params_json_schema)

    @property
    def _takes_other_arguments(self) -> bool:
        """False if the author checks the model's arguments, or the result: changed ones would go past that."""
        return not self._tool.tool_input_guardrails and self._tool.output_json_schema is None

    async def _marked_by(self, ctx: ToolContext[Any], arguments: dict[str, Any]) -> str | None:
        wanted: Any = self._tool.needs_approval
        if callable(wanted):
            wanted = wanted(ctx, copy.deepcopy(arguments), ctx.tool_call_id)
            wanted = await wanted if inspect.isawaitable(wanted) else wanted
        return None if wanted is False else "needs_approval"

    def _context(self, ctx: ToolContext[Any], arguments: dict[str, Any]) -> ApprovalContext:
        place = self._place

        async def defined_now() -> Definition | None:
            assert place is not None
            tool = await place.look(ctx)
            return None if tool is None else _definition(tool, place.tool)

        return ApprovalContext(
            tool_name=self._name,
            args=arguments,
            server=self._needs.server,
            metadata={
                "via": VIA,
                "caller": None if ctx.agent is None else ctx.agent.name,
                "tool_call_id": ctx.tool_call_id,
            },
            defined_now=None if place is None else defined_now,
        )

    def _request_for(self, context: ApprovalContext, marked_by: str | None) -> ApprovalRequest | None:
        memory = self._rules.controller.memory
        return self._needs.request_for(context, None, self._function, memory, marked_by=marked_by)

    async def _run(self, ctx: ToolContext[Any], arguments: dict[str, Any]) -> Any:
        """Run the tool with exactly these arguments."""
        ctx.tool_arguments = json.dumps(arguments)
        ended: list[AgentsException] = []
        token = _ended_inside.set(ended)
        try:
            result = await invoke_function_tool(
                function_tool=self._tool, context=ctx, arguments=ctx.tool_arguments
            )
        finally:
            _ended_inside.reset(token)
        if ended:
            _end_run(ended[0])
        return result


def _model_of(function: Callable[..., Any] | None) -> type[BaseModel] | None:
    """The model by which the SDK validates the arguments of a function; None if there is no function."""
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        return None
    return function_schema(function, use_docstring_info=False, strict_json_schema=False).params_pydantic_model


def _definition(tool: FunctionTool, name: str) -> Definition:
    annotations = tool.mcp_annotations
    hints = {} if annotations is None else annotations.model_dump(mode="json")
    return Definition.of(name, tool.description, plain_schema(tool.params_json_schema), plain_hints(hints))


def _refusal(decision: ApprovalDecision) -> str:
    """Return the refusal for the model, or end the run.

    A call that was rejected with an earlier one of its batch never ends the run itself: the earlier one does, with
    the reviewer's words.

    Raises:
        RunStoppedError: The refusal is hard.
    """
    if decision.hard and decision.source is not DecisionSource.CASCADE:
        _end_run(RunStoppedError(decision))
    return denial_text(decision)


def _end_run(error: AgentsException) -> NoReturn:
    outer = _ended_inside.get()
    if outer is not None:
        outer.append(error)
    raise error


_STRUCTURED = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
_STRUCTURED_TYPES = frozenset({"text", "image", "file"})


def _told(result: Any, instead: Instead | None) -> Any:
    """The result, with a note for the model if the arguments were changed."""
    if instead is None or instead.arguments is None or isinstance(result, str):
        return told(result, instead)
    parts = result if isinstance(result, list) else [result]
    if all(_is_structured(part) for part in parts):
        return [*parts, ToolOutputText(text=told("", instead).strip())]
    return told(str(result), instead)


def _is_structured(part: object) -> bool:
    return isinstance(part, _STRUCTURED) or (isinstance(part, dict) and part.get("type") in _STRUCTURED_TYPES)
