"""How reviewers learn what changed."""

from __future__ import annotations

import asyncio
import math
from types import SimpleNamespace

import pytest
from queue_samples import PATIENCE, approve, call

from signoff.queue import QueueUnavailableError, RequestState, place_name
from signoff.queue.clock import SECOND, now_us
from signoff.queue.errors import QueueAwayError
from signoff.queue.postgres import engine as postgres
from signoff.queue.sql import answers
from signoff.queue.sqlite import wakeups
from system_bench import eventually


def _seen(found):
    return [(change.request.id, change.request.state) for change in found.changes]


def test_the_first_look_shows_what_waits_and_nothing_else(agent, review):
    decided, waiting = agent.submit(call("k1")), agent.submit(call("k2"))
    approve(review, decided)
    assert _seen(review.changes(0)) == [(waiting.id, RequestState.PENDING)]


def test_nothing_changes_between_two_looks_without_a_change(agent, review):
    agent.submit(call())
    cursor = review.changes(0).cursor
    assert review.changes(cursor) == review.changes(cursor)
    assert review.changes(cursor).changes == ()


def test_a_look_shows_each_changed_request_once_as_it_is_now(agent, review):
    cursor = review.changes(0).cursor
    first, second = agent.submit(call("k1")), agent.submit(call("k2"))
    approve(review, first)
    agent.wait(first.id)
    found = review.changes(cursor)
    assert _seen(found) == [
        (first.id, RequestState.APPROVED),
        (second.id, RequestState.PENDING),
    ]
    assert found.changes[0].request.delivered_at is not None


def test_a_decision_right_after_the_look_at_an_empty_queue_is_seen(agent, review):
    cursor = review.changes(0).cursor
    posted = agent.submit(call())
    approve(review, posted)
    assert _seen(review.changes(cursor)) == [(posted.id, RequestState.APPROVED)]


def test_an_amended_request_is_shown_in_its_newest_revision_only(agent, review):
    posted = agent.submit(call())
    cursor = review.changes(0).cursor
    amended = agent.amend(posted.id, call(content="newer"))
    assert [change.request for change in review.changes(cursor).changes] == [amended]


async def test_watching_an_empty_queue_yields_an_empty_set_first(review):
    watch = review.watch()
    found = await anext(watch)
    assert found.changes == ()
    await watch.aclose()


@pytest.mark.usefixtures("only_bells")
async def test_a_watcher_is_woken_by_each_step_of_a_request(agent, review):
    watch = review.watch()
    await anext(watch)
    async with asyncio.timeout(PATIENCE):
        posted = await agent.asubmit(call())
        assert _seen(await anext(watch)) == [(posted.id, RequestState.PENDING)]
        await agent.awithdraw(posted.id, "not needed")
        assert _seen(await anext(watch)) == [(posted.id, RequestState.WITHDRAWN)]
    await watch.aclose()


@pytest.mark.usefixtures("only_bells")
async def test_what_happens_while_nobody_asks_is_merged(agent, review):
    watch = review.watch()
    await anext(watch)
    posted = [await agent.asubmit(call(f"k{n}")) for n in range(20)]
    async with asyncio.timeout(PATIENCE):
        found = await anext(watch)
    assert _seen(found) == [(request.id, RequestState.PENDING) for request in posted]
    await watch.aclose()


@pytest.mark.usefixtures("only_bells")
async def test_all_watchers_are_woken(agent, open_review):
    watches = [open_review(name).watch() for name in ("anna", "bob", "carl")]
    for watch in watches:
        await anext(watch)
    posted = await agent.asubmit(call())
    async with asyncio.timeout(PATIENCE):
        for watch in watches:
            assert _seen(await anext(watch)) == [(posted.id, RequestState.PENDING)]
            await watch.aclose()


async def test_a_watcher_finds_a_passed_deadline_by_itself(agent, review):
    watch = review.watch()
    await anext(watch)
    posted = await agent.asubmit(call(expires_at=1))
    seen = []
    async with asyncio.timeout(PATIENCE):
        while (posted.id, RequestState.EXPIRED) not in seen:
            seen += _seen(await anext(watch))
    await watch.aclose()


async def test_closing_the_connection_ends_its_watch(review):
    watch = review.watch()
    await anext(watch)
    review.close()
    with pytest.raises(QueueUnavailableError, match="closed"):
        async with asyncio.timeout(PATIENCE):
            await anext(watch)


@pytest.mark.usefixtures("only_bells")
async def test_a_watcher_is_told_of_grants_with_an_empty_set(agent, review):
    watch = review.watch()
    await anext(watch)
    async with asyncio.timeout(PATIENCE):
        grant = agent.add_grant(call(), by="anna")
        assert _seen(await anext(watch)) == []
        assert agent.use_grant(call("k2")) is not None
        assert _seen(await anext(watch)) == []
        assert review.revoke(grant.id)
        assert _seen(await anext(watch)) == []
        agent.add_grant(call(), by="anna")
        assert _seen(await anext(watch)) == []
        assert review.revoke_all() == 1
        assert _seen(await anext(watch)) == []
    await watch.aclose()


@pytest.mark.usefixtures("only_bells")
async def test_a_watcher_is_told_that_an_agent_ended_that_waited_for_nothing(agent, review):
    watch = review.watch()
    await anext(watch)
    async with asyncio.timeout(PATIENCE):
        agent.close()
        assert _seen(await anext(watch)) == []
        assert [record.ended_at is None for record in review.agents()] == [False]
    await watch.aclose()


# -- an open screen -----------------------------------------------------------------------------------------


async def test_whoever_watches_counts_as_an_open_screen_and_no_other_connection_does(agent, open_review):
    other, screen = open_review("bob"), open_review("anna")
    assert not other.stats().screen_open
    watch = screen.watch()
    await anext(watch)
    assert other.stats().screen_open
    await watch.aclose()
    screen.close()
    await asyncio.to_thread(eventually, lambda: not other.stats().screen_open)


async def test_a_screen_that_hangs_does_not_count(opener, review, monkeypatch):
    monkeypatch.setattr(wakeups, "AWAKE_SECONDS", 0.0)  # so long ago is now
    monkeypatch.setattr(postgres, "_ATTENDED", postgres._ATTENDED.replace("- 1", "+ 1"))
    watch = review.watch()
    await anext(watch)
    assert not review.stats().screen_open
    await watch.aclose()


# -- nobody there -------------------------------------------------------------------------------------------


@pytest.fixture
def notices(monkeypatch, capsys):
    """What is said on standard error of an agent that waits in vain; it loses patience at once."""
    monkeypatch.setattr(answers, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(answers, "_given", False)
    monkeypatch.setattr(answers, "RELOOK_SECONDS", 0.01)
    return lambda: capsys.readouterr().err


def soon(key):
    """A call whose deadline comes soon."""
    return call(key, expires_at=now_us() + SECOND // 5)


def test_an_agent_that_waits_without_a_screen_says_so_once(agent, opener, notices):
    for key in ("k1", "k2"):
        agent.wait(agent.submit(soon(key)).id)
    (notice,) = notices().splitlines()
    assert "waits for an answer, and no screen is open; to review it, type: signoff --queue " in notice
    assert place_name(opener.place).partition("?")[0] in notice


async def test_a_coroutine_that_waits_without_a_screen_says_so_once(agent, notices):
    posted = [await agent.asubmit(soon(key)) for key in ("k1", "k2")]
    await asyncio.gather(*(agent.await_outcome(each.id) for each in posted))
    assert notices().count("no screen is open") == 1


def test_after_an_outage_screens_have_time_to_come_back_before_they_are_missed(monkeypatch):
    now = 0.0
    monkeypatch.setattr(answers, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(answers, "_given", False)
    outage = answers.Outage("the queue")
    notice = answers.UnattendedNotice(outage)
    outage.goes_on(QueueAwayError("the queue went away"))
    now = 60.0
    assert notice.due
    outage.over()
    assert not notice.due
    now += answers._PATIENCE_SECONDS
    assert notice.due


async def test_who_waits_knows_of_the_outage(agent, notices):
    agent._answers.outage.ended_at = math.inf
    agent.wait(agent.submit(soon("k1")).id)
    await agent.await_outcome((await agent.asubmit(soon("k2"))).id)
    assert notices() == ""


async def test_with_a_screen_open_nothing_is_said(agent, review, notices):
    watch = review.watch()
    await anext(watch)
    await agent.await_outcome((await agent.asubmit(soon("k1"))).id)
    assert notices() == ""
    await watch.aclose()
