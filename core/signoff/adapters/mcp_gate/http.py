"""The gate over Streamable HTTP: a server on loopback, which stands for one at another address."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from signoff.adapters.gates.messages import (
    LONGEST_LINE,
    RefusedMessage,
    RpcMessage,
    encoded,
    error_reply,
    messages_in,
)
from signoff.adapters.mcp_gate.answers import IssuedStates, server_messages
from signoff.adapters.mcp_gate.decisions import CallDecider, CallDecision
from signoff.adapters.mcp_gate.messages import (
    CALL,
    CANCELLED,
    HELD,
    LISTING,
    WAITING,
    ToolCall,
    tool_call,
)
from signoff.adapters.mcp_gate.offered_tools import OfferedTools, UnlistedToolsError

__all__ = ["HttpGate", "UpstreamError"]

PROMPT = 1.0
"""Seconds after which a call that is still held is answered with a stream, so that its client goes on waiting."""

HEARTBEAT = 10.0
"""Seconds between two signs of life in that stream."""

_JSON, _EVENTS = "application/json", "text/event-stream"
_SESSION, _METHOD, _NAME, _VERSION = "mcp-session-id", "mcp-method", "mcp-name", "mcp-protocol-version"

_PARAMETER = "mcp-param-"
"""How the name of a header begins that mirrors an argument."""

_Headers = Sequence[tuple[str, str]]
"""Headers by name in lower case, each as often as it is sent."""

_OF_CONNECTION = frozenset(
    {
        *("accept-encoding", "connection", "content-length", "host", "keep-alive", "origin"),
        *("proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    }
)
"""Headers that are not passed on: each side has its own connection."""


class UpstreamError(ValueError):
    """An address is not that of a server; the message says why."""


class HttpGate:
    """The gate between the clients that connect to it and one server.

    Args:
        upstream: The address of the server.
        decider: Decides on calls.
        hosts: The values of ``Host`` by which the gate is reached: a page of a browser that leads here under
            another name is refused.

    Raises:
        UpstreamError: The address is none.
    """

    def __init__(self, upstream: str, decider: CallDecider, hosts: frozenset[str]) -> None:
        parts = urlsplit(upstream)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UpstreamError(f"{upstream} is no address of a server, such as https://example.com/mcp")
        self.path = parts.path or "/"
        self._upstream = upstream
        self._decider = decider
        self._hosts = hosts
        self._states = IssuedStates()
        self._held: dict[tuple[str | None, str], set[asyncio.Future[CallDecision]]] = {}
        """By session and id; without sessions, several clients may use the same id."""

    def application(self) -> Starlette:
        """Return the application to serve."""
        return Starlette(
            routes=[Route(self.path, self._answer, methods=["DELETE", "GET", "POST"])], lifespan=self._living
        )

    @contextlib.asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        # A stream may be silent for hours.
        async with httpx.AsyncClient(timeout=httpx.Timeout(None, connect=30)) as self._client:
            yield
        await asyncio.to_thread(self._decider.close)

    async def _answer(self, request: Request) -> Response:
        origin = request.headers.get("origin")
        if request.headers.get("host") not in self._hosts:
            return _plain(421, "this gate is reached by its own address only")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return _plain(403, "pages of other servers are not let in")
        try:
            headers = _passed_on(request.headers.items())
            if request.method != "POST":
                return await self._pass(request.method, headers, b"")
            message = _message(await _body(request), request.headers)
            return await self._take(message, headers, request)
        except RefusedMessage as refused:
            return Response(error_reply(refused), 400, media_type=_JSON)

    async def _take(self, message: RpcMessage, headers: _Headers, request: Request) -> Response:
        session = request.headers.get(_SESSION)
        if message.method == CANCELLED:
            held = self._held.get((session, str(message.params.get("requestId"))), ())
            for each in held:
                each.cancel()
            if held:
                return Response(status_code=202)
        if message.method != CALL:
            return await self._pass("POST", headers, message.line)
        if message.id is None:
            raise RefusedMessage("a call without an id is not passed on")
        call, key = tool_call(message), (session, str(message.id))
        tools = OfferedTools(partial(self._page, headers))
        line = self._states.repeated(call)
        if line is not None:
            arguments = self._states.same(call, line)
            try:
                approved = await _approved(headers, call, arguments, tools)
            except UnlistedToolsError as error:
                return Response(call.answer(f"Not run: {error}"), media_type=_JSON)
            return await self._pass("POST", *approved, (call, arguments))
        if session is not None and key in self._held:
            raise RefusedMessage("its id is that of a call that is not answered yet", message.id)
        decided = self._hold(key, call, tools)
        try:
            await asyncio.wait({decided}, timeout=PROMPT)
        except asyncio.CancelledError:
            decided.cancel()
            raise
        if not decided.done():
            return StreamingResponse(self._waiting(call, decided, headers, tools), media_type=_EVENTS)
        if decided.cancelled() or await request.is_disconnected():
            return Response(status_code=202)
        decision = _decision(decided)
        if not decision.approved:
            return Response(call.answer(decision.words), media_type=_JSON)
        approved = await _approved(headers, call, decision.arguments, tools)
        return await self._pass("POST", *approved, (call, decision.arguments))

    def _hold(
        self, key: tuple[str | None, str], call: ToolCall, tools: OfferedTools
    ) -> asyncio.Future[CallDecision]:
        decided = asyncio.ensure_future(self._decider.decide(call, tools))
        self._held.setdefault(key, set()).add(decided)

        def release(_: object) -> None:
            self._held[key].discard(decided)
            if not self._held[key]:
                del self._held[key]

        decided.add_done_callback(release)
        return decided

    async def _waiting(
        self, call: ToolCall, decided: asyncio.Future[CallDecision], headers: _Headers, tools: OfferedTools
    ) -> AsyncIterator[bytes]:
        """Yield signs of life until a call is decided, then its answer; a client that leaves takes it back."""
        try:
            step = 0
            while not decided.done():
                line = call.progress(step := step + 1, WAITING)
                yield f": {WAITING}\n\n".encode() if line is None else _event(line)
                await asyncio.wait({decided}, timeout=HEARTBEAT)
        finally:
            decided.cancel()
        if decided.cancelled():
            return
        decision = _decision(decided)
        if not decision.approved:
            yield _event(call.answer(decision.words))
            return
        try:
            answer = await self._send("POST", *await _approved(headers, call, decision.arguments, tools))
        except httpx.HTTPError as error:
            yield _event(error_reply(_unreachable(error, call)))
            return
        try:
            if answer.status_code != 200:
                refused = RefusedMessage(f"the server answered with status {answer.status_code}", call.id)
                yield _event(error_reply(refused))
            elif _kind(answer) == _EVENTS:
                async for chunk in self._passing(answer, (call, decision.arguments)):
                    yield chunk
            else:
                chunks = [chunk async for chunk in self._passing(answer, (call, decision.arguments))]
                yield _event(b"".join(chunks))
        finally:
            await answer.aclose()

    # -- To the server.

    async def _send(self, method: str, headers: _Headers, body: bytes) -> httpx.Response:
        """Begin a request.

        Raises:
            httpx.HTTPError: The server cannot be reached, or is at another address, to which its client must not
                be led past the gate.
        """
        sent = httpx.Headers([*headers, ("accept-encoding", "identity")], encoding="latin-1")
        request = self._client.build_request(method, self._upstream, headers=sent, content=body)
        answer = await self._client.send(request, stream=True)
        if answer.is_redirect:
            await answer.aclose()
            where = answer.headers.get("location", "another address")
            raise httpx.TooManyRedirects(f"it redirects to {where}; give the gate the address it redirects to")
        return answer

    async def _pass(
        self,
        method: str,
        headers: _Headers,
        body: bytes,
        of: tuple[ToolCall, Mapping[str, Any] | None] | None = None,
    ) -> Response:
        """Pass a request on; the answer is that of the server."""
        try:
            answer = await self._send(method, headers, body)
        except httpx.HTTPError as error:
            return Response(error_reply(_unreachable(error)), 502, media_type=_JSON)
        found = StreamingResponse(self._closing(answer, of), answer.status_code)
        found.raw_headers = [
            (name.lower(), value)
            for name, value in answer.headers.raw
            if name.decode("latin-1").lower() not in _OF_CONNECTION
        ]
        return found

    async def _closing(
        self, answer: httpx.Response, of: tuple[ToolCall, Mapping[str, Any] | None] | None
    ) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._passing(answer, of):
                yield chunk
        finally:
            await answer.aclose()

    async def _passing(
        self, answer: httpx.Response, of: tuple[ToolCall, Mapping[str, Any] | None] | None
    ) -> AsyncIterator[bytes]:
        """Yield an answer as it comes, and note the states in it that the server gives out for a call."""
        reader = _EventReader() if _kind(answer) == _EVENTS else _WholeReader()
        async for chunk in answer.aiter_raw():
            if of is not None:
                self._note(of, reader.feed(chunk))
            yield chunk
        if of is not None:
            self._note(of, reader.end())

    def _note(self, of: tuple[ToolCall, Mapping[str, Any] | None], said: Iterator[bytes]) -> None:
        call, arguments = of
        for each in said:
            for message in server_messages(each):
                if message.method is None and message.id == call.id:
                    self._states.note(call, arguments, message.result)

    async def _page(self, headers: _Headers, cursor: str | None, meta: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask for a page of the listing."""
        of = f"signoff-{uuid.uuid4().hex}"
        own = [
            (name, LISTING if name == _METHOD else value)
            for name, value in headers
            if name != _NAME and not name.startswith(_PARAMETER)
        ]
        params = {**({"cursor": cursor} if cursor is not None else {}), **({"_meta": dict(meta)} if meta else {})}
        body = encoded({"jsonrpc": "2.0", "id": of, "method": LISTING, "params": params})
        try:
            answer = await self._send("POST", own, body)
            try:
                reader = _EventReader() if _kind(answer) == _EVENTS else _WholeReader()
                async for chunk in answer.aiter_raw():
                    for found in _answers(of, reader.feed(chunk)):
                        return found
                for found in _answers(of, reader.end()):
                    return found
            finally:
                await answer.aclose()
        except httpx.HTTPError as error:
            return {"error": {"message": str(_unreachable(error))}}
        return {"error": {"message": f"it answered with status {answer.status_code} and no result"}}


class _WholeReader:
    """Reads an answer that is one JSON text."""

    def __init__(self) -> None:
        self._read = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield nothing yet."""
        self._read += chunk
        return iter(())

    def end(self) -> Iterator[bytes]:
        """Yield the text."""
        yield bytes(self._read)


class _EventReader:
    """Reads the data of the events in a stream; what it cannot read has no consequence but another question."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of the events that end in the next bytes."""
        *lines, rest = chunk.split(b"\n")
        for part in lines:
            line = bytes(self._line + part).removesuffix(b"\r")
            self._line.clear()
            if line.startswith(b"data:"):
                self._data.append(line.removeprefix(b"data:").removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data.clear()
        self._line += rest

    def end(self) -> Iterator[bytes]:
        """Yield nothing: an event that has no end does not count."""
        return iter(())


def _message(body: bytes, headers: Mapping[str, str]) -> RpcMessage:
    """The one message of a request.

    Raises:
        RefusedMessage: There is none, or another reader may take it for something else.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        raise RefusedMessage(f"its content-type is not {_JSON}")
    if "content-encoding" in headers:
        raise RefusedMessage("it has a content-encoding")
    [message, *more] = messages_in(body, HELD)
    if isinstance(message, RefusedMessage):
        raise message
    if more or message.line != body:
        raise RefusedMessage("it is a batch; send one message at a time")
    for header, said in ((_METHOD, message.method), (_NAME, message.params.get("name"))):
        expected = _header_value(said) if isinstance(said, str) else None
        if header in headers and message.method == CALL and headers[header] != expected:
            raise RefusedMessage(f"the header {header} says something else", message.id)
    if message.method != CALL and headers.get(_METHOD, "").strip().casefold() == CALL:
        raise RefusedMessage(f"the header {_METHOD} says something else", message.id)
    return message


async def _body(request: Request) -> bytes:
    """The bytes of a request.

    Raises:
        RefusedMessage: They are too many, or end too early.
    """
    read = bytearray()
    try:
        async for chunk in request.stream():
            read += chunk
            if len(read) > LONGEST_LINE:
                raise RefusedMessage(f"it is longer than {LONGEST_LINE} bytes")
    except ClientDisconnect:
        raise RefusedMessage("it has no end") from None
    return bytes(read)


def _passed_on(headers: _Headers) -> _Headers:
    """The headers for the other side.

    Raises:
        RefusedMessage: One of them is there twice, or may be taken for another one.
    """
    kept = [(name, value) for name, value in headers if name not in _OF_CONNECTION]
    names = [name for name, _ in kept]
    for name in (_METHOD, _NAME, _SESSION, _VERSION, "content-type"):
        if names.count(name) > 1:
            raise RefusedMessage(f"the header {name} is there twice")
    for name in names:  # some servers take both characters for the same
        if "_" in name and name.replace("_", "-").startswith(("mcp-", "content-")):
            raise RefusedMessage(f"the header {name} is spelled nearly like another one")
    return kept


async def _approved(
    headers: _Headers, call: ToolCall, arguments: Mapping[str, Any] | None, tools: OfferedTools
) -> tuple[_Headers, bytes]:
    """The headers and the line of a call that runs; headers that mirror arguments are made anew from these.

    Raises:
        UnlistedToolsError: The server does not say which headers it wants.
    """
    kept = [(name, value) for name, value in headers if not name.startswith(_PARAMETER)]
    definition = await tools.find(call.tool, call.message.meta)
    schema = {} if definition is None else definition.schema
    if arguments is None:
        return [*kept, *_parameter_headers(schema, call.arguments)], call.message.line
    return [*kept, *_parameter_headers(schema, arguments)], call.line_with(arguments)


def _decision(decided: asyncio.Future[CallDecision]) -> CallDecision:
    error = decided.exception()
    if error is not None:  # whatever it is, the call does not run, and its client is told
        return CallDecision(False, f"Not run: a fault in signoff itself ({type(error).__name__}: {error})")
    return decided.result()


def _answers(of: str, said: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    for each in said:
        for message in server_messages(each):
            if message.method is None and message.id == of:
                yield message.whole()


def _kind(answer: httpx.Response) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _event(line: bytes) -> bytes:
    """A message as an event of a stream."""
    return b"event: message\n" + b"".join(b"data: %s\n" % part for part in line.splitlines()) + b"\n"


def _unreachable(error: httpx.HTTPError, call: ToolCall | None = None) -> RefusedMessage:
    why = f"the server cannot be reached: {str(error) or type(error).__name__}"
    return RefusedMessage(why, None if call is None else call.id)


def _plain(status: int, words: str) -> Response:
    return Response(f"{words}\n", status, media_type="text/plain")


# -- Headers that mirror a call since the protocol is without a handshake (2026-07-28), made from the call.

_MIRRORED = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def _header_value(text: str) -> str:
    """A text as a header spells it: in base64 if it would not arrive as it is."""
    marked = text.startswith("=?base64?") and text.endswith("?=")
    if text.isascii() and text.isprintable() and text == text.strip() and not marked:
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def _parameter_headers(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The headers that mirror arguments, as the schema of the tool, or of an object within them, wants them."""
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        value = arguments.get(name)
        if not isinstance(inner, dict):
            continue
        token = inner.get(_MIRRORED)
        if isinstance(value, str | int | float) and isinstance(token, str) and _TOKEN.fullmatch(token):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield _PARAMETER + token.lower(), _header_value(text)
        elif isinstance(value, dict):
            yield from _parameter_headers(inner, value)
