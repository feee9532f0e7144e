"""Hostile and odd text comes back as it was sent, and different texts stay different."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from queue_samples import approve, call

from signoff.canonical import canonical
from signoff.queue import Decision, HistoryFilter, Risk
from signoff.queue.codec import decision_from_text, decision_to_text, submission_from_text, submission_to_text
from signoff.queue.text_escape import pack_text, unpack_text

untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
any_text = st.text(st.characters(codec=None, categories=None))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(any_text, values, max_size=4)

HOSTILE = ["\ud800", "a\0b", "\x1b[2J", '"quoted"', '"\\ud800"', "\u202egpj.exe", "'; DROP TABLE x"]


@untimed
@given(any_text)
def test_packed_text_comes_back(text):
    assert unpack_text(pack_text(text)) == text


@untimed
@given(any_text)
def test_packed_text_fits_into_every_database(text):
    packed = pack_text(text)
    packed.encode("utf-8")
    assert "\0" not in packed


@untimed
@given(any_text, any_text)
def test_different_texts_pack_differently(one, other):
    assert (pack_text(one) == pack_text(other)) == (one == other)


@untimed
@given(objects, objects, any_text, st.lists(any_text), st.sampled_from(Risk))
def test_a_submission_comes_back(payload, arguments, text, texts, risk):
    submission = call(
        text,
        description=text,
        payload=payload,
        payload_key=canonical(payload),
        arguments=arguments,
        presentation=arguments,
        batch_remaining=tuple({"tool": each, "arguments": payload} for each in texts),
        risk=risk,
        risk_reasons=tuple(texts),
        supports=frozenset(texts),
    )
    encoded = submission_to_text(submission)
    assert encoded.isascii()
    assert submission_from_text(encoded) == submission


@untimed
@given(st.booleans(), st.none() | any_text, st.none() | st.floats(0, 1), any_text)
def test_a_decision_comes_back(approved, note, shown, by):
    decision = Decision(approved=approved, note=note, shown=shown, by=by)
    assert decision_from_text(decision_to_text(decision)) == decision


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_survives_the_queue_everywhere(open_agent, open_review, text):
    agent, review = open_agent(text, text), open_review(text)
    submission = call(
        text,
        tool_name=text,
        description=text,
        payload={text: text},
        payload_key=canonical({text: text}),
        arguments={text: [text]},
        cwd=text,
        group_id=text,
        batch_id=text,
        batch_position=0,
        why=text,
    )
    posted = agent.submit(submission)
    following = agent.submit(call("next", batch_id=text, batch_position=1))
    assert agent.submit(submission) == posted
    shown = review.get(posted.id).submission
    assert replace(shown, risk_reasons=submission.risk_reasons) == submission
    approve(review, posted, note=text, remember=True)
    assert agent.wait(posted.id).decision.note == text
    assert agent.use_grant(submission).tool_name == text
    agent.withdraw(following.id, text)
    assert review.get(following.id).state_note == text
    agent.record(submission, Decision(approved=False, by=text))
    which = HistoryFilter(session=text, agent_name=text)
    assert len(review.history(which)) == 4
    assert len(review.history(HistoryFilter(tool_name=text))) == 3
    assert review.verify() is None
    assert agent.clear_grants(by=text) == 1
