"""Remembered approvals: exact, of one session, counted, revocable."""

from __future__ import annotations

import pytest
from queue_samples import approve, call

from signoff.canonical import canonical
from signoff.queue import (
    DecisionSource,
    InvalidSubmissionError,
    RequestState,
    Risk,
    UnknownRequestError,
)


@pytest.fixture
def granted(agent, review):
    """The grant of an approval that was remembered."""
    approve(review, agent.submit(call("origin")), remember=True)
    (grant,) = review.grants()
    return grant


def _with_payload(payload, **fields):
    return call("k9", payload=payload, payload_key=canonical(payload), **fields)


def test_a_grant_answers_the_same_call_and_counts(agent, granted):
    used = agent.use_grant(call("k2"))
    assert (used.id, used.uses) == (granted.id, 1)
    assert used.last_used_at is not None
    assert agent.use_grant(call("k3")).uses == 2


def test_a_call_that_supports_no_remembering_is_not_answered(agent, granted):
    assert agent.has_grant(call("k2"))
    assert agent.use_grant(call("k2", supports=frozenset({"note"}))) is None


async def test_a_grant_answers_coroutines(agent, granted):
    assert (await agent.ause_grant(call("k2"))).id == granted.id


def test_each_use_is_on_record_with_the_grant_that_did_it(agent, review, granted):
    agent.use_grant(call("k2"))
    line = review.history()[0]
    assert (line.request_id, line.state) == (None, RequestState.APPROVED)
    assert (line.decision.source, line.decision.by) == (DecisionSource.GRANT, granted.id)


def test_a_grant_is_seen_by_another_connection_of_the_session(open_agent, granted):
    assert open_agent().use_grant(call("k2")).id == granted.id


def test_a_grant_does_not_reach_another_session(open_agent, granted):
    assert open_agent("refactor", "s-42").use_grant(call("k2")) is None


def test_a_grant_does_not_cover_another_tool(agent, granted):
    assert agent.use_grant(call("k2", tool_name="delete_file")) is None


def test_a_grant_never_answers_high_risk(agent, granted):
    assert agent.use_grant(call("k2", risk=Risk.HIGH)) is None


@pytest.mark.parametrize("lookalike", [1.0, True, "1", [1], None, -1])
def test_a_grant_tells_types_apart(agent, review, lookalike):
    approve(review, agent.submit(_with_payload({"n": 1})), remember=True)
    assert agent.use_grant(_with_payload({"n": lookalike})) is None
    assert agent.use_grant(_with_payload({"n": 1})) is not None


def test_a_miss_writes_nothing(agent, review):
    cursor = review.changes(0).cursor
    assert agent.use_grant(call()) is None
    assert review.history() == ()
    assert review.changes(0).cursor == cursor


def test_a_revoked_grant_answers_nobody(agent, open_agent, review, granted):
    other = open_agent()
    assert review.revoke(granted.id)
    assert agent.use_grant(call("k2")) is None
    assert other.use_grant(call("k2")) is None
    assert other.grants() == ()


def test_a_grant_that_is_revoked_while_it_is_looked_up_answers_nobody(agent, review, granted, monkeypatch):
    write = agent._engine.write

    def revoked_first(**options):
        review.revoke(granted.id)
        return write(**options)

    monkeypatch.setattr(agent._engine, "write", revoked_first)
    before = len(review.history())
    assert agent.use_grant(call("k2")) is None
    assert len(review.history()) == before
    assert [grant.uses for grant in review.grants(include_revoked=True)] == [0]


def test_revoking_twice_says_so(review, granted):
    assert review.revoke(granted.id)
    assert not review.revoke(granted.id)


def test_revoking_an_unknown_grant_is_an_error(review):
    with pytest.raises(UnknownRequestError):
        review.revoke("nothing")


def test_revoked_grants_are_listed_on_request(review, granted):
    review.revoke(granted.id)
    assert review.grants() == ()
    (revoked,) = review.grants(include_revoked=True)
    assert revoked.revoked_at is not None


def test_a_call_can_be_granted_again_after_revoking(agent, review, granted):
    review.revoke(granted.id)
    approve(review, agent.submit(call("k2")), remember=True)
    assert agent.use_grant(call("k3")).id != granted.id


def test_an_agent_sees_its_own_grants_only(open_agent, granted):
    assert open_agent("two", "s-42").grants() == ()
    assert open_agent().grants() == (granted,)


def test_an_approval_given_outside_the_queue_is_remembered(agent, review):
    grant = agent.add_grant(call(), by="callback")
    assert review.grants() == (grant,)
    assert (grant.created_by, grant.origin_request) == ("callback", "")
    assert agent.use_grant(call("k2")).id == grant.id


def test_high_risk_is_not_remembered_outside_the_queue_either(agent, review):
    with pytest.raises(InvalidSubmissionError):
        agent.add_grant(call(risk=Risk.HIGH), by="callback")
    assert review.grants() == ()


def test_clearing_revokes_the_grants_of_the_session_only(open_agent, review):
    mine, theirs = open_agent("one", "s-1"), open_agent("two", "s-2")
    mine.add_grant(call(), by="callback")
    theirs.add_grant(call(), by="callback")
    assert mine.clear_grants(by="one") == 1
    assert [grant.session for grant in review.grants()] == ["s-2"]
