"""Running a plain tool function behind an approval."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.binding import bound_to, require_approved
from signoff.controller import ApprovalController
from signoff.effects import Command
from signoff.executing import execute_tool
from signoff.marking import requires_approval
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

YES = ApprovalController("approve_all")


@requires_approval
def plain(number: int) -> int:
    return number + 1


@requires_approval
async def asynchronous(number: int) -> int:
    return number + 1


class WithCall:
    async def __call__(self, number: int) -> int:
        return number + 1


@pytest.mark.parametrize("tool", [plain, asynchronous, WithCall()])
async def test_any_kind_of_function_is_run(tool: Any) -> None:
    assert await execute_tool(tool, "tool", {"number": 1}, YES) == 2


async def test_a_function_without_a_mark_is_not_asked_about() -> None:
    assert await execute_tool(dict, "dict", {"a": 1}, ApprovalController("strict")) == {"a": 1}


async def test_the_tool_is_told_where_the_call_came_from() -> None:
    seen: list[ApprovalContext] = []

    def tool() -> None: ...

    tool.check_approval = seen.append  # type: ignore[attr-defined]
    await execute_tool(tool, "tool", {}, YES, {"run_id": "r-1"})
    assert seen == [ApprovalContext(tool_name="tool", args={}, metadata={"run_id": "r-1"})]


async def test_what_runs_is_not_changed_by_who_was_asked() -> None:
    ran: list[list[str]] = []

    @requires_approval
    def remove(files: list[str]) -> None:
        ran.append(files)

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        request.payload["files"].append("everything")
        return ApprovalDecision(approved=True)

    await execute_tool(remove, "remove", {"files": ["a"]}, ApprovalController(approval_callback=callback))
    assert ran == [["a"]]


async def test_what_runs_is_not_changed_by_who_asks() -> None:
    ran: list[list[str]] = []
    args = {"files": ["a"]}

    @requires_approval
    def remove(files: list[str]) -> None:
        ran.append(files)

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        args["files"].append("everything")
        return ApprovalDecision(approved=True)

    await execute_tool(remove, "remove", args, ApprovalController(approval_callback=callback))
    assert ran == [["a"]]


# -- the tie between approval and execution ----------------------------------------------------------------

LS = Command("ls", "/w")
APPROVED = ApprovalRequest(tool_name="run", description="Run", payload={"command": "ls"}, effects=(LS,))
READ = ApprovalRequest(tool_name="read", description="Read", payload={"path": "a"})


def test_outside_an_approved_call_nothing_is_checked() -> None:
    require_approved("run", {}, [Command("rm", "/w")])


def test_an_approved_effect_passes() -> None:
    with bound_to(APPROVED):
        require_approved("run", {"command": "ls"}, [LS])


@pytest.mark.parametrize("effect", [Command("rm", "/w"), Command("ls", "/"), Command("ls", "/w", {"A": "1"})])
def test_another_effect_is_refused(effect: Command) -> None:
    with bound_to(APPROVED), pytest.raises(PermissionError, match="not what was approved"):
        require_approved("run", {"command": "ls"}, [effect])


def test_a_call_without_effects_is_held_to_its_payload() -> None:
    with bound_to(READ):
        require_approved("read", {"path": "a"})
        with pytest.raises(PermissionError, match="not what was approved"):
            require_approved("read", {"path": "b"})


async def test_an_approved_call_is_bound_to_its_request() -> None:
    def tool() -> None:
        require_approved("run", {}, [Command("rm", "/w")])

    tool.check_approval = lambda ctx: APPROVED  # type: ignore[attr-defined]
    with pytest.raises(PermissionError, match="not what was approved"):
        await execute_tool(tool, "run", {}, YES)
    tool.check_approval = lambda ctx: None  # type: ignore[attr-defined]
    await execute_tool(tool, "run", {}, YES)
