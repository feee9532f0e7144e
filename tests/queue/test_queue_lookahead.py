"""Announced calls can be looked at and not decided; groups are decided member by member."""

from __future__ import annotations

import pytest
from queue_samples import approve, call, reject, target

from signoff.queue import Decision, RequestState, Risk, VerdictKind

NEXT = ({"tool": "run_tests", "arguments": {"path": "tests"}}, {"tool": "commit"})


@pytest.fixture
def first(agent):
    """The first call of a batch of three; it waits and announces the others."""
    return agent.submit(call("k0", batch_id="turn 1", batch_position=0, batch_remaining=NEXT))


def member(position, **fields):
    """A later call of that batch."""
    later = NEXT[position:]
    return call(f"k{position}", batch_id="turn 1", batch_position=position, batch_remaining=later, **fields)


# -- looking ahead ------------------------------------------------------------------------------------------


def test_announced_calls_are_seen_with_their_place_in_the_batch(review, first):
    seen = review.upcoming()
    assert [(each.position, each.tool_name, each.arguments) for each in seen] == [
        (1, "run_tests", {"path": "tests"}),
        (2, "commit", {}),
    ]
    assert {(each.announced_by, each.batch_id, each.session, each.agent_name) for each in seen} == {
        (first.id, "turn 1", "s-41", "refactor")
    }


def test_announced_calls_do_not_wait_for_a_decision(review, first):
    assert review.pending() == (first,)
    assert review.stats().pending == 1


@pytest.mark.parametrize("decision", [Decision(approved=True), Decision(approved=False, hard=True)])
def test_a_decision_on_an_announced_call_is_refused(review, first, decision):
    for announced in review.upcoming():
        verdict = review.decide(announced.id, 1, first.submission.digest, decision)
        assert (verdict.kind, verdict.current) == (VerdictKind.REFUSED, None)
        assert verdict.message == "this call is only announced; it can be decided when its agent asks for it"
    assert review.pending() == (first,)
    assert review.history() == ()


def test_deciding_the_first_call_decides_none_of_those_it_announces(agent, review, first):
    approve(review, first)
    second = agent.submit(member(1))
    assert second.state is RequestState.PENDING
    assert review.pending() == (second,)


def test_a_call_that_was_asked_for_is_no_longer_upcoming(agent, review, first):
    agent.submit(member(1))
    assert [each.position for each in review.upcoming()] == [2]


def test_a_decision_on_what_was_announced_and_then_asked_for_names_the_request(agent, review, first):
    second = agent.submit(member(1))
    verdict = review.decide(f"{first.id}+1", 1, second.submission.digest, Decision(approved=True))
    assert verdict.kind is VerdictKind.REFUSED
    assert second.id in verdict.message
    assert review.get(second.id).pending


def test_a_call_that_was_asked_for_and_decided_is_no_longer_upcoming(agent, review, first):
    approve(review, agent.submit(member(1)))
    assert [each.position for each in review.upcoming()] == [2]


def test_nothing_is_upcoming_when_the_announcing_request_has_ended(agent, review, first):
    announced = review.upcoming()
    reject(review, first)
    assert review.upcoming() == ()
    verdict = review.decide(announced[0].id, 1, first.submission.digest, Decision(approved=True))
    assert (verdict.kind, verdict.message) == (
        VerdictKind.REFUSED,
        "this call was only announced, by a request that ended; nobody has asked for it",
    )


def test_batches_of_two_sessions_with_one_name_are_two(open_agent, review, first):
    other = open_agent("other", "s-42")
    other.submit(member(1))
    assert [(each.session, each.position) for each in review.upcoming()] == [
        ("s-41", 1),
        ("s-41", 2),
        ("s-42", 2),
    ]


def test_calls_without_a_position_are_seen_without_one(agent, review):
    agent.submit(call(batch_remaining=NEXT))
    assert [(each.position, each.tool_name) for each in review.upcoming()] == [
        (None, "run_tests"),
        (None, "commit"),
    ]


@pytest.mark.parametrize("later", ["+3", "+0", "+", "+x", "+1+1", "+01"])
def test_what_nobody_announced_is_not_there(review, first, later):
    verdict = review.decide(f"{first.id}{later}", 1, first.submission.digest, Decision(approved=True))
    assert verdict.kind is VerdictKind.GONE


# -- groups that are still filling --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [None, 3])
def test_a_group_decision_covers_the_members_that_are_named(agent, review, size):
    shown = [agent.submit(call(f"k{n}", group_id="save", group_size=size)) for n in range(2)]
    verdicts = review.decide_many([target(each) for each in shown], Decision(approved=True))
    late = agent.submit(call("k2", group_id="save", group_size=size))
    assert all(verdict.accepted for verdict in verdicts)
    assert review.pending() == (late,)
    assert not agent.has_grant(late.submission)


@pytest.mark.parametrize("approved", [True, False])
def test_a_member_that_came_while_the_group_was_read_stays_pending(agent, review, approved):
    shown = agent.submit(call("k0", group_id="save", group_size=2))
    unseen = agent.submit(call("k1", group_id="save", group_size=2))
    review.decide_many([target(shown)], Decision(approved=approved, hard=not approved))
    assert review.pending() == (unseen,)


def test_a_member_of_high_risk_is_left_out_and_the_others_are_decided(agent, review):
    low = agent.submit(call("k0", group_id="save"))
    high = agent.submit(call("k1", group_id="save", risk=Risk.HIGH))
    verdicts = review.decide_many([target(low), target(high)], Decision(approved=True))
    assert [verdict.kind for verdict in verdicts] == [VerdictKind.ACCEPTED, VerdictKind.REFUSED]
    assert review.pending() == (high,)


def test_a_group_may_become_larger_than_announced(agent, review):
    members = tuple(agent.submit(call(f"k{n}", group_id="save", group_size=1)) for n in range(2))
    assert review.pending() == members
