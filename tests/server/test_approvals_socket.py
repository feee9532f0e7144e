"""Approvals over a WebSocket: an app is the reviewer, in the messages of the document."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from server_bench import Served, served
from signoff import ApprovalContext, ApprovalController, ApprovalDecision, simple_approval_request
from signoff.connection import connect_agent
from signoff.queue import AgentQueue, Decision, open_review_queue
from signoff.server.approvals_socket import EXPLAIN_FIRST, MOST_CONNECTIONS, decision_of
from signoff.server.service import LONGEST_NOTE
from signoff.server.tokens import Scope, TokenFile
from system_bench import PATIENCE, eventually

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve"), "approval_mode: interactive\n") as there:
        yield there


class Agent:
    """An agent that asks, each call in a thread of its own."""

    def __init__(self, queue: AgentQueue, place: Path, threads: ThreadPoolExecutor) -> None:
        self.queue = queue
        self._place = place
        self._controller = ApprovalController(queue=queue)
        self._threads = threads

    def asks(self, tool: str, arguments: dict[str, Any], **metadata: Any) -> Future[ApprovalDecision]:
        context = ApprovalContext(tool_name=tool, args=arguments, metadata=metadata)
        request = simple_approval_request(tool, arguments)
        return self._threads.submit(self._controller.request_approval_sync, request, context)

    def waiting(self) -> list[str]:
        """The ids of its requests that wait."""
        with open_review_queue(self._place) as queue:
            return [each.id for each in queue.pending() if each.asked_by.session == self.queue.agent.session]


@pytest.fixture
def agent(server: Served, request: pytest.FixtureRequest) -> Iterator[Agent]:
    session = request.node.name
    with ThreadPoolExecutor(8) as threads, connect_agent("bot", session=session, place=server.place) as queue:
        yield Agent(queue, server.place, threads)


@pytest.fixture
def app(server: Served, request: pytest.FixtureRequest) -> Iterator[ClientConnection]:
    """A client for the requests of the test alone."""
    with opened(server, request.node.name) as line:
        yield line


def opened(server: Served, session: str, token: str | None = None, **headers: str) -> ClientConnection:
    bearer = {"Authorization": f"Bearer {token or server.token('decide')}"}
    url = f"ws://127.0.0.1:{server.port}/approvals?session={quote(session)}"
    return connect(url, additional_headers={**bearer, **headers}, open_timeout=PATIENCE)


def heard(app: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(app.recv(timeout=PATIENCE))
    return message


def answers(app: ClientConnection, **answer: Any) -> dict[str, Any]:
    app.send(json.dumps(answer))
    return heard(app)


def test_a_call_is_asked_about_and_an_approval_lets_it_run(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("bash", {"command": "npm install"})
    question = heard(app)
    assert (question["type"], question["tool"]) == ("approval_needed", "bash")
    assert question["arguments"] == {"command": "npm install"}
    assert "batch_remaining" not in question
    assert answers(app, approved=True, scope="once")["accepted"]
    decision = asked.result(PATIENCE)
    assert (decision.approved, decision.remember, decision.by) == (True, "none", "tests decide")


def test_the_later_calls_of_the_batch_come_along_as_text(agent: Agent, app: ClientConnection) -> None:
    remaining = [{"tool": "write", "arguments": {"path": "config.json"}}]
    agent.asks("bash", {"command": "ls"}, batch_id="t", batch_position=0, batch_remaining=remaining)
    question = heard(app)
    assert question["batch_remaining"] == [{"tool": "write", "arguments": '{"path": "config.json"}'}]
    answers(app, approved=False)


def test_session_answers_the_next_equal_call_and_no_other(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("edit", {"path": "a"})
    heard(app)
    answers(app, approved=True, scope="session")
    assert asked.result(PATIENCE).remember == "session"
    assert agent.asks("edit", {"path": "a"}).result(PATIENCE).approved
    other = agent.asks("edit", {"path": "b"})
    assert heard(app)["arguments"] == {"path": "b"}
    answers(app, approved=False, mode="reject_soft")
    assert not other.result(PATIENCE).approved


@pytest.mark.parametrize(
    ("answer", "hard", "note"),
    [
        ({"approved": False, "mode": "reject_soft", "feedback": "Use yarn instead"}, False, "Use yarn instead"),
        ({"approved": False, "mode": "reject_hard", "feedback": "Wrong approach"}, True, "Wrong approach"),
        ({"approved": False}, True, None),
        ({"approved": False, "mode": "something new"}, True, None),
        ({"approved": False, "mode": "reject_explain"}, False, EXPLAIN_FIRST),
        ({}, True, None),
        ({"approved": "true"}, True, None),
        ({"approved": 1, "scope": "session"}, True, None),
    ],
)
def test_a_no_reaches_the_agent_as_it_was_meant(
    agent: Agent, app: ClientConnection, answer: dict[str, Any], hard: bool, note: str | None
) -> None:
    asked = agent.asks("write", {"path": "a"})
    heard(app)
    assert answers(app, **answer)["accepted"]
    decision = asked.result(PATIENCE)
    assert (decision.approved, decision.hard, decision.note) == (False, hard, note)


def test_a_hard_no_stops_the_batch(agent: Agent, app: ClientConnection) -> None:
    first = agent.asks("bash", {"command": "1"}, batch_id="t", batch_position=0)
    heard(app)
    second = agent.asks("bash", {"command": "2"}, batch_id="t", batch_position=1)
    eventually(lambda: len(agent.waiting()) == 2)
    answers(app, approved=False, mode="reject_hard")
    assert not first.result(PATIENCE).approved
    assert second.result(PATIENCE).source == "cascade"


def test_calls_are_asked_about_one_after_the_other(agent: Agent, app: ClientConnection) -> None:
    first, second = agent.asks("write", {"path": "1"}), None
    assert heard(app)["arguments"] == {"path": "1"}
    second = agent.asks("write", {"path": "2"})
    with pytest.raises(TimeoutError):
        app.recv(timeout=0.5)
    answers(app, approved=True)
    assert heard(app)["arguments"] == {"path": "2"}
    answers(app, approved=False, mode="reject_soft")
    assert (first.result(PATIENCE).approved, second.result(PATIENCE).approved) == (True, False)


def test_a_second_click_does_not_answer_the_next_question(agent: Agent, app: ClientConnection) -> None:
    first, second = agent.asks("write", {"path": "1"}), agent.asks("write", {"path": "2"})
    question = heard(app)
    eventually(lambda: len(agent.waiting()) == 2)
    for _ in range(2):
        app.send(json.dumps({"approved": True}))
    assert heard(app)["accepted"]
    assert not heard(app)["accepted"]
    next_question = heard(app)
    assert next_question["type"] == "approval_needed"
    assert next_question["request_id"] != question["request_id"]
    assert (first.done(), second.done()) in ((True, False), (False, True))
    answers(app, approved=False, request_id=next_question["request_id"])


def test_a_revoked_token_decides_no_more_over_an_open_connection(agent: Agent, server: Served) -> None:
    text = TokenFile().new("short-lived", frozenset({Scope.DECIDE}))
    with opened(server, agent.queue.agent.session, text) as app:
        asked = agent.asks("write", {"path": "1"})
        heard(app)
        (token,) = (each for each in TokenFile().all() if each.name == "short-lived")
        TokenFile().revoke(token.id)
        app.send(json.dumps({"approved": True}))
        with pytest.raises(ConnectionClosed):
            heard(app)
    assert not asked.done()
    agent.queue.withdraw(agent.waiting()[0], "end of the test")


def test_an_answer_to_a_call_that_has_ended_meanwhile_decides_nothing_else(
    agent: Agent, app: ClientConnection, server: Served
) -> None:
    first = agent.asks("write", {"path": "1"})
    question = heard(app)
    second = agent.asks("write", {"path": "2"})
    eventually(lambda: len(agent.waiting()) == 2)
    with server.reviewing() as queue:
        target = question["request_id"], question["revision"], question["digest"]
        assert queue.decide(*target, Decision(approved=False)).accepted
    assert heard(app)["type"] == "approval_ended"
    assert not answers(app, approved=True)["accepted"]
    assert not first.result(PATIENCE).approved
    assert heard(app)["arguments"] == {"path": "2"}
    assert not second.done()
    answers(app, approved=False)


def test_an_answer_that_names_another_request_decides_nothing(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    assert not answers(app, approved=True, request_id="0" * 20)["accepted"]
    assert not asked.done()
    assert answers(app, approved=False)["accepted"]


def test_words_too_long_to_be_read_decide_nothing(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    refused = answers(app, approved=True, feedback="x" * (LONGEST_NOTE + 1))
    assert (refused["accepted"], asked.done()) == (False, False)
    assert "longer than" in refused["message"]
    heard(app)
    assert answers(app, approved=True, feedback="x" * LONGEST_NOTE)["accepted"]


def test_a_client_that_leaves_decides_nothing_and_the_call_waits_on(agent: Agent, server: Served) -> None:
    session = agent.queue.agent.session
    with opened(server, session) as app:
        asked = agent.asks("write", {"path": "1"})
        heard(app)
    with opened(server, session) as app:
        heard(app)
        assert not asked.done()
        answers(app, approved=True)
    assert asked.result(PATIENCE).approved


YES = b'{"approved": true}'
MASK = bytes(4)
"""It leaves bytes as they are."""


@pytest.mark.parametrize(
    "frame",
    [
        "{",
        "[]",
        "null",
        '{"approved": false, "feedback": "\\ud800"}',
        '{"approved": true, "approved": true}',
        b"{}",
        "x" * 70_000,
    ],
)
def test_a_malformed_frame_ends_the_connection_and_decides_nothing(
    agent: Agent, app: ClientConnection, frame: str | bytes
) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    app.send(frame)
    with pytest.raises(ConnectionClosed):
        heard(app)
    assert not asked.done()
    agent.queue.withdraw(agent.waiting()[0], "end of the test")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"\x81\x12" + YES, id="not masked"),
        pytest.param(b"\xc1\x92" + MASK + YES, id="a reserved bit"),
        pytest.param(b"\x83\x92" + MASK + YES, id="an unknown kind"),
        pytest.param(b"\x80\x92" + MASK + YES, id="the rest of nothing"),
        pytest.param(b"\x81\x82" + MASK + b"\xff\xfe", id="not UTF-8"),
        pytest.param(b"\x81\xff" + b"\xff" * 8 + MASK + YES, id="longer than there are bytes"),
        pytest.param(b"\x89\xfe\x00\x7e" + MASK + YES * 7, id="a long ping"),
    ],
)
def test_bytes_that_are_no_frames_end_the_connection_and_decide_nothing(
    agent: Agent, app: ClientConnection, sent: bytes
) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    app.socket.sendall(sent)
    with pytest.raises(ConnectionClosed):
        heard(app)
    assert not asked.done()
    agent.queue.withdraw(agent.waiting()[0], "end of the test")


def test_a_line_that_breaks_in_a_frame_decides_nothing(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    app.socket.sendall((b"\x81\x92" + MASK + YES)[:-1])
    app.socket.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionClosed):
        heard(app)
    assert not asked.done()
    agent.queue.withdraw(agent.waiting()[0], "end of the test")


def test_the_frame_of_these_tests_decides_when_it_is_whole(agent: Agent, app: ClientConnection) -> None:
    asked = agent.asks("write", {"path": "1"})
    heard(app)
    app.socket.sendall(b"\x81\x92" + MASK + YES)
    assert asked.result(PATIENCE).approved


def test_secrets_are_masked(agent: Agent, app: ClientConnection) -> None:
    agent.asks("post", {"url": "https://example.com", "password": "hunter2"})
    assert "hunter2" not in json.dumps(heard(app))
    answers(app, approved=False)


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_a_page_of_another_site_cannot_connect(server: Served, origin: str) -> None:
    with pytest.raises(InvalidStatus):
        opened(server, "s", Origin=origin)


def test_another_name_of_the_server_cannot_connect(server: Served) -> None:
    bearer = {"Authorization": f"Bearer {server.token('decide')}"}
    with (
        socket.create_connection(("127.0.0.1", server.port)) as line,
        pytest.raises(InvalidStatus),
    ):
        connect(f"ws://evil.example:{server.port}/approvals", additional_headers=bearer, sock=line)


@pytest.mark.parametrize("token", ["", "wrong"])
def test_nobody_connects_without_a_token(server: Served, token: str) -> None:
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{server.port}/approvals", additional_headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("scope", ["ask", "read"])
def test_a_token_that_may_not_decide_cannot_connect(server: Served, scope: str) -> None:
    with pytest.raises(InvalidStatus):
        opened(server, "s", server.token(scope))


@pytest.mark.parametrize("mode", [None, "gentle", 1, ["reject_soft"], {"a": 1}])
def test_a_no_of_an_unknown_mode_is_hard(mode: object) -> None:
    assert decision_of({"approved": False, "mode": mode}).hard


def test_a_client_too_many_is_refused_until_others_have_left(server: Served) -> None:
    words = (
        f"GET /approvals HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {'A' * 22}==\r\n"
        f"Authorization: Bearer {server.token('decide')}\r\n\r\n"
    )
    with ExitStack() as stack:
        answers = []
        for _ in range(MOST_CONNECTIONS + 1):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            line.sendall(words.encode())
            answers.append(line.recv(12))
        assert answers[0] == b"HTTP/1.1 101"
        assert answers.count(b"HTTP/1.1 101") <= MOST_CONNECTIONS
        assert answers[-1] == b"HTTP/1.1 403"

    def connects() -> bool:
        with suppress(InvalidStatus), opened(server, "nobody"):
            return True
        return False

    assert eventually(connects)


def test_a_missing_scope_is_once() -> None:
    assert decision_of({"approved": True}).remember is False
