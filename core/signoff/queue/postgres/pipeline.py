"""Statements that go to PostgreSQL together, in one round trip.

psycopg's own pipeline hands every statement to its scheduler twice and makes a cursor for each, which costs more
than most of our statements. This is the protocol of libpq without that
(https://www.postgresql.org/docs/current/libpq-pipeline-mode.html); values are converted by psycopg.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg import adapt
from psycopg.abc import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult

from signoff.queue.postgres.connection import Connection, StatementKey
from signoff.queue.sql.engine import Query

__all__ = ["SESSION", "Answer", "sent_together"]

SESSION = object()
"""Stands for the `Connection.session` of the connection that a statement is sent on."""


class Answer(NamedTuple):
    """The answer to one statement.

    Attributes:
        rows: The rows, by the names of their columns.
        changed: The number of rows that it changed, or returned.
    """

    rows: list[dict[str, Any]]
    changed: int


def sent_together(connection: Connection, statements: Sequence[Query]) -> list[Answer]:
    """Send statements in one round trip; returns the answer to each.

    Raises:
        psycopg.Error: One of them failed, and those after it were not run; or the connection was lost.
        ServerSilentError: The answer took longer than the `limit` of the connection.
    """
    converter: Transformer = adapt.Transformer(connection)
    values = [_converted(connection, converter, each) for _, each in statements]
    batch = _Batch(connection, converter)
    try:
        batch.send([(_numbered(statement), each) for (statement, _), each in zip(statements, values, strict=True)])
        batch.receive()
    except BaseException as error:
        connection.pgconn.finish()  # nobody knows what is still to come
        if batch.error is None or not isinstance(error, psycopg.Error):
            raise
    if batch.error is not None:
        raise batch.error
    return batch.answers


class _Values(NamedTuple):
    converted: Sequence[Any]
    types: tuple[int, ...]
    formats: Sequence[Any]


_NONE = _Values([], (), [])


def _converted(connection: Connection, converter: Transformer, values: Sequence[object]) -> _Values:
    if not values:
        return _NONE
    given = [connection.session if each is SESSION else each for each in values]
    converted = converter.dump_sequence(given, [adapt.PyFormat.AUTO] * len(given))
    assert converter.types is not None
    assert converter.formats is not None
    return _Values(converted, converter.types, converter.formats)


class _Batch:
    """Statements on their way, and the answers that have come.

    Attributes:
        answers: The answers so far.
        error: The first error of the server.
    """

    def __init__(self, connection: Connection, converter: Transformer) -> None:
        self.answers: list[Answer] = []
        self.error: psycopg.Error | None = None
        self._connection = connection
        self._converter = converter
        self._awaited: list[
            tuple[StatementKey, bytes] | None
        ] = []  # what is prepared; None for a statement that is run
        self._unsent = 0

    def send(self, statements: Sequence[tuple[bytes, _Values]]) -> None:
        """Send statements: in one piece if the line takes it, as each piece is a packet."""
        pgconn, prepared = self._connection.pgconn, self._connection.prepared
        pgconn.enter_pipeline_mode()
        names: dict[StatementKey, bytes] = {}
        for statement, (values, types, formats) in statements:
            key = statement, types
            name = prepared.names.get(key) or names.get(key)
            if name is None and prepared.is_due(key):
                name = names[key] = f"signoff_{len(prepared.names) + len(names)}".encode()
                pgconn.send_prepare(name, statement, types)
                self._awaited.append((key, name))
            if name is None:
                pgconn.send_query_params(statement, values, types, formats)
            else:
                pgconn.send_query_prepared(name, values, formats)
            self._awaited.append(None)
        pgconn.pipeline_sync()
        self._unsent = pgconn.flush()

    def receive(self) -> None:
        """Wait for the answers to all of them."""
        pgconn, begun = self._connection.pgconn, time.monotonic()
        left = iter(self._awaited)
        while True:
            while pgconn.is_busy():
                events = self._connection.await_events(
                    select.POLLIN | (select.POLLOUT if self._unsent else 0), begun
                )
                if self._unsent:
                    self._unsent = pgconn.flush()
                if events != select.POLLOUT:
                    pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:  # stands behind the result of each statement
                if pgconn.status != ConnStatus.OK:
                    raise psycopg.OperationalError("the connection is lost")
            elif result.status == ExecStatus.PIPELINE_SYNC:
                break
            else:
                self._take(next(left, None), result)  # the server may have more to say, of its end
        pgconn.exit_pipeline_mode()

    def _take(self, prepared: tuple[StatementKey, bytes] | None, result: PGresult) -> None:
        match result.status:
            case ExecStatus.TUPLES_OK:
                self._converter.set_pgresult(result)
                names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
                rows = self._converter.load_rows(0, result.ntuples, lambda row: dict(zip(names, row, strict=True)))
                self.answers.append(Answer(rows, result.ntuples))
            case ExecStatus.COMMAND_OK if prepared is not None:
                self._connection.prepared.names[prepared[0]] = prepared[1]
            case ExecStatus.COMMAND_OK:
                self.answers.append(Answer([], result.command_tuples or 0))
            case ExecStatus.FATAL_ERROR if self.error is None:
                self.error = error_from_result(result)


@lru_cache(maxsize=1024)
def _numbered(statement: str) -> bytes:
    """A statement with the placeholders of PostgreSQL. None of ours has a question mark in a text."""
    first, *others = statement.split("?")
    return (first + "".join(f"${number}{each}" for number, each in enumerate(others, 1))).encode()
