"""Only what a trusted reviewer signed is believed: of this request, in these words. A no is always believed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from queue_samples import approve, call, decide, reject

from signoff.queue import (
    AgentMode,
    AgentRecord,
    Decision,
    DecisionSource,
    Grant,
    GrantPattern,
    HistoryFault,
    QueueUnavailableError,
    RequestState,
    ReviewerKeysError,
    Seal,
    VerdictKind,
)
from signoff.queue.codec import decision_to_text
from signoff.queue.grant_pattern import AnyValue
from signoff.queue.keys import identity, trust
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder, keys_folder
from signoff.queue.keys.identity import Signer, signer_for
from signoff.queue.keys.signatures import decision_statement, grant_statement
from signoff.queue.sql import requests, verification
from signoff.queue.sql.engine import CHANGE

YES = Decision(approved=True, by="anna")
NOBODYS = Seal("0" * 16, "0" * 128)


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeysFolder:
    """A folder for keys of this test alone; nothing is in it."""
    monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "keys"))
    return keys_folder()


@pytest.fixture
def stranger(tmp_path: Path) -> Signer:
    """Signs with a key that nobody trusts."""
    return Signer(identity.load_or_make(KeysFolder(tmp_path / "stranger")))


@pytest.fixture
def forge(review):
    """End a request with any decision, as a program could that writes to the database itself."""

    def write(request, decision):
        text = decision if isinstance(decision, str) else decision_to_text(decision)
        with review._engine.write() as transaction:
            transaction.change(request.id, request.asked_by.session)
            transaction.put(
                f"UPDATE requests SET state = ?, decision = ?, decided_at = ?, change = {CHANGE} WHERE seq = ?",
                "approved" if text.startswith('{"approved":true') else "rejected",
                text,
                transaction.now,
                request.seq,
            )

    return write


@pytest.fixture
def rewrite(opener):
    """Change what a request says, as somebody who also removes the rules of the database."""

    def change(request, old, new):
        columns = "submission = replace(submission, ?, ?)"
        opener.forge(f"UPDATE requests SET {columns} WHERE seq = ?", old, new, request.seq)

    return change


def test_an_approval_is_signed_by_the_reviewer(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    outcome = agent.wait(posted.id)
    assert outcome.approved
    assert outcome.decision.seal.key_id == identity.load(keys_folder()).public.key_id


def test_without_the_library_for_signatures_a_no_counts_and_a_yes_is_refused(agent, review, keys, monkeypatch):
    identity.load_or_make(keys)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    identity._keys.clear()
    posted = agent.submit(call())
    with pytest.raises(ReviewerKeysError, match="pip install cryptography"):
        approve(review, posted)
    assert reject(review, posted).accepted
    assert agent.wait(posted.id).decision.seal is None


def test_an_agent_says_whose_approvals_it_believes_and_again_when_it_asks(opener, review, keys, stranger):
    with opener.agent() as agent:
        (record,) = review.agents()
        assert record.trusts == frozenset()
        own, other = identity.load_or_make(keys).public, stranger._key.public
        trust.trust(keys, other)
        agent.submit(call())
        (record,) = review.agents()
        assert record.trusts == {own.key_id, other.key_id}
        agent.announce_mode(AgentMode.STRICT)
        assert review.agents()[0].trusts == record.trusts
        keys.reviewers.write_bytes(b"nonsense")
        agent.submit(call("later"))
        assert review.agents()[0].trusts == frozenset()


def test_what_an_agent_could_not_say_it_says_when_it_asks_again(agent, review, keys, monkeypatch):
    write, refused = agent._engine.write, []

    def refuse_once(**given):
        if not refused:
            refused.append(given)
            raise QueueUnavailableError("the disk is full")
        return write(**given)

    own = identity.load_or_make(keys).public.key_id
    monkeypatch.setattr(agent._engine, "write", refuse_once)
    agent.submit(call())
    assert own not in review.agents()[0].trusts
    agent.submit(call("later"))
    assert own in review.agents()[0].trusts


def test_only_agents_that_do_not_trust_this_reviewer_are_named(keys, stranger):
    here = AgentRecord("id", "a", "here", "/", "library", 1, os.uname().nodename, 1, None)
    elsewhere = replace(here, session="elsewhere", host="another machine")
    others = frozenset({stranger._key.public.key_id})
    nobody = [replace(each, trusts=frozenset()) for each in (here, elsewhere)]
    records = [here, *nobody, *[replace(here, session="others", trusts=others)] * 2]
    assert identity.agents_without_trust(records) == ()
    own = identity.load_or_make(keys).public.key_id
    records.append(replace(here, session="both", trusts=others | {own}))
    assert identity.agents_without_trust(records) == (("a", "elsewhere"), ("a", "others"))
    keys.deciding_key.write_bytes(b"nonsense")
    assert identity.agents_without_trust(records) == ()


def test_every_approval_of_several_has_a_seal_of_its_own(agent, review):
    posted = [agent.submit(call(f"k{number}")) for number in range(3)]
    review.decide_many([(each.id, 1, each.submission.digest) for each in posted], YES)
    outcomes = [agent.wait(each.id) for each in posted]
    assert all(outcome.approved for outcome in outcomes)
    assert len({outcome.decision.seal for outcome in outcomes}) == 3


def test_what_a_hard_no_takes_along_is_signed_too(agent, review):
    first, second = (agent.submit(call(f"k{n}", batch_id="b", batch_position=n)) for n in range(2))
    reject(review, first, hard=True)
    outcome = agent.wait(second.id)
    assert outcome.decision.source is DecisionSource.CASCADE
    assert outcome.decision.seal is not None


def test_a_seal_that_comes_with_a_decision_counts_for_nothing(agent, review):
    posted = agent.submit(call())
    decide(review, posted, replace(YES, seal=NOBODYS))
    assert agent.wait(posted.id).approved


class TestForgedApprovals:
    """Each is told as what it is, and not run."""

    def refused(self, agent, posted, words):
        outcome = agent.wait(posted.id)
        assert not outcome.approved
        assert outcome.request.state is RequestState.SUPERSEDED
        assert "not signed by a reviewer that this agent trusts" in outcome.doubt
        assert words in outcome.doubt

    @pytest.mark.parametrize("source", DecisionSource)
    def test_without_a_seal(self, agent, forge, source):
        posted = agent.submit(call())
        forge(posted, replace(YES, source=source))
        self.refused(agent, posted, "signoff reviewers")

    def test_with_a_seal_of_nobody(self, agent, forge):
        posted = agent.submit(call())
        forge(posted, replace(YES, seal=NOBODYS))
        self.refused(agent, posted, "the key 0000000000000000, which is not trusted")

    def test_signed_with_a_key_that_is_not_trusted(self, agent, forge, stranger):
        posted = agent.submit(call())
        forge(posted, stranger.decision(posted, YES))
        self.refused(agent, posted, "which is not trusted")

    def test_signed_under_the_name_of_a_trusted_key(self, agent, forge, stranger):
        posted = agent.submit(call())
        seal = stranger.decision(posted, YES).seal
        own = signer_for().decision(posted, YES).seal
        forge(posted, replace(YES, seal=Seal(own.key_id, seal.signature)))
        self.refused(agent, posted, "was given to something else")

    def test_with_the_seal_of_another_request(self, agent, review, forge):
        first, second = agent.submit(call("k1")), agent.submit(call("k2"))
        approve(review, first)
        forge(second, agent.wait(first.id).decision)
        self.refused(agent, second, "was given to something else")

    def test_with_the_seal_of_another_session(self, agent, open_agent, review, forge):
        theirs, ours = open_agent("other", "s-42").submit(call()), agent.submit(call())
        approve(review, theirs)
        forge(ours, review.get(theirs.id).decision)
        self.refused(agent, ours, "was given to something else")

    def test_with_the_seal_of_an_earlier_revision(self, agent, review, forge):
        posted = agent.submit(call())
        approve(review, posted)
        again = agent.amend(posted.id, call("k1"))
        forge(again, review.get(posted.id, 1).decision)
        self.refused(agent, again, "was given to something else")

    @pytest.mark.parametrize(
        "change",
        [{"note": "also the others"}, {"remember": True}, {"by": "boss"}, {"hard": True}, {"shown": 1.0},
         {"deliberate": True}, {"held_us": 5}, {"source": DecisionSource.RULE}],
        ids=str,
    )  # fmt: skip
    def test_in_other_words_than_were_signed(self, agent, forge, change):
        posted = agent.submit(call())
        forge(posted, replace(signer_for().decision(posted, YES), **change))
        self.refused(agent, posted, "was given to something else")

    def test_of_a_no_that_was_signed(self, agent, forge):
        posted = agent.submit(call())
        no = signer_for().decision(posted, replace(YES, approved=False))
        forge(posted, replace(no, approved=True))
        self.refused(agent, posted, "was given to something else")

    def test_of_what_was_shown_in_other_words_than_the_agent_asked(self, agent, forge):
        posted = agent.submit(call())
        shown = replace(posted, submission=replace(posted.submission, description="nothing to worry about"))
        forge(posted, signer_for().decision(shown, YES))
        self.refused(agent, posted, "was given to something else")

    def test_of_what_the_queue_says_and_the_agent_never_asked(self, agent, review, rewrite):
        posted = agent.submit(call())
        rewrite(posted, "write notes.txt", "nothing to worry about")
        assert approve(review, review.get(posted.id)).accepted
        self.refused(agent, posted, "was given to something else")

    def test_with_what_no_reviewer_can_have_written(self, agent, forge):
        posted = agent.submit(call())
        own = signer_for().decision(posted, YES)
        text = decision_to_text(own).replace('"shown":null', '"shown":NaN')
        forge(posted, text)
        self.refused(agent, posted, "cannot be read")


@pytest.mark.parametrize("seal", ["5", "{}", '"x"', '{"key":"x","signature":"y"}', "[1,2]"])
async def test_a_row_that_cannot_be_read_is_told_to_its_own_waiter_only(agent, review, forge, seal):
    odd, sound, forged = (agent.submit(call(f"k{number}")) for number in range(3))
    waiting = [asyncio.create_task(agent.await_outcome(each.id)) for each in (odd, sound, forged)]
    await asyncio.sleep(0)
    forge(forged, YES)
    forge(odd, decision_to_text(YES)[:-1] + f',"seal":{seal}}}')
    await asyncio.to_thread(approve, review, sound)
    broken, answered, doubted = await asyncio.gather(*waiting, return_exceptions=True)
    assert "is damaged" in str(broken)
    assert answered.approved
    assert not doubted.approved


LOOKS = {
    "pending": lambda review, _: review.pending(),
    "changes": lambda review, _: review.changes(0),
    "get": lambda review, request_id: review.get(request_id),
    "find": lambda review, request_id: review.find(request_id),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_what_was_shown_in_other_words_for_a_while_is_not_approved(agent, review, rewrite, look):
    posted = agent.submit(call())
    rewrite(posted, "write notes.txt", "nothing to worry about")
    look(review, posted.id)
    rewrite(posted, "nothing to worry about", "write notes.txt")
    verdict = approve(review, posted)
    assert verdict.kind is VerdictKind.CHANGED
    assert "reject it" in verdict.message
    review.get(posted.id)
    assert approve(review, posted).kind is VerdictKind.CHANGED
    assert reject(review, posted).accepted


@pytest.mark.parametrize("approved", [True, False])
def test_an_agent_that_goes_on_with_a_request_asks_again_if_other_words_were_shown(
    agent, open_agent, review, rewrite, approved
):
    posted = agent.submit(call())
    rewrite(posted, "write notes.txt", "nothing to worry about")
    if approved:
        approve(review, review.get(posted.id))
    other = open_agent()
    again = other.submit(call())
    assert (again.pending, again.revision, again.submission.description) == (True, 2, "write notes.txt")
    approve(review, again)
    assert other.wait(again.id).approved


def test_an_agent_that_goes_on_with_a_request_believes_only_an_approval_of_it(agent, open_agent, review, rewrite):
    posted = agent.submit(call())
    other = open_agent()
    assert other.submit(call(expires_at=posted.created_at + 60_000_000)).revision == 1
    rewrite(posted, "write notes.txt", "nothing to worry about")
    approve(review, review.get(posted.id))
    outcome = other.wait(posted.id)
    assert not outcome.approved
    assert "was given to something else" in outcome.doubt


def test_a_no_needs_no_seal(agent, forge):
    posted = agent.submit(call())
    forge(posted, Decision(approved=False, note="no", by="anna"))
    outcome = agent.wait(posted.id)
    assert (outcome.doubt, outcome.request.state) == (None, RequestState.REJECTED)


def test_an_approval_that_is_not_believed_is_on_record(agent, review, forge):
    posted = agent.submit(call())
    forge(posted, YES)
    agent.wait(posted.id)
    (record,) = review.history()
    assert (record.state, record.decision) == (RequestState.SUPERSEDED, None)
    assert "not signed" in record.reason


def test_after_an_approval_that_is_not_believed_the_same_call_asks_again(agent, review, forge):
    posted = agent.submit(call())
    forge(posted, YES)
    agent.wait(posted.id)
    again = agent.submit(call())
    assert (again.id, again.revision, again.state) == (posted.id, 2, RequestState.PENDING)
    approve(review, again)
    assert agent.wait(again.id).approved


def test_posting_again_does_not_take_an_approval_that_is_not_believed(opener, review, forge):
    before = opener.agent()
    posted = before.submit(call())
    forge(posted, YES)
    opener.crash(before)
    again = opener.agent().submit(call())
    assert (again.revision, again.state) == (2, RequestState.PENDING)


def test_an_approval_survives_the_death_of_the_agent(opener, review):
    before = opener.agent()
    posted = before.submit(call())
    approve(review, posted)
    opener.crash(before)
    after = opener.agent()
    assert after.submit(call()).state is RequestState.APPROVED
    assert after.wait(posted.id).approved


def test_an_approval_that_was_taken_stays_on_record_when_its_reviewer_is_forgotten(keys, agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    assert agent.wait(posted.id).approved
    trust.forget(keys, identity.load(keys).public.key_id)
    assert not agent.wait(posted.id).approved
    assert review.get(posted.id).state is RequestState.APPROVED


def test_a_change_of_the_list_of_reviewers_counts_at_once(keys, agent, review):
    first, second, third = (agent.submit(call(f"k{number}")) for number in range(3))
    own = identity.load_or_make(keys).public
    for posted in (first, second, third):
        approve(review, posted)
    assert agent.wait(first.id).approved
    trust.forget(keys, own.key_id)
    assert not agent.wait(second.id).approved
    trust.trust(keys, own)
    assert agent.wait(third.id).approved


def test_a_list_that_cannot_be_read_is_the_reason_that_is_told(keys, agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    keys.reviewers.write_text("nonsense\n")
    assert "reviewers.pub, line 1" in agent.wait(posted.id).doubt


def test_an_agent_makes_no_keys(keys, agent):
    agent.submit(call())
    agent.add_grant(call(), by="callback")
    assert agent.use_grant(call()) is not None
    assert agent.grants()
    assert not keys.directory.exists()


class TestNoKey:
    """Without a key nothing is approved or granted; all the rest works."""

    @pytest.fixture(autouse=True)
    def unreadable(self, keys):
        identity.load_or_make(keys)
        keys.deciding_key.chmod(0o644)

    def test_an_approval_is_refused_and_the_request_waits_on(self, agent, review):
        posted = agent.submit(call())
        with pytest.raises(ReviewerKeysError, match=r"nothing was decided.*chmod 600"):
            approve(review, posted)
        assert review.get(posted.id).pending

    def test_it_can_be_approved_once_that_is_mended(self, keys, agent, review):
        posted = agent.submit(call())
        with pytest.raises(ReviewerKeysError):
            approve(review, posted)
        keys.deciding_key.chmod(0o600)
        approve(review, posted)
        assert agent.wait(posted.id).approved

    def test_a_no_is_taken_unsigned(self, agent, review):
        posted = agent.submit(call())
        assert reject(review, posted).accepted
        assert agent.wait(posted.id).decision.seal is None

    def test_no_pattern_is_granted(self, agent, review):
        posted = agent.submit(call())
        with pytest.raises(ReviewerKeysError, match="nothing was decided"):
            review.add_pattern(
                GrantPattern("write_file", (("path", AnyValue()),)), session="s-41", origin=posted.id
            )
        assert review.grants() == ()

    def test_looking_works(self, agent, review):
        posted = agent.submit(call())
        assert review.pending() == (posted,)
        assert review.history() == ()
        assert review.check_history().fault is None


@pytest.fixture
def granted(agent, review):
    """A grant that a reviewer gave."""
    approve(review, agent.submit(call("origin")), remember=True)
    (grant,) = review.grants()
    return grant


@pytest.fixture
def put(review):
    """Put a grant in the place of all others, as a program could that writes to the database itself."""

    def write(grant):
        seal = {} if grant.seal is None else {"seal": grant.seal.to_json()}
        info = {
            "session": grant.session, "agent_name": grant.agent_name, "tool_name": grant.tool_name,
            "payload": grant.payload, "payload_key": grant.payload_key, "origin_request": grant.origin_request,
            "created_by": grant.created_by, **seal,
        }  # fmt: skip
        review.revoke_all()
        with review._engine.write() as transaction:
            transaction.run(
                "INSERT INTO grants (id, session, tool, kind, payload_key, info, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                grant.id, grant.session, grant.tool_name, grant.kind.value, grant.payload_key, json.dumps(info),
                grant.created_at,
            )  # fmt: skip

    return write


class TestForgedGrants:
    """Each is listed for the reviewer, and used by nobody."""

    def unused(self, agent, review, tool="write_file"):
        assert len(review.grants()) == 1
        assert not agent.has_grant(call(tool_name=tool))
        assert agent.use_grant(call(tool_name=tool)) is None
        assert agent.grants() == ()

    def test_without_a_seal(self, agent, review, granted, put):
        put(replace(granted, id="forged", seal=None))
        self.unused(agent, review)

    def test_with_the_seal_of_another_grant(self, agent, review, granted, put):
        put(replace(granted, id="forged"))
        self.unused(agent, review)

    def test_with_the_seal_of_another_session(self, open_agent, review, granted, put):
        put(replace(granted, id="forged", session="s-42"))
        self.unused(open_agent("other", "s-42"), review)

    def test_for_another_tool(self, agent, review, granted, put):
        put(replace(granted, id="forged", tool_name="delete_file"))
        self.unused(agent, review, "delete_file")

    def test_signed_with_a_key_that_is_not_trusted(self, agent, review, granted, put, stranger):
        put(stranger.grant(replace(granted, id="forged")))
        self.unused(agent, review)

    def test_made_wider_than_it_was(self, agent, review, granted, put):
        wide = GrantPattern("write_file", (("path", AnyValue()),))
        put(replace(granted, id="forged", pattern=wide, payload_key=wide.key))
        self.unused(agent, review)

    def test_is_not_in_the_way_of_one_that_is_given(self, agent, review, granted, put):
        put(replace(granted, id="forged", seal=None))
        approve(review, agent.submit(call("k2")), remember=True)
        assert agent.use_grant(call("k3")).id not in ("forged", granted.id)


def test_a_pattern_that_was_given_is_signed_and_used(agent, review):
    posted = agent.submit(call())
    wide = GrantPattern("write_file", (("path", AnyValue()),))
    given_ = review.add_pattern(wide, session="s-41", origin=posted.id)
    assert given_.seal is not None
    assert agent.use_grant(call("k2")).id == given_.id


def test_a_grant_of_the_agents_own_counts_for_the_connections_of_its_process(agent, open_agent):
    grant = agent.add_grant(call(), by="callback")
    assert grant.seal is None
    assert open_agent().use_grant(call("k2")).id == grant.id


def test_a_grant_of_the_agents_own_does_not_count_for_another_process(agent, open_agent, monkeypatch):
    agent.add_grant(call(), by="callback")
    monkeypatch.setattr(verification, "_own_grants", set())  # as in a process that did not give it
    assert open_agent().use_grant(call("k2")) is None


def test_a_grant_of_another_process_can_be_given_again(agent, open_agent, review, monkeypatch):
    grant = agent.add_grant(call(), by="callback")
    monkeypatch.setattr(verification, "_own_grants", set())
    assert open_agent().add_grant(call(), by="callback") == grant
    assert open_agent().use_grant(call("k2")) is not None


def test_a_grant_given_again_by_the_agent_counts_although_its_reviewer_is_forgotten(keys, agent, review):
    approve(review, agent.submit(call("origin")), remember=True)
    trust.forget(keys, identity.load(keys).public.key_id)
    assert agent.use_grant(call("k2")) is None
    agent.add_grant(call("k2"), by="callback")
    assert agent.use_grant(call("k3")) is not None


def test_the_history_counts_approvals_by_their_signatures(agent, review, forge, stranger):
    own, strange, unsigned = (agent.submit(call(f"k{number}")) for number in range(3))
    approve(review, own)
    for posted, decision in ((strange, stranger.decision(strange, YES)), (unsigned, YES)):
        with review._engine.write() as transaction:
            requests.decide(transaction, posted, decision)
    check = review.check_history()
    assert check.fault is None
    found = check.approvals
    assert (found.trusted, found.unknown, found.unsigned) == (1, 1, 1)


def test_the_history_names_an_approval_with_the_seal_of_another(agent, review):
    first, second = agent.submit(call("k1")), agent.submit(call("k2"))
    approve(review, first)
    moved = review.get(first.id).decision
    with review._engine.write() as transaction:
        requests.decide(transaction, second, moved)
    check = review.check_history()
    assert (check.fault, check.broken) == (HistoryFault.FORGED, 2)


DECISIONS = st.builds(
    Decision,
    approved=st.booleans(),
    note=st.none() | st.text(),
    remember=st.booleans(),
    hard=st.booleans(),
    source=st.sampled_from(DecisionSource),
    by=st.text(),
    shown=st.none() | st.floats(0, 1),
    deliberate=st.booleans(),
    held_us=st.integers(),
)
PLACES = st.tuples(st.text(), st.integers(), st.text(), st.text(), st.text())


@given(PLACES, DECISIONS, PLACES, DECISIONS)
def test_two_answers_that_differ_are_two_statements(place, decision, other_place, other_decision):
    assume((place, repr(decision)) != (other_place, repr(other_decision)))
    assert decision_statement(*place, decision) != decision_statement(*other_place, other_decision)


@given(PLACES, DECISIONS, st.data())
def test_a_change_of_any_part_changes_what_was_signed(place, decision, data):
    parts = [field.name for field in fields(Decision) if field.name != "seal"]
    statement = decision_statement(*place, decision)
    name = data.draw(st.sampled_from([*range(len(place)), *parts]))
    if isinstance(name, int):
        other = [*place]
        other[name] = data.draw(PLACES.map(lambda drawn: drawn[name]).filter(lambda drawn: drawn != place[name]))
        assert decision_statement(*other, decision) != statement
    else:
        value = data.draw(DECISIONS.map(lambda drawn: getattr(drawn, name)))
        assume(repr(value) != repr(getattr(decision, name)))
        assert decision_statement(*place, replace(decision, **{name: value})) != statement


@given(st.data())
def test_a_change_of_any_part_of_a_grant_changes_what_was_signed(data):
    grant = Grant(
        id="g", session="s", agent_name="a", tool_name="t", payload={}, payload_key="{}", origin_request="r",
        created_at=1, created_by="anna", uses=0, last_used_at=None, revoked_at=None,
    )  # fmt: skip
    texts = (
        "id",
        "session",
        "agent_name",
        "tool_name",
        "payload_key",
        "origin_request",
        "created_by",
        "definition",
    )
    name = data.draw(st.sampled_from(texts))
    value = data.draw(st.text().filter(lambda text: text != getattr(grant, name)))
    assert grant_statement(replace(grant, **{name: value})) != grant_statement(grant)
    assert grant_statement(replace(grant, created_at=2)) != grant_statement(grant)


def test_a_decision_and_a_grant_are_never_the_same_statement():
    grant = Grant("g", "s", "a", "t", {}, "{}", "r", 1, "anna", 0, None, None)
    assert b'"signoff":"grant"' in grant_statement(grant)
    assert b'"signoff":"decision"' in decision_statement("g", 1, "s", "d", "c", YES)
