"""Agents of PydanticAI with scripts for models, and toolsets that note what happens to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.toolsets import AbstractToolset

from answering import Answer, Reviewer
from signoff.decorators import requires_approval
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]


class Deploying:
    """A function tool that counts its runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def toolset(self) -> FunctionToolset[Any]:
        return FunctionToolset([self.deploy])

    def deploy(self, to: str) -> str:
        """Deploy somewhere."""
        self.ran.append(to)
        return f"deployed to {to}"


def script(*turns: Sequence[ToolCallPart]) -> FunctionModel:
    """A model that makes these calls, a turn at a time, and then says what it was told; streaming or not."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(turns):
            return ModelResponse(parts=list(turns[turn]))
        return ModelResponse(parts=[TextPart(repr(told(messages)))])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        for index, part in enumerate(answer(messages, info).parts):
            if isinstance(part, ToolCallPart):
                called = DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)
                yield {index: called}
            else:
                assert isinstance(part, TextPart)
                yield part.content

    return FunctionModel(answer, stream_function=stream)


def told(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """What the model was told of each call: how it ended, and the text."""
    parts = [part for message in messages for part in message.parts]
    return [told_of for part in parts if (told_of := _told(part)) is not None]


def _told(part: object) -> tuple[str, str] | None:
    if isinstance(part, ToolReturnPart):
        return part.outcome, part.model_response_str()
    if isinstance(part, RetryPromptPart):  # as older versions of PydanticAI say it
        return "retried", part.model_response()
    return None


def call(tool: str, **args: Any) -> ToolCallPart:
    return ToolCallPart(tool, args)


def run(toolset: AbstractToolset[Any], *turns: Sequence[ToolCallPart], **options: Any) -> list[tuple[str, str]]:
    """Run an agent and return what its model was told of each call."""
    agent = Agent(script(*turns), toolsets=[toolset], name="tester")
    return told(messages_of(agent, **options))


def messages_of(agent: Agent[Any, Any], **options: Any) -> list[ModelMessage]:
    """Run an agent in an event loop of its own and return the conversation."""
    return asyncio.run(agent.run("go", **options)).all_messages()


DEPLOY = [call("deploy", to="staging")]


class Deciding(FunctionToolset[Any]):
    """A toolset with a tool `act` and an opinion on it."""

    def __init__(self, opinion: Any) -> None:
        super().__init__([self.act])
        self.opinion = opinion
        self.ran = False

    def act(self, number: int = 1) -> str:
        """Do it."""
        self.ran = True
        return "done"

    def _opine(self) -> Any:
        if isinstance(self.opinion, BaseException):
            raise self.opinion
        return self.opinion


class ByContext(Deciding):
    def check_approval(self, ctx: ApprovalContext) -> Any:
        assert ctx.tool_name == "act"
        return self._opine()


class ByNameAndMemory(Deciding):
    def check_approval(self, tool_name: str, args: dict[str, Any], memory: ApprovalMemory) -> Any:
        assert (tool_name, type(memory)) == ("act", ApprovalMemory)
        return self._opine()


class ByNeeds(Deciding):
    def needs_approval(self, tool_name: str, args: dict[str, Any]) -> Any:
        assert tool_name == "act"
        return self._opine()


ACT = [call("act", number=7)]
REQUEST = ApprovalRequest(tool_name="act", description="Act on it", payload={"number": "seven"})


@requires_approval
def wipe(what: str) -> str:
    """A marked tool."""
    return f"wiped {what}"


def look(what: str) -> str:
    """A tool without a mark."""
    return f"looked at {what}"
