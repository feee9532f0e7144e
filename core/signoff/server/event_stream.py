"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) for one client."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from signoff.server.access import may_still
from signoff.server.tokens import Scope

__all__ = ["HEARTBEAT", "HEARTBEAT_SECONDS", "send_events"]

HEARTBEAT = ": still here\n\n"
"""A comment, sent so that proxies keep a quiet stream open."""

HEARTBEAT_SECONDS = 15.0
"""Seconds of silence after which the comment is sent."""

SLOW_SECONDS = 30.0
"""A client that takes nothing for so long is cut off; it may come back with `Last-Event-ID`."""

_END = {"type": "http.response.body", "body": b"", "more_body": False}


async def send_events(
    texts: AsyncGenerator[str, None], connection: Connection, receive: Receive, send: Send
) -> None:
    """Send events until there are no more, the client has left, or its token was revoked.

    Args:
        texts: The events and comments, each with the empty line that ends it.
        connection: The request.
        receive: Tells that the client has left.
        send: Takes the answer.
    """
    headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if connection["method"] == "HEAD":  # the next request of the connection would wait for the end of the stream
        await send(_END)
        return
    gone = asyncio.ensure_future(_until_gone(receive))
    sending = asyncio.ensure_future(_send(texts, connection, send))
    try:
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (gone, sending):
            task.cancel()
        await asyncio.gather(gone, sending, return_exceptions=True)


async def _send(texts: AsyncGenerator[str, None], connection: Connection, send: Send) -> None:
    async with contextlib.aclosing(texts):
        async for text in texts:
            if not await asyncio.to_thread(may_still, connection, Scope.READ):
                break
            async with asyncio.timeout(SLOW_SECONDS):
                await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
    await send(_END)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
