"""Queues of other formats in PostgreSQL: brought up to date as the operator wants, or refused and not touched."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from queue_engines import FreshPostgresOpener
from queue_samples import PATIENCE, approve, call

from postgres_server import server
from signoff.queue import HistoryFilter, QueuePlaceError, QueueUnavailableError, QueueVersionError
from signoff.queue.clock import now_us
from signoff.queue.postgres import schema as schema_module
from signoff.queue.postgres.connection import parse_url
from signoff.queue.postgres.leases import making_lock
from signoff.queue.postgres.schema import SCHEMA_VERSION

OLD = Path(__file__).parent / "files" / "queue-format-3.sql"


@pytest.fixture
def opener():
    """A queue as signoff with format 3 left it: two requests wait, two are in the history."""
    opener = FreshPostgresOpener()
    with opener.administrator() as raw:
        raw.execute(OLD.read_text().replace("signoff_old", schema_of(opener)))
    yield opener
    opener.close()


@pytest.fixture
def raw(opener):
    with opener.administrator() as raw:
        yield raw


class OldProgram:
    """What a program of format 3 sends when it writes."""

    def __init__(self, opener):
        self._connection = opener.administrator()
        self._lock = making_lock(schema_of(opener))

    def begin(self):
        self._connection.execute("BEGIN")
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (self._lock,))
        self._connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'change'")

    def commit(self):
        self._connection.execute("INSERT INTO last_writes (writer, number, at) VALUES ('old', 1, %s)", (now_us(),))
        self._connection.execute("COMMIT")

    def close(self):
        self._connection.close()


@pytest.fixture
def old_program(opener):
    with contextlib.closing(OldProgram(opener)) as program:
        yield program


def schema_of(opener):
    return parse_url(opener.place).schema


def everything(raw):
    """All that a visit could have changed."""
    tables = [row[0] for row in raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema")]
    rules = "SELECT oid, xmin::text FROM pg_class WHERE relnamespace = current_schema::regnamespace ORDER BY oid"
    rows = {table: raw.execute(f'SELECT xmin::text, t.* FROM "{table}" t').fetchall() for table in sorted(tables)}
    return raw.execute(rules).fetchall(), rows


def version(raw):
    return raw.execute("SELECT version FROM format").fetchone()[0]


def test_its_owner_brings_an_older_queue_up_to_date_by_connecting(opener, raw):
    review = opener.review()
    assert version(raw) == SCHEMA_VERSION
    assert [request.submission.key for request in review.pending()] == ["k2", "k3"]
    assert review.verify() is None
    assert len(review.history(HistoryFilter(text="notes"))) == 2
    approve(review, opener.agent().submit(call("k4")))
    assert [record.seq for record in review.history(HistoryFilter(text="notes"))] == [3, 2, 1]


def test_several_may_bring_it_up_to_date_at_once(opener, raw):
    with ThreadPoolExecutor(6) as threads:
        reviews = list(threads.map(lambda _: opener.review(), range(6)))
    assert version(raw) == SCHEMA_VERSION
    assert {len(review.pending()) for review in reviews} == {2}


def test_an_older_program_that_is_still_connected_cannot_write_any_more(opener, raw, old_program):
    old_program.begin()
    old_program.commit()
    opener.review()
    before = everything(raw)
    old_program.begin()
    with pytest.raises(psycopg.errors.UndefinedTable):
        old_program.commit()
    assert everything(raw) == before


def test_what_an_older_program_is_writing_is_waited_for(opener, raw, old_program):
    old_program.begin()
    with ThreadPoolExecutor(1) as threads:
        opening = threads.submit(opener.review)
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while raw.execute(waiting).fetchone() == (0,):
            assert not opening.done()
        assert version(raw) == 3
        old_program.commit()
        assert len(opening.result(PATIENCE).pending()) == 2
    assert raw.execute("SELECT number FROM writes WHERE writer = 'old'").fetchone() == (1,)


def test_an_older_program_that_hangs_is_not_waited_for_for_ever(opener, raw, old_program, monkeypatch):
    monkeypatch.setattr(schema_module, "PATIENCE_SECONDS", 0.1)
    before = everything(raw)
    old_program.begin()
    with pytest.raises(QueueUnavailableError, match="hanging signoff"):
        opener.review()
    old_program.close()
    assert everything(raw) == before


def test_an_operator_who_wants_to_decide_it_has_it_refused(opener, raw):
    before = everything(raw)
    place = opener.place
    opener.place = f"{place}&upgrade=no"
    with pytest.raises(QueueVersionError, match=r"format 3.*have the role signoff connect.*upgrade=no") as refused:
        opener.review()
    assert str(refused.value).startswith(parse_url(place).name)
    assert everything(raw) == before
    opener.place = f"{place}&upgrade=yes"
    opener.review()
    opener.place = f"{place}&upgrade=no"
    assert len(opener.review().pending()) == 2


def test_whoever_is_not_its_owner_leaves_it_as_it_is(opener, raw):
    raw.execute(f'GRANT ALL ON SCHEMA "{schema_of(opener)}" TO stranger')
    raw.execute(f'GRANT ALL ON ALL TABLES IN SCHEMA "{schema_of(opener)}" TO stranger')
    before = everything(raw)
    opener.place = opener.place.replace("//signoff@", "//stranger@")
    with pytest.raises(QueueVersionError, match="have the role signoff connect once"):
        opener.review()
    assert everything(raw) == before


def test_nothing_but_yes_and_no_says_whether_it_is_brought_up_to_date(opener):
    with pytest.raises(QueuePlaceError, match="yes or no"):
        parse_url(f"{opener.place}&upgrade=maybe")


@pytest.mark.parametrize(("to", "words"), [(SCHEMA_VERSION + 1, "install a newer"), (SCHEMA_VERSION - 1, "older")])
@pytest.mark.parametrize("use", ["read", "write", "select"])
def test_a_program_that_is_connected_notices_another_format_before_it_does_anything(opener, raw, to, words, use):
    engine = opener.review()._engine
    raw.execute("UPDATE format SET version = %s", (to,))
    before = everything(raw)
    with pytest.raises(QueueVersionError, match=words):
        _use(engine, use)
    assert everything(raw) == before


def _use(engine, use):
    if use == "select":
        engine.select(("SELECT id FROM requests", ()))
    with getattr(engine, use)() as used:
        used.rows("SELECT id FROM requests")


def test_the_format_is_looked_at_when_a_connection_is_made_anew(opener, raw):
    review = opener.review()
    raw.execute("UPDATE format SET version = %s", (SCHEMA_VERSION + 1,))
    with psycopg.connect(server().url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name ~ 'anna'"
        )
    with pytest.raises(QueueVersionError):
        review.pending()
