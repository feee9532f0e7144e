"""`ApprovalToolset`: a remembered call runs without being described, and what is remembered covers no more."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai import FunctionToolset, RunContext
from toolset_agents import DEPLOY, Deploying, call, run

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.approved_call import require_approved
from signoff.controller import ApprovalController
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

STAGING = {"to": "staging"}
FOR_SESSION = ApprovalDecision(approved=True, remember="session")


def remembering(tool_name: str, payload: dict[str, Any]) -> ApprovalMemory:
    memory = ApprovalMemory()
    memory.store(tool_name, payload, FOR_SESSION)
    return memory


class NoRequests(ApprovalController):
    """A controller that fails when a call is described to it."""

    async def request_approval(
        self, request: ApprovalRequest, context: ApprovalContext | None = None
    ) -> ApprovalDecision:
        raise AssertionError("a request was made")


def test_a_remembered_call_runs_without_a_request() -> None:
    tool = Deploying()
    controller = NoRequests("interactive", Asked(), memory=remembering("deploy", STAGING))
    run(ApprovalToolset(tool.toolset(), controller=controller), DEPLOY)
    assert tool.ran == ["staging"]


def test_each_remembered_call_is_one_use() -> None:
    memory = remembering("deploy", STAGING)
    run(ApprovalToolset(Deploying().toolset(), Asked(), memory), DEPLOY, DEPLOY)
    assert memory.list()[0].uses == 2


def test_what_is_revoked_while_the_agent_runs_is_asked_again() -> None:
    memory = ApprovalMemory()
    asked = Asked(remember="session")

    def forget() -> str:
        """Forget."""
        memory.clear()
        return "forgotten"

    tool = Deploying()
    toolset = ApprovalToolset(
        FunctionToolset([tool.deploy, forget]), asked, memory, tool_configs={"deploy": {"approval": "required"}}
    )
    run(toolset, DEPLOY, DEPLOY, [call("forget")], DEPLOY)
    assert asked.tools == ["deploy", "deploy"]


@pytest.mark.parametrize("other", [1.0, "1", True, None, [1]])
def test_a_remembered_argument_covers_no_other_type(other: Any) -> None:
    ran: list[Any] = []

    def act(it: Any) -> str:
        """Act."""
        ran.append(it)
        return "done"

    asked = Asked(approved=False, mode="soft")
    toolset = ApprovalToolset(FunctionToolset([act]), asked, remembering("act", {"it": 1}))
    run(toolset, [call("act", it=1)])
    run(toolset, [call("act", it=other)])
    assert (ran, asked.times) == ([1], 1)


def test_a_call_of_high_risk_is_asked_about_although_it_was_stored() -> None:
    def request(method: str) -> str:
        """Request."""
        return method

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([request]), asked, remembering("request", {"method": "DELETE"}))
    run(toolset, [call("request", method="DELETE")], [call("request", method="DELETE")])
    assert asked.times == 2


def test_a_hook_that_a_tool_is_given_later_is_asked_although_the_call_is_remembered() -> None:
    def act() -> str:
        """Act."""
        return "acted"

    def blocked(ctx: ApprovalContext) -> None:
        raise PermissionError("not any more")

    toolset = ApprovalToolset(FunctionToolset([act]), Asked(), remembering("act", {}))
    assert run(toolset, [call("act")]) == [("success", "acted")]
    act.check_approval = blocked  # type: ignore[attr-defined]
    with pytest.raises(PermissionError, match="not any more"):
        run(toolset, [call("act")])


def test_a_hook_that_amends_the_request_is_asked_under_its_own_key() -> None:
    def act(path: str) -> str:
        """Act."""
        return "acted"

    def under_the_folder(ctx: ApprovalContext) -> ApprovalRequest:
        return ApprovalRequest(tool_name="act", description="Act in a folder", payload={"folder": "/"})

    act.check_approval = under_the_folder  # type: ignore[attr-defined]
    asked = Asked()
    run(
        ApprovalToolset(FunctionToolset([act]), asked, remembering("act", {"path": "/x"})),
        [call("act", path="/x")],
    )
    assert [request.payload for request in asked.requests] == [{"folder": "/"}]


def test_a_blocked_tool_stays_blocked_although_the_call_is_remembered() -> None:
    tool = Deploying()
    toolset = ApprovalToolset(
        tool.toolset(), Asked(), remembering("deploy", STAGING), tool_configs={"deploy": {"approval": "deny"}}
    )
    with pytest.raises(PermissionError, match="deny"):
        run(toolset, DEPLOY)
    assert tool.ran == []


def test_a_remembered_call_may_do_only_what_was_approved() -> None:
    def write(path: str) -> str:
        """Write."""
        require_approved("write", {"path": "/etc/passwd"})
        return "written"

    toolset = ApprovalToolset(FunctionToolset([write]), Asked(), remembering("write", {"path": "notes"}))
    with pytest.raises(PermissionError, match="not what was approved"):
        run(toolset, [call("write", path="notes")])


def test_a_remembered_call_runs_as_approved_for_the_framework_too() -> None:
    seen: list[bool] = []

    def act(ctx: RunContext[Any]) -> str:
        """Act."""
        seen.append(ctx.tool_call_approved)
        return "acted"

    run(ApprovalToolset(FunctionToolset([act]), Asked(), remembering("act", {})), [call("act")])
    assert seen == [True]
