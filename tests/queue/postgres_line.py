"""A line to the PostgreSQL server that a test can cut at the right moment."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["Line", "line_to"]


class Line:
    """Passes on what is said between clients and the server, until a test wants it cut.

    Attributes:
        host: What a client has to connect to.
        cut: Asked with each piece and whether the server said it; if it says yes, that piece is not passed on and
            its connection breaks.
        down: Whether new connections break at once.
    """

    def __init__(self, server: Path, home: Path) -> None:
        self.host = str(home)
        self.cut: Callable[[bytes, bool], bool] = lambda _piece, _by_server: False
        self.down = False
        self._server = server
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(home / server.name))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.down:
                    client.close()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(str(self._server))
                for source, target, by_server in ((client, there, False), (there, client, True)):
                    threading.Thread(target=self._pass_on, args=(source, target, by_server), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, by_server: bool) -> None:
        with contextlib.suppress(OSError):
            while (piece := source.recv(65536)) and not self.cut(piece, by_server):
                target.sendall(piece)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()


@contextlib.contextmanager
def line_to(server: Path) -> Iterator[Line]:
    """Lay a line to the socket of a server for the length of a ``with`` block."""
    home = Path(tempfile.mkdtemp(prefix="signoff-line-"))
    line = Line(server, home)
    try:
        yield line
    finally:
        line.close()
        shutil.rmtree(home)
