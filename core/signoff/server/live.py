"""Events for pages that are open: something in the queue has changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from signoff.queue.errors import QueueError
from signoff.queue.protocol import ReviewQueue
from signoff.server.access import HttpError, require
from signoff.server.page_view import fingerprint
from signoff.server.runs_api import HEARTBEAT_SECONDS, SLOW_SECONDS, until_gone
from signoff.server.tokens import Scope

if TYPE_CHECKING:
    from signoff.server.service import Service

__all__ = ["LiveEvents"]

MOST_CONNECTIONS = 100
"""Pages at once."""

REST_SECONDS = 0.5
"""Time between two looks, however much changes."""


class LiveEvents:
    """The endpoint: the fingerprint of what waits, now and whenever it differs.

    ``?request=`` limits it to one request, whatever its end.

    Args:
        service: What the routes share.
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
        gone = asyncio.ensure_future(until_gone(receive))
        sending = asyncio.ensure_future(self._send(token.name, request.query_params.get("request"), send))
        try:
            await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._connections -= 1
            for task in (gone, sending):
                task.cancel()
            await asyncio.gather(gone, sending, return_exceptions=True)

    async def _send(self, name: str, request_id: str | None, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        with contextlib.suppress(QueueError):  # the page asks again, and is told then
            async for text in self._texts(name, request_id):
                async with asyncio.timeout(SLOW_SECONDS):
                    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self, name: str, request_id: str | None) -> AsyncIterator[str]:
        queue = await asyncio.to_thread(self._service.reviewing, name)
        changes = self._service.changes(name)
        told = ""
        next_change = asyncio.ensure_future(anext(changes))
        try:
            while True:
                done, _ = await asyncio.wait({next_change}, timeout=HEARTBEAT_SECONDS)
                if not done:
                    yield ": still here\n\n"
                    continue
                next_change.result()
                next_change = asyncio.ensure_future(anext(changes))
                now = await asyncio.to_thread(_look, queue, request_id)
                if now != told:
                    told = now
                    yield f"event: change\ndata: {now}\n\n"
                await asyncio.sleep(REST_SECONDS)
        finally:
            next_change.cancel()
            await asyncio.gather(next_change, return_exceptions=True)


def _look(queue: ReviewQueue, request_id: str | None) -> str:
    return fingerprint(queue.pending() if request_id is None else [queue.get(request_id)])
