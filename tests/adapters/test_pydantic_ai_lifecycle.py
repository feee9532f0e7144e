"""`ApprovalToolset` as a wrapper: lifecycle, copies, attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset
from toolset_agents import (
    DEPLOY,
    Deciding,
    Deploying,
    messages_of,
    script,
    told,
)

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset


def test_attributes_are_those_of_the_wrapped_toolset() -> None:
    inner = Deciding("opinion")
    toolset = ApprovalToolset(inner, Asked())
    assert toolset.opinion == "opinion"
    with pytest.raises(AttributeError, match="missing"):
        _ = toolset.missing


class PerRun(WrapperToolset[Any]):
    """A toolset that is made anew for each run and has to be entered."""

    def __init__(self, wrapped: AbstractToolset[Any], log: list[str]) -> None:
        super().__init__(wrapped)
        self.log = log

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        self.log.append("for_run")
        return PerRun(self.wrapped, self.log)

    async def __aenter__(self) -> PerRun:
        self.log.append("enter")
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.log.append("exit")

    async def get_instructions(self, ctx: RunContext[Any]) -> str:
        return "Deploy carefully."


def test_a_toolset_with_a_life_of_its_own_is_prepared_entered_and_left() -> None:
    log: list[str] = []
    asked = Asked(remember="session")
    toolset = ApprovalToolset(PerRun(Deploying().toolset(), log), asked, default_approval="required")
    agent = Agent(script(DEPLOY, DEPLOY), toolsets=[toolset])
    assert told(messages_of(agent))[0] == ("success", "deployed to staging")
    assert log == ["for_run", "enter", "exit"]
    assert len(asked.requests) == 1


def test_instructions_of_the_wrapped_toolset_reach_the_model() -> None:
    agent = Agent(script(), toolsets=[ApprovalToolset(PerRun(Deploying().toolset(), []), Asked())])
    (request, _) = messages_of(agent)
    assert "Deploy carefully." in str(request)


def test_a_copy_decides_as_the_original_does() -> None:
    toolset = ApprovalToolset(
        Deploying().toolset(), Asked(), tool_configs={"deploy": {"approval": "none"}}, default_approval="none"
    )
    other = replace(toolset, wrapped=FunctionToolset())
    assert (other.controller, other.tool_configs) == (toolset.controller, toolset.tool_configs)
    assert other.default_approval == "none"
