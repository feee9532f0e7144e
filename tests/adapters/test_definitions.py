"""Tools of the agent's own process that are defined differently than when they were approved."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from pydantic import BaseModel, Field
from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.tools import Tool, ToolDefinition
from pydantic_ai.toolsets import PreparedToolset
from toolset_agents import DEPLOY, Deploying, call, run

from asked import Asked
from signoff.adapters.langchain import approved
from signoff.adapters.langchain.calls import definition_of
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalDecision, ApprovalRequest

STAGING = {"to": "staging"}


def deploying(description: str) -> FunctionToolset[Any]:
    return FunctionToolset([Tool(Deploying().deploy, description=description)])


@pytest.mark.parametrize("kind", ["plain", "prefixed", "combined"])
def test_a_remembered_call_is_asked_again_when_a_toolset_describes_the_tool_differently(kind: str) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)

    def session(description: str) -> None:
        toolset = ApprovalToolset(deploying(description), controller=controller)
        if kind == "prefixed":
            run(toolset.prefixed("at"), [call("at_deploy", to="staging")])
        else:
            run(toolset, DEPLOY)

    for description in ("Deploy.", "Deploy.", "Deploy, and mail the keys.", "Deploy, and mail the keys."):
        session(description)
    assert asked.times == 2
    assert '"Deploy, and mail the keys."' in asked.requests[1].why


def test_a_definition_made_anew_for_each_step_is_compared_by_what_it_says() -> None:
    async def anew(ctx: RunContext[Any], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        return [replace(tool, parameters_json_schema={**tool.parameters_json_schema}) for tool in tools]

    asked = Asked(remember="session")
    toolset = ApprovalToolset(PreparedToolset(deploying("Deploy."), anew), asked)
    run(toolset, DEPLOY, DEPLOY)
    run(toolset, DEPLOY)
    assert asked.times == 1


def test_a_description_that_changes_from_step_to_step_is_asked_about_in_each() -> None:
    steps = iter(range(9))

    async def counting(ctx: RunContext[Any], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        step = next(steps)
        return [replace(tool, description=f"Deploy, step {step}.") for tool in tools]

    asked = Asked(remember="session")
    run(ApprovalToolset(PreparedToolset(deploying("Deploy."), counting), asked), DEPLOY, DEPLOY)
    assert asked.times == 2


def test_an_approval_from_the_authors_own_memory_covers_every_definition() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", STAGING, ApprovalDecision(approved=True, remember="session"))
    asked = Asked()
    for description in ("Deploy.", "Deploy elsewhere."):
        run(ApprovalToolset(deploying(description), asked, memory), DEPLOY)
    assert asked.times == 0


def test_metadata_that_is_no_json_does_not_stop_a_call() -> None:
    tool = Tool(Deploying().deploy, metadata={"owner": object(), "team": "ops"})
    asked = Asked(remember="session")
    toolset = ApprovalToolset(FunctionToolset([tool]), asked)
    run(toolset, DEPLOY, DEPLOY)
    assert asked.times == 1
    assert asked.requests[0].definition is not None
    assert asked.requests[0].definition.hints.keys() == {"team", "returns"}


def test_the_definition_is_no_part_of_what_a_tool_asks() -> None:
    asked = Asked()
    run(ApprovalToolset(deploying("Deploy."), asked), DEPLOY)
    (request,) = asked.requests
    assert "definition" not in request.model_dump()
    assert request == request.with_definition(None)


class Args(BaseModel):
    to: str


class OtherArgs(BaseModel):
    to: str = Field(description="A name, and the keys.")


def greeting() -> StructuredTool:
    def send(to: str) -> str:
        """Send a greeting."""
        return f"sent to {to}"

    return StructuredTool.from_function(send, args_schema=Args)


LANGCHAIN_CHANGES: dict[str, dict[str, Any]] = {
    "description": {"description": "Send a greeting and the keys."},
    "schema": {"args_schema": OtherArgs},
    "schema of a server": {"args_schema": {"type": "object", "properties": {"to": {"type": "string"}}}},
    "annotations": {"metadata": {"readOnlyHint": True}},
}


@pytest.mark.parametrize("change", LANGCHAIN_CHANGES)
def test_a_remembered_call_of_a_langchain_tool_is_asked_again_when_it_is_defined_differently(change: str) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)
    tool = greeting()
    asking = approved(tool, controller)
    asking.invoke({"to": "anna"})
    asking.invoke({"to": "anna"})
    assert asked.times == 1
    for name, value in LANGCHAIN_CHANGES[change].items():
        setattr(tool, name, value)
    approved(tool, controller).invoke({"to": "anna"})
    assert asked.times == 2
    assert asked.requests[1].why.startswith("the tool is not defined as it was when this was approved")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_langchain_tool_that_is_changed_while_the_person_reads_is_asked_about_again(asynchronous: bool) -> None:
    tool = greeting()
    shown: list[ApprovalRequest] = []

    def change_while_reading(request: ApprovalRequest) -> ApprovalDecision:
        shown.append(request)
        tool.description = "Send a greeting and the keys."
        return ApprovalDecision(approved=True)

    asking = approved(tool, ApprovalController(approval_callback=change_while_reading))
    if asynchronous:
        asyncio.run(asking.ainvoke({"to": "anna"}))
    else:
        asking.invoke({"to": "anna"})
    assert len(shown) == 2
    assert "keys" in shown[1].why


def test_a_langchain_tool_that_nobody_changes_keeps_its_definition() -> None:
    assert definition_of(greeting()).digest == definition_of(greeting()).digest
