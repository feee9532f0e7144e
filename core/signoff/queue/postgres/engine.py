"""A queue in PostgreSQL: transactions, their durability, and what happens when the connection is lost.

Writers take one lock first, that of the row with the change number, so there is one at a time, as with SQLite's
``BEGIN IMMEDIATE``: change numbers and the history never overtake each other. Who may not write cannot take it.

When the connection breaks during ``COMMIT``, nobody knows whether that took place. So each writing transaction
leaves its number in ``writes``, and the next connection, once it has the writers' lock and the lost
transaction is therefore over, looks whether the number is there. (The status of a transaction id would not do:
ids that were never flushed are given out again after a crash of the server.)

Locks and notifications belong to sessions, so this needs the server itself, or a pooler that gives each connection
a session of its own. Every look and every write makes sure that it is in the session that was opened.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

import psycopg

from signoff.queue.clock import SECOND, now_us
from signoff.queue.errors import FORKED_CONNECTION, QueueError, QueueUnavailableError
from signoff.queue.postgres.causes import is_lost, translation
from signoff.queue.postgres.connection import (
    ANSWER_SECONDS,
    OWN_SESSION,
    PREPARE_SECONDS,
    Connection,
    PostgresPlace,
    ServerSilentError,
    connect_within,
    is_shared,
    shared,
)
from signoff.queue.postgres.leases import SessionLeases, screens_lock
from signoff.queue.postgres.pipeline import SESSION, Answer, sent_together
from signoff.queue.postgres.schema import SCHEMA_VERSION, Rights, SqlState, VectorIndex, another_format, prepare
from signoff.queue.postgres.transactions import COMMIT, PostgresLook, PostgresTransaction
from signoff.queue.postgres.wakeups import BEAT_ANSWER_SECONDS, Listener, LocalBells, channel, payloads
from signoff.queue.sql.engine import (
    ANOTHER_QUEUE,
    PATIENCE_SECONDS,
    QUEUE_ID,
    SET_BACK,
    OvertakenError,
    OwnConnection,
    Query,
    ReadOnly,
    Row,
    Transaction,
)
from signoff.queue.sqlite.wakeups import Bell

__all__ = ["PostgresEngine"]

_RETRY_SECONDS = 0.1
"""Between two attempts to connect again."""

_HASTY_ANSWER_SECONDS = 2.0
"""Longest wait for an answer by somebody who looks again anyway."""

_HASTY_CONNECT_SECONDS = 5.0
_CHECK_SECONDS = 0.1
"""Between two looks whether the server is back, or another thread is done with the connection."""

_FORGET_US = 24 * 3600 * SECOND
"""So long after its last write a writer no longer asks what became of it."""

# Both look at nothing but what is named in full until it is sure that this is the session that was opened.
_LOOK: Query = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
_STATE = f"""
SELECT counters.name, counters.value, format.version, "{{schema}}".now_us() AS now, {OWN_SESSION} AS own, CASE
    WHEN pg_is_in_recovery() THEN {ReadOnly.REPLICA.value}
    WHEN current_setting('default_transaction_read_only')::bool THEN {ReadOnly.SETTING.value}
    WHEN NOT (has_any_column_privilege('"{{schema}}".counters', 'UPDATE')
        OR has_any_column_privilege('"{{schema}}".agents', 'INSERT')) THEN {ReadOnly.RIGHTS.value}
END AS read_only
FROM "{{schema}}".counters, "{{schema}}".format WHERE counters.name IN ('change', '{QUEUE_ID}')
"""  # noqa: S608 - nothing in it comes from outside

# Each statement after the lock sees what the writer before has committed.
_BEGIN: Query = ("BEGIN ISOLATION LEVEL READ COMMITTED", ())
_BEGIN_WRITE = f'SELECT change, now, {OWN_SESSION} FROM "{{schema}}".begin_write(?, ?, ?, ?, ?)'  # noqa: S608
# A screen that is awake shares the lock of the present slice of time; one that hangs keeps an old one.
_SLICE = "floor(extract(epoch FROM clock_timestamp()) / 4)::int"
_ATTEND = f"SELECT pg_try_advisory_lock_shared(?::int, slice), slice FROM (SELECT {_SLICE} AS slice) AS now"  # noqa: S608
# Whoever may connect can take any lock; it counts with those who may look, and where there are roles, decide.
_ATTENDED = f"""
SELECT COUNT(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = ?::bigint::oid
    AND objid::bigint >= {_SLICE} - 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND has_table_privilege(usesysid, 'requests', 'SELECT')
    AND (NOT EXISTS (SELECT FROM roles) OR EXISTS (
        SELECT FROM roles r JOIN pg_roles wanted ON wanted.rolname = r.role
        WHERE r.part = 'review' AND pg_has_role(usesysid, wanted.oid, 'MEMBER')
    ))
"""  # noqa: S608 - nothing in it comes from outside
_ATTEND_SECONDS = 2.0
_REMOVED = psycopg.errors.UndefinedTable, psycopg.errors.UndefinedFunction, psycopg.errors.InvalidSchemaName
# Only who may read the server's statistics is told.
_PRIMARY = "SELECT sender_host, sender_port FROM pg_stat_wal_receiver WHERE sender_host IS NOT NULL"
_UNCHANGEABLE = {
    ReadOnly.REPLICA: "is a replica, where nothing can be changed; name its primary server{primary}",
    ReadOnly.SETTING: (
        "is read-only, so nothing can be changed; have default_transaction_read_only switched off, or name another"
        " server"
    ),
    ReadOnly.RIGHTS: (
        "lets this role look and not change anything; name one that may, or have the owner of the queue's tables"
        " grant it all rights on them"
    ),
}
_BEATING_SECONDS = 5.0
_IDLE_SECONDS = 60.0
"""A connection that was not used for so long is given back; the one that listens stays."""
_NOTED = "SELECT number FROM writes WHERE writer = ?"
_NOTE_AND_TELL = """
WITH noted AS (
    INSERT INTO writes (writer, number, at) VALUES (?, ?, ?)
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at
)
SELECT pg_notify(channel, payload) FROM unnest(?::text[], ?::text[]) AS told (channel, payload)
"""


class _Haste(NamedTuple):
    """Limits of a thread's wait for the server, in seconds; see `PostgresEngine.in_haste`."""

    answer: float = ANSWER_SECONDS
    patience: float | None = None
    check: Callable[[], None] | None = None


class PostgresEngine(OwnConnection):
    """A connection that several threads of one process may share.

    Args:
        place: The place of the queue.
        create: True to create it when there is none.
        seconds: Give the server up after so many seconds, whatever is done with it; None for never.

    Raises:
        QueueNotFoundError: There is none, and it was not to be created.
        QueueVersionError: It is of another signoff's format.
        QueueUnavailableError: The database cannot be used; the message says why and what to do.
    """

    distant = True

    def __init__(self, place: PostgresPlace, *, create: bool = True, seconds: float | None = None) -> None:
        super().__init__(place.name)
        self.place = place
        self._begun = time.monotonic()
        self._seconds = seconds
        self._hastes = threading.local()
        self.generation = 0
        """The number of connections made so far."""
        self._connection: Connection | None = None
        self._looking: Sequence[Query] = (_LOOK, (_STATE.format(schema=place.schema), (SESSION,)))
        self._begin_write = _BEGIN_WRITE.format(schema=place.schema)
        self._writer = secrets.token_hex(8)
        self._writes = 0
        self._clock = now_us(), time.monotonic_ns()
        self._attending: tuple[int, int] | None = None  # on which connection, and which slice of time
        self._attended_at = float("-inf")
        self.search = VectorIndex()
        self.reviewer: str | None = None
        self.partial = False
        self.bells = LocalBells()
        self._used_at = time.monotonic()
        self._listener = Listener(place, self.bells, self._give_back)
        self.leases = SessionLeases(self, self._listener, place)
        try:
            with self._explained():
                self._use(prepare(self._connected(), place, create=create))
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
                    self._use(prepare(self._connected(), self.place, create=False))
                self._begin_with()
            except BaseException:
                self._gone = gone
                raise

    def _use(self, rights: Rights) -> None:
        self.search = VectorIndex(writable=rights.files)
        self.reviewer = rights.reviewer
        self.partial = rights.partial

    def opened_again(self) -> PostgresEngine:
        """Open another connection, to the queue that is at the place now.

        Raises:
            QueueNotFoundError: There is none.
            QueueUnavailableError: It cannot be used.
        """
        return PostgresEngine(self.place, create=False)

    @contextlib.contextmanager
    def read(self) -> Iterator[PostgresLook]:
        """Look at one consistent state.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        with self._usable(), self._explained():
            look = PostgresLook(self, self._looking, PATIENCE_SECONDS)
            try:
                yield look
                look.end()
            except BaseException:
                self._roll_back()
                raise

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        """Look at one consistent state, in one round trip.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        with self._usable(), self._explained():
            look = PostgresLook(self, self._looking, PATIENCE_SECONDS)
            try:
                return look.select_and_end(*queries)
            except BaseException:
                self._roll_back()
                raise

    @property
    def now(self) -> int:
        """The time, by the server's clock as it was when it last answered: microseconds since the epoch."""
        at, seen = self._clock
        return at + (time.monotonic_ns() - seen) // 1_000

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
            if self.read_only:
                raise self._unchangeable(self.read_only)
            transaction = PostgresTransaction(self, self._opening(patience, durable=durable), patience)
            try:
                yield transaction
                self._commit(transaction, patience)
            except BaseException:
                self._roll_back()
                raise
            self._made(transaction.change_before + transaction.announces)

    @contextlib.contextmanager
    def in_haste(self, patience: float, check: Callable[[], None] | None = None) -> Iterator[None]:
        """Wait for less in this thread, for the length of a ``with`` block, if the server is away.

        Args:
            patience: Longest wait for a server that is being restarted, in seconds.
            check: Called several times a second while a server is waited for; ends that by raising.
        """
        before = self._haste
        self._hastes.now = _Haste(_HASTY_ANSWER_SECONDS, patience, check)
        try:
            yield
        finally:
            self._hastes.now = before

    @property
    def _haste(self) -> _Haste:
        found: _Haste = getattr(self._hastes, "now", _Haste())
        return found

    def hang_bell(self, key: str, audience: str) -> Bell:
        """Put up a bell that this queue's writers ring.

        Args:
            key: What it is rung by.
            audience: To whom it belongs; what concerns others does not even reach this process.

        Raises:
            QueueUnavailableError: It cannot be put up.
        """
        self.require_open()
        try:
            bell = self.bells.hang(key)
            if self.read_only is not ReadOnly.REPLICA:  # which announces nothing
                self._listener.hear(audience)
        except (OSError, RuntimeError) as error:
            raise QueueUnavailableError(f"cannot wait for {self.place.name}: {error}") from error
        return bell

    @property
    def option(self) -> str:
        """The queue's name on a command line, without a password, and without a role where each has one."""
        return self.place.option if self.reviewer is None else re.sub("//[^/@]*@", "//", self.place.option)

    def attend(self, bell: Bell) -> None:
        """Note that a reviewer's screen is awake; it counts for four to eight seconds by the server's clock.

        Raises:
            QueueUnavailableError: It cannot be noted.
        """
        self._listener.beat(_BEATING_SECONDS)
        if self.read_only or time.monotonic() - self._attended_at < _ATTEND_SECONDS:
            return
        lock = screens_lock(self.place.schema)
        with self.read() as look:
            found = look.row(_ATTEND, lock)
            assert found is not None
            if self._attending is not None and self._attending[0] == self.generation:
                look.row("SELECT pg_advisory_unlock_shared(?::int, ?::int)", lock, self._attending[1])
            self._attending = self.generation, found["slice"]
        self._attended_at = time.monotonic()

    def attended(self) -> bool | None:
        """Tell if a reviewer's screen is open and awake; None on a replica, which knows nobody's locks.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        if self.read_only is ReadOnly.REPLICA:
            return None
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

    def _watch_over(self, seconds: float) -> Callable[[], None]:
        """`_require_answering`, which after some seconds asks whether the server is busy, or hangs."""
        doubts_at = time.monotonic() + seconds

        def check() -> None:
            nonlocal doubts_at
            self._require_answering()
            if time.monotonic() >= doubts_at:
                self._listener.doubt()
                doubts_at = time.monotonic() + seconds

        return check

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into ours."""
        try:
            yield
        except psycopg.Error as error:
            raise translation(error, self.place) from error

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        """Have the connection for oneself; who is in haste does not wait for others who wait for the server.

        Raises:
            QueueUnavailableError: It is closed or inherited, or the server is away.
        """
        if self.forked:
            raise QueueUnavailableError(FORKED_CONNECTION)
        haste = self._haste
        if haste.patience is None:
            self._guard.acquire()
        else:
            end = time.monotonic() + haste.patience
            while not self._guard.acquire(timeout=_CHECK_SECONDS):
                self._go_on(haste, end)
        try:
            self.require_open()
            yield
        finally:
            self._guard.release()

    def _go_on(self, haste: _Haste, end: float) -> None:
        """Go on waiting for a server.

        Raises:
            QueueAwayError: It is away, and the time is over.
        """
        if haste.check is not None:
            haste.check()
        away = self._listener.away()
        if away is not None and (time.monotonic() >= end or self._listener.silent):
            raise away[0]

    def _connected(self) -> Connection:
        if self._connection is None:
            longest = ANSWER_SECONDS if self._haste.patience is None else _HASTY_CONNECT_SECONDS
            seconds, check = self._left(longest * self.place.hosts), self._watch_over(self._haste.answer)
            self._connection = connect_within(self.place, seconds, check)
            self._connection.limit = self._left(PREPARE_SECONDS)
            self.generation += 1
            self._used_at = time.monotonic()
            self._listener.rouse()  # it looks when this one may be given back
        return self._connection

    def _left(self, seconds: float) -> float:
        """So many seconds, but no more than are left for the whole connection."""
        if self._seconds is None:
            return seconds
        return min(seconds, max(0.0, self._begun + self._seconds - time.monotonic()))

    def _until(self, patience: float) -> float:
        """The end of a wait for a server that is being restarted, by the monotonic clock."""
        haste = self._haste.patience
        return time.monotonic() + self._left(patience if haste is None else min(patience, haste))

    def _require_answering(self) -> None:
        """Called while an answer is waited for.

        Raises:
            ServerSilentError: The server does not answer on another connection either.
        """
        check = self._haste.check
        if check is not None:
            check()
        if self._listener.silent:
            raise ServerSilentError(BEAT_ANSWER_SECONDS)

    def _discard(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _give_back(self) -> float | None:
        """Close the connection if it is idle; returns the seconds until it may be, or None if there is none."""
        if not self._guard.acquire(blocking=False):
            return _IDLE_SECONDS
        try:
            if self._connection is None:
                return None
            left = self._used_at + _IDLE_SECONDS - time.monotonic()
            if left <= 0:
                self._discard()
            return max(0.1, left)
        finally:
            self._guard.release()

    def _begin_with(self) -> None:
        """Look for the first time."""
        with self.read():
            pass

    def send(
        self, statements: Sequence[Query], patience: float, *, again: bool, lock_seconds: float = 0.0
    ) -> list[Answer]:
        """Send statements in one round trip; see `Sender`."""
        haste = self._haste
        end = self._until(patience)
        while True:
            connection = self._connected_before(end)
            connection.limit = self._left(haste.answer + lock_seconds)
            connection.check = self._watch_over(haste.answer)
            self._used_at = time.monotonic()
            try:
                return sent_together(connection, statements)
            except psycopg.Error as error:
                if not is_lost(error, connection):
                    self._roll_back()
                    self._raise_own(error)
                self._discard()
                silent = isinstance(error, ServerSilentError)
                if silent:
                    self._listener.doubt()
                if silent or not again or time.monotonic() >= end:
                    raise
            except BaseException:
                self._discard()
                raise

    def accept(self, rows: Sequence[Row]) -> None:
        """Take what a look tells of the state of the queue; see `Sender`."""
        if not rows:
            raise self._end("was emptied")
        found = rows[0]
        self.read_only = None if found["read_only"] is None else ReadOnly(found["read_only"])
        if self.read_only is ReadOnly.REPLICA:
            self._change = 0  # another replica may be further behind
        self._require_same_queue(rows)
        if found["version"] != SCHEMA_VERSION:
            raise another_format(self.place, found["version"])
        self.note_time(found["now"])

    def note_time(self, now: int) -> None:
        """Take the time that the server has just told."""
        self._clock = now, time.monotonic_ns()

    def _raise_own(self, error: psycopg.Error) -> NoReturn:
        """Raise what an error of the queue's own functions and rules means, or the error."""
        if is_shared(error):
            raise shared(self.place) from None
        if isinstance(error, _REMOVED):
            raise self._end("was removed") from None
        match error.sqlstate:
            case SqlState.ANOTHER_QUEUE:
                raise self._end(ANOTHER_QUEUE) from None
            case SqlState.SET_BACK:
                raise self._end(SET_BACK) from None
            case SqlState.ANOTHER_FORMAT:
                raise another_format(self.place, int(error.diag.message_primary or 0)) from None
            case SqlState.NOT_ONE | SqlState.GAP:  # what was read before is not what is there
                raise OvertakenError from error
        raise error

    def _connected_before(self, end: float) -> Connection:
        """Connect, if need be, and try it again until then; the listener knows first when the server is back."""
        haste = self._haste
        while True:
            while self._connection is None and (away := self._listener.away()) is not None:
                error, since = away
                until = end if haste.patience is not None else min(end, since + PATIENCE_SECONDS)
                self._go_on(haste, until)
                if time.monotonic() >= until or self.closed:
                    raise error
                self._listener.wait_until_back(_CHECK_SECONDS)
            try:
                return self._connected()
            except psycopg.Error:
                if time.monotonic() >= end or self._closing.wait(_RETRY_SECONDS):
                    raise

    def _opening(self, patience: float, *, durable: bool) -> tuple[Query, Query]:
        milliseconds = max(1, round(self._left(patience) * 1000))  # 0 would be for ever
        values = SESSION, SCHEMA_VERSION, self._queue_id, self._change, milliseconds, durable
        return _BEGIN, (self._begin_write, values)

    def _commit(self, transaction: PostgresTransaction, patience: float) -> None:
        if transaction.failed:  # COMMIT would do nothing, and not say so
            raise QueueUnavailableError(f"{self.place.name} refused a part of the change; it was not made")
        if not transaction.writes:
            transaction.finish(COMMIT)
            return
        self._writes += 1
        closing = self._closing_statements(transaction)
        end = self._until(patience)
        while True:
            in_one_piece = transaction.waiting
            self._connected_before(end)
            try:
                transaction.finish(*closing)
            except psycopg.Error as error:
                if self._connection is not None:
                    raise
                if not self._was_made(error):
                    if transaction.answered or time.monotonic() >= end:
                        raise
                    transaction.waiting = in_one_piece
                    continue
            return

    def _closing_statements(self, transaction: PostgresTransaction) -> list[Query]:
        told = [
            (channel(self.place.schema, audience), payload)
            for audience, keys in transaction.audiences.items()
            for payload in payloads(keys)
        ]
        noted = self._writer, self._writes, transaction.now
        closing: list[Query] = [(_NOTE_AND_TELL, (*noted, [each for each, _ in told], [each for _, each in told]))]
        if self._writes == 1:
            closing.append(("DELETE FROM writes WHERE at < ?", (transaction.now - _FORGET_US,)))
        return [*closing, COMMIT]

    def _was_made(self, loss: psycopg.Error) -> bool:
        """Find out whether the last write took place, although the connection broke when it was to.

        Raises:
            QueueUnavailableError: That cannot be found out.
        """
        try:
            # Once we have the lock, whoever held it is done, one way or the other.
            asking = *self._opening(PATIENCE_SECONDS, durable=True), (_NOTED, (self._writer,)), COMMIT
            found = self.send(asking, PATIENCE_SECONDS, again=True)[-2].rows
        except (psycopg.Error, QueueUnavailableError) as error:
            raise QueueUnavailableError(
                f"the connection to {self.place.name} broke at the end of a change; it is unknown whether the"
                f" change was made ({' '.join(str(error).split())})"
            ) from loss
        return bool(found) and found[0]["number"] == self._writes

    def _unchangeable(self, why: ReadOnly) -> QueueUnavailableError:
        """The error for a change where nothing can be changed."""
        primary = ""
        if why is ReadOnly.REPLICA:
            with contextlib.suppress(QueueError):
                [found] = self.select((_PRIMARY, ()))
                primary = "".join(f", {row['sender_host']} port {row['sender_port']}" for row in found)
        return QueueUnavailableError(f"{self.place.name} {_UNCHANGEABLE[why].format(primary=primary)}")

    def _roll_back(self) -> None:
        """End a transaction without effect; a connection that cannot do that is given up."""
        connection = self._connection
        try:
            if connection is not None and not connection.closed:
                sent_together(connection, [("ROLLBACK", ())])
        except psycopg.Error:
            self._discard()
