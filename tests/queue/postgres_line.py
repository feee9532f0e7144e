"""A line to the PostgreSQL server that a test can slow down, block, swallow from, and cut at the right moment."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

__all__ = ["Line", "line_to"]


@dataclass
class _Way:
    """One direction of a connection, with the pieces that were heard and not yet said, and when."""

    source: socket.socket
    target: socket.socket
    by_server: bool
    pieces: SimpleQueue[tuple[float, bytes]] = field(default_factory=SimpleQueue)


class Line:
    """Passes on what is said between clients and the server, until a test wants something else.

    Attributes:
        host: What a client has to connect to.
        port: The same; a number if it is not a directory with a socket.
        cut: Asked with each piece and whether the server said it; if it says yes, that piece is not passed on and
            its connection breaks.
        down: Whether new connections break at once.
        to_server, to_client: Seconds that each piece takes in that direction.
        hole: Whether everything is kept, on new connections, too, which stay open. It is passed on afterwards.
        swallows: Whether everything that is said is lost, for ever. Connections stay open.
    """

    def __init__(self, server: Path, home: Path | None) -> None:
        self.cut: Callable[[bytes, bool], bool] = lambda _piece, _by_server: False
        self.down = self.hole = self.swallows = False
        self.to_server = self.to_client = 0.0
        self._server = server
        self._ends: list[socket.socket] = []
        if home is None:
            self._listening = socket.socket(socket.AF_INET)
            self._listening.bind(("127.0.0.1", 0))
            self.host, self.port = map(str, self._listening.getsockname())
        else:
            self.host, self.port = str(home), server.suffix[1:]
            self._listening = socket.socket(socket.AF_UNIX)
            self._listening.bind(str(home / server.name))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_all(self) -> None:
        """Break all connections."""
        ends, self._ends = self._ends, []
        for end in ends:
            _shut(end)

    def mend(self) -> None:
        """Pass everything on again."""
        self.down = self.hole = self.swallows = False
        self.to_server = self.to_client = 0.0

    def close(self) -> None:
        """Take no more connections."""
        self.mend()
        _shut(self._listening)
        self._listening.close()
        self.cut_all()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.down:
                    client.close()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(str(self._server))
                self._ends += client, there
                for way in (_Way(client, there, by_server=False), _Way(there, client, by_server=True)):
                    for work in (self._hear, self._say):
                        threading.Thread(target=work, args=(way,), daemon=True).start()

    def _hear(self, way: _Way) -> None:
        with contextlib.suppress(OSError):
            while (piece := way.source.recv(65536)) and not self.cut(piece, way.by_server):
                if not self.swallows:
                    way.pieces.put((time.monotonic(), piece))
        way.pieces.put((time.monotonic(), b""))

    def _say(self, way: _Way) -> None:
        with contextlib.suppress(OSError):
            while (heard := way.pieces.get())[1]:
                at, piece = heard
                delay = self.to_client if way.by_server else self.to_server
                time.sleep(max(0.0, at + delay - time.monotonic()))
                while self.hole:
                    time.sleep(0.01)
                way.target.sendall(piece)
        while self.hole:
            time.sleep(0.01)
        _shut(way.source)
        _shut(way.target)
        way.source.close()


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def line_to(server: Path, *, tcp: bool = False) -> Iterator[Line]:
    """Lay a line to the socket of a server for the length of a ``with`` block.

    Args:
        server: The socket.
        tcp: True for a line over TCP on this machine, as over a network.
    """
    home = None if tcp else Path(tempfile.mkdtemp(prefix="signoff-line-"))
    line = Line(server, home)
    try:
        yield line
    finally:
        line.close()
        if home is not None:
            shutil.rmtree(home)
