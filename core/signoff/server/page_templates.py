"""The templates of the reviewer's page, and the files beside them."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from signoff.present.reveal import SafeText, reveal
from signoff.queue.errors import QueueError
from signoff.server.access import HttpError

__all__ = ["STATIC_FILES", "Handler", "as_page", "page", "static_file"]

Handler = Callable[[Request], Awaitable[Response]]
"""The function of a route."""

STATIC_FILES = {
    "icon.svg": "image/svg+xml",
    "page.css": "text/css",
    "page.js": "text/javascript",
}
"""The files that need no token, with their types."""


def _checked(value: object) -> object:
    """Refuse a text that did not go through `reveal`: the last check, before it is escaped."""
    return value if isinstance(value, Markup) else SafeText(str(value)).text


@functools.cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("signoff.server", "page"),
        autoescape=True,
        finalize=_checked,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(name: str, status: int = 200, /, **values: Any) -> Response:
    """Return a page.

    Args:
        name: Name of its template.
        status: The status code.
        values: The values of the template; texts of others in them are safe to show.
    """
    return HTMLResponse(_templates().get_template(f"{name}.html").render(values), status)


async def static_file(request: Request) -> Response:
    """Answer with the style, the script or the icon of the page."""
    name = request.url.path.rpartition("/")[2]
    content = resources.files("signoff.server").joinpath("page", name).read_bytes()
    return Response(content, media_type=STATIC_FILES[name])


def as_page(handler: Handler) -> Handler:
    """Make a route whose errors are pages, too."""

    @functools.wraps(handler)
    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except HttpError as error:
            status, words = error.status, str(error)
        except QueueError as error:
            status, words = 503, str(error)
        told = reveal(words, "description").text
        return page("problem", status, title=HTTPStatus(status).phrase, words=told)

    return answer
