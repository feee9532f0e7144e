"""What the tests of agents of the OpenAI Agents SDK share: models with a script, and a tool that counts."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner, RunResult, Tool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

CONFIG = RunConfig(tracing_disabled=True)

_ids = itertools.count(1)


def call(tool: str, **args: Any) -> Any:
    """A tool call with an id of its own."""
    return function_call(tool, args, call_id=f"call-{next(_ids)}")


def script(*turns: Sequence[Any]) -> ScriptedModel:
    """A model that makes these calls, a turn at a time, and is then done."""
    return ScriptedModel([*turns, [assistant_message("done")]])


def agent_of(model: ScriptedModel, *tools: Tool, **options: Any) -> Agent[Any]:
    """A real agent."""
    return Agent(name=options.pop("name", "tester"), model=model, tools=list(tools), **options)


def go(agent: Agent[Any]) -> RunResult:
    """Run an agent in an event loop of its own."""
    return asyncio.run(ago(agent))


async def ago(agent: Agent[Any]) -> RunResult:
    """Run an agent."""
    return await Runner.run(agent, "go", run_config=CONFIG)


def told(result: RunResult) -> list[str]:
    """What the model was told of each call."""
    items: list[Any] = result.to_input_list()
    return [str(item["output"]) for item in items if item.get("type") == "function_call_output"]


class Deploying:
    """A tool that notes its runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tool(self, **options: Any) -> FunctionTool:
        """The tool itself."""
        tool: FunctionTool = function_tool(name_override="deploy", **options)(self._deploy)
        return tool

    async def _deploy(self, to: str) -> str:
        """Deploy somewhere."""
        self.ran.append(to)
        return f"deployed to {to}"


def deploy(*places: str) -> list[Any]:
    """A turn in which the model wants to deploy."""
    return [call("deploy", to=place) for place in places or ["staging"]]
