"""What the tests of LangChain agents share: models with a script, tools that count, and who is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool

from signoff.adapters.langchain import ApprovalMiddleware
from signoff.controller import ApprovalController


class Scripted(GenericFakeChatModel):
    """A model that says what it was given, in order, and notes what it was told."""

    heard: list[list[BaseMessage]] = []  # noqa: RUF012 - a field, copied for each model

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, AIMessage]:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.heard.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def call(tool: str, **args: Any) -> ToolCall:
    """A tool call; its id is made from the tool and its arguments."""
    return ToolCall(name=tool, args=args, id="-".join([tool, *map(str, args.values())]), type="tool_call")


def script(*turns: Sequence[ToolCall]) -> Scripted:
    """A model that makes these calls, a turn at a time, and is then done."""
    said = [AIMessage("", tool_calls=list(turn)) for turn in turns]
    return Scripted(messages=iter([*said, AIMessage("done")]))


def agent_of(
    model: Scripted, tools: Sequence[Any], *middleware: AgentMiddleware[Any, Any, Any], **options: Any
) -> Any:
    """A real agent."""
    return create_agent(model, tools, middleware=middleware, **options)


def go(agent: Any, **config: Any) -> list[BaseMessage]:
    """Run an agent synchronously and return the conversation."""
    messages: list[BaseMessage] = agent.invoke({"messages": [HumanMessage("go")]}, config)["messages"]
    return messages


def ago(agent: Any, **config: Any) -> list[BaseMessage]:
    """Run an agent asynchronously, in an event loop of its own, and return the conversation."""
    found = asyncio.run(agent.ainvoke({"messages": [HumanMessage("go")]}, config))
    messages: list[BaseMessage] = found["messages"]
    return messages


def told(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """What the model was told of each call: how it ended, and the text."""
    return [(part.status, str(part.content)) for part in messages if isinstance(part, ToolMessage)]


class Deploying:
    """A tool, synchronous and asynchronous, that notes its runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tool(self) -> BaseTool:
        """The tool itself."""
        return StructuredTool.from_function(self._run, self._arun, name="deploy", description="Deploy somewhere.")

    def _run(self, to: str) -> str:
        self.ran.append(to)
        return f"deployed to {to}"

    async def _arun(self, to: str) -> str:
        return self._run(to)


DEPLOY = [call("deploy", to="staging")]
"""A turn in which the model wants to deploy."""


def middleware(asked: Any, **options: Any) -> ApprovalMiddleware:
    """A middleware that asks a callback."""
    return ApprovalMiddleware(ApprovalController(approval_callback=asked), **options)
