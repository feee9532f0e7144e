"""A PydanticAI agent in a run: its tools, and those of the settings, ask through the controller of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, RunContext, ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.server.hosted_run import HostedRun
from signoff.types import ApprovalDeniedError

if TYPE_CHECKING:
    from signoff.config.build import Setup

__all__ = ["HostedPydanticAgent"]


class HostedPydanticAgent:
    """A PydanticAI agent.

    Rules of the settings for a server hold for the toolset with that `id`. A toolset that is an `ApprovalToolset`
    already keeps its own settings beside them.

    Args:
        agent: The agent.
        setup: The tools and rules of the settings.
        entry: Its name in the settings, for messages.

    Raises:
        TypeError: It is no agent of PydanticAI.
    """

    def __init__(self, agent: object, setup: Setup, entry: str) -> None:
        if not isinstance(agent, Agent):
            raise TypeError(f"{entry} is no pydantic_ai.Agent")
        self._agent: Agent[Any, Any] = agent
        self._setup = setup

    async def perform(self, run: HostedRun) -> str:
        """Do one run and return its output as text."""
        setup = self._setup
        own = [tools for tools in (setup.sandbox, setup.shell, setup.custom_tools) if tools is not None]
        found = (*self._agent.toolsets, *own)
        approved = [self._approved_toolset(each, run) for each in found]
        toolsets = [_BlockReporter(tools, run, tools.server) for tools in approved]
        with self._agent.override(toolsets=toolsets, tools=[]):
            result = await self._agent.run(run.input, metadata=run.facts)
        return str(result.output)

    def _approved_toolset(self, tools: object, run: HostedRun) -> ApprovalToolset[Any]:
        policy = self._setup.call_policy
        known = () if policy is None else policy.servers
        if isinstance(tools, ApprovalToolset):
            if policy is not None and tools.policy is not None:
                raise TypeError("a toolset of the agent has a policy of its own; put its rules into the settings")
            ident = tools.wrapped.id
            return ApprovalToolset(
                tools.wrapped,
                controller=run.controller,
                tool_configs=tools.tool_configs,
                default_approval=tools.default_approval,
                policy=policy or tools.policy,
                server=tools.server or (ident if ident in known else None),
                expires_in=tools.expires_in,
            )
        ident = tools.id if isinstance(tools, AbstractToolset) else None
        return ApprovalToolset(
            tools,
            controller=run.controller,
            tool_configs=self._setup.tool_configs,
            default_approval="required",
            policy=policy,
            server=ident if ident in known else None,
        )


@dataclass
class _BlockReporter(WrapperToolset[Any]):
    """Tells the run of blocked calls, and the model, which goes on."""

    run: HostedRun
    server: str | None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        try:
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        except ApprovalDeniedError:
            raise
        except PermissionError as error:
            if error.errno is not None:  # of the operating system: the tool ran
                return f"{type(error).__name__}: {error}"
            self.run.blocked(name, tool_args, error, self.server)
            return ToolDenied(f"Not run: {error}")
