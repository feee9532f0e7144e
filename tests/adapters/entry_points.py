"""Every way to have one call of a tool approved, behind one signature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import langchain_agents
import openai_scripts
import toolset_agents
from agents import function_tool
from connectonion_agents import Conversation
from langchain_core.tools import StructuredTool
from pydantic_ai import FunctionToolset

from signoff import ApprovalController, execute_tool
from signoff.adapters import openai_agents
from signoff.adapters.connectonion import QueueIO, approval_plugin
from signoff.adapters.langchain import ApprovalMiddleware, ApprovalToolWrapper, approved
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.config import build, parse_config
from signoff.policy.tool_rules import CallPolicy

__all__ = ["ALL", "ASYNCHRONOUS", "WITH_SETTINGS", "Act", "EntryPoint", "policy_of", "with_execute_tool"]

ARGUMENTS = {"number": 7}


class Act:
    """A tool, synchronous or not, that notes its runs; its function may be given hooks and marks."""

    def __init__(self, *, asynchronous: bool = False) -> None:
        self.ran: list[int] = []

        def act(number: int) -> str:
            """Act."""
            self.ran.append(number)
            return "done"

        async def act_later(number: int) -> str:
            """Act."""
            return act(number)

        act_later.__name__ = "act"
        self.asynchronous = asynchronous
        self.function: Any = act_later if asynchronous else act

    def langchain_tool(self) -> StructuredTool:
        """The tool for LangChain."""
        if self.asynchronous:
            return StructuredTool.from_function(coroutine=self.function)
        return StructuredTool.from_function(self.function)


EntryPoint = Callable[..., object]
"""Calls a tool with the number 7: the tool, who decides, and what an author may say (policy, server, default).

Returns what the model, or whoever called, was told.
"""


def with_execute_tool(act: Act, controller: ApprovalController, **said: Any) -> object:
    return asyncio.run(execute_tool(act.function, "act", ARGUMENTS, controller, **said))


def in_a_pydantic_ai_agent(act: Act, controller: ApprovalController, **said: Any) -> object:
    toolset = ApprovalToolset(FunctionToolset([act.function]), controller=controller, **said)
    return toolset_agents.run(toolset, [toolset_agents.call("act", **ARGUMENTS)])


def in_an_openai_agent(act: Act, controller: ApprovalController, **said: Any) -> object:
    model = openai_scripts.script([openai_scripts.call("act", **ARGUMENTS)])
    agent = openai_scripts.agent_of(model, function_tool(act.function))
    return openai_scripts.told(openai_scripts.go(openai_agents.approved(agent, controller, **said)))


def in_a_langchain_agent(act: Act, controller: ApprovalController, **said: Any) -> object:
    return langchain_agents.go(_agent(act, controller, **said))


def in_an_asynchronous_langchain_agent(act: Act, controller: ApprovalController, **said: Any) -> object:
    return langchain_agents.ago(_agent(act, controller, **said))


def _agent(act: Act, controller: ApprovalController, **said: Any) -> Any:
    model = langchain_agents.script([langchain_agents.call("act", **ARGUMENTS)])
    return langchain_agents.agent_of(model, [act.langchain_tool()], ApprovalMiddleware(controller, **said))


def as_an_approved_tool(act: Act, controller: ApprovalController, **said: Any) -> object:
    return approved(act.langchain_tool(), controller, **said).invoke(ARGUMENTS)


def as_an_approved_tool_awaited(act: Act, controller: ApprovalController, **said: Any) -> object:
    return asyncio.run(approved(act.langchain_tool(), controller, **said).ainvoke(ARGUMENTS))


def in_a_wrapper(act: Act, controller: ApprovalController, **said: Any) -> object:
    return asyncio.run(ApprovalToolWrapper(act.langchain_tool(), controller, **said).invoke(ARGUMENTS))


def in_a_connectonion_agent(
    act: Act, controller: ApprovalController, *, default_approval: str | None = None, **said: Any
) -> object:
    unknown: Any = {"required": "ask", "none": "safe", None: None}[default_approval]
    talk = Conversation(
        approval_plugin(unknown=unknown, **said), QueueIO(controller), [("act", ARGUMENTS)], tools=[act.function]
    )
    talk.input()
    (told,) = talk.results
    if told.startswith("Error: act is blocked"):  # the agent goes on
        raise PermissionError(told.removeprefix("Error: "))
    return told


WITH_SETTINGS: list[EntryPoint] = [
    in_a_pydantic_ai_agent,
    in_an_openai_agent,
    in_a_langchain_agent,
    in_an_asynchronous_langchain_agent,
]
"""Those that take `tool_configs`."""

ALL: list[EntryPoint] = [
    *WITH_SETTINGS,
    with_execute_tool,
    as_an_approved_tool,
    as_an_approved_tool_awaited,
    in_a_wrapper,
    in_a_connectonion_agent,
]

ASYNCHRONOUS: list[EntryPoint] = [
    in_a_pydantic_ai_agent,
    in_an_openai_agent,
    in_an_asynchronous_langchain_agent,
    with_execute_tool,
    as_an_approved_tool_awaited,
    in_a_wrapper,
]
"""Those that run asynchronous tools."""


def policy_of(settings: str) -> CallPolicy:
    """The policy that a settings file describes."""
    policy = build(parse_config(settings), ".").call_policy
    assert policy is not None
    return policy
