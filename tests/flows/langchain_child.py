"""A LangChain agent as a process of its own: `main` carries out a plan.

The plan says which calls its model makes, a turn at a time, in which way it is run, which mode its
controller has, and what asks: the middleware of the agent, each tool by itself, or wrappers without any agent. It
asks in the queue that ``SIGNOFF_QUEUE`` names. Its tools work in its working directory: a file sandbox, a shell,
and one that notes its calls in ``deployed.txt``. In the end it says how the run ended, what was answered
to each call, and how often the model was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_agents import Scripted, agent_of, ago, call, go, script, told
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool

from signoff.adapters.langchain import ApprovalMiddleware, ApprovalToolWrapper, approved
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool

Turns = Sequence[Sequence[tuple[str, dict[str, Any]]]]
START = {"messages": [HumanMessage("go")]}


def deploy(to: str) -> str:
    """Deploy somewhere."""
    with Path("deployed.txt").open("a", encoding="utf-8") as log:
        log.write(f"{to}\n")
    return f"deployed to {to}"


def tools() -> list[BaseTool]:
    """Plain tools, which do not ask when they are called."""
    files = FileSandbox({"work": {"root": ".", "mode": "rw"}})
    functions: list[Callable[..., Any]] = [deploy, files.write_file, ShellTool(".").run_command]
    return [StructuredTool.from_function(function) for function in functions]


def streamed(agent: Any) -> list[BaseMessage]:
    """Run an agent step by step and return the conversation."""
    *_, last = agent.stream(START, stream_mode="values")
    messages: list[BaseMessage] = last["messages"]
    return messages


def astreamed(agent: Any) -> list[BaseMessage]:
    """Asynchronous `streamed`, in an event loop of its own."""

    async def run() -> list[BaseMessage]:
        *_, last = [state async for state in agent.astream(START, stream_mode="values")]
        messages: list[BaseMessage] = last["messages"]
        return messages

    return asyncio.run(run())


WAYS = {"sync": go, "async": ago, "stream": streamed, "astream": astreamed}


def run_agent(plan: dict[str, Any], controller: ApprovalController) -> dict[str, Any]:
    """Let an agent make the calls."""
    model = script(*[[call(tool, **arguments) for tool, arguments in turn] for turn in plan["turns"]])
    try:
        messages = WAYS[plan["way"]](agent_that_asks(plan["asks"], model, controller))
    except PermissionError as error:
        return {"ended": ended_by(error), "told": told(model.heard[-1]), "asked_model": len(model.heard)}
    return {"ended": messages[-1].text, "told": told(messages), "asked_model": len(model.heard)}


def agent_that_asks(what_asks: str, model: Scripted, controller: ApprovalController) -> Any:
    """An agent with a middleware, or with tools that ask by themselves."""
    if what_asks == "middleware":
        return agent_of(model, tools(), ApprovalMiddleware(controller), name="planner")
    return agent_of(model, [approved(tool, controller) for tool in tools()], name="planner")


def call_wrappers(turns: Turns, controller: ApprovalController) -> dict[str, Any]:
    """Make the calls without an agent, those of a turn side by side."""
    wrappers = {tool.name: ApprovalToolWrapper(tool, controller) for tool in tools()}

    async def answer(tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
        try:
            return "success", await wrappers[tool].invoke(arguments)
        except PermissionError as error:
            return "error", ended_by(error)

    async def make_calls() -> list[tuple[str, str]]:
        return [each for turn in turns for each in await asyncio.gather(*(answer(*made) for made in turn))]

    return {"ended": "done", "told": asyncio.run(make_calls()), "asked_model": 0}


def ended_by(error: PermissionError) -> str:
    """What a run ended with that was not allowed to go on."""
    return f"{type(error).__name__}: {error}"


def main(plan: dict[str, Any]) -> dict[str, Any]:
    """Carry out a plan and say how it ended."""
    with connect_agent("planner", session="s-plan") as queue:
        controller = ApprovalController(plan["mode"], queue=queue)
        if plan["asks"] == "wrappers":
            return call_wrappers(plan["turns"], controller)
        return run_agent(plan, controller)
