"""The dialect of Claude Code, without a person; tests/clients has the real program."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from claude_cases import CODE, notebook
from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.claude_code import DIALECT
from signoff.adapters.hooks.claude_files import ID_OF_NEW_CELL, arguments_for, file_after
from signoff.adapters.hooks.requests import agent_name, asked_call
from signoff.effects import Command, SnapshotError

EVENT: dict[str, Any] = {
    "session_id": "s-1",
    "transcript_path": "",
    "cwd": "/work/shop",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls", "description": "look", "timeout": 1000},
    "tool_use_id": "toolu_1",
}


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


# -- Files.


def test_edits_of_one_call_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one\ntwo\n")
    edits = [{"old_string": "one", "new_string": "1"}, {"old_string": "1\ntwo", "new_string": "2"}]
    effect = file_after("MultiEdit", {"edits": edits}, str(path))
    assert effect.data == b"2\n"


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(SnapshotError, match="is a link"):
        file_after("Write", {"content": "y"}, str(tmp_path / "link"))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("Write", {}), ("Write", {"content": 1}), ("Edit", {"old_string": "a"}), ("MultiEdit", {"edits": []})],
)
def test_arguments_that_the_tool_does_not_take_are_not_shown(
    tool: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(SnapshotError):
        file_after(tool, arguments, str(tmp_path / "a"))


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("Write", {"content": "1\n2\n"}), ("Edit", {"old_string": "two", "new_string": "2"})],
)
def test_other_arguments_write_exactly_the_approved_content(
    tool: str, arguments: dict[str, str], before: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(before)
    approved = before.replace(b"one", b"ONE")
    changed = arguments_for(tool, arguments, str(path), approved)
    effect = file_after(tool, changed, str(path))
    assert effect.data == approved


def test_content_that_the_tool_would_write_differently_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one  \ntwo\n")
    with pytest.raises(ValueError, match="differently"):
        arguments_for("Write", {"content": "1\n"}, str(tmp_path / "a"), b"one  \n2\n")


NEW_CELL = {"new_source": "x = 1", "edit_mode": "insert", "cell_type": "code"}


@pytest.mark.parametrize(("minor", "ids"), [(4, 0), (5, 1)])
def test_the_id_of_a_new_cell_is_shown_as_unknown_where_there_are_ids(
    minor: int, ids: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(notebook(minor=minor))
    effect = file_after("NotebookEdit", NEW_CELL, str(path))
    assert effect.data is not None
    assert effect.data.count(ID_OF_NEW_CELL.encode()) == ids


@pytest.mark.parametrize("more", [NEW_CELL, {"cell_id": "a", "new_source": "x = 1"}], ids=["new", "changed"])
def test_another_text_of_the_cell_of_a_notebook_can_be_approved(more: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(notebook(CODE))
    approved = (file_after("NotebookEdit", more, str(path)).data or b"").replace(b'x = 1"', b'x = 2"', 1)
    changed = arguments_for("NotebookEdit", more, str(path), approved)
    assert changed == {**more, "new_source": "x = 2"}


@pytest.mark.parametrize("approved", [b"", b"{}", b'{"cells": [{"source": "x = 1"}]}', b'{"cells": 1}'])
def test_nothing_else_of_a_notebook_can_be_approved(approved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(notebook(CODE))
    with pytest.raises(ValueError, match=r"cell|differently"):
        arguments_for("NotebookEdit", {"cell_id": "a", "new_source": "x = 1"}, str(path), approved)


@pytest.mark.parametrize(
    "changed",
    [
        {"new_source": None},
        {"edit_mode": "append"},
        {"edit_mode": None},
        {"cell_type": "raw"},
        {"cell_id": 0},
        {"cell_id": ""},
        {"cell_id": "cell-" + "9" * 5_000},
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_call_that_changes_no_cell_is_not_shown(changed: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(notebook(CODE))
    with pytest.raises(SnapshotError):
        file_after("NotebookEdit", {"cell_id": "a", "new_source": "x", **changed}, str(path))


# -- Events.


def test_a_command_is_shown_as_a_command(tmp_path: Path) -> None:
    request = asked_call(DIALECT, call(cwd=str(tmp_path)))
    assert request.effects == (Command("ls", str(tmp_path)),)


def test_an_approval_for_the_session_covers_the_command_in_its_directory_whatever_is_said_of_it() -> None:
    assert DIALECT.payload(call()) == {"command": "ls", "timeout": 1000, "cwd": "/work/shop"}


def test_a_command_outside_the_sandbox_of_the_agent_is_another_call() -> None:
    arguments = {"command": "ls", "dangerouslyDisableSandbox": True}
    assert DIALECT.payload(call(tool_input=arguments)) == {**arguments, "cwd": "/work/shop"}


def test_a_long_command_is_shortened_only_in_the_line_about_it(tmp_path: Path) -> None:
    long = "echo " + "x" * 2_000_000
    request = asked_call(DIALECT, call(cwd=str(tmp_path), tool_input={"command": long}))
    assert len(request.description) < 300
    assert request.effects == (Command(long, str(tmp_path)),)


def test_the_server_of_a_tool_is_told_apart_from_its_name() -> None:
    found = call(tool_name="mcp__github__create_issue", tool_input={"title": "x"})
    assert (found.server, found.tool) == ("github", "create_issue")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({}, ""),
        ({"agent_type": "Explore", "agent_id": "a636784f188a597ec"}, "Explore a63678"),
        ({"agent_id": "a636784f188a597ec"}, "a63678"),
        ({"agent_type": "reviewer"}, "reviewer"),
    ],
)
def test_a_sub_agent_is_named_by_its_kind_and_its_id(said: dict[str, str], name: str) -> None:
    assert call(**said).sub_agent == name


@pytest.mark.parametrize("name", ["AskUserQuestion", "ExitPlanMode"])
def test_a_question_that_only_the_terminal_can_answer_is_left_to_it(name: str) -> None:
    asked = {**EVENT, "tool_name": name, "hook_event_name": "PermissionRequest"}
    assert DIALECT.read({**asked, "tool_use_id": None}) is None
    assert DIALECT.read(asked) is not None  # by the prompt that Claude Code has without a terminal


@pytest.mark.parametrize("name", ["Read", "Grep", "TodoWrite"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool_name": name}) is None


def test_a_tool_whose_server_is_not_clear_keeps_its_whole_name() -> None:
    found = call(tool_name="mcp__a__b__c")
    assert (found.server, found.tool) == (None, "mcp__a__b__c")


def test_a_sub_agent_only_starts() -> None:
    plain = {"description": "x", "prompt": "y", "subagent_type": "z"}
    assert DIALECT.read({**EVENT, "tool_name": "Agent", "tool_input": plain}) is None


@pytest.mark.parametrize("more", [{"isolation": "worktree"}, {"isolation": "remote"}, {"new": 1}], ids=str)
def test_a_sub_agent_that_may_do_more_asks(more: dict[str, object]) -> None:
    assert call(tool_name="Agent", tool_input={"prompt": "y", **more}).tool == "Agent"


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "~/a.txt", "", 5, None])
def test_a_path_that_is_not_whole_is_refused(path: object) -> None:
    with pytest.raises(SnapshotError, match="from / on"):
        DIALECT.effects(call(tool_name="Write", tool_input={"file_path": path, "content": "x"}))


@pytest.mark.parametrize("name", ["Bash", "Write", "WebFetch", "Read2", "read", "mcp__files__Read"])
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool_name=name).event == "PreToolUse"


@pytest.mark.parametrize(
    "changed",
    [
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": None},
        {"tool_name": ""},
        {"tool_input": "ls"},
        {"session_id": None},
        {"cwd": "shop"},
        {"tool_use_id": 1},
    ],
    ids=str,
)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})


# -- The turn, as the transcript tells.


def transcript(path: Path, *messages: tuple[str, str]) -> str:
    lines = [b'{"type":"user"}', b'"assistant", cut', b'{"type":"assistant"}']
    for message, ident in messages:
        block = {"type": "tool_use", "id": ident, "name": "Bash", "input": {"command": ident}}
        entry = {"type": "assistant", "message": {"id": message, "content": [block]}}
        lines.append(json.dumps(entry).encode())
    path.write_bytes(b"\n".join(lines))
    return str(path)


def test_the_later_calls_of_the_turn_are_told(tmp_path: Path) -> None:
    path = transcript(tmp_path / "t", ("m0", "toolu_0"), ("m1", "toolu_1"), ("m1", "toolu_2"))
    assert DIALECT.turn(call(transcript_path=path)) == {
        "batch_id": "m1",
        "batch_position": 0,
        "batch_remaining": [{"tool": "Bash", "arguments": {"command": "toolu_2"}}],
    }


def test_a_transcript_that_never_ends_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert DIALECT.turn(call(transcript_path=str(tmp_path / "pipe"))) == {}


@pytest.mark.parametrize("path", ["", "/no/such/file", "/"])
def test_without_a_transcript_nothing_is_told_of_the_turn(path: str) -> None:
    assert DIALECT.turn(call(transcript_path=path)) == {}


# -- The answer in Claude Code's own dialog, which only the transcript tells.

NOW = datetime.now(UTC)


def recorded(seconds: float, kind: str, message: dict[str, Any]) -> str:
    """A line of a transcript, without what nobody reads here; so many seconds after the hook began."""
    at = (NOW + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    more = {
        "parentUuid": "4d4d2790",
        "isSidechain": False,
        "uuid": "350b17b0",
        "timestamp": at,
        "cwd": "/work/shop",
    }
    return json.dumps({**more, "type": kind, "message": {"role": kind, **message}}) + "\n"


def made(ident: str, seconds: float = -1.0, turn: str = "msg_1", **changed: Any) -> str:
    """The line of a call."""
    block = {"type": "tool_use", "id": ident, "name": "Bash", "input": EVENT["tool_input"], **changed}
    return recorded(seconds, "assistant", {"id": turn, "type": "message", "content": [block]})


def result(ident: str, seconds: float = 5.0) -> str:
    """The line of its result, which a refusal has as well."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": "The user doesn't want to", "is_error": True}
    return recorded(seconds, "user", {"content": [block]})


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A transcript; the hook begins now."""
    monkeypatch.setattr(time, "time", NOW.timestamp)
    return tmp_path / "s-1.jsonl"


@pytest.fixture
def look(written: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Looks for an answer in some lines, so many seconds after the hook began."""

    def look(*lines: str, seconds: float = 10.0, **changed: Any) -> str:
        monkeypatch.setattr(time, "time", NOW.timestamp)
        found = DIALECT.answered_elsewhere(permission(written, **changed))
        monkeypatch.setattr(time, "time", (NOW + timedelta(seconds=seconds)).timestamp)
        written.write_text("".join(lines))
        return found()

    return look


def permission(written: Path, **changed: Any) -> HookCall:
    asked = {"hook_event_name": "PermissionRequest", "tool_use_id": None, "transcript_path": str(written)}
    return call(**{**asked, **changed})


WAITS, ANSWERED = "", "in Claude Code itself"


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ([], WAITS),
        ([made("a")], WAITS),
        ([made("a"), result("a")], ANSWERED),
        ([made("a"), result("a")[:-9]], WAITS),
        ([made("other", input={"command": "pwd"}), result("other"), made("a")], WAITS),
        ([made("other", name="BashOutput"), made("a"), result("other")], WAITS),
        ([made("before", -3), result("before", -2), made("a")], WAITS),
        ([made("left", -9, "msg_0"), made("a"), result("a")], ANSWERED),
        ([made("a"), result("a"), made("again", 6, "msg_2")], ANSWERED),
        ([made("a"), made("same"), result("a")], WAITS),
        ([made("a"), made("same"), result("a"), result("same")], ANSWERED),
        ([made("a").replace("timestamp", "time"), result("a")], WAITS),
    ],
    ids=[
        "not written yet",
        "waiting",
        "result",
        "half a line",
        "result of other arguments",
        "result of another tool",
        "result of the same call before",
        "one without a result in an older turn",
        "asked again later",
        "one of two that are the same",
        "both of two that are the same",
        "no time",
    ],
)
def test_a_permission_was_given_elsewhere_when_its_call_has_a_result(
    lines: list[str], answer: str, look: Callable[..., str]
) -> None:
    assert look(*lines) == answer


def test_the_result_of_the_same_call_before_is_not_taken_for_one_that_is_not_written_down_yet(
    look: Callable[..., str],
) -> None:
    assert look(made("before", -3), result("before", -2), seconds=1) == WAITS


def test_a_result_is_seen_when_it_is_written(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = DIALECT.answered_elsewhere(permission(written))
    monkeypatch.setattr(time, "time", (NOW + timedelta(seconds=10)).timestamp)
    written.write_text(made("a"))
    assert look() == WAITS
    with written.open("a") as file:
        file.write(result("a"))
    assert look() == ANSWERED


@pytest.mark.parametrize(
    ("name", "asked", "written_down"),
    [
        ("Edit", {"file_path": "/a", "replace_all": False}, {"file_path": "/a"}),
        ("Edit", {"file_path": "/a", "replace_all": False}, {"file_path": "/a", "replace_all": False}),
        ("Edit", {"file_path": "/work/shop/a"}, {"file_path": "a"}),
        ("mcp__files__write", {"path": "/a"}, {"path": "/a"}),
        ("mcp__a__b__c", {"path": "/a"}, {"path": "/a"}),
    ],
)
def test_the_call_is_found_as_the_model_wrote_it(
    name: str, asked: dict[str, Any], written_down: dict[str, Any], look: Callable[..., str]
) -> None:
    lines = made("a", name=name, input=written_down), result("a")
    assert look(*lines, tool_name=name, tool_input=asked) == ANSWERED


def test_the_call_of_a_sub_agent_is_in_a_transcript_of_its_own(written: Path, look: Callable[..., str]) -> None:
    lines, of_sub_agent = (made("a"), result("a")), {"agent_id": "a6367", "agent_type": "Explore"}
    assert look(*lines, **of_sub_agent) == WAITS
    own = written.with_suffix("") / "subagents/agent-a6367.jsonl"
    own.parent.mkdir(parents=True)
    own.write_text("".join(lines))
    assert look(**of_sub_agent) == ANSWERED


def test_a_hook_before_every_call_is_asked_alone(look: Callable[..., str]) -> None:
    lines = made("toolu_1"), result("toolu_1")
    assert look(*lines, hook_event_name="PreToolUse", tool_use_id="toolu_1") == WAITS


def test_the_turn_of_a_permission_is_told_where_the_call_can_be_told_apart(written: Path) -> None:
    later = made("b", input={"command": "pwd"})
    written.write_text(made("before", -3) + result("before", -2) + made("a") + later)
    assert DIALECT.turn(permission(written)) == {
        "batch_id": "msg_1",
        "batch_position": 1,
        "batch_remaining": [{"tool": "Bash", "arguments": {"command": "pwd"}}],
    }


def test_the_turn_of_two_permissions_that_are_the_same_is_not_told(written: Path) -> None:
    written.write_text(made("a") + made("same"))
    assert DIALECT.turn(permission(written)) == {}


# -- The name on screen.


def test_sessions_are_told_apart_by_folder_and_branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop/.git").mkdir(parents=True)
    (tmp_path / "shop/.git/HEAD").write_text("ref: refs/heads/fix/price\n")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "shop"))
    assert agent_name(DIALECT, call(cwd="/elsewhere")) == "shop, Claude Code (fix/price)"


def prompts(path: Path, *contents: object) -> str:
    entries = [{"type": "user", "message": {"role": "user", "content": content}} for content in contents]
    path.write_text("\n".join(map(json.dumps, [{"type": "mode"}, *entries])))
    return str(path)


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (["fix the\nlogin page"], "fix the login page"),
        ([[{"type": "text", "text": "fix the login page"}]], "fix the login page"),
        (["<command-name>/clear</command-name>", "fix it", "and then ship it"], "fix it"),
        (["look at all that happened to the prices of last year"], "look at all that happened to the prices…"),
        (["use the token ghp_16C7e42F292c6912E7710c838347Ae178B4a"], "use the token [secret, 40 characters]"),
    ],
)
def test_and_by_the_words_with_which_they_began(tmp_path: Path, contents: list[object], words: str) -> None:
    path = prompts(tmp_path / "t", *contents)
    assert agent_name(DIALECT, call(cwd="/shop", transcript_path=path)) == f"shop {words}, Claude Code"


def test_a_worktree_has_a_branch_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path / "real").mkdir()
    (tmp_path / "real/HEAD").write_text("ref: refs/heads/other\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/.git").write_text(f"gitdir: {tmp_path}/real\n")
    assert agent_name(DIALECT, call(cwd=str(tmp_path / "tree"))) == "tree, Claude Code (other)"


def test_a_branch_that_never_ends_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path / "shop/.git").mkdir(parents=True)
    os.mkfifo(tmp_path / "shop/.git/HEAD")
    assert agent_name(DIALECT, call(cwd=str(tmp_path / "shop"))) == "shop, Claude Code"


def test_a_folder_without_a_branch_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    assert agent_name(DIALECT, call(cwd=str(tmp_path / "plain"))) == "plain, Claude Code"


# -- Answers.


def test_a_refusal_is_said_three_times() -> None:
    reply = DIALECT.refused(call(), "use git mv", hard=False)
    assert (reply.exit_code, reply.reason) == (2, "use git mv")
    assert json.loads(reply.line) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "use git mv",
        }
    }


def test_a_hard_refusal_ends_the_turn() -> None:
    reply = DIALECT.refused(call(), "stop", hard=True)
    assert reply.answer is not None
    assert (reply.answer["continue"], reply.answer["stopReason"]) == (False, "stop")


def test_a_request_for_permission_has_answers_of_its_own() -> None:
    asked = call(hook_event_name="PermissionRequest", tool_use_id=None)
    yes, no = DIALECT.approved(asked, "", {"command": "ls -l"}), DIALECT.refused(asked, "stop", hard=True)
    assert json.loads(yes.line)["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow", "updatedInput": {"command": "ls -l"}},
    }
    assert json.loads(no.line)["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "stop", "interrupt": True},
    }


def test_an_answer_is_one_line_of_ascii() -> None:
    line = DIALECT.refused(call(), "use “git mv”\nnot mv", hard=False).line
    assert line.isascii()
    assert line.count("\n") == 1
