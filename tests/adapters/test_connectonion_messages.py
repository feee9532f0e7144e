"""The messages of ConnectOnion's tool approval, beyond its document: `QueueIO` and the settings of the plugin."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from answering import Answer, Reviewer
from asked import Asked
from connectonion_client import CLOSED, Client
from signoff import ApprovalController, ApprovalDecision
from signoff.adapters.connectonion import QueueIO, approval_plugin
from signoff.adapters.connectonion.queue_io import answer_of
from signoff.canonical import NotJsonError
from signoff.queue import AgentQueue, Decision, DecisionSource

NEEDED = {"type": "approval_needed", "tool": "bash", "arguments": {"command": "npm install"}}


def client(asked: Asked) -> QueueIO:
    return QueueIO(ApprovalController(approval_callback=asked))


# -- answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        ({"approved": True}, {"approved": True, "scope": "once"}),
        ({"approved": True, "remember": "session"}, {"approved": True, "scope": "once"}),
        ({"approved": False, "mode": "soft"}, {"approved": False, "mode": "reject_soft"}),
        ({"approved": False, "note": "no"}, {"approved": False, "mode": "reject_hard", "feedback": "no"}),
    ],
)
def test_a_persons_decision_is_told_in_the_words_of_the_document(
    decision: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert answer_of(ApprovalDecision(**decision)) == answer


@pytest.mark.parametrize("source", [DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR])
def test_where_nobody_decided_the_connection_is_closed(source: DecisionSource) -> None:
    decision = ApprovalDecision(approved=False, source=source, note="late", mode="soft")
    assert answer_of(decision) == {"type": "io_closed", "approved": False, "reason": "late"}


# -- questions ---------------------------------------------------------------------------------------------


def test_other_messages_are_dropped_and_not_answered() -> None:
    asked = Asked()
    io = client(asked)
    io.send({"type": "ask_user", "question": "yes?"})
    assert io.receive()["type"] == "io_closed"
    assert (io.receive_all(), io.receive_all("INTERRUPT"), asked.times) == ([], [], 0)


def test_an_answer_is_for_the_message_before_it() -> None:
    asked = Asked()
    io = client(asked)
    io.send(NEEDED)
    io.send({"type": "ask_user", "question": "yes?"})
    assert (io.receive().get("approved"), asked.times) == (False, 0)


def test_a_question_is_answered_once() -> None:
    io = client(Asked())
    io.send(NEEDED)
    assert [io.receive()["approved"], io.receive()["approved"]] == [True, False]


def test_of_two_questions_without_an_answer_between_them_neither_is_asked() -> None:
    asked = Asked()
    io = client(asked)
    io.send(NEEDED)
    with pytest.raises(RuntimeError, match="bash was not yet answered"):
        io.send(NEEDED)
    assert (io.receive()["approved"], asked.times) == (False, 0)


def test_another_thread_does_not_get_the_answer() -> None:
    asked, got = Asked(), []
    io = client(asked)
    io.send(NEEDED)
    other = threading.Thread(target=lambda: got.append(io.receive()))
    other.start()
    other.join()
    assert ([answer["approved"] for answer in got], asked.times) == ([False], 0)
    assert io.receive()["approved"] is True


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"tool": ""}, ValueError),
        ({"arguments": "{}"}, ValueError),
        ({"arguments": {"x": object()}}, NotJsonError),
    ],
)
def test_a_question_that_cannot_be_shown_is_not_asked(change: dict[str, Any], error: type[Exception]) -> None:
    asked = Asked()
    io = client(asked)
    with pytest.raises(error):
        io.send({**NEEDED, **change})
    assert (io.receive()["approved"], asked.times) == (False, 0)


def test_what_is_asked_about_is_what_was_sent() -> None:
    asked, packages = Asked(), ["left-pad"]
    io = client(asked)
    io.send({**NEEDED, "tool": "install", "arguments": {"packages": packages}})
    packages.append("right-pad")
    io.receive()
    assert asked.requests[0].arguments == {"packages": ["left-pad"]}


@pytest.mark.parametrize(
    ("told", "tool"), [("bash:npm", "bash"), ("bash:rm", "bash:rm"), ("bash:", "bash:"), ("bash", "bash")]
)
def test_the_first_word_of_a_command_is_no_part_of_the_name(told: str, tool: str) -> None:
    asked = Asked()
    io = client(asked)
    io.send({**NEEDED, "tool": told})
    io.receive()
    assert asked.tools == [tool]


@pytest.mark.parametrize(
    ("later", "shown"),
    [
        ({"tool": "bash:npm", "arguments": '{"command": "npm build"}'}, ("bash", {"command": "npm build"})),
        ({"tool": "write", "arguments": '{"file'}, ("write", {"not JSON": '{"file'})),
        ({"tool": "write", "arguments": "[1]"}, ("write", {"not JSON": "[1]"})),
        ({"tool": "write", "arguments": {"file": "a"}}, ("write", {"file": "a"})),
    ],
)
def test_later_calls_reach_the_reviewer(
    asking: AgentQueue, reviewed: Callable[[Answer], Reviewer], later: dict[str, Any], shown: tuple[str, Any]
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True))
    io = QueueIO(ApprovalController(queue=asking))
    io.send({**NEEDED, "batch_remaining": [later]})
    assert io.receive() == {"approved": True, "scope": "once"}
    tool, arguments = shown
    assert reviewer.seen[0].submission.batch_remaining == ({"tool": tool, "arguments": arguments},)


def test_the_rule_that_asked_is_shown() -> None:
    asked = Asked()
    io = client(asked)
    io.send({**NEEDED, "policy": {"decision": "ask", "policy_id": "auto", "reason": "runs a program"}})
    io.receive()
    assert asked.requests[0].why == "auto: runs a program"


# -- the settings of the plugin ----------------------------------------------------------------------------


class Terminal:
    """The log of an agent."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, line: str, style: str | None = None) -> None:
        self.lines.append(line)


def agent(name: str, io: Any, **session: Any) -> SimpleNamespace:
    pending = {"name": name, "arguments": {"command": "x"}, "id": "call-1"}
    return SimpleNamespace(
        io=io, logger=Terminal(), current_session={"pending_tool": pending, "turn": 1, **session}
    )


def test_unknown_tools_are_asked_about_if_wanted() -> None:
    web = Client({"approved": True})
    (check,) = approval_plugin(unknown="ask")
    check(agent("paint", web))
    check(agent("read_file", web))
    assert [question["tool"] for question in web.asked] == ["paint"]


@pytest.mark.parametrize(("name", "runs"), [("bash", False), ("read_file", True), ("paint", True)])
def test_without_a_client_what_would_be_asked_about_is_refused_if_wanted(name: str, runs: bool) -> None:
    (check,) = approval_plugin(headless="deny")
    if runs:
        check(agent(name, None))
        return
    with pytest.raises(ValueError, match="'bash' was not run: it needs approval"):
        check(agent(name, None))


def test_a_stop_comes_before_everything_also_without_a_client() -> None:
    (check,) = approval_plugin()
    for flag in ("tool_rejected_hard", "stop_signal"):
        with pytest.raises(ValueError, match="rejected this batch"):
            check(agent("read_file", None, **{flag: "stop"}))


def test_a_stop_of_an_earlier_turn_is_over_and_one_of_somebody_else_is_not() -> None:
    (check,) = approval_plugin()
    stopped = agent("bash", Client({"approved": False}))
    with pytest.raises(ValueError, match="User rejected"):
        check(stopped)
    stopped.current_session["turn"] = 2
    stopped.current_session["stop_signal"] = "by another plugin"
    with pytest.raises(ValueError, match="rejected this batch"):
        check(stopped)
    del stopped.current_session["stop_signal"]
    stopped.io = None
    check(stopped)


@pytest.mark.parametrize("answer", [None, "yes", {"approved": 1}, {"approved": "true"}])
def test_only_an_explicit_yes_is_one(answer: object) -> None:
    (check,) = approval_plugin()
    with pytest.raises(ValueError, match="User rejected tool 'bash'"):
        check(agent("bash", Client(answer)))


def test_an_interrupt_stops_the_agent() -> None:
    (check,) = approval_plugin()
    interrupted = agent("bash", Client({"type": "INTERRUPT"}))
    with pytest.raises(ValueError, match="the user interrupted"):
        check(interrupted)
    assert interrupted.current_session["stop_signal"] == "Interrupted by user"


@pytest.mark.parametrize(
    ("reason", "told"), [({}, "was not run."), ({"reason": "expired"}, "was not run (expired).")]
)
def test_a_closed_connection_is_told_with_its_reason(reason: dict[str, str], told: str) -> None:
    (check,) = approval_plugin()
    with pytest.raises(ValueError, match="'bash'") as raised:
        check(agent("bash", Client({**CLOSED, **reason})))
    assert str(raised.value).endswith(told)


def test_an_explanation_is_asked_for_and_the_agent_goes_on() -> None:
    (check,) = approval_plugin()
    asked = agent("bash", Client({"approved": False, "mode": "reject_explain", "feedback": "why?"}))
    with pytest.raises(ValueError, match=r"'bash' explained\. Feedback: why\?\n\n\[System reminder"):
        check(asked)
    assert "tool_rejected_hard" not in asked.current_session


def test_arguments_that_are_changed_while_the_client_reads_do_not_run() -> None:
    (check,) = approval_plugin()
    changed = agent("bash", None)

    class Changing(Client):
        def receive(self) -> Any:
            changed.current_session["pending_tool"]["arguments"]["command"] = "rm -rf /"
            return super().receive()

    changed.io = Changing({"approved": True, "scope": "session"})
    with pytest.raises(ValueError, match="changed since it was approved"):
        check(changed)
    assert "approval" not in changed.current_session


def test_words_of_a_client_are_neither_markup_nor_lines_of_their_own() -> None:
    (check,) = approval_plugin()
    asked = agent("bash", Client({"approved": False, "feedback": "[/red]\n✓ bash approved \x1b[1m"}))
    with pytest.raises(ValueError, match="User rejected"):
        check(asked)
    assert asked.logger.lines == [r"✗ bash rejected: \[/red]^J✓ bash approved ^[[1m"]


@pytest.mark.parametrize("setting", [{"unknown": "run"}, {"headless": "ask"}])
def test_an_unknown_setting_is_refused(setting: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        approval_plugin(**setting)
