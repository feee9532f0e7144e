"""Several processes on one queue, and what is left when one of them is killed."""

from __future__ import annotations

import contextlib
import itertools
import os

import pytest
from queue_children import child, line_of, tell
from queue_samples import approve, call, eventually

from signoff.queue import RequestState


@pytest.mark.parametrize("role", ["ask", "ask_async"])
def test_an_answer_reaches_the_agents_process(opener, review, role):
    with child(role, opener.place, "k1") as asking:
        posted = review.get(line_of(asking))
        assert posted.asked_by.pid == asking.pid
        approve(review, posted)
        assert line_of(asking) == "approved"
        assert asking.wait() == 0
    assert review.get(posted.id).delivered_at is not None


def test_a_killed_agents_request_is_withdrawn_and_the_record_says_why(opener, review):
    with child("ask", opener.place, "k1") as asking:
        request_id = line_of(asking)
        asking.kill()
        asking.wait()
    ended = review.get(request_id)
    assert (ended.state, ended.decision) == (RequestState.WITHDRAWN, None)
    (line,) = review.history()
    assert line.reason == f"the agent ended without an answer (process {asking.pid} is gone)"
    assert review.agents()[0].ended_at is not None


def test_a_running_watch_notices_a_killed_agent_by_itself(opener, review):
    with child("watch", opener.place) as watching:
        assert line_of(watching) == "looked"
        with child("ask", opener.place, "k1") as asking:
            request_id = line_of(asking)
            assert line_of(watching) == f"{request_id} pending"
            assert line_of(watching) == "looked"
            asking.kill()
            assert line_of(watching) == f"{request_id} withdrawn"


def test_a_killed_reviewer_decides_nothing(opener, agent, review):
    posted = agent.submit(call())
    with child("watch", opener.place) as watching:
        assert line_of(watching) == f"{posted.id} pending"
        watching.kill()
        watching.wait()
    assert review.pending() == (posted,)
    assert approve(review, posted).accepted


def test_what_was_acknowledged_survives_a_kill_in_the_middle(opener, review):
    with child("flood", opener.place) as flooding:
        acknowledged = [line_of(flooding) for _ in range(200)]
        flooding.kill()
        acknowledged += [line for line in flooding.stdout.read().split("\n") if len(line) == 20]
    assert {review.get(request_id).state for request_id in acknowledged} == {RequestState.WITHDRAWN}
    assert review.verify() is None


@pytest.mark.parametrize("role", ["race", "race_many"])
def test_each_request_is_decided_by_exactly_one_of_many_racing_reviewers(opener, agent, review, role):
    posted = {agent.submit(call(f"k{n}")).id for n in range(25)}
    with contextlib.ExitStack() as stack:
        names = [f"reviewer-{n}" for n in range(4)]
        racing = [stack.enter_context(child(role, opener.place, name)) for name in names]
        assert [line_of(each) for each in racing] == ["ready"] * 4
        for each in racing:
            tell(each)
        won = [line_of(each).split() for each in racing]
    assert sorted(itertools.chain(*won)) == sorted(posted)
    for name, ids in zip(names, won, strict=True):
        assert all(review.get(request_id).decision.by == name for request_id in ids)
    assert len(review.history()) == 25


def test_a_forked_child_is_told_to_open_its_own_connection(opener, review):
    with child("fork", opener.place) as forking:
        assert "fork" in line_of(forking)
        assert "fork" in line_of(forking)
        assert line_of(forking) == "pending"
        assert [request.submission.key for request in review.pending()] == ["before", "after"]


def test_a_forked_child_does_not_keep_a_dead_agent_alive(opener, review):
    with child("leave_child_behind", opener.place) as forking:
        request_id = line_of(forking)
        assert review.get(request_id).pending
        os.kill(forking.pid, 9)
        forking.wait()
        assert review.get(request_id).state is RequestState.WITHDRAWN
        forking.stdin.close()
        assert line_of(forking) == "the child lived"


def test_a_reconnected_agent_finds_its_request_and_keeps_it(opener, open_agent, review):
    with child("ask", opener.place, "k1") as asking:
        request_id = line_of(asking)
        again = open_agent("child", "s-k1")
        assert again.submit(call("k1")).id == request_id
        asking.kill()
        asking.wait()
    assert review.get(request_id).pending
    approve(review, review.get(request_id))
    assert again.wait(request_id).approved


def test_many_agents_in_many_processes_are_all_answered(opener, review):
    with contextlib.ExitStack() as stack:
        asking = [stack.enter_context(child("ask", opener.place, f"k{n}")) for n in range(4)]
        for each in asking:
            line_of(each)
        eventually(lambda: review.stats().pending == 4)
        for request in review.pending():
            approve(review, request)
        assert [line_of(each) for each in asking] == ["approved"] * 4
