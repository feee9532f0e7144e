"""Workers: every call is asked about, and exactly the approved call is passed on."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.canonical import NotJsonError
from signoff.controller import ApprovalController
from signoff.execution import execute_tool
from signoff.tools.workers import WorkerTools
from signoff.types import ApprovalContext, ApprovalDeniedError, ApprovalRequest


def call(worker: str, given: Any) -> str:
    return f"{worker}({given})"


async def create(name: str, definition: Any) -> str:
    return f"{name}: {definition}"


@pytest.fixture
def workers() -> WorkerTools:
    return WorkerTools(call, create)


def asked(workers: WorkerTools, tool: str, **args: Any) -> ApprovalRequest:
    request = workers.check_approval(ApprovalContext(tool_name=tool, args=args))
    assert request is not None
    return request


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("worker_call", {"worker": "summarizer", "input": {"text": "a"}}),
        ("worker_create", {"name": "summarizer", "definition": {"instructions": "Be brief"}}),
    ],
)
def test_every_call_is_asked_about_with_all_that_decides_what_runs(
    workers: WorkerTools, tool: str, args: dict[str, Any]
) -> None:
    assert asked(workers, tool, **args).payload == args


def test_a_reviewer_reads_what_would_be_done_with_which_worker(workers: WorkerTools) -> None:
    assert asked(workers, "worker_call", worker="w").description == "Call worker w"
    assert asked(workers, "worker_create", name="w", definition={}).description == "Create worker w"


def test_no_input_is_the_same_as_nothing(workers: WorkerTools) -> None:
    assert asked(workers, "worker_call", worker="x").payload == {"worker": "x", "input": None}


@pytest.mark.parametrize("args", [{}, {"worker": ""}, {"worker": 1}])
def test_a_call_of_no_worker_is_blocked(workers: WorkerTools, args: dict[str, Any]) -> None:
    with pytest.raises(PermissionError, match="name of a worker"):
        asked(workers, "worker_call", **args)


def test_what_is_not_json_is_refused(workers: WorkerTools) -> None:
    with pytest.raises(NotJsonError, match="not JSON"):
        asked(workers, "worker_call", worker="x", input={1})


def test_about_the_tools_of_others_it_has_no_opinion(workers: WorkerTools) -> None:
    assert workers.check_approval(ApprovalContext(tool_name="shell", args={})) is NotImplemented


async def test_an_approved_call_is_passed_on(workers: WorkerTools) -> None:
    everybody = ApprovalController(mode="approve_all")
    tools = workers.tools
    assert (
        await execute_tool(tools["worker_call"], "worker_call", {"worker": "w", "input": 1}, everybody) == "w(1)"
    )
    args = {"name": "w", "definition": 1}
    assert await execute_tool(tools["worker_create"], "worker_create", args, everybody) == "w: 1"


async def test_a_call_that_is_not_approved_is_not_passed_on(workers: WorkerTools) -> None:
    nobody = ApprovalController(mode="strict")
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(workers.worker_call, "worker_call", {"worker": "w"}, nobody)


async def test_a_call_that_is_not_the_approved_one_is_not_passed_on(workers: WorkerTools) -> None:
    request = asked(workers, "worker_call", worker="w", input="a")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        await workers.worker_call("w", "b")
