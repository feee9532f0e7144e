"""What every connection to a queue has in common: the process that it belongs to, and an end."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from signoff.queue.errors import CLOSED_CONNECTION, FORKED_CONNECTION, QueueUnavailableError

__all__ = ["OwnConnection"]


class OwnConnection:
    """Lets the threads of the process that opened it use a connection in turn, until it is closed."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._guard = threading.RLock()
        self._closing = threading.Event()

    @property
    def forked(self) -> bool:
        """Whether this is a child process that merely inherited the connection."""
        return os.getpid() != self._process

    @property
    def closed(self) -> bool:
        """Whether the connection was closed."""
        return self._closing.is_set()

    def require_open(self) -> None:
        """Refuse to go on with a closed or inherited connection.

        Raises:
            QueueUnavailableError: It is one.
        """
        if self.forked:
            raise QueueUnavailableError(FORKED_CONNECTION)
        if self.closed:
            raise QueueUnavailableError(CLOSED_CONNECTION)

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        """Have the connection for oneself.

        Raises:
            QueueUnavailableError: It is closed or inherited.
        """
        if self.forked:  # before the guard, which another thread may have held at the fork
            raise QueueUnavailableError(FORKED_CONNECTION)
        with self._guard:
            self.require_open()
            yield
