"""`ApprovalToolset` with a policy: which tools a model is offered, and what a policy leaves to others."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from entry_points import Act, policy_of
from pydantic_ai import Agent, FunctionToolset, RunContext, ToolDenied
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from toolset_agents import DEPLOY, Deploying, call, run

from asked import Asked
from signoff import ApprovalController
from signoff.adapters.pydantic_ai import ApprovalToolset

DENYING = policy_of("tools: [{server_name: web, denylist: ['.*deploy']}]")
ALLOWING = policy_of("arguments: {act: {default: allow}, deploy: {default: allow}}")
ASKING = policy_of("unknown: ask")


def offered(toolset: Any) -> list[str]:
    """The tools that a model is told of in a real run."""
    names: list[str] = []

    def note(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        names.extend(tool.name for tool in info.function_tools)
        return ModelResponse(parts=[TextPart("done")])

    asyncio.run(Agent(FunctionModel(note), toolsets=[toolset]).run("go"))
    return sorted(names)


def two_tools() -> FunctionToolset[Any]:
    return FunctionToolset([Deploying().deploy, Act().function])


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({}, ["act", "deploy"]),
        ({"policy": DENYING}, ["act", "deploy"]),
        ({"policy": DENYING, "server": "other"}, ["act", "deploy"]),
        ({"policy": DENYING, "server": "web"}, ["act"]),
        ({"policy": ASKING}, ["act", "deploy"]),
        ({"policy": policy_of("arguments: {act: {default: block, rules: []}}")}, ["act", "deploy"]),
    ],
)
def test_a_model_is_offered_what_the_policy_does_not_block_by_name(said: Any, names: list[str]) -> None:
    assert offered(ApprovalToolset(two_tools(), Asked(), **said)) == names


def test_prefixes_are_added_around_what_the_policy_judges() -> None:
    toolset = ApprovalToolset(two_tools(), Asked(), policy=DENYING, server="web")
    assert offered(toolset.prefixed("web")) == ["web_act"]


def test_a_model_that_calls_a_hidden_tool_is_told_that_there_is_none() -> None:
    deploying, asked = Deploying(), Asked()
    toolset = ApprovalToolset(deploying.toolset(), asked, policy=DENYING, server="web")
    ((ended, text),) = run(toolset, DEPLOY)
    assert (ended, "Unknown tool name" in text) == ("retried", True)
    assert (deploying.ran, asked.requests) == ([], [])


def test_a_call_of_a_hidden_tool_is_blocked() -> None:
    deploying, asked = Deploying(), Asked()
    toolset = ApprovalToolset(deploying.toolset(), asked, policy=DENYING, server="web")
    with pytest.raises(PermissionError, match="deploy is blocked"):
        called_from_outside(toolset)
    assert (deploying.ran, asked.requests) == ([], [])


def test_the_copy_that_is_made_for_a_run_keeps_the_policy_and_the_server() -> None:
    toolset = ApprovalToolset(Deploying().toolset(), Asked(), policy=DENYING, server="web")
    copy = replace(toolset)
    assert (copy.policy, copy.server, offered(copy)) == (DENYING, "web", [])
    with pytest.raises(PermissionError, match="deploy is blocked"):
        called_from_outside(copy)


def called_from_outside(toolset: ApprovalToolset[Any]) -> None:
    """A call with a definition that was had before, or elsewhere."""
    nobody: Any = None
    asyncio.run(toolset.call_tool("deploy", {"to": "staging"}, nobody, nobody))


async def test_a_test_model_that_calls_all_it_is_offered_runs_nothing_that_is_denied() -> None:
    ran: list[str] = []

    def tool(name: str) -> Any:
        def run_it() -> str:
            ran.append(name)
            return name

        run_it.__name__ = name
        return run_it

    names = ("read_page", "write_page", "delete_page")
    rules = "{server_name: web, denylist: ['delete_.*'], requires_approval: {conditional: ['write_.*']}}"
    asked = Asked()
    toolset = ApprovalToolset(
        FunctionToolset([tool(name) for name in names]), asked, policy=policy_of(f"tools: [{rules}]"), server="web"
    )
    await Agent(TestModel(), toolsets=[toolset]).run("go")
    assert (sorted(ran), asked.tools) == (["read_page", "write_page"], ["write_page"])
    assert asked.requests[0].why == 'policy: requires_approval.conditional "write_.*"'


def test_a_policy_that_allows_leaves_the_mark_of_the_framework() -> None:
    toolset, asked, deploying = FunctionToolset[Any](), Asked(), Deploying()
    toolset.add_function(deploying.deploy, requires_approval=True)
    run(ApprovalToolset(toolset, asked, policy=ALLOWING), DEPLOY)
    assert (asked.tools, deploying.ran) == (["deploy"], ["staging"])


def test_a_policy_that_allows_leaves_the_question_of_a_running_tool() -> None:
    def act(ctx: RunContext[Any]) -> str:
        """Act."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return "done"

    asked = Asked()
    assert run(ApprovalToolset(FunctionToolset([act]), asked, policy=ALLOWING), [call("act")]) == [
        ("success", "done")
    ]
    assert [request.why for request in asked.requests] == ["ApprovalRequired"]


def test_what_the_policy_asks_about_is_asked_each_time_unless_it_is_remembered() -> None:
    asked = Asked()
    run(ApprovalToolset(Deploying().toolset(), asked, policy=ASKING), DEPLOY, DEPLOY)
    assert asked.times == 2
    asked = Asked(remember="session")
    run(ApprovalToolset(Deploying().toolset(), asked, policy=ASKING), DEPLOY, DEPLOY)
    assert asked.times == 1


def test_a_toolset_inside_another_is_held_to_the_policies_of_both() -> None:
    deploying, asked = Deploying(), Asked()
    inner = ApprovalToolset(deploying.toolset(), asked, policy=ALLOWING)
    outer = ApprovalToolset(inner, asked, policy=DENYING, server="web")
    with pytest.raises(PermissionError, match="deploy is blocked"):
        called_from_outside(outer)
    assert (offered(outer), deploying.ran) == ([], [])


def test_a_call_that_cannot_be_judged_does_not_run_even_if_its_setting_is_none() -> None:
    act = Act()
    toolset = ApprovalToolset(
        FunctionToolset([act.function]),
        controller=ApprovalController("approve_all"),
        tool_configs={"act": {"approval": "none"}},
        policy=ALLOWING,
    )
    nobody: Any = None
    answer = asyncio.run(toolset.call_tool("act", {"number": object()}, nobody, nobody))
    assert isinstance(answer, ToolDenied)
    assert answer.message.startswith("Not run: the arguments of act cannot be shown")
    assert act.ran == []
