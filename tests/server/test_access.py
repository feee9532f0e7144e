"""Who is let in: nothing is decided by whoever is not, and the server goes on."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from server_bench import JSON, Served, served
from signoff.server.access import BURST, LARGEST_BODY, RATE
from signoff.server.service import LONGEST_NOTE
from signoff.server.sockets import MOST_IDLE, ListenError, tcp_socket
from signoff.server.tokens import Scope, TokenFile
from system_bench import PATIENCE, eventually

pytestmark = pytest.mark.system

YES = json.dumps({"approved": True})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve")) as there:
        yield there


@pytest.fixture(scope="module")
def waiting(server: Served) -> str:
    """A run that waits, and has to wait still after each test."""
    run_id = server.begin("delete", "precious")
    server.becomes(run_id, "paused_checkpoint")
    return run_id


@pytest.fixture(autouse=True)
def _nothing_was_decided(server: Served, waiting: str) -> Iterator[None]:
    yield
    assert server.run(waiting)["status"] == "paused_checkpoint"
    assert server.executed() == []


def refused(server: Served, waiting: str, content: str | Iterator[bytes] = YES, **headers: str) -> httpx.Response:
    """Try to approve, with a good token unless the headers have another."""
    bearer = {"Authorization": f"Bearer {server.token('decide')}"}
    return httpx.post(
        f"{server.url}/runs/{waiting}/approve", content=content, headers={**bearer, **JSON, **headers}
    )


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_pages_of_other_sites_are_refused(server: Served, waiting: str, origin: str) -> None:
    assert refused(server, waiting, Origin=origin).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost", "0.0.0.0"])
def test_other_names_of_the_server_are_refused(server: Served, waiting: str, host: str) -> None:
    answer = refused(server, waiting, Host=host if host != "localhost" else "LOCALHOST.evil")
    assert answer.status_code == 421


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic abc", "Bearer \u00e4".encode()])
def test_without_a_token_nothing_is_answered(server: Served, waiting: str, given: str) -> None:
    headers = {"Authorization": given} if given else {}
    answer = httpx.post(f"{server.url}/runs/{waiting}/approve", content=YES, headers={**JSON, **headers})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("scope", ["ask", "read"])
def test_only_a_token_that_may_decide_decides(server: Served, waiting: str, scope: str) -> None:
    assert refused(server, waiting, Authorization=f"Bearer {server.token(scope)}").status_code == 403


def test_only_a_token_that_may_ask_starts_and_cancels_runs(server: Served, waiting: str) -> None:
    client = server.client("decide")
    assert client.post("/runs", json={"input": "x", "agent": "fail"}).status_code == 403
    assert client.post(f"/runs/{waiting}/cancel", json={}).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_decides(server: Served, waiting: str, kind: str) -> None:
    assert refused(server, waiting, **{"Content-Type": kind}).status_code == 415


@pytest.mark.parametrize(
    "content", ["", "{", "[true]", '"yes"', "null", '{"approved": true, "approved": false}', '{"approved": NaN}']
)
def test_what_is_no_json_object_decides_nothing(server: Served, waiting: str, content: str) -> None:
    assert refused(server, waiting, content).status_code == 400


@pytest.mark.parametrize("announced", [True, False])
def test_a_huge_body_is_refused(server: Served, waiting: str, announced: bool) -> None:
    huge = json.dumps({"approved": True, "reason": "x" * LARGEST_BODY})
    assert refused(server, waiting, huge if announced else iter([huge.encode()])).status_code == 413


@pytest.mark.parametrize("path", ["approve", "cancel"])
def test_a_reason_longer_than_an_agent_should_read_is_refused(server: Served, waiting: str, path: str) -> None:
    long = {"approved": True, "reason": "x" * (LONGEST_NOTE + 1)}
    answer = server.client("ask", "decide").post(f"/runs/{waiting}/{path}", json=long)
    assert (answer.status_code, answer.json()["error"][:19]) == (400, "nothing was decided")


def test_a_deep_body_is_refused(server: Served, waiting: str) -> None:
    deep = f'{{"approved": true, "reason": {"[" * 100_000}{"]" * 100_000}}}'
    assert refused(server, waiting, deep).status_code == 400


def test_a_browsers_cookie_acts_only_with_the_origin_of_a_page(server: Served, waiting: str) -> None:
    cookie = {"Cookie": f"signoff_token={server.token('decide')}"}
    where = f"{server.url}/runs/{waiting}/approve"
    assert httpx.post(where, content=YES, headers={**JSON, **cookie}).status_code == 403
    foreign = {**JSON, **cookie, "Origin": "http://evil.example"}
    assert httpx.post(where, content=YES, headers=foreign).status_code == 403


def test_a_revoked_token_is_refused_from_the_next_request_on(server: Served, waiting: str) -> None:
    text = server.signoff("token", "new", "short-lived", "--scope", "read")
    bearer = {"Authorization": f"Bearer {text}"}
    assert httpx.get(f"{server.url}/runs", headers=bearer).status_code == 200
    (listed,) = [
        each for each in json.loads(server.signoff("token", "list", "--json")) if each["name"] == "short-lived"
    ]
    server.signoff("token", "revoke", listed["id"])
    assert httpx.get(f"{server.url}/runs", headers=bearer).status_code == 401


def test_no_answer_may_be_framed_cached_or_read_by_other_sites(server: Served, waiting: str) -> None:
    headers = server.client("read").get(f"/runs/{waiting}").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control-")]


def test_one_token_cannot_ask_so_often_that_others_get_no_answer(server: Served) -> None:
    greedy = head(server, "GET /nothing", TokenFile().new("greedy", frozenset({Scope.READ}))) + b"\r\n"
    begun = time.monotonic()
    with connected(server, greedy * 600) as line:
        told = b""
        while told.count(b"HTTP/1.1 ") < 600:
            told += line.recv(65536)
    allowed = BURST + RATE * (time.monotonic() - begun)  # a server that is slow itself has nothing to refuse
    assert BURST <= told.count(b"HTTP/1.1 404") <= allowed
    assert told.count(b"HTTP/1.1 429") == told.count(b"retry-after: 1\r\n") == 600 - told.count(b"HTTP/1.1 404")
    assert server.client("read").get("/runs").status_code == 200


def test_whoever_has_no_token_cannot_ask_so_often_that_others_see_no_page(server: Served) -> None:
    page = f"GET /static/page.css HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    begun = time.monotonic()
    with connected(server, page * 600) as line:
        said = b""
        while b"HTTP/1.1 429" not in said and said.count(b"HTTP/1.1 ") < 600:
            said += (chunk := line.recv(65536))
            assert chunk, "closed before the limit was reached"
        assert said.count(b"HTTP/1.1 200") <= BURST + RATE * (time.monotonic() - begun)
        cookie = {"Cookie": f"signoff_token={server.token('read')}"}
        assert httpx.get(f"{server.url}/static/page.css", headers=cookie).status_code == 200


# -- connections


def connected(server: Served, sent: bytes = b"") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    line.sendall(sent)
    return line


def head(server: Served, words: str, token: str) -> bytes:
    """The beginning of a head that is in order."""
    return (
        f"{words} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    ).encode()


def approval(server: Served, waiting: str) -> bytes:
    """The beginning of the head of an approval."""
    return head(server, f"POST /runs/{waiting}/approve", server.token("decide"))


WHOLE = f"Content-Length: {len(YES)}\r\n\r\n{YES}".encode()


def told(line: socket.socket, drip: bytes = b"") -> bytes:
    """What the server says until it closes a line, while a little more comes all the time."""
    said = b""
    line.settimeout(0.2)
    with contextlib.suppress(ConnectionError):
        while True:
            try:
                chunk = line.recv(65536)
            except TimeoutError:
                line.sendall(drip)
                continue
            if not chunk:
                break
            said += chunk
    return said


def test_what_comes_too_slowly_is_given_up(server: Served, waiting: str) -> None:
    """All wait together, as each waits for as long as the server is patient."""
    begun = approval(server, waiting) + b"Content-Length: 10000\r\n\r\n" + YES.encode()
    slow = [
        (b"", b"", b""),
        (b"GET /runs HTTP/1.1\r\nHost:", b" ", b""),
        (approval(server, waiting) + WHOLE[:-1], b"", b"HTTP/1.1 408"),
        (begun, b" ", b"HTTP/1.1 408"),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"", b"HTTP/1.1 421"),
    ]
    with ThreadPoolExecutor(len(slow)) as threads:
        lines = [connected(server, sent) for sent, _, _ in slow]
        found = list(threads.map(told, lines, [drip for _, drip, _ in slow]))
    for line in lines:
        line.close()
    assert [said[:12] for said in found] == [expected for _, _, expected in slow]


def test_an_answer_that_is_not_taken_is_given_up(server: Served) -> None:
    for _ in range(8):
        assert (
            server.client("ask").post("/runs", json={"input": "x" * 900_000, "agent": "fail"}).status_code == 200
        )
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", server.port))
        line.sendall(head(server, "GET /runs", server.token("read")) + b"\r\n")
        eventually(lambda: holds(server, line), server.log)
        eventually(lambda: not holds(server, line), server.log)


def holds(server: Served, line: socket.socket) -> bool:
    """Whether the server has its end of a line open: one of the kernel alone has no inode."""
    ends = [f"{port:04X}" for port in (server.port, line.getsockname()[1])]
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()]
    return any([row[1][-4:], row[2][-4:]] == ends and row[9] != "0" for row in rows)


@pytest.mark.parametrize("there", [0, 10, -len(WHOLE), -1])
def test_a_half_closed_line_decides_nothing(server: Served, waiting: str, there: int) -> None:
    with connected(server, (approval(server, waiting) + WHOLE)[:there]) as line:
        line.shutdown(socket.SHUT_WR)
        assert not told(line).startswith(b"HTTP/1.1 2")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00",
        b"\r\n\r\n\0",
        b"A" * 100_000,
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 300_000,
        b"PRI * HTTP/2.0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(server: Served, sent: bytes) -> None:
    with connected(server, sent) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 4")


CHUNKS = f"\r\n{len(YES):x}\r\n{YES}\r\n0\r\n\r\n".encode()


def test_the_requests_of_these_tests_are_in_order_but_for_what_is_wrong_with_them(server: Served) -> None:
    for rest in (WHOLE, b"Transfer-Encoding: chunked\r\n" + CHUNKS):
        with connected(server, approval(server, "unknown") + rest) as line:
            assert line.recv(100).startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize(
    "rest",
    [
        b"Host: evil.example\r\n" + WHOLE,
        b"Content-Length: 5\r\n" + WHOLE,
        b"Content-Length: -1\r\n\r\n" + YES.encode(),
        f"Content-Length: {len(YES)}\r\nTransfer-Encoding: chunked\r\n".encode() + CHUNKS,
        b"Transfer-Encoding: gzip, chunked\r\n" + CHUNKS,
        b"Transfer-Encoding: chunked\r\n" + CHUNKS.replace(b"12", b"zz"),
        b"Transfer-Encoding: chunked\r\n" + CHUNKS.replace(b"12", b"11"),
        b"X : y\r\n" + WHOLE,
        b"X: a\0b\r\n" + WHOLE,
    ],
)
def test_a_malformed_request_decides_nothing_whatever_its_token(server: Served, waiting: str, rest: bytes) -> None:
    with connected(server, approval(server, waiting) + rest) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "address", ["http://evil.example/runs/{}/approve", "//runs/{}/approve", "/runs/../runs/{}/approve"]
)
def test_only_the_exact_path_decides(server: Served, waiting: str, address: str) -> None:
    words = f"POST {address.format(waiting)}"
    with connected(server, head(server, words, server.token("decide")) + WHOLE) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 404")


IDLE = 5000


@pytest.fixture
def many_files() -> Iterator[None]:
    """Allow this process as many connections as a test opens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"needs {wanted} open files; ulimit -Hn allows {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
@pytest.mark.usefixtures("many_files")
def test_thousands_of_idle_lines_are_closed_but_for_the_newest(
    server: Served, family: socket.AddressFamily
) -> None:
    where = ("127.0.0.1", server.port) if family == socket.AF_INET else str(server.data / "socket")
    lines = [socket.socket(family) for _ in range(IDLE)]
    try:
        for line in lines:
            line.connect(where)
        assert server.client("read").get("/runs").status_code == 200
        for line in lines[: IDLE - MOST_IDLE]:
            assert told(line) == b""
    finally:
        for line in lines:
            line.close()


# -- where it listens


@pytest.mark.parametrize(
    "address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "8080", "localhost", "127.0.0.1:99999"]
)
def test_other_machines_never_reach_it(address: str) -> None:
    with pytest.raises(ListenError):
        tcp_socket(address)


def test_the_unix_socket_is_its_owners_alone(server: Served) -> None:
    path = server.data / "socket"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    transport = httpx.HTTPTransport(uds=str(path))
    with httpx.Client(transport=transport, base_url="http://localhost") as client:
        assert client.get("/runs").status_code == 401
        bearer = {"Authorization": f"Bearer {server.token('read')}"}
        assert client.get("/runs", headers=bearer).status_code == 200
