"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) for one client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Receive, Send

__all__ = ["HEARTBEAT", "HEARTBEAT_SECONDS", "send_events"]

HEARTBEAT = ": still here\n\n"
"""A comment, sent so that proxies keep a quiet stream open."""

HEARTBEAT_SECONDS = 15.0
"""Seconds of silence after which the comment is sent."""

SLOW_SECONDS = 30.0
"""A client that takes nothing for so long is cut off; it may come back with `Last-Event-ID`."""

_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]


async def send_events(texts: AsyncIterator[str], receive: Receive, send: Send) -> None:
    """Send events until there are no more, or the client has left.

    Args:
        texts: The events and comments, each with the empty line that ends it.
        receive: Tells that the client has left.
        send: Takes the answer.
    """
    gone = asyncio.ensure_future(_until_gone(receive))
    sending = asyncio.ensure_future(_send(texts, send))
    try:
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (gone, sending):
            task.cancel()
        await asyncio.gather(gone, sending, return_exceptions=True)


async def _send(texts: AsyncIterator[str], send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    async for text in texts:
        async with asyncio.timeout(SLOW_SECONDS):
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
