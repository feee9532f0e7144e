"""The connection that listens: it rings the local bells, and holds the leases of this process.

A connection of its own, because one that is busy with a query hears notifications late. One thread does
everything with it, connects again when it is lost, and sleeps otherwise.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time

import psycopg

from signoff.queue.errors import CLOSED_CONNECTION, QueueError, QueueUnavailableError
from signoff.queue.postgres.bells import LocalBells
from signoff.queue.postgres.connecting import Connection, connect, translation
from signoff.queue.postgres.url import PostgresPlace

__all__ = ["Listener"]

_RETRY_SECONDS = 0.25
"""Between two attempts to connect, or to take a lock that a lost session still holds."""


class Listener:
    """Hears what the writers of a queue announce, in a daemon thread that starts when it is needed.

    Args:
        place: The queue; its channel has the name of its schema.
        bells: Are rung.
    """

    def __init__(self, place: PostgresPlace, bells: LocalBells) -> None:
        self._place = place
        self._bells = bells
        self._changed = threading.Condition()
        self._wanted: set[int] = set()
        self._held: set[int] = set()
        self._failure: QueueError | OSError | None = None
        self._closed = False
        self._thread: threading.Thread | None = None
        self._woken, self._wake = -1, -1

    def start(self) -> None:
        """Listen from soon on. All bells are rung when that has begun, so nothing is missed in between.

        Raises:
            OSError: There are too many open files or threads.
        """
        with self._changed:
            if self._thread is None and not self._closed:
                self._woken, self._wake = os.pipe()
                os.set_blocking(self._woken, False)
                self._thread = threading.Thread(target=self._run, name="signoff-listener", daemon=True)
                self._thread.start()

    def hold(self, lock: int, seconds: float) -> None:
        """Take an advisory lock, and take it again whenever the connection was lost.

        Args:
            lock: A lock that nobody else takes.
            seconds: Longest wait for the server.

        Raises:
            QueueUnavailableError: The server cannot be reached or refuses, or the listener is closed.
            OSError: There are too many open files or threads.
        """
        end = time.monotonic() + seconds
        with self._changed:
            self._wanted.add(lock)
        self.start()
        with self._changed:
            self._rouse()
            while lock not in self._held:
                if self._closed:
                    raise QueueUnavailableError(CLOSED_CONNECTION)
                if self._failure is not None or not self._changed.wait(end - time.monotonic()):
                    self._wanted.discard(lock)
                    raise self._failure or QueueUnavailableError("the server of the queue does not answer")

    def drop(self, lock: int) -> None:
        """Give a lock up, soon. Never fails."""
        with self._changed:
            self._wanted.discard(lock)
            self._rouse()

    def close(self) -> None:
        """Stop listening, and give up all locks."""
        with self._changed:
            self._closed = True
            self._rouse()
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_RETRY_SECONDS)  # one that is just connecting ends by itself later

    def _rouse(self) -> None:
        if self._wake >= 0:
            os.write(self._wake, b"!")

    def _run(self) -> None:
        try:
            while not self._closed:
                try:
                    with contextlib.closing(connect(self._place)) as connection:
                        self._serve(connection)
                except psycopg.Error as error:
                    self._lost(translation(error, self._place))
                except (QueueError, OSError) as error:
                    self._lost(error)
                if not self._closed:
                    self._sleep(_RETRY_SECONDS)
        finally:
            with self._changed:
                os.close(self._woken)
                os.close(self._wake)
                self._wake = -1

    def _serve(self, connection: Connection) -> None:
        connection.execute(f'LISTEN "{self._place.schema}"')
        self._bells.ring_all()  # something may have been missed
        while not self._closed:
            complete = self._settle(connection)
            self._sleep(None if complete else _RETRY_SECONDS, connection.fileno())
            connection.pgconn.consume_input()
            while (heard := connection.pgconn.notifies()) is not None:
                self._bells.ring_words(heard.extra.decode("ascii", "replace"))

    def _settle(self, connection: Connection) -> bool:
        """Take and give up locks until what is held is what is wanted; says whether that succeeded."""
        with self._changed:
            missing, spare = self._wanted - self._held, self._held - self._wanted
        for lock in spare:
            connection.execute("SELECT pg_advisory_unlock(%s)", (lock,))
        taken = set()
        for lock in missing:
            row = connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (lock,)).fetchone()
            if row is not None and row["taken"]:
                taken.add(lock)
        with self._changed:
            self._failure = None
            self._held = self._held - spare | taken
            self._changed.notify_all()
        return taken == missing

    def _lost(self, error: QueueError | OSError) -> None:
        with self._changed:
            self._held = set()
            self._failure = error
            self._changed.notify_all()

    def _sleep(self, seconds: float | None, *descriptors: int) -> None:
        """Return when roused, when a descriptor is readable, or when the time is over."""
        poll = select.poll()
        for descriptor in (self._woken, *descriptors):
            poll.register(descriptor, select.POLLIN)
        poll.poll(None if seconds is None else seconds * 1000)
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
