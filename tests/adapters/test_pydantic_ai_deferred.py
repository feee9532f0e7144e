"""`ApprovalToolset` and PydanticAI's own ways to ask: `requires_approval=True` and `ApprovalRequired`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, FunctionToolset, RunContext
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import DeferredToolResults, ToolApproved, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ApprovalRequiredToolset, CombinedToolset, ExternalToolset
from pydantic_ai.usage import RunUsage
from toolset_agents import DEPLOY, Deploying, call, run, script

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.marks import approved_context
from signoff.controller import ApprovalController
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext

MAY_DEFER: list[Any] = [str, DeferredToolRequests]


class Demanding(Deploying):
    """A tool that asks for approval itself, in the middle of its run."""

    def toolset(self) -> FunctionToolset[Any]:
        toolset = FunctionToolset[Any]()
        toolset.add_function(self.demand, takes_ctx=True, name="deploy")
        return toolset

    def demand(self, ctx: RunContext[Any], to: str) -> str:
        if to != "staging" and not ctx.tool_call_approved:
            raise ApprovalRequired
        return self.deploy(to)


def marked(tool: Deploying) -> AbstractToolset[Any]:
    return FunctionToolset([tool.deploy], requires_approval=True)


def wrapped(tool: Deploying) -> AbstractToolset[Any]:
    return ApprovalRequiredToolset(tool.toolset())


def demanding(tool: Deploying) -> AbstractToolset[Any]:
    return Demanding.toolset(tool)  # type: ignore[arg-type]


TO_PRODUCTION = [call("deploy", to="production")]
WAYS = [
    marked,
    wrapped,
    demanding,
    lambda tool: CombinedToolset([marked(tool)]),
    lambda tool: ApprovalRequiredToolset(marked(tool)),
]
Way = Callable[[Deploying], AbstractToolset[Any]]


@pytest.fixture
def tool() -> Demanding:
    return Demanding()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("default", ["required", "none"])
def test_a_call_that_the_framework_would_defer_is_asked_about_once_and_runs(
    way: Way, default: Any, tool: Demanding
) -> None:
    asked = Asked()
    toolset = ApprovalToolset(way(tool), asked, default_approval=default)
    assert run(toolset, TO_PRODUCTION) == [("success", "deployed to production")]
    assert (asked.tools, tool.ran) == (["deploy"], ["production"])


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_the_framework_would_defer_does_not_run_when_refused(way: Way, tool: Demanding) -> None:
    asked = Asked(approved=False, mode="soft", note="no")
    toolset = ApprovalToolset(way(tool), asked, default_approval="none")
    assert run(toolset, TO_PRODUCTION) == [("denied", "Approval denied: no")]
    assert tool.ran == []


def test_a_tool_that_sees_no_need_to_ask_is_not_asked_about(tool: Demanding) -> None:
    asked = Asked()
    run(ApprovalToolset(demanding(tool), asked, default_approval="none"), DEPLOY)
    assert (asked.tools, tool.ran) == ([], ["staging"])


@pytest.mark.parametrize("way", WAYS)
def test_the_setting_none_stands_above_the_marks_of_the_framework(way: Way, tool: Demanding) -> None:
    asked = Asked()
    toolset = ApprovalToolset(way(tool), asked, tool_configs={"deploy": {"approval": "none"}})
    assert run(toolset, TO_PRODUCTION) == [("success", "deployed to production")]
    assert asked.requests == []


class Content(FunctionToolset[Any]):
    """A toolset that sees no need to ask, with a tool that demands approval itself."""

    def check_approval(self, ctx: ApprovalContext) -> None:
        return None


def demanding_always() -> None:
    """Demand again and again."""
    raise ApprovalRequired


def test_the_setting_none_reaches_the_tools_of_a_toolset_with_hooks(tool: Demanding) -> None:
    inner = Content()
    inner.add_function(tool.demand, takes_ctx=True, name="deploy")
    toolset = ApprovalToolset(inner, tool_configs={"deploy": {"approval": "none"}})
    assert run(toolset, TO_PRODUCTION) == [("success", "deployed to production")]


def test_with_the_setting_none_a_tool_that_demands_approval_anyway_is_left_to_the_framework() -> None:
    toolset = ApprovalToolset(
        Content([demanding_always]), Asked(), tool_configs={"demanding_always": {"approval": "none"}}
    )
    agent = Agent(script([call("demanding_always")]), toolsets=[toolset], output_type=MAY_DEFER)
    assert isinstance(asyncio.run(agent.run("go")).output, DeferredToolRequests)


@pytest.mark.parametrize("way", WAYS)
def test_strict_mode_refuses_what_the_framework_would_defer(way: Way, tool: Demanding) -> None:
    toolset = ApprovalToolset(way(tool), controller=ApprovalController("strict"), default_approval="none")
    with pytest.raises(PermissionError, match="Strict mode"):
        run(toolset, TO_PRODUCTION)
    assert tool.ran == []


def test_the_request_says_who_asked(tool: Demanding) -> None:
    asked = Asked()
    for way in (marked, demanding):
        run(ApprovalToolset(way(tool), asked, default_approval="none"), TO_PRODUCTION)
    assert [request.why for request in asked.requests] == ["requires_approval=True", "ApprovalRequired"]


def test_an_approval_is_marked_on_the_call_and_not_on_the_run() -> None:
    ctx: RunContext[Any] = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    assert (approved_context(ctx).tool_call_approved, ctx.tool_call_approved) == (True, False)


def test_a_marked_tool_is_shown_as_its_object_describes_it(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw", "write_approval": False}}, cwd=str(workdir))
    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([sandbox.write_file], requires_approval=True), asked)
    run(toolset, [call("write_file", path="a.txt", content="hi")])
    assert [len(request.effects) for request in asked.requests] == [1]


def test_a_tool_that_still_demands_approval_when_it_has_it_is_left_to_the_framework() -> None:
    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([demanding_always]), asked, default_approval="none")
    agent = Agent(script([call("demanding_always")]), toolsets=[toolset], output_type=MAY_DEFER)
    output = asyncio.run(agent.run("go")).output
    assert isinstance(output, DeferredToolRequests)
    assert (len(output.approvals), len(asked.requests)) == (1, 1)


def test_what_a_toolset_around_this_one_defers_is_asked_about_here_as_well(tool: Demanding) -> None:
    """An approval given to the framework is not one of a reviewer."""
    asked = Asked()
    toolset = ApprovalRequiredToolset(ApprovalToolset(tool.toolset(), asked))
    agent = Agent(script(DEPLOY), toolsets=[toolset], output_type=MAY_DEFER)
    first = asyncio.run(agent.run("go"))
    assert isinstance(first.output, DeferredToolRequests)
    assert asked.requests == []
    (deferred,) = first.output.approvals
    answers = DeferredToolResults(approvals={deferred.tool_call_id: ToolApproved()})
    asyncio.run(agent.run(message_history=first.all_messages(), deferred_tool_results=answers))
    assert (asked.tools, tool.ran) == (["deploy"], ["staging"])


def test_a_tool_that_something_else_executes_is_not_asked_about() -> None:
    asked = Asked()
    external = ExternalToolset[Any]([ToolDefinition(name="deploy", parameters_json_schema={"type": "object"})])
    agent = Agent(script([call("deploy")]), toolsets=[ApprovalToolset(external, asked)], output_type=MAY_DEFER)
    output = asyncio.run(agent.run("go")).output
    assert isinstance(output, DeferredToolRequests)
    assert (len(output.calls), asked.requests) == (1, [])
