"""Rules of access over HTTP: the host that was meant, where a page comes from, a token for each scope, and limits.

Every request passes `AccessRules`, WebSockets too. What it does not let through reaches nothing behind it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from signoff.server.tokens import Scope, Token, TokenError, TokenFile

__all__ = [
    "COOKIE",
    "LARGEST_BODY",
    "AccessRules",
    "HttpError",
    "read_form",
    "read_json",
    "require",
    "token_of",
]

COOKIE = "signoff_token"
"""Name of the cookie in which a browser keeps the token that a person has typed."""

LARGEST_BODY = 1024 * 1024
"""Bytes of the largest body that is read."""

BODY_SECONDS = 10.0
"""Time in which a body has to come."""

RATE, BURST = 100.0, 200.0
"""Requests a second of one token, and how many at once; those without a token share one allowance."""

_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 1000

_PUBLIC = {"/login", "/static/icon.svg", "/static/page.css", "/static/page.js"}
"""Paths that need no token: they tell nothing."""

SAFE_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    " img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none at all, browsers say of no form which page it comes from
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class HttpError(Exception):
    """A request that is answered with an error.

    Args:
        status: The status code.
        message: The error, for people.
        facts: More of the body.
    """

    def __init__(self, status: int, message: str, /, **facts: Any) -> None:
        super().__init__(message)
        self.status = status
        self.facts = facts

    def response(self) -> Response:
        """Return the answer; what has not come in time is not waited for any longer."""
        more = {"connection": "close"} if self.status == 408 else None
        return JSONResponse({"error": str(self), **self.facts}, self.status, more)


class _Allowance:
    """A bucket of requests that fills again with time."""

    def __init__(self) -> None:
        self._left = BURST
        self._at = time.monotonic()

    def take(self) -> bool:
        """Take one; False if there is none."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class AccessRules:
    """The check before every route: refuses a connection, or names its token.

    Args:
        app: The application behind the rules.
        hosts: The values of ``Host`` that are meant, in small letters, exactly.
        origins: The origins of pages that may ask, exactly.
        tokens: The tokens.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], origins: frozenset[str], tokens: TokenFile) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins
        self._tokens = tokens
        self._allowances: dict[str, _Allowance] = {}

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Let one connection through, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)})
        else:
            await _refusal_response(refusal, scope)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Connection) -> HttpError | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return HttpError(421, "this server has another name; see: signoff serve --help")
        origins = headers.getlist("origin")
        if any(origin not in self._origins or not _comes_from_host(origin, headers["host"]) for origin in origins):
            return HttpError(403, "pages of other sites may not ask here")
        if "transfer-encoding" in headers and "content-length" in headers:
            return HttpError(400, "a body has one length; a proxy may have taken this for two requests")
        public = scope["path"] in _PUBLIC
        text, from_cookie = _presented_token(headers)
        token = None
        try:
            token = self._tokens.holder(text) if text else None
        except TokenError as error:
            if not public:
                return HttpError(503, str(error))
        if not self._allowance_of(token.id if token else "").take():
            return HttpError(429, "too many requests; wait a second")
        if public:
            return None
        if token is None:
            return HttpError(401, "this needs a token; make one with: signoff token new")
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if from_cookie and acts and not origins:
            return HttpError(403, "a browser that acts has to say which page it acts for")
        scope["signoff_token"] = token
        scope["signoff_tokens"] = self._tokens
        return None

    def _allowance_of(self, ident: str) -> _Allowance:
        return self._allowances.setdefault(ident, _Allowance())


def token_of(connection: HTTPConnection) -> Token:
    """Return the token that a request was let in with."""
    token: Token = connection.scope["signoff_token"]
    return token


def require(connection: HTTPConnection, *scopes: Scope) -> Token:
    """Return the token of a request, if it has one of the scopes.

    Raises:
        HttpError: It has none of them.
    """
    token = token_of(connection)
    if token.scopes.isdisjoint(scopes):
        raise HttpError(403, f"this token may not {' or '.join(scopes)}; make one with: signoff token new")
    return token


def may_still(connection: Connection, scope: Scope) -> bool:
    """True if the token of a connection that stays open was not revoked meanwhile, and has a scope."""
    tokens: TokenFile = connection["signoff_tokens"]
    return tokens.still_holds(connection["signoff_token"], scope)


def is_json(headers: Mapping[str, str]) -> bool:
    """True if a body says that it is JSON."""
    return _media_type(headers) == "application/json"


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(receive: Receive, most: int = LARGEST_BODY) -> bytes:
    """Read the body of a request.

    Args:
        receive: The source of the body.
        most: Bytes of the largest body.

    Raises:
        HttpError: It is too large, came too slowly, or did not come whole.
    """
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise HttpError(400, "the request did not come whole")
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                if size > most:
                    raise HttpError(413, f"the body is larger than {most} bytes")
                if not message.get("more_body"):
                    return b"".join(chunks)
    except TimeoutError:
        raise HttpError(408, f"the body did not come in {BODY_SECONDS:.0f} seconds") from None


async def read_json(receive: Receive) -> dict[str, Any]:
    """Read the body of a request as a JSON object.

    Raises:
        HttpError: It is none, or cannot be read.
    """
    from signoff.canonical import NotJsonError, parse_json

    content = await read_body(receive)
    try:
        value = parse_json(content.decode()) if content.strip() else {}
    except (ValueError, NotJsonError) as error:
        raise HttpError(400, f"the body is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise HttpError(400, "the body must be a JSON object")
    return value


async def read_form(
    connection: HTTPConnection, receive: Receive, most: int = LARGEST_BODY
) -> dict[str, list[str]]:
    """Read the body of a request as the fields of a form.

    Args:
        connection: The request.
        receive: The source of its body.
        most: Bytes of the largest body.

    Raises:
        HttpError: It is no form, or cannot be read.
    """
    if _media_type(connection.headers) != _FORM:
        raise HttpError(415, f"send the body as {_FORM}")
    content = await read_body(receive, most)
    fields: dict[str, list[str]] = {}
    try:
        text = content.decode("ascii")
        for name, value in parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=_MOST_FIELDS
        ):
            fields.setdefault(name, []).append(value.replace("\r\n", "\n"))
    except ValueError as error:
        raise HttpError(400, f"the body is no form: {error}") from None
    return fields


def _comes_from_host(origin: str, host: str) -> bool:
    """True unless a page comes from another port of this machine, which may belong to anybody."""
    return origin.startswith("https://") or origin == f"http://{host.lower()}"


def _presented_token(headers: Headers) -> tuple[str, bool]:
    """The text of a token, and True if a browser sent it by itself."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return text.strip(), False
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return "", False
    return ("", False) if cookie is None else (cookie.value, True)


def _refusal_response(refusal: HttpError, scope: Connection) -> Response:
    headers = Headers(scope=scope)
    if refusal.status == 401 and scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
        return RedirectResponse("/login", 303)
    more = {
        400: {"connection": "close"},
        401: {"www-authenticate": "Bearer"},
        429: {"retry-after": "1"},
    }.get(refusal.status)
    return JSONResponse({"error": str(refusal)}, refusal.status, more)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name.encode(), value.encode()) for name, value in SAFE_HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *(pair for pair in added if pair[0] not in present)]
        await send(message)

    return with_headers
