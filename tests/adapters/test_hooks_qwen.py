"""The dialect of Qwen Code, without a person; tests/clients has the real program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signoff.adapters.hooks.calls import EventError, HookCall
from signoff.adapters.hooks.qwen import DIALECT
from signoff.adapters.hooks.requests import asked_call
from signoff.effects import Command
from signoff.submission import plain_submission

EVENT: dict[str, Any] = {
    "session_id": "s-1",
    "cwd": "/work/shop",
    "hook_event_name": "PreToolUse",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls", "description": "look", "is_background": False, "directory": "/work/shop/src"},
}


def call(**changed: Any) -> HookCall:
    found = DIALECT.read({**EVENT, **changed})
    assert found is not None
    return found


def test_a_command_runs_in_the_directory_that_it_names() -> None:
    assert DIALECT.effects(call()) == (Command("ls", "/work/shop/src"),)
    assert DIALECT.payload(call())["cwd"] == "/work/shop/src"


def test_the_server_of_a_tool_is_told_apart_from_its_name() -> None:
    found = call(tool_name="mcp__files__write")
    assert (found.server, found.tool) == ("files", "write")


@pytest.mark.parametrize("name", ["read_file", "todo_write"])
def test_tools_that_only_look_ask_nobody(name: str) -> None:
    assert DIALECT.read({**EVENT, "tool_name": name}) is None


@pytest.mark.parametrize("name", ["write_file", "agent", "monitor", "mcp__files__read_file"])
def test_every_other_tool_asks(name: str) -> None:
    assert call(tool_name=name).event == "PreToolUse"


@pytest.mark.parametrize("changed", [{"hook_event_name": "Stop"}, {"tool_input": None}, {"cwd": ""}], ids=str)
def test_an_event_that_is_not_understood_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EventError):
        DIALECT.read({**EVENT, **changed})


@pytest.mark.parametrize("hard", [False, True])
def test_a_refusal_is_said_three_times(hard: bool) -> None:
    reply = DIALECT.refused(call(), "use git mv", hard=hard)
    assert (reply.exit_code, reply.reason) == (2, "use git mv")
    assert json.loads(reply.line)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "use git mv",
    }


def test_its_requests_offer_neither_a_stop_nor_an_edit() -> None:
    asked = asked_call(DIALECT, call())
    assert plain_submission(asked, asked).supports == {"note", "session"}
