"""The dialect of Crush, by its recorded contract; tests/cli has its exact answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.crush import DIALECT
from signoff.effects import Command, FileWrite, SnapshotError
from signoff.queue import Instead
from signoff.types import ApprovalDecision

EVENT: dict[str, Any] = {
    "event": "PreToolUse",
    "session_id": "313909e",
    "cwd": "/work/shop",
    "tool_name": "bash",
    "tool_input": {"command": "ls", "description": "look", "working_dir": "src"},
}


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


def test_a_command_runs_in_the_directory_that_it_names() -> None:
    assert DIALECT.effects(call()) == (Command("ls", "/work/shop/src"),)
    assert DIALECT.payload(call()) == {"command": "ls", "working_dir": "src", "cwd": "/work/shop/src"}


@pytest.mark.parametrize("name", ["view", "grep", "todos", "job_output"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool_name": name}) is None


@pytest.mark.parametrize("name", ["agent", "agentic_fetch", "download", "lsp_rename", "View", "mcp_github_create"])
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool_name=name).tool == name


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("bash", {"command": "ls", "Command": "rm -rf x"}),
        ("bash", {"command": "ls", "COMMAND": "rm -rf x"}),
        ("write", {"file_path": "/a", "content": "x", "file_\u212aath": "/b"}),
        ("multiedit", {"file_path": "/a", "edits": [{"old_string": "a", "new_string": "b", "New_String": "c"}]}),
    ],
)
def test_a_name_that_crush_may_take_for_another_is_refused(tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(EventError, match="exactly as the tool does"):
        call(tool_name=tool, tool_input=arguments)


def test_a_tool_of_a_server_may_have_other_names() -> None:
    assert call(tool_name="mcp_x_y", tool_input={"userId": 1}).arguments == {"userId": 1}


def test_a_name_with_a_sign_cannot_be_edited() -> None:
    asked = call(tool_name="mcp_x_y", tool_input={"a.b": 1})
    decision = ApprovalDecision(approved=True).with_instead(Instead(arguments={"a.b": 2}))
    with pytest.raises(ValueError, match="for another"):
        DIALECT.arguments_instead(asked, decision)


def test_arguments_that_a_reviewer_leaves_out_cannot_be_left_out() -> None:
    decision = ApprovalDecision(approved=True).with_instead(Instead(arguments={"command": "ls"}))
    with pytest.raises(ValueError, match="cannot leave out description, working_dir"):
        DIALECT.arguments_instead(call(), decision)


def test_a_relative_path_is_one_in_the_working_directory(tmp_path: Path) -> None:
    asked = call(tool_name="write", cwd=str(tmp_path), tool_input={"file_path": "a", "content": "x"})
    [effect] = DIALECT.effects(asked)
    assert isinstance(effect, FileWrite)
    assert effect.path == f"{tmp_path}/a"


@pytest.mark.parametrize("path", ["../a", "b/../../a", "~/a", ""])
def test_a_path_that_may_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(SnapshotError, match="from / on"):
        DIALECT.effects(call(tool_name="write", tool_input={"file_path": path, "content": "x"}))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write", {"content": "1\n"}),
        ("edit", {"old_string": "two", "new_string": "2"}),
        ("multiedit", {"edits": [{"old_string": "two", "new_string": "2"}]}),
    ],
)
def test_other_arguments_write_exactly_the_approved_content(
    tool: str, arguments: dict[str, Any], before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    approved = before.replace(b"one", b"ONE")
    asked = call(tool_name=tool, tool_input={"file_path": str(path), **arguments})
    changed = asked._replace(arguments=DIALECT.arguments_for(asked, str(path), approved))
    assert DIALECT.file_after(changed, str(path)).data == approved


@pytest.mark.parametrize("changed", [{"event": "PreCompact"}, {"cwd": "shop"}, {"tool_input": None}], ids=str)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})
