"""The interface of a database, so that the rest of the queue is written once.

An engine gives looks (one consistent state) and transactions (one writer at a time, all or nothing, durable when
they return, bells rung only after the commit). Statements are written in the SQL that SQLite and PostgreSQL
share, with ``?`` for each value.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any, Protocol

from signoff.queue.errors import CLOSED_CONNECTION, FORKED_CONNECTION, QueueGoneError, QueueUnavailableError
from signoff.queue.sqlite.wakeups import REVIEWERS, Bell

__all__ = [
    "ANOTHER_QUEUE",
    "CHANGE",
    "PATIENCE_SECONDS",
    "QUEUE_ID",
    "SET_BACK",
    "STATE_OF_QUEUE",
    "Engine",
    "Lease",
    "Leases",
    "Look",
    "OvertakenError",
    "OwnConnection",
    "Query",
    "ReadOnly",
    "ReturnedRows",
    "Row",
    "SearchIndex",
    "Transaction",
    "new_queue_id",
    "session_bell",
]


PATIENCE_SECONDS = 10.0
"""Longest wait for other writers."""

Row = Mapping[str, Any]
"""Columns of a row by name."""

Query = tuple[str, tuple[object, ...]]
"""A statement, and its values."""

CHANGE = "(SELECT value FROM counters WHERE name = 'change')"
"""In a statement of a write that counted a change: the number of the change."""


class OvertakenError(QueueUnavailableError):
    """Another writer changed meanwhile what a write was about; nothing was changed."""

    def __init__(self) -> None:
        super().__init__("another writer was quicker, and nothing was changed; try again")


class ReadOnly(Enum):
    """Why a queue can be looked at and not changed; then what is overdue is left to those who can."""

    RIGHTS = 1
    SETTING = 2
    REPLICA = 3
    """It may be behind, and no screen or agent can be seen from there."""


class SearchIndex(Protocol):
    """The history records by their words: the one part of the history that every database does its own way.

    Words are made by `signoff.queue.sql.history`: letters and digits, at most one colon, no blanks. The index
    only ever narrows a search; nothing that is shown or verified comes out of it.
    """

    @property
    def writable(self) -> bool:
        """True if this connection may file records: who only asks may not."""

    @property
    def combines(self) -> bool:
        """True if the newest records with several terms are found faster than by indexes of the columns."""

    def add(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """File a new record under its words."""

    def remove(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """Take a record out.

        Args:
            transaction: The one that also deletes the record.
            seq: Number of the record.
            words: The words it is filed under.
        """

    def matching(self, words: Sequence[str], prefixes: Sequence[str]) -> tuple[str, tuple[object, ...]]:
        """Return a select of one column ``seq``, and its values: the records with all these words.

        Args:
            words: Whole words.
            prefixes: Beginnings of words.
        """


class Look(Protocol):
    """One consistent state of the queue."""

    @property
    def search(self) -> SearchIndex:
        """The words of the history."""

    def row(self, statement: str, *values: object) -> Row | None:
        """Return the first row, or None."""

    def rows(self, statement: str, *values: object) -> Sequence[Row]:
        """Return all rows."""

    def number(self, statement: str, *values: object) -> int:
        """Return the one whole number that the statement yields."""

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        """Return the rows of each of several queries, in one round trip."""


class ReturnedRows:
    """The rows of a statement of a write, for after the write.

    Attributes:
        rows: The rows; None if they are not known although the write was made, as the connection was lost.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[Row] | None = None) -> None:
        self.rows = rows


class Transaction(Look):
    """A write in progress; engines add how statements are run.

    Attributes:
        NEXT_CHANGE: The statement that counts a change.
        LAST_RECORD: The query for seq and hash of the newest record of the history.
        now: Its one time stamp, by the clock of the database: microseconds since the epoch.

    Args:
        now: The same.
    """

    NEXT_CHANGE = "UPDATE counters SET value = value + 1 WHERE name = 'change'"
    LAST_RECORD: Query = ("SELECT seq, hash FROM history ORDER BY seq DESC LIMIT 1", ())

    def __init__(self, now: int) -> None:
        self.now = now
        self.history_end: tuple[int, str] | None = None
        """Seq and hash of the newest record of the history, as far as this write has asked for them."""
        self.filed: int | None = None
        """Seq of the last record that the search knows, as far as this write has asked for it."""
        self._changes = False
        self._rings = False
        self._rung: dict[str, dict[str, None]] = {}

    def run(self, statement: str, *values: object) -> int:
        """Run a statement that changes something; returns how many rows it changed."""
        raise NotImplementedError

    def put(self, statement: str, *values: object) -> None:
        """Run a statement that changes something, at the latest when the write ends."""
        raise NotImplementedError

    def must(self, statement: str, *values: object) -> None:
        """`put`, where the write fails as a whole unless the statement changes exactly one row.

        Raises:
            OvertakenError: It did not; perhaps not before the write ends.
        """
        raise NotImplementedError

    def later(self, statement: str, *values: object) -> ReturnedRows:
        """`put` for a statement with ``RETURNING``."""
        raise NotImplementedError

    def deadline(self, at: int) -> int:
        """Return, by the clock of the database, a time that was given by the clock of this machine.

        Args:
            at: The time, microseconds since the epoch.
        """
        raise NotImplementedError

    def change(self, request_id: str, session: str) -> None:
        """Announce that a request changes, before the statement that changes it, and remember whom to wake.

        Args:
            request_id: Id of the request.
            session: Its session as stored.
        """
        of_session = session_bell(session)
        self._rung.setdefault(of_session, {of_session: None})[request_id] = None
        self._next_change()

    def grants_change(self) -> None:
        """Announce that a grant is given, used or revoked: whoever watches looks again."""
        self._next_change()

    def agent_ends(self) -> None:
        """Announce that an agent ended, whether it waited or not: whoever watches looks again."""
        self._next_change()

    def mode_changes(self) -> None:
        """Announce that an agent answers in another mode: whoever watches looks again."""
        self._next_change()

    def delivered(self) -> None:
        """Count a change that wakes nobody: whoever watches looks again before long, and that is soon enough."""
        self._next_change(rings=False)

    @property
    def bells(self) -> tuple[str, ...]:
        """The keys to ring when the change is visible: of those who wait, then of reviewers."""
        return tuple(key for keys in self.audiences.values() for key in keys)

    @property
    def audiences(self) -> Mapping[str, Sequence[str]]:
        """The keys to ring when the change is visible, by those whom they concern: a session, or `REVIEWERS`."""
        if not self._rings:
            return {}
        return {**{audience: tuple(keys) for audience, keys in self._rung.items()}, REVIEWERS: (REVIEWERS,)}

    @property
    def announces(self) -> bool:
        """True if it changed something that has a change number."""
        return self._changes

    def _next_change(self, *, rings: bool = True) -> None:
        self._rings |= rings
        if not self._changes:
            self._changes = True
            self.put(self.NEXT_CHANGE)


class Lease(Protocol):
    """A sign of life that ends with the process that holds it."""

    def release(self, *, told: bool = True) -> None:
        """Give it up. Releasing twice is harmless, and so is releasing in a forked child.

        Args:
            told: True if the queue knows that the agent ends; if not, others can tell by the lease.
        """


class Leases(Protocol):
    """The leases of all agents."""

    @property
    def machine(self) -> str:
        """The scope in which processes can be told to be alive; stored with every agent as ``boot``."""

    def take(self, agent_id: str) -> Lease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: It cannot be taken.
            QueueUnavailableError: The queue cannot be used.
        """

    def dead(self, agents: Sequence[Row]) -> dict[str, int | None]:
        """Those who are dead, of agents that are on record as connected, by id.

        With each for how many microseconds it had lost its connection; None for one whose process has certainly
        ended. In doubt an agent lives: nobody's request is ended on suspicion.

        Args:
            agents: Rows with ``id``, ``host``, ``boot`` and ``pid``.
        """

    def clear(self, agent_ids: Iterable[str]) -> None:
        """Remove what dead agents left behind. Never fails."""


class Engine(Protocol):
    """A connection that several threads of one process may share."""

    def opened_again(self) -> Engine:
        """Open another connection, to the queue that is at the place now.

        Raises:
            QueueError: There is none, or it cannot be used; none is created.
        """

    @property
    def leases(self) -> Leases:
        """The agents' leases."""

    @property
    def name(self) -> str:
        """The place of the queue, in words, without any password."""

    @property
    def queue_id(self) -> int | None:
        """The number by which the queue is told from every other; None for one that could not be given any."""

    @property
    def reviewer(self) -> str | None:
        """The only name under which the database lets this connection decide; None if it takes any."""

    @property
    def partial(self) -> bool:
        """True if the database shows this connection the sessions of its own role only."""

    @property
    def distant(self) -> bool:
        """True if others should not be kept out for as long as an answer takes: read first, then write at once."""

    @property
    def read_only(self) -> ReadOnly | None:
        """The reason why nothing can be changed here, as far as the last look tells; None if it can."""

    @property
    def forked(self) -> bool:
        """True if this is a child process that merely inherited the connection."""

    @property
    def closed(self) -> bool:
        """True if the connection was closed."""

    def read(self) -> AbstractContextManager[Look]:
        """Look at one consistent state. Keep it short.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """

    def write(
        self, *, durable: bool = True, patience: float = PATIENCE_SECONDS
    ) -> AbstractContextManager[Transaction]:
        """Change something, all of it or nothing, then wake those whom it concerns.

        Args:
            durable: True if the change must survive a loss of power.
            patience: Longest wait for other writers, in seconds.

        Raises:
            OvertakenError: See `Transaction.must`; nothing was changed.
            QueueUnavailableError: The change was not made, unless the message says that this is unknown.
        """

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        """Look at one consistent state, in one round trip: `read` for queries that are known before.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """

    @property
    def now(self) -> int:
        """The time, by the clock of the database as far as it is known: microseconds since the epoch."""

    def in_haste(self, patience: float, check: Callable[[], None] | None = None) -> AbstractContextManager[None]:
        """Wait for less in this thread, for the length of a ``with`` block, if the server is away.

        Args:
            patience: Longest wait for a server that is being restarted, in seconds.
            check: Called several times a second while a server is waited for; ends that by raising.
        """

    def hang_bell(self, key: str, audience: str) -> Bell:
        """Put up a bell that this queue's writers ring.

        Args:
            key: What it is rung by.
            audience: To whom it belongs: the `session_bell` of a session, or `REVIEWERS`.

        Raises:
            QueueUnavailableError: It cannot be put up.
        """

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key through this connection, and perhaps others. Never fails."""

    @property
    def option(self) -> str:
        """The queue's name on a command line, without any password; "" for the one that it takes by default."""

    def attend(self, bell: Bell) -> None:
        """Note that a reviewer's screen is awake; it counts for some seconds.

        Args:
            bell: The screen's bell.

        Raises:
            QueueUnavailableError: It cannot be noted.
        """

    def attended(self) -> bool | None:
        """Tell if a reviewer's screen is open and awake; None if that cannot be seen from here.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """

    def reopen(self) -> None:
        """Connect to the queue that is at the place now, if the one before is gone.

        Raises:
            QueueNotFoundError: There is none.
            QueueUnavailableError: It cannot be used.
        """

    def require_open(self) -> None:
        """Refuse to go on with a closed or inherited connection, or one whose queue is gone.

        Raises:
            QueueUnavailableError: It is one.
        """

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""


def session_bell(session: str) -> str:
    """Key of the bells under which an event loop waits for requests of a session."""
    import hashlib

    return hashlib.sha256(session.encode("ascii", "backslashreplace")).hexdigest()[:32]


# -- What every connection to a queue has in common: the process that it belongs to, one queue, and an end.

QUEUE_ID = "id"
"""Name of the counter that never counts: a random number, by which a queue is told from every other."""

STATE_OF_QUEUE = f"SELECT name, value FROM counters WHERE name IN ('change', '{QUEUE_ID}')"  # noqa: S608
"""Selects what `OwnConnection` needs of each consistent state of the queue that is looked at."""

ANOTHER_QUEUE = "was replaced by another one"
SET_BACK = "was set back to an earlier state, as from a copy"

_GONE = "the queue {what}: {place}; what waited there does not run; ask again once a queue is there"


def new_queue_id() -> int:
    """Make the number of a new queue."""
    return int.from_bytes(os.urandom(8)) >> 1  # both databases store 63 bits


class OwnConnection:
    """Lets the threads of the process that opened it use a connection in turn, until it ends.

    Args:
        name: The place of the queue, in words.
    """

    read_only: ReadOnly | None = None

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
        """The place of the queue, in words."""
        return self._name

    @property
    def queue_id(self) -> int | None:
        """The number by which the queue is told from every other; None for one that could not be given any."""
        return self._queue_id

    @property
    def forked(self) -> bool:
        """True if this is a child process that merely inherited the connection."""
        return os.getpid() != self._process

    @property
    def closed(self) -> bool:
        """True if the connection was closed."""
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
            raise self._end(self._gone)

    def _end(self, what: str) -> QueueGoneError:
        """End the connection for good, because the queue is gone; returns the error to raise.

        Args:
            what: What became of it, as in "was removed"; only the first time counts.
        """
        self._gone = self._gone or what
        return QueueGoneError(_GONE.format(place=self._name, what=self._gone), self._gone)

    def _require_same_queue(self, rows: Iterable[Row]) -> None:
        """Make sure that a state is one of the queue that was opened, and no older one than was seen before.

        Args:
            rows: The rows of `STATE_OF_QUEUE`.

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

    def _made(self, change: int) -> None:
        """Note the number of a change that was made, after which the queue never is as it was before."""
        self._change = max(self._change, change)

    def _expect_any_queue(self) -> None:
        """Take whichever queue comes next for the one that is meant."""
        self._gone = self._queue_id = None
        self._change = 0

    def in_haste(self, patience: float, check: Callable[[], None] | None = None) -> AbstractContextManager[None]:
        """Wait for less in this thread if the server is away; a file never is."""
        del patience, check
        return contextlib.nullcontext()

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
