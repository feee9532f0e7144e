"""A queue in PostgreSQL: transactions, their durability, and what happens when the connection is lost.

Writers take one advisory lock first, so there is one at a time, as with SQLite's ``BEGIN IMMEDIATE``: change
numbers and the history never overtake each other, and nothing needs to be tried again.

When the connection breaks during ``COMMIT``, nobody knows whether that took place. So each writing transaction
leaves its number in ``last_writes``, and the next connection, once it has the writers' lock and the lost
transaction is therefore over, looks whether the number is there. (The status of a transaction id would not do:
ids that were never flushed are given out again after a crash of the server.)

Locks and notifications belong to sessions, so this needs the server itself, not a pooler that shares its sessions.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from signoff.queue.clock import SECOND
from signoff.queue.errors import QueueUnavailableError
from signoff.queue.postgres.connection import Connection, PostgresPlace, connect, is_lost, translation
from signoff.queue.postgres.leases import SessionLeases, queue_lock, screens_lock
from signoff.queue.postgres.schema import VectorIndex, prepare
from signoff.queue.postgres.wakeups import Listener, LocalBells, payloads
from signoff.queue.sql.engine import (
    PATIENCE_SECONDS,
    QUEUE_ID,
    STATE_OF_QUEUE,
    OwnConnection,
    Row,
    Transaction,
    new_queue_id,
)
from signoff.queue.sqlite.wakeups import Bell

__all__ = ["PostgresEngine"]

_RETRY_SECONDS = 0.1
"""Between two attempts to connect again."""

_FORGET_US = 24 * 3600 * SECOND
"""So long after its last write a writer no longer asks what became of it."""

_LOOK = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# Each statement after the lock sees what the writer before has committed.
_WRITE = """
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL lock_timeout = {milliseconds};
SET LOCAL synchronous_commit = {synchronous};
SELECT pg_advisory_xact_lock({lock})
"""
# A screen that is awake shares the lock of the present slice of time; one that hangs keeps an old one.
_SLICE = "floor(extract(epoch FROM clock_timestamp()) / 4)::int"
_ATTEND = f"SELECT pg_try_advisory_lock_shared(?::int, slice), slice FROM (SELECT {_SLICE} AS slice) AS now"  # noqa: S608
_ATTENDED = f"""
SELECT COUNT(*) FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = ?::bigint::oid
    AND objid::bigint >= {_SLICE} - 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 - nothing in it comes from outside
_ATTEND_SECONDS = 2.0
_COMMIT = """
INSERT INTO last_writes (writer, number, at) VALUES ('{writer}', {number}, {now})
ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at;
{more}
COMMIT
"""


class _PostgresLook:
    """Statements on one connection."""

    search = VectorIndex()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def row(self, statement: str, *values: object) -> Row | None:
        return self._execute(statement, values).fetchone()

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        return self._execute(statement, values).fetchall()

    def number(self, statement: str, *values: object) -> int:
        found = self._execute(statement, values).fetchone()
        assert found is not None
        return int(next(iter(found.values())))

    def _execute(self, statement: str, values: tuple[object, ...]) -> psycopg.Cursor[dict[str, Any]]:
        return self._connection.execute(_translated(statement), values)


class _PostgresTransaction(_PostgresLook, Transaction):
    """A write in progress."""

    def __init__(self, connection: Connection) -> None:
        Transaction.__init__(self)
        _PostgresLook.__init__(self, connection)
        self.changed = False

    def run(self, statement: str, *values: object) -> int:
        self.changed = True
        return self._execute(statement, values).rowcount


class PostgresEngine(OwnConnection):
    """A connection that several threads of one process may share.

    Args:
        place: The place of the queue.
        create: True to create it when there is none.

    Raises:
        QueueNotFoundError: There is none, and it was not to be created.
        QueueVersionError: It was written by a newer signoff.
        QueueUnavailableError: The database cannot be used; the message says why and what to do.
    """

    def __init__(self, place: PostgresPlace, *, create: bool = True) -> None:
        super().__init__(place.name)
        self.place = place
        self.generation = 0
        """The number of connections made so far."""
        self._connection: Connection | None = None
        self._writer = secrets.token_hex(8)
        self._writes = 0
        self._attending: tuple[int, int] | None = None  # on which connection, and which slice of time
        self._attended_at = float("-inf")
        self.bells = LocalBells()
        self._listener = Listener(place, self.bells)
        self.leases = SessionLeases(self, self._listener, place.schema)
        try:
            with self._explained():
                prepare(self._connected(), place, create=create)
            self._begin_with()
        except BaseException:
            self.close()
            raise

    def reopen(self) -> None:
        """Use the queue that is at the place now, if the one before is gone.

        Raises:
            QueueNotFoundError: There is none.
            QueueUnavailableError: It cannot be used, or the connection was closed.
        """
        with self._guard:
            gone = self._gone
            if gone is None or self.forked or self.closed:
                self.require_open()
                return
            self._expect_any_queue()
            try:
                with self._explained():
                    prepare(self._connected(), self.place, create=False)
                self._begin_with()
            except BaseException:
                self._gone = gone
                raise

    def opened_again(self) -> PostgresEngine:
        """Open another connection, to the queue that is at the place now.

        Raises:
            QueueNotFoundError: There is none.
            QueueUnavailableError: It cannot be used.
        """
        return PostgresEngine(self.place, create=False)

    @contextlib.contextmanager
    def read(self) -> Iterator[_PostgresLook]:
        """Look at one consistent state.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        with self._usable(), self._explained():
            connection = self._begun(_LOOK, PATIENCE_SECONDS)
            try:
                yield _PostgresLook(connection)
                connection.execute("COMMIT")
            except BaseException:
                self._roll_back(connection)
                raise

    @contextlib.contextmanager
    def write(self, *, durable: bool = True, patience: float = PATIENCE_SECONDS) -> Iterator[Transaction]:
        """Change something, all of it or nothing, then wake those whom it concerns.

        Args:
            durable: True if the change must survive a crash of the server. Otherwise it still survives the
                end of any process of ours, and waits for no disk.
            patience: Longest wait for other writers, and for a server that is being restarted, in seconds.

        Raises:
            QueueUnavailableError: The change was not made, unless the message says that this is unknown.
        """
        with self._usable(), self._explained():
            connection = self._begun(self._opening(patience, durable=durable), patience)
            transaction = _PostgresTransaction(connection)
            try:
                yield transaction
                self._require_intact(connection)
            except BaseException:
                self._roll_back(connection)
                raise
            self._commit(connection, transaction)
            self._made(transaction)

    def hang_bell(self, key: str) -> Bell:
        """Put up a bell that this queue's writers ring.

        Raises:
            QueueUnavailableError: It cannot be put up.
        """
        self.require_open()
        try:
            bell = self.bells.hang(key)
            self._listener.start()
        except (OSError, RuntimeError) as error:
            raise QueueUnavailableError(f"cannot wait for {self.place.name}: {error}") from error
        return bell

    @property
    def option(self) -> str:
        """The queue's name on a command line, without any password."""
        return self.place.name

    def attend(self, bell: Bell) -> None:
        """Note that a reviewer's screen is awake; it counts for four to eight seconds by the server's clock.

        Raises:
            QueueUnavailableError: It cannot be noted.
        """
        if time.monotonic() - self._attended_at < _ATTEND_SECONDS:
            return
        lock = screens_lock(self.place.schema)
        with self.read() as look:
            found = look.row(_ATTEND, lock)
            assert found is not None
            if self._attending is not None and self._attending[0] == self.generation:
                look.row("SELECT pg_advisory_unlock_shared(?::int, ?::int)", lock, self._attending[1])
            self._attending = self.generation, found["slice"]
        self._attended_at = time.monotonic()

    def attended(self) -> bool:
        """Tell if a reviewer's screen is open and awake.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        with self.read() as look:
            return look.number(_ATTENDED, screens_lock(self.place.schema)) > 0

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key through this connection. Never fails."""
        self.bells.ring(key)

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""
        self._closing.set()
        if self.forked:  # the sessions belong to the parent
            return
        self._listener.close()
        with self._guard:
            self._discard()
        self.bells.ring_all()  # whoever sleeps is told now

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into ours."""
        try:
            yield
        except psycopg.Error as error:
            raise translation(error, self.place) from error

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = connect(self.place)
            self.generation += 1
        return self._connection

    def _discard(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _begin_with(self) -> None:
        """Look for the first time; a queue without a number gets one."""
        with self.read():
            pass
        if self._queue_id is None:
            with contextlib.suppress(QueueUnavailableError), self.write() as transaction:
                transaction.run(
                    "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    QUEUE_ID,
                    new_queue_id(),
                )

    def _begun(self, statements: str, patience: float) -> Connection:
        """Begin a transaction on the queue that was opened, and on no other."""
        connection = self._begin(statements, patience)
        try:
            self._require_same_queue(connection.execute(STATE_OF_QUEUE))
        except psycopg.errors.UndefinedTable:
            self._roll_back(connection)
            raise self._end("was removed") from None
        except BaseException:
            self._roll_back(connection)
            raise
        return connection

    def _begin(self, statements: str, patience: float) -> Connection:
        """Begin a transaction; where the connection was lost, on a new one."""
        end = time.monotonic() + patience
        while True:
            try:
                connection = self._connected()
                connection.execute(statements)
            except psycopg.Error as error:
                if self._connection is not None and not is_lost(error, self._connection):
                    self._roll_back(self._connection)
                    raise
                self._discard()
                if time.monotonic() >= end or self._closing.wait(_RETRY_SECONDS):
                    raise
            except BaseException:
                self._discard()
                raise
            else:
                return connection

    def _opening(self, patience: float, *, durable: bool) -> str:
        return _WRITE.format(
            milliseconds=max(1, round(patience * 1000)),  # 0 would be for ever
            synchronous="on" if durable else "off",
            lock=queue_lock(self.place.schema),
        )

    def _commit(self, connection: Connection, transaction: _PostgresTransaction) -> None:
        if not transaction.changed:
            connection.execute("COMMIT")
            return
        self._writes += 1
        try:
            connection.execute(self._closing_statements(transaction))
        except psycopg.Error as error:
            if not is_lost(error, connection):
                self._roll_back(connection)
                raise
            self._discard()
            if not self._was_made(error):
                raise
        except BaseException:
            self._discard()
            raise

    def _require_intact(self, connection: Connection) -> None:
        """Refuse to go on with a change of which a part has failed: COMMIT would do nothing, and not say so."""
        if connection.info.transaction_status is not TransactionStatus.INTRANS:
            raise QueueUnavailableError(f"{self.place.name} refused a part of the change; it was not made")

    def _closing_statements(self, transaction: _PostgresTransaction) -> str:
        more = [f"NOTIFY \"{self.place.schema}\", '{payload}';" for payload in payloads(transaction.bells)]
        if self._writes == 1:
            more.append(f"DELETE FROM last_writes WHERE at < {transaction.now - _FORGET_US};")  # noqa: S608
        return _COMMIT.format(writer=self._writer, number=self._writes, now=transaction.now, more="\n".join(more))

    def _was_made(self, loss: psycopg.Error) -> bool:
        """Find out whether the last write took place, although the connection broke when it was to.

        Raises:
            QueueUnavailableError: That cannot be found out.
        """
        try:
            # Once we have the lock, whoever held it is done, one way or the other.
            connection = self._begin(self._opening(PATIENCE_SECONDS, durable=True), PATIENCE_SECONDS)
            found = _PostgresLook(connection).row("SELECT number FROM last_writes WHERE writer = ?", self._writer)
            self._roll_back(connection)
        except (psycopg.Error, QueueUnavailableError) as error:
            raise QueueUnavailableError(
                f"the connection to {self.place.name} broke at the end of a change; it is unknown whether the"
                f" change was made ({' '.join(str(error).split())})"
            ) from loss
        return found is not None and found["number"] == self._writes

    def _roll_back(self, connection: Connection) -> None:
        """End a transaction without effect; a connection that cannot do that is given up."""
        try:
            if connection.info.transaction_status is not TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            self._discard()


@lru_cache(maxsize=1024)
def _translated(statement: str) -> str:
    """A statement with the placeholders of psycopg. None of ours has a question mark in a text."""
    return statement.replace("%", "%%").replace("?", "%s")
