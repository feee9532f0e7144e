"""Remembering may release requests that wait: those that are named and that the grant covers, and no other."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from queue_samples import approve, call, reject, target

from signoff.canonical import canonical, digest
from signoff.queue import (
    Decision,
    DecisionSource,
    GrantPattern,
    RequestState,
    ReviewerKeysError,
    Risk,
    Seal,
    VerdictKind,
)
from signoff.queue.codec import decision_to_text
from signoff.queue.grant_pattern import Beginning
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff.queue.sql.engine import CHANGE

YES = Decision(approved=True, remember=True, shown=1.0)


def called(payload, **fields):
    """A call with a payload of its own."""
    return call(payload=payload, payload_key=canonical(payload), **fields)


@pytest.fixture
def asked(agent):
    """The request that is remembered."""
    return agent.submit(call("asked"))


@pytest.fixture
def same(agent):
    """Another request for the same call."""
    return agent.submit(call("same"))


def states(review, requests):
    return [review.get(request.id).state for request in requests]


class TestReleased:
    def test_the_named_request_is_approved_with_the_one_that_is_remembered(self, agent, review, asked, same):
        verdicts = review.remember_and_release(target(asked), [target(same)], YES)
        assert [verdict.kind for verdict in verdicts] == [VerdictKind.ACCEPTED] * 2
        assert [verdict.request_id for verdict in verdicts] == [asked.id, same.id]
        assert agent.wait(asked.id).approved
        assert agent.wait(same.id).approved

    def test_its_approval_is_the_grants_and_names_who_released_it(self, agent, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        (grant,) = review.grants()
        decision = agent.wait(same.id).decision
        assert (decision.source, decision.by) == (DecisionSource.GRANT, grant.id)
        assert decision.note.startswith("released by anna,")
        assert not decision.remember
        assert decision.shown is None

    def test_the_one_that_is_remembered_is_approved_by_the_reviewer(self, agent, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        decision = agent.wait(asked.id).decision
        assert (decision.source, decision.by, decision.remember) == (DecisionSource.REVIEWER, "anna", True)

    def test_each_has_a_record_of_its_own(self, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        (grant,) = review.grants()
        records = review.history()
        assert [record.request_id for record in records] == [same.id, asked.id]
        assert [record.decision.by for record in records] == [grant.id, "anna"]
        assert review.verify() is None

    def test_each_has_a_seal_of_its_own(self, agent, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        seals = {agent.wait(request.id).decision.seal for request in (asked, same)}
        assert None not in seals
        assert len(seals) == 2
        assert review.check_history().approvals.trusted == 2

    def test_each_counts_as_a_use_of_the_grant(self, agent, review, asked):
        others = [agent.submit(call(f"k{number}")) for number in range(3)]
        review.remember_and_release(target(asked), [target(other) for other in others], YES)
        (grant,) = review.grants()
        assert grant.uses == 3

    def test_what_comes_later_is_answered_by_the_grant(self, agent, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        (grant,) = review.grants()
        assert agent.use_grant(call("later")).id == grant.id

    def test_an_equal_grant_in_force_is_the_one_that_releases(self, agent, review, asked, same):
        approve(review, agent.submit(call("before")), remember=True)
        (before,) = review.grants()
        review.remember_and_release(target(asked), [target(same)], YES)
        (grant,) = review.grants()
        assert (grant.id, grant.uses) == (before.id, 1)
        assert agent.wait(same.id).decision.by == before.id

    def test_another_agent_of_the_session_is_released_too(self, open_agent, review, asked):
        other = open_agent("tester")
        posted = other.submit(call("theirs"))
        review.remember_and_release(target(asked), [target(posted)], YES)
        assert other.wait(posted.id).approved

    def test_medium_risk_is_released(self, agent, review, asked):
        posted = [agent.submit(call(risk.value, risk=risk)) for risk in (Risk.LOW, Risk.MEDIUM)]
        review.remember_and_release(target(asked), [target(each) for each in posted], YES)
        assert states(review, posted) == [RequestState.APPROVED] * 2

    def test_with_nothing_named_it_is_an_ordinary_approval(self, agent, review, asked, same):
        (verdict,) = review.remember_and_release(target(asked), [], YES)
        assert verdict.accepted
        assert review.get(same.id).pending

    def test_a_released_request_says_later_that_a_grant_approved_it(self, review, asked, same):
        review.remember_and_release(target(asked), [target(same)], YES)
        (grant,) = review.grants()
        assert f"approved by grant {grant.id}" in reject(review, same).message


class TestNotReleased:
    """Each is told why, stays as it was, and holds up no other."""

    def refused(self, review, asked, left, kind, words, fair):
        verdicts = review.remember_and_release(target(asked), [left, target(fair)], YES)
        assert [verdict.kind for verdict in verdicts] == [VerdictKind.ACCEPTED, kind, VerdictKind.ACCEPTED]
        assert words in verdicts[1].message
        assert review.grants()[0].uses == 1

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"tool_name": "delete_file"}, "another call"),
            ({"definition": "d" * 64}, "defined otherwise"),
            ({"risk": Risk.HIGH}, "one by one"),
            ({"supports": frozenset({"note"})}, "its agent keeps none"),
        ],
    )
    def test_another_call(self, agent, review, asked, same, fields, words):
        posted = agent.submit(call("other", **fields))
        self.refused(review, asked, target(posted), VerdictKind.REFUSED, words, same)
        assert review.get(posted.id).pending

    @pytest.mark.parametrize("lookalike", [1.0, True, "1", [1], None, -1])
    def test_a_payload_of_another_type(self, agent, review, lookalike):
        asked, fair = (agent.submit(called({"n": 1}, key=key)) for key in ("asked", "fair"))
        posted = agent.submit(called({"n": lookalike}, key="other"))
        self.refused(review, asked, target(posted), VerdictKind.REFUSED, "another call", fair)
        assert review.get(posted.id).pending

    def test_a_call_under_a_known_definition_if_the_remembered_one_had_none(self, agent, review):
        asked, fair = (agent.submit(call(key)) for key in ("asked", "fair"))
        posted = agent.submit(call("other", definition="d" * 64))
        self.refused(review, asked, target(posted), VerdictKind.REFUSED, "defined otherwise", fair)

    def test_a_call_of_another_session(self, open_agent, review, asked, same):
        posted = open_agent("tester", "s-42").submit(call("theirs"))
        self.refused(review, asked, target(posted), VerdictKind.REFUSED, "another session", same)
        assert review.get(posted.id).pending

    def test_another_revision_than_the_named_one(self, agent, review, asked, same):
        posted = agent.submit(call("other"))
        agent.amend(posted.id, call("other", content="else", digest=digest({"content": "else"})))
        self.refused(review, asked, target(posted), VerdictKind.CHANGED, "revision 2", same)
        assert review.get(posted.id).pending

    def test_another_content_than_the_named_one(self, agent, review, asked, same):
        posted = agent.submit(call("other"))
        self.refused(review, asked, (posted.id, 1, "0" * 64), VerdictKind.CHANGED, "not what was shown", same)
        assert review.get(posted.id).pending

    def test_what_ended_already(self, agent, review, asked, same):
        posted = agent.submit(call("other"))
        reject(review, posted)
        self.refused(review, asked, target(posted), VerdictKind.TOO_LATE, "rejected by anna", same)
        assert review.get(posted.id).state is RequestState.REJECTED

    def test_what_was_withdrawn(self, agent, review, asked, same):
        posted = agent.submit(call("other"))
        agent.withdraw(posted.id, "not needed")
        self.refused(review, asked, target(posted), VerdictKind.TOO_LATE, "withdrawn", same)

    def test_what_nobody_asked(self, review, asked, same):
        self.refused(review, asked, ("nothing", 1, "0" * 64), VerdictKind.GONE, "no such request", same)

    def test_the_same_one_twice(self, review, agent, asked, same):
        self.refused(review, asked, target(asked), VerdictKind.TOO_LATE, "approved by anna", same)

    def test_what_is_not_named(self, agent, review, asked, same):
        unnamed = agent.submit(call("unnamed"))
        review.remember_and_release(target(asked), [target(same)], YES)
        assert review.get(unnamed.id).pending


class TestNothingAtAll:
    """If the first one is not approved, nothing is."""

    def nothing(self, review, asked, same, decision, kind, words):
        before = len(review.history())
        verdicts = review.remember_and_release(asked, [target(same)], decision)
        assert [verdict.kind for verdict in verdicts] == [kind, VerdictKind.REFUSED]
        assert words in verdicts[0].message
        assert "not released" in verdicts[1].message
        assert verdicts[1].current == review.get(same.id)
        assert review.get(same.id).pending
        assert review.grants() == ()
        assert len(review.history()) == before

    @pytest.mark.parametrize("fields", [{"risk": Risk.HIGH}, {"supports": frozenset({"note"})}])
    def test_what_may_not_be_remembered(self, agent, review, same, fields):
        posted = agent.submit(call("asked", **fields))
        self.nothing(review, target(posted), same, YES, VerdictKind.REFUSED, "")
        assert review.get(posted.id).pending

    def test_what_ended_already(self, review, asked, same):
        reject(review, asked)
        self.nothing(review, target(asked), same, YES, VerdictKind.TOO_LATE, "rejected by anna")

    def test_what_changed(self, review, asked, same):
        self.nothing(review, (asked.id, 1, "0" * 64), same, YES, VerdictKind.CHANGED, "not what was shown")

    @pytest.mark.parametrize(
        ("decision", "words"),
        [
            (Decision(approved=True), "only an approval that is remembered"),
            (Decision(approved=False, remember=True), "a no is never remembered"),
            (Decision(approved=1, remember=True), "exactly true or false"),
        ],
    )
    def test_what_is_no_approval_to_remember(self, review, asked, same, decision, words):
        self.nothing(review, target(asked), same, decision, VerdictKind.REFUSED, words)
        assert review.get(asked.id).pending

    def test_without_a_key_that_signs(self, review, asked, same, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "file"))
        with pytest.raises(ReviewerKeysError, match="nothing was decided"):
            review.remember_and_release(target(asked), [target(same)], YES)
        assert states(review, [asked, same]) == [RequestState.PENDING] * 2


def test_a_release_that_nobody_signed_is_not_believed(agent, review, asked, same):
    review.remember_and_release(target(asked), [], YES)
    (grant,) = review.grants()
    forged = Decision(approved=True, source=DecisionSource.GRANT, by=grant.id, seal=Seal("0" * 16, "0" * 128))
    with review._engine.write() as transaction:
        transaction.change(same.id, same.asked_by.session)
        transaction.put(
            f"UPDATE requests SET state = 'approved', decision = ?, decided_at = ?, change = {CHANGE}"
            " WHERE seq = ?",
            decision_to_text(forged),
            transaction.now,
            same.seq,
        )
    outcome = agent.wait(same.id)
    assert not outcome.approved
    assert "not signed by a reviewer" in outcome.doubt


def test_the_seal_of_one_release_is_none_of_another(agent, review, asked, same):
    other = agent.submit(call("other"))
    review.remember_and_release(target(asked), [target(same)], YES)
    stolen = review.get(same.id).decision
    with review._engine.write() as transaction:
        transaction.change(other.id, other.asked_by.session)
        transaction.put(
            f"UPDATE requests SET state = 'approved', decision = ?, decided_at = ?, change = {CHANGE}"
            " WHERE seq = ?",
            decision_to_text(stolen),
            transaction.now,
            other.seq,
        )
    assert not agent.wait(other.id).approved


_numbers = count()
_CALLS = {
    "same": call("?"),
    "medium": call("?", risk=Risk.MEDIUM),
    "low": call("?", risk=Risk.LOW, content="other"),
    "high": call("?", risk=Risk.HIGH),
    "tool": call("?", tool_name="delete_file"),
    "payload": called({"path": "other.txt"}, key="?"),
    "definition": call("?", definition="d" * 64),
    "kept by nobody": call("?", supports=frozenset({"note"})),
}
_RELEASED = {"same", "medium", "low"}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(sorted(_CALLS)), st.booleans(), st.booleans()), max_size=6))
def test_exactly_what_is_named_and_covered_is_released(open_agent, review, others):
    """Each other request: what it asks, whether it ended, whether it is named."""
    agent = open_agent(session=f"s-{next(_numbers)}")
    asked = agent.submit(call("asked"))
    posted = [agent.submit(replace(_CALLS[what], key=f"k{n}")) for n, (what, _, _) in enumerate(others)]
    for request, (_, ended, _) in zip(posted, others, strict=True):
        if ended:
            reject(review, request)
    named = [target(request) for request, (_, _, is_named) in zip(posted, others, strict=True) if is_named]
    review.remember_and_release(target(asked), named, YES)
    approved = {request.id for request in posted if review.get(request.id).state is RequestState.APPROVED}
    assert approved == {
        request.id
        for request, (what, ended, is_named) in zip(posted, others, strict=True)
        if what in _RELEASED and is_named and not ended
    }
    agent.close()


class TestPattern:
    """A pattern in place of the call."""

    ALIKE = GrantPattern("shell", (("command", Beginning(("git", "diff"))),))

    @pytest.fixture
    def diff(self, agent):
        return agent.submit(self.runs("git diff"))

    @staticmethod
    def runs(command, **fields):
        return called({"command": command}, key=command, tool_name="shell", **fields)

    def test_what_it_covers_is_released_and_the_rest_waits(self, agent, review, diff):
        covered, other = (agent.submit(self.runs(command)) for command in ("git diff --stat", "git push"))
        review.remember_and_release(target(diff), [target(covered), target(other)], YES, self.ALIKE)
        assert states(review, [diff, covered]) == [RequestState.APPROVED] * 2
        assert review.get(other.id).pending
        (grant,) = review.grants()
        assert grant.pattern == self.ALIKE

    def test_later_calls_that_it_covers_do_not_ask(self, agent, review, diff):
        review.remember_and_release(target(diff), [], YES, self.ALIKE)
        assert agent.use_grant(self.runs("git diff HEAD~1"))
        assert not agent.use_grant(self.runs("git diff > out.txt"))
        assert not agent.use_grant(self.runs("git diff HEAD~1", risk=Risk.HIGH))

    def test_one_that_does_not_cover_the_call_decides_nothing(self, agent, review):
        push = agent.submit(self.runs("git push"))
        (verdict,) = review.remember_and_release(target(push), [], YES, self.ALIKE)
        assert verdict.kind is VerdictKind.REFUSED
        assert "does not cover" in verdict.message
        assert review.get(push.id).pending
        assert review.grants() == ()
