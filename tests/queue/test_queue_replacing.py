"""Who waits for what another connection of the session amended is told that it was superseded, and by whom."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from queue_samples import PATIENCE, approve, call, eventually

from signoff.queue import RequestState

NEWER = call(content="newer")


@pytest.fixture
def other(open_agent):
    """Another connection of the same session."""
    return open_agent("resumed")


@pytest.fixture
def posted(agent):
    """A request of the first connection."""
    return agent.submit(call())


@pytest.mark.usefixtures("only_bells")
def test_a_waiting_thread_learns_who_replaced_its_request(opener, agent, other, posted):
    with ThreadPoolExecutor() as executor:
        waiting = executor.submit(agent.wait, posted.id)
        eventually(opener.sleepers)
        other.amend(posted.id, NEWER)
        outcome = waiting.result(PATIENCE)
    assert (outcome.request.revision, outcome.request.state) == (1, RequestState.SUPERSEDED)
    assert (outcome.approved, outcome.decision) == (False, None)
    assert outcome.request.state_note.startswith(
        "revision 2 took its place; another connection of the session asked for it: resumed (process "
    )


@pytest.mark.usefixtures("only_bells")
async def test_a_waiting_coroutine_learns_who_replaced_its_request(agent, other, posted):
    waiting = asyncio.create_task(agent.await_outcome(posted.id))
    await other.aamend(posted.id, NEWER)
    async with asyncio.timeout(PATIENCE):
        outcome = await waiting
    assert (outcome.request.revision, outcome.request.state) == (1, RequestState.SUPERSEDED)
    assert "resumed (process " in outcome.request.state_note


def test_who_waits_only_after_the_replacement_learns_the_same(agent, other, posted):
    other.amend(posted.id, NEWER)
    assert agent.wait(posted.id).request.state is RequestState.SUPERSEDED


def test_an_approval_of_the_replacement_is_no_approval_of_what_it_replaced(agent, other, review, posted):
    approve(review, other.amend(posted.id, NEWER))
    assert not agent.wait(posted.id).approved
    outcome = other.wait(posted.id)
    assert (outcome.approved, outcome.ours) == (True, True)


def test_an_approval_that_was_replaced_before_it_was_taken_is_none(agent, other, review, posted):
    approve(review, posted)
    other.amend(posted.id, NEWER)
    outcome = agent.wait(posted.id)
    assert (outcome.request.state, outcome.approved) == (RequestState.SUPERSEDED, False)


def test_replacing_in_turn_tells_the_other_one(agent, other, posted):
    other.amend(posted.id, NEWER)
    third = agent.amend(posted.id, call(content="newest"))
    assert other.wait(posted.id).request.state is RequestState.SUPERSEDED
    assert third.revision == 3


def test_taking_back_what_another_one_replaced_leaves_the_replacement(agent, other, review, posted):
    replacement = other.amend(posted.id, NEWER)
    assert not agent.withdraw(posted.id, "nobody waits")
    assert review.pending() == (replacement,)


def test_a_connection_that_goes_on_with_the_same_content_does_not_replace_it(agent, other, review, posted):
    taken_over = other.submit(call())
    approve(review, taken_over)
    assert taken_over.revision == 1
    assert agent.wait(posted.id).approved


def test_a_reviewer_who_saw_the_replaced_revision_decides_nothing(other, review, posted):
    other.amend(posted.id, NEWER)
    assert not approve(review, posted).accepted
    assert len(review.pending()) == 1
