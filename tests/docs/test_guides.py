"""The examples in the guides work as they are written."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from asked import Asked
from one_call import call
from signoff import (
    ApprovalContext,
    ApprovalController,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalToolset,
    execute_tool,
)

MAIL = {"to": "anna", "subject": "Hi", "body": "x"}
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


async def test_the_toolset_says_which_calls_need_approval(tool_authors: dict[str, Any]) -> None:
    callback = Asked()
    toolset = ApprovalToolset(tool_authors["Notebook"](), callback)
    assert await call(toolset, "look", page="p1") == "words on p1"
    assert callback.requests == []
    assert await call(toolset, "erase", page="p1") == "erased p1"
    assert [(asked.description, asked.payload) for asked in callback.requests] == [("Erase p1", {"page": "p1"})]


def test_the_whole_of_what_is_shortened_is_sent(tool_authors: dict[str, Any]) -> None:
    script = "select 1;\n" * 60
    context = ApprovalContext(tool_name="migrate", args={"script": script})
    shown = tool_authors["Migrations"]().check_approval(context).presentation
    assert shown.content.endswith("... [21 more lines]")
    assert (shown.metadata["full_content"], shown.language) == (script, "sql")


@pytest.mark.parametrize(
    ("name", "args", "answer"),
    [
        ("look_up", {"word": "yes"}, "yes is a word"),
        ("send_mail", MAIL, None),
        ("drop_table", {"name": "x"}, None),
    ],
)
async def test_the_settings_have_the_last_word(
    tool_authors: dict[str, Any], name: str, args: dict[str, Any], answer: str | None
) -> None:
    tools = tool_authors["tools"]
    tools.controller.mode = "strict"  # whatever has to be asked about is refused
    if answer is not None:
        assert await call(tools, name, **args) == answer
        return
    with pytest.raises(PermissionError, match=r"drop_table is blocked|Strict mode"):
        await call(tools, name, **args)


def test_the_old_way_and_the_new_way_mean_the_same(tool_authors: dict[str, Any]) -> None:
    text = (DOCS / "tool-authors.md").read_text(encoding="utf-8")
    (old,) = re.findall(r"^# before: (.*)$", text, re.MULTILINE)
    with pytest.warns(DeprecationWarning, match="use tool_configs instead"):
        before = eval(old, tool_authors)
    assert before.tool_configs == tool_authors["migrated"].tool_configs


@pytest.mark.parametrize(("name", "asks"), [("book", True), ("cancel", True), ("list", False), ("look", False)])
def test_settings_and_toolset_are_asked(framework_authors: dict[str, Any], name: str, asks: bool) -> None:
    assert (framework_authors["request_for"](name, {}) is not None) is asks


def test_the_list_of_the_pre_approved_becomes_settings(framework_authors: dict[str, Any]) -> None:
    given = {"a": {"edit": True}, "b": {"approval": "required"}}
    with pytest.warns(DeprecationWarning, match="pre_approved is deprecated"):
        merged = framework_authors["with_pre_approved"](given, ["a", "b", "c"])
    assert merged == {
        "a": {"approval": "none", "edit": True},
        "b": {"approval": "required"},
        "c": {"approval": "none"},
    }


@pytest.mark.parametrize("marked", [True, False])
async def test_the_adapter_runs_what_was_approved(framework_authors: dict[str, Any], marked: bool) -> None:
    tools = framework_authors["ApprovedTools"]({"add": adding(marked)}, answering(approved=True), "r-1")
    assert await tools.run(1, "c-1", "add", {"a": 1, "b": 2}) == 3


@pytest.mark.parametrize("marked", [True, False])
async def test_the_adapter_tells_the_model_of_a_soft_no(framework_authors: dict[str, Any], marked: bool) -> None:
    controller = answering(approved=False, mode="soft", note="use a list")
    tools = framework_authors["ApprovedTools"]({"add": adding(marked)}, controller, "r-1")
    assert await tools.run(1, "c-1", "add", {"a": 1, "b": 2}) == "Approval denied: use a list"


async def test_the_adapter_ends_the_run_on_a_hard_no(framework_authors: dict[str, Any]) -> None:
    tools = framework_authors["ApprovedTools"]({"add": adding(marked=False)}, answering(approved=False), "r-1")
    with pytest.raises(framework_authors["StopRun"]):
        await tools.run(1, "c-1", "add", {"a": 1, "b": 2})


def test_the_hook_returns_the_arguments_that_were_asked_about(framework_authors: dict[str, Any]) -> None:
    hook = framework_authors["AskFirst"](answering(approved=True))
    given = {"a": [1]}
    assert hook("add", given) == given
    assert hook("add", given)["a"] is not given["a"]


@pytest.mark.parametrize(
    ("configs", "asks"), [(None, True), ({}, False), ({"add": {"approval": "required"}}, True)]
)
def test_the_hook_raises_for_a_no_to_what_is_asked_about(
    framework_authors: dict[str, Any], configs: dict[str, Any] | None, asks: bool
) -> None:
    hook = framework_authors["AskFirst"](answering(approved=False, mode="soft"), tool_configs=configs)
    with pytest.raises(PermissionError) if asks else nullcontext():
        hook("add", {"a": 1})


def test_the_adapter_has_forty_lines() -> None:
    text = (DOCS / "framework-authors.md").read_text(encoding="utf-8")
    block = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
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
        await adapter.run(1, "c-1", "deploy", {"to": "production", "notes": ""})
