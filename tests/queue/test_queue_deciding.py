"""Decisions: exactly what was shown, at most once, and the truth about everything else."""

from __future__ import annotations

import pytest
from queue_samples import approve, call, decide, reject, target

from signoff.queue import (
    Decision,
    DecisionSource,
    RequestState,
    Risk,
    VerdictKind,
)
from signoff.queue.sql.overdue import Overdue


def test_a_decision_stands_and_carries_the_reviewers_name(agent, review):
    posted = agent.submit(call())
    verdict = approve(review, posted, note="fine", shown=0.5, deliberate=True, held_us=7)
    stored = review.get(posted.id)
    assert verdict.accepted
    assert verdict.current == stored
    assert stored.decision == Decision(
        approved=True, note="fine", by="anna", shown=0.5, deliberate=True, held_us=7
    )


def test_nobody_decides_in_the_name_of_another_person(agent, review):
    posted = agent.submit(call())
    approve(review, posted, by="bob")
    assert review.get(posted.id).decision.by == "anna"


def test_the_first_decision_wins_and_the_second_is_told_who_won(agent, open_review):
    anna, bob = open_review("anna"), open_review("bob")
    posted = agent.submit(call())
    approve(anna, posted)
    verdict = reject(bob, posted)
    assert verdict.kind is VerdictKind.TOO_LATE
    assert verdict.message.startswith("approved by anna ")
    assert bob.get(posted.id).decision.approved is True


def test_another_digest_is_not_what_was_shown(agent, review):
    posted = agent.submit(call())
    verdict = review.decide(posted.id, 1, "0" * 64, Decision(approved=True))
    assert verdict.kind is VerdictKind.CHANGED
    assert review.get(posted.id).pending


@pytest.mark.parametrize("revision", [0, 2])
def test_another_revision_is_not_what_was_shown(agent, review, revision):
    posted = agent.submit(call())
    verdict = review.decide(posted.id, revision, posted.submission.digest, Decision(approved=True))
    assert verdict.kind is VerdictKind.CHANGED
    assert review.get(posted.id).pending


def test_a_superseded_revision_cannot_be_decided(agent, review):
    posted = agent.submit(call())
    amended = agent.amend(posted.id, call(content="newer"))
    verdict = approve(review, posted)
    assert (verdict.kind, verdict.current) == (VerdictKind.CHANGED, amended)
    assert review.get(posted.id).pending


def test_an_unknown_request_is_gone(review):
    verdict = review.decide("nothing", 1, "0" * 64, Decision(approved=True))
    assert (verdict.kind, verdict.current) == (VerdictKind.GONE, None)


@pytest.mark.parametrize("answer", [1, "true", "yes", None, 0, [True]])
def test_only_true_and_false_are_answers(agent, review, answer):
    posted = agent.submit(call())
    assert decide(review, posted, Decision(approved=answer)).kind is VerdictKind.REFUSED
    assert review.get(posted.id).pending


def test_remembering_creates_the_grant_with_the_approval(agent, review):
    posted = agent.submit(call())
    approve(review, posted, remember=True)
    (grant,) = review.grants()
    assert (grant.session, grant.agent_name, grant.tool_name) == ("s-41", "refactor", "write_file")
    assert (grant.payload, grant.origin_request) == (posted.submission.payload, posted.id)
    assert (grant.created_by, grant.uses, grant.revoked_at) == ("anna", 0, None)


def test_remembering_the_same_twice_keeps_one_grant(agent, review):
    for key in ("k1", "k2"):
        approve(review, agent.submit(call(key)), remember=True)
    assert len(review.grants()) == 1


def test_high_risk_is_never_remembered(agent, review):
    posted = agent.submit(call(risk=Risk.HIGH))
    assert approve(review, posted, remember=True).kind is VerdictKind.REFUSED
    assert review.get(posted.id).pending
    assert review.grants() == ()


def test_a_no_is_never_remembered(agent, review):
    posted = agent.submit(call())
    assert reject(review, posted, remember=True).kind is VerdictKind.REFUSED
    assert review.get(posted.id).pending


def test_nothing_is_remembered_for_an_agent_that_would_not_use_it(agent, review):
    posted = agent.submit(call(supports=frozenset({"note"})))
    assert approve(review, posted, remember=True).kind is VerdictKind.REFUSED
    assert approve(review, posted).accepted


def test_several_are_decided_each_on_its_own_merits(agent, review):
    waiting, decided, high = (
        agent.submit(call("k1")),
        agent.submit(call("k2")),
        agent.submit(call("k3", risk=Risk.HIGH)),
    )
    reject(review, decided)
    verdicts = review.decide_many(
        [target(waiting), target(decided), target(high), ("nothing", 1, "0" * 64)],
        Decision(approved=True),
    )
    assert [verdict.kind for verdict in verdicts] == [
        VerdictKind.ACCEPTED,
        VerdictKind.TOO_LATE,
        VerdictKind.REFUSED,
        VerdictKind.GONE,
    ]
    assert [request.id for request in review.pending()] == [high.id]


def test_high_risk_is_approved_alone_and_rejected_with_others(agent, review):
    alone, first, second = (agent.submit(call(f"k{n}", risk=Risk.HIGH)) for n in range(3))
    approved = review.decide_many([target(alone)], Decision(approved=True))
    rejected = review.decide_many([target(first), target(second)], Decision(approved=False))
    assert all(verdict.accepted for verdict in (*approved, *rejected))


def test_naming_a_request_twice_decides_it_once(agent, review):
    posted = agent.submit(call())
    verdicts = review.decide_many([target(posted)] * 2, Decision(approved=True))
    assert [verdict.kind for verdict in verdicts] == [VerdictKind.ACCEPTED, VerdictKind.TOO_LATE]


def test_deciding_nothing_is_harmless(review):
    assert review.decide_many([], Decision(approved=True)) == ()


def _batch(agent, count=4, **fields):
    return [agent.submit(call(f"b{n}", batch_id="turn-1", batch_position=n, **fields)) for n in range(count)]


def test_a_hard_no_stops_the_rest_of_the_batch(agent, review):
    batch = _batch(agent)
    reject(review, batch[1], hard=True, note="stop")
    states = [review.get(request.id).state for request in batch]
    assert states == [RequestState.PENDING, *[RequestState.REJECTED] * 3]


def test_what_was_stopped_says_so_and_names_the_rejected_request(agent, review):
    batch = _batch(agent)
    reject(review, batch[1], hard=True)
    stopped = review.get(batch[2].id).decision
    assert (stopped.source, stopped.by) == (DecisionSource.CASCADE, "anna")
    assert stopped.approved is False
    assert batch[1].id[:8] in stopped.note


def test_each_stopped_request_has_its_own_record(agent, review):
    reject(review, _batch(agent)[1], hard=True)
    assert [line.decision.source.value for line in review.history()] == [
        "cascade",
        "cascade",
        "reviewer",
    ]


def test_an_agent_knows_which_of_its_batches_were_stopped(open_agent, review):
    mine, theirs = open_agent("one", "s-1"), open_agent("two", "s-2")
    reject(review, mine.submit(call("k0", batch_id="turn-1")), hard=True)
    reject(review, mine.submit(call("k1", batch_id="turn-2")))
    approve(review, mine.submit(call("k2", batch_id="turn-3")))
    assert [turn for turn in ("turn-1", "turn-2", "turn-3", "turn-4") if mine.is_stopped(turn)] == ["turn-1"]
    assert not theirs.is_stopped("turn-1")


def test_a_batch_without_positions_stops_in_arrival_order(agent, review):
    batch = [agent.submit(call(f"b{n}", batch_id="turn-1")) for n in range(3)]
    reject(review, batch[1], hard=True)
    assert [review.get(request.id).pending for request in batch] == [True, False, False]


def test_a_soft_no_lets_the_batch_go_on(agent, review):
    batch = _batch(agent)
    reject(review, batch[0])
    assert len(review.pending()) == 3


def test_a_hard_no_without_a_batch_stops_nothing_else(agent, review):
    posted = [agent.submit(call(f"k{n}")) for n in range(3)]
    reject(review, posted[0], hard=True)
    assert len(review.pending()) == 2


def test_a_hard_no_does_not_reach_another_session_with_the_same_batch_name(open_agent, review):
    mine, theirs = open_agent("one", "s-1"), open_agent("two", "s-2")
    reject(review, mine.submit(call("k0", batch_id="turn-1")), hard=True)
    theirs.submit(call("k1", batch_id="turn-1"))
    reject(review, mine.submit(call("k2", batch_id="turn-1")), hard=True)
    assert [request.asked_by.session for request in review.pending()] == ["s-2"]


def test_members_that_are_rejected_themselves_are_not_counted_as_stopped(agent, review):
    batch = _batch(agent)
    review.decide_many([target(batch[0]), target(batch[2])], Decision(approved=False, hard=True))
    sources = [review.get(request.id).decision.source.value for request in batch]
    assert sources == ["reviewer", "cascade", "reviewer", "cascade"]


def test_an_expired_request_is_too_late_and_nobodys_no(agent, review):
    posted = agent.submit(call(expires_at=1))
    verdict = approve(review, posted)
    assert verdict.kind is VerdictKind.TOO_LATE
    assert "nobody decided" in verdict.message
    assert verdict.message.count("expired") == 1
    assert review.get(posted.id).decision is None


@pytest.mark.parametrize("approved", [True, False])
def test_a_deadline_that_passes_while_the_decision_waits_for_other_writers_counts(
    agent, review, monkeypatch, approved
):
    posted = agent.submit(call(expires_at=1))
    before_the_deadline = Overdue({}, expired=False)
    monkeypatch.setattr("signoff.queue.sql.review_queue.overdue_of", lambda *_: before_the_deadline)
    verdict = review.decide(posted.id, 1, posted.submission.digest, Decision(approved=approved))
    assert verdict.kind is VerdictKind.TOO_LATE
    assert (verdict.current.state, verdict.current.decision) == (RequestState.EXPIRED, None)
    assert [(line.state, line.decision) for line in review.history()] == [(RequestState.EXPIRED, None)]


def test_a_withdrawn_request_is_too_late_and_says_why(agent, review):
    posted = agent.submit(call())
    agent.withdraw(posted.id, "found another way")
    verdict = approve(review, posted)
    assert verdict.kind is VerdictKind.TOO_LATE
    assert "found another way" in verdict.message
