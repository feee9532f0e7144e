"""The dialect of Codex, without a person; tests/clients has the real program."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.codex import DIALECT, WITHOUT_TERMINAL
from signoff.adapters.hooks.codex_patch import effects_of, patch_for
from signoff.adapters.hooks.requests import asked_call
from signoff.effects import Command, FileWrite, SnapshotError
from signoff.queue import Instead
from signoff.types import ApprovalDecision

EVENT: dict[str, Any] = {
    "session_id": "01a21ff2-ea18-7841-835a-5d785ab8ebe6",
    "turn_id": "01a21ff2-ea30-7cf1-81ab-5754da5e0a0a",
    "transcript_path": "/home/anna/.codex/sessions/2026/11/28/rollout-1.jsonl",
    "cwd": "/work/shop/src",
    "hook_event_name": "PreToolUse",
    "model": "gpt-6.2-sol",
    "permission_mode": "bypassPermissions",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "exec-c4913dd4-3787-47c4-8619-6363908f12f5",
}
TWO = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Delete File: b\n*** End Patch\n"


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


def patch(text: str = TWO) -> HookCall:
    return call(tool_name="apply_patch", tool_input={"command": text})


def section(lines: str) -> str:
    return f"*** Begin Patch\n{lines}\n*** End Patch\n"


def said(line: str) -> Any:
    return json.loads(line)["hookSpecificOutput"]


# -- Patches.


def test_each_file_of_a_patch_is_shown_and_its_removal_as_a_command(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("gone\n")
    changed, emptied, removed = effects_of(TWO, str(tmp_path))
    assert isinstance(changed, FileWrite)
    assert isinstance(emptied, FileWrite)
    assert (changed.path, changed.data) == (str(tmp_path / "a"), b"1\ntwo\n")
    assert (emptied.path, emptied.data) == (str(tmp_path / "b"), b"")
    assert removed == Command(f"rm -- {tmp_path / 'b'}", str(tmp_path))


def test_a_patch_is_shown_by_its_files_alone_and_named_after_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "b").write_text("gone\n")
    asked = asked_call(DIALECT, call(tool_name="apply_patch", tool_input={"command": TWO}, cwd=str(tmp_path)))
    assert asked.arguments == {}
    assert asked.description == "apply_patch a and 1 more"


def test_a_file_that_moves_is_shown_where_it_comes_from_and_goes_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    moved = section("*** Update File: a\n*** Move to: b\n@@\n-one\n+1")
    written, emptied, removed = effects_of(moved, str(tmp_path))
    assert isinstance(written, FileWrite)
    assert isinstance(emptied, FileWrite)
    assert (written.path, written.data) == (str(tmp_path / "b"), b"1\n")
    assert (emptied.path, emptied.data) == (str(tmp_path / "a"), b"")
    assert removed == Command(f"rm -- {tmp_path / 'a'}", str(tmp_path))


@pytest.mark.parametrize(
    ("before", "line"), [("  one\n", "one"), ("one  \n", "one"), ("say “hi”\n", 'say "hi"'), ("a – b\n", "a - b")]
)
def test_lines_that_the_tool_would_only_find_by_guessing_are_refused(
    before: str, line: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(before)
    with pytest.raises(SnapshotError, match="exactly as they are written"):
        effects_of(section(f"*** Update File: a\n@@\n-{line}\n+x"), str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "*** Begin Patch\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: b\n+x",
        " *** Begin Patch\n*** Add File: b\n+x\n*** End Patch",
        "<<EOF\n*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\nEOF",
        "*** Begin Patch\r\n*** Add File: b\r\n+x\r\n*** End Patch\r\n",
        section("*** Environment ID: other\n*** Add File: b\n+x"),
        section("*** Add File: b\nx"),
        section("*** Delete File: a\n-one"),
        section("*** Update File: a\n*** Move to: b"),
        section("*** Update File: a\n@@\none"),
        section("*** Update File: a\n@@\n one\n\n+x"),
        section("*** Update File: a\n@@ one \n+x"),
        section("*** Update File: a\n@@\n+x\n@@\n-one\n+1"),
        section("*** Update File: a\n@@\n-one\n+1\n*** Update File: ./a\n@@\n-two\n+2"),
        section("*** Update File: a\n*** Move to: a\n@@\n-one\n+1"),
        section("*** Rename File: a"),
    ],
)
def test_what_is_no_plain_patch_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    with pytest.raises(SnapshotError):
        effects_of(text, str(tmp_path))


@pytest.mark.parametrize("path", ["~/a", "../a", "b/../a", " a", "a ", "b/"])
def test_a_path_that_may_lead_elsewhere_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="not a plain path"):
        effects_of(section(f"*** Add File: {path}\n+x"), str(tmp_path))


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("one\n")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(SnapshotError, match="is a link"):
        effects_of(section("*** Update File: link\n@@\n-one\n+1"), str(tmp_path))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n", b""])
@pytest.mark.parametrize("lines", ["*** Update File: a\n@@\n+three", "*** Add File: a\n+1"])
def test_another_patch_writes_exactly_the_approved_content(lines: str, before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    end = b"\r\n" if b"\r" in before and "Update" in lines else b"\n"
    approved = end.join((b"ONE", b"two", b"", b""))
    changed = patch_for(section(lines), str(tmp_path), str(path), approved)
    [effect] = effects_of(changed, str(tmp_path))
    assert isinstance(effect, FileWrite)
    assert effect.data == approved


def test_content_that_the_tool_would_write_differently_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    with pytest.raises(ValueError, match="differently"):
        patch_for(section("*** Update File: a\n@@\n-one\n+1"), str(tmp_path), str(tmp_path / "a"), b"1")


# -- Events.


def test_a_command_runs_in_the_directory_of_its_event() -> None:
    assert DIALECT.effects(call()) == (Command("ls", "/work/shop/src"),)
    assert DIALECT.payload(call()) == {"command": "ls", "cwd": "/work/shop/src"}


def test_a_patch_that_is_allowed_for_the_session_is_for_its_directory() -> None:
    assert DIALECT.payload(patch()) == {"patch": TWO, "cwd": "/work/shop/src"}


def test_the_server_of_a_tool_is_told_apart_from_its_name() -> None:
    found = call(tool_name="mcp__files__write", tool_input={"path": "a"})
    assert (found.server, found.tool, DIALECT.payload(found)) == ("files", "write", {"path": "a"})


def test_a_sub_agent_is_named_by_its_kind_and_the_beginning_of_its_id() -> None:
    assert call(agent_id="01a21ff4", agent_type="default").sub_agent == "default 01a21f"


def test_the_project_is_where_the_agent_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call().project == str(tmp_path)


@pytest.mark.parametrize("name", ["view_image", "get_goal", "clockcurr_time", "collaborationwait_agent"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool_name": name}) is None


def test_a_sub_agent_only_starts_so_that_its_calls_ask_themselves() -> None:
    arguments = {"task_name": "x", "message": "y"}
    assert DIALECT.read({**EVENT, "tool_name": "collaborationspawn_agent", "tool_input": arguments}) is None


def test_a_sub_agent_of_a_kind_that_settings_define_asks() -> None:
    arguments = {"message": "y", "agent_type": "worker"}
    assert call(tool_name="spawn_agent", tool_input=arguments).arguments == arguments


@pytest.mark.parametrize("name", ["web_search", "View_image", "mcp__files__view_image", "request_permissions"])
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool_name=name).event == "PreToolUse"


@pytest.mark.parametrize(
    "changed",
    [
        {"hook_event_name": "PermissionRequest"},
        {"tool_name": None},
        {"tool_input": []},
        {"tool_input": {}},
        {"tool_input": {"command": ["ls"]}},
        {"tool_input": {"command": "ls", "tty": True}},
        {"tool_name": "apply_patch", "tool_input": {"input": TWO}},
        {"cwd": "src"},
    ],
    ids=str,
)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})


# -- Answers.


def test_an_approved_command_runs_only_without_a_terminal() -> None:
    assert said(DIALECT.approved(call(), "", None).line) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"command": f"{WITHOUT_TERMINAL}ls"},
    }


def test_an_edited_command_runs_only_without_a_terminal() -> None:
    reply = DIALECT.approved(call(), "shorter", {"command": "pwd"})
    assert said(reply.line)["updatedInput"] == {"command": f"{WITHOUT_TERMINAL}pwd"}
    assert said(reply.line)["additionalContext"] == "shorter"


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_a_terminal_anywhere_ends_a_command_before_it_begins(descriptor: int, shell: str, tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    streams[("stdin", "stdout", "stderr")[descriptor]] = terminal
    ended = subprocess.run([shell, "-c", f"{WITHOUT_TERMINAL}touch made"], cwd=tmp_path, check=False, **streams)
    os.close(terminal)
    os.close(controller)
    assert ended.returncode == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["# first\necho x", "cat <<'END'\nx\nEND", "echo x # fi"])
def test_the_line_before_a_command_changes_nothing_in_it(command: str) -> None:
    ended = subprocess.run(
        ["sh", "-c", WITHOUT_TERMINAL + command], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert (ended.stdout, ended.stderr) == (b"x\n", b"")


def test_a_patch_runs_as_it_is_without_a_word() -> None:
    assert DIALECT.approved(patch(), "", None).line == ""


def test_a_changed_patch_is_handed_over_as_the_agent_names_it() -> None:
    assert said(DIALECT.approved(patch(), "", {"patch": "x"}).line)["updatedInput"] == {"command": "x"}


def test_changed_arguments_of_a_server_are_handed_over_as_they_are() -> None:
    found = call(tool_name="mcp__x__Bash", tool_input={"to": "anna"})
    assert said(DIALECT.approved(found, "", {"to": "bob"}).line)["updatedInput"] == {"to": "bob"}


def test_a_command_is_edited_in_its_line_alone() -> None:
    decision = ApprovalDecision(approved=True).with_instead(Instead(arguments={"command": "ls", "tty": True}))
    with pytest.raises(ValueError, match="the line alone"):
        DIALECT.arguments_instead(call(), decision)


@pytest.mark.parametrize("hard", [False, True])
def test_a_refusal_is_said_three_times_with_no_key_that_the_agent_does_not_know(hard: bool) -> None:
    reply = DIALECT.refused(call(), "use git mv", hard=hard)
    assert (reply.exit_code, reply.reason) == (2, "use git mv")
    assert json.loads(reply.line) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "use git mv",
        }
    }
