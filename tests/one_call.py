"""An agent whose model calls one tool once."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def agent_calling(name: str, args: dict[str, Any], **options: Any) -> Agent[Any, str]:
    """An agent that calls the tool and then says that it is done."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if results(messages):
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(name, args)])

    return Agent(FunctionModel(model), **options)


def results(messages: list[ModelMessage]) -> list[Any]:
    """What the model was told of its calls."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    return [part.content for message in requests for part in message.parts if isinstance(part, ToolReturnPart)]


async def call(toolset: Any, name: str, /, **args: Any) -> Any:
    """What the model is told of one call through a toolset."""
    run = await agent_calling(name, args, toolsets=[toolset]).run("go")
    return results(run.all_messages())[0]
