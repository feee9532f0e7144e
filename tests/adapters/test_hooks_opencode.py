"""The dialect of OpenCode, without a person; tests/clients has the real program and its plugin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.opencode import DIALECT
from signoff.adapters.hooks.opencode_files import arguments_for, file_after
from signoff.adapters.hooks.requests import agent_name
from signoff.effects import Command, FileWrite, SnapshotError
from signoff.queue import Instead
from signoff.types import ApprovalDecision

EVENT: dict[str, Any] = {
    "hook_event_name": "tool.execute.before",
    "session_id": "ses_1",
    "call_id": "call_1",
    "agent": "",
    "subject": "fix the price",
    "cwd": "/work/shop",
    "tool": "bash",
    "args": {"command": "ls", "workdir": "src", "description": "look"},
    "servers": [],
    "tools": ["bash", "edit", "write", "apply_patch", "read", "task"],
}


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


def test_a_command_runs_in_the_directory_that_it_names() -> None:
    assert DIALECT.effects(call()) == (Command("ls", "/work/shop/src"),)
    assert DIALECT.payload(call()) == {"command": "ls", "workdir": "src", "cwd": "/work/shop/src"}


def test_a_path_that_is_not_whole_starts_from_the_project(tmp_path: Path) -> None:
    arguments = {"filePath": "src/../a.txt", "content": "x"}
    [effect] = DIALECT.effects(call(tool="write", args=arguments, cwd=str(tmp_path)))
    assert effect == FileWrite(str(tmp_path / "a.txt"), b"x", replaces="")


def test_an_approval_for_a_path_that_is_not_whole_counts_for_one_project() -> None:
    arguments = {"filePath": "a.txt", "content": "x"}
    payloads = [DIALECT.payload(call(tool="write", args=arguments, cwd=cwd)) for cwd in ("/one", "/two")]
    assert payloads[0] != payloads[1]


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("  one\n  two\n", "one\ntwo"),
        ("one  \ntwo\n", "one\ntwo"),
        ("say 'a'\n", "say \\'a\\'"),
        ("one\na\nb\nthree\n", "one\na\nc\nthree"),
    ],
)
def test_a_text_that_the_tool_would_only_find_by_guessing_is_refused(
    before: str, old: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(before)
    with pytest.raises(SnapshotError, match="exactly as it is named"):
        file_after("edit", {"filePath": "a", "oldString": old, "newString": "x"}, str(tmp_path))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("write", {"content": "1\n2\n"}), ("edit", {"oldString": "two", "newString": "2", "replaceAll": True})],
)
def test_other_arguments_write_exactly_the_approved_content(
    tool: str, arguments: dict[str, Any], before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    approved = before.replace(b"one", b"$& ONE")
    asked = {"filePath": str(path), **arguments}
    other = arguments_for(tool, asked, str(tmp_path), str(path), approved)
    assert file_after(tool, other, str(tmp_path)).data == approved


def test_another_patch_writes_exactly_the_approved_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n-two\n+1\n+2\n*** End Patch"
    path, approved = str(tmp_path / "a"), b"one\n2\n"
    other = arguments_for("apply_patch", {"patchText": patch}, str(tmp_path), path, approved)
    [effect] = DIALECT.effects(call(tool="apply_patch", args=other, cwd=str(tmp_path)))
    assert effect == FileWrite(path, approved, replaces=effect.replaces if isinstance(effect, FileWrite) else "")


def test_of_a_patch_its_files_are_shown_and_not_its_text() -> None:
    asked = call(tool="apply_patch", args={"patchText": "*** Begin Patch", "more": 1})
    assert DIALECT.arguments(asked) == {"more": 1}


def test_content_that_the_tool_would_write_differently_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch"
    with pytest.raises(ValueError, match="differently"):
        arguments_for("apply_patch", {"patchText": patch}, str(tmp_path), str(tmp_path / "a"), b"one\n\n")


def test_what_was_approved_for_another_file_is_refused() -> None:
    decision = ApprovalDecision(approved=True).with_instead(Instead.of_contents({"/b": b"x"}))
    with pytest.raises(ValueError, match="another file"):
        DIALECT.arguments_instead(call(tool="write", args={"filePath": "/a", "content": "y"}), decision)


def test_the_server_of_a_tool_is_told_apart_from_its_name() -> None:
    found = call(tool="my_files_read", servers=["my files", "web"])
    assert (found.server, found.tool) == ("my files", "read")


def test_a_tool_of_a_server_is_no_tool_of_the_agent() -> None:
    assert not DIALECT.effects(call(tool="a_bash", servers=["a"], args={"command": "ls"}))


@pytest.mark.parametrize(
    "changed",
    [
        {"tool": "apply_patch", "servers": ["apply"]},
        {"tool": "a_b_c", "servers": ["a", "a_b"]},
        {"tools": ["bash", "edit", "bash"]},
        {"tool": "read", "tools": ["read", "read"]},
    ],
    ids=str,
)
def test_a_call_that_could_be_of_two_tools_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError, match="rename"):
        DIALECT.read({**EVENT, **changed})


@pytest.mark.parametrize("name", ["read", "grep", "todowrite", "list_mcp_resources"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool": name}) is None
    assert json.loads(DIALECT.unasked.line) == {"decision": "allow"}


@pytest.mark.parametrize("name", ["write", "webfetch", "execute", "Read", "files_read"])
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool=name, servers=["files"]).event == "tool.execute.before"


def test_a_sub_agent_starts_without_a_question_for_its_calls_ask() -> None:
    assert DIALECT.read({**EVENT, "tool": "task", "args": {"prompt": "x", "subagent_type": "general"}}) is None
    assert call(tool="task", args={"prompt": "x", "unknown": 1}).tool == "task"


@pytest.mark.parametrize(
    "changed",
    [
        {"hook_event_name": "tool.execute.after"},
        {"tool": ""},
        {"args": None},
        {"cwd": "shop"},
        {"session_id": None},
        {"servers": None},
        {"tools": [1]},
    ],
    ids=str,
)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})


def test_a_conversation_is_named_after_its_folder_and_its_first_words() -> None:
    assert agent_name(DIALECT, call()) == "shop fix the price, OpenCode"


def test_a_refusal_is_said_with_its_reason() -> None:
    reply = DIALECT.refused(call(), "use git mv", hard=False)
    assert (reply.exit_code, reply.reason) == (2, "use git mv")
    assert json.loads(reply.line) == {"decision": "deny", "reason": "use git mv", "stop": False}


def test_a_hard_refusal_ends_the_turn() -> None:
    assert json.loads(DIALECT.refused(call(), "stop", hard=True).line)["stop"] is True


def test_a_yes_hands_over_what_was_changed_and_the_words_for_the_model() -> None:
    assert json.loads(DIALECT.approved(call(), "", None).line) == {"decision": "allow"}
    changed = json.loads(DIALECT.approved(call(), "in short", {"command": "ls -l"}).line)
    assert changed == {"decision": "allow", "args": {"command": "ls -l"}, "note": "in short"}
