"""The dialect of Gemini CLI, without a person; tests/clients has the real program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.gemini import DIALECT
from signoff.adapters.hooks.gemini_files import arguments_for, file_after
from signoff.adapters.hooks.requests import asked_call
from signoff.effects import Command, SnapshotError
from signoff.queue import Instead
from signoff.types import ApprovalDecision

EVENT: dict[str, Any] = {
    "session_id": "s-1",
    "transcript_path": "",
    "cwd": "/work/shop",
    "hook_event_name": "BeforeTool",
    "timestamp": "2026-11-27T23:23:09.239Z",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls", "description": "look", "dir_path": "src"},
}


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("before", "old"), [("  one\n  two\n", "one\ntwo"), ("one  \ntwo\n", "one\ntwo"), ("f(a,b)\n", "f(a, b)")]
)
def test_a_text_that_the_tool_would_only_find_by_guessing_is_refused(
    before: str, old: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(before)
    with pytest.raises(SnapshotError, match="exactly as it is named"):
        file_after("replace", {"old_string": old, "new_string": "x"}, str(tmp_path / "a"))


def test_a_file_that_the_tool_might_damage_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9 one\n")
    with pytest.raises(SnapshotError, match="might damage it"):
        file_after("replace", {"old_string": "one", "new_string": "x"}, str(tmp_path / "a"))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("write_file", {"content": "1\n2\n"}), ("replace", {"old_string": "two", "new_string": "2"})],
)
def test_other_arguments_write_exactly_the_approved_content(
    tool: str, arguments: dict[str, str], before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    approved = before.replace(b"one", b"ONE")
    effect = file_after(tool, arguments_for(tool, arguments, str(path), approved), str(path))
    assert effect.data == approved


def test_content_that_the_tool_would_write_differently_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\n")
    with pytest.raises(ValueError, match="differently"):
        arguments_for("write_file", {"content": "1\n"}, str(tmp_path / "a"), b"one\r\n2\n")


@pytest.mark.parametrize("path", ["a.txt", "@a.txt", "plan.md"])
def test_a_path_that_is_not_whole_is_refused_for_the_agent_looks_in_several_places(path: str) -> None:
    with pytest.raises(SnapshotError, match="from / on"):
        DIALECT.effects(call(tool_name="write_file", tool_input={"file_path": path, "content": "x"}))


def test_a_command_runs_in_the_directory_that_it_names() -> None:
    assert DIALECT.effects(call()) == (Command("ls", "/work/shop/src"),)
    assert DIALECT.payload(call()) == {"command": "ls", "dir_path": "src", "cwd": "/work/shop/src"}


@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'echo ok' 'x; rm -rf work; #'",
        '  /bin/SH  -c "ls"',
        "zsh -c ls",
        "\ufeffbash -c 'ls'",
        "bash -c'ls'",
        "pwsh -NoProfile -Command ls",
        "cmd.exe /c dir",
    ],
)
def test_a_script_given_to_a_shell_is_refused_for_the_agent_reads_its_quotes_otherwise(command: str) -> None:
    with pytest.raises(SnapshotError, match="script alone"):
        DIALECT.effects(call(tool_input={"command": command}))


@pytest.mark.parametrize(
    "command", ["bash build.sh", "echo sh -c x", "bash -e build.sh -c x", "fish -c ls", "npm test"]
)
def test_any_other_command_is_shown(command: str) -> None:
    assert DIALECT.effects(call(tool_input={"command": command})) == (Command(command, "/work/shop"),)


def test_a_command_that_a_reviewer_edited_is_no_script_given_to_a_shell_either() -> None:
    with pytest.raises(ValueError, match="script alone"):
        asked_call(DIALECT, call()).check_edited({**call().arguments, "command": "sh -c 'ls'"})


@pytest.mark.parametrize("tool", ["write_file", "replace"])
def test_a_path_with_a_character_that_the_agent_decodes_is_refused(tool: str, tmp_path: Path) -> None:
    arguments = {"file_path": str(tmp_path / "%2ebashrc"), "content": "x", "old_string": "", "new_string": "x"}
    with pytest.raises(SnapshotError, match="has a %"):
        DIALECT.effects(call(tool_name=tool, tool_input=arguments))


def test_the_server_of_a_tool_is_told() -> None:
    found = call(tool_name="mcp_files_read_file", mcp_context={"server_name": "files", "tool_name": "read_file"})
    assert (found.server, found.tool) == ("files", "read_file")


@pytest.mark.parametrize("name", ["read_file", "glob", "update_topic"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool_name": name}) is None


@pytest.mark.parametrize(
    "name", ["write_file", "web_fetch", "save_memory", "enter_plan_mode", "Read_file", "mcp_x_read_file"]
)
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool_name=name).tool == name


@pytest.mark.parametrize(
    "changed",
    [
        {"hook_event_name": "AfterTool"},
        {"tool_name": None},
        {"tool_input": []},
        {"cwd": "shop"},
        {"mcp_context": 1},
    ],
    ids=str,
)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})


def test_arguments_that_a_reviewer_leaves_out_cannot_be_left_out() -> None:
    decision = ApprovalDecision(approved=True).with_instead(Instead(arguments={"command": "ls"}))
    with pytest.raises(ValueError, match="cannot leave out description, dir_path"):
        DIALECT.arguments_instead(call(), decision)


def test_a_refusal_is_said_three_times() -> None:
    reply = DIALECT.refused(call(), "use git mv", hard=False)
    assert (reply.exit_code, reply.reason) == (2, "use git mv")
    assert json.loads(reply.line) == {"decision": "deny", "reason": "use git mv"}


def test_a_hard_refusal_ends_the_turn() -> None:
    said = json.loads(DIALECT.refused(call(), "stop", hard=True).line)
    assert (said["continue"], said["stopReason"]) == (False, "stop")


def test_a_yes_hands_over_what_was_changed() -> None:
    assert json.loads(DIALECT.approved(call(), "", None).line) == {"decision": "allow"}
    changed = json.loads(DIALECT.approved(call(), "", {"command": "ls -l"}).line)
    assert changed["hookSpecificOutput"]["tool_input"] == {"command": "ls -l"}
