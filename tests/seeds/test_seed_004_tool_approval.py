"""Document 004, "tool_approval" of ConnectOnion: each of its examples and each row of its tables, by heading.

Only `test_events` needs the framework: `Session` does what its tool executor does around the plugin. What real
agents make of it is in `tests/adapters/test_connectonion.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from connectonion_client import CLOSED, Client
from signoff.adapters.connectonion import tool_approval

(check_approval,) = tool_approval

NPM_INSTALL = ("bash", {"command": "npm install"})
CONFIG = ("write", {"file_path": "config.json", "content": "{}"})
NPM_BUILD = ("bash", {"command": "npm build"})


class Session:
    """An agent in a conversation, and its terminal.

    Attributes:
        ran: The calls that ran.
        told: What the model was told of those that did not.
        lines: The lines on the terminal.
    """

    def __init__(self, io: object) -> None:
        self.io = io
        self.logger = self
        self.current_session: dict[str, Any] = {"messages": [], "turn": 0}
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.told: list[str] = []
        self.lines: list[str] = []

    def print(self, line: str, style: str | None = None) -> None:
        self.lines.append(line)

    def input(self, *batch: tuple[str, dict[str, Any]]) -> None:
        """The user says something, and the model makes a batch of calls."""
        self.current_session["turn"] += 1
        functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in batch]
        made = [{"id": f"call-{at}", "function": function} for at, function in enumerate(functions)]
        self.current_session["messages"].append({"role": "assistant", "tool_calls": made})
        for call, (name, arguments) in zip(made, batch, strict=True):
            self.current_session["pending_tool"] = {"name": name, "arguments": arguments, "id": call["id"]}
            try:
                check_approval(self)
            except ValueError as error:
                self.told.append(str(error))
            else:
                self.ran.append((name, arguments))


def run(batch: Sequence[tuple[str, dict[str, Any]]], *answers: object) -> tuple[Session, Client]:
    client = Client(*answers)
    session = Session(client)
    session.input(*batch)
    return session, client


# -- Quick Start -------------------------------------------------------------------------------------------


def test_quick_start() -> None:
    session, client = run([NPM_INSTALL], {"approved": True, "scope": "session"})
    assert client.asked == [{"type": "approval_needed", "tool": "bash", "arguments": {"command": "npm install"}}]
    assert (session.ran, session.lines) == ([NPM_INSTALL], ["✓ bash approved (session)"])


# -- Lifecycle ---------------------------------------------------------------------------------------------


def test_lifecycle() -> None:
    session, client = run(
        [NPM_INSTALL, CONFIG, NPM_BUILD],
        {"approved": True, "scope": "session"},
        {"approved": False, "mode": "reject_soft"},
    )
    assert client.asked == [
        {
            "type": "approval_needed",
            "tool": "bash",
            "arguments": {"command": "npm install"},
            "batch_remaining": [
                {"tool": "write", "arguments": json.dumps(CONFIG[1])},
                {"tool": "bash", "arguments": '{"command": "npm build"}'},
            ],
        },
        {
            "type": "approval_needed",
            "tool": "write",
            "arguments": CONFIG[1],
            "batch_remaining": [{"tool": "bash", "arguments": '{"command": "npm build"}'}],
        },
    ]
    assert session.ran == [NPM_INSTALL, NPM_BUILD]
    assert session.lines == ["✓ bash approved (session)", "✗ write rejected", "⏭ bash (session-approved)"]


# -- Rejection Modes ---------------------------------------------------------------------------------------


def test_reject_soft() -> None:
    answer = {"approved": False, "mode": "reject_soft", "feedback": "Don't write that file"}
    session, _ = run([CONFIG, NPM_BUILD], answer, {"approved": True, "scope": "once"})
    (told,) = session.told
    rejection = "User rejected tool 'write'. Feedback: Don't write that file\n\n[System reminder: Ask the user"
    assert told.startswith(rejection)
    assert session.ran == [NPM_BUILD]
    assert "tool_rejected_hard" not in session.current_session


@pytest.mark.parametrize(
    "answer",
    [
        {"approved": False, "mode": "reject_hard", "feedback": "Wrong approach entirely"},
        {"approved": False, "feedback": "Wrong approach entirely"},
        {"approved": False, "mode": "reject_somehow", "feedback": "Wrong approach entirely"},
        {"feedback": "Wrong approach entirely"},
    ],
)
def test_reject_hard(answer: dict[str, Any]) -> None:
    session, client = run([NPM_INSTALL, ("read_file", {"path": "a"}), NPM_BUILD], answer)
    rejected, *auto_rejected = session.told
    assert rejected == "User rejected tool 'bash'. Feedback: Wrong approach entirely"
    assert (len(auto_rejected), session.ran, len(client.asked)) == (2, [], 1)
    assert "tool_rejected_hard" in session.current_session


def test_reject_hard__the_user_must_send_a_new_message_to_continue() -> None:
    session, client = run([NPM_INSTALL], {"approved": False}, {"approved": True})
    session.input(NPM_BUILD)
    assert (session.ran, len(client.asked)) == ([NPM_BUILD], 2)


# -- Batch Context -----------------------------------------------------------------------------------------


def test_batch_context() -> None:
    _, client = run([NPM_INSTALL, CONFIG, NPM_BUILD], {"approved": True}, {"approved": True}, {"approved": True})
    remaining = [question.get("batch_remaining") for question in client.asked]
    write, build = ({"tool": name, "arguments": json.dumps(arguments)} for name, arguments in (CONFIG, NPM_BUILD))
    assert remaining == [[write, build], [build], None]
    assert "batch_remaining" not in client.asked[-1]


# -- Tool Classification -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "read", "read_file", "glob", "grep", "search",
        "list_files", "get_file_info", "task", "load_guide",
        "enter_plan_mode", "exit_plan_mode", "write_plan",
        "task_output", "ask_user",
    ],
)  # fmt: skip
def test_safe_tools(name: str) -> None:
    session, client = run([(name, {})])
    assert (session.ran, client.asked, session.lines) == ([(name, {})], [], [])


@pytest.mark.parametrize(
    "name",
    [
        "bash", "shell", "run", "run_in_dir",
        "write", "edit", "multi_edit",
        "run_background", "kill_task",
        "send_email", "post", "delete", "remove",
    ],
)  # fmt: skip
def test_dangerous_tools(name: str) -> None:
    session, client = run([(name, {})], {"approved": False})
    assert (session.ran, [question["tool"] for question in client.asked]) == ([], [name])


def test_unknown_tools() -> None:
    session, client = run([("paint", {})])
    assert (session.ran, client.asked) == ([("paint", {})], [])


# -- Client Protocol ---------------------------------------------------------------------------------------


def test_client_protocol__server_sends() -> None:
    _, client = run([NPM_INSTALL, CONFIG], {"approved": False})
    assert client.asked == [
        {
            "type": "approval_needed",
            "tool": "bash",
            "arguments": {"command": "npm install"},
            "batch_remaining": [{"tool": "write", "arguments": json.dumps(CONFIG[1])}],
        }
    ]


@pytest.mark.parametrize(
    ("answer", "ran"),
    [
        ({"approved": True, "scope": "once"}, True),
        ({"approved": True, "scope": "session"}, True),
        ({"approved": False, "mode": "reject_soft", "feedback": "Use yarn instead"}, False),
        ({"approved": False, "mode": "reject_hard", "feedback": "Wrong approach"}, False),
    ],
)
def test_client_protocol__client_responds(answer: dict[str, Any], ran: bool) -> None:
    session, _ = run([NPM_INSTALL], answer)
    assert session.ran == [NPM_INSTALL] * ran
    assert [answer["feedback"] in told for told in session.told] == [True] * (not ran)


# -- Approval Scopes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ({"approved": True, "scope": "once"}, 2),
        ({"approved": True, "scope": "session"}, 1),
        ({"approved": True}, 2),
        ({"approved": True, "scope": "for ever"}, 2),
    ],
)
def test_approval_scopes(answer: dict[str, Any], asked: int) -> None:
    session, client = run([NPM_INSTALL, NPM_BUILD], answer, answer)
    assert (session.ran, len(client.asked)) == ([NPM_INSTALL, NPM_BUILD], asked)


# -- Terminal Logging --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "answer", "line"),
    [
        ([NPM_INSTALL], {"approved": True, "scope": "session"}, "✓ bash approved (session)"),
        ([("edit", {})], {"approved": True, "scope": "once"}, "✓ edit approved (once)"),
        ([NPM_INSTALL] * 2, {"approved": True, "scope": "session"}, "⏭ bash (session-approved)"),
        ([NPM_INSTALL], {"approved": False, "feedback": "Use yarn"}, "✗ bash rejected: Use yarn"),
        ([NPM_INSTALL], CLOSED, "✗ bash - connection closed"),
    ],
)
def test_terminal_logging(calls: Any, answer: dict[str, Any], line: str) -> None:
    session, _ = run(calls, answer)
    assert session.lines[-1] == line


# -- Events ------------------------------------------------------------------------------------------------


def test_events() -> None:
    pytest.importorskip("connectonion")
    assert [(handler.__name__, handler._event_type) for handler in tool_approval] == [
        ("check_approval", "before_each_tool")
    ]


# -- Session Data ------------------------------------------------------------------------------------------


def test_session_data__approved_tools() -> None:
    session, _ = run([NPM_INSTALL, CONFIG], *[{"approved": True, "scope": "session"}] * 2)
    assert session.current_session["approval"] == {"approved_tools": {"bash": "session", "write": "session"}}


def test_session_data__tool_rejected_hard() -> None:
    session, _ = run([NPM_INSTALL], {"approved": False, "mode": "reject_hard"})
    assert session.current_session["tool_rejected_hard"] == "User rejected tool 'bash'."


# -- Non-Web Mode ------------------------------------------------------------------------------------------


def test_non_web_mode() -> None:
    session = Session(io=None)
    session.input(NPM_INSTALL, CONFIG, ("paint", {}))
    assert len(session.ran) == 3
