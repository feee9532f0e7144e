"""A call of a LangChain tool: arguments, ids, place in the model's turn, and the tool's definition."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.utils.pydantic import get_fields
from langgraph.prebuilt.tool_node import ToolCallRequest
from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema

from signoff.adapters.json_values import plain_hints, plain_schema, plain_values
from signoff.adapters.look_ahead import look_ahead
from signoff.adapters.stops import FALLEN, Stops
from signoff.canonical import NotJsonError, canonical
from signoff.controller import ApprovalController
from signoff.tool_definition import Definition
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest, DecisionSource

__all__ = [
    "AgentCall",
    "ToolInput",
    "agent_call",
    "approval_context",
    "definition_of",
]


@dataclass(frozen=True, slots=True)
class ToolInput:
    """The input that a tool is about to be called with, validated by its schema.

    Attributes:
        args: Positional arguments: the text, for a tool that takes a single one.
        kwargs: Keyword arguments, among them those that a framework injects.
        call_id: Id of the tool call, if it has one.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    call_id: str | None

    def shown(self, tool: BaseTool) -> dict[str, Any]:
        """Return the arguments that the model or the program wrote, as JSON values.

        A model writes nothing but JSON. So an argument that is hidden from the model is left out only if it is not
        JSON, or is the id of the call: then it was injected.

        Raises:
            NotJsonError: An argument cannot be shown as it is.
        """
        positional = dict(zip(tool.args, self.args, strict=False))
        schema = tool.tool_call_schema
        told = None if isinstance(schema, dict) else get_fields(schema).keys()
        written = {
            name: value
            for name, value in self.kwargs.items()
            if told is None or name in told or (_is_json(value) and value != self.call_id)
        }
        injected = {name: value for name, value in self.kwargs.items() if name not in written}

        def validate(plain: dict[str, Any]) -> Mapping[str, Any]:
            args, kwargs = self._validated(tool, injected, plain)
            return {**dict(zip(tool.args, args, strict=False)), **{name: kwargs[name] for name in written}}

        return plain_values(tool.name, {**positional, **written}, validate)

    def changed_to(self, tool: BaseTool, arguments: Mapping[str, Any]) -> ToolInput:
        """Return the input with other written arguments, validated by the tool's schema.

        Raises:
            ValueError, TypeError: The tool does not accept them.
            NotJsonError: An argument cannot be shown as it is.
        """
        injected = {name: value for name, value in self.kwargs.items() if name not in self.shown(tool)}
        args, kwargs = self._validated(tool, injected, arguments)
        return ToolInput(tuple(args), kwargs, self.call_id)

    def _validated(
        self, tool: BaseTool, injected: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tool._to_args_and_kwargs(  # noqa: SLF001 - LangChain's own protocol between tools
            {**injected, **arguments}, self.call_id
        )


@dataclass(slots=True)
class AgentCall:
    """One call that a model made in one turn of an agent.

    Attributes:
        metadata: The metadata for a `check_approval` and the queue.
        turn: Id of the model's message; None if it is not known.
        alone: True if the model made no other call in that message.
        stops: The stopped turns of the agent.
        refusal: The decision against the call, once there is one: a second try gets the same.
    """

    metadata: Mapping[str, Any]
    turn: str | None
    alone: bool
    stops: Stops
    refusal: ApprovalDecision | None = field(default=None)

    def refuse(self, decision: ApprovalDecision) -> None:
        """Note that the call does not run; a hard refusal stops the turn.

        A call that was rejected with an earlier one of its batch stops nothing: the earlier one does, and must not
        be woken before it has the reviewer's words.
        """
        self.refusal = decision
        if decision.hard and decision.source is not DecisionSource.CASCADE and self.turn is not None:
            self.stops.stop(self.turn)

    def standing_refusal(self) -> ApprovalDecision | None:
        """Return why the call must not run in any case: it was refused before, or its turn was stopped."""
        if self.refusal is None and self.turn in self.stops:
            self.refusal = FALLEN
        return self.refusal

    async def decision(
        self, controller: ApprovalController, request: ApprovalRequest, context: ApprovalContext
    ) -> ApprovalDecision:
        """Wait for the decision on the call; if its turn is stopped, it is withdrawn and not waited for."""
        asking = controller.request_approval(request, context)
        if self.turn is None:
            return await asking
        decision = await self.stops.answer_unless_stopped(self.turn, asking)
        return FALLEN if decision is None else decision

    def decision_sync(
        self, controller: ApprovalController, request: ApprovalRequest, context: ApprovalContext
    ) -> ApprovalDecision:
        """Do as `decision` in synchronous code; blocks the calling thread.

        A thread that waits for a person cannot be woken by another one, an event loop can. So the thread waits in
        a loop of its own, if there is another call that could stop the turn.
        """
        if self.alone or _in_event_loop():
            return controller.request_approval_sync(request, context)
        return asyncio.run(self.decision(controller, request, context))


def approval_context(
    tool: BaseTool, given: ToolInput, config: RunnableConfig, call: AgentCall | None
) -> ApprovalContext:
    """Return the context of a call.

    The metadata of the run (``config={"metadata": {"group_id": ...}}``) is part of it.

    Raises:
        NotJsonError: The arguments cannot be shown as JSON values with nothing left out.
    """
    own = config.get("metadata") or {}
    metadata = {
        **own,
        "via": "langchain",
        "caller": own.get("lc_agent_name") or own.get("caller"),
        "config": config,
        "tool_call_id": given.call_id or None,
        **(call.metadata if call is not None else {}),
    }
    return ApprovalContext(
        tool_name=tool.name,
        args=given.shown(tool),
        metadata=metadata,
        defined_now=partial(definition_of, tool),
    )


def agent_call(request: ToolCallRequest, stops: Stops) -> AgentCall:
    """Return the facts that an agent's run has about a call.

    Args:
        request: The call, as a middleware gets it.
        stops: The stopped turns of the agent.
    """
    turn = _turn_of(request.tool_call, request.state)
    if turn is None:
        return AgentCall({}, None, alone=True, stops=stops)
    execution = request.runtime.execution_info
    thread = None if execution is None else execution.thread_id or execution.run_id
    metadata = {
        "run_id": thread or turn.id,
        "run_step": turn.id,
        **_batch(request, turn),
    }
    return AgentCall(metadata, turn.id, alone=len(turn.tool_calls) == 1, stops=stops)


def _turn_of(call: ToolCall, state: Any) -> AIMessage | None:
    """The message in which the model made the call."""
    for message in reversed(_messages(state)):
        if isinstance(message, AIMessage):
            return message if any(made["id"] == call["id"] for made in message.tool_calls) else None
    return None


def _messages(state: Any) -> Sequence[AnyMessage]:
    if isinstance(state, list):
        return state
    found = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", None)
    return found or []


def _batch(request: ToolCallRequest, turn: AIMessage) -> dict[str, Any]:
    """The position among the calls of the same turn that run here, and the later ones."""
    runnable = {tool.name for tool in request.runtime.tools}
    calls = [call for call in turn.tool_calls if call["name"] in runnable]
    position = next((i for i, call in enumerate(calls) if call["id"] == request.tool_call["id"]), None)
    if position is None:
        return {}
    return {
        "batch_id": turn.id,
        "batch_position": position,
        "batch_remaining": [look_ahead(call["name"], call["args"]) for call in calls[position + 1 :]],
    }


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _is_json(value: Any) -> bool:
    try:
        canonical(value)
    except NotJsonError:
        return False
    return True


# -- The definition of a LangChain tool, for which an approval is given.


def definition_of(tool: BaseTool) -> Definition:
    """Return the present definition of a tool: its name, description, schema and metadata.

    Raises:
        NotJsonError: Its schema is nested too deep.
    """
    return Definition.of(
        tool.name, tool.description, plain_schema(_schema(tool)), plain_hints(tool.metadata or {})
    )


def _schema(tool: BaseTool) -> dict[str, Any]:
    """The schema of the arguments; LangChain keeps it until the tool is changed."""
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    try:
        return schema.model_json_schema() if issubclass(schema, BaseModel) else schema.schema()
    except PydanticInvalidForJsonSchema:  # a tool for programs: no model can get it
        return {"properties": dict.fromkeys(tool.args)}
