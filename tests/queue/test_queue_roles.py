"""Roles of a queue in PostgreSQL: what an asking role cannot do, whatever it sends, and who decides as whom."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row
from queue_engines import FreshPostgresOpener, PostgresOpener, RolesOpener
from queue_samples import approve, call, decide, eventually, reject

from postgres_server import server
from signoff.cli.main import main
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    Decision,
    DecisionSource,
    QueueUnavailableError,
    RequestState,
    ReviewQueue,
    StoredRequest,
    open_agent_queue,
    open_review_queue,
    queue_stats,
)
from signoff.queue.postgres import engine as engine_module
from signoff.queue.postgres import roles as roles_module
from signoff.queue.postgres.connection import parse_url
from signoff.queue.postgres.leases import agent_lock, making_lock, screens_lock
from signoff.queue.postgres.roles import QueueRoles, set_up, set_up_statements
from signoff.queue.postgres.schema import SCHEMA_VERSION

SECRET = b"the victim's file"
SHA256 = hashlib.sha256(SECRET).hexdigest()
ROLES = RolesOpener.ROLES


@pytest.fixture
def opener() -> Iterator[RolesOpener]:
    """A queue with roles."""
    opener = RolesOpener()
    yield opener
    opener.close()


@pytest.fixture
def victim(opener: RolesOpener) -> AgentQueue:
    """An agent of the role ``asker``, in session s-41."""
    return opener.agent()


@pytest.fixture
def review(opener: RolesOpener) -> ReviewQueue:
    """The reviewer anna."""
    return opener.review()


@pytest.fixture
def mallory(opener: RolesOpener) -> Iterator[AgentQueue]:
    """An agent of another asking role, in a session of its own, with a request that waits."""
    with open_agent_queue(AgentInfo("mallory", "s-mallory", "/"), opener.place_of("mallory", ROLES.ask)) as agent:
        agent.submit(call("m1"))
        yield agent


@pytest.fixture
def log_in(opener: RolesOpener) -> Iterator[Callable[..., psycopg.Connection[dict[str, object]]]]:
    """Log in as a role, past the library."""
    open_: list[psycopg.Connection[dict[str, object]]] = []
    schema = parse_url(opener.place).schema

    def logged_in(login: str, group: str) -> psycopg.Connection[dict[str, object]]:
        url = parse_url(opener.place_of(login, group)).url
        options = f"-c search_path={schema}"
        open_.append(psycopg.connect(url, autocommit=True, options=options, row_factory=dict_row))
        return open_[-1]

    yield logged_in
    for each in open_:
        each.close()


@pytest.fixture
def known(victim: AgentQueue, review: ReviewQueue, mallory: AgentQueue) -> dict[str, object]:
    """What there is of the victim, and what mallory may know of it."""
    waiting = victim.submit(call("k1", blobs={SHA256: SECRET}))
    done = victim.submit(call("k2"))
    approve(review, done, remember=True)
    (grant,) = review.grants()
    review.history()  # which files the record for the search
    (own,) = (request for request in review.pending() if request.asked_by.session == "s-mallory")
    return {
        "victim": waiting.asked_by.agent_id,
        "waiting": waiting.id,
        "waiting_seq": waiting.seq,
        "done": done.id,
        "grant": grant.id,
        "sha256": SHA256,
        "mallory": own.asked_by.agent_id,
        "own": own.id,
        "own_seq": own.seq,
    }


def everything(opener: RolesOpener) -> dict[str, object]:
    """All rows that say who asked what, and what became of it."""
    with opener.administrator() as admin:
        tables = ("agents", "requests", "grants", "history", "blobs", "blob_uses", "anchors", "search", "format")
        found = {name: admin.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables[:-1]}
        counters = admin.execute("SELECT * FROM counters WHERE name <> 'change' ORDER BY name").fetchall()
        return {
            **found,
            "counters": counters,
            "roles": admin.execute("SELECT * FROM roles ORDER BY part").fetchall(),
        }


# A try names the rows that it is after, so that rows of one's own play no part in it.
READS = {
    "requests": "SELECT submission FROM requests WHERE id IN (%(waiting)s, %(done)s)",
    "requests by their number": "SELECT * FROM requests WHERE seq = %(waiting_seq)s",
    "requests of all": "SELECT * FROM requests WHERE agent_id <> %(mallory)s",
    "agents": "SELECT info FROM agents WHERE id = %(victim)s",
    "grants": "SELECT info FROM grants WHERE id = %(grant)s",
    "history": "SELECT * FROM history WHERE session <> 's-mallory'",
    "words of the history": "SELECT words FROM search",
    "contents": "SELECT compressed FROM blobs WHERE sha256 = %(sha256)s",
    "uses of contents": "SELECT * FROM blob_uses WHERE sha256 = %(sha256)s",
    "who writes": "SELECT * FROM writes WHERE login <> 'mallory'",
    "by a condition that tells": "SELECT * FROM requests WHERE id = %(waiting)s AND 1 / length(submission) >= 0",
    "by a lock": "SELECT * FROM requests WHERE id = %(waiting)s FOR UPDATE",
}
YES = '{"approved":true,"note":"","remember":false,"hard":false,"source":"reviewer","by":"anna"}'
NO = YES.replace("true", "false")
_RECORD = """
INSERT INTO history (seq, at, agent, session, tool, state, asked_by, took_us, hash, reason, submission, decision,
    decided_by, request_seq, request_id)
SELECT (SELECT seq + 1 FROM last_record()), now_us(), 'x', {session}, 'x', {state},
    '{{"agent_id":"x","session":"' || {session} || '"}}', 0, 'x', '', {submission}, {decision}, {by}, {seq}, {id}
"""


def _record(**parts: str) -> str:
    usual = {
        "session": "'s-mallory'",
        "state": "'approved'",
        "submission": "'{}'",
        "decision": "NULL",
        "by": "NULL",
    }
    return _RECORD.format(**{**usual, "seq": "NULL", "id": "NULL", **parts})


_REQUEST = """
INSERT INTO requests (id, revision, session, key, digest, payload_key, risk, submission, agent_id, asked_by,
    created_at, state, change)
SELECT {id}, {revision}, {session}, 'k9', 'x', '{{}}', 'low', '{{}}', {agent}, {asked_by}, now_us(), {state}, value
FROM counters WHERE name = 'change'
"""


def _request(**parts: str) -> str:
    by = """'{"agent_id":"' || %(mallory)s || '","session":"s-mallory"}'"""
    usual = {"id": "'x'", "revision": "1", "session": "'s-mallory'", "agent": "%(mallory)s", "asked_by": by}
    return _REQUEST.format(**{**usual, "state": "'pending'", **parts})


_GRANT = """
INSERT INTO grants (id, session, tool, payload_key, info, created_at, kind)
VALUES ('x', {session}, 'x', '{{}}', {info}, 1, {kind})
"""
WRITES = {
    "approve": f"UPDATE requests SET state = 'approved', decided_at = 1, decision = '{YES}'"
    " WHERE id = %(waiting)s",
    "approve one's own": f"UPDATE requests SET state = 'approved', decided_at = 1, decision = '{YES}'"
    " WHERE id = %(own)s",
    "reject": f"UPDATE requests SET state = 'rejected', decided_at = 1, decision = '{NO}' WHERE id = %(waiting)s",
    "reject one's own": f"UPDATE requests SET state = 'rejected', decided_at = 1, decision = '{NO}'"
    " WHERE id = %(own)s",
    "reject one's own without a decision": "UPDATE requests SET state = 'rejected', decided_at = 1"
    " WHERE id = %(own)s",
    "ask what is approved": f"INSERT INTO requests (decision) VALUES ('{YES}')",
    "ask in a state of its own": _request(state="'withdrawn'"),
    "expire": "UPDATE requests SET state = 'expired', state_note = '', decided_at = 1 WHERE id = %(waiting)s",
    "withdraw": "UPDATE requests SET state = 'withdrawn', state_note = '', decided_at = 1 WHERE id = %(waiting)s",
    "supersede what was approved": "UPDATE requests SET state = 'superseded', state_note = '' WHERE id = %(done)s",
    "take the answer": "UPDATE requests SET delivered_at = 1 WHERE id = %(done)s",
    "take a request over": "UPDATE requests SET agent_id = %(mallory)s WHERE id = %(waiting)s",
    "give one's request away": "UPDATE requests SET agent_id = %(victim)s WHERE id = %(own)s",
    "put one's request into a name": """UPDATE requests SET asked_by = '{"session":"s-41"}' WHERE id = %(own)s""",
    "put one's request into a session": """
    UPDATE requests SET agent_id = agent_id, asked_by = '{"agent_id":"' || agent_id || '","session":"s-41"}',
        change = (SELECT value FROM counters WHERE name = 'change')
    WHERE id = %(own)s
    """,
    "ask for another agent": _request(agent="%(victim)s"),
    "ask in another session": _request(session="'s-41'"),
    "ask in the name of another session": _request(asked_by="""'{"agent_id":"x","session":"s-41"}'"""),
    "ask the next revision": _request(id="%(waiting)s", revision="2", session="'s-41'"),
    "ask the next revision of what has ended": _request(id="%(done)s", revision="2"),
    "rewrite what was asked": "UPDATE requests SET submission = '{}' WHERE id = %(waiting)s",
    "rewrite what one asked": "UPDATE requests SET submission = '{}' WHERE id = %(own)s",
    "let a change pass unseen": "UPDATE requests SET state_note = '', change = 0 WHERE id = %(own)s",
    "delete a request": "DELETE FROM requests WHERE id = %(waiting)s",
    "empty the requests": "TRUNCATE requests CASCADE",
    "end an agent": "UPDATE agents SET ended_at = 1 WHERE id = %(victim)s",
    "introduce an agent otherwise": "UPDATE agents SET info = '{}' WHERE id = %(victim)s",
    "join a session": "INSERT INTO agents (id, info, session, pid, host, boot, started_at)"
    " VALUES ('x', '{}', 's-41', 1, '', '', 1)",
    "move to a session": "UPDATE agents SET session = 's-41' WHERE id = %(mallory)s",
    "register as another": "INSERT INTO agents (id, info, session, pid, host, boot, started_at, login)"
    " VALUES ('x', '{}', 's-9', 1, '', '', 1, 'asker')",
    "grant to a session": _GRANT.format(session="'s-41'", info="""'{"created_by":"x"}'""", kind="'exact'"),
    "grant as a reviewer": _GRANT.format(
        session="'s-mallory'", info="""'{"created_by":"anna"}'""", kind="'exact'"
    ),
    "grant with a seal": _GRANT.format(
        session="'s-mallory'", info="""'{"created_by":"x","seal":{"key":"x"}}'""", kind="'exact'"
    ),
    "grant a pattern": _GRANT.format(session="'s-mallory'", info="""'{"created_by":"x"}'""", kind="'pattern'"),
    "widen a grant": "UPDATE grants SET payload_key = '{}' WHERE id = %(grant)s",
    "count a grant": "UPDATE grants SET uses = 9 WHERE id = %(grant)s",
    "revoke a grant": "UPDATE grants SET revoked_at = 1, revoked_by = 'mallory' WHERE id = %(grant)s",
    "record a person's yes": _record(decision=f"'{YES}'", by="'anna'"),
    "record a yes by another name than it says": _record(
        decision="""'{"approved":true,"source":"rule","by":"x"}'""", by="'anna'"
    ),
    "record a yes to one's request": _record(
        decision=f"'{YES}'", by="'anna'", seq="%(own_seq)s", id="%(own)s", submission="NULL"
    ),
    "record in another session": _record(
        session="'s-41'", decision="""'{"approved":true,"source":"rule","by":"x"}'""", by="'x'"
    ),
    "record the end of another's": _record(
        state="'withdrawn'", seq="%(waiting_seq)s", id="%(waiting)s", submission="NULL"
    ),
    "record the end of another's as one's own": _record(
        state="'withdrawn'", seq="%(waiting_seq)s", id="%(own)s", submission="NULL"
    ),
    "record damage of another's": _record(state="'withdrawn'", id="%(waiting)s"),
    "record a deletion": _record(state="'withdrawn'"),
    "record for the far future": _record(
        decision="""'{"approved":true,"source":"rule","by":"x"}'""", by="'x'"
    ).replace("now_us()", "now_us() + 3600000000"),
    "rewrite the history": "UPDATE history SET reason = 'other'",
    "delete the history": "DELETE FROM history",
    "use a content that one does not have": "INSERT INTO blob_uses (sha256, request_seq) VALUES"
    " (%(sha256)s, %(own_seq)s)",
    "use it as who has it": "INSERT INTO blob_uses (sha256, request_seq, login) VALUES"
    " (%(sha256)s, %(own_seq)s, 'asker')",
    "put a content in another's place": "UPDATE blobs SET compressed = '' WHERE sha256 = %(sha256)s",
    "delete a content": "DELETE FROM blobs WHERE sha256 = %(sha256)s",
    "set the counters": "UPDATE counters SET value = 0",
    "take the lock for good": "SELECT * FROM counters FOR UPDATE",
    "set the format": "UPDATE format SET version = 999",
    "take the reviewers' part": "UPDATE roles SET role = 'mallory' WHERE part = 'review'",
    "file for the search": "INSERT INTO search (seq, words) VALUES (1, '')",
    "forget others' writes": "DELETE FROM writes WHERE login <> 'mallory'",
    "put a rule out of force": "ALTER TABLE requests DISABLE TRIGGER ALL",
    "put row security out of force": "ALTER TABLE requests DISABLE ROW LEVEL SECURITY",
    "make a table in the queue": "CREATE TABLE mine (x int)",
    "become a reviewer": "SET ROLE reviewing",
    "become the owner": "SET ROLE queue_owner",
}


@pytest.mark.parametrize("what", READS)
def test_an_asking_role_reads_nothing_of_another_session(opener, log_in, known, what):
    raw = log_in("mallory", ROLES.ask)
    with opener.administrator() as admin:
        assert admin.execute(READS[what].replace(" FOR UPDATE", ""), known).fetchall()
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        assert raw.execute(READS[what], known).fetchall() == []


@pytest.mark.parametrize("what", WRITES)
def test_an_asking_role_changes_nothing_of_another_session_and_decides_nothing(opener, log_in, known, what):
    raw = log_in("mallory", ROLES.ask)
    before = everything(opener)
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.ForeignKeyViolation):
        assert raw.execute(WRITES[what], known).rowcount == 0
    assert everything(opener) == before


OWN = {
    "ask": _request(),
    "take back": "UPDATE requests SET state = 'withdrawn', state_note = '', decided_at = 1,"
    " change = (SELECT value FROM counters WHERE name = 'change') WHERE id = %(own)s",
    "end": "UPDATE agents SET ended_at = 1 WHERE id = %(mallory)s",
    "remember": _GRANT.format(session="'s-mallory'", info="""'{"created_by":"x"}'""", kind="'exact'"),
    "record": _record(decision="""'{"approved":true,"source":"rule","by":"x"}'""", by="'x'"),
    "record the end": _record(state="'withdrawn'", seq="%(own_seq)s", id="%(own)s", submission="NULL"),
    "keep a content": "INSERT INTO blobs (sha256, size, compressed) VALUES (%(sha256)s, 1, '')",
    "read": "SELECT * FROM requests",
}


@pytest.mark.parametrize("what", OWN)
def test_what_is_refused_elsewhere_is_taken_for_the_session_of_the_role(log_in, known, what):
    assert log_in("mallory", ROLES.ask).execute(OWN[what], known).rowcount == 1


def test_without_row_security_an_asking_role_gets_an_error_and_no_rows(log_in, known):
    raw = log_in("mallory", ROLES.ask)
    raw.execute("SET row_security = off")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute("SELECT * FROM requests")


def test_a_session_is_not_taken_in_a_transaction_that_saw_nothing_of_it(opener, log_in, mallory):
    raw = log_in("mallory", ROLES.ask)
    raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    raw.execute("SELECT * FROM agents")
    opener.agent(session="s-new")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute(WRITES["join a session"].replace("s-41", "s-new"))


def test_a_content_is_kept_by_each_role_and_a_false_one_hides_no_true_one(victim, review, log_in, known):
    raw = log_in("mallory", ROLES.ask)
    raw.execute("INSERT INTO blobs (sha256, size, compressed) VALUES (%(sha256)s, 1, 'false')", known)
    raw.execute("INSERT INTO blob_uses (sha256, request_seq) VALUES (%(sha256)s, %(own_seq)s)", known)
    assert review.blob(SHA256) == SECRET
    assert [row["compressed"] for row in raw.execute("SELECT compressed FROM blobs")] == [b"false"]


def test_the_functions_that_act_for_the_owner_are_for_nobody_by_default(opener):
    with opener.administrator() as admin:
        found = admin.execute(
            "SELECT proname, proconfig, has_function_privilege('stranger', p.oid, 'EXECUTE') FROM pg_proc p"
            " WHERE pronamespace = current_schema::regnamespace AND prosecdef"
        ).fetchall()
    assert len(found) > 4
    assert [row for row in found if row[1] != ["search_path=pg_catalog, pg_temp"] or row[2]] == []


def test_an_asking_role_has_no_right_to_what_decides(opener):
    with opener.administrator() as admin:
        (column, table) = admin.execute(
            "SELECT has_column_privilege('asking', 'requests', 'decision', 'INSERT, UPDATE'),"
            " has_table_privilege('asking', 'requests', 'INSERT, UPDATE, DELETE, TRUNCATE')"
        ).fetchone()
    assert (column, table) == (False, False)


def test_an_asking_role_may_run_only_what_asking_takes(opener):
    with opener.administrator() as admin:
        found = admin.execute(
            "SELECT proname FROM pg_proc p WHERE pronamespace = current_schema::regnamespace AND prosecdef"
            " AND has_function_privilege('asking', p.oid, 'EXECUTE') ORDER BY 1"
        ).fetchall()
    assert [name for (name,) in found] == ["begin_write", "last_record", "next_change", "next_seq"]


# Locks, which everybody may take who may connect


def test_the_lease_of_an_agent_elsewhere_counts_only_with_its_own_role(opener, victim, log_in):
    posted = victim.submit(call())
    with opener.administrator() as admin:
        admin.execute("UPDATE agents SET boot = 'another machine'")
    lock = agent_lock(parse_url(opener.place).schema, posted.asked_by.agent_id)
    raw = log_in("mallory", ROLES.ask)
    victim._engine.close()
    eventually(lambda: raw.execute("SELECT pg_try_advisory_lock(%s) AS taken", (lock,)).fetchone()["taken"])
    with open_review_queue(f"{opener.reviewing_place('anna')}&agent_timeout=0") as review:
        assert review.pending() == ()
        assert "lost its connection" in review.get(posted.id).state_note


@pytest.mark.parametrize(("who", "counts"), [("stranger", False), ("asker", False), ("anna", True)])
def test_only_the_screen_of_a_reviewer_counts(opener, victim, review, who, counts):
    url = parse_url(opener.place.replace("//signoff@", f"//{who}@")).url
    with psycopg.connect(url, autocommit=True) as raw:
        slices = f"(SELECT {engine_module._SLICE} AS slice) AS now, generate_series(0, 9) AS late"
        lock = screens_lock(parse_url(opener.place).schema)
        raw.execute(f"SELECT pg_advisory_lock_shared(%s::int, slice + late) FROM {slices}", (lock,))
        assert review.stats().screen_open is counts


# Asking


def test_agents_of_two_roles_see_their_own_in_the_screen_and_reviewers_all(opener, victim, mallory, review):
    victim.submit(call())
    seen = open_review_queue(opener.asking_place)
    with seen:
        assert [request.asked_by.name for request in seen.pending()] == ["refactor"]
        assert [agent.session for agent in seen.agents()] == ["s-41"]
    assert {request.asked_by.name for request in review.pending()} == {"refactor", "mallory"}
    assert queue_stats(opener.asking_place).pending == 1


def test_what_a_reviewer_writes_instead_reaches_the_agent(opener, victim, review):
    posted = victim.submit(call(blobs={SHA256: SECRET}))
    assert review.blob(SHA256) == SECRET
    approve(review, posted, remember=True)
    assert victim.wait(posted.id).approved
    assert victim.use_grant(call("k2")).created_by == "anna"
    assert review.verify() is None


def test_an_agent_does_not_file_for_the_search_and_finds_its_own(opener, victim, mallory, review):
    for number in range(120):
        victim.record(call(f"k{number}"), Decision(approved=True, source=DecisionSource.RULE, by="rule"))
    with opener.administrator() as admin:
        assert admin.execute("SELECT count(*) FROM search").fetchone() == (0,)
    assert len(review.history(limit=200)) == 120
    with opener.administrator() as admin:
        assert admin.execute("SELECT count(*) FROM search").fetchone() == (120,)
    with open_review_queue(opener.place_of("mallory", ROLES.ask)) as seen:
        assert seen.history() == ()


def test_a_session_of_another_role_is_refused_with_a_sentence(opener, victim):
    with pytest.raises(QueueUnavailableError, match="the session s-41 belongs to another role"):
        open_agent_queue(AgentInfo("x", "s-41", "/"), opener.place_of("mallory", ROLES.ask))


def test_who_only_asks_is_told_so_when_deciding(opener, victim):
    victim.record(call(), Decision(approved=True, source=DecisionSource.RULE, by="rule"))
    posted = victim.submit(call())
    with open_review_queue(opener.asking_place) as seen:
        for decided in (approve, reject):
            with pytest.raises(QueueUnavailableError, match="members of the reviewing role decide"):
                decided(seen, posted)
        with pytest.raises(QueueUnavailableError, match="log in as a reviewer"):
            seen.prune(keep=0)
    assert victim.submit(call()).state is RequestState.PENDING


def test_a_part_of_the_history_is_not_taken_for_a_broken_one(opener, victim, mallory, review):
    for n, agent in enumerate((mallory, victim, mallory)):
        agent.record(call(f"k{n}"), Decision(approved=True, source=DecisionSource.RULE, by="rule"))
    with open_review_queue(opener.asking_place) as seen:
        assert [record.seq for record in seen.history()] == [2]
        assert seen.recall_history() == ""
        with pytest.raises(QueueUnavailableError, match="log in as a reviewer"):
            seen.verify()
    assert review.verify() is None


def test_who_is_in_neither_role_is_told_what_to_do(opener, victim):
    place = opener.place.replace("//signoff@", "//stranger@")
    with pytest.raises(QueueUnavailableError, match="signoff queue init"):
        open_agent_queue(AgentInfo("x", "s-9", "/"), place)


def test_a_dead_agent_is_swept_by_a_reviewer_and_not_by_another_role(opener, victim, mallory, review):
    posted = victim.submit(call())
    opener.crash(victim)
    with open_review_queue(opener.place_of("mallory", ROLES.ask)) as seen:
        assert [request.asked_by.name for request in seen.pending()] == ["mallory"]
    with opener.administrator() as admin:
        assert admin.execute("SELECT state FROM requests WHERE id = %s", (posted.id,)).fetchone() == ("pending",)
    eventually(lambda: [request.asked_by.name for request in review.pending()] == ["mallory"])


# Deciding under one's own name


def test_a_reviewer_goes_by_the_name_of_the_role(opener, victim):
    with open_review_queue(opener.reviewing_place("bob")) as review:
        assert review.reviewer == "bob"
        assert approve(review, victim.submit(call())).accepted
        assert review.history()[0].decision.by == "bob"


def test_another_name_is_refused_when_the_queue_is_opened(opener):
    with pytest.raises(QueueUnavailableError, match="'bob', so nobody can decide there as 'anna'"):
        open_review_queue(opener.reviewing_place("bob"), reviewer="anna")


def decision_by(by: str, source: str = "reviewer", more: str = "") -> str:
    return f'{{"approved":true,"note":"\\\\ud800 \\\\u0000","source":"{source}","by":"{by}"{more}}}'


DECISIONS = {
    "another's name": decision_by("anna"),
    "another's name for what follows a no": decision_by("anna", "cascade"),
    "two names": decision_by("bob", more=',"by":"anna"'),
    "a name within": decision_by("anna", more=',"instead":{"by":"bob"}'),
    "a rule": decision_by("bob", "rule"),
    "a grant that is none": decision_by("x", "grant"),
    "a grant of another session": decision_by("%(grant)s", "grant"),
    "no name": '{"approved":true,"source":"reviewer"}',
}


@pytest.mark.parametrize("what", DECISIONS)
def test_a_reviewer_decides_under_no_other_name(opener, log_in, known, what):
    raw = log_in("bob", ROLES.review)
    decision = DECISIONS[what].replace("%(grant)s", str(known["grant"]))
    before = everything(opener)
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.IntegrityError)):
        raw.execute(
            "UPDATE requests SET state = 'approved', decided_at = 1, decision = %s WHERE id = %s",
            (decision, known["own"]),
        )
    assert everything(opener) == before


AS_ANOTHER = {
    "revoking": "UPDATE grants SET revoked_at = 1, revoked_by = 'anna' WHERE id = %(grant)s",
    "granting": _GRANT.format(session="'s-41'", info="""'{"created_by":"anna"}'""", kind="'pattern'"),
    "recording": _record(decision=f"'{YES}'", by="'anna'", seq="%(own_seq)s", id="%(own)s", submission="NULL"),
    "deleting": _record(state="'withdrawn'", session="''").replace("'x', ''", "'anna', ''"),
    "asking": _request(),
    "taking the answer": "UPDATE requests SET delivered_at = 1 WHERE id = %(done)s",
    "setting the change number": "UPDATE counters SET value = 0 WHERE name = 'change'",
}


@pytest.mark.parametrize("what", AS_ANOTHER)
def test_a_reviewer_does_nothing_in_the_name_of_another(opener, log_in, known, what):
    raw = log_in("bob", ROLES.review)
    before = everything(opener)
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        assert raw.execute(AS_ANOTHER[what], known).rowcount == 0
    assert everything(opener) == before


def test_a_hard_no_and_a_release_are_in_the_reviewers_name(opener, victim, review):
    first, second = (victim.submit(call(f"k{n}", batch_id="b", batch_position=n)) for n in (1, 2))
    decide(review, first, Decision(approved=False, hard=True))
    assert victim.wait(second.id).decision.by == "anna"
    alike = [victim.submit(call(f"r{n}")) for n in (1, 2)]
    named = [(each.id, each.revision, each.submission.digest) for each in alike]
    verdicts = review.remember_and_release(named[0], named[1:], Decision(approved=True, remember=True))
    assert all(verdict.accepted for verdict in verdicts)
    assert review.verify() is None


def test_a_reviewer_prunes(victim, review):
    for n in range(3):
        victim.wait(approve(review, victim.submit(call(f"k{n}", blobs={SHA256: SECRET}))).current.id)
    assert review.prune(keep=0).count == 3
    assert review.verify() is None
    with pytest.raises(QueueUnavailableError, match="no content"):
        review.blob(SHA256)


def test_a_member_of_both_roles_asks_and_decides(opener):
    server().make_role("both", f"LOGIN IN ROLE {ROLES.ask}, {ROLES.review}")
    place = opener.place.replace("//signoff@", "//both@")
    with open_agent_queue(AgentInfo("x", "s-both", "/"), place) as agent, open_review_queue(place) as review:
        assert agent.add_grant(call("k0", tool_name="other"), by="agent author").created_by == "agent author"
        posted = agent.submit(call())
        assert approve(review, posted, remember=True).accepted
        assert agent.wait(posted.id).approved
        assert agent.clear_grants(by="agent author") == 2
        with pytest.raises(QueueUnavailableError, match="acts under that name, not as signoff"):
            agent.add_grant(call("k0", tool_name="other"), by="signoff")


def test_even_the_owner_does_not_decide_unless_it_is_a_reviewer(opener, log_in, known):
    raw = log_in("queue_admin", ROLES.owner)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="only members of the role reviewing decide"):
        raw.execute(WRITES["approve"], known)


def test_a_role_that_only_reads_is_told_of_row_security_and_reads_all_without(opener, victim):
    victim.submit(call())
    server().make_role("auditor", "LOGIN")
    place = opener.place.replace("//signoff@", "//auditor@")
    with opener.administrator() as admin:
        admin.execute(f'GRANT USAGE ON SCHEMA "{parse_url(place).schema}" TO auditor')
        admin.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{parse_url(place).schema}" TO auditor')
    with pytest.raises(QueueUnavailableError, match=r"because of row security: .* ALTER ROLE \.\.\. BYPASSRLS"):
        queue_stats(place)
    with opener.administrator() as admin:
        admin.execute("ALTER ROLE auditor BYPASSRLS")
    with open_review_queue(place, create=False) as seen:
        (posted,) = seen.pending()
        assert seen.verify() is None
        with pytest.raises(QueueUnavailableError, match="lets this role look and not change anything"):
            approve(seen, posted)


# Setting up


@pytest.fixture
def fresh() -> Iterator[PostgresOpener]:
    """A place for a queue, with nothing there, and roles."""
    opener = FreshPostgresOpener()
    for role in (ROLES.owner, ROLES.ask, ROLES.review):
        server().make_role(role, "NOLOGIN")
    yield opener
    opener.close()


RIGHTS = (
    "SELECT nspowner::regrole, nspacl::text FROM pg_namespace WHERE nspname = current_schema",
    """SELECT relname, relowner::regrole, relrowsecurity, relacl::text FROM pg_class
    WHERE relnamespace = current_schema::regnamespace AND relkind = 'r' ORDER BY 1""",
    """SELECT proname, proowner::regrole, proacl::text FROM pg_proc
    WHERE pronamespace = current_schema::regnamespace ORDER BY 1""",
    """SELECT attrelid::regclass, attname, attacl::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = current_schema::regnamespace AND attacl IS NOT NULL ORDER BY 1, 2""",
    "SELECT * FROM pg_policies WHERE schemaname = current_schema ORDER BY tablename, policyname",
    """SELECT tgrelid::regclass, tgname FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = current_schema::regnamespace AND NOT tgisinternal ORDER BY 1, 2""",
    "SELECT * FROM roles ORDER BY 1",
    "SELECT version FROM format",
)


def rights(opener: PostgresOpener) -> list[object]:
    """All that says who owns what, and who may do what."""
    with opener.administrator() as admin:
        return [admin.execute(statement).fetchall() for statement in RIGHTS]


def test_a_second_time_changes_nothing(fresh, capsys):
    place = parse_url(fresh.place)
    set_up(place, ROLES, print)
    before = rights(fresh)
    set_up(place, ROLES, print)
    assert rights(fresh) == before
    assert capsys.readouterr().out == ""
    assert {str(owner) for _, owner, *_ in before[1]} == {"queue_owner"}


def test_a_queue_that_is_there_gets_the_roles_and_keeps_what_is_in_it(fresh):
    posted = fresh.agent(session="s-old").submit(call())
    other = FreshPostgresOpener()
    set_up(parse_url(fresh.place), ROLES, print)
    set_up(parse_url(other.place), ROLES, print)
    try:
        assert _without_schema(rights(fresh), fresh) == _without_schema(rights(other), other)
    finally:
        other.close()
    server().make_role("anna", f"LOGIN IN ROLE {ROLES.review}")
    with open_review_queue(fresh.place.replace("//signoff@", "//anna@")) as review:
        assert [request.id for request in review.pending()] == [posted.id]
        assert approve(review, posted).accepted


def _without_schema(found: list[object], opener: PostgresOpener) -> str:
    return repr(found).replace(parse_url(opener.place).schema, "schema")


def test_other_roles_take_the_place_of_the_ones_before(fresh):
    place = parse_url(fresh.place)
    server().make_role("asking_before", "NOLOGIN")
    set_up(place, QueueRoles(ROLES.owner, "asking_before", ROLES.review), print)
    set_up(place, ROLES, print)
    with fresh.administrator() as admin:
        (left,) = admin.execute(
            "SELECT has_schema_privilege('asking_before', current_schema, 'USAGE')"
            " OR has_any_column_privilege('asking_before', 'requests', 'SELECT, INSERT, UPDATE')"
        ).fetchone()
    assert not left


def test_a_member_of_the_owner_sets_up_and_so_does_the_printed_sql(fresh, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--queue", fresh.place, "queue", "init", *_options(), "--print"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    server().make_role("queue_admin", f"LOGIN IN ROLE {ROLES.owner}")
    with psycopg.connect(server().url, autocommit=True) as admin:
        admin.execute("GRANT CREATE ON DATABASE signoff TO queue_owner")
    try:
        url = parse_url(fresh.place.replace("//signoff@", "//queue_admin@")).url
        with psycopg.connect(url, autocommit=True) as raw:
            raw.execute(printed)
    finally:
        with psycopg.connect(server().url, autocommit=True) as admin:
            admin.execute("REVOKE CREATE ON DATABASE signoff FROM queue_owner")
    before = rights(fresh)
    with pytest.raises(SystemExit) as ended:
        main(["queue", "init", "--queue", fresh.place.replace("//signoff@", "//queue_admin@"), *_options()])
    assert ended.value.code == 0
    assert "belongs to queue_owner; members of asking ask, members of reviewing decide" in capsys.readouterr().out
    assert rights(fresh) == before


def _options() -> list[str]:
    return ["--owner", ROLES.owner, "--ask", ROLES.ask, "--review", ROLES.review]


def test_a_role_that_is_missing_is_named_with_the_command_that_makes_it(fresh):
    with pytest.raises(QueueUnavailableError, match=r'no role Team A; nothing .* CREATE ROLE "Team A" NOLOGIN'):
        set_up(parse_url(fresh.place), QueueRoles(ROLES.owner, "Team A", ROLES.review), print)


def test_names_with_quotes_are_taken(fresh):
    odd = "As\"k's $signoff0$ {make}"
    with fresh.administrator() as admin:
        admin.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(odd)))
    try:
        set_up(parse_url(fresh.place), QueueRoles(ROLES.owner, odd, ROLES.review), print)
    finally:
        with fresh.administrator() as admin:
            admin.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(odd)))
            admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(odd)))


@pytest.mark.parametrize(
    ("login", "options", "words"),
    [
        ("queue_admin", f"LOGIN IN ROLE {ROLES.owner}", "GRANT CREATE ON DATABASE signoff TO queue_owner"),
        ("mallory", f"LOGIN IN ROLE {ROLES.ask}", "log in as a superuser or as a member of it"),
    ],
)
def test_who_may_not_set_up_is_told_what_to_do(fresh, login, options, words):
    server().make_role(login, options)
    with pytest.raises(QueueUnavailableError, match=words):
        set_up(parse_url(fresh.place.replace("//signoff@", f"//{login}@")), ROLES, print)


@pytest.mark.parametrize(
    ("group", "words"), [(ROLES.owner, "may do everything in it"), (ROLES.review, "whoever asks could decide")]
)
def test_an_asking_role_that_could_do_more_is_refused(fresh, group, words):
    name = f"asking_in_{group}"
    server().make_role(name, f"NOLOGIN IN ROLE {group}")
    with pytest.raises(QueueUnavailableError, match=words):
        set_up(parse_url(fresh.place), QueueRoles(ROLES.owner, name, ROLES.review), print)


@pytest.mark.parametrize("names", [("", "a", "b"), ("o", "a", "a"), ("o", "a\0", "b"), ("o" * 64, "a", "b")])
def test_what_is_no_role_is_refused(names):
    with pytest.raises(ValueError, match="role"):
        QueueRoles(*names)


def test_a_queue_in_a_directory_has_no_roles(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--queue", str(tmp_path), "queue", "init", *_options()])
    assert ended.value.code == 5
    assert "is no queue in PostgreSQL" in capsys.readouterr().err


def test_agents_get_no_more_connections_than_they_are_given(fresh):
    server().make_role("few", f"LOGIN IN ROLE {ROLES.ask}")
    roles = QueueRoles(ROLES.owner, ROLES.ask, ROLES.review, ask_connections=2)
    with fresh.administrator() as admin:
        before = {role for (role,) in admin.execute("SELECT rolname FROM pg_roles WHERE rolconnlimit = -1")}
        set_up(parse_url(fresh.place), roles, print)
        limits = dict(admin.execute("SELECT rolname, rolconnlimit FROM pg_roles").fetchall())
        limited = {role for role in before if limits[role] != -1}
        for role in limited:
            admin.execute(sql.SQL("ALTER ROLE {} CONNECTION LIMIT -1").format(sql.Identifier(role)))
        admin.execute("ALTER ROLE few CONNECTION LIMIT 1")
    place = fresh.place.replace("//signoff@", "//few@")
    with (
        psycopg.connect(parse_url(place).url),
        pytest.raises(QueueUnavailableError, match="no connection left for that role"),
    ):
        open_agent_queue(AgentInfo("x", "s-9", "/"), place)
    assert "few" in limited
    assert limits["few"] == 2
    assert limits["signoff"] == -1


def test_setting_up_again_disturbs_nobody(fresh):
    place = parse_url(fresh.place)
    set_up(place, ROLES, print)
    server().make_role("asker", f"LOGIN IN ROLE {ROLES.ask}")
    agent = open_agent_queue(AgentInfo("refactor", "s-41", "/"), fresh.place.replace("//signoff@", "//asker@"))
    done = threading.Event()

    def work() -> int:
        asked = 0
        while not done.is_set() or asked < 20:
            asked += 1
            agent.withdraw(agent.submit(call(f"k{asked}")).id, "not needed")
        return asked

    def look() -> int:
        looked = 0
        with open_review_queue(fresh.place) as review:
            while not done.is_set() or looked < 20:
                looked += 1
                review.pending(), review.stats(), review.history()
        return looked

    with agent, ThreadPoolExecutor() as threads:
        busy = [threads.submit(work), threads.submit(look), threads.submit(look)]
        try:
            for _ in range(20):
                set_up(place, ROLES, print)
        finally:
            done.set()
        assert min(each.result() for each in busy) >= 20


_HOLD = {
    "writes": "SELECT FROM counters FOR UPDATE",
    "sets it up": "SELECT pg_advisory_xact_lock({making_lock})",
}


@pytest.mark.parametrize("what", _HOLD)
def test_setting_up_gives_up_behind_somebody_who_stopped_and_says_so(fresh, monkeypatch, what):
    monkeypatch.setattr(roles_module, "_LOCK_SECONDS", 1)
    place = parse_url(fresh.place)
    set_up(place, ROLES, print)
    with fresh.administrator() as stopped, stopped.transaction():
        stopped.execute(_HOLD[what].format(making_lock=making_lock(place.schema)))
        with pytest.raises(QueueUnavailableError, match=r"is locked: .* look for a stopped or hanging signoff"):
            set_up(place, ROLES, print)


def test_a_newer_queue_is_left_as_it_is(fresh):
    set_up(parse_url(fresh.place), ROLES, print)
    with fresh.administrator() as admin:
        admin.execute("UPDATE format SET version = 999")
    with pytest.raises(QueueUnavailableError, match="newer signoff"):
        set_up(parse_url(fresh.place), ROLES, print)


def test_a_queue_of_an_older_format_is_brought_up_to_date_and_gets_roles(fresh):
    posted = fresh.agent().submit(call(blobs={SHA256: SECRET}))
    with fresh.administrator() as admin:
        admin.execute("UPDATE format SET version = 3")
    set_up(parse_url(fresh.place), ROLES, print)
    with fresh.administrator() as admin:
        assert admin.execute("SELECT version FROM format").fetchone() == (SCHEMA_VERSION,)
    server().make_role("anna", f"LOGIN IN ROLE {ROLES.review}")
    with open_review_queue(fresh.place.replace("//signoff@", "//anna@")) as review:
        assert review.blob(SHA256) == SECRET
        assert approve(review, posted).accepted


def test_what_is_printed_is_one_transaction():
    printed = set_up_statements("signoff", ROLES)
    assert printed.startswith("BEGIN;\n")
    assert printed.endswith("COMMIT;\n")


def test_a_queue_without_roles_takes_any_name(fresh):
    posted: StoredRequest = fresh.agent().submit(call())
    review = fresh.review("anybody")
    assert approve(review, posted).accepted
    assert review.history()[0].decision.by == "anybody"
