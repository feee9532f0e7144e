"""The dialects of Copilot CLI, Cursor, goose and Mistral Vibe; tests/cli has their exact answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks import dialect
from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.requests import asked_call
from signoff.effects import Command, SnapshotError
from signoff.queue import Instead
from signoff.types import ApprovalDecision

EVENTS: dict[str, dict[str, Any]] = {
    "copilot": {"sessionId": "s-1", "cwd": "/work/shop", "toolName": "bash", "toolArgs": {"command": "ls"}},
    "cursor": {
        "hook_event_name": "preToolUse",
        "conversation_id": "s-1",
        "workspace_roots": ["/work/shop"],
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
    },
    "goose": {
        "event": "PreToolUse",
        "session_id": "s-1",
        "working_dir": "/work/shop",
        "tool_name": "shell",
        "tool_input": {"command": "ls"},
    },
    "vibe": {
        "hook_event_name": "pre_tool",
        "session_id": "s-1",
        "cwd": "/work/shop",
        "tool_name": "file_system.bash",
        "tool_input": {"command": "ls"},
    },
}

WRITING = (("goose", "write", "path"), ("vibe", "write_file", "file_path"))
"""Tools that write files, with the name of their argument for the path."""


def event(agent: str, tool: str | None = None, arguments: object = None, **more: Any) -> dict[str, Any]:
    name, given = ("toolName", "toolArgs") if agent == "copilot" else ("tool_name", "tool_input")
    changed = {name: tool} if tool is not None else {}
    return {**EVENTS[agent], **changed, **({given: arguments} if arguments is not None else {}), **more}


def call(agent: str, tool: str | None = None, arguments: object = None, **more: Any) -> HookCall:
    found = dialect(agent).read(event(agent, tool, arguments, **more))
    assert found is not None
    return found


@pytest.mark.parametrize("agent", EVENTS)
def test_a_command_runs_in_the_working_directory(agent: str) -> None:
    found = call(agent)
    assert dialect(agent).effects(found) == (Command("ls", "/work/shop"),)
    assert (found.session, found.server, found.project) == ("s-1", None, "/work/shop")


@pytest.mark.parametrize(
    ("agent", "tool", "arguments"),
    [
        ("cursor", "Shell", {"command": "ls", "working_directory": "/elsewhere"}),
        ("cursor", "Shell", {"command": "ls", "cwd": "/elsewhere", "timeout": 30000}),
        ("vibe", "process.start", {"command": "ls", "cwd": "/elsewhere"}),
    ],
)
def test_a_command_runs_in_the_directory_that_it_names(agent: str, tool: str, arguments: object) -> None:
    assert dialect(agent).effects(call(agent, tool, arguments)) == (Command("ls", "/elsewhere"),)


def test_without_a_directory_the_shell_of_cursor_may_be_anywhere_and_nothing_is_remembered() -> None:
    found = call("cursor", arguments={"command": "ls", "cwd": "", "timeout": 30000}, cwd="")
    asked = asked_call(dialect("cursor"), found)
    assert asked.effects == (Command("ls", "/work/shop"),)
    assert "session" in asked.lacks
    assert "session" not in asked_call(dialect("cursor"), call("cursor", cwd="/work/shop")).lacks


def test_two_directories_of_one_command_are_refused() -> None:
    with pytest.raises(EventError, match="two working directories"):
        call("cursor", arguments={"command": "ls", "cwd": "/a", "working_directory": "/b"})


def test_a_patch_of_copilot_is_a_text_and_is_shown_as_that() -> None:
    found = call("copilot", "apply_patch", "*** Begin Patch\n*** End Patch")
    assert found.arguments == {"patch": "*** Begin Patch\n*** End Patch"}
    assert dialect("copilot").payload(found) == {**found.arguments, "cwd": "/work/shop"}


def test_a_patch_of_copilot_runs_as_it_is() -> None:
    found = call("copilot", "apply_patch", "*** Begin Patch")
    decision = ApprovalDecision(approved=True).with_instead(Instead(arguments={"patch": "x"}))
    with pytest.raises(ValueError, match="as it is"):
        dialect("copilot").arguments_instead(found, decision)


@pytest.mark.parametrize("agent", ["copilot", "goose"])
def test_no_argument_names_the_directory_of_an_agent_that_has_none_for_it(agent: str) -> None:
    found = call(agent, arguments={"command": "ls", "": "/elsewhere"})
    assert dialect(agent).effects(found) == (Command("ls", "/work/shop"),)


@pytest.mark.parametrize("agent", ["copilot", "goose"])
def test_an_argument_with_the_name_under_which_the_directory_is_shown_is_refused(agent: str) -> None:
    with pytest.raises(SnapshotError, match="cwd is no argument"):
        dialect(agent).payload(call(agent, arguments={"command": "ls", "cwd": "/elsewhere"}))


@pytest.mark.parametrize("directory", ["~/scratch", " /elsewhere", "/elsewhere\n", "/elsewhere\ufeff"])
def test_a_directory_that_the_agent_may_read_as_another_is_refused(directory: str) -> None:
    with pytest.raises(SnapshotError, match="cwd begins"):
        dialect("vibe").effects(call("vibe", "process.start", {"command": "ls", "cwd": directory}))


@pytest.mark.parametrize(("agent", "tool", "name"), WRITING)
@pytest.mark.parametrize("path", ["/work/shop/.bashrc ", "\t/work/shop/a", "/work/shop/a\ufeff", "a "])
def test_a_path_with_blanks_around_it_is_refused_for_agents_leave_them_out(
    agent: str, tool: str, name: str, path: str
) -> None:
    with pytest.raises(SnapshotError, match="begins or ends with a blank"):
        dialect(agent).effects(call(agent, tool, {name: path, "content": "x"}))


@pytest.mark.parametrize(("agent", "tool", "name"), WRITING)
def test_what_is_allowed_for_a_relative_path_holds_in_its_directory_alone(
    agent: str, tool: str, name: str
) -> None:
    arguments = {name: "a.txt", "content": "x"}
    assert dialect(agent).payload(call(agent, tool, arguments)) == {**arguments, "cwd": "/work/shop"}
    with pytest.raises(SnapshotError, match="cwd is no argument"):
        dialect(agent).payload(call(agent, tool, {**arguments, "cwd": "/elsewhere"}))


@pytest.mark.parametrize(
    ("agent", "tool"),
    [
        *(("copilot", name) for name in ("view", "grep", "read_bash")),
        *(("cursor", name) for name in ("Read", "Grep")),
        *(("goose", name) for name in ("tree", "developer__tree")),
        *(("vibe", name) for name in ("file_system.read_file", "vibe.todo", "self.wait")),
    ],
)
def test_tools_that_only_look_ask_nobody(agent: str, tool: str) -> None:
    assert dialect(agent).read(event(agent, tool)) is None


@pytest.mark.parametrize(
    ("agent", "tool"),
    [
        *(("copilot", name) for name in ("write_bash", "sql", "apply_patch", "View", "files-read")),
        *(("cursor", name) for name in ("Write", "Delete", "Task", "MCP:read")),
        *(("goose", name) for name in ("write", "other__tree__x")),
        *(("vibe", name) for name in ("process.write", "agents.spawn", "files.read_file")),
    ],
)
def test_every_other_tool_asks(agent: str, tool: str) -> None:
    assert call(agent, tool).tool == tool


def test_goose_names_the_extension_of_a_tool() -> None:
    found = [call("goose", name) for name in ("files__tree", "developer__shell", "a__b__c")]
    assert [(each.server, each.tool) for each in found] == [("files", "tree"), (None, "shell"), (None, "a__b__c")]


def test_goose_may_leave_out_arguments() -> None:
    without = {key: value for key, value in EVENTS["goose"].items() if key != "tool_input"}
    found = dialect("goose").read({**without, "tool_name": "x"})
    assert found is not None
    assert found.arguments == {}


def test_a_plain_sub_agent_of_copilot_asks_by_its_calls() -> None:
    arguments = {"prompt": "look", "agent_type": "explore", "description": "x"}
    assert dialect("copilot").read(event("copilot", "task", arguments)) is None
    assert call("copilot", "task", {**arguments, "isolation": "none"}).tool == "task"


@pytest.mark.parametrize(
    ("agent", "more"),
    [
        ("copilot", {"sessionId": "s-2", "parentAgentId": "s-1", "agentType": "sub-agent"}),
        ("vibe", {"session_id": "s-2", "parent_session_id": "s-1"}),
    ],
)
def test_a_sub_agent_asks_in_the_session_of_its_agent(agent: str, more: dict[str, str]) -> None:
    found = call(agent, **more)
    assert (found.session, found.sub_agent) == ("s-1", "sub-agent")


def test_arguments_of_bash_that_vibe_has_not_today_are_refused() -> None:
    with pytest.raises(EventError, match="does not know"):
        call("vibe", arguments={"command": "ls", "cwd": "/elsewhere"})


def test_several_edits_of_vibe_are_shown_as_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    blocks = [{"old_str": "one", "new_str": "1"}, {"old_str": "1\n", "new_str": ""}]
    found = call("vibe", "file_system.search_replace", {"file_path": str(path), "content": blocks})
    [effect] = dialect("vibe").effects(found)
    assert getattr(effect, "data", None) == b"two\n"


@pytest.mark.parametrize(
    ("agent", "tool", "arguments"),
    [
        ("copilot", "create", {"path": "a", "file_text": "x"}),
        ("goose", "write", {"path": "../a", "content": "x"}),
        ("vibe", "file_system.write_file", {"file_path": "~/a", "content": "x"}),
    ],
)
def test_a_path_that_may_lead_elsewhere_is_refused(agent: str, tool: str, arguments: object) -> None:
    with pytest.raises(SnapshotError, match="from / on"):
        dialect(agent).effects(call(agent, tool, arguments))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n"])
@pytest.mark.parametrize(
    ("agent", "tool", "arguments"),
    [
        ("copilot", "edit", {"path": "", "old_str": "two", "new_str": "2"}),
        ("vibe", "file_system.search_replace", {"file_path": "", "old_string": "two", "new_string": "2"}),
        ("vibe", "file_system.write_file", {"file_path": "", "content": "1\n"}),
    ],
)
def test_other_arguments_write_exactly_the_approved_content(
    agent: str, tool: str, arguments: dict[str, str], before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    approved = before.replace(b"one", b"ONE")
    named = {key: value or str(path) if key.endswith("path") else value for key, value in arguments.items()}
    spoken: Any = dialect(agent)
    asked = call(agent, tool, named)
    changed = asked._replace(arguments=spoken.arguments_for(asked, str(path), approved))
    assert spoken.file_after(changed, str(path)).data == approved


@pytest.mark.parametrize(
    ("agent", "changed"),
    [
        ("copilot", {"cwd": "shop"}),
        ("copilot", {"toolArgs": "{}"}),
        ("cursor", {"hook_event_name": "beforeShellExecution"}),
        ("cursor", {"workspace_roots": []}),
        ("goose", {"event": "PostToolUse"}),
        ("goose", {"working_dir": None}),
        ("vibe", {"hook_event_name": "post_tool"}),
        ("vibe", {"tool_input": []}),
    ],
)
def test_an_event_that_is_not_understood_is_refused(agent: str, changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        dialect(agent).read({**EVENTS[agent], **changed})


def test_hooks_that_are_switched_off_in_copilot_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    assert dialect("copilot").why_unused() == ""
    (tmp_path / "settings.json").write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in (dialect("copilot").why_unused() or "")
