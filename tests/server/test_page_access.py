"""Who gets at the reviewer's page: tokens, cookies, and forms of other sites."""

from __future__ import annotations

import pytest
from page_bench import ALL, Browser, PageServer, path_of, words

from signoff.queue import RequestState, ReviewQueue
from signoff.server.access import COOKIE
from stocked import Stock

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def nobody(serving: PageServer) -> Browser:
    """Somebody without a token."""
    return Browser(serving, "")


def test_a_known_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(
    nobody: Browser, serving: PageServer
) -> None:
    token = serving.token()
    answer = nobody.post("/login", {"token": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    name, *marks = answer.headers["set-cookie"].split("; ")
    assert name == f"{COOKIE}={token}"
    assert {mark.lower() for mark in marks} == {"httponly", "path=/", "samesite=strict"}


def test_an_unknown_token_is_told_so_and_becomes_no_cookie(nobody: Browser) -> None:
    answer = nobody.post("/login", {"token": "signoff_guessed"})
    assert answer.status_code == 401
    assert "That is no token of this server" in words(answer)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://signoff.localhost:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_cannot_log_a_person_in(
    nobody: Browser, serving: PageServer, headers: dict[str, str]
) -> None:
    answer = nobody.post("/login", {"token": serving.token()}, **headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x"])
def test_a_login_is_an_ordinary_form(nobody: Browser, serving: PageServer, kind: str) -> None:
    body = f"token={serving.token()}".encode()
    assert nobody.http.post("/login", content=body, headers={"content-type": kind}).status_code == 415


def test_a_login_has_a_small_body(nobody: Browser) -> None:
    assert nobody.http.post("/login", content=b"token=" + b"x" * 5000, headers=FORM).status_code == 413


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_nobody_logs_in_under_a_name_whose_cookies_other_servers_get(
    nobody: Browser, serving: PageServer, name: str
) -> None:
    host = f"{name}:{serving.port}"
    moved = nobody.http.get("/login", headers={"host": host})
    assert (moved.status_code, moved.headers["location"]) == (303, f"{serving.origin}/login")
    answer = nobody.post("/login", {"token": serving.token()}, host=host, origin=f"http://{host}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_without_a_token_every_page_leads_to_the_login(nobody: Browser) -> None:
    for path in ("/", "/history", "/requests/x", "/groups/x", "/held/x"):
        answer = nobody.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert nobody.get("/live").headers["location"] == "/login"


def test_the_style_and_the_script_are_there_without_a_token(nobody: Browser) -> None:
    assert nobody.get("/static/page.css").headers["content-type"] == "text/css; charset=utf-8"
    assert nobody.get("/static/page.js").headers["content-type"] == "text/javascript; charset=utf-8"


def test_logging_out_takes_the_cookie(ann: Browser) -> None:
    answer = ann.post("/logout", {})
    assert answer.headers["location"] == "/login"
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://localhost:PORT", None]
)
def test_a_form_of_another_page_decides_nothing(
    ann: Browser, stock: Stock, looking: ReviewQueue, origin: str | None
) -> None:
    request = stock.command("build", "make all")
    address, fields = ann.form(path_of(request))
    headers = {} if origin is None else {"origin": origin.replace("PORT", str(ann.server.port))}
    forged = ann.http.post(address, data={**fields, "answer": "approve"}, headers=headers)
    assert forged.status_code == 403
    assert looking.get(request.id).state is RequestState.PENDING


def test_a_decision_is_an_ordinary_form(ann: Browser, stock: Stock) -> None:
    request = stock.command("build", "make all")
    address, fields = ann.form(path_of(request))
    answer = ann.http.post(address, json={**fields, "answer": "approve"}, headers={"origin": ann.server.origin})
    assert answer.status_code == 415


def test_looking_decides_nothing(ann: Browser, stock: Stock, looking: ReviewQueue) -> None:
    request = stock.command("build", "make all")
    address, fields = ann.form(path_of(request))
    answer = ann.http.get(address, params={**fields, "answer": "approve"})
    assert answer.status_code == 405
    assert looking.get(request.id).state is RequestState.PENDING


def test_a_program_decides_with_its_token_and_without_a_cookie(
    nobody: Browser, serving: PageServer, stock: Stock
) -> None:
    request = stock.command("build", "make all")
    fields = {"revision": "1", "digest": request.submission.digest, "answer": "approve"}
    bearer = {"authorization": f"Bearer {serving.token(*ALL)}"}
    assert nobody.http.post(f"{path_of(request)}/decide", data=fields, headers=bearer).status_code == 303


def test_no_page_has_script_or_style_of_its_own(ann: Browser, stock: Stock) -> None:
    request = stock.change("build", "a.txt", "one\n", "two\n", group_id="g")
    stock.change("build", "b.txt", "one\n", "two\n", group_id="g")
    group = ann.get("/").text.split('href="/groups/')[1].split('"')[0]
    for path in ("/", path_of(request), f"/groups/{group}", "/history", "/login"):
        page = ann.get(path)
        assert "script-src 'self'; " in page.headers["content-security-policy"]
        assert page.text.count("<script") == page.text.count('<script src="/static/page.js" defer></script>') == 1
        assert "<style" not in page.text
        assert " style=" not in page.text
        assert " onclick=" not in page.text
