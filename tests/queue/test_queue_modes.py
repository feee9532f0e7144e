"""Reviewers see how an agent answers what needs approval, as it says itself; nothing else depends on it."""

from __future__ import annotations

import asyncio
import json

import pytest
from queue_samples import PATIENCE, call

from signoff.queue import (
    AgentInfo,
    AgentMode,
    InvalidSubmissionError,
    QueueUnavailableError,
    open_agent_queue,
)

APPROVE_ALL, STRICT, INTERACTIVE = AgentMode


class Controller:
    """Somebody who answers."""


def modes(review):
    return [record.mode for record in review.agents(connected=True)]


def as_stored(review, **said):
    """Store something else in the place of what an agent said of itself."""
    with review._engine.write() as transaction:
        info = json.loads(transaction.row("SELECT info FROM agents")["info"])
        kept = {name: value for name, value in (info | said).items() if value is not ...}
        transaction.run("UPDATE agents SET info = ?", json.dumps(kept))


def test_an_agent_is_interactive_until_it_says_otherwise(agent, review):
    assert agent.agent.mode is INTERACTIVE
    assert modes(review) == [INTERACTIVE]


def test_the_mode_with_which_an_agent_introduces_itself_is_seen(opener, review):
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work", mode=STRICT), opener.place) as agent:
        assert modes(review) == [STRICT]
        agent.announce_mode(INTERACTIVE, of=Controller())
        assert modes(review) == [STRICT]


def test_an_announced_mode_is_seen_and_replaces_the_one_before(agent, review):
    for mode in (APPROVE_ALL, STRICT, INTERACTIVE):
        agent.announce_mode(mode)
        assert (modes(review), agent.agent.mode) == ([mode], mode)


def test_the_rest_of_the_introduction_stays(agent, review):
    agent.announce_mode(APPROVE_ALL)
    record, info = review.agents()[0], agent.agent
    assert (record.name, record.session, record.cwd, record.via) == (info.name, info.session, info.cwd, info.via)


def test_a_mode_that_is_known_already_is_not_written_again(agent, review):
    start = review.changes(0).cursor
    agent.announce_mode(INTERACTIVE)
    assert review.changes(0).cursor == start
    for _ in range(2):
        agent.announce_mode(STRICT)
        assert review.changes(0).cursor == start + 1


def test_of_several_on_one_connection_the_one_to_know_of_most_is_said(agent, review):
    loose, hard, asking = Controller(), Controller(), Controller()
    for mode, controller in ((STRICT, hard), (APPROVE_ALL, loose), (INTERACTIVE, asking)):
        agent.announce_mode(mode, of=controller)
    assert modes(review) == [APPROVE_ALL]
    agent.announce_mode(INTERACTIVE, of=loose)
    assert modes(review) == [STRICT]


def test_who_does_not_exist_any_more_does_not_count(agent, review):
    agent.announce_mode(APPROVE_ALL, of=Controller())
    agent.announce_mode(INTERACTIVE)
    assert modes(review) == [INTERACTIVE]


@pytest.mark.usefixtures("only_bells")
async def test_a_mode_wakes_the_reviewers(agent, review):
    watch = review.watch()
    await anext(watch)
    agent.announce_mode(APPROVE_ALL)
    assert (await asyncio.wait_for(anext(watch), PATIENCE)).changes == ()
    await watch.aclose()


@pytest.mark.parametrize("word", ["approve all", "", "\x1b[2J", 5, None])
def test_an_unknown_mode_is_refused(agent, review, word):
    with pytest.raises(InvalidSubmissionError, match="unknown mode"):
        agent.announce_mode(word)
    assert modes(review) == [INTERACTIVE]


def test_nobody_is_registered_with_an_unknown_mode(opener, review):
    with pytest.raises(InvalidSubmissionError, match="unknown mode"):
        open_agent_queue(AgentInfo("refactor", "s-41", "/work", mode="lenient"), opener.place)
    assert review.agents() == ()


@pytest.mark.parametrize("said", [..., "lenient", "\x1b[2J approve_all", 5, None, ["strict"], {"mode": "strict"}])
def test_a_stored_mode_that_is_missing_or_unknown_is_none(agent, review, said):
    as_stored(review, mode=said)
    record = review.agents()[0]
    assert (record.mode, record.name, record.damage) == (None, "refactor", None)


def test_an_agent_that_left_is_not_among_the_connected_ones(open_agent, review):
    with open_agent(session="s-2") as other:
        other.announce_mode(APPROVE_ALL)
    assert modes(review) == []
    assert [record.mode for record in review.agents()] == [APPROVE_ALL]


def test_a_mode_decides_nothing(agent, review):
    posted = agent.submit(call())
    agent.announce_mode(APPROVE_ALL)
    assert review.get(posted.id).pending


def test_what_could_not_be_written_is_said_the_next_time(agent, review, monkeypatch):
    def refuse(**_):
        raise QueueUnavailableError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(agent._engine, "write", refuse)
        with pytest.raises(QueueUnavailableError):
            agent.announce_mode(APPROVE_ALL)
    agent.announce_mode(APPROVE_ALL)
    assert modes(review) == [APPROVE_ALL]
