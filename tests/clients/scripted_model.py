"""A model on loopback that says what a test wrote down for it, in the wire format of some provider."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Generic, Self, TypeVar

__all__ = ["ModelHandler", "ScriptedModel"]

Turn = TypeVar("Turn")


class ScriptedModel(Generic[Turn]):
    """The model.

    Args:
        turns: What it says each time that it is asked with tools at hand; the last one over and over.

    Attributes:
        told: The results of tools that it was told, in order.
        asked: The number of times that it was asked with tools at hand.
    """

    handler: type[ModelHandler]

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.told: list[str] = []
        self.asked = 0
        self._turns = turns
        handler = type("Handler", (self.handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_turn(self) -> Turn:
        """What it says now."""
        turn = self._turns[min(self.asked, len(self._turns) - 1)]
        self.asked += 1
        return turn


class ModelHandler(BaseHTTPRequestHandler):
    """The connection of a client."""

    protocol_version = "HTTP/1.1"
    model: ScriptedModel[Any]

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Say that there is a server."""
        self.send({})

    def do_GET(self) -> None:
        """Say that there is nothing else."""
        self.send({}, 404)

    def do_POST(self) -> None:
        """Answer."""
        self.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def answer(self, asked: Mapping[str, Any]) -> None:
        """Answer one request."""
        raise NotImplementedError

    def begin_stream(self) -> None:
        """Begin a stream of events."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def send(self, value: object, status: int = 200) -> None:
        """Send one JSON value."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
