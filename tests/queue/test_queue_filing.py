"""Records are filed for the search after the decision was handed over, and found before that all the same."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from itertools import pairwise

import pytest
from queue_samples import PATIENCE, approve, call, eventually, reject

from signoff.queue import Decision, DecisionSource, HistoryFilter, QueueUnavailableError, open_review_queue
from signoff.queue.sql import history, review_queue


def filed(review):
    with review._engine.read() as look:
        return history.last_filed(look)


def found(review, text="", **fields):
    return [line.seq for line in review.history(HistoryFilter(text=text, **fields))]


@pytest.fixture
def unfiled(agent, review, monkeypatch):
    """Nothing is filed from now on, as if nobody could write; the first two records are filed."""
    reject(review, agent.submit(call("k1", description="red one")))
    approve(review, agent.submit(call("k2", description="blue two")))
    assert found(review, "red ") == [1]
    write = review._engine.write

    def refused(*, durable=True, patience=0.0):
        if not durable:
            raise QueueUnavailableError("the disk is full")
        return write(durable=durable, patience=patience)

    monkeypatch.setattr(review._engine, "write", refused)
    reject(review, agent.submit(call("k3", description="red three")))
    approve(review, agent.submit(call("k4", description="reddish blue four")))


def test_a_decision_files_nothing(agent, review):
    approve(review, agent.submit(call()))
    assert filed(review) == 0


def test_a_search_files_what_is_not_filed(agent, review):
    approve(review, agent.submit(call()))
    assert found(review, "write ") == [1]
    assert filed(review) == 1


@pytest.mark.usefixtures("unfiled")
def test_what_is_not_filed_is_found_with_what_is(review):
    assert filed(review) == 2
    assert found(review, "red ") == [3, 1]
    assert found(review, "red") == [4, 3, 1]
    assert found(review, "blue ", states=frozenset({"approved"})) == [4, 2]
    assert found(review, states=frozenset({"rejected"}), agent_name="refactor") == [3, 1]
    assert found(review, session="s-41") == [4, 3, 2, 1]
    assert found(review, session="s-4") == []


@pytest.mark.usefixtures("unfiled")
def test_pages_go_over_from_what_is_not_filed_to_what_is(review):
    which, seen, before = HistoryFilter(session="s-41"), [], None
    while page := review.history(which, before=before, limit=3):
        seen += [line.seq for line in page]
        before = page[-1].seq
    assert seen == [4, 3, 2, 1]
    assert [line.seq for line in review.export(HistoryFilter(text="red"))] == [1, 3, 4]


@pytest.mark.usefixtures("unfiled")
def test_a_record_that_cannot_be_filed_now_is_filed_later(open_review):
    later = open_review("bob")
    assert found(later, "red") == [4, 3, 1]
    assert filed(later) == 4
    assert found(later, "red") == [4, 3, 1]


@pytest.mark.usefixtures("only_bells")
async def test_whoever_watches_files_what_became_many(agent, review, monkeypatch):
    monkeypatch.setattr(review_queue, "_MOST_UNFILED", 1)
    monkeypatch.setattr(review_queue, "_SWEEP_AGAIN_SECONDS", 0.0)
    watch = review.watch()
    await anext(watch)
    for key in ("k1", "k2", "k3"):
        approve(review, agent.submit(call(key)))
        async with asyncio.timeout(PATIENCE):
            await anext(watch)
    await watch.aclose()
    await asyncio.to_thread(eventually, lambda: filed(review) >= 2)


def test_where_nobody_files_each_record_files_older_ones(agent, review, monkeypatch):
    monkeypatch.setattr(history, "_MOST_UNFILED", 3)
    for number in range(10):
        agent.record(
            call("k", description=f"word{number}"), Decision(approved=True, source=DecisionSource.RULE, by="r")
        )
    assert filed(review) >= 6
    assert [found(review, f"word{number} ") for number in range(10)] == [[number + 1] for number in range(10)]


def test_filing_many_lets_others_write_in_between(agent, review, monkeypatch):
    for number in range(50):
        agent.record(
            call("k", description=f"word{number}"), Decision(approved=True, source=DecisionSource.RULE, by="r")
        )
    write, filed_before = review._engine.write, []

    def noting(**options):
        filed_before.append(filed(review))
        return write(**options)

    monkeypatch.setattr(review._engine, "write", noting)
    assert found(review, "word49 ") == [50]
    steps = [later - before for before, later in pairwise([*filed_before, filed(review)])]
    assert sum(steps) == 50
    assert max(steps) <= 20


def test_a_record_that_was_never_filed_is_pruned(agent, review):
    for key in ("k1", "k2"):
        approve(review, agent.submit(call(key)))
    agent.close()
    review.prune(keep=0)
    assert found(review, "notes") == []
    assert found(review, "deleted") == [3]


KILLED = """
import os, signal, sys
from signoff.queue import HistoryFilter, open_review_queue
from signoff.queue.sql import history

note = history.note_filed

def killed(transaction, seq):
    note(transaction, seq)
    os.kill(os.getpid(), signal.SIGKILL)

history.note_filed = killed
open_review_queue(sys.argv[1], reviewer="ben").history(HistoryFilter(text="notes"))
"""


def test_whoever_is_killed_while_filing_leaves_everything_to_be_found(opener, agent, review):
    approve(review, agent.submit(call()))
    done = subprocess.run([sys.executable, "-c", KILLED, str(opener.place)], check=False, timeout=60)
    assert done.returncode == -9
    assert filed(review) == 0
    with open_review_queue(opener.place, reviewer="anna") as again:
        assert found(again, "notes") == [1]
        assert filed(again) == 1
