"""One connection to the SQLite file: transactions, their durability, and what can go wrong with them.

Every write goes through the same steps: take the queue's write lock (see `signoff.queue.locks`), ``BEGIN
IMMEDIATE``, change, ``COMMIT``, release, and only then ring the bells. The file is in WAL mode with
``synchronous=FULL``: what was committed survives a loss of power.

Nothing but SQLite ever opens the database file or its companions: closing any other descriptor of them
would drop SQLite's locks (https://sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from signoff.queue.bells import REVIEWERS, Bell, Bells
from signoff.queue.errors import QueueError, QueueUnavailableError, QueueVersionError
from signoff.queue.leases import FileLeases
from signoff.queue.locks import WriteLock
from signoff.queue.place import QueuePlace, create_private_file, refuse_unsafe_file
from signoff.queue.sql.connection import OwnConnection
from signoff.queue.sql.engine import PATIENCE_SECONDS, Row, Transaction
from signoff.queue.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION, STATEMENTS
from signoff.queue.sqlite.search import FtsIndex

__all__ = ["SqliteEngine"]


_LOG_PAGES = 5000
"""Length of the log at which a commit also moves it into the database: some milliseconds for one writer in a few
hundred, and some 20 MB on disk."""


class _Look:
    """Statements on one connection."""

    search = FtsIndex()

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def row(self, statement: str, *values: object) -> Row | None:
        found: Row | None = self._connection.execute(statement, values).fetchone()
        return found

    def rows(self, statement: str, *values: object) -> list[Row]:
        return self._connection.execute(statement, values).fetchall()

    def number(self, statement: str, *values: object) -> int:
        (found,) = self._connection.execute(statement, values).fetchone()
        return int(found)


class _Transaction(_Look, Transaction):
    """A write in progress."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        Transaction.__init__(self)
        _Look.__init__(self, connection)

    def run(self, statement: str, *values: object) -> int:
        return self._connection.execute(statement, values).rowcount


class SqliteEngine(OwnConnection):
    """A connection that several threads of one process may share.

    Args:
        place: A place that was prepared or checked.

    Raises:
        QueueVersionError: The file was written by a newer signoff.
        QueueUnavailableError: The file cannot be used; the message says why and what to do.
    """

    def __init__(self, place: QueuePlace) -> None:
        super().__init__()
        self.place = place
        self.leases = FileLeases(place.leases)
        self._bells = Bells(place.bells)
        self._write_lock = WriteLock(place.directory)
        self._durable = True
        with self._translated():
            if not place.database.exists():
                self._create()
            refuse_unsafe_file(place.database)
            version = _version(place.database)
            self._connection = _connect(place.database)
            if version < SCHEMA_VERSION:
                try:
                    self._migrate()
                except BaseException:
                    self._connection.close()
                    raise

    @contextlib.contextmanager
    def read(self) -> Iterator[_Look]:
        """Look at one consistent state. Keep it short: a long look stops the log from shrinking.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        with self._usable(), self._translated(), _transaction(self._connection, "DEFERRED"):
            yield _Look(self._connection)

    @contextlib.contextmanager
    def write(self, *, durable: bool = True, patience: float = PATIENCE_SECONDS) -> Iterator[Transaction]:
        """Change something, all of it or nothing, then wake those whom it concerns.

        Args:
            durable: Whether the change must survive a loss of power. Without, it still survives the
                end of any process, and costs no disk flush.
            patience: Longest wait for other writers, in seconds.

        Raises:
            QueueUnavailableError: The change was not made.
        """
        with (
            self._usable(),
            self._translated(),
            self._write_lock.held(patience),
        ):
            if durable is not self._durable:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            with _transaction(self._connection, "IMMEDIATE"):
                transaction: Transaction = _Transaction(self._connection)
                yield transaction
        for key in transaction.bells:
            self._bells.ring(key)

    def hang_bell(self, key: str) -> Bell:
        """Put up a bell that this queue's writers ring.

        Raises:
            QueueUnavailableError: It cannot be put up.
        """
        self.require_open()
        with self._translated():
            return self._bells.hang(key)

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key. Never fails."""
        self._bells.ring(key)

    @property
    def option(self) -> str:
        """How a command line names the queue; "" for the one that it takes by default."""
        return self.place.option

    def attend(self, bell: Bell) -> None:
        """Note that a reviewer's screen is awake; it counts for `AWAKE_SECONDS`."""
        bell.say_awake()

    def attended(self) -> bool:
        """Tell if a reviewer's screen is open and awake."""
        return self._bells.awake(REVIEWERS)

    def tidy(self) -> None:
        """Take down the bells that dead processes left behind. Never fails."""
        self._bells.tidy()

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""
        if self.forked:  # the file belongs to the parent
            self._closing.set()
            return
        with self._guard:
            if not self.closed:
                self._closing.set()
                self._connection.close()
                self._write_lock.close()
                self._bells.close()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite and the operating system into ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise _translation(error, self.place.database) from error
        except TimeoutError as error:
            raise QueueUnavailableError(
                f"{self.place.directory} is locked: another process has been writing all"
                " the time; look for a stopped or hanging signoff process"
            ) from error
        except OSError as error:
            raise QueueUnavailableError(
                f"{self.place.directory} cannot be used: {error.strerror or error}"
            ) from error

    def _migrate(self) -> None:
        """Bring the file up to date, unless somebody else has just done so."""
        with self._write_lock.held(PATIENCE_SECONDS), _transaction(self._connection, "IMMEDIATE"):
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version < SCHEMA_VERSION:
                from signoff.queue.sqlite.migrating import migrate

                migrate(self._connection, version)

    def _create(self) -> None:
        """Make the database under another name and move it into place when it is complete."""
        target = self.place.database
        with self._write_lock.held(PATIENCE_SECONDS):
            if target.exists():
                return
            draft = target.with_name(f".{os.urandom(8).hex()}.db")
            create_private_file(draft)
            try:
                with (
                    contextlib.closing(_connect(draft)) as connection,
                    _transaction(connection, "IMMEDIATE"),
                ):
                    for statement in STATEMENTS:
                        connection.execute(statement)
                draft.rename(target)
            finally:
                draft.unlink(missing_ok=True)
            _make_durable(target.parent)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _connect(database: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(database: Path) -> int:
    """The format of the file, which is not touched: a read-only connection never writes back.

    Raises:
        QueueUnavailableError: It is not a queue.
        QueueVersionError: It was written by a newer signoff.
    """
    uri = f"{database.absolute().as_uri()}?mode=ro"
    with contextlib.closing(
        sqlite3.connect(uri, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)
    ) as connection:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise QueueUnavailableError(f"{database} is not a queue of signoff; move it away or name another place")
    if version > SCHEMA_VERSION:
        raise QueueVersionError(
            f"{database} was written by a newer signoff (format {version}, this one knows"
            f" {SCHEMA_VERSION}); it was not touched: install a newer signoff"
        )
    return int(version)


def _make_durable(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_CAUSES: dict[int, str] = {
    sqlite3.SQLITE_BUSY: "is locked by another process; look for a program that keeps it open",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; free some space and try again",
    sqlite3.SQLITE_READONLY: "is read-only; make it writable for you (chmod 600)",
    sqlite3.SQLITE_CORRUPT: "is damaged; keep a copy, then move it away or restore it from a backup",
    sqlite3.SQLITE_NOTADB: "is not a database; keep a copy, then move it away",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; see whether it and its directory still exist",
    sqlite3.SQLITE_IOERR: "cannot be read or written; see whether the disk is full or failing",
}


def _translation(error: sqlite3.Error, database: Path) -> QueueError:
    code: Any = getattr(error, "sqlite_errorcode", None)
    cause = None if code is None else _CAUSES.get(code & 0xFF)
    return QueueUnavailableError(f"{database} {cause} ({error})" if cause else f"{database} failed: {error}")
