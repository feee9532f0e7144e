"""The history: complete, filtered, paged, and bound by a chain."""

from __future__ import annotations

import pytest
from queue_samples import approve, call, reject

from signoff.queue import Decision, DecisionSource, HistoryFilter, RequestState


def test_a_decision_is_on_record_with_everything_that_mattered(agent, review):
    posted = agent.submit(call(batch_id="b", group_id="g"))
    approve(review, posted, note="fine")
    (line,) = review.history()
    assert (line.request_id, line.revision) == (posted.id, 1)
    assert (line.agent_name, line.session) == ("refactor", "s-41")
    assert (line.tool_name, line.arguments) == ("write_file", posted.submission.arguments)
    assert (line.group_id, line.batch_id) == ("g", "b")
    assert (line.state, line.decision.note) == (RequestState.APPROVED, "fine")
    assert (line.digest, line.reason) == (posted.submission.digest, "")
    assert line.took_us == review.get(posted.id).decided_at - posted.created_at


def test_a_call_that_was_never_asked_about_is_on_record_too(agent, review):
    agent.record(call(), Decision(approved=True, source=DecisionSource.RULE, by="rule 7"))
    (line,) = review.history()
    assert (line.request_id, line.revision, line.state) == (None, 0, RequestState.APPROVED)
    assert line.decision == Decision(approved=True, source=DecisionSource.RULE, by="rule 7")
    assert line.arguments == call().arguments


@pytest.mark.parametrize(
    ("source", "state"),
    [
        (DecisionSource.RULE, RequestState.REJECTED),
        (DecisionSource.ERROR, RequestState.REJECTED),
        (DecisionSource.EXPIRY, RequestState.EXPIRED),
        (DecisionSource.WITHDRAWAL, RequestState.WITHDRAWN),
    ],
)
async def test_a_no_is_recorded_for_what_it_was(agent, review, source, state):
    await agent.arecord(call(), Decision(approved=False, source=source))
    (line,) = review.history()
    assert (line.state, line.decision.source) == (state, source)


def test_history_is_paged_from_the_newest(agent, review):
    for n in range(7):
        approve(review, agent.submit(call(f"k{n}")))
    first = review.history(limit=3)
    second = review.history(limit=3, before=first[-1].seq)
    third = review.history(limit=3, before=second[-1].seq)
    assert [line.seq for line in (*first, *second, *third)] == [7, 6, 5, 4, 3, 2, 1]
    assert review.history(before=third[-1].seq) == ()


def test_history_is_filtered_by_what_is_named(open_agent, review):
    one, two = open_agent("one", "s-1"), open_agent("two", "s-2")
    approved = one.submit(call("k1"))
    approve(review, approved)
    rejected = two.submit(call("k2", tool_name="run"))
    reject(review, rejected)
    for which in (
        HistoryFilter(session="s-2"),
        HistoryFilter(agent_name="two"),
        HistoryFilter(tool_name="run"),
        HistoryFilter(states=frozenset({RequestState.REJECTED})),
        HistoryFilter(request_id=rejected.id),
        HistoryFilter(session="s-2", tool_name="run", states=frozenset({RequestState.REJECTED}), since=1),
    ):
        assert [line.request_id for line in review.history(which)] == [rejected.id]
    assert review.history(HistoryFilter(session="s-1", tool_name="run")) == ()
    assert review.history(HistoryFilter(since=2**57)) == ()


def test_a_whole_history_verifies(agent, review):
    for n in range(5):
        approve(review, agent.submit(call(f"k{n}")))
    agent.record(call("x"), Decision(approved=False, source=DecisionSource.MODE, by="strict"))
    assert review.verify() is None


def test_an_empty_history_verifies(review):
    assert review.verify() is None


def test_each_record_is_bound_to_the_one_before(agent, review):
    for n in range(3):
        approve(review, agent.submit(call(f"k{n}")))
    assert len({line.hash for line in review.history()}) == 3
