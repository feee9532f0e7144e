"""A model on loopback that speaks OpenAI's Responses API."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from clients.scripted_model import ModelHandler, ScriptedModel

__all__ = ["ResponsesModel", "Turn", "calls", "says", "writes_to"]

Turn = Sequence[Mapping[str, Any]]
"""The items of one answer."""

_ids = itertools.count(1)


def says(text: str) -> Mapping[str, Any]:
    """A message."""
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def calls(tool: str, **arguments: object) -> Mapping[str, Any]:
    """A call of a tool that takes an object."""
    return {"type": "function_call", "name": tool, "arguments": json.dumps(arguments), "call_id": _next_id()}


def writes_to(tool: str, text: str) -> Mapping[str, Any]:
    """A call of a tool that takes a text."""
    return {"type": "custom_tool_call", "name": tool, "input": text, "call_id": _next_id()}


def _next_id() -> str:
    return f"call_{next(_ids):04}"


class _Handler(ModelHandler):
    model: ResponsesModel

    def answer(self, asked: Mapping[str, Any]) -> None:
        """Answer with the next turn, as a stream."""
        self.model.hear(asked["input"])
        turn = self.model.next_turn()
        response = {"id": f"resp_{self.model.asked}"}
        self.begin_stream()
        self._event("response.created", response=response)
        for index, item in enumerate(turn):
            self._event("response.output_item.done", output_index=index, item=item)
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        self._event("response.completed", response={**response, "usage": usage})

    def _event(self, kind: str, **more: object) -> None:
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode())


class ResponsesModel(ScriptedModel[Turn]):
    """The model."""

    handler = _Handler

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__(turns)
        self._heard: set[str] = set()

    def hear(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Take in the results of tools that a conversation has gained."""
        for item in items:
            if str(item.get("type")).endswith("_output") and item["call_id"] not in self._heard:
                self._heard.add(item["call_id"])
                self.told.append(_text(item["output"]))


def _text(output: object) -> str:
    return "\n".join(str(part.get("text")) for part in output) if isinstance(output, list) else str(output)
