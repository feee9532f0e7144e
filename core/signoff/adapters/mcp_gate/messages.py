"""The messages of a client, read so strictly that no server can read something else in them.

A server may be written in any language, and parsers differ: of a key that is there twice they take the first or
the last, some ignore case, some take a carriage return for the end of a line. Whatever could be read in two ways
is refused here, and never reaches the server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from signoff.canonical import NotJsonError, parse_json

__all__ = [
    "CALL",
    "CANCELLED",
    "LISTING",
    "LONGEST_LINE",
    "MODERN_VERSION",
    "WAITING",
    "ClientMessage",
    "LineSplitter",
    "RefusedMessage",
    "ToolCall",
    "encoded",
    "error_reply",
    "messages_in",
    "tool_call",
    "without_rounds",
]

CALL, LISTING, CANCELLED = "tools/call", "tools/list", "notifications/cancelled"

LONGEST_LINE = 32 * 2**20
"""The most bytes of one message of a client."""

WAITING = "waiting for a person to approve this call"
"""The sign of life for a client whose call is held."""

MODERN_VERSION = "io.modelcontextprotocol/protocolVersion"
"""The entry of ``_meta`` that every request has since the protocol is without a handshake (2026-07-28)."""

_INVALID = -32600
_MOST_EXACT = 2**53
"""Above, JavaScript takes two whole numbers for one."""

_OF_MESSAGE = ("jsonrpc", "id", "method", "params", "result", "error")
_OF_CALL = ("name", "arguments", "_meta", "requestState", "inputResponses")
_OF_ROUNDS = ("requestState", "inputResponses")

MessageId = str | int


class RefusedMessage(ValueError):  # noqa: N818 - it is answered, and no failure
    """A message is not passed on; the text says why.

    Args:
        reason: The reason.
        of: The id of the message, if that can be told.
    """

    def __init__(self, reason: str, of: MessageId | None = None) -> None:
        super().__init__(reason)
        self.of = of


class ClientMessage(NamedTuple):
    """One message.

    Attributes:
        line: Its bytes, as they are passed on, with the end of the line.
        body: What it says.
    """

    line: bytes
    body: Mapping[str, Any]

    @property
    def method(self) -> str | None:
        """Name of the method; None for an answer to the server."""
        return self.body.get("method")

    @property
    def id(self) -> MessageId | None:
        """Its id; None for a notification."""
        return self.body.get("id")

    @property
    def params(self) -> Mapping[str, Any]:
        """Its parameters; empty if there are none, or if they are a list."""
        params = self.body.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def meta(self) -> Mapping[str, Any]:
        """The entry of its parameters about the message itself; empty if there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


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

    message: ClientMessage
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


class LineSplitter:
    """Cuts a stream into lines; of one that is too long nothing is kept.

    Args:
        longest: The most bytes of a line.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield the lines that end in the next bytes, with their end; None for one that was too long."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._add(part)
            yield None if self._too_long else bytes(self._begun) + b"\n"
            self._begun.clear()
            self._too_long = False
        self._add(rest)

    def _add(self, part: bytes) -> None:
        if self._too_long or len(self._begun) + len(part) > self._longest:
            self._too_long = True
            self._begun.clear()
        else:
            self._begun += part


def messages_in(line: bytes) -> Iterator[ClientMessage | RefusedMessage]:
    """Yield the messages of a line; each of a batch stands alone.

    Args:
        line: The bytes, with the end of the line.
    """
    try:
        said = _parsed(line)
    except RefusedMessage as refused:
        yield refused
        return
    if not isinstance(said, list):
        yield _checked(line, said)
        return
    if not said:
        yield RefusedMessage("the batch is empty")
    for each in said:
        yield _checked(encoded(each), each)


def tool_call(message: ClientMessage) -> ToolCall:
    """Return the call that a message asks for.

    Raises:
        RefusedMessage: It is not clear what would be called.
    """
    of, params = message.id, message.params
    assert of is not None
    _refuse_variants(params, _OF_CALL, of)
    name, arguments, state = params.get("name"), params.get("arguments"), params.get("requestState")
    if not isinstance(name, str) or not name:
        raise RefusedMessage("the call names no tool", of)
    if not isinstance(arguments, dict | None):
        raise RefusedMessage("the arguments of the call are no object", of)
    if not isinstance(state, str | None):
        raise RefusedMessage("the requestState of the call is no text", of)
    others = {key: value for key, value in params.items() if key not in ("name", "arguments", "_meta")}
    try:
        json.dumps([name, arguments, others], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RefusedMessage("the call has a text that is no Unicode", of) from None
    return ToolCall(message, of, name, arguments or {}, others, state)


def without_rounds(others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the further parameters that stay the same when a call is repeated with a state."""
    return {key: value for key, value in others.items() if key not in _OF_ROUNDS}


def encoded(value: Mapping[str, Any]) -> bytes:
    """Return a message as a line."""
    return json.dumps(value).encode("ascii") + b"\n"


def error_reply(refused: RefusedMessage) -> bytes:
    """Return the answer to a message that is not passed on."""
    error = {"code": _INVALID, "message": f"signoff did not pass this on: {refused}"}
    return encoded({"jsonrpc": "2.0", "id": refused.of, "error": error})


def _parsed(line: bytes) -> Any:
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in text:
        raise RefusedMessage("there is a carriage return in it, which may be taken for the end of a line")
    try:
        return parse_json(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise RefusedMessage("it is not UTF-8") from None
    except NotJsonError as error:
        raise RefusedMessage(str(error), _perhaps_id(text)) from None


def _perhaps_id(text: bytes) -> MessageId | None:
    """The id of a message that is refused, for an answer that its client can assign."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = said.get("id") if isinstance(said, dict) else None
    return found if _is_id(found) else None


def _checked(line: bytes, said: Any) -> ClientMessage | RefusedMessage:
    try:
        return _message(line, said)
    except RefusedMessage as refused:
        return refused


def _message(line: bytes, said: Any) -> ClientMessage:
    if not isinstance(said, dict):
        raise RefusedMessage("it is no object")
    of = said.get("id")
    if "id" in said and not _is_id(of):
        raise RefusedMessage("its id is neither a text nor a whole number of at most 53 bits")
    _refuse_variants(said, _OF_MESSAGE, of)
    if "method" not in said:
        if of is None or ("result" in said) is ("error" in said):
            raise RefusedMessage("it is neither a request, nor a notification, nor an answer", of)
        return ClientMessage(line, said)
    method = said["method"]
    if not isinstance(method, str) or "result" in said or "error" in said:
        raise RefusedMessage("it is neither a request, nor a notification, nor an answer", of)
    if not method.isprintable() or (method != CALL and method.strip().casefold() == CALL):
        raise RefusedMessage(f"its method has a control character, or is spelled nearly like {CALL}", of)
    return ClientMessage(line, said)


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (type(value) is int and abs(value) < _MOST_EXACT)


def _refuse_variants(said: Mapping[str, Any], known: tuple[str, ...], of: MessageId | None) -> None:
    """Refuse keys that a parser takes for known ones if it ignores case, or ends a text at a NUL."""
    folded = {each.casefold() for each in known}
    for key in said:
        if key not in known and key.partition("\0")[0].casefold() in folded:
            raise RefusedMessage(f"the key {key!a} is spelled nearly like another one", of)
