"""One connection to the SQLite file: transactions, their durability, and what can go wrong with them.

Every write goes through the same steps: take the queue's write lock (see `signoff.queue.sqlite.locks`), ``BEGIN
IMMEDIATE``, change, ``COMMIT``, release, and only then ring the bells. The file is in WAL mode with
``synchronous=FULL``: what was committed survives a loss of power.

Nothing but SQLite ever opens the database file or its companions: closing any other descriptor of them
would drop SQLite's locks (https://sqlite.org/howtocorrupt.html, section 2.2).

While a connection is open, nobody who keeps to the rules removes or replaces one of these files. So each look
and each write makes sure that the paths still lead to the files that SQLite has open: what is read from a file
that was removed concerns nobody, and what is written to it is lost.

A copy may also be written over the database file itself. Otherwise only checkpoints change that file, and they
only ever bring it forward. So when it changed, it is read without its log, and must not be older than it was.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.queue.clock import now_us
from signoff.queue.errors import QueueError, QueueUnavailableError, QueueVersionError
from signoff.queue.location import QueuePlace, create_private_file, refuse_unsafe_file
from signoff.queue.sql.engine import (
    ANOTHER_QUEUE,
    PATIENCE_SECONDS,
    QUEUE_ID,
    SET_BACK,
    STATE_OF_QUEUE,
    OvertakenError,
    OwnConnection,
    Query,
    ReturnedRows,
    Row,
    Transaction,
    new_queue_id,
)
from signoff.queue.sqlite.locks import FileLeases, WriteLock
from signoff.queue.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION, STATEMENTS, FtsIndex
from signoff.queue.sqlite.wakeups import REVIEWERS, Bell, Bells

__all__ = ["SqliteEngine"]


_LOG_PAGES = 5000
"""Length of the log at which a commit also moves it into the database: some milliseconds for one writer in a few
hundred, and some 20 MB on disk."""


_GIVE_ID = "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"

_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes that SQLite gives the name of the database for each file that it keeps open."""

_Files = tuple[tuple[int, int] | None, ...]
"""Device and inode of each file; None if it was not there."""

_SETTLED_NS = 20_000_000
"""After this long, another change of a file shows in its time, which the kernel takes from a coarse clock."""

_SECONDS_OF_CHANGES = 5.0
"""Longest wait for the end of changes to a file that reads as if it were another one."""


class _SqliteLook:
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

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        return [self.rows(statement, *values) for statement, values in queries]


class _SqliteTransaction(_SqliteLook, Transaction):
    """A write in progress."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        Transaction.__init__(self, now_us())
        _SqliteLook.__init__(self, connection)

    def deadline(self, at: int) -> int:
        return at

    def run(self, statement: str, *values: object) -> int:
        return self._connection.execute(statement, values).rowcount

    def put(self, statement: str, *values: object) -> None:
        self._connection.execute(statement, values)

    def must(self, statement: str, *values: object) -> None:
        if self.run(statement, *values) != 1:
            raise OvertakenError

    def later(self, statement: str, *values: object) -> ReturnedRows:
        return ReturnedRows(self.rows(statement, *values))


class SqliteEngine(OwnConnection):
    """A connection that several threads of one process may share.

    Args:
        place: A place that was prepared or checked.

    Raises:
        QueueVersionError: The file was written by a newer signoff.
        QueueUnavailableError: The file cannot be used; the message says why and what to do.
    """

    distant = False
    reviewer = None
    partial = False

    def __init__(self, place: QueuePlace) -> None:
        super().__init__(str(place.directory))
        self.place = place
        self._paths = tuple(f"{place.database}{suffix}" for suffix in _SUFFIXES)
        self.leases = FileLeases(place.leases)
        self._bells = Bells(place.bells)
        self._write_lock = WriteLock(place.directory)
        self._files: _Files = ()
        self._seen: tuple[int, int] | None = None
        self._checkpointed = 0
        self._overwritten = False
        self._durable = True
        with self._translated():
            if not place.database.exists():
                self._create()
            self._open()

    def reopen(self) -> None:
        """Connect to the queue that is at the place now, if the one before is gone.

        Raises:
            QueueNotFoundError: There is none.
            QueuePlaceError: The place is unsafe.
            QueueVersionError: The file was written by a newer signoff.
            QueueUnavailableError: The file cannot be used, or the connection was closed.
        """
        with self._guard:
            gone = self._gone
            if gone is None or self.forked or self.closed:
                self.require_open()
                return
            self.place.check()
            self._bells.close()
            self._write_lock.close()
            self._bells, self._write_lock = Bells(self.place.bells), WriteLock(self.place.directory)
            self._expect_any_queue()
            self._files, self._seen, self._checkpointed, self._overwritten = (), None, 0, False
            try:
                with self._translated():
                    self._open()
            except BaseException:
                self._gone = gone
                raise

    def opened_again(self) -> SqliteEngine:
        """Open another connection, to the queue that is at the place now.

        Raises:
            QueueNotFoundError: There is none.
            QueuePlaceError: The place is unsafe.
            QueueVersionError: The file was written by a newer signoff.
            QueueUnavailableError: The file cannot be used.
        """
        self.place.check()
        return SqliteEngine(self.place)

    @contextlib.contextmanager
    def read(self) -> Iterator[_SqliteLook]:
        """Look at one consistent state. Keep it short: a long look stops the log from shrinking.

        Raises:
            QueuePlaceError: Other users have got access to the queue.
            QueueUnavailableError: The queue cannot be read.
        """
        self._require_private()
        with self._usable(), self._translated(), _transaction(self._connection, "DEFERRED"):
            look = _SqliteLook(self._connection)
            self._require_same_queue(look.rows(STATE_OF_QUEUE))
            yield look
            self._require_there()  # afterwards: what was read from a file that nobody else sees counts for nothing
            self.leases.renew()

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        """Look at one consistent state.

        Raises:
            QueuePlaceError: Other users have got access to the queue.
            QueueUnavailableError: The queue cannot be read.
        """
        with self.read() as look:
            return look.select(*queries)

    @property
    def now(self) -> int:
        """The time: microseconds since the epoch."""
        return now_us()

    @contextlib.contextmanager
    def write(self, *, durable: bool = True, patience: float = PATIENCE_SECONDS) -> Iterator[Transaction]:
        """Change something, all of it or nothing, then wake those whom it concerns.

        Args:
            durable: True if the change must survive a loss of power. Otherwise it still survives the
                end of any process, and costs no disk flush.
            patience: Longest wait for other writers, in seconds.

        Raises:
            QueuePlaceError: Other users have got access to the queue; the change was not made.
            QueueUnavailableError: The change was not made.
        """
        self._require_private()
        with (
            self._usable(),
            self._translated(),
            self._write_lock.held(patience),
        ):
            self._require_there()
            if durable is not self._durable:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            with _transaction(self._connection, "IMMEDIATE"):
                transaction: Transaction = _SqliteTransaction(self._connection)
                self._require_same_queue(transaction.rows(STATE_OF_QUEUE))
                yield transaction
            self._made(self._change + transaction.announces)
            self._require_there()  # was it the queue, or what had been the queue?
        for key in transaction.bells:
            self._bells.ring(key)

    def hang_bell(self, key: str, audience: str) -> Bell:
        """Put up a bell that this queue's writers ring.

        Args:
            key: What it is rung by.
            audience: To whom it belongs; here it rings for whoever has the key.

        Raises:
            QueueUnavailableError: It cannot be put up.
        """
        del audience
        self.require_open()
        with self._translated():
            return self._bells.hang(key)

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key. Never fails."""
        self._bells.ring(key)

    @property
    def option(self) -> str:
        """The queue's name on a command line; "" for the one that it takes by default."""
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
                if self._gone is None:
                    with contextlib.suppress(QueueError, OSError, sqlite3.Error):
                        self._require_there()  # the last to leave moves the log into the file
                self._closing.set()
                self._leave()
                self._write_lock.close()
                self._bells.close()

    def _open(self) -> None:
        """Connect to the file that is there, and note which files these are."""
        database = self.place.database
        refuse_unsafe_file(database)
        found = _identity(database)
        version = _version(database)
        self._connection = _connect(database)
        self._durable = True
        try:
            _require_own_index(database)
            if version < SCHEMA_VERSION:
                self._migrate()
            self._begin_with()
            self._files = (found, *map(_identity, self._paths[1:]))
            self._require_there()
        except BaseException:
            self._connection.close()
            raise

    def _begin_with(self) -> None:
        """Look for the first time, which makes SQLite open all its files; a queue without a number gets one."""
        with _transaction(self._connection, "DEFERRED"):
            self._require_same_queue(_SqliteLook(self._connection).rows(STATE_OF_QUEUE))
        if self._queue_id is not None:
            return
        # Nothing depends on it today, so it is no reason not to open a queue on a full disk.
        with contextlib.suppress(sqlite3.Error, OSError), self._write_lock.held(PATIENCE_SECONDS):
            with _transaction(self._connection, "IMMEDIATE"):
                self._connection.execute(_GIVE_ID, (QUEUE_ID, new_queue_id()))
            self._require_same_queue(_SqliteLook(self._connection).rows(STATE_OF_QUEUE))

    def _require_private(self) -> None:
        """Make sure that the place is still as safe as when it was opened.

        Raises:
            QueuePlaceError: Other users have got access to its directory or the database.
        """
        for path in (self._name, self._paths[0]):
            found = _found(path)
            if found is not None and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
                self.place.check()  # says what is wrong, and what to do

    def _require_there(self) -> None:
        """Make sure that the paths lead to the files that are open.

        Raises:
            QueueGoneError: They do not.
        """
        if not self._files or self._is_as_it_was():
            return
        database = self.place.database
        lost = None
        for path, opened in zip(self._paths[1:], self._files[1:], strict=True):
            now = _identity(path)
            if now != opened and opened is not None and lost is None:
                lost = f"{Path(path).name}, which was {'removed' if now is None else 'replaced'}"
        if _identity(database) == self._files[0]:
            self._require_not_overwritten()
        now = _identity(database)
        if now == self._files[0]:
            if lost is not None:
                self._overwritten |= lost.endswith("replaced")
                raise self._end(f"lost its file {lost}")
        else:
            if now is not None:
                if _identity(self._paths[1]) == self._files[1]:
                    _put_log_aside(database)
                raise self._end(ANOTHER_QUEUE)
            if self.place.directory.exists():
                raise self._end(f"lost its file {database.name}, which was removed")
            raise self._end("was removed")

    def _is_as_it_was(self) -> bool:
        """True if every file is the one that is open, and the database file was not changed since it was read."""
        found = _found(self._paths[0])
        return (
            found is not None
            and (found.st_size, found.st_ctime_ns) == self._seen
            and ((found.st_dev, found.st_ino), *map(_identity, self._paths[1:])) == self._files
        )

    def _require_not_overwritten(self) -> None:
        """Make sure that the database file holds, without its log, nothing older than it did.

        Raises:
            QueueGoneError: A copy was written over it.
        """
        database = self.place.database
        seen = _last_change(database)
        if seen is None or seen == self._seen:
            return
        until = time.monotonic() + _SECONDS_OF_CHANGES
        counters = _without_log(database)
        while wrong := self._wrong_in(counters):  # a checkpoint may be under way, and pages half written
            before = _last_change(database)
            time.sleep(2 * _SETTLED_NS / 1e9)
            counters = _without_log(database)
            seen = _last_change(database)
            if seen is None:
                return  # removed meanwhile, which the next look says
            if (seen == before or time.monotonic() > until) and (wrong := self._wrong_in(counters)):
                self._overwritten = True
                raise self._end(wrong)
        if counters is not None:
            self._checkpointed = counters.get("change", 0)
        # A change that is so young might be followed by another one of the same time: look again.
        self._seen = seen if abs(time.time_ns() - seen[1]) > _SETTLED_NS else None

    def _wrong_in(self, counters: Mapping[str, int] | None) -> str:
        """Say what happened to the database file, by what it holds without its log; "" if nothing."""
        if counters is None:
            return "cannot be read any more, its file was written over" if self._checkpointed else ""
        if self._queue_id is not None and counters.get(QUEUE_ID, self._queue_id) != self._queue_id:
            return ANOTHER_QUEUE
        return SET_BACK if counters.get("change", 0) < self._checkpointed else ""

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        with super()._usable():
            try:
                yield
            finally:
                if self._gone is not None:
                    self._leave()

    def _leave(self) -> None:
        """Close the connection; the log of a queue that is gone stays out of the one in its place.

        SQLite leaves a file alone that is another one than it opened. In one that was written over, a second
        connection that only reads keeps the first from having the file for itself, without which it moves no log.
        """
        database = self.place.database
        if not self._overwritten or not self._files or _identity(database) != self._files[0]:
            self._connection.close()
            return
        uri = f"{database.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as reader:
            with contextlib.suppress(sqlite3.Error):
                reader.execute("PRAGMA user_version").fetchone()
            if _identity(f"{database}-wal") == self._files[1]:
                _put_log_aside(database)
            self._connection.close()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite and the operating system into ours."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            with contextlib.suppress(OSError):
                self._require_there()
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error | OSError) -> QueueError:
        if isinstance(error, sqlite3.Error):
            return _translation(error, self.place.database)
        if isinstance(error, TimeoutError):
            return QueueUnavailableError(
                f"{self.place.directory} is locked: another process has been writing all"
                " the time; look for a stopped or hanging signoff process"
            )
        return QueueUnavailableError(f"{self.place.directory} cannot be used: {error.strerror or error}")

    def _migrate(self) -> None:
        """Bring the file up to date, unless somebody else has just done so."""
        with self._write_lock.held(PATIENCE_SECONDS), _transaction(self._connection, "IMMEDIATE"):
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version < SCHEMA_VERSION:
                from signoff.queue.sqlite.migrations import migrate

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
                    connection.execute(_GIVE_ID, (QUEUE_ID, new_queue_id()))
                _put_log_aside(target)
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
        # A file that was not in WAL mode until now gets its log and index at the first look only.
        connection.execute("PRAGMA user_version").fetchone()
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


def _identity(path: str | Path) -> tuple[int, int] | None:
    """Device and inode of a file, or None if there is none. It is not opened: that would drop SQLite's locks."""
    found = _found(path)
    return None if found is None else (found.st_dev, found.st_ino)


def _found(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=False)  # noqa: PTH116 (at every look: a path object is slow)
    except OSError:
        return None


def _require_own_index(database: Path) -> None:
    """Make sure that a connection just opened does not share the index of a log that was put aside."""
    if _identity(f"{database}-shm") is None:
        raise QueueUnavailableError(
            f"{database} was replaced while another connection of this process had it open;"
            " it is opened as soon as that one has ended"
        )


def _last_change(database: Path) -> tuple[int, int] | None:
    """Size and time of the last change of a file, in bytes and nanoseconds; None if there is none."""
    found = _found(database)
    # Not the time of the contents, which a copy may bring along.
    return None if found is None else (found.st_size, found.st_ctime_ns)


def _without_log(database: Path) -> dict[str, int] | None:
    """The counters that stand in the database file itself; None if it cannot be read.

    SQLite reads it, and so keeps the locks that it has there.
    """
    uri = f"{database.absolute().as_uri()}?immutable=1&mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as file:
            file.execute("PRAGMA writable_schema = ON")  # a checkpoint that was cut off left the file too short
            return dict(file.execute(STATE_OF_QUEUE).fetchall())
    except sqlite3.Error:
        return None


def _put_log_aside(database: Path) -> None:
    """Keep the log of a database that is gone from being applied to the one that takes its place."""
    log, index = (database.with_name(f"{database.name}{suffix}") for suffix in _SUFFIXES[1:])
    with contextlib.suppress(FileNotFoundError):
        log.replace(database.with_name(f"{log.name}.of-a-lost-queue"))
    index.unlink(missing_ok=True)


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
