"""Statements that go to PostgreSQL together: their answers, their errors, and the connection after them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from postgres_server import server
from signoff.queue.postgres.connection import Connection, ServerSilentError, connect, parse_url
from signoff.queue.postgres.pipeline import SESSION, Answer, sent_together

ONE = ("SELECT 1 AS one", ())


@pytest.fixture
def connection() -> Iterator[Connection]:
    with closing(connect(parse_url(server().url))) as connection:
        yield connection


def names_kept(connection: Connection) -> int:
    """How many plans the server keeps for a connection."""
    [answer] = sent_together(connection, [("SELECT count(*) AS kept FROM pg_prepared_statements", ())])
    return int(answer.rows[0]["kept"])


def test_each_statement_has_its_answer(connection: Connection) -> None:
    statements = [
        ("CREATE TEMP TABLE things (number bigint, name text, data bytea)", ()),
        ("INSERT INTO things VALUES (?, ?, ?), (?, ?, ?)", (1, "a%s", b"\x00\xff", 2**40, None, None)),
        ("SELECT number, name, data FROM things ORDER BY number", ()),
        ("UPDATE things SET name = ? WHERE number > ?", ("b", 1)),
        ("SELECT unnest(?::text[]) AS word", (["x", "y"],)),
        ("SELECT ? = ? AS own, NULL AS nothing", (SESSION, connection.session)),
    ]
    assert sent_together(connection, statements) == [
        Answer([], 0),
        Answer([], 2),
        Answer(
            [{"number": 1, "name": "a%s", "data": b"\x00\xff"}, {"number": 2**40, "name": None, "data": None}], 2
        ),
        Answer([], 1),
        Answer([{"word": "x"}, {"word": "y"}], 2),
        Answer([{"own": True, "nothing": None}], 1),
    ]


def test_statements_without_begin_are_done_together_or_not_at_all(connection: Connection) -> None:
    sent_together(connection, [("CREATE TEMP TABLE things (number bigint)", ())])
    with pytest.raises(psycopg.errors.DivisionByZero):
        sent_together(connection, [("INSERT INTO things VALUES (?)", (1,)), ("SELECT 1 / 0", ())])
    assert sent_together(connection, [("SELECT count(*) AS found FROM things", ())]) == [Answer([{"found": 0}], 1)]


def test_the_first_error_is_raised_and_the_connection_goes_on(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable, match="missing"):
        sent_together(connection, [ONE, ("SELECT * FROM missing", ()), ("SELECT 1 / 0", ()), ONE])
    assert sent_together(connection, [ONE]) == [Answer([{"one": 1}], 1)]


def test_a_statement_that_comes_again_and_again_is_prepared_once(connection: Connection) -> None:
    for _ in range(10):
        sent_together(connection, [ONE, ONE, ("SELECT ? + 1 AS two", (1,))])
    assert names_kept(connection) == 2


def test_what_an_error_kept_from_being_prepared_is_prepared_later(connection: Connection) -> None:
    for _ in range(3):
        sent_together(connection, [ONE])
    with pytest.raises(psycopg.errors.DivisionByZero):
        sent_together(connection, [("SELECT 1 / 0", ()), ONE])
    assert names_kept(connection) == 0
    assert sent_together(connection, [ONE]) == [Answer([{"one": 1}], 1)]
    assert names_kept(connection) == 1


def test_more_than_the_line_takes_goes_both_ways(connection: Connection) -> None:
    """Neither side may wait for the other to read first."""
    large = "x" * 3_000_000
    answers = sent_together(connection, [("SELECT ? || '' AS text", (large,))] * 5)
    assert [answer.rows[0]["text"] == large for answer in answers] == [True] * 5


def test_a_value_that_cannot_be_sent_harms_nothing(connection: Connection) -> None:
    with pytest.raises(psycopg.ProgrammingError):
        sent_together(connection, [ONE, ("SELECT ?", (object(),))])
    assert sent_together(connection, [ONE]) == [Answer([{"one": 1}], 1)]


def test_a_connection_that_the_server_ends_says_why(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.AdminShutdown):
        sent_together(connection, [("SELECT pg_terminate_backend(pg_backend_pid())", ()), ONE])
    assert connection.closed


LEAVES = """
CREATE FUNCTION pg_temp.leave() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
"""
AT_COMMIT = """
CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION pg_temp.leave()
"""


def test_a_connection_that_ends_after_the_last_answer_says_why(connection: Connection) -> None:
    things = "CREATE TEMP TABLE things (number bigint)"
    sent_together(connection, [(each, ()) for each in (things, LEAVES, AT_COMMIT)])
    with pytest.raises(psycopg.errors.AdminShutdown):
        sent_together(connection, [("INSERT INTO things VALUES (1)", ())])
    assert connection.closed


def test_what_fails_when_it_is_committed_says_why_and_the_connection_goes_on(connection: Connection) -> None:
    sent_together(
        connection, [("CREATE TEMP TABLE things (number bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)", ())]
    )
    with pytest.raises(psycopg.errors.UniqueViolation):
        sent_together(connection, [("INSERT INTO things VALUES (1), (1)", ())])
    assert sent_together(connection, [ONE]) == [Answer([{"one": 1}], 1)]


def test_a_server_that_is_silent_for_too_long_is_given_up(connection: Connection) -> None:
    connection.limit = 0.2
    with pytest.raises(ServerSilentError):
        sent_together(connection, [("SELECT pg_sleep(30)", ())])
    assert connection.closed


def test_who_asks_can_end_the_wait(connection: Connection) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    connection.check = stop
    with pytest.raises(KeyboardInterrupt):
        sent_together(connection, [("SELECT pg_sleep(30)", ())])
    assert connection.closed
