"""Old history is deleted from its beginning, never unnoticed, and never what is still needed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter

import pytest
from queue_samples import approve, call, reject

from signoff.queue import (
    Decision,
    HistoryFilter,
    HistoryHead,
    QueueUnavailableError,
    RequestState,
    UnknownRequestError,
    open_review_queue,
)
from signoff.queue.sql import retention

ONE, TWO = b"one", b"two"


def sha(content):
    return hashlib.sha256(content).hexdigest()


def ended(agent, review, key, **fields):
    """A request that was decided, and whose answer was taken."""
    posted = agent.submit(call(key, **fields))
    approve(review, posted)
    agent.wait(posted.id)
    return posted


@pytest.fixture
def ten(agent, review):
    """Ten requests that are done with."""
    return [ended(agent, review, f"k{number}", description=f"item {number}") for number in range(10)]


def test_the_oldest_records_go_and_the_rest_still_verifies(ten, review):
    pruned = review.prune(keep=4)
    assert (pruned.count, pruned.first, pruned.last) == (6, 1, 6)
    assert [line.seq for line in review.history()] == [11, 10, 9, 8, 7]
    check = review.check_history()
    assert (check.fault, check.first, check.checked) == (None, 7, 5)


def test_a_deletion_is_on_record(ten, review):
    last = review.history()[4]
    review.prune(keep=4)
    line = review.history()[0]
    assert (line.agent_name, line.request_id, line.decision) == ("anna", None, None)
    assert line.arguments == {"count": 6, "first": 1, "last": 6, "hash": last.hash}
    assert "anna deleted the oldest 6" in line.reason


def test_a_dry_run_only_says_what_would_go(ten, review):
    before = review.history()
    pruned = review.prune(keep=4, dry_run=True)
    assert (pruned.count, pruned.oldest_at, pruned.newest_at) == (6, before[-1].at, before[4].at)
    assert review.history() == before


def test_nothing_to_delete_is_not_recorded(ten, review):
    assert review.prune(keep=10).count == 0
    assert review.prune(before=1).count == 0
    assert len(review.history()) == 10


def test_nothing_goes_from_the_first_record_on_that_is_not_older(ten, review):
    fifth = review.history()[5]
    assert review.prune(before=fifth.at).last < fifth.seq
    assert fifth in review.history()


def test_every_limit_protects(ten, review):
    assert review.prune(before=2**60, keep=8, through=3, dry_run=True).last == 2
    assert review.prune(before=2**60, keep=2, through=3, dry_run=True).last == 3
    assert review.prune(before=1, keep=0, dry_run=True).count == 0


@pytest.mark.parametrize("limits", [{}, {"keep": -1}, {"before": -1}, {"through": -5}])
def test_without_a_sensible_limit_nothing_is_deleted(ten, review, limits):
    with pytest.raises(ValueError, match="say what to keep"):
        review.prune(**limits)
    assert len(review.history()) == 10


def test_even_all_of_it_leaves_the_record_of_the_deletion(ten, agent, review):
    review.prune(keep=0)
    assert [line.seq for line in review.history()] == [11]
    ended(agent, review, "later")
    review.prune(keep=0)
    assert [line.seq for line in review.history()] == [13]
    assert review.verify() is None


def test_requests_go_with_their_records(ten, review):
    review.prune(keep=4)
    with pytest.raises(UnknownRequestError):
        review.get(ten[5].id)
    assert review.get(ten[6].id).id == ten[6].id


def test_contents_go_with_the_last_of_their_requests(agent, review):
    ended(agent, review, "k1", blobs={sha(ONE): ONE, sha(TWO): TWO})
    ended(agent, review, "k2", blobs={sha(TWO): TWO})
    review.prune(keep=1)
    assert review.blob(sha(TWO)) == TWO
    with pytest.raises(QueueUnavailableError, match="has no content"):
        review.blob(sha(ONE))


def test_what_waits_stays(agent, review):
    waiting = agent.submit(call("waits"))
    ended(agent, review, "k1")
    review.prune(keep=0)
    assert [request.id for request in review.pending()] == [waiting.id]


def test_an_answer_that_a_connected_agent_has_yet_to_take_stays(open_agent, review):
    agent = open_agent()
    ended(agent, review, "k1")
    untaken = agent.submit(call("k2"))
    reject(review, untaken)
    ended(agent, review, "k3")
    assert review.prune(keep=0).last == 1
    assert agent.wait(untaken.id).request.state is RequestState.REJECTED
    assert review.prune(keep=0).last == 4


def test_an_older_revision_stays_while_a_newer_one_waits(agent, review):
    old = agent.submit(call("k1"))
    agent.amend(old.id, call("k1-2", content="more"))
    ended(agent, review, "k2")
    review.prune(keep=0)
    assert review.get(old.id, 1).state is RequestState.SUPERSEDED
    assert review.get(old.id).pending


def test_pruned_records_are_no_longer_found(ten, review):
    review.prune(keep=4)
    assert [line.seq for line in review.history(HistoryFilter(text="item"))] == [10, 9, 8, 7]
    assert review.history(HistoryFilter(text="item 3 ")) == ()


def test_a_head_that_was_noted_before_it_was_pruned_is_accounted_for(ten, review):
    noted = review.history()[7]
    review.prune(keep=4)
    assert review.check_history(HistoryHead(noted.seq, noted.hash)).fault is None


def test_a_broken_history_is_not_pruned(ten, review, monkeypatch):
    monkeypatch.setattr("signoff.queue.sql.audit.record_hash", lambda _, record: "0" * 64)
    with pytest.raises(QueueUnavailableError, match="broken at record 1"):
        review.prune(keep=4)
    assert len(review.history()) == 10


def test_no_transaction_deletes_more_than_a_few(ten, review, monkeypatch):
    monkeypatch.setattr(retention, "RECORDS_AT_ONCE", 4)
    sizes = Counter()
    delete = retention._delete_some

    def counted(transaction, last):
        before = transaction.number("SELECT COUNT(*) FROM history")
        done = delete(transaction, last)
        sizes[before - transaction.number("SELECT COUNT(*) FROM history")] += 1
        return done

    monkeypatch.setattr(retention, "_delete_some", counted)
    review.prune(keep=0)
    assert sizes == {4: 2, 2: 1}


def test_the_history_goes_on_behind_a_deletion(ten, agent, review):
    review.prune(keep=0)
    agent.record(call("x"), Decision(approved=False, by="strict"))
    assert [line.seq for line in review.history()] == [12, 11]
    assert review.verify() is None


KILLED = """
import os, signal, sys
from signoff.queue import open_review_queue
from signoff.queue.sql import retention as pruning

pruning.RECORDS_AT_ONCE = 2
delete, calls = pruning._delete_some, []

def killed(transaction, last):
    calls.append(last)
    done = delete(transaction, last)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return done

pruning._delete_some = killed
open_review_queue(sys.argv[1], reviewer="ben").prune(keep=1)
"""


def test_a_deletion_that_is_killed_leaves_a_whole_history_and_is_finished_by_the_next(opener, ten, review):
    done = subprocess.run([sys.executable, "-c", KILLED, str(opener.place)], check=False, timeout=60)
    assert done.returncode == -9
    with open_review_queue(opener.place, reviewer="anna") as again:
        assert [line.seq for line in again.history()] == [11, 10, 9, 8, 7, 6, 5]
        assert again.verify() is None
        assert again.history()[0].arguments["last"] == 9
        again.prune(keep=1)
        assert [line.seq for line in again.history()] == [12, 11]
        assert again.verify() is None
