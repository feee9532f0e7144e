"""Checking the history finds every record that was changed, is missing or stands in another place.

Somebody who goes around us with SQL has to drop the rules of the file first; the chain still tells.
"""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from queue_samples import approve, call

from signoff.queue import (
    AgentInfo,
    Decision,
    HistoryFault,
    HistoryHead,
    open_agent_queue,
    open_review_queue,
)

ROW = (
    "at, request_seq, agent, session, tool, request_id, state, asked_by, submission, decision, reason, took_us,"
    " hash, decided_by"
)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "queue"


@pytest.fixture
def review(place):
    """A queue with six records: three decided requests, three calls answered by a mode."""
    with (
        open_review_queue(place, reviewer="anna") as review,
        open_agent_queue(AgentInfo("refactor", "s-41", "/work"), place) as agent,
    ):
        for number in range(3):
            posted = agent.submit(call(f"k{number}", content=f"text {number}"))
            approve(review, posted)
            agent.wait(posted.id)
            agent.record(call(f"m{number}", content=f"mode {number}"), Decision(approved=False, by="strict"))
        yield review


@pytest.fixture
def raw(place, review):
    """The file, without its rules."""
    with contextlib.closing(sqlite3.connect(place / "queue.db", isolation_level=None)) as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        yield raw


def fault(review, expected=None):
    check = review.check_history(expected)
    return check.fault, check.broken


def test_a_whole_history_is_reported_with_its_head(review):
    check = review.check_history()
    newest = review.history(limit=1)[0]
    assert (check.checked, check.first, check.fault, check.broken) == (6, 1, None, None)
    assert check.head == HistoryHead(6, newest.hash)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE history SET reason = 'other' WHERE seq = 3",
        "UPDATE history SET at = at + 1 WHERE seq = 3",
        "UPDATE history SET took_us = took_us + 1 WHERE seq = 3",
        "UPDATE history SET state = 'rejected' WHERE seq = 3",
        "UPDATE history SET decision = replace(decision, 'anna', 'eve') WHERE seq = 3",
        "UPDATE history SET hash = upper(hash) WHERE seq = 3",
        "UPDATE history SET request_seq = 1 WHERE seq = 3",
        "UPDATE history SET asked_by = '{}' WHERE seq = 3",
        "UPDATE history SET agent = 'other' WHERE seq = 3",
        "UPDATE history SET session = 'other' WHERE seq = 3",
        "UPDATE history SET tool = 'other' WHERE seq = 3",
        "UPDATE history SET decided_by = 'other' WHERE seq = 3",
        "UPDATE requests SET submission = replace(submission, 'text 1', 'text 9') WHERE seq = 2",
        "UPDATE requests SET submission = '{}' WHERE seq = 2",
        "UPDATE requests SET revision = 2 WHERE seq = 2",
    ],
)
def test_a_changed_record_is_found(review, raw, change):
    assert raw.execute(change).rowcount == 1
    assert fault(review) == (HistoryFault.CHANGED, 3)


@pytest.mark.parametrize("seq", [1, 3, 5])
def test_a_missing_record_is_found(review, raw, seq):
    raw.execute("DELETE FROM history WHERE seq = ?", (seq,))
    assert fault(review) == (HistoryFault.MISSING, seq)


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 5), (3, 6)])
def test_swapped_records_are_found(review, raw, one, other):
    raw.executescript(
        f"UPDATE history SET seq = 99 WHERE seq = {one}; UPDATE history SET seq = {one} WHERE seq = {other};"
        f"UPDATE history SET seq = {other} WHERE seq = 99"
    )
    assert fault(review) == (HistoryFault.REORDERED, one)


def test_swapped_contents_are_found(review, raw):
    contents = dict(raw.execute("SELECT seq, submission FROM history WHERE seq IN (2, 4)").fetchall())
    for seq, content in contents.items():
        raw.execute("UPDATE history SET submission = ? WHERE seq = ?", (content, 6 - seq))
    assert fault(review) == (HistoryFault.CHANGED, 2)


def test_a_record_put_in_at_the_end_is_found(review, raw):
    raw.execute(f"INSERT INTO history (seq, {ROW}) SELECT 7, {ROW} FROM history WHERE seq = 2")
    assert fault(review) == (HistoryFault.CHANGED, 7)


def test_a_record_put_in_between_is_found(review, raw):
    raw.execute("UPDATE history SET seq = seq + 101 WHERE seq > 3")
    raw.execute("UPDATE history SET seq = seq - 100 WHERE seq > 100")
    raw.execute(f"INSERT INTO history (seq, {ROW}) SELECT 4, {ROW} FROM history WHERE seq = 2")
    assert fault(review) == (HistoryFault.REORDERED, 4)  # the fourth record stands at number 5


def test_an_end_that_was_cut_off_is_found_by_who_noted_it(review, raw):
    noted = review.check_history().head
    raw.execute("DELETE FROM history WHERE seq = 6")
    assert fault(review) == (None, None)
    for expected in (noted, HistoryHead(seq=6), HistoryHead(hash=noted.hash)):
        assert fault(review, expected) == (HistoryFault.CUT_OFF, 6)


def test_what_was_noted_is_found_again_in_a_history_that_has_grown(review):
    for record in review.history():
        for expected in (
            HistoryHead(record.seq, record.hash),
            HistoryHead(record.seq),
            HistoryHead(hash=record.hash),
        ):
            assert fault(review, expected) == (None, None)


def test_a_history_that_was_written_anew_is_found_by_who_noted_its_hash(review):
    assert fault(review, HistoryHead(4, "f" * 64)) == (HistoryFault.CHANGED, 4)
    assert fault(review, HistoryHead(hash="f" * 64)) == (HistoryFault.CUT_OFF, 7)


def test_a_beginning_that_was_cut_off_by_hand_is_found(review, raw):
    (hash_,) = raw.execute("SELECT hash FROM history WHERE seq = 2").fetchone()
    raw.execute("DELETE FROM history WHERE seq <= 2")
    raw.execute("UPDATE counters SET value = 2 WHERE name = 'pruned'")
    assert fault(review)[0] is HistoryFault.MISSING
    raw.execute("INSERT INTO anchors VALUES (2, ?)", (hash_,))
    assert fault(review) == (HistoryFault.MISSING, 1)


def test_more_than_was_pruned_is_found_missing(review, raw):
    review.prune(through=2)
    (hash_,) = raw.execute("SELECT hash FROM history WHERE seq = 3").fetchone()
    raw.execute("DELETE FROM history WHERE seq = 3")
    raw.execute("UPDATE counters SET value = 3 WHERE name = 'pruned'")
    raw.execute("UPDATE anchors SET seq = 3, hash = ?", (hash_,))
    assert fault(review) == (HistoryFault.MISSING, 3)


def test_the_chain_needs_no_search_index(review, raw):
    raw.execute("DROP TABLE search")
    assert fault(review) == (None, None)
