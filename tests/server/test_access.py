"""Who is let in: nothing is decided by whoever is not, and the server goes on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import httpx
import pytest

from server_bench import JSON, Served, served
from signoff.server.access import LARGEST_BODY
from signoff.server.sockets import ListenError, tcp_socket

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


def refused(server: Served, waiting: str, content: str = YES, **headers: str) -> httpx.Response:
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


def test_a_huge_body_is_refused(server: Served, waiting: str) -> None:
    huge = json.dumps({"approved": True, "reason": "x" * LARGEST_BODY})
    assert refused(server, waiting, huge).status_code == 413


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


# -- connections


def connected(server: Served, sent: bytes = b"") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    line.sendall(sent)
    return line


def head(server: Served, waiting: str, length: int) -> bytes:
    return (
        f"POST /runs/{waiting}/approve HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {server.token('decide')}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def test_a_body_that_comes_too_slowly_is_given_up(server: Served, waiting: str) -> None:
    with connected(server, head(server, waiting, len(YES)) + YES[:-1].encode()) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 408")


def test_a_half_closed_line_decides_nothing(server: Served, waiting: str) -> None:
    with connected(server, head(server, waiting, len(YES) + 1) + YES.encode()) as line:
        line.shutdown(socket.SHUT_WR)
        line.settimeout(30)
        assert b"200 OK" not in line.recv(100)


def test_a_line_that_asks_nothing_is_closed(server: Served) -> None:
    with connected(server, b"GET /runs HTTP/1.1\r\nHost:") as line:
        assert line.recv(100) == b""


@pytest.mark.parametrize(
    "sent", [b"\x16\x03\x01\x02\x00", b"GET /\xff HTTP/1.1\r\n\r\n", b"A" * 100_000, b"\r\n\r\n\0"]
)
def test_what_is_no_http_is_refused(server: Served, sent: bytes) -> None:
    with connected(server) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        assert b"200 OK" not in line.recv(100)


def test_thousands_of_idle_lines_keep_nobody_out(server: Served) -> None:
    lines: list[socket.socket] = []
    try:
        lines.extend(connected(server) for _ in range(1500))
        start = time.monotonic()
        assert server.client("read").get("/runs").status_code == 200
        assert time.monotonic() - start < 5
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
