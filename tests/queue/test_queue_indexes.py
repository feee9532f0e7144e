"""Each index of the file costs a page with every write, so each has a statement that is planned with it."""

from __future__ import annotations

import hashlib
import re

import pytest
from queue_samples import approve, call, reject

from signoff.queue import AgentInfo, Decision, HistoryFilter, RequestState, open_agent_queue, open_review_queue
from signoff.queue.sqlite.schema import INDEXES

OURS = {re.search(r"INDEX (\w+)", statement)[1] for statement in INDEXES}
BLOB = b"print()\n"


@pytest.fixture
def plans(tmp_path):
    """What SQLite plans for each statement that a queue in use runs, by statement."""
    place, statements, found = tmp_path / "queue", {}, {}
    with (
        open_agent_queue(AgentInfo("refactor", "s-41", "/work"), place) as agent,
        open_review_queue(place) as review,
    ):
        for queue in (agent, review):
            queue._engine._connection.set_trace_callback(statements.setdefault)
        use(agent, review)
        for queue in (agent, review):
            queue._engine._connection.set_trace_callback(None)
        for text in statements:
            if text.lstrip().startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
                steps = review._engine._connection.execute(f"EXPLAIN QUERY PLAN {text}").fetchall()
                found[text] = [step["detail"] for step in steps]
    return found


def use(agent, review):
    """Do with a queue what can be done with it."""
    sha256 = hashlib.sha256(BLOB).hexdigest()
    approve(review, agent.submit(call("k1", blobs={sha256: BLOB})), remember=True)
    agent.use_grant(call("k9"))
    reject(review, agent.submit(call("k2", batch_id="b-1", batch_position=0)), hard=True)
    waits = agent.submit(call("k3", expires_at=2**50))
    approve(review, waits)
    agent.wait(waits.id)
    agent.amend(waits.id, call("k3", content="newer"))
    review.pending(), review.upcoming(), review.changes(1), review.stats(), review.agents(connected=True)
    agent._answers.collect((), (waits.id,), 1, due=True)
    for which in (
        HistoryFilter(text="notes"),
        HistoryFilter(request_id=waits.id),
        HistoryFilter(session="s-41"),
        HistoryFilter(states=frozenset({RequestState.APPROVED})),
        HistoryFilter(since=1, until=2**50),
    ):
        review.history(which)
    agent.record(call("k4"), Decision(approved=True, by="rule"))
    review.prune(keep=1)


def test_each_index_is_used_by_a_statement(plans):
    used = {name for steps in plans.values() for step in steps for name in OURS if re.search(rf"\b{name}\b", step)}
    # What refers to a request is looked for when the request is deleted, which no plan shows.
    assert OURS - used == {"blob_uses_request", "history_request_seq"} - used


def test_what_waits_is_found_without_what_ended(plans):
    looking = {text: steps for text, steps in plans.items() if text.startswith("SELECT") and "'pending'" in text}
    assert looking
    for text, steps in looking.items():
        assert not any(re.fullmatch(r"SCAN (requests|r)", step) for step in steps), text
