"""The gate before a server of MCP at an address: a real one of the SDK, over Streamable HTTP."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from changing_mcp_server import DefinedByFile
from mcp_gate_bench import ADAPTERS, GATE, MODERN, call

from answering import Answer, Reviewer, waiting, yes
from signoff.queue import Decision, Instead, RequestState, ReviewQueue, StoredRequest
from system_bench import PATIENCE, eventually

httpx = pytest.importorskip("httpx")
mcp = pytest.importorskip("mcp", reason="needs pydantic-ai-slim[mcp]")
pytest.importorskip("starlette", reason="needs signoff[mcp-proxy]")

Review = Callable[[Answer], Reviewer]
ACCEPT = "application/json, text/event-stream"


@pytest.fixture
def defined(tmp_path: Path) -> DefinedByFile:
    return DefinedByFile(tmp_path)


@contextmanager
def started(command: list[str], folder: Path, place: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "SIGNOFF_QUEUE": str(place)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def server_of(defined: DefinedByFile, folder: Path, place: Path) -> Iterator[str]:
    """The address of a server of the SDK."""
    server = [sys.executable, str(ADAPTERS / "changing_mcp_server.py"), str(defined.path), "http"]
    with started(server, folder, place) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@contextmanager
def gate_before(upstream: str, folder: Path, place: Path) -> Iterator[str]:
    """The address of a gate."""
    command = [*GATE[:-1], "--upstream", upstream, "--listen", "127.0.0.1:0"]
    with started(command, folder, place) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("signoff: serving at "), said
        yield said.split()[-1]


PLACED = {
    "name": "store",
    "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
}
"""A tool with an argument that a header mirrors."""


class PlainServer(ThreadingHTTPServer):
    """A server without any library, which keeps the headers of calls; at ``/moved`` it leads elsewhere."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _PlainAnswers)
        self.called: list[list[tuple[str, str]]] = []

    def address(self, path: str = "/mcp") -> str:
        """An address of it."""
        return f"http://127.0.0.1:{self.server_port}{path}"

    def headers(self, name: str) -> list[str]:
        """The values of a header of the last call."""
        return [value for key, value in self.called[-1] if key.lower() == name]


class _PlainAnswers(BaseHTTPRequestHandler):
    server: PlainServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        found: dict[str, Any] = {"tools": [PLACED]}
        if asked["method"] == "tools/call":
            self.server.called.append(self.headers.items())
            found = {"content": [{"type": "text", "text": "done"}]}
            if "requestState" not in asked["params"]:
                found |= {"resultType": "input_required", "requestState": "state-1"}
        self.send_response(307 if self.path == "/moved" else 200)
        self.send_header("location", "http://127.0.0.1:9/mcp")
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": found}).encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def plain() -> Iterator[PlainServer]:
    with PlainServer() as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        server.shutdown()
        serving.join()


@pytest.fixture
def plain_gate(plain: PlainServer, workdir: Path, place: Path) -> Iterator[str]:
    with gate_before(plain.address(), workdir, place) as address:
        yield address


@pytest.fixture
def upstream(defined: DefinedByFile, workdir: Path, place: Path) -> Iterator[str]:
    with server_of(defined, workdir, place) as address:
        yield address


@pytest.fixture
def gate(upstream: str, workdir: Path, place: Path) -> Iterator[str]:
    with gate_before(upstream, workdir, place) as address:
        yield address


class Attacked(NamedTuple):
    """A gate that lets nothing through, for many tests: starting it takes longer than all that they do."""

    gate: str
    defined: DefinedByFile


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked")
    defined, place = DefinedByFile(folder), folder / "queue"
    with server_of(defined, folder, place) as server, gate_before(server, folder, place) as address:
        yield Attacked(address, defined)


def headers(body: Mapping[str, Any]) -> dict[str, str]:
    """What a client of the protocol without a handshake says with a message."""
    named = {"mcp-name": body["params"]["name"]} if body["method"] == "tools/call" else {}
    said = {"mcp-method": body["method"], "mcp-protocol-version": "2026-07-28", **named}
    return {"accept": ACCEPT, "content-type": "application/json", **said}


def modern(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "params": {**body.get("params", {}), "_meta": MODERN}}


def post(address: str, body: dict[str, Any], **more: str) -> Any:
    """Send a message, and wait for the answer, whichever way it comes."""
    answer = httpx.post(address, json=body, headers={**headers(body), **more}, timeout=PATIENCE)
    lines = answer.text.splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return json.loads(data[-1] if data else answer.text)


def result(answer: Any) -> str:
    return str(answer["result"]["content"][0]["text"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_held_call_runs_when_it_is_approved(
    mode: Any, gate: str, defined: DefinedByFile, reviewed: Review
) -> None:
    heard: list[str | None] = []

    async def progressed(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    reviewer = reviewed(waiting)
    decide = threading.Thread(target=_approve_when, args=(heard, reviewer))
    decide.start()
    async with mcp.Client(gate, mode=mode) as client:
        answer = await client.call_tool("send", {"to": "anna"}, progress_callback=progressed)
    decide.join()
    assert not answer.is_error
    assert heard == ["waiting for a person to approve this call"]
    assert defined.called == [{"to": "anna"}]


def _approve_when(heard: list[str | None], reviewer: Reviewer) -> None:
    from signoff.queue import open_review_queue

    [asked] = reviewer.wait_for(1)
    eventually(lambda: heard, "a sign of life")
    with open_review_queue(Path(os.environ["SIGNOFF_QUEUE"])) as queue:
        queue.decide(asked.id, asked.revision, asked.submission.digest, Decision(approved=True))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_listings_are_those_of_the_server(mode: Any, gate: str, upstream: str) -> None:
    found = []
    for address in (upstream, gate):
        async with mcp.Client(address, mode=mode) as client:
            found.append((await client.list_tools()).model_dump_json())
    assert found[0] == found[1]


def test_the_answer_of_the_server_passes_unchanged(gate: str, upstream: str) -> None:
    body = modern({"jsonrpc": "2.0", "id": 1, "method": "server/discover"})
    direct, through = (httpx.post(address, json=body, headers=headers(body)) for address in (upstream, gate))
    assert (direct.status_code, direct.content) == (through.status_code, through.content)


def test_the_model_reads_the_words_of_a_no(gate: str, defined: DefinedByFile, reviewed: Review) -> None:
    reviewed(lambda _: Decision(approved=False, note="write to berta"))
    assert result(post(gate, modern(call(1, to="anna")))) == "Approval denied: write to berta"
    assert defined.called == []


def test_edited_arguments_run(gate: str, defined: DefinedByFile, reviewed: Review) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"to": "berta"})))
    assert result(post(gate, modern(call(1, to="anna")))) == "sent"
    assert defined.called == [{"to": "berta"}]


async def test_edited_arguments_run_where_headers_mirror_them(
    gate: str, defined: DefinedByFile, reviewed: Review
) -> None:
    defined.define(PLACED)
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"region": "größe"})))
    async with mcp.Client(gate, mode="auto") as client:
        await client.list_tools()
        await client.call_tool("store", {"region": "us"})
    assert defined.called == [{"region": "größe"}]


def placed(of: int, tool: str = "store", **arguments: Any) -> dict[str, Any]:
    return modern(call(of, tool, **arguments))


def post_with(address: str, body: dict[str, Any], *more: tuple[str, str]) -> Any:
    """Send a message with further headers, each as often as it is given."""
    given = [*headers(body).items(), *more]
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given]
    return httpx.post(address, json=body, headers=raw, timeout=PATIENCE)


@pytest.mark.parametrize("said", [("us",), ("us", "eu"), ("eu", "us"), ()])
def test_headers_mirror_the_arguments_that_were_shown(
    said: tuple[str, ...], plain_gate: str, plain: PlainServer, reviewed: Review
) -> None:
    reviewed(yes)
    post_with(plain_gate, placed(1, region="eu"), *[("mcp-param-region", each) for each in said])
    assert plain.headers("mcp-param-region") == ["eu"]


def test_a_header_that_mirrors_no_argument_does_not_reach_the_server(
    plain_gate: str, plain: PlainServer, reviewed: Review
) -> None:
    reviewed(yes)
    post_with(plain_gate, placed(1), ("mcp-param-region", "us"), ("mcp-param-path", "/"))
    assert [name for name, _ in plain.called[-1] if name.lower().startswith("mcp-param-")] == []


def test_headers_of_a_repeated_call_mirror_the_arguments_that_were_approved(
    plain_gate: str, plain: PlainServer, reviewed: Review
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"region": "eu"})))
    post_with(plain_gate, placed(1, region="us"))
    again = placed(2, region="us")
    again["params"]["requestState"] = "state-1"
    post_with(plain_gate, again, ("mcp-param-region", "us"))
    assert [plain.headers("mcp-param-region"), len(plain.called)] == [["eu"], 2]


def test_a_tool_may_have_a_name_that_a_header_spells_in_base64(
    gate: str, defined: DefinedByFile, reviewed: Review
) -> None:
    defined.define({**PLACED, "name": "löschen"})
    reviewed(yes)
    body = placed(1, "löschen")
    wrapped = {**headers(placed(1)), "mcp-name": "=?base64?bMO2c2NoZW4=?="}
    assert httpx.post(gate, json=body, headers=wrapped, timeout=PATIENCE).status_code == 200
    assert defined.called == [{}]


def test_a_header_that_is_there_twice_reaches_the_server_twice(
    plain_gate: str, plain: PlainServer, reviewed: Review
) -> None:
    reviewed(yes)
    post_with(plain_gate, placed(1), ("x-trace", "a"), ("x-trace", "b"))
    assert plain.headers("x-trace") == ["a", "b"]


def test_a_header_with_other_characters_reaches_the_server(
    plain_gate: str, plain: PlainServer, reviewed: Review
) -> None:
    reviewed(yes)
    post_with(plain_gate, placed(1), ("x-trace", "größe"))
    assert plain.headers("x-trace") == ["größe"]


def test_a_client_is_not_led_past_the_gate(plain: PlainServer, workdir: Path, place: Path) -> None:
    with gate_before(plain.address("/moved"), workdir, place) as address:
        answer = post_with(address, PING)
    assert (answer.status_code, "location" in answer.headers) == (502, False)
    assert answer.json()["error"]["message"].endswith("give the gate the address it redirects to")


def test_what_is_remembered_is_not_asked_again(gate: str, defined: DefinedByFile, reviewed: Review) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    for of in (1, 2):
        post(gate, modern(call(of, to="anna")))
    assert len(defined.called) == 2
    assert len(reviewer.seen) == 1


def withdrawn(queue: ReviewQueue, asked: StoredRequest) -> None:
    eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")


def test_a_client_that_leaves_takes_its_call_back(
    gate: str, defined: DefinedByFile, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    body = modern(call(1, to="anna"))
    with httpx.stream("POST", gate, json=body, headers=headers(body), timeout=PATIENCE):
        [asked] = reviewer.wait_for(1)
    withdrawn(looking, asked)
    assert defined.called == []


def test_a_cancelled_call_is_withdrawn(
    gate: str, defined: DefinedByFile, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    body = modern(call(1, to="anna"))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with httpx.stream("POST", gate, json=body, headers=headers(body), timeout=PATIENCE) as answer:
        [asked] = reviewer.wait_for(1)
        assert httpx.post(gate, json=cancel, headers=headers(cancel)).status_code == 202
        assert "result" not in answer.read().decode()
    withdrawn(looking, asked)
    assert defined.called == []


def test_two_clients_without_sessions_may_use_the_same_id(
    gate: str, defined: DefinedByFile, reviewed: Review
) -> None:
    reviewer = reviewed(
        lambda request: waiting(request) if request.submission.arguments["to"] == "anna" else yes(request)
    )
    held = modern(call(1, to="anna"))
    with httpx.stream("POST", gate, json=held, headers=headers(held), timeout=PATIENCE):
        reviewer.wait_for(1)
        post(gate, modern(call(1, to="berta")))
    assert defined.called == [{"to": "berta"}]


def test_a_server_that_is_not_there_is_no_yes(workdir: Path, place: Path, reviewed: Review) -> None:
    reviewed(yes)
    with gate_before("http://127.0.0.1:9/mcp", workdir, place) as address:
        assert "cannot be reached" in result(post(address, modern(call(1))))


CALL = modern(call(1, to="x"))
PING = modern({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (json.dumps(PING), {"mcp-method": "tools/call", "mcp-name": "send"}),
        (json.dumps(CALL), {"mcp-method": "ping"}),
        (json.dumps(CALL), {"mcp-name": "look"}),
        (json.dumps(CALL), {"mcp-name": "=?base64?bG9vaw==?="}),
        (json.dumps(CALL), {"mcp_name": "look"}),
        (json.dumps([CALL]), {}),
        (json.dumps({**CALL, "id": None}), {}),
        (json.dumps({key: value for key, value in CALL.items() if key != "id"}), {}),
        (json.dumps(PING).replace('"method"', '"method":"tools/call","method"'), {}),
        (json.dumps(CALL).encode("utf-16"), {}),
        (json.dumps(CALL), {"content-type": "text/plain"}),
        (gzip.compress(json.dumps(CALL).encode()), {"content-encoding": "gzip"}),
        ("", {}),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(
    body: str | bytes, more: dict[str, str], attacked: Attacked
) -> None:
    answer = httpx.post(attacked.gate, content=body, headers={**headers(CALL), **more})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("signoff did not pass this on")
    assert attacked.defined.called == []


@pytest.mark.parametrize(
    ("more", "status"),
    [({"host": "evil.example"}, 421), ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403)],
)
def test_a_page_of_another_server_is_not_let_in(more: dict[str, str], status: int, attacked: Attacked) -> None:
    assert httpx.post(attacked.gate, json=CALL, headers={**headers(CALL), **more}).status_code == status
    assert attacked.defined.called == []


def test_other_paths_lead_nowhere(attacked: Attacked) -> None:
    assert httpx.post(f"{attacked.gate}/more", json=CALL, headers=headers(CALL)).status_code == 404
