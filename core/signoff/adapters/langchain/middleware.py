"""Approval around the tool calls of LangChain agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import ModelRequest, ModelResponse, PrivateStateAttr
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from signoff.adapters.langchain.calls import agent_call
from signoff.adapters.langchain.tool import ApprovedTool, asking_for
from signoff.adapters.stops import Stops
from signoff.approval_rules import ApprovalNeeds, Setting, default_setting
from signoff.approved_call import ChangedSinceApprovedError
from signoff.controller import ApprovalController
from signoff.expiry import ExpiresIn, seconds_of
from signoff.policy.tool_rules import CallPolicy
from signoff.types import ApprovalDecision, ApprovalDeniedError, denial_text

__all__ = [
    "ApprovalMiddleware",
    "is_offered",
    "offering",
]


_STOPPED = "signoff_stopped"
"""Key of the agent's state for: a reviewer has stopped the run."""

Answer = ToolMessage | Command[Any]


def _latest(old: bool, new: bool) -> bool:
    """Return the newer value: calls that run side by side may write the same key."""
    return new


class _State(AgentState[Any]):
    """An agent's state, with a flag for a run that a reviewer has stopped."""

    signoff_stopped: NotRequired[Annotated[bool, PrivateStateAttr, _latest]]  # the reducer comes last


@dataclass(slots=True)
class _Handling:
    """A call while it is being handled.

    Attributes:
        request: The request for the next handler: the call, with a tool that asks first.
        answer: The message for the model.
    """

    request: ToolCallRequest
    answer: Answer | None = None


class ApprovalMiddleware(AgentMiddleware[_State, Any, Any]):
    """Middleware of `langchain.agents.create_agent`: tool calls are approved before they run.

    A soft refusal reaches the model as a failed call with the reviewer's words, and so does a call about which
    nobody decided, or whose arguments cannot be shown as they are. A hard refusal ends the run before the model is
    asked again; the conversation ends with the reviewer's words. Calls of the same turn that have not begun do not
    begin: their requests are withdrawn, and an answer to them is too late. A later run in the same thread goes on
    from there.

    A blocked call ends the run with `PermissionError`. Cancelling an asynchronous run withdraws its requests.

    Put it last in the list of middleware. Middleware before it may change a call or run it again, and each is
    asked about. Middleware after it may do so too, but must not replace `request.tool`: the tool there is the one
    that asks.

    A tool that asks by itself (`approved`) keeps its own controller and its own rules. Its setting in
    `tool_configs` counts if it is stricter: it may block the tool or have it ask, and never lets it run unasked.

    A controller is one session: a remembered approval holds for every run and every thread of the controller.
    Conversations that must not share approvals need a controller, with a queue connection, each.

    Args:
        controller: The controller that decides; by default a new one, which asks in the local queue.
        tool_configs: By tool name ``{"approval": "required"}``, ``"none"`` or ``"deny"`` (blocked in every mode).
            With ``"edit": True`` a reviewer may change the arguments and approve the call so.
        default_approval: ``"required"`` or ``"none"``, for tools that neither `tool_configs`, nor the tool, nor
            `@requires_approval` decides. None means ``"none"`` if `tool_configs` was given, else ``"required"``.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            its tool is not offered to the model if the name alone is reason enough. A call that it asks about is
            asked about, whatever else is said; a call that it allows is not asked about for the default alone. If
            it knows neither a tool nor its server, the default decides.
        server: The server that all tools belong to, as the policy calls it; None for tools of the agent itself. In
            an agent with tools of several servers, make each tool ask by itself: `approved` takes a server too.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself, as with
            `@requires_approval` or `approved`; None leaves it to the controller.

    Raises:
        ValueError: A setting is unknown.
    """

    state_schema = _State

    def __init__(
        self,
        controller: ApprovalController | None = None,
        *,
        tool_configs: Mapping[str, Mapping[str, Any]] | None = None,
        default_approval: Setting | None = None,
        policy: CallPolicy | None = None,
        server: str | None = None,
        expires_in: ExpiresIn | None = None,
    ) -> None:
        super().__init__()
        self._expires_in = seconds_of(expires_in)
        self.controller = controller if controller is not None else ApprovalController()
        default = default_setting(default_approval, tools_were_named=tool_configs is not None)
        self._needs = ApprovalNeeds(tool_configs or {}, default, policy=policy, server=server)
        # For a tool with a default of its own:
        self._demands = ApprovalNeeds(tool_configs or {}, "none", policy=policy, server=server)
        self._stops = Stops()

    def before_agent(self, state: _State, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Begin a run: a stop of an earlier run in the thread is over."""
        return {_STOPPED: False} if state.get(_STOPPED) else None

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: _State, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """End the run if a reviewer has stopped it."""
        if not state.get(_STOPPED):
            return None
        self._stops.forget(
            message.id for message in state["messages"] if isinstance(message, AIMessage) and message.id
        )
        return {"jump_to": "end"}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Ask the model, without the tools that the policy blocks by name."""
        return handler(offering(request, self._needs))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Asynchronous `wrap_model_call`."""
        return await handler(offering(request, self._needs))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]) -> Answer:
        """Run a tool call, asking first if it needs approval.

        Raises:
            PermissionError: The call is blocked.
        """
        if request.tool is None:
            return _no_such_tool(request, self._needs)
        with self._handling(request) as call:
            call.answer = handler(call.request)
        return _answer_of(call)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """Asynchronous `wrap_tool_call`.

        Raises:
            PermissionError: The call is blocked.
        """
        if request.tool is None:
            return _no_such_tool(request, self._needs)
        with self._handling(request) as call:
            call.answer = await handler(call.request)
        return _answer_of(call)

    @contextmanager
    def _handling(self, request: ToolCallRequest) -> Iterator[_Handling]:
        """Hand the call on with a tool that asks, and turn a refusal into the answer to the model."""
        assert request.tool is not None
        made = agent_call(request, self._stops)
        if isinstance(request.tool, ApprovedTool):
            tool = request.tool.held_to(self._demands)
        else:
            tool = asking_for(request.tool, self.controller, self._needs)
        tool = tool.expiring_in(self._expires_in)
        handling = _Handling(request.override(tool=tool.for_call(made)))
        try:
            yield handling
        except ApprovalDeniedError:
            if made.refusal is None:  # an error of the tool itself
                raise
        except ChangedSinceApprovedError as error:
            handling.answer = _failure(request, str(error))
        if made.refusal is not None:  # also if an inner middleware replaced the answer
            handling.answer = _refusal(request, made.refusal)


def _answer_of(call: _Handling) -> Answer:
    assert call.answer is not None
    return call.answer


def _refusal(request: ToolCallRequest, decision: ApprovalDecision) -> Answer:
    message = _failure(request, denial_text(decision))
    return Command(update={"messages": [message], _STOPPED: True}) if decision.hard else message


def _no_such_tool(request: ToolCallRequest, needs: ApprovalNeeds) -> ToolMessage:
    """The answer about a tool that does not exist here; there is nothing to approve."""
    known = ", ".join(tool.name for tool in request.runtime.tools if is_offered(tool, needs))
    name = request.tool_call["name"]
    return _failure(request, f"Not run: {name} is not a tool of this agent, use one of: {known}")


def _failure(request: ToolCallRequest, text: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")


# -- The tools that a model is offered: all but those that the policy blocks by name.


def offering(request: ModelRequest[Any], needs: ApprovalNeeds) -> ModelRequest[Any]:
    """Return the request with only those tools that the model may see.

    Args:
        request: The request to the model.
        needs: The rules, which hide tools.
    """
    offered = [tool for tool in request.tools if is_offered(tool, needs)]
    return request if len(offered) == len(request.tools) else request.override(tools=offered)


def is_offered(tool: BaseTool | Mapping[str, Any], needs: ApprovalNeeds) -> bool:
    """True if a model may see a tool.

    Args:
        tool: The tool; as a mapping, one that the model's provider runs.
        needs: As for `offering`.
    """
    if isinstance(tool, ApprovedTool) and tool.hidden:
        return False
    return not needs.hides(tool.name if isinstance(tool, BaseTool) else _name_of(tool))


def _name_of(tool: Mapping[str, Any]) -> str:
    """The name of a tool in the spellings of the providers; without a name, its kind."""
    function = tool.get("function")
    named = function if isinstance(function, Mapping) else tool
    return str(named.get("name") or tool.get("type") or "")
