"""The examples in the guides work as they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from signoff import ApprovalContext, ApprovalController, ApprovalDecision, ApprovalDeniedError, execute_tool

DOCS = Path(__file__).resolve().parents[2] / "docs"


def names_of(guide: str) -> dict[str, Any]:
    """What a reader has who types all Python examples of a guide into one module."""
    text = (DOCS / guide).read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": guide}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(compile(block, guide, "exec"), names)
    return names


def answering(**answer: Any) -> ApprovalController:
    return ApprovalController(approval_callback=lambda _: ApprovalDecision(**answer))


@pytest.fixture(scope="module")
def tool_authors() -> dict[str, Any]:
    return names_of("tool-authors.md")


@pytest.fixture(scope="module")
def framework_authors() -> dict[str, Any]:
    return names_of("framework-authors.md")


async def test_the_marked_function_asks_and_runs(tool_authors: dict[str, Any]) -> None:
    args = {"to": "anna", "subject": "Hi", "body": "x"}
    send_mail = tool_authors["send_mail"]
    assert await execute_tool(send_mail, "send_mail", args, answering(approved=True)) == "sent to anna"
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(send_mail, "send_mail", args, answering(approved=False))


async def test_the_object_asks_or_blocks(tool_authors: dict[str, Any]) -> None:
    deploy = tool_authors["Deployments"]().deploy
    args = {"to": "staging", "notes": ""}
    assert await execute_tool(deploy, "deploy", args, answering(approved=True)) == "deployed to staging"
    with pytest.raises(PermissionError, match="pipeline"):
        await execute_tool(deploy, "deploy", {**args, "to": "production"}, ApprovalController("approve_all"))


def test_the_declared_effects_are_those_of_the_call(tool_authors: dict[str, Any]) -> None:
    context = ApprovalContext(tool_name="write_note", args={"name": "a", "text": "x"})
    (effect,) = tool_authors["Notes"]().check_approval(context).effects
    assert (effect.path, effect.content) == ("/work/notes/a.md", "x")


@pytest.mark.parametrize("marked", [True, False])
async def test_the_adapter_runs_what_was_approved(framework_authors: dict[str, Any], marked: bool) -> None:
    tools = framework_authors["ApprovedTools"]({"add": adding(marked)}, answering(approved=True), "r-1")
    assert await tools.run("c-1", "add", {"a": 1, "b": 2}) == 3


@pytest.mark.parametrize("marked", [True, False])
async def test_the_adapter_tells_the_model_of_a_soft_no(framework_authors: dict[str, Any], marked: bool) -> None:
    controller = answering(approved=False, mode="soft", note="use a list")
    tools = framework_authors["ApprovedTools"]({"add": adding(marked)}, controller, "r-1")
    assert await tools.run("c-1", "add", {"a": 1, "b": 2}) == "Not run. Approval denied: use a list"


async def test_the_adapter_ends_the_run_on_a_hard_no(framework_authors: dict[str, Any]) -> None:
    tools = framework_authors["ApprovedTools"]({"add": adding(marked=False)}, answering(approved=False), "r-1")
    with pytest.raises(framework_authors["StopRun"]):
        await tools.run("c-1", "add", {"a": 1, "b": 2})


def test_the_adapter_has_forty_lines() -> None:
    text = (DOCS / "framework-authors.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    statements = [line for line in block[block.index("class ApprovedTools") :].splitlines() if line.strip()]
    assert len(statements) <= 40


def adding(marked: bool) -> Any:
    def add(a: int, b: int) -> int:
        return a + b

    if marked:
        from signoff import requires_approval

        return requires_approval(add)
    return add


async def test_the_adapter_keeps_the_block_of_an_object(
    framework_authors: dict[str, Any], tool_authors: dict[str, Any]
) -> None:
    tools = {"deploy": tool_authors["Deployments"]().deploy}
    adapter = framework_authors["ApprovedTools"](tools, ApprovalController("approve_all"), "r-1")
    with pytest.raises(PermissionError, match="pipeline"):
        await adapter.run("c-1", "deploy", {"to": "production", "notes": ""})
