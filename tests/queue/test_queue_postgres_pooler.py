"""A pooler between a queue and its server: what shares sessions is refused, what does not works."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from postgres_pooler import pooler
from queue_engines import FreshPostgresOpener
from queue_samples import PATIENCE, approve, call, eventually

from postgres_server import server
from signoff.queue import AgentInfo, QueueUnavailableError, open_agent_queue, open_review_queue, queue_stats
from signoff.queue.postgres import connection as connection_module
from signoff.queue.sqlite.wakeups import REVIEWERS

OTHER = AgentInfo("other", "s-42", "/work")


@pytest.fixture(autouse=True)
def _nothing_is_sent_behind_the_end(monkeypatch):
    """Psycopg sends a Flush behind a Sync, as a rule at once.

    A pooler that has handed on the answer by then keeps a session for it, as if more were to come.
    """
    fetch = psycopg.Pipeline._fetch_gen
    monkeypatch.setattr(psycopg.Pipeline, "_fetch_gen", lambda self, *, flush: fetch(self, flush=False))


@pytest.fixture
def opener():
    """A queue that is open without any pooler, too."""
    opener = FreshPostgresOpener()
    opener.review()
    yield opener
    opener.close()


@pytest.mark.parametrize(
    ("mode", "more"),
    [
        ("transaction", ""),
        ("transaction", "server_round_robin = 1\nmin_pool_size = 3"),
        ("transaction", "server_reset_query_always = 1\nmin_pool_size = 3"),
        ("transaction", "default_pool_size = 1\nserver_reset_query_always = 1"),
        ("statement", ""),
    ],
)
@pytest.mark.parametrize(
    "opened",
    [open_review_queue, lambda place: open_agent_queue(OTHER, place), queue_stats],
    ids=["review", "agent", "status"],
)
def test_a_pooler_that_shares_sessions_is_refused_with_what_to_do(opener, mode, more, opened):
    with pooler(mode, more) as pool, pytest.raises(QueueUnavailableError, match="name the server itself"):
        opened(pool.place(opener.place))


def test_nothing_is_set_in_a_session_that_others_share(opener):
    """It is the pooler's, and others of the database get it next."""
    with pooler("transaction", "default_pool_size = 1") as pool:
        with pytest.raises(QueueUnavailableError):
            open_review_queue(pool.place(opener.place))
        with psycopg.connect(f"host={pool.host} user=signoff dbname=signoff", autocommit=True) as other:
            assert other.execute("SHOW search_path").fetchone() == ('"$user", public',)
            assert other.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("0",)


@pytest.mark.parametrize("use", ["read", "write", "select"])
def test_a_session_that_others_got_into_is_never_used(opener, monkeypatch, use):
    """As if it came out right by chance when it was opened: each look and write finds it out."""
    monkeypatch.setattr(connection_module, "_refuse_shared", lambda *_: None)
    elsewhere = FreshPostgresOpener()
    elsewhere.review()
    with pooler("transaction", "default_pool_size = 1") as pool:
        mine = open_review_queue(pool.place(opener.place), create=False)
        try:
            assert mine.pending() == ()
            with open_review_queue(pool.place(elsewhere.place), create=False) as theirs:
                with pytest.raises(QueueUnavailableError, match="name the server itself"):
                    _use(mine._engine, use)
                assert theirs.pending() == ()
        finally:
            mine.close()
            elsewhere.close()


def test_a_session_of_which_nothing_is_known_is_never_used(opener, monkeypatch):
    monkeypatch.setattr(connection_module, "_refuse_shared", lambda *_: None)
    with (
        pooler("transaction", "server_reset_query_always = 1") as pool,
        pytest.raises(QueueUnavailableError, match="name the server itself"),
    ):
        open_review_queue(pool.place(opener.place), create=False)


def _use(engine, use):
    if use == "select":
        engine.select(("SELECT id FROM requests", ()))
        return
    with getattr(engine, use)() as used:
        used.rows("SELECT id FROM requests")
        if use == "write":
            used.run("DELETE FROM agents")


@pytest.mark.usefixtures("only_bells")
def test_a_pooler_that_gives_each_connection_a_session_works(opener):
    with (
        pooler("session") as pool,
        open_agent_queue(OTHER, pool.place(opener.place)) as agent,
        open_review_queue(pool.place(opener.place)) as review,
        ThreadPoolExecutor() as threads,
    ):
        posted = agent.submit(call())
        waiting = threads.submit(agent.wait, posted.id)
        eventually(lambda: agent._engine.bells.sleepers(besides=REVIEWERS))
        assert approve(review, posted).accepted
        assert waiting.result(PATIENCE).approved


def test_a_pooler_that_has_no_session_left_says_what_to_raise(opener, monkeypatch):
    monkeypatch.setattr(connection_module, "_POOL_SECONDS", 0.2)
    with (
        pooler("session", "default_pool_size = 1") as pool,
        pytest.raises(QueueUnavailableError, match="pool_size"),
    ):
        open_review_queue(pool.place(opener.place))


def test_a_pooler_that_takes_no_more_clients_says_what_to_raise(opener):
    with pooler("session", "max_client_conn = 1") as pool, contextlib.ExitStack() as taken:

        def take():
            with contextlib.suppress(psycopg.OperationalError):  # it still counts one that has just ended
                return taken.enter_context(psycopg.connect(host=pool.host, user="signoff", dbname="signoff"))

        eventually(take)
        with pytest.raises(QueueUnavailableError, match="max_client_conn"):
            open_review_queue(pool.place(opener.place))


def test_an_option_that_a_pooler_refuses_is_explained(opener):
    place = opener.place.replace("&queue=", "&options=-cjit%3Doff&queue=")
    with pooler("session") as pool, pytest.raises(QueueUnavailableError, match="ignore_startup_parameters"):
        open_review_queue(pool.place(place))


def test_a_pooler_whose_server_is_away_is_told_from_one_that_is_away(opener):
    with (
        pooler("session", "query_wait_timeout = 1") as pool,
        server().stopped(),
        pytest.raises(QueueUnavailableError, match="pooler that got no session of its server"),
    ):
        open_review_queue(pool.place(opener.place))
