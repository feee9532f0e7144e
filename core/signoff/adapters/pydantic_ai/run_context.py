"""What a PydanticAI run knows of a call, in the words of an `ApprovalContext`."""

from __future__ import annotations

from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelResponse, ToolCallPart

from signoff.adapters.look_ahead import look_ahead
from signoff.memory import PlainCall
from signoff.types import ApprovalContext, LookAtDefinition

__all__ = ["VIA", "approval_context"]

VIA = "pydantic-ai"
"""What reviewers are told that calls come through."""


def approval_context(
    call: PlainCall, ctx: RunContext[Any] | None, defined_now: LookAtDefinition | None = None
) -> ApprovalContext:
    """Describe a call: its arguments, its ids, and what the model wants after it.

    Args:
        call: The call, under the name that the wrapped toolset knows it by.
        ctx: The run; None for a call from outside a run.
        defined_now: Looks again how the tool is defined; None if that cannot change.
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
    """Position among the calls of the same model turn, and those that come later."""
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
    """Whether the call only hands in the result of the run."""
    known = None if ctx.tool_manager is None else ctx.tool_manager.get_tool_def(call.tool_name)
    return known is not None and known.kind == "output"


def _look_ahead(call: ToolCallPart) -> dict[str, Any]:
    """A later call as the model wrote it; what is not JSON is shown as the text that it is."""
    try:
        arguments: object = call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        arguments = NotImplemented  # no JSON value, so what was written is shown
    return look_ahead(call.tool_name, arguments, call.args)
