"""The sockets of the server, and limits for connections that send too little, too slowly, or are too many."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import resource
import signal
import socket
from pathlib import Path
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from signoff.private_files import make_directory

__all__ = ["ListenError", "serve", "tcp_socket", "unix_socket"]

HEAD_SECONDS = 10.0
"""Time in which a connection has to send the head of a request."""

MOST_IDLE = 1000
"""Connections that wait for a request; beyond them the oldest that never asked anything is closed."""

_KEEP_ALIVE_SECONDS = 10
_LARGEST_FRAME = 64 * 1024
_LARGEST_HEAD = 32 * 1024


class ListenError(Exception):
    """The server cannot listen there; the message says what to do."""


def unix_socket(path: Path) -> socket.socket:
    """Return a listening Unix socket that only its owner reaches.

    Raises:
        ListenError: Another server listens there, or the socket cannot be made.
    """
    try:
        make_directory(path.parent)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        _remove_left_over(path)
        before = os.umask(0o177)
        try:
            listening.bind(os.fspath(path))
        finally:
            os.umask(before)
        listening.listen(1024)
    except OSError as error:
        raise ListenError(f"cannot listen at {path}: {error.strerror or error}") from error
    return listening


def _remove_left_over(path: Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            probe.connect(os.fspath(path))
        except FileNotFoundError:
            return
        except ConnectionRefusedError:
            path.unlink()
            return
    raise ListenError(f"another server listens at {path}; end it first, or choose another with --socket")


def tcp_socket(address: str) -> socket.socket:
    """Return a listening TCP socket on a loopback address.

    Args:
        address: Such as ``127.0.0.1:8080`` or ``[::1]:8080``; port 0 takes a free one.

    Raises:
        ListenError: It is no such address, other machines could reach it, or it is taken.
    """
    host, _, port = address.rpartition(":")
    try:
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
        number = int(port)
    except ValueError:
        raise ListenError(f"{address} is no address with a port, such as 127.0.0.1:8080") from None
    if not ip.is_loopback:
        raise ListenError(
            f"{ip} can be reached by other machines; listen on 127.0.0.1, and put a proxy with TLS before it"
        )
    family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(ip), number))
        listening.listen(1024)
    except (OSError, OverflowError) as error:
        listening.close()
        raise ListenError(f"cannot listen at {address}: {error}") from error
    return listening


def serve(app: ASGIApp, sockets: list[socket.socket]) -> None:
    """Serve until SIGINT or SIGTERM ends it."""
    _raise_file_limit()
    config = uvicorn.Config(
        app,
        http=_GuardedConnection,
        ws="websockets-sansio",
        ws_max_size=_LARGEST_FRAME,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=3,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
    )
    server = _Server(config)
    # Uvicorn takes signals once its loop runs, and raises them again in the end. In between they would raise
    # KeyboardInterrupt wherever the program is then, such as in the start of the loop.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    server.run(sockets)


class _Server(uvicorn.Server):
    """A server that starts before it ends: Uvicorn 0.35 leaves the start of the application half done."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._early: tuple[int, FrameType | None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note a signal."""
        if self.started:
            super().handle_exit(sig, frame)
        else:
            self._early = sig, frame

    async def on_tick(self, counter: int) -> bool:
        """Look whether to end; called in the beginning and every tenth of a second."""
        if self._early is not None:
            super().handle_exit(*self._early)
            self._early = None
        return await super().on_tick(counter)


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 16_384 if hard == resource.RLIM_INFINITY else min(16_384, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _GuardedConnection(H11Protocol):
    """A connection that is closed when it sends no request in time, or when too many of its kind wait."""

    # Those of the process, the oldest first; whoever has asked before is cut off last.
    _unasked: dict[_GuardedConnection, None] = {}  # noqa: RUF012
    _idle: dict[_GuardedConnection, None] = {}  # noqa: RUF012
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, but not for ever."""
        super().connection_made(transport)
        self._start_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a request that came whole is waited for no longer."""
        super().data_received(data)
        if self._timer is not None and self._answering():
            self._stop_waiting()

    def _asked_nothing(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request, whatever its type says
        return cycle is None

    def _answering(self) -> bool:
        return not self._asked_nothing() and not self.cycle.response_complete

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to the protocol of WebSockets."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._start_waiting()

    def _start_waiting(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._close)
        (self._unasked if self._asked_nothing() else self._idle)[self] = None
        if len(self._unasked) + len(self._idle) > MOST_IDLE:
            next(iter(self._unasked or self._idle))._close()  # noqa: SLF001 - another of this very class

    def _stop_waiting(self) -> None:
        self._unasked.pop(self, None)
        self._idle.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._stop_waiting()
        self.transport.abort()
