"""What only SQLite has: rules inside the file, versions, and a file that cannot be used."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import sqlite3
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from queue_children import child, line_of
from queue_samples import IMPOSSIBLE, PATIENCE, REWRITES, approve, call, eventually, reject, target

from signoff.queue import (
    AgentInfo,
    DamagedRecordError,
    Decision,
    HistoryFilter,
    QueueUnavailableError,
    QueueVersionError,
    RequestState,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.sql import answers
from signoff.queue.sqlite import engine as engine_module
from signoff.queue.sqlite.locks import WriteLock
from signoff.queue.sqlite.wakeups import REVIEWERS


@pytest.fixture
def place(tmp_path):
    return tmp_path / "queue"


@pytest.fixture
def agent(place):
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work"), place) as agent:
        yield agent


@pytest.fixture
def review(place):
    with open_review_queue(place, reviewer="anna") as review:
        yield review


@pytest.fixture
def raw(place, agent):
    """The file as somebody sees it who goes around us."""
    with contextlib.closing(sqlite3.connect(place / "queue.db", isolation_level=None)) as raw:
        yield raw


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.05)


def test_committed_writes_survive_a_loss_of_power(agent):
    connection = agent._engine._connection
    agent.submit(call())
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


@pytest.mark.parametrize("statement", REWRITES)
def test_the_file_itself_refuses_to_rewrite_what_happened(agent, review, raw, statement):
    approve(review, agent.submit(call()), remember=True)
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)


@pytest.mark.parametrize("statement", IMPOSSIBLE)
def test_the_file_itself_refuses_states_that_cannot_be(agent, raw, statement):
    agent.submit(call())
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)


def test_a_revoked_grant_cannot_be_revived(agent, review, raw):
    grant = agent.add_grant(call(), by="callback")
    review.revoke(grant.id)
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute("UPDATE grants SET revoked_at = NULL, revoked_by = NULL")


def test_an_edited_record_breaks_the_chain_at_its_place(agent, review, raw):
    for n in range(4):
        approve(review, agent.submit(call(f"k{n}")))
    raw.execute("DROP TRIGGER history_stays")
    raw.execute("UPDATE history SET decision = replace(decision, 'anna', 'eve') WHERE seq = 3")
    assert review.verify() == 3


def test_a_dropped_record_breaks_the_chain_at_its_place(agent, review, raw):
    for n in range(4):
        approve(review, agent.submit(call(f"k{n}")))
    raw.execute("DROP TRIGGER history_is_kept")
    raw.execute("DELETE FROM history WHERE seq = 2")
    assert review.verify() == 2


def test_edited_arguments_break_the_chain(agent, review, raw):
    approve(review, agent.submit(call()))
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute("UPDATE requests SET submission = replace(submission, 'hello', 'howdy')")
    assert review.verify() == 1


def test_a_newer_file_is_refused_and_not_touched(place, agent):
    agent.submit(call())
    agent.close()
    database = place / "queue.db"
    with contextlib.closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA user_version = 999")
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    for _ in range(2):
        with pytest.raises(QueueVersionError, match="999"):
            open_review_queue(place)
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before


def test_a_foreign_database_is_refused(place, review):
    review.close()
    (place / "queue.db").unlink()
    with contextlib.closing(sqlite3.connect(place / "queue.db")) as raw:
        raw.execute("CREATE TABLE other (x)")
    (place / "queue.db").chmod(0o600)
    with pytest.raises(QueueUnavailableError, match="not a queue"):
        open_review_queue(place)


def test_a_file_that_is_no_database_is_refused(place, review):
    review.close()
    (place / "queue.db").write_bytes(b"hello, this is no database at all" * 100)
    with pytest.raises(QueueUnavailableError, match="not a database"):
        open_review_queue(place)


def test_a_damaged_file_says_so(place, agent, review):
    for n in range(50):
        agent.submit(call(f"k{n}"))
    agent.close()
    review.close()
    damaged = bytearray((place / "queue.db").read_bytes())
    damaged[4096:] = os.urandom(len(damaged) - 4096)
    (place / "queue.db").write_bytes(damaged)
    with pytest.raises(QueueUnavailableError, match="damaged"):
        open_review_queue(place)


def test_a_damaged_row_says_so(agent, review, raw):
    posted = agent.submit(call())
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute("UPDATE requests SET submission = '{'")
    with pytest.raises(DamagedRecordError, match="request 1 in the queue is damaged"):
        review.get(posted.id)


@pytest.fixture
def damaged(agent, raw):
    """A request that waits between two others and cannot be read."""
    _, posted, _ = (agent.submit(call(key)) for key in ("k1", "k2", "k3"))
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute(
        """UPDATE requests SET submission = json_set(submission, '$.tool_name', json('["x"]')) WHERE key = 'k2'"""
    )
    return posted


@pytest.mark.parametrize("look", ["pending", "changes"])
def test_a_damaged_request_hides_no_other(review, damaged, look):
    found = review.pending() if look == "pending" else [each.request for each in review.changes(0).changes]
    assert [request.submission.key for request in found] == ["k1", "k3"]


def test_a_damaged_request_is_ended_and_on_record(review, damaged):
    review.pending()
    (line,) = review.history()
    assert (line.request_id, line.state) == (damaged.id, RequestState.WITHDRAWN)
    assert line.reason.startswith("nobody can be asked: request 2 in the queue is damaged")
    assert review.verify() is None
    assert review.stats().pending == 2


def test_a_damaged_request_does_not_stop_the_end_of_a_connection(agent, review, damaged):
    agent.close()
    assert review.pending() == ()
    assert len(review.history()) == 3


def test_a_damaged_request_past_its_deadline_does_not_stop_the_others(agent, review, raw):
    for key in ("k1", "k2"):
        agent.submit(call(key, expires_at=1))
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute("UPDATE requests SET submission = '[]' WHERE key = 'k1'")
    assert review.pending() == ()
    assert [line.state.value for line in review.history()] == ["expired", "withdrawn"]


def test_deciding_a_damaged_request_with_others_decides_the_others(agent, review, damaged):
    sound = agent.submit(call("k4"))
    verdicts = review.decide_many([target(damaged), target(sound)], Decision(approved=True))
    assert [verdict.kind.value for verdict in verdicts] == ["refused", "accepted"]


async def test_a_damaged_request_is_an_error_for_its_waiter_only(agent, review, damaged):
    sound = await agent.asubmit(call("k4"))
    waiting = asyncio.create_task(agent.await_outcome(sound.id))
    with pytest.raises(DamagedRecordError):
        await agent.await_outcome(damaged.id)
    await asyncio.to_thread(approve, review, sound)
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).approved


def test_a_damaged_record_hides_no_other_in_the_history(agent, review, raw):
    for key in ("k1", "k2"):
        approve(review, agent.submit(call(key)))
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute("UPDATE requests SET submission = '{' WHERE key = 'k1'")
    assert [line.tool_name for line in review.history()] == ["write_file", "(damaged record)"]


@pytest.mark.parametrize("filed", [True, False])
def test_a_record_that_is_damaged_before_it_is_filed_is_found_by_its_columns(
    agent, review, raw, monkeypatch, filed
):
    if not filed:
        monkeypatch.setattr("signoff.queue.sql.review_queue.file_history", lambda _: None)
    for key in ("k1", "k2"):
        approve(review, agent.submit(call(key)))
    raw.execute("DROP TRIGGER requests_content_stays")
    raw.execute("UPDATE requests SET submission = '{' WHERE key = 'k1'")
    for which in (HistoryFilter(session="s-41"), HistoryFilter(tool_name="write_file", decided_by="anna")):
        assert [line.seq for line in review.history(which)] == [2, 1]
    assert [line.seq for line in review.history(HistoryFilter(text="notes"))] == [2]


@pytest.fixture
def stopped_writer(place, monkeypatch):
    """Another writer, who is stopped while the queue is his: what ends by then is handed over without a note."""
    monkeypatch.setattr(answers, "_STAMP_PATIENCE_SECONDS", 0.01)
    return WriteLock(place).held(PATIENCE)


def test_an_answer_is_handed_over_although_a_stopped_writer_keeps_it_from_being_noted(
    agent, review, stopped_writer
):
    posted = agent.submit(call())
    approve(review, posted)
    with stopped_writer:
        assert agent.wait(posted.id).approved
    assert review.get(posted.id).delivered_at is None


@pytest.mark.parametrize(
    ("answer", "then"), [(approve, (2, RequestState.PENDING)), (reject, (1, RequestState.REJECTED))]
)
def test_of_what_was_handed_over_without_a_note_a_yes_is_spent_and_a_no_stays(
    agent, review, stopped_writer, answer, then
):
    posted = agent.submit(call())
    answer(review, posted)
    with stopped_writer:
        agent.wait(posted.id)
    again = agent.submit(call())
    assert (again.revision, again.state) == then


def test_that_an_answer_is_taken_wakes_no_reviewer(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    with review._engine.hang_bell(REVIEWERS, REVIEWERS) as bell:
        agent.wait(posted.id)
        assert not bell.sleep(0)
        agent.submit(call("later"))
        assert bell.sleep(PATIENCE)


@pytest.mark.usefixtures("only_bells")
def test_who_is_woken_takes_the_answer_without_another_look(agent, review, monkeypatch):
    posted = agent.submit(call())
    read, looks = agent._engine.read, []
    monkeypatch.setattr(agent._engine, "read", lambda: looks.append(1) or read())
    with ThreadPoolExecutor() as thread:
        waiting = thread.submit(agent.wait, posted.id)
        eventually(lambda: looks)
        approve(review, posted)
        outcome = waiting.result(PATIENCE)
    assert outcome.approved
    assert outcome.request.delivered_at == review.get(posted.id).delivered_at is not None
    assert looks == [1]


def test_a_damaged_content_says_so(agent, review, raw):
    sha256 = hashlib.sha256(b"text").hexdigest()
    agent.submit(call(blobs={sha256: b"text"}))
    raw.execute("UPDATE blobs SET compressed = x'00'")
    with pytest.raises(QueueUnavailableError, match="damaged"):
        review.blob(sha256)
    raw.execute("UPDATE blobs SET compressed = ?", (zlib.compress(b"something else"),))
    with pytest.raises(QueueUnavailableError, match="does not match"):
        review.blob(sha256)


def test_a_full_disk_loses_nothing_that_was_acknowledged(agent, review):
    posted = agent.submit(call())
    connection = agent._engine._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(QueueUnavailableError, match="disk is full"):
        agent.submit(call("k2", arguments={"content": "x" * 1_000_000}))
    assert review.pending() == (posted,)
    connection.execute("PRAGMA max_page_count = 1000000")
    assert agent.submit(call("k2")).pending


def test_a_read_only_file_says_so(agent, review):
    agent._engine._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(QueueUnavailableError, match="read-only"):
        agent.submit(call())
    assert review.pending() == ()
    agent._engine._connection.execute("PRAGMA query_only = OFF")


@pytest.mark.usefixtures("impatient")
def test_a_file_that_another_program_locks_says_so(place):
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work"), place) as agent:
        with contextlib.closing(sqlite3.connect(place / "queue.db", isolation_level=None)) as raw:
            raw.execute("BEGIN IMMEDIATE")
            with pytest.raises(QueueUnavailableError, match="locked by another process"):
                agent.submit(call())
        assert agent.submit(call()).pending


@pytest.mark.usefixtures("impatient")
def test_a_writer_that_hangs_is_named_and_does_not_block_for_ever(place, agent):
    with (place / "write.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(QueueUnavailableError, match="hanging"):
            agent.submit(call())
    assert agent.submit(call()).pending


def test_a_connection_that_was_taken_for_dead_posts_nothing(agent, review, raw):
    raw.execute("UPDATE agents SET ended_at = 1")
    with pytest.raises(QueueUnavailableError, match="taken for dead"):
        agent.submit(call())
    assert review.pending() == ()


def test_agents_beyond_reach_are_left_alone(agent, review, raw, place):
    posted = agent.submit(call())
    raw.execute("UPDATE agents SET host = 'elsewhere', boot = 'another kernel'")
    agent._lease.release(told=False)
    assert review.pending() == (posted,)
    raw.execute("UPDATE agents SET host = ?", (os.uname().nodename,))
    assert review.pending() == ()


def test_the_bell_of_a_killed_reviewer_is_taken_down(place, agent):
    reviewers = place / "bells" / "reviewers"
    with child("watch", place) as watching:
        line_of(watching)
        assert len(list(reviewers.iterdir())) == 1
        watching.kill()
        watching.wait()
    agent.submit(call())
    assert not reviewers.exists()


def test_an_interrupted_creation_leaves_no_half_queue(place, monkeypatch):
    monkeypatch.setattr(engine_module, "STATEMENTS", ("CREATE TABLE half (x)", "nonsense"))
    with pytest.raises(QueueUnavailableError):
        open_review_queue(place)
    assert not list(place.glob("*.db*"))
    monkeypatch.undo()
    open_review_queue(place).close()
