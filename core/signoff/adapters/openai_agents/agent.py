"""An agent of the OpenAI Agents SDK whose tools ask, whatever tools it has when it runs."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, TypeVar

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, Tool
from agents.mcp import MCPServer
from agents.tool_context import ToolContext

from signoff.adapters.openai_agents.tool import AskingInvoker, Place, ToolRules, asking_tool
from signoff.approval_rules import Setting, default_setting
from signoff.canonical import digest
from signoff.controller import ApprovalController
from signoff.expiry import ExpiresIn, seconds_of
from signoff.policy.tool_rules import CallPolicy

__all__ = ["approved"]

AgentT = TypeVar("AgentT", bound=Agent[Any])

if {"_agent_instance", "_mcp_tool_binding"} - {each.name for each in dataclasses.fields(FunctionTool)}:
    raise ImportError(  # without them, tools of inner agents would run unasked
        "this version of openai-agents does not say where its tools come from, so they cannot ask:"
        " pip install 'openai-agents<=0.24'"
    )


def approved(
    agent: AgentT,
    controller: ApprovalController | None = None,
    *,
    tool_configs: Mapping[str, Mapping[str, Any]] | None = None,
    default_approval: Setting | None = None,
    policy: CallPolicy | None = None,
    server: str | None = None,
    expires_in: ExpiresIn | None = None,
) -> AgentT:
    """Have an agent ask before each call of its tools.

    The agent itself is changed, and so are the agents that are its tools or that it hands over to, with all their
    tools: one that asks already keeps its own rules. Tools, handoffs and servers that are added later ask too, and
    so does each `clone`. The handoff itself is not asked about.

    A soft refusal reaches the model as the result of the call, with the reviewer's words, and so does a call
    about which nobody decided, or whose arguments are not what the tool takes. A hard refusal ends the run with
    `RunStoppedError`, also from within an agent that is a tool, and a blocked call with `CallBlockedError`; both
    are a `PermissionError` and an `AgentsException`. The other calls of the turn end with it, and their requests
    are withdrawn. Cancelling the run withdraws its requests.

    The SDK's own `needs_approval` and `require_approval` count as marks on the tool, and interrupt no run.
    Tools that the SDK or its provider runs (shell, computer, web search, hosted MCP) cannot ask: an agent with one
    is refused, unless its setting is ``"none"``.

    A controller is one session: a remembered approval holds for every run of the controller. Conversations that
    must not share approvals need a controller, with a queue connection, each.

    Args:
        agent: The agent.
        controller: The controller that decides; by default a new one, which asks in the local queue.
        tool_configs: By tool name ``{"approval": "required"}``, ``"none"`` or ``"deny"`` (blocked in every mode).
            With ``"edit": True`` a reviewer may change the arguments and approve the call so.
        default_approval: ``"required"`` or ``"none"``, for tools that neither `tool_configs`, nor the tool, nor
            `@requires_approval` decides. None means ``"none"`` if `tool_configs` was given, else ``"required"``.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            its tool is not offered to the model if the name alone is reason enough. A call that it asks about is
            asked about, whatever else is said; a call that it allows is not asked about for the default alone. If
            it knows neither a tool nor its server, the default decides.
        server: The server that the function tools belong to, as the policy calls it; None for tools of the agent
            itself. Tools of a local MCP server are known by their names there, and by the name that the server was
            given by the agent's author.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself, as with
            `@requires_approval`; None leaves it to the controller.

    Returns:
        The agent.

    Raises:
        ValueError: A setting is unknown, or the agent asks already.
        TypeError: It is no agent, or has a tool that cannot ask.
    """
    if not isinstance(agent, Agent):
        raise TypeError(f"approved is for an Agent of the OpenAI Agents SDK, not for a {type(agent).__name__}")
    if isinstance(agent, _AskingAgent):
        raise ValueError(  # noqa: TRY004 - of the right type, and given twice
            f"the agent {agent.name!r} asks already: give all settings to one approved(...)"
        )
    default = default_setting(default_approval, tools_were_named=tool_configs is not None)
    rules = ToolRules(
        controller if controller is not None else ApprovalController(),
        tool_configs or {},
        default,
        policy,
        server,
        seconds_of(expires_in),
    )
    rules.needs(server)  # a setting that is unknown is told now
    _hold(agent, rules)
    return agent


class _AskingAgent(Agent[Any]):
    """A base of agents that ask; each gets a class of its own, so that copies ask as well."""

    _rules: ClassVar[ToolRules]

    @property
    def tools(self) -> list[Tool]:
        """The tools, all of which ask."""
        found: list[Tool] = self.__dict__["tools"]
        found[:] = [_asking(tool, self._rules) for tool in found]
        return found

    @tools.setter
    def tools(self, tools: list[Tool]) -> None:
        self.__dict__["tools"] = list(tools)  # other agents may have the same list

    @property
    def handoffs(self) -> list[Agent[Any] | Handoff[Any, Any]]:
        """The agents to hand over to, all of which ask."""
        found: list[Agent[Any] | Handoff[Any, Any]] = self.__dict__["handoffs"]
        found[:] = [_handing_over(each, self._rules) for each in found]
        return found

    @handoffs.setter
    def handoffs(self, handoffs: list[Agent[Any] | Handoff[Any, Any]]) -> None:
        self.__dict__["handoffs"] = list(handoffs)

    async def get_mcp_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """Return the tools of the MCP servers, all of which ask."""
        found = await super().get_mcp_tools(run_context)
        return [_asking(tool, self._rules, self._place_of(tool)) for tool in found]

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """Return all tools that the policy does not block by name."""
        return [tool for tool in await super().get_all_tools(run_context) if not _is_hidden(tool)]

    def _place_of(self, tool: Tool) -> Place:
        """The place of a tool of an MCP server.

        Raises:
            TypeError: It is not known which server has it.
        """
        binding = getattr(tool, "_mcp_tool_binding", None)
        if binding is None or binding[2] is None:
            raise TypeError(f"nobody knows which MCP server has {getattr(tool, 'name', tool)!r}, so it cannot ask")
        _, name, position = binding

        async def look(ctx: ToolContext[Any]) -> FunctionTool | None:
            for each in await super(_AskingAgent, self).get_mcp_tools(ctx):
                if isinstance(each, FunctionTool) and each._mcp_tool_binding == binding:  # noqa: SLF001 - as above
                    return each
            return None

        return Place(_server_name(self.mcp_servers[position]), name, look)


def _hold(agent: Agent[Any], rules: ToolRules) -> None:
    """Make an agent ask, and all agents that it reaches."""
    if isinstance(agent, _AskingAgent):
        return
    kind = type(agent)
    made = type(kind.__name__, (_AskingAgent, kind), {"_rules": rules, "__module__": kind.__module__})
    before = agent.tools, agent.handoffs
    agent.__class__ = made
    agent.tools, agent.handoffs = before
    assert isinstance(agent, _AskingAgent)
    for reached in (agent.tools, agent.handoffs):  # looked at, so that what cannot ask is told now
        len(reached)


def _asking(tool: Tool, rules: ToolRules, place: Place | None = None) -> Tool:
    if isinstance(tool, FunctionTool):
        inner = getattr(tool, "_agent_instance", None)
        if isinstance(inner, Agent):
            _hold(inner, rules)
        return asking_tool(tool, rules, place)
    name = str(getattr(tool, "name", type(tool).__name__))
    if rules.needs(rules.server).never_asks(name):
        return tool
    raise TypeError(
        f"{name} is a {type(tool).__name__}, which cannot ask before it runs: make it a function tool, or let it"
        f' run unasked by tool_configs={{{name!r}: {{"approval": "none"}}}}'
    )


def _is_hidden(tool: Tool) -> bool:
    invoker = getattr(tool, "on_invoke_tool", None)
    return isinstance(invoker, AskingInvoker) and invoker.hidden


def _handing_over(to: Agent[Any] | Handoff[Any, Any], rules: ToolRules) -> Agent[Any] | Handoff[Any, Any]:
    if isinstance(to, Agent):
        _hold(to, rules)
        return to
    if isinstance(to.on_invoke_handoff, _HandingOver):
        return to
    asking = copy.copy(to)
    asking.on_invoke_handoff = _HandingOver(to.on_invoke_handoff, rules)
    return asking


class _HandingOver:
    """A handoff to an agent that asks, whichever it is."""

    def __init__(
        self, hand_over: Callable[[RunContextWrapper[Any], str], Awaitable[Any]], rules: ToolRules
    ) -> None:
        self._hand_over = hand_over
        self._rules = rules

    async def __call__(self, ctx: RunContextWrapper[Any], input_json: str) -> Any:
        agent = await self._hand_over(ctx, input_json)
        _hold(agent, self._rules)
        return agent


_UNNAMED = "stdio: "
"""The beginning of the name of a server that its author has not named: the program, without its arguments."""

_DIGITS = 8


def _server_name(server: MCPServer) -> str:
    """The name of a server; two that run one program with other arguments have two."""
    params: Any = getattr(server, "params", None)
    if params is None or not server.name.startswith(_UNNAMED):
        return server.name
    facts = {"args": list(params.args), "cwd": str(params.cwd), "env": dict(params.env or {})}
    return f"{server.name.removeprefix(_UNNAMED)} {digest(facts)[:_DIGITS]}"
