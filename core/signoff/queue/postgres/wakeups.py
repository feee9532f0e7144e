"""Wake-ups: the writing transaction notifies, one listener in each process rings the bells of its sleepers.

``NOTIFY`` is delivered when the transaction is visible, never for one that was rolled back
(https://www.postgresql.org/docs/current/sql-notify.html).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator

import psycopg

from signoff.queue.errors import CLOSED_CONNECTION, QueueAwayError, QueueError, QueueUnavailableError
from signoff.queue.postgres.causes import translation
from signoff.queue.postgres.connection import (
    ANSWER_SECONDS,
    Connection,
    PostgresPlace,
    ServerSilentError,
    connect_within,
)
from signoff.queue.sqlite.wakeups import Bell

__all__ = [
    "BEAT_ANSWER_SECONDS",
    "BEAT_SECONDS",
    "LONGEST_PAYLOAD",
    "Listener",
    "LocalBells",
    "channel",
    "payloads",
]


LONGEST_PAYLOAD = 7_999
"""Most bytes that one notification takes."""


class LocalBells:
    """The bells of the sleepers of one connection. Any thread may hang and ring them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._hanging: dict[str, set[int]] = {}

    def hang(self, key: str) -> Bell:
        """Put up a bell.

        Raises:
            OSError: There are too many open files.
        """
        heard, rung = os.pipe()
        os.set_blocking(heard, False)
        os.set_blocking(rung, False)
        word = _word(key)
        with self._guard:
            self._hanging.setdefault(word, set()).add(rung)
        return Bell(heard, lambda: self._take_down(word, rung))

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key."""
        self.ring_words(_word(key))

    def ring_words(self, payload: str) -> None:
        """Wake everyone whom a payload of `payloads` concerns."""
        with self._guard:
            for word in payload.split():
                for rung in self._hanging.get(word, ()):
                    _ring(rung)

    def ring_all(self) -> None:
        """Wake everyone."""
        with self._guard:
            for bells in self._hanging.values():
                for rung in bells:
                    _ring(rung)

    def sleepers(self, *, besides: str) -> int:
        """Number of bells that hang, without those of one key."""
        with self._guard:
            return sum(len(bells) for word, bells in self._hanging.items() if word != _word(besides))

    def _take_down(self, word: str, rung: int) -> None:
        with self._guard:
            bells = self._hanging[word]
            bells.remove(rung)
            if not bells:
                del self._hanging[word]
            os.close(rung)


def payloads(keys: Iterable[str]) -> Iterator[str]:
    """Return what to notify so that the bells under the keys are rung: letters, digits and blanks only."""
    words: list[str] = []
    length = 0
    for word in map(_word, keys):
        if length + len(word) > LONGEST_PAYLOAD:
            yield " ".join(words)
            words, length = [], 0
        words.append(word)
        length += len(word) + 1
    if words:
        yield " ".join(words)


def channel(schema: str, audience: str) -> str:
    """Return the channel on which writers of a queue tell an audience that something changed."""
    return f"signoff_{_word(f'{schema} {audience}')}"


def _word(key: str) -> str:
    """A key in few letters that need no quoting; if two ever share them, somebody looks once in vain."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _ring(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):  # a full pipe has been rung often enough
        os.write(descriptor, b"!")


# -- The connection that listens: it rings the local bells, and holds the leases of this process.
#
# A connection of its own, because one that is busy with a query hears notifications late. One thread does
# everything with it, connects again when it is lost, and sleeps otherwise. Nothing else is done on this connection
# that could take long, so it also tells a server that hangs from one that is busy.

_RETRY_SECONDS = 0.25
"""Between two attempts to connect, or to take a lock that a lost session still holds."""

_CONNECT_SECONDS = 5.0
"""Longest attempt to connect; what a network has swallowed is said again in the next one."""

BEAT_SECONDS = 0.4
"""While a screen is open, the server is asked for a sign of life so long after the last one."""

BEAT_ANSWER_SECONDS = 0.9
"""A sign of life that takes longer is none: the screen must say so within two seconds."""


class Listener:
    """Hears what the writers of a queue announce, in a daemon thread that starts when it is needed.

    Args:
        place: The queue.
        bells: Are rung.
        spare: Closes the other connection of this process if it is idle; returns the seconds until it may be, or
            None if there is none.
    """

    def __init__(self, place: PostgresPlace, bells: LocalBells, spare: Callable[[], float | None]) -> None:
        self._place = place
        self._bells = bells
        self._changed = threading.Condition(threading.RLock())
        self._spare = spare
        self._channels: set[str] = set()
        self._heard: set[str] = set()
        self._wanted: set[int] = set()
        self._held: set[int] = set()
        self._failure: QueueError | OSError | None = None
        self._failed_at = 0.0
        self._doubted = False
        self._silent = False
        self._beats_until = float("-inf")
        self._closed = False
        self._thread: threading.Thread | None = None
        self._woken, self._wake = -1, -1

    def hear(self, audience: str) -> None:
        """Hear from soon on what concerns an audience. All bells are rung then, so nothing is missed in between.

        Args:
            audience: As for `signoff.queue.sql.engine.Engine.hang_bell`.

        Raises:
            OSError: There are too many open files or threads.
        """
        wanted = channel(self._place.schema, audience)
        with self._changed:
            if wanted in self._channels:
                return
            self._channels.add(wanted)
        self._start()
        with self._changed:
            self._rouse()

    def _start(self) -> None:
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
        self._start()
        with self._changed:
            self._rouse()
            while lock not in self._held:
                if self._closed:
                    raise QueueUnavailableError(CLOSED_CONNECTION)
                if self._failure is not None or not self._changed.wait(end - time.monotonic()):
                    self._wanted.discard(lock)
                    raise self._failure or QueueUnavailableError("the server of the queue does not answer")

    def beat(self, seconds: float) -> None:
        """Ask the server for signs of life for some seconds, so that one that hangs is noticed at once."""
        with self._changed:
            begins, now = self._beats_until < time.monotonic(), time.monotonic()
            self._beats_until = now + seconds
            if begins:
                self._rouse()

    def doubt(self) -> None:
        """Ask the server for a sign of life: it has not answered on another connection."""
        with self._changed:
            if self._thread is not None and not self._doubted:
                self._doubted = True
                self._failed_at = self._failed_at if self._failure else time.monotonic()
                self._rouse()

    @property
    def silent(self) -> bool:
        """True if the server hangs: it keeps connections open, and does not answer."""
        return self._silent

    def away(self) -> tuple[QueueAwayError, float] | None:
        """Why the server is away, and since when by the monotonic clock; None if it is not, or nobody knows."""
        with self._changed:
            if isinstance(self._failure, QueueAwayError):
                return self._failure, self._failed_at
            if self._doubted and self._failure is None:
                return QueueAwayError(f"{self._place.name} does not answer"), self._failed_at
            return None

    def wait_until_back(self, seconds: float) -> bool:
        """Wait until the server is not away any more; says whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self.away() is None, max(0.0, seconds))

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

    def rouse(self) -> None:
        """Have another look at what there is to do."""
        with self._changed:
            self._rouse()

    def _rouse(self) -> None:
        if self._wake >= 0:
            os.write(self._wake, b"!")

    def _run(self) -> None:
        try:
            while not self._closed:
                try:
                    with contextlib.closing(self._connect()) as connection:
                        self._serve(connection)
                except psycopg.Error as error:
                    self._silent = self._silent or isinstance(error, ServerSilentError)
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

    def _connect(self) -> Connection:
        return connect_within(self._place, _CONNECT_SECONDS * self._place.hosts)

    def _serve(self, connection: Connection) -> None:
        connection.add_notify_handler(lambda heard: self._bells.ring_words(heard.payload))
        self._heard = set()
        self._listen(connection)
        self._silent = False
        self._bells.ring_all()  # something may have been missed
        answered_at = time.monotonic()
        while not self._closed:
            if self._listen(connection):
                self._bells.ring_all()
            complete = self._settle(connection)
            beats = time.monotonic() < self._beats_until
            seconds = BEAT_SECONDS if beats else self._spare() if complete else _RETRY_SECONDS
            self._sleep(seconds, connection.fileno())
            connection.pgconn.consume_input()
            while (heard := connection.pgconn.notifies()) is not None:
                self._bells.ring_words(heard.extra.decode("ascii", "replace"))
            if self._doubted or (beats and time.monotonic() - answered_at >= BEAT_SECONDS):
                connection.limit = BEAT_ANSWER_SECONDS
                connection.execute("SELECT 1")
                connection.limit = ANSWER_SECONDS
                answered_at = time.monotonic()
                with self._changed:
                    self._doubted = False
                    self._changed.notify_all()

    def _listen(self, connection: Connection) -> bool:
        """Listen to what is not listened to yet; says whether there was anything."""
        with self._changed:
            missing = self._channels - self._heard
        for each in missing:
            connection.execute(f'LISTEN "{each}"')
        self._heard |= missing
        return bool(missing)

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
            self._doubted = False
            self._held = self._held - spare | taken
            self._changed.notify_all()
        return taken == missing

    def _lost(self, error: QueueError | OSError) -> None:
        with self._changed:
            self._held = set()
            news = self._failure is None
            if news and not self._doubted:
                self._failed_at = time.monotonic()
            self._failure = error
            self._changed.notify_all()
        if news:
            self._bells.ring_all()  # whoever sleeps looks what is the matter

    def _sleep(self, seconds: float | None, *descriptors: int) -> None:
        """Return when roused, when a descriptor is readable, or when the time is over."""
        poll = select.poll()
        for descriptor in (self._woken, *descriptors):
            poll.register(descriptor, select.POLLIN)
        poll.poll(None if seconds is None else seconds * 1000)
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
