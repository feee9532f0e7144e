"""What only PostgreSQL has: rules in the database, a server that stops, and connections that break."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from postgres_line import line_to
from queue_engines import FreshPostgresOpener
from queue_samples import IMPOSSIBLE, PATIENCE, REWRITES, approve, call, eventually, target

from postgres_server import server
from signoff.canonical import canonical
from signoff.queue import (
    AgentInfo,
    Decision,
    HistoryFilter,
    QueueAwayError,
    QueueNotFoundError,
    QueueUnavailableError,
    QueueVersionError,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.postgres import engine as engine_module
from signoff.queue.postgres.connection import parse_url
from signoff.queue.postgres.schema import SCHEMA_VERSION
from signoff.queue.postgres.wakeups import LONGEST_PAYLOAD, LocalBells, payloads
from signoff.queue.sql import answers
from signoff.queue.sql.engine import session_bell
from signoff.queue.sqlite.wakeups import REVIEWERS

pytestmark = pytest.mark.engines("fresh postgres")

INFO = AgentInfo("refactor", "s-41", "/work")


@pytest.fixture
def raw(opener, agent):
    """The database as somebody sees it who goes around us."""
    with opener.administrator() as raw:
        yield raw


@pytest.fixture
def line():
    """A line to the server that can be cut."""
    with line_to(server().socket) as line:
        yield line


@pytest.fixture
def agent_on_line(opener, line, agent):
    """An agent that is connected by the line."""
    place = opener.place.replace(f"host={server().socket.parent}", f"host={line.host}")
    with open_agent_queue(AgentInfo("refactor", "s-43", "/work"), place) as agent:
        yield agent


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.2)


def cut_off_everybody(admin):
    """End all sessions but one's own."""
    admin.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )


# The rules

TRUNCATIONS = ("TRUNCATE requests CASCADE", "TRUNCATE history")


@pytest.mark.parametrize("statement", [*REWRITES, *TRUNCATIONS])
def test_the_database_itself_refuses_to_rewrite_what_happened(agent, review, raw, statement):
    approve(review, agent.submit(call()), remember=True)
    with pytest.raises(psycopg.IntegrityError):
        raw.execute(statement)


@pytest.mark.parametrize("statement", IMPOSSIBLE)
def test_the_database_itself_refuses_states_that_cannot_be(agent, raw, statement):
    agent.submit(call())
    with pytest.raises(psycopg.IntegrityError):
        raw.execute(statement)


def test_both_engines_have_the_same_tables_and_triggers(opener, raw, tmp_path):
    open_review_queue(tmp_path / "queue").close()
    with closing(sqlite3.connect(tmp_path / "queue" / "queue.db")) as file:
        names = file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%sear%'")
        tables = {
            name: {column for _, column, *_ in file.execute(f"PRAGMA table_info({name})")}
            for (name,) in names.fetchall()
            if not name.startswith("sqlite_")
        }
        triggers = {name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    columns = "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema"
    for table in ("agents", "blobs", "blob_uses"):
        tables[table].add("login")  # a file belongs to one user
    for table, expected in tables.items():
        assert {name for (name,) in raw.execute(f"{columns} AND table_name = %s", (table,))} == expected
    assert triggers <= {name for (name,) in raw.execute("SELECT tgname FROM pg_trigger")}


def test_a_revoked_grant_cannot_be_revived(agent, review, raw):
    grant = agent.add_grant(call(), by="callback")
    review.revoke(grant.id)
    with pytest.raises(psycopg.IntegrityError):
        raw.execute("UPDATE grants SET revoked_at = NULL, revoked_by = NULL")


def test_the_longest_names_that_an_agent_may_choose_are_taken(open_agent, review):
    """An entry of a B-tree holds at most 2704 bytes."""
    odd = "".join(chr(0x4E00 + 37 * n % 20_000) for n in range(4000))
    payload = {odd: odd}
    agent = open_agent(odd, odd)
    posted = agent.submit(
        call(odd, tool_name=odd, batch_id=odd, payload=payload, payload_key=canonical(payload), digest=odd)
    )
    assert approve(review, posted, remember=True).accepted
    assert agent.use_grant(posted.submission) is not None
    assert len(review.history(HistoryFilter(session=odd, agent_name=odd, tool_name=odd))) == 2


def test_queues_of_one_database_know_nothing_of_each_other(agent, review):
    agent.submit(call())
    other = FreshPostgresOpener()
    try:
        assert other.review().pending() == ()
        other.agent().submit(call())
        assert len(review.pending()) == 1
    finally:
        other.close()


def test_without_a_name_the_queue_is_in_the_schema_signoff():
    assert parse_url(server().url).schema == "signoff"


# Creation and format


def test_two_may_create_the_queue_at_once(opener):
    with ThreadPoolExecutor(6) as threads:
        agents = list(threads.map(lambda n: opener.agent(session=f"s-{n}"), range(6)))
    for agent in agents:
        agent.submit(call())
    assert len(opener.review().pending()) == 6


def test_looking_for_a_queue_does_not_make_one(opener):
    with pytest.raises(QueueNotFoundError, match=parse_url(opener.place).schema.removeprefix("signoff_")):
        open_review_queue(opener.place, create=False)
    with opener.administrator() as raw:
        schema = parse_url(opener.place).schema
        assert raw.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone() is None


def test_a_newer_queue_is_refused_and_not_touched(opener, agent, raw):
    agent.close()
    raw.execute("UPDATE format SET version = 999")
    before = _fingerprint(raw)
    for create in (True, False):
        with pytest.raises(QueueVersionError, match="999"):
            open_review_queue(opener.place, create=create)
    assert _fingerprint(raw) == before


def test_a_queue_of_an_older_format_is_brought_up_to_date(opener, agent, raw):
    posted = agent.submit(call())
    raw.execute("UPDATE format SET version = 1")
    raw.execute("DROP TABLE absences")
    assert opener.review().pending()[0].id == posted.id
    assert raw.execute("SELECT count(*) FROM absences").fetchone() == (0,)
    assert raw.execute("SELECT version FROM format").fetchone() == (SCHEMA_VERSION,)


def test_what_programs_of_format_2_filed_is_found_with_what_is_filed_later(opener, agent, review, raw):
    approve(review, agent.submit(call("k1")))
    assert len(review.history(HistoryFilter(text="notes"))) == 1  # which files it, as those did at once
    raw.execute("DELETE FROM counters WHERE name = 'filed'")
    raw.execute("UPDATE format SET version = 2")
    later = opener.review()
    assert raw.execute("SELECT value FROM counters WHERE name = 'filed'").fetchone() == (1,)
    approve(later, agent.submit(call("k2")))
    assert [record.seq for record in later.history(HistoryFilter(text="notes"))] == [2, 1]
    assert raw.execute("SELECT count(*) FROM search").fetchone() == (2,)


def test_a_schema_with_other_tables_is_refused(opener):
    with opener.administrator() as raw:
        schema = parse_url(opener.place).schema
        raw.execute(f'CREATE SCHEMA "{schema}"')
        raw.execute("CREATE TABLE other (x int)")
        with pytest.raises(QueueUnavailableError, match="not a queue"):
            opener.review()


def test_a_schema_that_was_made_for_the_queue_is_used(opener):
    with opener.administrator() as raw:
        raw.execute(f'CREATE SCHEMA "{parse_url(opener.place).schema}"')
    assert opener.review().pending() == ()


def test_an_interrupted_creation_leaves_no_half_queue(opener, monkeypatch):
    monkeypatch.setattr("signoff.queue.postgres.schema._TRIGGERS", "nonsense;")
    with pytest.raises(QueueUnavailableError, match="nonsense"):
        opener.review()
    monkeypatch.undo()
    assert opener.review().pending() == ()


# Wake-ups


def test_what_concerns_many_is_split_into_several_notifications():
    keys = [f"key-{n}" for n in range(2000)]
    parts = list(payloads(keys))
    assert len(parts) > 1
    assert max(map(len, parts)) <= LONGEST_PAYLOAD
    bells = LocalBells()
    hung = [bells.hang(key) for key in keys[::100]]
    for part in parts:
        bells.ring_words(part)
    for bell in hung:
        bell.sleep(PATIENCE)
        bell.close()


def test_what_concerns_one_session_does_not_reach_the_agents_of_another(opener, agent, review, monkeypatch):
    other = opener.agent(session="another")
    heard = {each: [] for each in (agent, other)}
    for each, words in heard.items():
        monkeypatch.setattr(each._engine.bells, "ring_words", words.append)
        each._engine.hang_bell(session_bell(each.agent.session), session_bell(each.agent.session))
        eventually(lambda listener=each._engine._listener: listener._heard)
    posted = agent.submit(call())
    eventually(lambda: heard[agent])
    approve(review, posted)
    other.submit(call("later"))
    eventually(lambda: heard[other])
    assert not set(" ".join(heard[agent]).split()) & set(" ".join(heard[other]).split())


def test_that_an_answer_is_taken_wakes_no_reviewer(opener, agent, review, monkeypatch):
    words = []
    monkeypatch.setattr(review._engine.bells, "ring_words", words.append)
    other = opener.agent(session="another")
    bells = REVIEWERS, session_bell(other.agent.session)
    for bell in bells:
        review._engine.hang_bell(bell, bell)
    eventually(lambda: len(review._engine._listener._heard) == len(bells))
    posted = agent.submit(call())
    approve(review, posted)
    agent.wait(posted.id)
    other.submit(call("later"))  # what is told comes in the order of the writes, and to reviewers last
    (of_reviewers,) = payloads([REVIEWERS])
    eventually(lambda: set(words) != {of_reviewers} and words[-1] == of_reviewers)
    assert words.count(of_reviewers) == 3  # asked, decided, asked


def test_nobody_to_wake_is_no_notification():
    assert list(payloads([])) == []


@pytest.mark.usefixtures("only_bells")
async def test_deciding_very_many_at_once_wakes_everybody_concerned(agent, review):
    posted = [await agent.asubmit(call(f"k{n}")) for n in range(700)]
    waiting = asyncio.create_task(asyncio.to_thread(agent.wait, posted[-1].id))
    await asyncio.to_thread(eventually, lambda: agent._engine.bells.sleepers(besides=REVIEWERS))
    await asyncio.to_thread(review.decide_many, [target(each) for each in posted], Decision(approved=True))
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).approved


# A server that stops, and connections that break


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_those_who_wait_and_watch_go_on_when_the_server_was_restarted(agent, review, how):
    posted = await agent.asubmit(call())
    watch = review.watch()
    first = await anext(watch)
    waiting = asyncio.create_task(agent.await_outcome(posted.id))
    with server().stopped(how=how):
        next_look = asyncio.create_task(anext(watch))
        await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        assert (await asyncio.to_thread(approve, review, posted)).accepted
        found = await next_look_of(review, next_look, first.cursor)
        assert (await waiting).approved
    assert [change.request.id for change in found.changes] == [posted.id]
    await watch.aclose()


async def next_look_of(review, next_look, cursor):
    """What somebody who watches sees next, and who, told that the server is away, watches again."""
    while True:
        try:
            return await next_look
        except QueueAwayError:
            next_look = asyncio.ensure_future(anext(review.watch(cursor)))


@pytest.mark.usefixtures("only_bells")
def test_a_sleeper_hears_its_bell_again_after_the_listening_connection_broke(opener, agent, review, raw):
    posted = agent.submit(call())
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(agent.wait, posted.id)
        eventually(opener.sleepers)
        cut_off_everybody(raw)
        approve(review, posted)
        assert waiting.result(PATIENCE).approved


def test_an_agent_that_asks_nothing_has_one_connection(opener, raw, monkeypatch):
    monkeypatch.setattr(engine_module, "_IDLE_SECONDS", 0.2)
    agent = opener.agent("lonely")
    connected = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'signoff agent lonely'"
    for key in ("k1", "k2"):
        eventually(lambda: raw.execute(connected).fetchone() == (1,))
        assert agent.submit(call(key)).pending


def test_a_broken_connection_is_replaced_at_the_next_use(agent, review, raw):
    posted = agent.submit(call("k1"))
    cut_off_everybody(raw)
    assert agent.submit(call("k2")).pending
    cut_off_everybody(raw)
    assert review.get(posted.id).pending


def test_an_agent_takes_its_lease_again_after_its_connection_broke(opener, agent, raw):
    agent.submit(call())
    raw.execute("UPDATE agents SET boot = 'another machine'")  # where only the lease tells
    cut_off_everybody(raw)
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
    eventually(lambda: raw.execute(held).fetchone() == (1,))
    with open_review_queue(f"{opener.place}&agent_timeout=0") as review:
        assert len(review.pending()) == 1


def test_a_commit_whose_answer_was_lost_is_found_to_have_taken_place(line, agent_on_line, review):
    line.cut = _once(lambda piece, by_server: by_server and b"COMMIT\0" in piece)
    posted = agent_on_line.submit(call())
    assert review.pending() == (posted,)


def test_a_change_in_one_piece_that_never_reached_the_server_is_sent_again(line, agent_on_line, review):
    line.cut = _once(lambda piece, by_server: not by_server and b"INSERT INTO requests" in piece)
    posted = agent_on_line.submit(call())
    assert review.pending() == (posted,)


def test_a_commit_that_never_reached_the_server_is_not_reported_as_made(line, agent_on_line, review):
    posted = agent_on_line.submit(call())
    line.cut = _once(lambda piece, by_server: not by_server and b"pg_notify" in piece)
    with pytest.raises(QueueUnavailableError) as refused:
        agent_on_line.withdraw(posted.id, "no more")
    assert "unknown" not in str(refused.value)
    assert review.pending() == (posted,)
    assert agent_on_line.withdraw(posted.id, "no more")


@pytest.mark.usefixtures("impatient")
def test_a_commit_of_which_nothing_can_be_found_out_is_reported_as_unknown(line, agent_on_line, review):
    def cut(piece, by_server):
        line.down = line.down or (by_server and b"COMMIT\0" in piece and bool(review.pending()))
        return line.down

    line.cut = cut
    with pytest.raises(QueueUnavailableError, match="unknown whether"):
        agent_on_line.submit(call())
    line.cut, line.down = (lambda _piece, _by_server: False), False


def test_a_session_that_is_ended_in_the_middle_of_a_change_leaves_nothing_of_it(agent, review, raw):
    def change():
        with agent._engine.write() as transaction:
            transaction.run("UPDATE agents SET pid = 0")
            cut_off_everybody(raw)
            transaction.run("UPDATE agents SET pid = 1")

    with pytest.raises(QueueUnavailableError):
        change()
    assert review.agents()[0].pid not in (0, 1)


def test_a_writer_that_hangs_does_not_block_for_ever(agent, review, monkeypatch):
    monkeypatch.setattr(answers, "_STAMP_PATIENCE_SECONDS", 0.01)
    posted = agent.submit(call())
    approve(review, posted)
    with review._engine.write() as hanging:
        hanging.row("SELECT 1")
        assert agent.wait(posted.id).approved
        with pytest.raises(QueueUnavailableError, match="hanging"), agent._engine.write(patience=0.01):
            pass
    assert review.get(posted.id).delivered_at is None
    assert agent.submit(call("k2")).pending


# What goes wrong, in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("host=/tmp/signoff-pg", "host=/nowhere"), "see whether the server runs"),
        (("/signoff?", "/nothing?"), "no such database"),
        (("//signoff@", "//nobody-there@"), "does not know that user"),
        (("//signoff@", "//guarded@"), "wants a password"),
        (("//signoff@", "//guarded:wr0ng@"), "does not take that user name and password"),
        (("//signoff@", "//stranger@"), "does not let you"),
        (("&queue=", "&options=-c%20default_transaction_read_only%3Don&queue="), "is read-only"),
        (("&queue=", "&nonsense=1&queue="), "has an option that PostgreSQL does not know"),
    ],
)
def test_what_is_wrong_and_what_to_do_is_said(opener, change, words):
    with pytest.raises(QueueUnavailableError, match=words) as refused:
        open_review_queue(opener.place.replace(*change))
    assert "wr0ng" not in str(refused.value)


def test_without_psycopg_it_is_said_what_to_install():
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from signoff.queue import *\n"
        "try: open_review_queue('postgresql:///x')\n"
        "except QueueUnavailableError as error: print(error)"
    )
    assert "pip install 'signoff[postgres]'" in _said(program)


def test_whoever_uses_no_postgresql_does_not_load_it():
    used = (
        "signoff.queue, signoff.queue.sqlite.engine, signoff.queue.sql.agent_queue, signoff.queue.sql.review_queue"
    )
    assert _said(f"import sys, {used}; print('psycopg' in sys.modules)") == "False\n"


def _said(program):
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def _once(wanted):
    """A test for `Line.cut` that says yes no more than once."""
    cuts = []

    def cut(piece, by_server):
        if cuts or not wanted(piece, by_server):
            return False
        cuts.append(piece)
        return True

    return cut


def _fingerprint(raw):
    """Everything that a visit could have left behind."""
    tables = [row[0] for row in raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema")]
    return {table: raw.execute(f'SELECT xmin::text, t.* FROM "{table}" t').fetchall() for table in tables}
