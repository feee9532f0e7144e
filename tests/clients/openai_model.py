"""A model on loopback that speaks OpenAI's chat completions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from clients.scripted_model import ModelHandler, ScriptedModel

__all__ = ["OpenAIModel", "Turn", "calls"]

Turn = str | Sequence[Mapping[str, Any]]
"""A text, or the calls of one message."""

_ids = itertools.count(1)


def calls(tool: str, **arguments: object) -> Mapping[str, Any]:
    """A call of a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"id": f"call_{next(_ids):04}", "type": "function", "function": function}


class _Handler(ModelHandler):
    model: OpenAIModel

    def answer(self, asked: Mapping[str, Any]) -> None:
        """Answer with the next turn, as a stream if that is wanted."""
        turn: Turn = "{}"  # what is asked without tools at hand
        if asked.get("tools"):
            self.model.told += [str(each["content"]) for each in _after_calls(asked["messages"])]
            turn = self.model.next_turn()
        if isinstance(turn, str):
            message, reason = {"role": "assistant", "content": turn}, "stop"
        else:
            made = [{**call, "index": index} for index, call in enumerate(turn)]
            message, reason = {"role": "assistant", "content": None, "tool_calls": made}, "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said = {"id": "1", "created": 1, "model": asked["model"], "usage": usage}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self.send({**said, "object": "chat.completion", "choices": [choice]})
            return
        self.begin_stream()
        for delta, end in ((message, None), ({}, reason)):
            choice = {"index": 0, "delta": delta, "finish_reason": end}
            self._event(json.dumps({**said, "object": "chat.completion.chunk", "choices": [choice]}))
        self._event("[DONE]")

    def _event(self, data: str) -> None:
        self.wfile.write(f"data: {data}\n\n".encode())


def _after_calls(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The messages after the newest calls: their results, and what is said besides."""
    places = [place for place, each in enumerate(messages) if each["role"] == "assistant"]
    made = places and messages[places[-1]].get("tool_calls")
    return messages[places[-1] + 1 :] if made else ()


class OpenAIModel(ScriptedModel[Turn]):
    """The model."""

    handler = _Handler
