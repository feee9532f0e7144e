"""A queue in PostgreSQL that is dumped while it is used, and put back."""

from __future__ import annotations

import subprocess
import threading

import psycopg
import pytest
from queue_samples import approve, call, eventually

from postgres_server import server
from signoff.queue import AgentInfo, QueueUnavailableError, open_agent_queue, open_review_queue
from signoff.queue.postgres.connection import parse_url

pytestmark = pytest.mark.engines("fresh postgres")


@pytest.fixture
def elsewhere():
    """URL of an empty database beside the one of the tests."""
    with psycopg.connect(server().url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE elsewhere")
    yield server().url.replace("/signoff?", "/elsewhere?")
    with psycopg.connect(server().url, autocommit=True) as admin:
        admin.execute("DROP DATABASE elsewhere WITH (FORCE)")


def test_a_dump_that_was_made_under_load_is_a_whole_queue_elsewhere(opener, elsewhere):
    ended = threading.Event()
    review = opener.review()
    agents = [opener.agent(f"bot-{number}", f"s-{number}") for number in range(3)]

    def ask(agent):
        number = 0
        while not ended.is_set():
            approve(review, agent.submit(call(f"{number}")))
            number += 1

    askers = [threading.Thread(target=ask, args=(agent,)) for agent in agents]
    for asker in askers:
        asker.start()
    eventually(lambda: len(review.history()) > 20)
    dump = _run("pg_dump", "--schema", parse_url(opener.place).schema, server().url)
    ended.set()
    for asker in askers:
        asker.join()
    _run("psql", "-q", "-v", "ON_ERROR_STOP=1", elsewhere, entered=dump)
    copy = opener.place.replace("/signoff?", "/elsewhere?")
    with open_review_queue(copy, create=False) as restored:
        assert restored.check_history().fault is None
        assert 20 < len(restored.history(limit=10_000)) <= len(review.history(limit=10_000))
    with open_agent_queue(AgentInfo("later", "s-9", "/work"), copy) as later, open_review_queue(copy) as restored:
        approve(restored, later.submit(call("after the restore")))


def test_a_queue_that_is_set_back_to_a_dump_is_gone_for_those_who_saw_more(opener):
    agent, review = opener.agent(), opener.review()
    dump = _run("pg_dump", "--clean", "--schema", parse_url(opener.place).schema, server().url)
    agent.submit(call())
    assert review.pending()
    _run("psql", "-q", "-v", "ON_ERROR_STOP=1", server().url, entered=dump)
    with pytest.raises(QueueUnavailableError, match="set back"):
        review.pending()


def _run(program, *words, entered=None):
    return subprocess.run(
        [server().program(program), *words], input=entered, capture_output=True, text=True, check=True
    ).stdout
