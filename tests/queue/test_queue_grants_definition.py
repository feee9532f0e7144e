"""A grant is for the definition of the tool that it was given for."""

from __future__ import annotations

from typing import Any

import pytest
from queue_samples import approve, call

from signoff.queue import Submission
from signoff.queue.grant_pattern import AnyValue, GrantPattern

OLD, NEW = "a" * 64, "b" * 64
DEFINITIONS = [None, OLD, NEW]


def under(definition: str | None, key: str = "k1", **fields: Any) -> Submission:
    return call(key, definition=definition, **fields)


@pytest.mark.parametrize("asked", DEFINITIONS)
@pytest.mark.parametrize("granted", DEFINITIONS)
def test_a_grant_answers_under_its_definition_and_one_without_under_all(
    agent: Any, granted: str | None, asked: str | None
) -> None:
    agent.add_grant(under(granted), by="anna")
    assert (agent.use_grant(under(asked)) is not None) is (granted in (None, asked))


def test_grants_for_several_definitions_stand_side_by_side(agent: Any) -> None:
    given = [agent.add_grant(under(each), by="anna") for each in DEFINITIONS]
    assert agent.grants() == tuple(given)
    assert [agent.use_grant(under(each)).id for each in DEFINITIONS] == [each.id for each in given]


def test_the_same_grant_in_force_is_kept(agent: Any) -> None:
    assert agent.add_grant(under(OLD), by="anna").id == agent.add_grant(under(OLD), by="anna").id


def test_a_remembered_decision_is_for_the_definition_that_was_shown(agent: Any, review: Any) -> None:
    approve(review, agent.submit(under(OLD)), remember=True)
    assert agent.use_grant(under(OLD)) is not None
    assert agent.use_grant(under(NEW)) is None


def test_a_pattern_is_for_the_definition_of_its_request(agent: Any, review: Any) -> None:
    request = agent.submit(under(OLD))
    pattern = GrantPattern("write_file", (("path", AnyValue()),))
    grant = review.add_pattern(pattern, session=request.asked_by.session, origin=request.id)
    assert (grant.definition, review.grants()) == (OLD, (grant,))
    assert agent.use_grant(under(OLD)) is not None
    assert agent.use_grant(under(NEW)) is None


def test_the_definition_is_kept_with_the_request(agent: Any, review: Any) -> None:
    agent.submit(under(OLD))
    assert [each.submission.definition for each in review.pending()] == [OLD]


def test_a_grant_says_that_it_is_for_one_definition(agent: Any) -> None:
    assert (
        agent.add_grant(under(OLD), by="anna")
        .words()
        .endswith("; only while the tool is defined as it was then (definition aaaaaaaa)")
    )
