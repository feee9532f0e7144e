"""What the tests of ConnectOnion agents share: models with a script, and tools that count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from connectonion import Agent
from connectonion.core.llm import LLM, LLMResponse, ToolCall
from connectonion.core.usage import TokenUsage

Call = tuple[str, dict[str, Any]]
"""The name of a tool and its arguments."""


class Scripted(LLM):
    """A model that makes these calls, a turn at a time, and is then done.

    Attributes:
        heard: The conversation of each time that it was asked.
    """

    model = "scripted"

    def __init__(self, *turns: Sequence[Call]) -> None:
        self.heard: list[list[dict[str, Any]]] = []
        self._turns = iter(turns)

    def complete(self, messages: Any, tools: Any = None, **_: Any) -> LLMResponse:
        self.heard.append([dict(message) for message in messages])
        calls = [
            ToolCall(name, dict(arguments), f"call-{len(self.heard)}-{at}")
            for at, (name, arguments) in enumerate(next(self._turns, ()))
        ]
        return LLMResponse(None if calls else "done", calls, None, TokenUsage())

    def structured_complete(self, messages: Any, output_schema: Any, **_: Any) -> Any:
        raise NotImplementedError


class Conversation:
    """A real agent, by default with tools that note their runs.

    Attributes:
        agent: The agent.
        model: Its model.
        ran: The calls that ran.
    """

    def __init__(
        self, plugin: Sequence[Any], io: Any, *turns: Sequence[Call], tools: Sequence[Any] | None = None
    ) -> None:
        self.ran: list[Call] = []

        def bash(command: str) -> str:
            """Run a command."""
            self.ran.append(("bash", {"command": command}))
            return "ran"

        def write(file_path: str, content: str) -> str:
            """Write a file."""
            self.ran.append(("write", {"file_path": file_path, "content": content}))
            return "written"

        self.model = Scripted(*turns)
        given = [bash, write] if tools is None else list(tools)
        self.agent = Agent("assistant", llm=self.model, tools=given, plugins=[plugin], log=False, quiet=True)
        self.agent.io = io

    def input(self, prompt: str = "go") -> str:
        """The answer of the agent."""
        return str(self.agent.input(prompt))

    @property
    def results(self) -> list[str]:
        """What the model was told, or will be told, of its calls; without the hints that follow."""
        told = [
            message["content"] for message in self.agent.current_session["messages"] if message["role"] == "tool"
        ]
        return [text.partition("\n\n")[0] for text in told]
