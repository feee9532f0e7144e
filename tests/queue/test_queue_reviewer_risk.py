"""The reviewer's own side judges requests too; the stricter of its risk and the sender's is shown and enforced."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from queue_samples import approve, call, reject, target

from signoff.queue import Decision, GrantPattern, GrantRefusedError, Risk, VerdictKind
from signoff.queue.sql import review_queue as review_module


def snapshot(*commands: str) -> dict[str, Any]:
    steps = [
        {"kind": "command", "command": command, "cwd": "/work", "env": {}, "real_cwd": "/work"}
        for command in commands
    ]
    return {"version": 1, "steps": steps}


def lying(key: str = "k1", **fields: Any) -> Any:
    """A command of HIGH risk that its sender calls harmless."""
    return call(key, snapshot=snapshot("rm -rf /"), risk=Risk.LOW, risk_reasons=("trust me",), **fields)


def test_the_stricter_risk_is_shown_with_the_reasons_of_both(agent, review):
    posted = agent.submit(lying())
    shown = review.get(posted.id).submission
    assert shown.risk is Risk.HIGH
    assert shown.risk_reasons[0] == "delete"
    assert shown.risk_reasons[-2:] == ("sent-as-low", "trust me")
    assert review.pending() == (review.get(posted.id),)


def test_a_sender_that_is_stricter_is_believed(agent, review):
    posted = agent.submit(call(risk=Risk.HIGH, risk_reasons=("its rules",)))
    shown = review.get(posted.id).submission
    assert (shown.risk, shown.risk_reasons) == (Risk.HIGH, ("its rules", "unknown-effects"))


def test_what_its_own_side_finds_high_is_never_remembered(agent, review):
    verdict = approve(review, agent.submit(lying()), remember=True)
    assert (verdict.kind, verdict.message) == (
        VerdictKind.REFUSED,
        "an approval of HIGH risk is never remembered",
    )


def test_what_its_own_side_finds_high_is_never_approved_with_others(agent, review):
    posted = [agent.submit(lying()), agent.submit(call("k2"))]
    verdicts = review.decide_many([target(each) for each in posted], Decision(approved=True))
    assert [verdict.kind for verdict in verdicts] == [VerdictKind.REFUSED, VerdictKind.ACCEPTED]
    assert all(verdict.accepted for verdict in review.decide_many([target(posted[0])], Decision(approved=True)))


def test_what_its_own_side_finds_high_is_not_released(agent, review):
    first, second = agent.submit(call()), agent.submit(lying("k2"))
    verdicts = review.remember_and_release(target(first), [target(second)], Decision(approved=True, remember=True))
    assert [verdict.accepted for verdict in verdicts] == [True, False]


def test_no_pattern_is_given_for_what_its_own_side_finds_high(agent, review):
    posted = agent.submit(lying())
    pattern = GrantPattern.exactly("write_file", {"path": "notes.txt"})
    with pytest.raises(GrantRefusedError, match="HIGH"):
        review.add_pattern(pattern, session=posted.asked_by.session, origin=posted.id)


def test_an_approval_is_for_what_the_agent_sent_and_its_agent_believes_it(agent, review):
    posted = agent.submit(lying())
    assert approve(review, review.get(posted.id)).accepted
    assert agent.wait(posted.id).approved
    assert review.verify() is None


def test_what_cannot_be_judged_is_high(agent, review):
    posted = agent.submit(call(snapshot={"version": 99}, risk=Risk.LOW))
    assert review.get(posted.id).submission.risk is Risk.HIGH
    assert reject(review, posted).accepted


def test_a_screen_is_told_at_once_and_again_when_its_own_side_knows(agent, review, monkeypatch):
    monkeypatch.setattr(review_module, "_RISK_SECONDS", -1.0)
    posted = agent.submit(lying())

    async def told() -> list[Risk]:
        found = []
        async for changes in review.watch():
            found += [
                change.request.submission.risk for change in changes.changes if change.request.id == posted.id
            ]
            if len(found) == 1:
                monkeypatch.setattr(review_module, "_RISK_SECONDS", 10.0)
            if len(found) == 2:
                break
        return found

    assert asyncio.run(asyncio.wait_for(told(), 30)) == [Risk.LOW, Risk.HIGH]
