"""A model on loopback that speaks the API of Gemini."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clients.scripted_model import ModelHandler, ScriptedModel

__all__ = ["GeminiModel", "Turn", "calls", "says"]

Turn = Sequence[Mapping[str, Any]]
"""The parts of one message."""


def says(text: str) -> Mapping[str, Any]:
    """A part of text."""
    return {"text": text}


def calls(tool: str, **arguments: object) -> Mapping[str, Any]:
    """A call of a tool."""
    return {"functionCall": {"name": tool, "args": arguments}}


class _Handler(ModelHandler):
    model: GeminiModel

    def answer(self, asked: Mapping[str, Any]) -> None:
        """Answer with the next turn, as a stream if that is wanted."""
        parts: Turn = [says("{}")]  # which model is best, and the like
        if asked.get("tools"):
            for part in asked["contents"][-1]["parts"]:
                if "functionResponse" in part:
                    self.model.told.append(str(part["functionResponse"]["response"]))
            parts = self.model.next_turn()
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        message = {"role": "model", "parts": parts}
        said = {
            "candidates": [{"content": message, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "totalTokens": 1,
        }
        if "stream" not in self.path:
            self.send(said)
            return
        self.begin_stream()
        self.wfile.write(f"data: {json.dumps(said)}\r\n\r\n".encode())


class GeminiModel(ScriptedModel[Turn]):
    """The model."""

    handler = _Handler
