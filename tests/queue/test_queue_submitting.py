"""Posting and amending requests."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from queue_samples import approve, call, reject

from signoff.canonical import NotJsonError
from signoff.queue import (
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
        snapshot={"files": [{"path": "notes.txt", "sha256": sha256}]},
        blobs={sha256: content},
        group_id="g",
        group_size=3,
        batch_id="b",
        batch_position=1,
        batch_remaining=({"tool": "run", "arguments": {"z": 1, "a": [1.0, None]}},),
        risk=Risk.HIGH,
        risk_reasons=("outside the project",),
        why="rule 3",
        supports=frozenset({"note"}),
        expires_at=2**62,
    )
    posted = agent.submit(submission)
    assert review.get(posted.id).submission == replace(submission, blobs={})


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
