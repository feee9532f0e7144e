"""A queue that can only be looked at: on a replica, by a role that may only read, on a server set to read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import psycopg
import pytest
from queue_engines import FreshPostgresOpener
from queue_samples import approve, call, eventually, target

from postgres_server import Server, server
from signoff.queue import (
    AgentInfo,
    Decision,
    HistoryFilter,
    QueueUnavailableError,
    RequestState,
    open_agent_queue,
    open_review_queue,
    queue_stats,
)
from signoff.queue.postgres.connection import parse_url
from signoff.queue.sqlite.wakeups import REVIEWERS

pytestmark = pytest.mark.engines("fresh postgres")

WAYS = ("replica", "rights", "setting")


@pytest.fixture(scope="module")
def replica():
    """A streaming replica of the server of the tests."""
    started = Server(primary=server())
    yield started
    started.remove()


class ReadOnly:
    """Where a queue is looked at, and how to wait until all that was done is seen there."""

    def __init__(self, way, opener, replica):
        self._replica = replica
        self._opener = opener
        schema = parse_url(opener.place).schema
        if way == "replica":
            self.place = opener.place.replace(str(server().home), str(replica.home))
        elif way == "rights":
            self.place = opener.place.replace("//signoff@", "//stranger@")
            with opener.administrator() as raw:
                raw.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO stranger')
                raw.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO stranger')
        else:
            self.place = opener.place.replace("&queue=", "&options=-cdefault_transaction_read_only%3Don&queue=")

    def catch_up(self):
        with self._opener.administrator() as raw:
            raw.execute("SELECT pg_logical_emit_message(true, 'signoff', 'writes what is not yet written')")
            written = raw.execute("SELECT pg_current_wal_lsn()::text").fetchone()[0]
        with psycopg.connect(self._replica.url, autocommit=True) as there:
            replayed = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            eventually(lambda: there.execute(replayed, (written,)).fetchone()[0])

    def review(self):
        self.catch_up()
        return open_review_queue(self.place, create=False)


@pytest.fixture(params=WAYS)
def reading(request, opener, replica):
    opener.review()
    return ReadOnly(request.param, opener, replica)


@pytest.fixture
def replicated(opener, replica):
    opener.review()
    return ReadOnly("replica", opener, replica)


def test_all_that_is_there_can_be_looked_at(reading, opener):
    agent, review = opener.agent(), opener.review()
    answered, waiting = agent.submit(call("k1")), agent.submit(call("k2"))
    approve(review, answered)
    with reading.review() as looking:
        assert looking.pending() == (waiting,)
        assert looking.get(answered.id).state is RequestState.APPROVED
        assert looking.find(waiting.id[:8]) == waiting
        assert [record.seq for record in looking.history(HistoryFilter(text="notes"))] == [1]
        assert [record.seq for record in looking.export()] == [1]
        assert looking.verify() is None
        assert looking.grants() == ()
        assert len(looking.agents(connected=True)) == 1
        assert looking.changes(0).changes[0].request == waiting
        assert looking.stats().pending == 1
    assert queue_stats(reading.place).agents == 1


@pytest.mark.parametrize(
    "command",
    ["list", "status", "history", "history --text notes", "history verify", "grants", "show {}"],
)
def test_commands_that_look_work(replicated, opener, command):
    agent = opener.agent()
    approve(opener.review(), agent.submit(call("k1")))
    posted = agent.submit(call("k2"))
    replicated.catch_up()
    done = _run(*command.format(posted.id).split(), place=replicated.place)
    assert done.returncode == (10 if command == "status" else 0), done.stderr
    assert done.stderr == ""


def test_what_is_overdue_is_left(reading, opener):
    agent, gone = opener.agent(), opener.agent(session="s-42")
    late = agent.submit(call("k1", expires_at=time.time_ns() // 1_000 + 50_000))
    left = gone.submit(call("k2"))
    opener.crash(gone)
    time.sleep(0.06)
    with reading.review() as looking:
        assert {request.id for request in looking.pending()} == {late.id, left.id}
        assert looking.stats().pending == 2
    assert opener.review().pending() == ()


def test_a_request_that_cannot_be_read_is_left(reading, opener):
    posted = opener.agent().submit(call())
    with opener.administrator() as raw:
        raw.execute("SET session_replication_role = replica")
        raw.execute("UPDATE requests SET submission = 'nonsense'")
    with reading.review() as looking:
        assert looking.pending() == ()
    assert opener.review().pending() == ()
    assert opener.review().history()[0].request_id == posted.id


def test_nothing_is_changed(reading, opener):
    words = {
        "replica": "is a replica",
        "rights": "lets this role look",
        "setting": "default_transaction_read_only",
    }
    agent = opener.agent()
    posted = agent.submit(call())
    grant = agent.add_grant(call(), by="callback")
    answered = agent.submit(call("k2", tool_name="other"))
    approve(opener.review(), answered)
    agent.wait(answered.id)
    with reading.review() as looking:
        way = looking._engine.read_only.name.lower()
        for change in (
            lambda: approve(looking, posted),
            lambda: looking.decide(*target(posted), Decision(approved=False)),
            lambda: looking.revoke(grant.id),
            lambda: looking.prune(keep=0),
        ):
            with pytest.raises(QueueUnavailableError, match=words[way]):
                change()
    with pytest.raises(QueueUnavailableError):
        open_agent_queue(AgentInfo("other", "s-42", "/work"), reading.place)
    assert opener.review().pending() == (posted,)


def test_a_replica_names_its_primary_to_those_who_may_know(replicated, opener):
    posted = opener.agent().submit(call())
    with replicated.review() as looking, pytest.raises(QueueUnavailableError, match=f"{server().home} port 5432"):
        approve(looking, posted)


def test_nobody_is_taken_for_awake_who_can_only_look(reading, opener):
    with reading.review() as looking:
        bell = looking._engine.hang_bell(REVIEWERS, REVIEWERS)
        looking._engine.attend(bell)
        bell.close()
        assert not opener.review()._engine.attended()


def test_a_replica_does_not_say_whether_a_screen_is_open(replicated):
    replicated.catch_up()
    assert queue_stats(replicated.place).screen_open is None
    told = _run("status", "--json", place=replicated.place).stdout
    assert json.loads(told)["screen_open"] is None
    assert _run("status", place=replicated.place).stdout == "0 waiting\n"


async def test_a_screen_sees_what_happens(reading, opener):
    with reading.review() as looking:
        watch = looking.watch()
        await anext(watch)
        posted = await opener.agent().asubmit(call())
        assert [change.request.id for change in (await anext(watch)).changes] == [posted.id]
        await watch.aclose()


def test_a_replica_that_is_behind_is_not_taken_for_a_queue_that_was_set_back(replicated, opener):
    review = opener.review()
    approve(review, opener.agent().submit(call("k1")))
    with replicated.review() as looking:
        looking.recall_history()
        looking._engine._change += 5  # as another replica, which was further
        assert looking.pending() == ()
        with opener.administrator() as raw:
            raw.execute("SET session_replication_role = replica")
            raw.execute("DELETE FROM history")
        replicated.catch_up()
        assert looking.recall_history() == ""
        assert looking.stats().history_loss == ""


def test_there_is_no_queue_where_none_can_be_made(replica):
    place = f"{replica.url}&queue=none"
    with pytest.raises(QueueUnavailableError, match="name the primary server"):
        open_review_queue(place)


def test_who_looks_goes_on_when_the_replica_becomes_the_primary():
    primary = Server()
    opener = FreshPostgresOpener()
    opener.place = opener.place.replace(str(server().home), str(primary.home))
    try:
        with opener.agent() as agent:
            posted = agent.submit(call())
            successor = Server(primary=primary)
        place = opener.place.replace(str(primary.home), str(successor.home))
        with open_review_queue(place, create=False) as looking, primary.stopped():
            assert looking._engine.read_only is not None
            with psycopg.connect(successor.url, autocommit=True) as admin:
                admin.execute("SELECT pg_promote()")
            eventually(lambda: looking.get(posted.id) and looking._engine.read_only is None)
    finally:
        primary.remove()
        successor.remove()


def _run(*command, place):
    words = [sys.executable, "-m", "signoff.cli", *command]
    environment = {**os.environ, "SIGNOFF_QUEUE": place}
    return subprocess.run(words, check=False, capture_output=True, text=True, env=environment)
