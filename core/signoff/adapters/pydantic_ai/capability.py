"""The capability that has all tools of an agent ask."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pydantic import ValidationError
from pydantic_ai import DeferredToolRequests, RunContext, ToolDenied
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, WrapToolExecuteHandler
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT, DeferredToolResults, ToolApproved, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from signoff.adapters.batches import all_decided
from signoff.adapters.pydantic_ai.marks import gated, is_gated
from signoff.adapters.pydantic_ai.toolset import ApprovalToolset, AskedCall, spelled
from signoff.approval_rules import ApprovalNeeds, Setting, default_setting
from signoff.controller import ApprovalController
from signoff.expiry import ExpiresIn, seconds_of
from signoff.policy.tool_rules import CallPolicy
from signoff.types import ApprovalDecision, ApprovalDeniedError, denial_text

__all__ = ["Approvals"]


_REVEALING = frozenset({"tool-search", "capability-load"})
"""Kinds of tools of PydanticAI that only show further tools to the model; these ask when they are called."""

_SEARCHING = "tool_search"
"""The kind of the provider's tool that does the same."""


@dataclass(slots=True)
class _Run:
    """One run of an agent.

    Attributes:
        tools: The tools of its present step, which ask.
        approved: Deferred calls that were approved and have not begun, by id.
        stopped: The hard refusal that ended the run.
        outer: The run in whose tool this one was started, and the context of that call.
    """

    outer: tuple[_Run, RunContext[Any]] | None = None
    tools: _GatedTools[Any] | None = None
    approved: dict[str, tuple[AskedCall, ApprovalDecision]] = field(default_factory=dict)
    stopped: ApprovalDecision | None = None

    def stop(self, ctx: RunContext[Any], decision: ApprovalDecision) -> None:
        """End the run by a hard refusal, and those around it: PydanticAI tells them of a tool that failed."""
        self.stopped = decision
        ctx.cancel()
        if self.outer is not None:
            run, of_call = self.outer
            run.stop(of_call, decision)


_calling: ContextVar[tuple[_Run, RunContext[Any]] | None] = ContextVar("signoff_pydantic_ai_call", default=None)
"""The run and the context of the call that is being carried out."""


class Approvals(AbstractCapability[AgentDepsT]):
    """A capability of an agent: the calls of all its tools are approved before they run.

    These are its functions and the tools of its toolsets, MCP servers and other capabilities. A person sees the
    arguments with which the tool is called, whatever hooks have made of those of the model. Output tools do not
    ask. An agent that is called in a tool has its own tools: give it `Approvals` too, with the same controller.

    A soft refusal reaches the model as a denied call with the reviewer's words, and so does a call about which
    nobody decided. A hard refusal ends the run, and those around it, with PydanticAI's `RunCancelled`, which has
    the conversation; its cause has the reviewer's words as a note. The other calls of the turn are withdrawn. A
    blocked call ends the run with `PermissionError`. Cancelling the run withdraws its requests.

    Calls of tools with ``requires_approval=True``, and those that a hook or an `args_validator` defers with
    `ApprovalRequired`, are asked about together: none of them runs before all are answered. An answer that reaches
    PydanticAI in another way, such as ``deferred_tool_results``, is not one of a reviewer: the call asks.

    Tools of an `ApprovalToolset` ask there, by its controller and its rules. Those that `tool_configs` names, or
    all if there is a `policy`, ask here too. Tools that the model's provider runs itself (web search, remote MCP
    servers), and tools that another capability puts around those of the agent, cannot ask: they do not run, unless
    `tool_configs` lets them run unasked.

    A controller is one session: a remembered approval holds for every run of the controller.

    Args:
        controller: The controller that decides; by default a new one, which asks in the local queue.
        tool_configs: By tool name ``{"approval": "required"}``, ``"none"`` or ``"deny"`` (blocked in every mode).
            With ``"edit": True`` a reviewer may change the arguments and approve the call so.
        default_approval: ``"required"`` or ``"none"``, for tools that nothing else decides. None means ``"none"``
            if `tool_configs` was given, else ``"required"``.
        policy: Rules on calls, such as `Setup.call_policy`, as for `ApprovalToolset`.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself, as with
            `@requires_approval`; None leaves it to the controller.

    Raises:
        ValueError: A setting is unknown.
    """

    def __init__(
        self,
        controller: ApprovalController | None = None,
        *,
        tool_configs: Mapping[str, Mapping[str, Any]] | None = None,
        default_approval: Setting | None = None,
        policy: CallPolicy | None = None,
        expires_in: ExpiresIn | None = None,
    ) -> None:
        self.controller = controller if controller is not None else ApprovalController()
        seconds_of(expires_in)
        self._options: dict[str, Any] = {
            "tool_configs": dict(tool_configs or {}),
            "default_approval": default_setting(default_approval, tools_were_named=tool_configs is not None),
            "policy": policy,
            "expires_in": expires_in,
        }
        # For what does not come through the agent's toolsets:
        self._needs = ApprovalNeeds(
            self._options["tool_configs"], self._options["default_approval"], policy=policy
        )
        self._run = _Run()

    def get_ordering(self) -> CapabilityOrdering:
        """Stand next to the tools, so that nothing changes a call between the question and the tool."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> Self:
        """Return the capability for one run."""
        own = object.__new__(type(self))
        vars(own).update(vars(self), _run=_Run(_calling.get()))
        return own

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the agent's tools, which ask."""
        return _GatedTools(toolset, run=self._run, controller=self.controller, **self._options)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Refuse tools that the model's provider runs itself.

        Raises:
            TypeError: There is one.
        """
        for tool in request_context.model_request_parameters.native_tools:
            if tool.kind != _SEARCHING and not self._needs.never_asks(tool.kind):
                raise TypeError(
                    f"the provider of the model runs {tool.kind} itself, so it cannot ask: leave it out, or let it"
                    f' run unasked by tool_configs={{{tool.kind!r}: {{"approval": "none"}}}}'
                )
        return request_context

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Run a call whose tool asks, and none of another tool."""
        name = tool_def.name
        asks = is_gated(tool_def) or tool_def.tool_kind in _REVEALING
        if not asks and not self._needs.never_asks(name):
            return ToolDenied(
                f"Not run: {name} was added by a capability around the tools of the agent, so it cannot ask; its"
                f' author can let it run unasked by tool_configs={{{name!r}: {{"approval": "none"}}}}'
            )
        token = _calling.set((self._run, ctx))
        try:
            return await handler(args)
        finally:
            _calling.reset(token)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Ask about all calls of a turn that were deferred for approval, as one batch.

        Raises:
            PermissionError: One of them is blocked, or was refused hard (`ApprovalDeniedError`).
        """
        answers: dict[str, ToolApproved | ToolDenied] = {}
        waiting: dict[str, AskedCall] = {}
        for call in requests.approvals:
            match await self._asked(ctx, call):
                case AskedCall() as asked:
                    waiting[call.tool_call_id] = asked
                case ToolDenied() as refusal:
                    answers[call.tool_call_id] = refusal
                case None:
                    answers[call.tool_call_id] = ToolApproved()
        try:
            decisions = await all_decided(
                self.controller.request_approval(each.request, each.context) for each in waiting.values()
            )
        except ApprovalDeniedError as error:
            self._run.stop(ctx, error.decision)
            raise
        for (call_id, asked), decision in zip(waiting.items(), decisions, strict=True):
            if decision.approved is True:
                self._run.approved[call_id] = asked, decision
                answers[call_id] = ToolApproved()
            else:
                answers[call_id] = ToolDenied(denial_text(decision))
        return requests.build_results(approvals=answers) if answers else None

    async def _asked(self, ctx: RunContext[AgentDepsT], call: ToolCallPart) -> AskedCall | ToolDenied | None:
        tools = self._run.tools
        tool = None if ctx.tool_manager is None else (ctx.tool_manager.tools or {}).get(call.tool_name)
        if tools is None or tool is None or not is_gated(tool.tool_def):
            return ToolDenied(f"Not run: {call.tool_name} is not a tool of this agent that can ask")
        why = "requires_approval=True" if tool.tool_def.kind == "unapproved" else "ApprovalRequired"
        own = replace(ctx, tool_call_id=call.tool_call_id, tool_name=call.tool_name)
        try:
            return await tools.ask_deferred(call.tool_name, call.args_as_dict(), own, tool, why)
        except ValidationError as error:
            return ToolDenied(f"Not run: {call.tool_name} does not take these arguments: {error}")

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: Any) -> Any:
        """Note the reviewer's words on the end of a run that was stopped."""
        try:
            return await handler()
        except BaseException as error:
            if self._run.stopped is not None:
                error.add_note(denial_text(self._run.stopped))
            raise


@dataclass(init=False)
class _GatedTools(ApprovalToolset[AgentDepsT]):
    """All tools of an agent; calls that PydanticAI defers stay deferred, and are answered as one batch."""

    run: _Run

    def __init__(self, wrapped: AbstractToolset[AgentDepsT], *, run: _Run, **options: Any) -> None:
        super().__init__(wrapped, **options)
        self.run = run

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that the policy does not block by name."""
        self.run.tools = self
        tools = await self.wrapped.get_tools(ctx)
        return {name: gated(tool) for name, tool in tools.items() if not self._needs.hides(name)}

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        """Run a tool, asking first if it needs approval, unless it was asked about when it was deferred.

        Raises:
            PermissionError: The call is blocked, or was refused hard (`ApprovalDeniedError`).
        """
        try:
            asked, decision = self.run.approved.pop(ctx.tool_call_id or "", (None, None))
            if asked is not None and decision is not None and _is_the_same(asked, name, tool_args, ctx, tool):
                return await self.carry_out(asked, decision, tool_args, ctx, tool)
            if _asks_itself(tool) and self.policy is None and name not in self.tool_configs:
                return await self.wrapped.call_tool(name, tool_args, ctx, tool)
            return await super().call_tool(name, tool_args, ctx, tool)
        except ApprovalDeniedError as error:
            if error.decision.hard:
                self.run.stop(ctx, error.decision)
            raise


def _is_the_same(
    asked: AskedCall, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
) -> bool:
    """True if a call has the name and the arguments that were asked about."""
    return name == asked.call.tool_name and spelled(name, tool_args, ctx, tool) == asked.call.spelled


def _asks_itself(tool: ToolsetTool[Any]) -> bool:
    """True for a tool of an `ApprovalToolset`, also through prefixed, renamed and combined toolsets."""
    while (toolset := getattr(tool, "source_toolset", None)) is not None:
        while isinstance(toolset, WrapperToolset):
            if isinstance(toolset, ApprovalToolset):
                return True
            toolset = toolset.wrapped
        tool = getattr(tool, "source_tool", tool)
    return False
