"""Real agents of ConnectOnion that ask in the queue, and the two plugins of its document beside each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("connectonion")

from connectonion.useful_plugins import tool_approval as their_plugin
from connectonion_agents import Call, Conversation

from answering import PATIENCE, Answer, Reviewer
from connectonion_client import CLOSED, Client
from signoff import ApprovalController
from signoff.adapters.connectonion import QueueIO
from signoff.adapters.connectonion import tool_approval as our_plugin
from signoff.queue import AgentQueue, Decision

StartReviewer = Callable[[Answer], Reviewer]

INSTALL: Call = ("bash", {"command": "npm install left-pad"})
PUBLISH: Call = ("bash", {"command": "npm publish"})
WRITE: Call = ("write", {"file_path": "config.json", "content": "{}"})

each_plugin = pytest.mark.parametrize("plugin", [their_plugin, our_plugin], ids=["theirs", "ours"])


@pytest.fixture(autouse=True)
def _own_directory(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents look for settings where they are started."""
    monkeypatch.chdir(workdir)
    monkeypatch.setenv("HOME", str(workdir))


@pytest.fixture
def io(asking: AgentQueue) -> QueueIO:
    controller = ApprovalController(queue=asking, expires_in=PATIENCE)
    return QueueIO(controller, caller="assistant")


# -- asking in the queue -----------------------------------------------------------------------------------


@each_plugin
def test_what_is_approved_runs(plugin: Any, io: QueueIO, reviewed: StartReviewer) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True))
    talk = Conversation(plugin, io, [INSTALL, PUBLISH])
    assert talk.input() == "done"
    assert talk.ran == [INSTALL, PUBLISH]
    first, second = reviewer.seen
    call = first.submission
    assert (call.tool_name, call.arguments, call.payload) == (*INSTALL, INSTALL[1])
    assert (first.asked_by.caller, first.asked_by.via) == ("assistant", "connectonion")
    assert call.batch_remaining == ({"tool": "bash", "arguments": PUBLISH[1]},)
    assert second.submission.batch_remaining == ()


@each_plugin
def test_a_soft_refusal_is_told_to_the_model_and_the_agent_goes_on(
    plugin: Any, io: QueueIO, reviewed: StartReviewer
) -> None:
    soft = Decision(approved=False, note="use yarn")
    reviewed(lambda asked: soft if asked.submission.arguments == INSTALL[1] else Decision(approved=True))
    talk = Conversation(plugin, io, [INSTALL, PUBLISH])
    assert talk.input() == "done"
    assert talk.ran == [PUBLISH]
    assert talk.results == ["Error: User rejected tool 'bash'. Feedback: use yarn", "ran"]


@each_plugin
def test_a_hard_refusal_stops_the_batch_and_the_agent_until_its_user_says_more(
    plugin: Any, io: QueueIO, reviewed: StartReviewer
) -> None:
    answers = iter([Decision(approved=False, hard=True), Decision(approved=True)])
    reviewed(lambda _: next(answers))
    talk = Conversation(plugin, io, [INSTALL, WRITE], [PUBLISH])
    talk.input()
    assert (talk.ran, len(talk.model.heard)) == ([], 1)
    assert talk.results == ["User rejected tool 'bash'.", "Rejected by user"]
    assert talk.input("go on, then") == "done"
    assert talk.ran == [PUBLISH]


@each_plugin
def test_nobody_answering_is_no_rejection(plugin: Any, asking: AgentQueue) -> None:
    io = QueueIO(ApprovalController(queue=asking, expires_in=0.001))
    talk = Conversation(plugin, io, [INSTALL])
    assert talk.input() == "done"
    (told,) = talk.results
    assert "'bash'" in told
    assert "rejected" not in told
    assert talk.ran == []


@each_plugin
def test_an_approval_for_the_session_covers_equal_calls_only(
    plugin: Any, io: QueueIO, reviewed: StartReviewer
) -> None:
    answers = iter([Decision(approved=True, remember=True), Decision(approved=False)])
    reviewer = reviewed(lambda _: next(answers))
    other: Call = ("bash", {"command": "npm install right-pad"})
    talk = Conversation(plugin, io, [INSTALL], [INSTALL], [other])
    talk.input()
    assert talk.ran == [INSTALL, INSTALL]
    assert [asked.submission.arguments for asked in reviewer.seen] == [INSTALL[1], other[1]]


@each_plugin
def test_the_mode_of_the_controller_counts(plugin: Any, asking: AgentQueue) -> None:
    talk = Conversation(plugin, QueueIO(ApprovalController("strict", queue=asking)), [INSTALL])
    talk.input()
    assert talk.ran == []


# -- the plugin of ConnectOnion and ours -------------------------------------------------------------------

SESSION = {"approved": True, "scope": "session"}
SOFT = {"approved": False, "mode": "reject_soft", "feedback": "Don't write that file"}
HARD = {"approved": False, "mode": "reject_hard"}
HARD_WITH_WORDS = {**HARD, "feedback": "Wrong approach"}
EXPLAIN = {"approved": False, "mode": "reject_explain"}


def replay(
    plugin: Any, turns: list[list[Call]], *answers: object
) -> tuple[Conversation, list[dict[str, Any]], str]:
    """A conversation with a client; the questions are without what the document does not have."""
    client = Client(*answers)
    talk = Conversation(plugin, client, *turns)
    said = talk.input()
    return talk, [documented(question) for question in client.asked], said


def documented(question: dict[str, Any]) -> dict[str, Any]:
    """A question without a description, and without the first word of a command behind the name of the tool."""
    shown = {key: value for key, value in question.items() if key in ("type", "arguments")}
    shown["tool"] = question["tool"].partition(":")[0]
    if "batch_remaining" in question:
        later = question["batch_remaining"]
        shown["batch_remaining"] = [{**call, "tool": call["tool"].partition(":")[0]} for call in later]
    return shown


@pytest.mark.parametrize(
    ("turns", "answers"),
    [
        ([[INSTALL, WRITE, PUBLISH]], [SESSION, SOFT]),
        ([[INSTALL, WRITE, PUBLISH], [PUBLISH]], [HARD]),
        ([[WRITE], [INSTALL]], [{}]),
        ([[INSTALL], [INSTALL]], [{"approved": True}, {"approved": True, "scope": "once"}]),
    ],
    ids=["lifecycle", "reject_hard", "missing", "once"],
)
def test_both_plugins_say_the_same(turns: list[list[Call]], answers: list[object]) -> None:
    theirs, their_questions, their_answer = replay(their_plugin, turns, *answers)
    ours, our_questions, our_answer = replay(our_plugin, turns, *answers)
    assert our_questions == their_questions
    assert (ours.ran, ours.results, our_answer) == (theirs.ran, theirs.results, their_answer)
    assert len(ours.model.heard) == len(theirs.model.heard)


@pytest.mark.parametrize("answer", [HARD_WITH_WORDS, EXPLAIN, CLOSED], ids=["words", "explain", "closed"])
def test_where_the_document_has_no_words_both_plugins_do_the_same(answer: dict[str, Any]) -> None:
    turns = [[WRITE, INSTALL]]
    theirs, their_questions, _ = replay(their_plugin, turns, answer, SESSION)
    ours, our_questions, _ = replay(our_plugin, turns, answer, SESSION)
    assert our_questions == their_questions
    assert (ours.ran, len(ours.model.heard)) == (theirs.ran, len(theirs.model.heard))
    for talk in (ours, theirs):
        assert "'write'" in talk.results[0] or "Wrong approach" in talk.results[0]


def test_a_stop_ends_with_the_users_next_message() -> None:
    talk, questions, _ = replay(our_plugin, [[INSTALL, WRITE], [PUBLISH]], HARD_WITH_WORDS, {"approved": True})
    assert (talk.ran, len(questions), len(talk.model.heard)) == ([], 1, 1)
    talk.input("go on")
    assert talk.ran == [PUBLISH]
