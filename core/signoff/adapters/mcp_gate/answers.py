"""The messages of a server: passed on as they are, and looked at for what later calls depend on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from signoff.adapters.mcp_gate.messages import ToolCall, without_rounds
from signoff.canonical import NotJsonError, canonical

__all__ = ["LIST_CHANGED", "IssuedStates", "ServerMessage", "server_messages"]

LIST_CHANGED = "notifications/tools/list_changed"

_MOST_STATES = 1_000
_INPUT_REQUIRED = b"input_required"


class ServerMessage(msgspec.Struct):
    """One message.

    Attributes:
        id: Its id; None for a notification.
        method: Name of the method; None for an answer.
        result: The bytes of the result; empty if there is none.
        error: The bytes of the error; empty if there is none.
    """

    id: Any = None
    method: Any = None
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()

    def whole(self) -> dict[str, Any]:
        """Return the result, or the error, by its name."""
        parts = {"result": self.result, "error": self.error}
        return {name: _value(part) for name, part in parts.items() if bytes(part)}


_ONE = msgspec.json.Decoder(ServerMessage)
_BATCH = msgspec.json.Decoder(list[ServerMessage])


def server_messages(line: bytes) -> list[ServerMessage]:
    """Return the messages of a line; none of one that is not understood, on which then nothing depends."""
    try:
        return _BATCH.decode(line) if line.lstrip().startswith(b"[") else [_ONE.decode(line)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def _value(raw: msgspec.Raw) -> Any:
    try:
        return json.loads(bytes(raw))
    except (ValueError, RecursionError):
        return None


class _Issued(NamedTuple):
    """The approved call that a state was given out for.

    Attributes:
        call: The call as it was asked.
        arguments: The arguments that were approved in place of its own; None for these.
    """

    call: str
    arguments: dict[str, Any] | None


class IssuedStates:
    """The states that the server has given out for repetitions of approved calls.

    A result may ask the client for more, with a state; the client then repeats the call with it. That is the call
    that was approved, if the state is the server's, and tool and arguments are the same. A state counts once.
    """

    def __init__(self) -> None:
        self._issued: dict[str, _Issued] = {}

    def note(self, call: ToolCall, arguments: Mapping[str, Any] | None, result: msgspec.Raw) -> None:
        """Take in the result of a call that ran.

        Args:
            call: The call as it was asked.
            arguments: The arguments that it ran with in place of its own; None for these.
            result: The bytes of the result.
        """
        if _INPUT_REQUIRED not in bytes(result):
            return
        said = _value(result)
        if not isinstance(said, dict) or said.get("resultType") != "input_required":
            return
        state = said.get("requestState")
        if isinstance(state, str) and state:
            while len(self._issued) >= _MOST_STATES:
                del self._issued[next(iter(self._issued))]
            self._issued[state] = _Issued(_spelled(call), None if arguments is None else dict(arguments))

    def repeated(self, call: ToolCall) -> bytes | None:
        """Return the line to pass on for a call that is such a repetition; None for any other.

        Its state is used up.
        """
        issued = None if call.state is None else self._issued.get(call.state)
        if issued is None or call.state is None or issued.call != _spelled(call):
            return None
        del self._issued[call.state]
        return call.message.line if issued.arguments is None else call.line_with(issued.arguments)

    def same(self, call: ToolCall, line: bytes) -> Mapping[str, Any] | None:
        """Return the arguments of a line that `repeated` returned, if they are not those of the call."""
        return None if line == call.message.line else json.loads(line)["params"]["arguments"]


def _spelled(call: ToolCall) -> str:
    try:
        return canonical([call.tool, call.arguments, without_rounds(call.others)])
    except NotJsonError:  # nothing that was read strictly
        return ""
