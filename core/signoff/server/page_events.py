"""Events for pages that are open: something in the queue has changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from signoff.queue.errors import QueueError
from signoff.queue.protocol import ReviewQueue
from signoff.server.access import HttpError, require
from signoff.server.event_stream import HEARTBEAT, HEARTBEAT_SECONDS, send_events
from signoff.server.page_view import fingerprint
from signoff.server.tokens import Scope

if TYPE_CHECKING:
    from signoff.server.service import Service

__all__ = ["PageEvents"]

MOST_CONNECTIONS = 100
"""Pages at once."""

REST_SECONDS = 0.5
"""Time between two looks, however much changes."""


class PageEvents:
    """The endpoint: the fingerprint of what waits, now and whenever it differs.

    ``?request=`` limits it to one request, whatever its end.

    Args:
        service: The service behind the routes.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._connections = 0

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Send events until the page is left."""
        request = Request(scope, receive)
        try:
            token = require(request, Scope.READ)
        except HttpError as error:
            await error.response()(scope, receive, send)
            return
        if self._connections >= MOST_CONNECTIONS:
            await HttpError(503, "too many pages are open").response()(scope, receive, send)
            return
        self._connections += 1
        try:
            texts = self._texts(token.name, request.query_params.get("request"))
            await send_events(texts, scope, receive, send)
        finally:
            self._connections -= 1

    async def _texts(self, name: str, request_id: str | None) -> AsyncGenerator[str, None]:
        with contextlib.suppress(QueueError):  # the page asks again, and is told then
            queue = await asyncio.to_thread(self._service.review_queue, name)
            changes = self._service.changes(name)
            told = ""
            next_change = asyncio.ensure_future(anext(changes))
            try:
                while True:
                    done, _ = await asyncio.wait({next_change}, timeout=HEARTBEAT_SECONDS)
                    if not done:
                        yield HEARTBEAT
                        continue
                    next_change.result()
                    next_change = asyncio.ensure_future(anext(changes))
                    now = await asyncio.to_thread(_current_fingerprint, queue, request_id)
                    if now != told:
                        told = now
                        yield f"event: change\ndata: {now}\n\n"
                    await asyncio.sleep(REST_SECONDS)
            finally:
                next_change.cancel()
                await asyncio.gather(next_change, return_exceptions=True)


def _current_fingerprint(queue: ReviewQueue, request_id: str | None) -> str:
    return fingerprint(queue.pending() if request_id is None else [queue.get(request_id)])
