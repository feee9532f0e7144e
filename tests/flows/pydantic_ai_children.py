"""An agent as a process of its own: `main` carries out a plan.

The plan says which calls its model makes, a turn at a time, and in which mode its controller is. It asks
in the queue that ``SIGNOFF_QUEUE`` names. Its tools work in its working directory: a file sandbox, a shell, and
one that notes its calls in ``deployed.txt``. In the end it says how the run ended and what its model was told
of each call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, FunctionToolset, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool


def deploy(to: str) -> str:
    """Deploy somewhere."""
    with Path("deployed.txt").open("a", encoding="utf-8") as log:
        log.write(f"{to}\n")
    return f"deployed to {to}"


def scripted(turns: Sequence[Sequence[Sequence[Any]]]) -> FunctionModel:
    """A model that makes these calls, each a name and arguments, and then says that it is done."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == len(turns):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in turns[turn]])

    return FunctionModel(answer)


def told(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """How each call ended and what the model was told of it."""
    parts = [part for message in messages for part in message.parts]
    return [(part.outcome, part.model_response_str()) for part in parts if isinstance(part, ToolReturnPart)]


def main(plan: dict[str, Any]) -> dict[str, Any]:
    """Carry out a plan and say how it ended."""
    with connect_agent("planner", session="s-plan") as queue:
        controller = ApprovalController(plan["mode"], queue=queue)
        tools = (
            FileSandbox({"work": {"root": ".", "mode": "rw"}}),
            ShellTool("."),
            FunctionToolset([deploy]),
        )
        toolsets = [ApprovalToolset(tool, controller=controller) for tool in tools]
        agent = Agent(scripted(plan["turns"]), name="planner", toolsets=toolsets)
        with capture_run_messages() as messages:
            try:
                ended = asyncio.run(agent.run("go")).output
            except PermissionError as error:
                ended = f"{type(error).__name__}: {error}"
    return {"ended": ended, "told": told(messages)}
