"""A real server with the reviewer's page, in a thread, and a browser without a screen: httpx."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx
import uvicorn

from signoff.config.load import parse_config
from signoff.queue import StoredRequest
from signoff.server.app import application
from signoff.server.held_decisions import HOLD_SECONDS
from signoff.server.page_login import PAGE_NAME, SHARED_NAMES
from signoff.server.service import Service
from signoff.server.tokens import Scope, TokenFile
from system_bench import eventually

ALL = frozenset({Scope.READ, Scope.DECIDE})
_FORM = re.compile(r"<form[^>]* action=\"([^\"]*)\"[^>]*>(.*?)</form>", re.DOTALL)
_HIDDEN = re.compile(r"<input type=\"hidden\" name=\"([^\"]*)\" value=\"([^\"]*)\">")
_TAG = re.compile(r"<[^>]*>")


class Browser:
    """Somebody at the page, with a cookie, who sends forms as browsers do.

    Args:
        server: The server.
        token: The text of a token, or "" for nobody.
    """

    def __init__(self, server: PageServer, token: str) -> None:
        self.server = server
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}",
            headers={"host": server.host, "accept": "text/html"},
            cookies={"signoff_token": token} if token else None,
            timeout=30,
            limits=httpx.Limits(max_connections=None),
        )
        server.closing.callback(self.http.close)

    def get(self, path: str) -> httpx.Response:
        return self.http.get(path)

    def post(self, path: str, fields: Mapping[str, object], **headers: str) -> httpx.Response:
        """Send a form from a page of the server, unless the headers say otherwise."""
        return self.http.post(path, data=fields, headers={"origin": self.server.origin, **headers})

    def form(self, path: str, action: str = "decide") -> tuple[str, dict[str, list[str]]]:
        """The address of a form on a page, and the fields in it that are hidden."""
        page = self.get(path)
        assert page.status_code == 200, page.text
        for address, content in _FORM.findall(page.text):
            if address.endswith(action):
                fields: dict[str, list[str]] = {}
                for name, value in _HIDDEN.findall(content):
                    fields.setdefault(name, []).append(unescape(value))
                return address, fields
        raise AssertionError(f"there is no form {action} at {path}")

    def answer(self, path: str, answer: str, **more: str) -> httpx.Response:
        """Press a button of the form for decisions on a page."""
        address, fields = self.form(path)
        return self.post(address, {**fields, "answer": answer, **more})

    def settled(self, location: str) -> str:
        """The page of a held decision once it is over, as text."""

        def over() -> str | None:
            page = self.get(location)
            assert page.status_code == 200, page.text
            return None if 'http-equiv="refresh"' in page.text else words(page)

        return eventually(over, "the hold was over")


@dataclass
class PageServer:
    """The server, and how to reach it."""

    port: int
    tokens: TokenFile
    place: Path
    closing: ExitStack

    @property
    def host(self) -> str:
        return f"{PAGE_NAME}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def token(self, *scopes: Scope, name: str = "ann") -> str:
        """Make a token."""
        return self.tokens.new(name, frozenset(scopes) or ALL)

    def browser(self, *scopes: Scope, name: str = "ann") -> Browser:
        """Somebody with a new token."""
        return Browser(self, self.token(*scopes, name=name))


@contextmanager
def page_server(place: Path, folder: Path, hold_seconds: float = HOLD_SECONDS) -> Iterator[PageServer]:
    """Serve the page of a queue.

    Args:
        place: The queue, which exists.
        folder: An existing folder for the runs and the tokens.
        hold_seconds: Time in which a decision can be taken back.
    """
    tokens = TokenFile(folder / "tokens.json")
    service = Service(folder / "signoff.yaml", parse_config("{}", "signoff.yaml"), folder / "runs", str(place))
    with closing(socket.socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        hosts = frozenset(f"{name}:{port}" for name in (*SHARED_NAMES, PAGE_NAME))
        app = application(
            service,
            hosts=hosts,
            origins=frozenset(f"http://{host}" for host in hosts),
            tokens=tokens,
            hold_seconds=hold_seconds,
        )
        config = uvicorn.Config(app, log_config=None, ws="websockets-sansio", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            eventually(lambda: server.started, "the server has started")
            with ExitStack() as stack:
                yield PageServer(port, tokens, place, stack)
        finally:
            server.should_exit = True
            thread.join()


def words(page: httpx.Response | str) -> str:
    """The text of a page, as a reader has it."""
    text = page if isinstance(page, str) else page.text
    return re.sub(r"\s+", " ", unescape(_TAG.sub("", text)))


def path_of(request: StoredRequest) -> str:
    """The address of a request."""
    return f"/requests/{request.id}"
