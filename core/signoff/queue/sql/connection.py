"""What every connection to a queue has in common: the process that it belongs to, one queue, and an end."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator

from signoff.queue.errors import CLOSED_CONNECTION, FORKED_CONNECTION, QueueGoneError, QueueUnavailableError
from signoff.queue.sql.engine import Row, Transaction

__all__ = ["ANOTHER_QUEUE", "QUEUE_ID", "SET_BACK", "STATE_OF_QUEUE", "OwnConnection", "new_queue_id"]

QUEUE_ID = "id"
"""Name of the counter that never counts: a random number, by which a queue is told from every other."""

STATE_OF_QUEUE = f"SELECT name, value FROM counters WHERE name IN ('change', '{QUEUE_ID}')"  # noqa: S608
"""What `OwnConnection` needs of each consistent state of the queue that is looked at."""

ANOTHER_QUEUE = "is gone, another one is in its place"
SET_BACK = "was set back to an earlier state, as from a copy"

_GONE = "the queue {what}: {place}; what waited there does not run: put the queue back, or ask again"


def new_queue_id() -> int:
    """Make the number of a new queue."""
    return int.from_bytes(os.urandom(8)) >> 1  # both databases store 63 bits


class OwnConnection:
    """Lets the threads of the process that opened it use a connection in turn, until it ends.

    Args:
        name: Where the queue is, in words.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._gone: str | None = None
        self._queue_id: int | None = None
        self._change = 0
        self._process = os.getpid()
        self._guard = threading.RLock()
        self._closing = threading.Event()

    @property
    def name(self) -> str:
        """Where the queue is, in words."""
        return self._name

    @property
    def queue_id(self) -> int | None:
        """The number by which the queue is told from every other; None for one that could not be given any."""
        return self._queue_id

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
        if self._gone is not None:
            raise QueueGoneError(self._gone)

    def _end(self, what: str) -> QueueGoneError:
        """End the connection for good, because the queue is gone; returns the error to raise.

        Args:
            what: What happened, as in "the queue was removed".
        """
        self._gone = self._gone or _GONE.format(place=self._name, what=what)
        return QueueGoneError(self._gone)

    def _require_same_queue(self, rows: Iterable[Row]) -> None:
        """Make sure that a state is one of the queue that was opened, and no older one than was seen before.

        Args:
            rows: What `STATE_OF_QUEUE` yields.

        Raises:
            QueueGoneError: It is not.
        """
        found = {row["name"]: row["value"] for row in rows}
        if self._queue_id is None:
            self._queue_id = found.get(QUEUE_ID)
        elif found.get(QUEUE_ID) != self._queue_id:
            raise self._end(ANOTHER_QUEUE)
        change = found.get("change", 0)
        if change < self._change:
            raise self._end(SET_BACK)
        self._change = change

    def _made(self, transaction: Transaction) -> None:
        """Note that a change was made, after which the queue never is as it was before."""
        self._change = max(self._change, transaction.last_change)

    def _expect_any_queue(self) -> None:
        """Take whichever queue comes next for the one that is meant."""
        self._gone = self._queue_id = None
        self._change = 0

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
