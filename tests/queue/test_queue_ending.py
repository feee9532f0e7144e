"""Ends without a decision: expiry, withdrawal, an agent that is gone. Never told as a person's no."""

from __future__ import annotations

import pytest
from queue_samples import approve, call

from signoff.queue import Decision, QueueUnavailableError, RequestState, Risk


def test_a_passed_deadline_ends_the_request(agent, review):
    posted = agent.submit(call(expires_at=1))
    assert review.pending() == ()
    ended = review.get(posted.id)
    assert (ended.state, ended.decision) == (RequestState.EXPIRED, None)
    assert ended.state_note == "expired 0 s after asking, nobody decided"


def test_a_deadline_in_the_future_ends_nothing(agent, review):
    agent.submit(call(expires_at=2**57))
    assert len(review.pending()) == 1


def test_an_expired_request_is_on_record_without_a_decision(agent, review):
    agent.submit(call(expires_at=1))
    (line,) = review.history()
    assert (line.state, line.decision) == (RequestState.EXPIRED, None)
    assert "nobody decided" in line.reason


def test_a_waiting_agent_expires_its_own_request_without_any_reviewer(agent):
    posted = agent.submit(call(expires_at=1))
    outcome = agent.wait(posted.id)
    assert (outcome.request.state, outcome.decision) == (RequestState.EXPIRED, None)
    assert not outcome.approved


async def test_a_waiting_coroutine_expires_its_own_request_without_any_reviewer(agent):
    posted = await agent.asubmit(call(expires_at=1))
    outcome = await agent.await_outcome(posted.id)
    assert outcome.request.state is RequestState.EXPIRED


def test_a_request_can_be_withdrawn_and_says_why(agent, review):
    posted = agent.submit(call())
    assert agent.withdraw(posted.id, "found another way")
    ended = review.get(posted.id)
    assert (ended.state, ended.state_note) == (RequestState.WITHDRAWN, "found another way")
    assert review.history()[0].reason == "found another way"


def test_withdrawing_what_was_decided_changes_nothing(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    assert not agent.withdraw(posted.id, "too late")
    assert review.get(posted.id).state is RequestState.APPROVED


def test_closing_withdraws_what_the_connection_still_asks(agent, review):
    waiting, decided = agent.submit(call("k1")), agent.submit(call("k2"))
    approve(review, decided)
    agent.close()
    assert review.get(waiting.id).state is RequestState.WITHDRAWN
    assert review.get(decided.id).state is RequestState.APPROVED


def test_closing_leaves_other_connections_of_the_session_alone(open_agent, review):
    closing, staying = open_agent(), open_agent()
    posted = staying.submit(call())
    closing.close()
    assert review.get(posted.id).pending


def test_closing_twice_is_harmless(agent, review):
    for queue in (agent, review):
        queue.close()
        queue.close()


def test_a_closed_connection_says_so(agent, review):
    agent.close()
    review.close()
    for act in (lambda: agent.submit(call()), review.pending):
        with pytest.raises(QueueUnavailableError, match="closed"):
            act()


async def test_a_closed_connection_says_so_to_coroutines(agent):
    posted = await agent.asubmit(call())
    agent.close()
    with pytest.raises(QueueUnavailableError, match="closed"):
        await agent.await_outcome(posted.id)
    with pytest.raises(QueueUnavailableError, match="closed"):
        await agent.asubmit(call())


def test_a_with_block_closes(open_agent, open_review):
    with open_agent() as agent, open_review() as review:
        agent.submit(call())
    with pytest.raises(QueueUnavailableError, match="closed"):
        agent.submit(call())
    with pytest.raises(QueueUnavailableError, match="closed"):
        review.pending()


def test_a_with_block_that_ctrl_c_ends_says_so_to_whoever_decides(open_agent, review):
    agent = open_agent()
    posted = agent.submit(call())
    with pytest.raises(KeyboardInterrupt), agent:
        raise KeyboardInterrupt
    late = review.decide(posted.id, posted.revision, posted.submission.digest, Decision(approved=True))
    assert "the agent was interrupted (Ctrl+C)" in late.message


def test_connections_are_listed_and_their_end_is_noted(open_agent, review):
    one, _two = open_agent("one", "s-1"), open_agent("two", "s-2")
    one.close()
    first, second = review.agents()
    assert (first.name, first.session, first.cwd, first.via) == ("one", "s-1", "/work", "python")
    assert first.ended_at is not None
    assert (second.name, second.ended_at) == ("two", None)


def test_the_status_line_counts_what_counts(open_agent, review):
    open_agent("gone", "s-0").close()
    agent = open_agent()
    oldest = agent.submit(call("k1"))
    agent.submit(call("k2", risk=Risk.HIGH))
    approve(review, agent.submit(call("k3")), remember=True)
    stats = review.stats()
    assert (stats.pending, stats.pending_high, stats.agents, stats.grants) == (2, 1, 1, 1)
    assert stats.oldest_pending_at == oldest.created_at


def test_an_empty_queue_has_nothing_to_count(review):
    assert review.stats().oldest_pending_at is None
