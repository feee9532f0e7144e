"""The calls of tools in the messages of a client of MCP, and the answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from signoff.adapters.gates.messages import (
    MessageId,
    RefusedMessage,
    RpcMessage,
    encoded,
    refuse_variants,
    require_unicode,
)

__all__ = [
    "CALL",
    "CANCELLED",
    "HELD",
    "LISTING",
    "MODERN_VERSION",
    "WAITING",
    "ToolCall",
    "tool_call",
    "without_rounds",
]

CALL, LISTING, CANCELLED = "tools/call", "tools/list", "notifications/cancelled"

HELD = (CALL,)
"""The methods that a person is asked about."""

WAITING = "waiting for a person to approve this call"
"""The sign of life for a client whose call is held."""

MODERN_VERSION = "io.modelcontextprotocol/protocolVersion"
"""The entry of ``_meta`` that every request has since the protocol is without a handshake (2026-07-28)."""

_OF_CALL = ("name", "arguments", "_meta", "requestState", "inputResponses")
_OF_ROUNDS = ("requestState", "inputResponses")


class ToolCall(NamedTuple):
    """A call of a tool.

    Attributes:
        message: The message.
        id: Its id.
        tool: Name of the tool.
        arguments: Its arguments.
        others: Further parameters, which a server may look at as well.
        state: The state that a server has given out for a repetition of the call; None for a first one.
    """

    message: RpcMessage
    id: MessageId
    tool: str
    arguments: dict[str, Any]
    others: dict[str, Any]
    state: str | None

    @property
    def modern(self) -> bool:
        """True if it is of a version of the protocol without a handshake."""
        return MODERN_VERSION in self.message.meta

    def line_with(self, arguments: Mapping[str, Any]) -> bytes:
        """Return the message with other arguments, and nothing else changed."""
        params = {**self.message.params, "arguments": dict(arguments)}
        return encoded({**self.message.body, "params": params})

    def answer(self, text: str) -> bytes:
        """Return the result that tells the model that the call did not run, and why."""
        result = {"content": [{"type": "text", "text": text}], "isError": True}
        if self.modern:
            result["resultType"] = "complete"
        return encoded({"jsonrpc": "2.0", "id": self.id, "result": result})

    def progress(self, step: int, text: str) -> bytes | None:
        """Return a sign of life for a client that asked for some; None for any other.

        The steps are so small that the server's own progress is above them.
        """
        token = self.message.meta.get("progressToken")
        if token is None:
            return None
        params = {"progressToken": token, "progress": step / 1e6, "message": text}
        return encoded({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def tool_call(message: RpcMessage) -> ToolCall:
    """Return the call that a message asks for.

    Raises:
        RefusedMessage: It is not clear what would be called.
    """
    of, params = message.id, message.params
    assert of is not None
    refuse_variants(params, _OF_CALL, of)
    name, arguments, state = params.get("name"), params.get("arguments"), params.get("requestState")
    if not isinstance(name, str) or not name:
        raise RefusedMessage("the call names no tool", of)
    if not isinstance(arguments, dict | None):
        raise RefusedMessage("the arguments of the call are no object", of)
    if not isinstance(state, str | None):
        raise RefusedMessage("the requestState of the call is no text", of)
    others = {key: value for key, value in params.items() if key not in ("name", "arguments", "_meta")}
    require_unicode([name, arguments, others], of)
    return ToolCall(message, of, name, arguments or {}, others, state)


def without_rounds(others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the further parameters that stay the same when a call is repeated with a state."""
    return {key: value for key, value in others.items() if key not in _OF_ROUNDS}
