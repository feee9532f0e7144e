"""Looks and writes of a queue in PostgreSQL, with few round trips.

A round trip may cost more than all that is done with it. So the statements of a look or a write wait until an
answer is needed, and go together; a write that needs none goes in one piece, from ``BEGIN`` to ``COMMIT``, and
keeps others waiting for no round trip at all.
"""

# ruff: noqa: D102 - the methods are those of `signoff.queue.sql.engine.Look` and `Transaction`

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from signoff.queue.clock import now_us
from signoff.queue.postgres.pipeline import Answer
from signoff.queue.postgres.schema import VectorIndex
from signoff.queue.sql.engine import Query, ReturnedRows, Row, Transaction

__all__ = [
    "COMMIT",
    "PostgresLook",
    "PostgresTransaction",
    "Sender",
]

COMMIT: Query = ("COMMIT", ())


class Sender(Protocol):
    """The engine, as far as looks and writes need it."""

    @property
    def search(self) -> VectorIndex:
        """The words of the history."""

    def send(
        self, statements: Sequence[Query], patience: float, *, again: bool, lock_seconds: float = 0.0
    ) -> list[Answer]:
        """Send statements in one round trip; returns the answer to each.

        Args:
            statements: The statements.
            patience: Longest wait for a server that is being restarted, in seconds.
            again: True if they may be sent on a new connection when the one they were sent on is lost.
            lock_seconds: Longest wait of the statements for other writers.

        Raises:
            psycopg.Error: One of them failed; those after it were not run.
            QueueGoneError: The queue is not the one that was opened.
            QueueVersionError: It is of another signoff's format by now.
            OvertakenError: See `signoff.queue.sql.engine.Transaction.must`.
        """

    def accept(self, rows: Sequence[Row]) -> None:
        """Take what a look tells of the state of the queue.

        Raises:
            QueueGoneError: It is not the queue that was opened.
            QueueVersionError: It is of another format by now.
        """

    def note_time(self, now: int) -> None:
        """Take the time that the server has just told."""

    @property
    def now(self) -> int:
        """The time by the server's clock, in microseconds since the epoch."""


class PostgresLook:
    """A look: statements on one connection, sent together as far as their answers allow.

    Args:
        engine: Its engine.
        opening: The statements to begin with; the last of them tells the state of the queue.
        patience: Longest wait for a server that is being restarted, in seconds.
    """

    def __init__(self, engine: Sender, opening: Sequence[Query], patience: float) -> None:
        self._engine = engine
        self.waiting = [*opening]
        self._opening = len(opening)
        self._patience = patience
        self._lock_seconds = 0.0
        self.answered = False
        self.failed = False

    @property
    def search(self) -> VectorIndex:
        """The words of the history."""
        return self._engine.search

    def row(self, statement: str, *values: object) -> Row | None:
        return next(iter(self._sent((statement, values))[-1].rows), None)

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        return self._sent((statement, values))[-1].rows

    def number(self, statement: str, *values: object) -> int:
        [found] = self._sent((statement, values))[-1].rows
        return int(next(iter(found.values())))

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        return [answer.rows for answer in self._sent(*queries)[-len(queries) :]]

    def select_and_end(self, *queries: Query) -> list[Sequence[Row]]:
        """`select`, and end the look, in one round trip."""
        answers = self._sent(*queries, COMMIT)
        return [answer.rows for answer in answers[-len(queries) - 1 : -1]]

    def finish(self, *statements: Query) -> None:
        """Send what waits, and these statements, to the end of the transaction. Nothing is sent twice."""
        self._sent(*statements, again=False)

    def _sent(self, *statements: Query, again: bool = True) -> list[Answer]:
        """Send what waits, and these statements; returns the answer to each.

        Args:
            statements: The statements.
            again: False if what is sent must not be sent twice, whatever becomes of the connection.
        """
        sending, self.waiting = [*self.waiting, *statements], []
        try:
            answers = self._engine.send(
                sending, self._patience, again=again and not self.answered, lock_seconds=self._lock_seconds
            )
            if not self.answered:
                self.answered = True
                self._opened(answers[self._opening - 1].rows)
        except BaseException:
            self.failed = True
            raise
        self._answer(answers)
        return answers

    def end(self) -> None:
        """End the look."""
        self._sent(COMMIT)

    def _opened(self, rows: Sequence[Row]) -> None:
        """Take the state of the queue, before anything else that was read."""
        self._engine.accept(rows)

    def _answer(self, answers: Sequence[Answer]) -> None:
        """Take the answers to all statements that were sent together."""


class PostgresTransaction(PostgresLook, Transaction):
    """A write in progress, as far as the rights of the role that logged in go, and of functions for it."""

    NEXT_CHANGE = "SELECT next_change()"
    LAST_RECORD: Query = ("SELECT seq, hash FROM last_record()", ())

    def __init__(self, engine: Sender, opening: Sequence[Query], patience: float) -> None:
        Transaction.__init__(self, engine.now)
        PostgresLook.__init__(self, engine, opening, patience)
        self._lock_seconds = patience
        self._later: dict[int, ReturnedRows] = {}
        self.writes = False
        self.change_before = 0

    def deadline(self, at: int) -> int:
        return at - now_us() + self.now

    def run(self, statement: str, *values: object) -> int:
        self.writes = True
        return self._sent((statement, values))[-1].changed

    def put(self, statement: str, *values: object) -> None:
        self.writes = True
        self.waiting.append((statement, values))

    def must(self, statement: str, *values: object) -> None:
        self.put(f"WITH done AS ({statement} RETURNING 1) SELECT exactly_one(COUNT(*)) FROM done", *values)  # noqa: S608

    def later(self, statement: str, *values: object) -> ReturnedRows:
        self.put(statement, *values)
        found = self._later[len(self.waiting) - 1] = ReturnedRows()
        return found

    def _opened(self, rows: Sequence[Row]) -> None:
        self.change_before = rows[0]["change"]
        self._engine.note_time(rows[0]["now"])

    def _answer(self, answers: Sequence[Answer]) -> None:
        for place, found in self._later.items():
            found.rows = answers[place].rows
        self._later.clear()
