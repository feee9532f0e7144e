"""The exact answers of `signoff hook` by the contract of each agent: a person decides, the program answers."""

from __future__ import annotations

import json
import subprocess
from typing import Any, NamedTuple

import pytest
from cli_bench import PATIENCE, Cli

from answering import Reviewer
from signoff.queue import Decision, Instead, open_review_queue

REASON = "Approval denied: use git mv"

CRUSH: dict[str, Any] = {
    "event": "PreToolUse",
    "session_id": "313909e",
    "cwd": "",
    "tool_name": "bash",
    "tool_input": {"command": "ls", "description": "look"},
}
COPILOT: dict[str, Any] = {
    "sessionId": "4570b6fb",
    "timestamp": 1795847161960,
    "cwd": "",
    "toolName": "bash",
    "toolArgs": {"command": "ls", "description": "look"},
}
CURSOR: dict[str, Any] = {
    "hook_event_name": "preToolUse",
    "conversation_id": "conv-123",
    "generation_id": "gen-456",
    "model": "m",
    "cursor_version": "3.0.0",
    "workspace_roots": [""],
    "user_email": None,
    "transcript_path": None,
    "tool_name": "Shell",
    "tool_input": {"command": "ls", "description": "look"},
    "tool_use_id": "abc123",
    "cwd": "",
}
GOOSE: dict[str, Any] = {
    "event": "PreToolUse",
    "session_id": "20261128_1",
    "matcher_context": "shell",
    "tool_call_id": "call_1",
    "tool_name": "shell",
    "tool_input": {"command": "ls", "description": "look"},
    "working_dir": "",
}
VIBE: dict[str, Any] = {
    "session_id": "42b3ecb9",
    "transcript_path": "",
    "cwd": "",
    "parent_session_id": None,
    "hook_event_name": "pre_tool",
    "tool_name": "file_system.bash",
    "tool_call_id": "call_1",
    "tool_input": {"command": "ls"},
}


class Answer(NamedTuple):
    """An answer: the exit code, the object on standard output, and the words on standard error."""

    code: int
    answer: dict[str, Any]
    words: str = ""


def hook(cli: Cli, agent: str, event: dict[str, Any]) -> Answer:
    """Have the program answer an event, in the folder of a project."""
    placed = {key: str(cli.folder) if key in {"cwd", "working_dir"} else value for key, value in event.items()}
    if "workspace_roots" in placed:
        placed["workspace_roots"] = [str(cli.folder)]
    done = subprocess.run(
        cli.command("hook", agent),
        input=json.dumps(placed).encode(),
        env=cli.environment(SIGNOFF_QUEUE=str(cli.place)),
        cwd=cli.folder,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.stdout.count(b"\n") == 1, done
    return Answer(done.returncode, json.loads(done.stdout), done.stderr.decode().removesuffix("\n"))


def decided(cli: Cli, agent: str, event: dict[str, Any], decision: Decision) -> Answer:
    """The answer of the program when a person has decided."""
    open_review_queue(cli.place).close()
    with Reviewer(cli.place, lambda _: decision):
        return hook(cli, agent, event)


EVERY = {"copilot": COPILOT, "crush": CRUSH, "cursor": CURSOR, "goose": GOOSE, "vibe": VIBE}


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("copilot", Answer(0, {"permissionDecision": "allow", "additionalContext": "go on"})),
        ("crush", Answer(0, {"decision": "allow", "context": "go on"})),
        ("cursor", Answer(0, {"permission": "allow"})),
        ("goose", Answer(0, {"decision": "allow"})),
        ("vibe", Answer(0, {"decision": "allow", "system_message": "go on"})),
    ],
)
def test_a_yes(cli: Cli, agent: str, expected: Answer) -> None:
    assert decided(cli, agent, EVERY[agent], Decision(approved=True, note="go on")) == expected


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("copilot", Answer(2, {"permissionDecision": "deny", "permissionDecisionReason": REASON}, REASON)),
        ("crush", Answer(2, {"decision": "deny", "reason": REASON}, REASON)),
        ("cursor", Answer(2, {"permission": "deny", "user_message": REASON, "agent_message": REASON}, REASON)),
        ("goose", Answer(2, {"decision": "block", "reason": REASON}, REASON)),
        ("vibe", Answer(0, {"decision": "deny", "reason": REASON}, REASON)),
    ],
)
def test_a_no(cli: Cli, agent: str, expected: Answer) -> None:
    assert decided(cli, agent, EVERY[agent], Decision(approved=False, note="use git mv")) == expected


def test_a_hard_no_of_crush_halts_its_turn(cli: Cli) -> None:
    found = decided(cli, "crush", CRUSH, Decision(approved=False, note="use git mv", hard=True))
    assert found == Answer(49, {"decision": "deny", "reason": found.words, "halt": True}, found.words)
    assert "use git mv" in found.words


EDIT = Decision(approved=True, instead=Instead(arguments={"command": "ls -l", "description": "look"}))


@pytest.mark.parametrize(
    ("agent", "key"), [("copilot", "modifiedArgs"), ("crush", "updated_input"), ("cursor", "updated_input")]
)
def test_an_edited_command(cli: Cli, agent: str, key: str) -> None:
    found = decided(cli, agent, EVERY[agent], EDIT)
    assert (found.code, found.answer[key]) == (0, {"command": "ls -l", "description": "look"})


def test_an_edited_command_of_vibe(cli: Cli) -> None:
    decision = Decision(approved=True, instead=Instead(arguments={"command": "ls -l"}))
    found = decided(cli, "vibe", VIBE, decision)
    assert found.answer["hook_specific_output"] == {"tool_input": {"command": "ls -l"}}


@pytest.mark.parametrize("agent", EVERY)
def test_an_event_that_is_not_understood_is_a_no(cli: Cli, agent: str) -> None:
    found = hook(cli, agent, {})
    assert found.code == (0 if agent == "vibe" else 2)
    assert found.words.startswith("not run: the event has no")
    assert found.words in found.answer.values()
    assert not {"allow"} & {str(value) for value in found.answer.values()}


@pytest.mark.parametrize(
    ("agent", "offered"),
    [
        ("copilot", {"edit", "note", "session"}),
        ("crush", {"edit", "hard", "note", "session"}),
        ("cursor", {"edit", "note", "session"}),
        ("goose", {"note", "session"}),
        ("vibe", {"edit", "note", "session"}),
    ],
)
def test_what_is_offered_is_what_the_agent_can_do(cli: Cli, agent: str, offered: set[str]) -> None:
    open_review_queue(cli.place).close()
    with Reviewer(cli.place, lambda _: Decision(approved=True)) as reviewer:
        hook(cli, agent, EVERY[agent])
    [seen] = reviewer.seen
    assert seen.submission.supports - {"partial"} == offered
