"""From an approval to the agent that goes on: over HTTP and WebSocket, beside the bare queue; many connections.

One agent, hosted by a real server, asks again and again; each approval takes another of the three ways, in turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from benchmarks.measuring import percentile, spread
from signoff.queue import Decision, ReviewQueue, open_review_queue
from signoff.server.sockets import MOST_IDLE

ROUNDS = 100
STREAMS = 500
IDLE = 5000
REQUESTS = 50
PATIENCE = 60.0

QUEUE, HTTP, WEBSOCKET = "bare queue", "HTTP", "WebSocket"

AGENT = """
import json, time
async def main(run):
    for number in range(int(run.input)):
        await run.ask("measure", {"number": number}, call_id=f"call-{number}")
        with open("resumed", "a") as file:
            file.write(f"{time.monotonic()}\\n")
    return "done"
"""


def run() -> list[dict[str, Any]]:
    """Measure the three ways in turn, then many connections; milliseconds, ratios, megabytes."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (IDLE + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name, _serving(Path(name)) as server:
        times = _approvals(server)
        found = spread(times)
        found += [
            {
                "name": f"approved to resumed, {way} / {QUEUE}, p{percent}",
                "value": percentile(times[way], percent) / percentile(times[QUEUE], percent),
                "unit": "x",
            }
            for way in (HTTP, WEBSOCKET)
            for percent in (50, 99)
        ]
        return found + asyncio.run(_streams(server)) + _beside_idle(server)


@dataclass(frozen=True)
class _Server:
    folder: Path
    process: subprocess.Popen[bytes]
    url: str
    token: str

    @property
    def place(self) -> Path:
        return self.folder / "queue"

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").partition(":")
        return host, int(port)

    def client(self) -> httpx.Client:
        bearer = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.url, headers=bearer, timeout=PATIENCE)


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[_Server]:
    (folder / "measured.py").write_text(AGENT)
    (folder / "signoff.yaml").write_text('agents: {measured: {python: "measured:main", time_limit: 3600}}\n')
    variables = {**os.environ, "SIGNOFF_QUEUE": str(folder / "queue"), "XDG_CONFIG_HOME": str(folder / "config")}

    def signoff(*words: str) -> str:
        command = [sys.executable, "-m", "signoff.cli", *words]
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    signoff("policy", "trust", "signoff.yaml", "--yes")
    token = signoff("token", "new", "bench", "--scope", "ask", "--scope", "read", "--scope", "decide")
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", "--config", "signoff.yaml", "--listen", f"127.0.0.1:{port}", "--data", "data"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "signoff.cli", *words], cwd=folder, env=variables, stdout=log, stderr=log
        )
    server = _Server(folder, process, f"http://127.0.0.1:{port}", token)
    try:
        _until(lambda: _answers(server))
        yield server
    finally:
        process.terminate()
        process.wait()


def _answers(server: _Server) -> bool:
    with server.client() as client, contextlib.suppress(httpx.TransportError):
        return client.get("/runs").status_code == 200
    return False


def _until(there: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := there()):
        assert time.monotonic() < end, "the server does not do what it should"
        time.sleep(0.002)
    return found


def _approvals(server: _Server) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {QUEUE: [], HTTP: [], WEBSOCKET: []}
    bearer = {"Authorization": f"Bearer {server.token}"}
    with (
        server.client() as client,
        open_review_queue(server.place, reviewer="bench") as queue,
        connect(f"{server.url.replace('http', 'ws')}/approvals", additional_headers=bearer) as app,
    ):
        body = {"input": str(3 * ROUNDS)}
        run_id = client.post("/runs", json=body).json()["run_id"]
        ways: dict[str, Callable[[], float]] = {
            QUEUE: lambda: _by_queue(queue),
            HTTP: lambda: _by_http(client, run_id),
            WEBSOCKET: lambda: _by_websocket(app),
        }
        for number in range(3 * ROUNDS):
            way = (QUEUE, HTTP, WEBSOCKET)[number % 3]
            _until(lambda: client.get(f"/runs/{run_id}").json()["pending"])
            if way is not WEBSOCKET:
                app.recv(timeout=PATIENCE)  # the question
            start = ways[way]()
            times[way].append((_resumed(server, number) - start) * 1e3)
            if way is not WEBSOCKET:
                app.recv(timeout=PATIENCE)  # that it was decided elsewhere
                app.send('{"type": "next"}')
    return times


def _resumed(server: _Server, number: int) -> float:
    file = server.folder / "resumed"

    def line() -> str | None:
        lines = file.read_text().split("\n") if file.exists() else []
        return lines[number] if len(lines) > number + 1 else None

    return float(_until(line))


def _by_queue(queue: ReviewQueue) -> float:
    (request,) = queue.pending()
    start = time.monotonic()
    queue.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))
    return start


def _by_http(client: httpx.Client, run_id: str) -> float:
    start = time.monotonic()
    assert client.post(f"/runs/{run_id}/approve", json={"approved": True}).status_code == 200
    return start


def _by_websocket(app: ClientConnection) -> float:
    assert json.loads(app.recv(timeout=PATIENCE))["type"] == "approval_needed"
    start = time.monotonic()
    app.send('{"approved": true}')
    assert json.loads(app.recv(timeout=PATIENCE))["accepted"]
    return start


async def _streams(server: _Server) -> list[dict[str, Any]]:
    """Memory of the server with many streams, and how long an event takes to all of them."""
    with server.client() as client:
        run_id = client.post("/runs", json={"input": "1"}).json()["run_id"]
        _until(lambda: client.get(f"/runs/{run_id}").json()["pending"])
        before = _megabytes(server.process.pid)
        host, port = server.address
        words = f"GET /runs/{run_id}/events HTTP/1.1\r\nHost: {host}:{port}"
        head = f"{words}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        lines = [await asyncio.open_connection(host, port) for _ in range(STREAMS)]
        for number, (_, writer) in enumerate(lines):
            writer.write(head.encode())
            if number % 50 == 49:
                await asyncio.sleep(0.6)  # what one token may ask in a second
        for reader, _ in lines:
            await reader.readuntil(b"run_paused")
        after = _megabytes(server.process.pid)
        start = time.monotonic()
        ends = [asyncio.create_task(_at(reader, b"run_completed")) for reader, _ in lines]
        await asyncio.to_thread(client.post, f"/runs/{run_id}/approve", json={"approved": True})
        arrived = [(await end - start) * 1e3 for end in ends]
        for _, writer in lines:
            writer.close()
    return [
        {"name": f"{STREAMS} event streams at once: memory of the server", "value": after, "unit": "MB"},
        {"name": "memory of one stream", "value": (after - before) / STREAMS * 1024, "unit": "kB"},
        {"name": "approved to the last event, median stream", "value": statistics.median(arrived), "unit": "ms"},
        {"name": "approved to the last event, slowest stream", "value": max(arrived), "unit": "ms"},
    ]


async def _at(reader: asyncio.StreamReader, text: bytes) -> float:
    await reader.readuntil(text)
    return time.monotonic()


def _megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def _beside_idle(server: _Server) -> list[dict[str, Any]]:
    """Requests of newcomers, without and with many connections that say nothing, in turn."""
    times: dict[str, list[float]] = {"alone": [], "crowded": []}
    for _ in range(6):
        times["alone"] += _requests(server)
        lines = [socket.create_connection(server.address) for _ in range(IDLE)]
        for line in lines[: IDLE - MOST_IDLE]:
            line.recv(1)  # until the server has closed those that are too many
        times["crowded"] += _requests(server)
        for line in lines:
            line.close()
    alone, crowded = (percentile(found, 50) for found in times.values())
    return [
        {"name": "a request, p50", "value": alone, "unit": "ms"},
        {"name": f"the same beside {IDLE} idle connections / alone, p50", "value": crowded / alone, "unit": "x"},
    ]


def _requests(server: _Server) -> list[float]:
    """Milliseconds of some requests, each over a connection of its own; one token may not ask more in a second."""
    times = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        with contextlib.closing(http.client.HTTPConnection(*server.address)) as line:
            line.request("GET", "/runs?limit=1", headers={"Authorization": f"Bearer {server.token}"})
            assert line.getresponse().status == 200
        times.append((time.perf_counter() - start) * 1e3)
    return times
