"""What reviewers are told of an agent of a framework, and how long its requests wait."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_agents import DEPLOY, Deploying, agent_of, go, script, told
from langchain_core.tools import StructuredTool
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.models.test import TestModel

from signoff import ApprovalController, connect_agent, requires_approval
from signoff.adapters.langchain import ApprovalMiddleware, approved
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.queue import AskedBy, ReviewQueue

EXPIRED = "Not run: expired"


def deploy(to: str) -> str:
    """Deploy somewhere."""
    return f"deployed to {to}"


@requires_approval(expires_in=0.001)
def marked(to: str) -> str:
    """Deploy somewhere."""
    return deploy(to)


def run_langchain(**options: Any) -> str:
    """Run an agent named planner; returns what its model was told."""
    agent = agent_of(script(DEPLOY), [Deploying().tool()], ApprovalMiddleware(**options), name="planner")
    ((_, text),) = told(go(agent))
    return text


def run_pydantic_ai(**options: Any) -> str:
    """Run an agent named planner; returns what its model was told."""
    toolset = ApprovalToolset(FunctionToolset([deploy]), **options)
    # A loop that is closed: that of run_sync stays open for calls to come.
    result = asyncio.run(Agent(TestModel(), name="planner", toolsets=[toolset]).run("go"))
    parts = [part for message in result.all_messages() for part in message.parts]
    return next(str(part.content) for part in parts if part.part_kind == "tool-return")


def who_asked(looking: ReviewQueue) -> AskedBy:
    """Who made the newest request."""
    record, *_ = looking.history()
    assert record.request_id is not None
    return looking.get(record.request_id).asked_by


RUNS = [(run_langchain, "langchain"), (run_pydantic_ai, "pydantic-ai")]


@pytest.mark.parametrize(("run", "via"), RUNS)
def test_name_and_adapter_of_an_agent_reach_the_reviewer_and_its_requests_expire(
    place: Path, looking: ReviewQueue, run: Any, via: str
) -> None:
    assert EXPIRED in run(expires_in=0.001)
    asked = who_asked(looking)
    assert (asked.name, asked.caller, asked.via, asked.program) == ("planner", "planner", via, "pytest")


@pytest.mark.parametrize(("run", "via"), RUNS)
def test_on_a_named_connection_the_agent_of_the_framework_is_the_caller(
    place: Path, looking: ReviewQueue, run: Any, via: str
) -> None:
    with connect_agent("nightly") as queue:
        assert EXPIRED in run(controller=ApprovalController(queue=queue, expires_in=0.001))
    asked = who_asked(looking)
    assert (asked.name, asked.caller, asked.via) == ("nightly", "planner", via)


@pytest.mark.parametrize(("run", "via"), RUNS)
def test_the_time_of_toolset_or_middleware_goes_before_that_of_the_controller(
    place: Path, run: Any, via: str
) -> None:
    assert EXPIRED in run(controller=ApprovalController(expires_in=10_000), expires_in=0.001)


def test_the_time_of_a_tool_goes_before_that_of_the_middleware(place: Path) -> None:
    controller = ApprovalController(expires_in=10_000)
    own = approved(StructuredTool.from_function(deploy), controller, expires_in=0.001)
    for tool in (own, StructuredTool.from_function(marked, name="deploy")):
        agent = agent_of(script(DEPLOY), [tool], ApprovalMiddleware(controller, expires_in=5_000))
        ((_, text),) = told(go(agent))
        assert EXPIRED in text
