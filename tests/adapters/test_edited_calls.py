"""A call that a reviewer changed runs so through every framework, and its model is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import langchain_agents
import openai_scripts
import pytest
import toolset_agents
from toolset_agents import StartReviewer

from signoff.adapters import openai_agents
from signoff.adapters.langchain import ApprovalMiddleware
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, Instead

EDITABLE = {"deploy": {"approval": "required", "edit": True}}
CHANGED = 'The reviewer changed the arguments: it ran with {"to":"test"}'

Deploy = Callable[[ApprovalController], tuple[list[str], list[tuple[str, str]]]]
"""Have an agent deploy to staging: where it went, and what the model was told."""


def by_pydantic_ai(controller: ApprovalController) -> tuple[list[str], list[tuple[str, str]]]:
    tool = toolset_agents.Deploying()
    toolset: ApprovalToolset[Any] = ApprovalToolset(tool.toolset(), controller=controller, tool_configs=EDITABLE)
    return tool.ran, toolset_agents.run(toolset, toolset_agents.DEPLOY)


def by_openai_agents(controller: ApprovalController) -> tuple[list[str], list[tuple[str, str]]]:
    tool = openai_scripts.Deploying()
    agent = openai_scripts.agent_of(openai_scripts.script(openai_scripts.deploy()), tool.tool())
    openai_agents.approved(agent, controller, tool_configs=EDITABLE)
    texts = openai_scripts.told(openai_scripts.go(agent))
    return tool.ran, [("success" if tool.ran else "refused", text) for text in texts]


def by_langchain(way: Any) -> Deploy:
    def deploy(controller: ApprovalController) -> tuple[list[str], list[tuple[str, str]]]:
        tool = langchain_agents.Deploying()
        approving = ApprovalMiddleware(controller, tool_configs=EDITABLE)
        model = langchain_agents.script(langchain_agents.DEPLOY)
        agent = langchain_agents.agent_of(model, [tool.tool()], approving)
        return tool.ran, langchain_agents.told(way(agent))

    return deploy


each_framework = pytest.mark.parametrize(
    "deploy",
    [by_pydantic_ai, by_openai_agents, by_langchain(langchain_agents.go), by_langchain(langchain_agents.ago)],
    ids=["pydantic_ai", "openai_agents", "langchain", "langchain_async"],
)


def editing(**arguments: Any) -> Callable[[Any], Decision]:
    return lambda _: Decision(approved=True, instead=Instead(arguments=arguments, summary="changed arguments"))


@each_framework
def test_it_runs_with_the_arguments_that_were_approved(
    deploy: Deploy, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(editing(to="test"))
    ran, [(_, text)] = deploy(ApprovalController(queue=asking))
    assert (ran, text) == (["test"], f"deployed to test\n\n{CHANGED}")


@each_framework
def test_arguments_that_the_tool_would_not_take_run_nothing(
    deploy: Deploy, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(editing(to=["test"]))
    ran, [(outcome, text)] = deploy(ApprovalController(queue=asking))
    assert (ran, outcome != "success") == ([], True)
    assert "the reviewer changed the arguments, and so it cannot run" in text
