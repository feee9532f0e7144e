"""A model on loopback that speaks Anthropic's Messages API, and says what a test wrote down for it."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["AnthropicModel", "Turn", "says", "uses"]

Turn = Sequence[Mapping[str, Any]]
"""The blocks of one message."""

_ids = itertools.count(1)


def says(text: str) -> Mapping[str, Any]:
    """A block of text."""
    return {"type": "text", "text": text}


def uses(tool: str, **arguments: object) -> Mapping[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": f"toolu_{next(_ids):04}", "name": tool, "input": arguments}


class AnthropicModel:
    """The model.

    Args:
        turns: What it says each time that it is asked with tools at hand; the last one over and over.

    Attributes:
        told: The results of tools that it was told, by the id of the call: the text, and whether it is an error.
        asked: The number of times that it was asked with tools at hand.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.told: dict[str, tuple[str, bool]] = {}
        self.asked = 0
        self._turns = turns
        model = self

        class Handler(_Handler):
            def answer(self, asked: Mapping[str, Any]) -> Turn:
                return model._turn(asked)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _turn(self, asked: Mapping[str, Any]) -> Turn:
        if not asked.get("tools"):  # a title for the conversation, and the like
            return [says("a title")]
        for message in asked["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("type") == "tool_result":
                    self.told[block["tool_use_id"]] = _text(block.get("content")), block.get("is_error") is True
        turn = self._turns[min(self.asked, len(self._turns) - 1)]
        self.asked += 1
        return turn


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, asked: Mapping[str, Any]) -> Turn:
        raise NotImplementedError

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Say that there is a server."""
        self._send({})

    def do_GET(self) -> None:
        """Say that there is nothing else."""
        self._send({}, 404)

    def do_POST(self) -> None:
        """Answer with the next turn, as a stream if that is wanted."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.partition("?")[0] != "/v1/messages":
            self._send({"input_tokens": 1})
            return
        blocks = self.answer(asked)
        wants_tools = any(block["type"] == "tool_use" for block in blocks)
        message = {
            "id": f"msg_{next(_ids):04}",
            "type": "message",
            "role": "assistant",
            "model": asked["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        stop = "tool_use" if wants_tools else "end_turn"
        if not asked.get("stream"):
            self._send({**message, "content": blocks, "stop_reason": stop})
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self._event("message_start", message=message)
        for index, block in enumerate(blocks):
            begun, delta = _streamed(block)
            self._event("content_block_start", index=index, content_block=begun)
            self._event("content_block_delta", index=index, delta=delta)
            self._event("content_block_stop", index=index)
        self._event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": 1})
        self._event("message_stop")
        self.close_connection = True

    def _event(self, name: str, **data: object) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

    def _send(self, value: object, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _streamed(block: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
