"""A language model that follows a script, and the results of its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

__all__ = ["Call", "CallResult", "results", "scripted"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the script asks for.

    Attributes:
        tool: Name of the tool.
        arguments: Its arguments.
    """

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call.

    Attributes:
        tool: Name of the tool.
        subject: The subject: path, command, address or title.
        outcome: ``ran``, ``refused``, ``failed``, or ``not run`` when the run ended before.
        told: The text for the agent: the result, or why there is none.
    """

    tool: str
    subject: str
    outcome: str
    told: str


_OUTCOMES = {"success": "ran", "denied": "refused"}
_SUBJECTS = ("path", "command", "url", "title")


def scripted(turns: Sequence[Sequence[Call]]) -> FunctionModel:
    """Return a model that asks for one turn of calls after another and then reports their results.

    Args:
        turns: The calls of each turn; those of one turn are made at the same time.
    """

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(turns):
            calls = turns[turn]
            return ModelResponse(parts=[ToolCallPart(call.tool, dict(call.arguments)) for call in calls])
        return ModelResponse(parts=[TextPart(_closing_words(results(messages)))])

    return FunctionModel(answer, model_name="script")


def results(messages: Sequence[ModelMessage]) -> tuple[CallResult, ...]:
    """Return the results of all calls of a conversation, in the order in which they were asked for."""
    parts = [part for message in messages for part in message.parts]
    returned = {part.tool_call_id: part for part in parts if isinstance(part, ToolReturnPart)}
    return tuple(
        _result(part, returned.get(part.tool_call_id)) for part in parts if isinstance(part, ToolCallPart)
    )


def _result(call: ToolCallPart, answer: ToolReturnPart | None) -> CallResult:
    arguments = call.args_as_dict()
    subject = next((str(arguments[key]) for key in _SUBJECTS if key in arguments), "")
    if answer is None:
        return CallResult(call.tool_name, subject, "not run", "")
    outcome = _OUTCOMES.get(answer.outcome, "failed")
    return CallResult(call.tool_name, subject, outcome, answer.model_response_str())


def _closing_words(found: Sequence[CallResult]) -> str:
    refused = [result for result in found if result.outcome == "refused"]
    words = [f"{len(found) - len(refused)} of {len(found)} calls ran."]
    words += [f"{result.tool} {result.subject} was refused, told: {result.told}" for result in refused]
    return "\n".join(words)
