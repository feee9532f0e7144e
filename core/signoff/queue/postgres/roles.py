"""Roles of a queue in PostgreSQL: one owns it, members of another ask, members of a third decide.

What an asking role may read and write is said by row security and by privileges on columns, so the SQL that the
queue sends is the same for everybody. What belongs to a session belongs to the role that registered the session.
The rules about names are in `signoff.queue.postgres.schema`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psycopg

from signoff.queue.errors import QueueUnavailableError
from signoff.queue.postgres.causes import translation
from signoff.queue.postgres.connection import PREPARE_SECONDS, PostgresPlace, connect
from signoff.queue.postgres.leases import making_lock
from signoff.queue.postgres.schema import QUEUE_NUMBER, SCHEMA_VERSION, schema_statements, upgrade_statements

__all__ = ["QueueRoles", "set_up", "set_up_statements"]

_LONGEST_NAME = 63  # bytes of a name in PostgreSQL

_LOCK_SECONDS = 5
"""Longest wait for whoever uses the queue; who comes after us waits as long."""


@dataclass(frozen=True, slots=True)
class QueueRoles:
    """The roles of a queue.

    Attributes:
        owner: Owns the schema and everything in it.
        ask: Its members ask.
        review: Its members decide.
        ask_connections: Most connections of each login role that asks; None leaves that as it is.

    Raises:
        ValueError: A name is none, or two of the roles are one.
    """

    owner: str
    ask: str
    review: str
    ask_connections: int | None = None

    def __post_init__(self) -> None:
        names = self.owner, self.ask, self.review
        for name in names:
            if not name or not name.isprintable() or len(name.encode()) > _LONGEST_NAME:
                raise ValueError(
                    f"{name!r} is not the name of a role: it has 1 to {_LONGEST_NAME} printable bytes"
                )
        if len(set(names)) < len(names):
            raise ValueError("owner, asking role and reviewing role are three roles")


def set_up(place: PostgresPlace, roles: QueueRoles, notice: Callable[[str], None]) -> None:
    """Make a queue with its roles, or give these roles to one that is there. Doing it again changes nothing.

    Args:
        place: The place of the queue.
        roles: Its roles.
        notice: Told what is left to be done by somebody with more rights.

    Raises:
        QueueUnavailableError: Nothing was changed; the message says what to do.
    """
    try:
        with contextlib.closing(connect(place)) as connection:
            connection.add_notice_handler(lambda said: notice(said.message_primary or ""))
            connection.limit = PREPARE_SECONDS
            connection.execute(set_up_statements(place.schema, roles))
    except psycopg.errors.RaiseException as error:
        raise QueueUnavailableError(f"{place.name}: {error.diag.message_primary}") from error
    except psycopg.Error as error:
        raise translation(error, place) from error


def set_up_statements(schema: str, roles: QueueRoles) -> str:
    """Return what `set_up` runs, as SQL that psql takes.

    Args:
        schema: Name of the queue's schema.
        roles: Its roles.
    """
    words = {
        "schema": schema,
        "lock": str(making_lock(schema)),
        "owner": _name(roles.owner),
        "ask": _name(roles.ask),
        "review": _name(roles.review),
        "owner_text": _text(roles.owner),
        "ask_text": _text(roles.ask),
        "review_text": _text(roles.review),
    }
    number = f"INSERT INTO counters (name, value) VALUES ('id', {QUEUE_NUMBER});"  # noqa: S608
    make = f"{schema_statements(schema)}{number}"
    made = {**words, "version": str(SCHEMA_VERSION), "make": make, "upgrade": upgrade_statements(schema)}
    most = roles.ask_connections
    return "".join(
        (
            "BEGIN;\nSET LOCAL client_min_messages = warning;\n",
            f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s';\n",
            _block(_CHECKED, words),
            _filled('SET LOCAL ROLE {owner};\nSET LOCAL search_path TO "{schema}", pg_temp;\n', words),
            _block(_MADE, made),
            _block(_TAKEN_BACK, words),
            _filled(_GRANTED, words),
            *(_filled(_policy(table, role, rule), words) for table, role, rule in _RULES),
            "RESET ROLE;\n",
            _block(_RESERVED, words),
            "" if most is None else _block(_LIMITED, {**words, "most": str(most)}),
            "COMMIT;\n",
        )
    )


def _name(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _text(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


def _filled(statement: str, words: Mapping[str, str]) -> str:
    """A statement with the words in it; they may hold what looks like others."""
    parts = statement.split("{")
    ends = (part.partition("}") for part in parts[1:])
    return parts[0] + "".join(f"{words[word]}{rest}" for word, _, rest in ends)


def _block(body: str, words: Mapping[str, str]) -> str:
    text = _filled(
        body, {**words, **{word: _quoted(words[word]) for word in ("make", "upgrade") if word in words}}
    )
    return f"DO {_quoted(text)};\n"


def _quoted(text: str) -> str:
    """A text between dollars, whatever it holds."""
    number = 0
    while (mark := f"$signoff{number}$") in text:
        number += 1
    return f"{mark}{text}{mark}"


# -- The SQL. Words in braces are put in by `_filled`.

_CHECKED = """
DECLARE
    wanted text;
    thing record;
BEGIN
    PERFORM pg_advisory_xact_lock({lock});
    FOREACH wanted IN ARRAY ARRAY[{owner_text}, {ask_text}, {review_text}] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            RAISE EXCEPTION 'there is no role %; nothing was changed; first run: CREATE ROLE % NOLOGIN', wanted,
                quote_ident(wanted);
        END IF;
    END LOOP;
    IF NOT pg_has_role(current_user, {owner_text}, 'MEMBER') THEN
        RAISE EXCEPTION 'the role % is no member of %; nothing was changed; log in as a superuser or as a member'
            ' of it', current_user, {owner_text};
    ELSIF pg_has_role({ask_text}, {owner_text}, 'MEMBER') THEN
        RAISE EXCEPTION 'the role % is a member of %, and whoever owns a queue may do everything in it; nothing'
            ' was changed; take another role, or run: REVOKE % FROM %', {ask_text}, {owner_text},
            quote_ident({owner_text}), quote_ident({ask_text});
    ELSIF pg_has_role({ask_text}, {review_text}, 'MEMBER') THEN
        RAISE EXCEPTION 'the role % is a member of %, so whoever asks could decide; nothing was changed; take'
            ' another role, or run: REVOKE % FROM %', {ask_text}, {review_text}, quote_ident({review_text}),
            quote_ident({ask_text});
    END IF;
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{schema}') THEN
        IF NOT has_database_privilege(current_user, current_database(), 'CREATE') THEN
            SET LOCAL ROLE {owner};
        END IF;
        BEGIN
            CREATE SCHEMA "{schema}" AUTHORIZATION {owner};
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE EXCEPTION 'no schema can be made; nothing was changed; have a superuser run: GRANT CREATE ON'
                ' DATABASE % TO %', quote_ident(current_database()), quote_ident({owner_text});
        END;
        RETURN;
    END IF;
    -- Every look and every write begins with this table, so who has it is in nobody's way.
    BEGIN
        LOCK TABLE "{schema}".counters IN ACCESS EXCLUSIVE MODE;
    EXCEPTION WHEN undefined_table OR insufficient_privilege THEN  -- what that means is said below
        NULL;
    END;
    -- A queue that was made without roles belongs to whoever made it.
    FOR thing IN
        SELECT format('SCHEMA %I', nspname) AS said FROM pg_namespace
        WHERE nspname = '{schema}'
            AND nspowner <> (SELECT oid FROM pg_roles WHERE rolname = {owner_text})
        UNION ALL
        SELECT format('TABLE %s', c.oid::regclass) FROM pg_class c
        WHERE c.relnamespace = '"{schema}"'::regnamespace AND c.relkind = 'r'
            AND c.relowner <> (SELECT oid FROM pg_roles WHERE rolname = {owner_text})
        UNION ALL
        SELECT format('FUNCTION %s', p.oid::regprocedure) FROM pg_proc p
        WHERE p.pronamespace = '"{schema}"'::regnamespace
            AND p.proowner <> (SELECT oid FROM pg_roles WHERE rolname = {owner_text})
    LOOP
        BEGIN
            EXECUTE format('ALTER %s OWNER TO %I', thing.said, {owner_text});
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE EXCEPTION 'the queue that is there belongs to another role than %; nothing was changed; log in'
                ' as a superuser or as its owner', {owner_text};
        END;
    END LOOP;
END
"""

_MADE = """
BEGIN
    IF NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = '{schema}') THEN
        EXECUTE {make};
    ELSIF NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = '{schema}' AND tablename = 'format') THEN
        RAISE EXCEPTION 'the schema {schema} is not a queue of signoff; nothing was changed; name another one with'
            ' queue=NAME';
    ELSIF (SELECT version FROM format) > {version} THEN
        RAISE EXCEPTION 'the queue was written by a newer signoff; nothing was changed; install a newer signoff';
    ELSIF (SELECT version FROM format) < {version} THEN
        EXECUTE {upgrade};
    END IF;
END
"""

_TAKEN_BACK = """
DECLARE
    who name;
BEGIN
    FOR who IN SELECT r.role FROM roles r JOIN pg_roles p ON p.rolname = r.role
        UNION SELECT {ask_text} UNION SELECT {review_text} LOOP
        EXECUTE format('REVOKE ALL ON SCHEMA "{schema}" FROM %I', who);
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA "{schema}" FROM %I', who);
        EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA "{schema}" FROM %I', who);
    END LOOP;
END
"""

_GRANTED = """
DELETE FROM roles;
INSERT INTO roles (part, role) VALUES ('ask', {ask_text}), ('review', {review_text});
REVOKE ALL ON SCHEMA "{schema}" FROM PUBLIC;
GRANT USAGE ON SCHEMA "{schema}" TO {ask}, {review};
GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO {ask}, {review};
GRANT EXECUTE ON FUNCTION begin_write(bigint, bigint, bigint, bigint, boolean), next_change(), last_record(),
    next_seq() TO {ask}, {review};

GRANT INSERT (writer, number, at), UPDATE (number, at), DELETE ON writes TO {ask}, {review};
GRANT INSERT (sha256, size, compressed) ON blobs TO {ask}, {review};
GRANT INSERT (sha256, request_seq) ON blob_uses TO {ask}, {review};
GRANT INSERT ON history TO {ask}, {review};
GRANT INSERT (id, session, tool, payload_key, info, created_at, kind),
    UPDATE (uses, last_used_at, revoked_at, revoked_by) ON grants TO {ask}, {review};

GRANT INSERT (id, info, session, pid, host, boot, started_at), UPDATE (info, ended_at) ON agents TO {ask};
GRANT INSERT (id, revision, session, key, digest, payload_key, batch_id, risk, submission, agent_id, asked_by,
    created_at, expires_at, state, change) ON requests TO {ask};
GRANT UPDATE (state, state_note, decided_at, delivered_at, agent_id, asked_by, change) ON requests TO {ask};

GRANT UPDATE (ended_at) ON agents TO {review};
GRANT UPDATE (state, state_note, decision, decided_at, change) ON requests TO {review};
GRANT UPDATE (value) ON counters TO {review};
GRANT INSERT, DELETE ON anchors, search TO {review};
GRANT INSERT, UPDATE, DELETE ON absences TO {review};
GRANT DELETE ON requests, history, blobs, blob_uses TO {review};
"""

_OWN_SESSION = (
    'EXISTS (SELECT FROM "{schema}".agents a WHERE a.session = {table}.session AND a.login = session_user)'
)
_OWN_REQUEST = 'EXISTS (SELECT FROM "{schema}".requests r WHERE r.seq = {table}.request_seq{more})'
_USED = 'EXISTS (SELECT FROM "{schema}".blob_uses u WHERE u.sha256 = blobs.sha256 AND u.login = blobs.login)'
_NOW_CHANGE = "change = (SELECT value FROM \"{schema}\".counters WHERE name = 'change')"


def _own_session(table: str) -> str:
    return _OWN_SESSION.replace("{table}", table)


def _own_request(table: str, more: str = "") -> str:
    return _OWN_REQUEST.replace("{table}", table).replace("{more}", more)


# A minute is more than any write takes; a record of the far future would keep older ones from being deleted.
_OWN_RECORD = f"""{_own_session("history")} AND at <= "{{schema}}".now_us() + 60000000 AND (
    (decision IS NULL AND state IN ('expired', 'withdrawn', 'superseded') AND request_id IS NOT NULL)
    OR (decision IS NOT NULL AND request_id IS NULL)
) AND (request_seq IS NULL OR {_own_request("history", " AND r.id = history.request_id")})
AND (request_id IS NULL OR EXISTS (
    SELECT FROM "{{schema}}".requests r WHERE r.id = history.request_id AND r.session = history.session
))"""

_ALL = "FOR ALL USING (true) WITH CHECK (true)"
_LOOK = "FOR SELECT USING (true)"
_OWN_LOGIN = "FOR ALL USING (login = session_user) WITH CHECK (login = session_user)"

_RULES: tuple[tuple[str, str, str], ...] = (
    *((table, "review", _ALL) for table in ("agents", "requests", "grants", "history", "anchors", "search")),
    *((table, "review", _ALL) for table in ("blobs", "blob_uses", "absences")),
    *((table, role, _OWN_LOGIN) for table, role in (("writes", "ask"), ("writes", "review"), ("agents", "ask"))),
    *((table, role, _LOOK) for table in ("format", "roles", "counters") for role in ("ask", "review")),
    ("anchors", "ask", _LOOK),
    ("counters", "review writes", "FOR UPDATE USING (name IN ('filed', 'pruned'))"),
    *((table, "ask", f"FOR SELECT USING ({_own_session(table)})") for table in ("requests", "history")),
    (
        "requests",
        "ask posts",
        f"FOR INSERT WITH CHECK (state = 'pending' AND {_NOW_CHANGE} AND {_own_session('requests')})",
    ),
    (
        "requests",
        "ask ends",
        f"FOR UPDATE USING ({_own_session('requests')}) WITH CHECK ({_NOW_CHANGE} AND {_own_session('requests')})",
    ),
    ("grants", "ask", f"FOR ALL USING ({_own_session('grants')}) WITH CHECK ({_own_session('grants')})"),
    ("history", "ask adds", f"FOR INSERT WITH CHECK ({_OWN_RECORD})"),
    ("search", "ask", 'FOR SELECT USING (EXISTS (SELECT FROM "{schema}".history h WHERE h.seq = search.seq))'),
    ("blob_uses", "ask", f"FOR SELECT USING ({_own_request('blob_uses')})"),
    (
        "blob_uses",
        "ask keeps",
        f"FOR INSERT WITH CHECK (login = session_user AND {_own_request('blob_uses')})",
    ),
    (
        "blobs",
        "ask",
        f"FOR SELECT USING ({_USED})",
    ),
    ("blobs", "ask keeps", "FOR INSERT WITH CHECK (login = session_user)"),
)
"""Table, role with a word for what is allowed, and the policy."""


def _policy(table: str, which: str, rule: str) -> str:
    role = which.partition(" ")[0]
    kind = " USING" if " USING" in rule else " WITH CHECK"
    command, condition, rest = rule.partition(kind)
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;\n"
        f'DROP POLICY IF EXISTS "{which}" ON {table};\n'
        f'CREATE POLICY "{which}" ON {table} {command} TO {{{role}}}{condition}{rest};\n'
    )


# Of the connections that the server reserves, from PostgreSQL 16 on, agents get none.
_RESERVED = """
BEGIN
    IF current_setting('server_version_num')::int >= 160000
        AND NOT pg_has_role({review_text}, 'pg_use_reserved_connections', 'MEMBER') THEN
        EXECUTE 'GRANT pg_use_reserved_connections TO {review}';
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'for reviewers to get in when agents fill the server, have a superuser run: %',
        'GRANT pg_use_reserved_connections TO {review}';
END
"""

# A limit counts for the role that logs in, and is not passed on to members.
_LIMITED = """
DECLARE
    who name;
BEGIN
    FOR who IN SELECT rolname FROM pg_roles
        WHERE rolcanlogin AND NOT rolsuper AND rolconnlimit <> {most}
            AND pg_has_role(oid, {ask_text}, 'MEMBER') AND NOT pg_has_role(oid, {review_text}, 'MEMBER') LOOP
        BEGIN
            EXECUTE format('ALTER ROLE %I CONNECTION LIMIT {most}', who);
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE WARNING 'not limited; have a superuser run: %',
                format('ALTER ROLE %I CONNECTION LIMIT {most}', who);
        END;
    END LOOP;
END
"""
