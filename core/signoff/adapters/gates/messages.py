"""Messages of JSON-RPC, read so strictly that no other reader can read something else in them.

The other side may be written in any language, and parsers differ: of a key that is there twice they take the
first or the last, some ignore case, some take a carriage return for the end of a line. Whatever could be read in
two ways is refused here, and never reaches it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from signoff.canonical import NotJsonError, parse_json

__all__ = [
    "LONGEST_LINE",
    "LineSplitter",
    "MessageId",
    "RefusedMessage",
    "RpcMessage",
    "encoded",
    "error_reply",
    "messages_in",
    "refuse_variants",
    "require_unicode",
]

LONGEST_LINE = 32 * 2**20
"""The most bytes of one message that may have to be held."""

_INVALID = -32600
_MOST_EXACT = 2**53
"""Above, JavaScript takes two whole numbers for one."""

_OF_MESSAGE = ("jsonrpc", "id", "method", "params", "result", "error")

MessageId = str | int


class RefusedMessage(ValueError):  # noqa: N818 - it is answered, and no failure
    """A message is not passed on; the text says why.

    Args:
        reason: The reason.
        of: The id of the message, if that can be told.
        answers: True if it is an answer, as far as that can be told.
    """

    def __init__(self, reason: str, of: MessageId | None = None, *, answers: bool = False) -> None:
        super().__init__(reason)
        self.of = of
        self.answers = answers


class RpcMessage(NamedTuple):
    """One message.

    Attributes:
        line: Its bytes, as they are passed on, with the end of the line.
        body: What it says.
    """

    line: bytes
    body: Mapping[str, Any]

    @property
    def method(self) -> str | None:
        """Name of the method; None for an answer."""
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


def messages_in(line: bytes, held: Collection[str]) -> Iterator[RpcMessage | RefusedMessage]:
    """Yield the messages of a line; each of a batch stands alone.

    Args:
        line: The bytes, with the end of the line.
        held: The methods that a person is asked about: nothing passes that is spelled nearly like them.
    """
    try:
        said = _parsed(line)
    except RefusedMessage as refused:
        yield refused
        return
    if not isinstance(said, list):
        yield _checked(line, said, held)
        return
    if not said:
        yield RefusedMessage("the batch is empty")
    for each in said:
        yield _checked(encoded(each), each, held)


def encoded(value: Mapping[str, Any]) -> bytes:
    """Return a message as a line."""
    return json.dumps(value).encode("ascii") + b"\n"


def error_reply(refused: RefusedMessage) -> bytes:
    """Return the answer to a message that is not passed on."""
    error = {"code": _INVALID, "message": f"signoff did not pass this on: {refused}"}
    return encoded({"jsonrpc": "2.0", "id": refused.of, "error": error})


def refuse_variants(said: Mapping[str, Any], known: Collection[str], of: MessageId | None) -> None:
    """Refuse keys that a parser takes for known ones if it ignores case, or ends a text at a NUL.

    Args:
        said: An object of a message.
        known: The keys that something depends on.
        of: The id of the message.

    Raises:
        RefusedMessage: There is one.
    """
    folded = {each.casefold() for each in known}
    for key in said:
        if key not in known and key.partition("\0")[0].casefold() in folded:
            raise RefusedMessage(f"the key {key!a} is spelled nearly like another one", of)


def require_unicode(value: object, of: MessageId | None) -> None:
    """Return if all texts can be shown.

    Args:
        value: A JSON value.
        of: The id of the message.

    Raises:
        RefusedMessage: One holds half a character.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RefusedMessage("it has a text that is no Unicode", of) from None


def _parsed(line: bytes) -> Any:
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in text:
        raise RefusedMessage("there is a carriage return in it, which may be taken for the end of a line")
    try:
        return parse_json(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise RefusedMessage("it is not UTF-8") from None
    except NotJsonError as error:
        said = _perhaps(text)
        found = said.get("id")
        of = found if _is_id(found) else None
        raise RefusedMessage(str(error), of, answers=_is_answer(said)) from None


def _perhaps(text: bytes) -> Mapping[str, Any]:
    """The parts of a refused message by which an answer can be assigned, as far as they can be told."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_answer(said: object) -> bool:
    """True if a message is an answer, whatever else is wrong with it."""
    return isinstance(said, dict) and "method" not in said and not said.keys().isdisjoint({"result", "error"})


def _checked(line: bytes, said: Any, held: Collection[str]) -> RpcMessage | RefusedMessage:
    try:
        return _message(line, said, held)
    except RefusedMessage as refused:
        refused.answers = _is_answer(said)
        return refused


def _message(line: bytes, said: Any, held: Collection[str]) -> RpcMessage:
    if not isinstance(said, dict):
        raise RefusedMessage("it is no object")
    of = said.get("id")
    if "id" in said and not _is_id(of):
        raise RefusedMessage("its id is neither a text nor a whole number of at most 53 bits")
    refuse_variants(said, _OF_MESSAGE, of)
    if "method" not in said:
        if of is None or ("result" in said) is ("error" in said):
            raise RefusedMessage("it is neither a request, nor a notification, nor an answer", of)
        return RpcMessage(line, said)
    method = said["method"]
    if not isinstance(method, str) or "result" in said or "error" in said:
        raise RefusedMessage("it is neither a request, nor a notification, nor an answer", of)
    if not method.isprintable():
        raise RefusedMessage("its method has a control character", of)
    if method not in held and (near := method.strip().casefold()) in held:
        raise RefusedMessage(f"its method is spelled nearly like {near}", of)
    return RpcMessage(line, said)


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (type(value) is int and abs(value) < _MOST_EXACT)
