"""A server that is away, hangs or is slow: waits go on, and whoever looks is told in time.

Agents that lost their connection are told from agents that died.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest
from postgres_line import line_to
from queue_engines import FreshPostgresOpener, PostgresOpener
from queue_samples import PATIENCE, approve, call, eventually

from postgres_server import Server, server
from signoff.cli.exit_codes import StatusCode
from signoff.cli.status import StatusCall, run_status
from signoff.queue import (
    AgentInfo,
    QueueAwayError,
    QueueGoneError,
    QueuePlaceError,
    QueueUnavailableError,
    RequestState,
    open_agent_queue,
    open_review_queue,
    queue_stats,
)
from signoff.queue.clock import SECOND
from signoff.queue.postgres import connection as connection_module
from signoff.queue.postgres import engine as engine_module
from signoff.queue.postgres import leases as leases_module
from signoff.queue.postgres import wakeups as wakeups_module
from signoff.queue.postgres.causes import translation
from signoff.queue.postgres.connection import AGENT_TIMEOUT_SECONDS, parse_url
from signoff.queue.sql import answers, async_answers

NEVER = 3600.0
"""Seconds of a limit that must not be what ends something."""

INFO = AgentInfo("refactor", "s-43", "/work")


@pytest.fixture
def opener(request):
    """One queue, in a schema that is dropped in the end if something was done to it."""
    fresh = "leaving" in request.fixturenames
    opener = FreshPostgresOpener() if fresh else PostgresOpener()
    opener.review()
    yield opener
    opener.close()


@pytest.fixture
def raw(opener):
    """The database as somebody sees it who goes around us."""
    with opener.administrator() as raw:
        yield raw


@pytest.fixture
def line():
    """A line to the server over TCP that a test can disturb."""
    with line_to(server().socket, tcp=True) as line:
        yield line


@pytest.fixture
def place(opener, line):
    """The queue at the end of the line."""
    here = f"host={server().socket.parent}"
    return opener.place.replace(here, f"host={line.host}&port={line.port}")


@pytest.fixture
def agent(opener, place):
    """An agent that is connected by the line."""
    with open_agent_queue(INFO, place) as agent:
        yield agent


@pytest.fixture
def review(opener):
    """A reviewer beside the server."""
    return opener.review()


@pytest.fixture(autouse=True)
def short_times(monkeypatch):
    """Everything that takes seconds takes some tenths of one."""
    monkeypatch.setattr(engine_module, "_HASTY_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(wakeups_module, "_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(wakeups_module, "_CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(answers, "_OUTAGE_SECONDS", 0.3)
    for module in (answers, async_answers):
        monkeypatch.setattr(module, "AWAY_SECONDS", 0.05)


# Faults of the line. Each is a server that is away for some time, and comes back.


def cut(line):
    line.down = True
    line.cut_all()


def black_hole(line):
    line.hole = True


def swallowing(line):
    line.swallows = True


@contextmanager
def away(line, fault):
    """The server is away; in the end it is back."""
    fault(line)
    try:
        yield
    finally:
        line.mend()


every_fault = pytest.mark.parametrize("fault", [cut, black_hole, swallowing])


def told(capsys):
    """What was written to standard error since it was last asked for."""
    return capsys.readouterr().err.splitlines()


# Waits


@every_fault
def test_a_wait_goes_on_while_the_server_is_away_and_says_so_once(agent, review, line, fault, capsys):
    posted = agent.submit(call())
    lines: list[str] = []
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(agent.wait, posted.id)
        eventually(lambda: agent._engine.bells.sleepers(besides="reviewers"))
        with away(line, fault):
            assert approve(review, posted).accepted
            eventually(lambda: lines.extend(told(capsys)) or lines)
        outcome = waiting.result(PATIENCE)
    assert (outcome.approved, outcome.ours) == (True, True)
    [line_told] = lines + told(capsys)
    assert line_told.startswith(f"signoff: the queue at {agent._engine.name} does not answer; still waiting (")


@every_fault
async def test_so_does_a_wait_in_an_event_loop(agent, review, line, fault, capsys):
    posted = [await agent.asubmit(call(f"k{n}")) for n in range(3)]
    waiting = [asyncio.create_task(agent.await_outcome(each.id)) for each in posted]
    lines: list[str] = []
    await asyncio.to_thread(eventually, lambda: agent._engine.bells.sleepers(besides="reviewers"))
    with away(line, fault):
        for each in posted:
            assert (await asyncio.to_thread(approve, review, each)).accepted
        await asyncio.to_thread(eventually, lambda: lines.extend(told(capsys)) or lines)
    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*waiting)
    assert [(outcome.approved, outcome.ours) for outcome in outcomes] == [(True, True)] * 3
    assert len(lines + told(capsys)) == 1


def test_each_outage_is_told(agent, line, capsys):
    posted = agent.submit(call())
    over = threading.Event()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(agent.wait, posted.id, _stopped_by(over))
        lines: list[str] = []
        for number in (1, 2):
            with away(line, cut):
                eventually(lambda expected=number: lines.extend(told(capsys)) or len(lines) == expected)
            eventually(lambda: agent._answers.outage._since is None)
        over.set()
        assert isinstance(waiting.exception(PATIENCE), _StoppedError)


def test_a_wait_goes_on_when_it_begins_while_the_server_is_away(agent, review, line):
    posted = agent.submit(call())
    with ThreadPoolExecutor() as threads, away(line, cut):
        waiting = threads.submit(agent.wait, posted.id)
        eventually(lambda: agent._answers.outage._since is not None)
        approve(review, posted)
        line.mend()
        assert waiting.result(PATIENCE).approved


@every_fault
def test_the_deadline_of_a_request_ends_its_wait_without_the_server(agent, line, fault):
    posted = agent.submit(call(expires_at=time.time_ns() // 1000 + SECOND))
    with (
        away(line, fault),
        pytest.raises(QueueAwayError, match="the deadline passed while nobody could decide: "),
    ):
        agent.wait(posted.id)


async def test_so_it_does_in_an_event_loop_and_others_go_on(agent, review, line):
    short = await agent.asubmit(call("k1", expires_at=time.time_ns() // 1000 + SECOND))
    long = await agent.asubmit(call("k2"))
    waiting = [asyncio.create_task(agent.await_outcome(each.id)) for each in (short, long)]
    await asyncio.to_thread(eventually, lambda: agent._engine.bells.sleepers(besides="reviewers"))
    async with asyncio.timeout(PATIENCE):
        with away(line, black_hole), pytest.raises(QueueAwayError, match="the deadline passed "):
            await waiting[0]
        await asyncio.to_thread(approve, review, long)
        assert (await waiting[1]).approved


class _StoppedError(Exception):
    pass


def _stopped_by(event):
    def check():
        if event.is_set():
            raise _StoppedError

    return check


@every_fault
def test_a_wait_can_be_stopped_at_any_time_of_an_outage(agent, line, fault, monkeypatch):
    for name in ("_HASTY_ANSWER_SECONDS", "_HASTY_CONNECT_SECONDS"):
        monkeypatch.setattr(engine_module, name, NEVER)
    posted = agent.submit(call())
    looking, over = threading.Event(), threading.Event()

    def cut_off(_piece, by_server):
        if not by_server and threading.current_thread().name.startswith("Thread"):
            looking.set()
        return False

    with ThreadPoolExecutor() as threads:
        fault(line)
        line.cut = cut_off
        waiting = threads.submit(agent.wait, posted.id, _stopped_by(over))
        if fault is not cut:
            assert looking.wait(PATIENCE)
        over.set()
        assert isinstance(waiting.exception(PATIENCE), _StoppedError)
    line.mend()


def test_an_answer_is_taken_although_the_server_went_while_that_was_noted(agent, review, line):
    """Nobody knows for some time whether the note was made; it was, and by nobody else."""
    posted = agent.submit(call())

    def cut_off(piece, by_server):
        if by_server and b"COMMIT\0" in piece and not line.down and _is_taken(review, posted):
            line.down = True
        return line.down

    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(agent.wait, posted.id)
        eventually(lambda: agent._engine.bells.sleepers(besides="reviewers"))
        line.cut = cut_off
        approve(review, posted)
        eventually(lambda: line.down)
        line.cut_all()
        eventually(lambda: agent._answers.outage._since is not None or waiting.done())
        line.cut = lambda _piece, _by_server: False
        line.mend()
        outcome = waiting.result(PATIENCE)
    assert (outcome.approved, outcome.ours) == (True, True)


def _is_taken(review, posted):
    return review.get(posted.id).delivered_at is not None


# What does not mend itself ends a wait at once


def _drop(raw, opener):
    raw.execute(f'DROP SCHEMA "{parse_url(opener.place).schema}" CASCADE')


def _replace(raw, _):
    raw.execute("UPDATE counters SET value = value + 1 WHERE name = 'id'")


def _lock_out(raw, _):
    raw.execute("ALTER ROLE leaving NOLOGIN")


def _take_rights(raw, _):
    raw.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA {_schema(raw)} FROM leaving")


def _schema(raw):
    return '"{}"'.format(raw.execute("SELECT current_schema()").fetchone()[0])


@pytest.fixture
def leaving(raw, opener):
    """An agent whose role may lose its rights."""
    raw.execute("SET client_min_messages = warning; DROP ROLE IF EXISTS leaving; CREATE ROLE leaving LOGIN")
    raw.execute(f"GRANT ALL ON SCHEMA {_schema(raw)} TO leaving")
    raw.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {_schema(raw)} TO leaving")
    raw.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA {_schema(raw)} TO leaving")
    raw.execute(f"GRANT ALL ON ALL FUNCTIONS IN SCHEMA {_schema(raw)} TO leaving")
    with open_agent_queue(INFO, opener.place.replace("//signoff@", "//leaving@")) as agent:
        yield agent
    raw.execute("DROP OWNED BY leaving; DROP ROLE leaving")


@pytest.mark.parametrize("change", [_drop, _replace, _lock_out, _take_rights])
def test_what_does_not_mend_itself_ends_a_wait_at_once(leaving, opener, raw, change):
    posted = leaving.submit(call())
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(leaving.wait, posted.id)
        eventually(lambda: leaving._engine.bells.sleepers(besides="reviewers"))
        change(raw, opener)
        raw.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'leaving'")
        error = waiting.exception(PATIENCE)
    assert isinstance(error, QueueUnavailableError)
    assert not isinstance(error, QueueAwayError)
    assert isinstance(error, QueueGoneError) == (change in (_drop, _replace))


# A server that hangs


@pytest.fixture(scope="module")
def own_server():
    """A server that a test may stop."""
    own = Server()
    yield own
    own.remove()


async def test_whoever_watches_is_told_that_the_server_hangs_whatever_it_was_asked(own_server, monkeypatch):
    """By the clock of the connection that listens: nothing else has a limit here."""
    for name in ("_HASTY_ANSWER_SECONDS", "_HASTY_CONNECT_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(engine_module, name, NEVER)
    with open_review_queue(own_server.url) as review:
        watch = review.watch()
        await anext(watch)
        async with asyncio.timeout(PATIENCE):
            with own_server.frozen():
                with pytest.raises(QueueAwayError, match="does not answer"):
                    await anext(watch)
                with pytest.raises(QueueAwayError, match="does not answer"):
                    await anext(review.watch())
            while True:
                try:
                    await anext(review.watch())
                    break
                except QueueAwayError:
                    await asyncio.sleep(0.01)


async def test_whoever_watches_is_told_although_another_thread_waits_for_the_server(place, line, monkeypatch):
    monkeypatch.setattr(engine_module, "ANSWER_SECONDS", NEVER)
    with open_review_queue(place) as review:
        watch = review.watch()
        await anext(watch)
        with ThreadPoolExecutor() as threads, away(line, black_hole):
            reading = threads.submit(review.grants)
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(QueueAwayError):
                    await anext(watch)
            assert isinstance(reading.exception(PATIENCE), QueueAwayError)


def test_nothing_is_decided_at_a_server_that_hangs(agent, place, line, monkeypatch):
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.3)
    posted = agent.submit(call())
    with open_review_queue(place) as review:
        assert review.pending() == (posted,)
        with away(line, swallowing), review._engine.in_haste(0.0), pytest.raises(QueueUnavailableError):
            approve(review, posted)
        line.cut_all()
        eventually(lambda: review.pending() == (posted,))


def test_counting_gives_a_server_up_that_hangs(opener, place, line, monkeypatch, capsys):
    monkeypatch.setattr("signoff.queue._COUNTING_SECONDS", 0.3)
    with away(line, black_hole):
        with pytest.raises(QueueAwayError, match="does not answer"):
            queue_stats(place)
        assert run_status(StatusCall(place, "plain")) is StatusCode.NOT_CONNECTED
    assert "does not answer; see whether the host is right and the server runs" in capsys.readouterr().err


def test_counting_gives_a_server_up_that_hangs_in_the_middle(place, line, monkeypatch):
    monkeypatch.setattr("signoff.queue._COUNTING_SECONDS", 1.0)

    def hold(piece, by_server):
        line.hole = line.hole or (not by_server and b"pg_locks" in piece)
        return False

    line.cut = hold
    with pytest.raises(QueueAwayError, match="does not answer"):
        queue_stats(place)


@pytest.mark.parametrize("when", ["at the start", "later"])
def test_every_command_gives_a_server_up_that_hangs(place, line, monkeypatch, when):
    for module in (engine_module, connection_module):
        monkeypatch.setattr(module, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(engine_module._Haste, "__new__", _hasty)
    if when == "at the start":
        with away(line, black_hole), pytest.raises(QueueAwayError, match="does not answer"):
            open_review_queue(place)
        return
    with (
        open_review_queue(place) as review,
        away(line, black_hole),
        pytest.raises(QueueAwayError, match="does not answer"),
    ):
        review.pending()


def _hasty(kind, answer=0.5, patience=None, check=None):
    return tuple.__new__(kind, (answer, patience, check))


def test_a_slow_line_changes_nothing(agent, review, line):
    line.to_server = line.to_client = 0.02
    posted = agent.submit(call())
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(agent.wait, posted.id)
        assert approve(review, posted).accepted
        assert waiting.result(PATIENCE).ours


# Agents whose connection is lost


def test_an_agent_on_this_machine_lives_as_its_process_does(opener, agent, line):
    posted = agent.submit(call())
    with away(line, cut), open_review_queue(f"{opener.place}&agent_timeout=0") as review:
        eventually(lambda: not _locks(review))
        assert review.pending() == (posted,)


def _locks(review):
    with review._engine.read() as look:
        return look.rows(leases_module._HELD)


def _absences(raw):
    return raw.execute("SELECT count(*) FROM absences").fetchone()[0]


def _asked_elsewhere(agent, raw):
    """A request of an agent on another machine."""
    posted = agent.submit(call())
    raw.execute("UPDATE agents SET boot = 'another machine'")
    return posted


@contextmanager
def _missed_since(since, opener, raw, line):
    """The connection of the agent is lost, as somebody saw at a time."""
    with away(line, cut):
        with opener.review() as first:
            eventually(lambda: not _locks(first))
            first.pending()
        raw.execute(f"UPDATE absences SET since = {since}")
        yield


def test_an_agent_elsewhere_that_lost_its_connection_is_given_time(agent, review, raw, line):
    posted = _asked_elsewhere(agent, raw)
    with away(line, cut):
        eventually(lambda: not _locks(review))
        assert review.pending() == (posted,)
        eventually(lambda: review.pending() and _absences(raw) == 1)
    eventually(lambda: _locks(review))
    eventually(lambda: review.pending() and _absences(raw) == 0)
    assert review.pending() == (posted,)


def test_after_that_it_is_told_what_is_known_of_it(agent, opener, raw, line):
    posted = _asked_elsewhere(agent, raw)
    with (
        _missed_since("since - 41000000", opener, raw, line),
        _server_started_long_ago(),
        open_review_queue(f"{opener.place}&agent_timeout=40") as one_look,
    ):
        assert one_look.pending() == ()
        ended = one_look.get(posted.id)
    assert ended.state is RequestState.WITHDRAWN
    assert ended.state_note == "the agent lost its connection for 41 s"


@contextmanager
def _server_started_long_ago():
    """The server of the tests has just been started; what was before that does not count."""
    before = leases_module._ABSENT
    leases_module._ABSENT = "SELECT agent_id, since FROM absences"
    try:
        yield
    finally:
        leases_module._ABSENT = before


def test_what_was_before_the_server_started_does_not_count(agent, opener, raw, line):
    posted = _asked_elsewhere(agent, raw)
    with _missed_since("0", opener, raw, line), open_review_queue(opener.place) as one_look:
        assert one_look.pending() == (posted,)


def test_nothing_is_written_while_nothing_happens(agent, opener, raw, line, monkeypatch):
    monkeypatch.setattr(leases_module, "_OBSERVE_SECONDS", 0.0)
    _asked_elsewhere(agent, raw)
    review = opener.review()
    states = []
    for fault in (None, cut):
        if fault:
            fault(line)
            eventually(lambda: not _locks(review))
        review.pending()
        before = raw.execute("SELECT writer, number FROM writes ORDER BY writer").fetchall()
        for _ in range(3):
            review.pending()
        states.append(raw.execute("SELECT writer, number FROM writes ORDER BY writer").fetchall() == before)
    line.mend()
    assert states == [True, True]


def test_an_agent_whose_process_has_ended_is_known_to_be_dead_at_the_first_look(opener, raw):
    agent = opener.agent()
    posted = agent.submit(call())
    opener.crash(agent)
    with closing(opener.review()) as one_look:
        assert one_look.pending() == ()
        assert "is gone" in one_look.get(posted.id).state_note


@pytest.mark.parametrize(("option", "seconds"), [("", AGENT_TIMEOUT_SECONDS), ("?agent_timeout=20", 20)])
def test_the_url_says_how_long_an_agent_may_be_away(option, seconds):
    place = parse_url(f"postgresql://anna@db/signoff{option}")
    assert (place.agent_timeout, place.url) == (seconds, "postgresql://anna@db/signoff")


@pytest.mark.parametrize("given", ["", "-1", "5min", "1.5"])
def test_anything_but_seconds_is_refused(given):
    with pytest.raises(QueuePlaceError, match="agent_timeout"):
        parse_url(f"postgresql://anna@db/signoff?agent_timeout={given}")


# Several servers


def test_of_several_servers_one_that_swallows_everything_keeps_nobody_from_the_next(opener, line, monkeypatch):
    monkeypatch.setattr(wakeups_module, "_CONNECT_SECONDS", NEVER)  # and psycopg gives each two seconds at least
    monkeypatch.setattr(connection_module, "_NEXT_HOST_SECONDS", "2")
    line.hole = True
    here = server().socket.parent
    place = opener.place.replace(f"host={here}", f"host={line.host},{here}&port={line.port},5432")
    with open_agent_queue(INFO, place) as agent:
        assert agent.submit(call()).pending


@pytest.mark.parametrize(
    ("url", "hosts"),
    [("postgresql:///x", 1), ("postgresql://anna@db1:5432,db2,db3/x", 3), ("postgresql:///x?host=/a,/b", 2)],
)
def test_the_url_names_the_servers(url, hosts):
    assert parse_url(url).hosts == hosts


def test_a_server_that_cannot_be_reached_is_told_without_the_advice_of_libpq():
    said = (
        'connection is bad: connection to server on socket "/s.PGSQL.5432" failed: No such file or directory\n'
        "\tIs the server running locally and accepting connections on that socket?"
    )
    told = str(translation(psycopg.OperationalError(said), parse_url("postgresql:///team")))
    assert told.endswith('(connection to server on socket "/s.PGSQL.5432" failed: No such file or directory)')
    assert "cannot be reached; see whether the server runs" in told


# What mends itself, by the words of libpq and the server


@pytest.mark.parametrize(
    ("words", "mends"),
    [
        ("Connection refused Is the server running on that host and accepting TCP/IP connections?", True),
        ("FATAL: the database system is starting up", True),
        ("FATAL: the database system is shutting down", True),
        ("FATAL: the database system is in recovery mode", True),
        ("FATAL: the database system is not yet accepting connections", True),
        ("FATAL: sorry, too many clients already", True),
        ("session is read-only", True),
        ("server closed the connection unexpectedly", True),
        ('FATAL: password authentication failed for user "role"', False),
        ('FATAL: role "anna" does not exist', False),
        ('FATAL: role "anna" is not permitted to log in', False),
        ('FATAL: database "team" does not exist', False),
        ('FATAL: no pg_hba.conf entry for host "10.0.0.1"', False),
        ("SSL error: certificate verify failed", False),
    ],
)
def test_what_mends_itself_is_told_from_what_does_not_whatever_the_host_is_called(words, mends):
    place = parse_url("postgresql://anna@database.role.internal/team")
    said = f'connection failed: connection to server at "database.role.internal", port 5432 failed: {words}'
    found = translation(psycopg.OperationalError(said), place)
    assert isinstance(found, QueueAwayError) == mends, found


def test_an_unknown_host_may_be_known_when_the_network_is_back():
    place = parse_url("postgresql://anna@database/team")
    said = 'connection failed: could not translate host name "database" to address: Temporary failure'
    found = translation(psycopg.OperationalError(said), place)
    assert isinstance(found, QueueAwayError)
    assert "there is no such host" in str(found)
