"""Logging in at the reviewer's page: a token becomes a cookie that only this server gets."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from signoff.server.access import COOKIE, HttpError, read_form
from signoff.server.page_templates import as_page, page
from signoff.server.tokens import TokenError, TokenFile

__all__ = ["PAGE_NAME", "SHARED_NAMES", "login_routes"]

PAGE_NAME = "signoff.localhost"
"""The name under which browsers on this machine open the page.

A browser sends a cookie to every port of a name. What an agent serves at another port of ``localhost`` would get
the token of a person who opens it there, and could decide with it.
"""

SHARED_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine that other servers on it have as well."""

_LARGEST = 4096


def login_routes(tokens: TokenFile) -> list[BaseRoute]:
    """Return the routes.

    Args:
        tokens: The tokens.
    """

    async def login(request: Request) -> Response:
        return await (log_in(request) if request.method == "POST" else form(request))

    async def form(request: Request) -> Response:
        port = _port_of_shared(request)
        if port is not None:
            return RedirectResponse(f"http://{PAGE_NAME}{port}/login", 303)
        return page("login", problem="")

    async def log_in(request: Request) -> Response:
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HttpError(403, "pages of other sites may not log you in")
        port = _port_of_shared(request)
        if port is not None:
            raise HttpError(
                403,
                f"log in at http://{PAGE_NAME}{port} instead: what a browser keeps for {_name(request)},"
                " it sends to every server of this machine",
            )
        fields = await read_form(request, request.receive, _LARGEST)
        text = "".join(fields.get("token", ())).strip()
        try:
            token = await asyncio.to_thread(tokens.holder, text)
        except TokenError as error:
            raise HttpError(503, str(error)) from error
        if token is None:
            return page("login", 401, problem="That is no token of this server; it may have been revoked.")
        answer = RedirectResponse("/", 303)
        secure = request.headers.get("origin", "").startswith("https://")
        answer.set_cookie(COOKIE, text, path="/", httponly=True, samesite="strict", secure=secure)
        return answer

    async def log_out(_: Request) -> Response:
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    return [
        Route("/login", as_page(login), methods=["GET", "POST"]),
        Route("/logout", as_page(log_out), methods=["POST"]),
    ]


def _name(request: Request) -> str:
    return request.headers["host"].lower().removesuffix(_port(request))


def _port(request: Request) -> str:
    """The port that a request names, with its colon; "" if it names none."""
    host, colon, port = request.headers["host"].rpartition(":")
    return f"{colon}{port}" if host and port.isdigit() else ""


def _port_of_shared(request: Request) -> str | None:
    return _port(request) if _name(request) in SHARED_NAMES else None
