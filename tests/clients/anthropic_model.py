"""A model on loopback that speaks Anthropic's Messages API."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from clients.scripted_model import ModelHandler, ScriptedModel

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


class _Handler(ModelHandler):
    model: AnthropicModel

    def answer(self, asked: Mapping[str, Any]) -> None:
        """Answer with the next turn, as a stream if that is wanted."""
        if self.path.partition("?")[0] != "/v1/messages":
            self.send({"input_tokens": 1})
            return
        blocks: Turn = [says("a title")]  # for the conversation, without tools
        if asked.get("tools"):
            self.model.told += _results(asked["messages"][-1])
            blocks = self.model.next_turn()
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
        stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        if not asked.get("stream"):
            self.send({**message, "content": blocks, "stop_reason": stop})
            return
        self.begin_stream()
        self._event("message_start", message=message)
        for index, block in enumerate(blocks):
            begun, delta = _streamed(block)
            self._event("content_block_start", index=index, content_block=begun)
            self._event("content_block_delta", index=index, delta=delta)
            self._event("content_block_stop", index=index)
        self._event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": 1})
        self._event("message_stop")

    def _event(self, name: str, **data: object) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())


class AnthropicModel(ScriptedModel[Turn]):
    """The model."""

    handler = _Handler


def _results(message: Mapping[str, Any]) -> list[str]:
    blocks = message["content"] if isinstance(message["content"], list) else []
    return [_text(block.get("content")) for block in blocks if block.get("type") == "tool_result"]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _streamed(block: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
