"""A grant of the queue covers what the matching corpus says, no more and no less."""

from __future__ import annotations

import pytest
from queue_samples import call

from matching_corpus import cases, payload_of
from signoff.canonical import NotJsonError, canonical
from signoff.queue import InvalidSubmissionError


def submission_of(of_case):
    payload = payload_of(of_case)
    return call(tool_name=of_case["tool_name"], payload=payload, payload_key=canonical(payload), arguments={})


@pytest.mark.parametrize(("calls", "accepted"), cases())
def test_a_grant_covers_exactly_what_it_says(agent, calls, accepted):
    try:
        agent.add_grant(submission_of(calls["remembered"]), by="anna")
        covered = agent.use_grant(submission_of(calls["later"])) is not None
    except (NotJsonError, InvalidSubmissionError, TypeError, ValueError):  # refused: it covers nothing
        covered = False
    assert covered in accepted
