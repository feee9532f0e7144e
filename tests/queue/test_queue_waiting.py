"""How agents learn the answer."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from queue_samples import PATIENCE, approve, call, eventually, reject, target

from signoff.queue import Decision, QueueUnavailableError, RequestState, UnknownRequestError


@pytest.fixture
def thread():
    with ThreadPoolExecutor() as executor:
        yield executor


def _asleep(opener, count=1):
    """Whether so many agents sleep under bells."""
    return opener.sleepers() >= count


def test_an_answer_that_is_there_is_returned_at_once(agent, review):
    posted = agent.submit(call())
    approve(review, posted, note="fine")
    outcome = agent.wait(posted.id)
    assert outcome.approved
    assert outcome.decision.note == "fine"


def test_a_no_is_not_an_approval(agent, review):
    posted = agent.submit(call())
    reject(review, posted)
    assert not agent.wait(posted.id).approved


@pytest.mark.usefixtures("only_bells")
def test_a_waiting_thread_is_woken_by_the_decision(opener, agent, review, thread):
    posted = agent.submit(call())
    waiting = thread.submit(agent.wait, posted.id)
    eventually(lambda: _asleep(opener))
    approve(review, posted)
    assert waiting.result(PATIENCE).approved


@pytest.mark.usefixtures("only_bells")
async def test_a_waiting_coroutine_is_woken_by_the_decision(opener, agent, review):
    posted = await agent.asubmit(call())
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        waiting = group.create_task(agent.await_outcome(posted.id))
        await asyncio.to_thread(eventually, lambda: _asleep(opener))
        await asyncio.to_thread(approve, review, posted)
    assert waiting.result().approved


@pytest.mark.usefixtures("only_bells")
def test_everybody_who_waits_for_the_same_request_is_told(opener, open_agent, review, thread):
    posted = open_agent().submit(call())
    waiting = [thread.submit(open_agent().wait, posted.id) for _ in range(2)]
    eventually(lambda: _asleep(opener, 2))
    approve(review, posted)
    assert all(each.result(PATIENCE).approved for each in waiting)


@pytest.mark.usefixtures("only_bells")
def test_of_those_who_are_woken_for_the_same_request_one_takes_the_answer(opener, open_agent, review, thread):
    posted = open_agent().submit(call())
    waiting = [thread.submit(open_agent().wait, posted.id) for _ in range(4)]
    eventually(lambda: _asleep(opener, 4))
    approve(review, posted)
    assert sorted(each.result(PATIENCE).ours for each in waiting) == [False, False, False, True]


def test_taking_the_answer_is_noted_once(agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    assert review.get(posted.id).delivered_at is None
    first = agent.wait(posted.id).request.delivered_at
    assert first is not None
    assert agent.wait(posted.id).request.delivered_at == first


@pytest.mark.usefixtures("only_bells")
def test_a_waiter_follows_an_amended_request(opener, agent, review, thread):
    posted = agent.submit(call())
    waiting = thread.submit(agent.wait, posted.id)
    eventually(lambda: _asleep(opener))
    amended = agent.amend(posted.id, call(content="newer"))
    approve(review, amended)
    outcome = waiting.result(PATIENCE)
    assert (outcome.request.revision, outcome.approved) == (2, True)


@pytest.mark.usefixtures("only_bells")
async def test_a_waiting_coroutine_follows_an_amended_request(agent, review):
    posted = await agent.asubmit(call())
    waiting = asyncio.create_task(agent.await_outcome(posted.id))
    amended = await agent.aamend(posted.id, call(content="newer"))
    await asyncio.to_thread(approve, review, amended)
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).request.revision == 2


@pytest.mark.usefixtures("only_bells")
async def test_a_thousand_coroutines_wait_at_once(opener, agent, review):
    posted = [await agent.asubmit(call(f"k{n}")) for n in range(1000)]
    waiting = [asyncio.create_task(agent.await_outcome(each.id)) for each in posted]
    await asyncio.to_thread(eventually, lambda: _asleep(opener))
    last_first = [target(each) for each in posted[::-1]]
    for at in range(0, len(last_first), 50):  # a transaction for each would take most of the time
        await asyncio.to_thread(review.decide_many, last_first[at : at + 50], Decision(approved=True))
    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*waiting)
    assert [outcome.request.id for outcome in outcomes] == [each.id for each in posted]
    assert all(outcome.approved for outcome in outcomes)


async def test_cancelling_a_wait_leaves_the_request_as_it_is(agent, review):
    posted = await agent.asubmit(call())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await agent.await_outcome(posted.id)
    assert review.get(posted.id) == posted
    approve(review, posted)
    assert (await agent.await_outcome(posted.id)).approved


async def test_cancelling_one_wait_leaves_the_others(agent, review):
    posted = await agent.asubmit(call())
    cancelled, waiting = (asyncio.create_task(agent.await_outcome(posted.id)) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.to_thread(approve, review, posted)
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).approved


async def test_waiting_for_an_unknown_request_is_an_error_for_that_waiter_only(agent, review):
    posted = await agent.asubmit(call())
    waiting = asyncio.create_task(agent.await_outcome(posted.id))
    with pytest.raises(UnknownRequestError):
        await agent.await_outcome("nothing")
    await asyncio.to_thread(approve, review, posted)
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).approved


def test_each_event_loop_may_wait_on_the_same_connection(agent, review):
    for n in range(3):
        posted = agent.submit(call(f"k{n}"))
        approve(review, posted)
        assert asyncio.run(agent.await_outcome(posted.id)).approved


@pytest.mark.usefixtures("only_bells")
def test_closing_ends_the_wait_of_another_thread_without_an_approval(opener, agent, thread):
    posted = agent.submit(call())
    waiting = thread.submit(agent.wait, posted.id)
    eventually(lambda: _asleep(opener))
    agent.close()
    try:
        outcome = waiting.result(PATIENCE)
    except QueueUnavailableError:
        return
    assert outcome.request.state is RequestState.WITHDRAWN


@pytest.mark.usefixtures("only_bells")
async def test_closing_ends_the_wait_of_coroutines_without_an_approval(opener, agent):
    posted = await agent.asubmit(call())
    waiting = asyncio.create_task(agent.await_outcome(posted.id))
    await asyncio.to_thread(eventually, lambda: _asleep(opener))
    await asyncio.to_thread(agent.close)
    try:
        async with asyncio.timeout(PATIENCE):
            outcome = await waiting
    except QueueUnavailableError:
        return
    assert outcome.request.state is RequestState.WITHDRAWN


def test_threads_share_a_connection(agent, review, thread):
    posted = list(thread.map(lambda n: agent.submit(call(f"k{n}")), range(40)))
    waiting = [thread.submit(agent.wait, each.id) for each in posted[:4]]
    assert all(thread.map(lambda each: approve(review, each).accepted, posted, timeout=PATIENCE))
    assert all(each.result(PATIENCE).approved for each in waiting)


def test_no_bell_is_left_behind(opener, agent, review):
    posted = agent.submit(call())
    approve(review, posted)
    agent.wait(posted.id)
    asyncio.run(agent.await_outcome(posted.id))
    agent.close()
    assert opener.sleepers() == 0
