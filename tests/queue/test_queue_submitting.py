"""Posting and amending requests."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from queue_samples import approve, call, reject

from signoff.canonical import NotJsonError
from signoff.queue import (
    Decision,
    InvalidSubmissionError,
    QueueUnavailableError,
    RequestConflictError,
    RequestState,
    Risk,
    UnknownRequestError,
)


def test_a_posted_request_waits_for_the_reviewer(agent, review):
    posted = agent.submit(call())
    assert review.pending() == (posted,)
    assert posted.state is RequestState.PENDING
    assert (posted.revision, posted.decision, posted.decided_at) == (1, None, None)


def test_everything_that_was_submitted_comes_back_except_the_contents(agent, review):
    content = b"old text"
    sha256 = hashlib.sha256(content).hexdigest()
    submission = call(
        presentation={"kind": "diff"},
        snapshot={"version": 1, "steps": []},
        blobs={sha256: content},
        group_id="g",
        group_size=3,
        batch_id="b",
        batch_position=1,
        batch_remaining=({"tool": "run", "arguments": {"z": 1, "a": [1.0, None]}},),
        risk=Risk.HIGH,
        risk_reasons=("outside the project", "unknown-effects"),
        why="rule 3",
        supports=frozenset({"note"}),
        expires_at=2**57,
    )
    posted = agent.submit(submission)
    assert review.get(posted.id).submission == replace(submission, blobs={})


def test_names_that_are_masked_stay_with_a_request_and_its_history(agent, review):
    request = agent.submit(call(masked_keys=("iban", "pin")))
    approve(review, review.get(request.id))
    [record] = review.history()
    assert review.get(request.id).submission.masked_keys == record.masked_keys == ("iban", "pin")
    assert review.check_history().fault is None


def test_arguments_keep_the_order_in_which_the_agent_gave_them(agent, review):
    posted = agent.submit(call(arguments={"z": 1, "a": 2, "m": {"y": 1, "b": 2}}))
    arguments = review.get(posted.id).submission.arguments
    assert (list(arguments), list(arguments["m"])) == (["z", "a", "m"], ["y", "b"])


def test_a_content_is_found_by_its_hash(agent, review):
    content = bytes(range(256)) * 100
    sha256 = hashlib.sha256(content).hexdigest()
    agent.submit(call("k1", blobs={sha256: content}))
    agent.submit(call("k2", blobs={sha256: content}))
    assert review.blob(sha256) == content


def test_a_content_that_nobody_stored_is_an_error(review):
    with pytest.raises(QueueUnavailableError, match="no content"):
        review.blob("0" * 64)


def test_a_content_under_a_foreign_hash_is_refused(agent, review):
    with pytest.raises(InvalidSubmissionError):
        agent.submit(call(blobs={"0" * 64: b"something else"}))
    assert review.pending() == ()


def test_a_payload_key_that_is_not_the_payload_is_refused(agent, review):
    with pytest.raises(InvalidSubmissionError):
        agent.submit(call(payload_key='{"path":"/etc/passwd"}'))
    assert review.pending() == ()


def test_what_is_not_json_is_refused(agent, review):
    with pytest.raises(NotJsonError):
        agent.submit(call(arguments={"when": float("nan")}))
    assert review.pending() == ()


def test_requests_wait_in_arrival_order_whoever_posted_them(open_agent, review):
    first, second = open_agent("one", "s-1"), open_agent("two", "s-2")
    posted = [(first, second)[n % 2].submit(call(f"k{n}")) for n in range(10)]
    assert [waiting.id for waiting in review.pending()] == [each.id for each in posted]


def test_posting_the_same_again_finds_the_request_that_is_there(agent, review):
    posted = agent.submit(call())
    assert agent.submit(call()) == posted
    assert len(review.pending()) == 1


def test_posting_again_after_the_decision_finds_the_decision(agent, review):
    approve(review, agent.submit(call()))
    assert agent.submit(call()).state is RequestState.APPROVED


def test_an_approval_that_was_taken_is_not_given_again(agent, open_agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    agent.wait(posted.id)
    agent.close()
    again = open_agent().submit(call())
    assert (again.id, again.revision, again.pending) == (posted.id, 2, True)


def test_an_approval_that_was_not_taken_is_given_to_the_next_connection_once(agent, open_agent, review):
    approve(review, agent.submit(call()))
    agent.close()
    assert open_agent().submit(call()).state is RequestState.APPROVED
    assert open_agent().submit(call()).pending


def test_an_approval_that_another_connection_took_belongs_to_that_one(agent, open_agent, review):
    """The first one lives, for example stopped, and looks only later."""
    posted = agent.submit(call())
    approve(review, posted)
    other = open_agent()
    other.submit(call())
    assert other.wait(posted.id).ours
    assert other.wait(posted.id).ours
    assert not agent.wait(posted.id).ours


def test_an_approval_that_was_given_up_is_on_record_as_such_and_asked_again(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    assert agent.give_up(posted.id, posted.revision, "approved, not run: gone")
    assert not agent.give_up(posted.id, posted.revision, "twice")
    last, first = review.history()
    assert (first.state, last.state) == (RequestState.APPROVED, RequestState.SUPERSEDED)
    assert last.reason == "approved, not run: gone"
    assert agent.submit(call()).pending


def test_what_was_not_approved_cannot_be_given_up(agent, review):
    posted = agent.submit(call())
    assert not agent.give_up(posted.id, posted.revision, "so")
    assert review.get(posted.id).pending


WRONG = {
    "key": 5,
    "tool_name": ["x"],
    "description": 5,
    "payload": [1],
    "arguments": [1],
    "digest": None,
    "cwd": None,
    "presentation": [1],
    "snapshot": [],
    "blobs": {"0": "text"},
    "group_id": 7,
    "group_size": 10**30,
    "batch_id": 7,
    "batch_position": "x",
    "batch_remaining": ("x", 5, None),
    "risk": "low",
    "risk_reasons": (1, 2),
    "why": {"a": 1},
    "supports": frozenset({1}),
    "expires_at": 2**62,
    "masked_keys": ("x",) * 201,
}


@pytest.mark.parametrize("field", sorted(WRONG))
def test_a_field_of_a_wrong_type_or_size_is_refused(agent, review, field):
    with pytest.raises(InvalidSubmissionError, match=f'"{field}"'):
        agent.submit(replace(call(), **{field: WRONG[field]}))
    assert review.pending() == ()


def test_a_wrong_field_is_refused_for_the_history_too(agent, review):
    with pytest.raises(InvalidSubmissionError, match='"why"'):
        agent.record(replace(call(), why=5), Decision(approved=True))
    with pytest.raises(InvalidSubmissionError, match='"note"'):
        agent.record(call(), Decision(approved=True, note=5))
    assert review.history() == ()


def test_an_agent_that_introduces_itself_with_something_else_than_text_is_refused(open_agent):
    with pytest.raises(InvalidSubmissionError, match='"name"'):
        open_agent(name=["x"])


def test_a_key_is_never_used_for_other_content(agent):
    agent.submit(call())
    with pytest.raises(RequestConflictError, match="'k1'"):
        agent.submit(call(content="something else"))


def test_sessions_do_not_share_keys(open_agent, review):
    for session in ("s-1", "s-2"):
        open_agent("refactor", session).submit(call())
    assert len(review.pending()) == 2


def test_a_connection_of_the_same_session_takes_a_request_over(open_agent, review):
    before, after = open_agent(), open_agent()
    posted = before.submit(call())
    found = after.submit(call())
    before.close()
    assert found.id == posted.id
    assert review.get(posted.id).pending
    after.close()
    assert review.get(posted.id).state is RequestState.WITHDRAWN


def test_an_amended_request_asks_again_as_the_next_revision(agent, review):
    posted = agent.submit(call())
    amended = agent.amend(posted.id, call(content="newer"))
    assert (amended.id, amended.revision) == (posted.id, 2)
    assert review.pending() == (amended,)
    assert review.get(posted.id, 1).state is RequestState.SUPERSEDED


def test_a_decided_request_can_be_amended_and_its_decision_stays_on_record(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    agent.amend(posted.id, call(content="newer"))
    old = review.get(posted.id, 1)
    assert (old.state, old.decision.approved) == (RequestState.SUPERSEDED, True)
    assert [(line.revision, line.state.value) for line in review.history()] == [
        (1, "superseded"),
        (1, "approved"),
    ]


def test_amending_to_the_same_content_twice_asks_once(agent, review):
    posted = agent.submit(call())
    first = agent.amend(posted.id, call(content="newer"))
    assert agent.amend(posted.id, call(content="newer")) == first


def test_a_withdrawn_request_stays_withdrawn_when_it_is_amended(agent, review):
    posted = agent.submit(call())
    agent.withdraw(posted.id, "not needed")
    agent.amend(posted.id, call(content="newer"))
    assert review.get(posted.id, 1).state is RequestState.WITHDRAWN
    assert review.get(posted.id).pending


def test_the_original_content_is_not_found_under_an_amended_request(agent):
    posted = agent.submit(call())
    agent.amend(posted.id, call(content="newer"))
    with pytest.raises(RequestConflictError):
        agent.submit(call())


def test_an_amendment_cannot_take_the_key_of_another_request(agent):
    posted = agent.submit(call("k1"))
    agent.submit(call("k2"))
    with pytest.raises(RequestConflictError):
        agent.amend(posted.id, call("k2", content="newer"))


@pytest.mark.parametrize("act", ["amend", "withdraw", "wait"])
def test_a_session_touches_only_its_own_requests(open_agent, act):
    posted = open_agent("one", "s-1").submit(call())
    other = open_agent("two", "s-2")
    acts = {
        "amend": lambda: other.amend(posted.id, call()),
        "withdraw": lambda: other.withdraw(posted.id, "mine"),
        "wait": lambda: other.wait(posted.id),
    }
    with pytest.raises(UnknownRequestError):
        acts[act]()


def test_a_request_is_found_by_the_beginning_of_its_id(agent, review):
    posted = agent.submit(call())
    assert review.find(posted.id[:8].upper()) == posted


def test_an_ambiguous_beginning_is_refused(agent, review):
    # More requests than letters: two of them begin alike.
    ids = [agent.submit(call(f"k{n}")).id for n in range(33)]
    begin = next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    with pytest.raises(UnknownRequestError, match="more than one"):
        review.find(begin)


@pytest.mark.parametrize("prefix", ["", "  ", "%", "zzzzzzzzzzzzzzzzzzzzz", "../", "\udcff"])
def test_what_begins_no_id_finds_nothing(agent, review, prefix):
    agent.submit(call())
    with pytest.raises(UnknownRequestError):
        review.find(prefix)


def test_an_unknown_id_or_revision_is_an_error(agent, review):
    posted = agent.submit(call())
    for request_id, revision in (("nothing", None), (posted.id, 2), ("\udcff", None)):
        with pytest.raises(UnknownRequestError):
            review.get(request_id, revision)


def test_a_rejected_request_stays_rejected_when_posted_again(agent, review):
    reject(review, agent.submit(call()))
    assert agent.submit(call()).state is RequestState.REJECTED


def test_an_end_without_a_decision_that_was_taken_stays_when_posted_again(agent):
    posted = agent.submit(call())
    agent.withdraw(posted.id, "not needed")
    agent.wait(posted.id)
    assert (again := agent.submit(call())).state is RequestState.WITHDRAWN
    assert again.revision == 1
