"""Connections to PostgreSQL: the URL, and a session that nobody else gets into."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import select
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from weakref import WeakSet

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ExecStatus
from psycopg.rows import dict_row
from psycopg.waiting import Ready, Wait

from signoff.queue.errors import QueuePlaceError, QueueUnavailableError

__all__ = [
    "AGENT_TIMEOUT_SECONDS",
    "ANSWER_SECONDS",
    "OWN_SESSION",
    "PREPARE_SECONDS",
    "Connection",
    "PostgresPlace",
    "PreparedStatements",
    "ServerSilentError",
    "StatementKey",
    "connect",
    "connect_within",
    "is_shared",
    "parse_url",
    "shared",
]

_T = TypeVar("_T")

# It also warns of errors that it raises, and without any handler that is written to standard error.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

ANSWER_SECONDS = 10.0
"""A server that has not answered for so long hangs, or the network has lost it."""

PREPARE_SECONDS = 60.0
"""Longest wait for the server while a queue is made or brought up to date."""

_CHECK_SECONDS = 0.1
"""Between two looks at the clock while the server is waited for."""

StatementKey = tuple[bytes, tuple[int, ...]]
"""A statement and the types of its values."""

_PREPARED_FROM, _MOST_PREPARED, _MOST_COUNTED = 3, 200, 1_000


class ServerSilentError(psycopg.OperationalError):
    """The server has not answered in time. The connection is closed: nobody knows what it was doing."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"timeout: no answer for {seconds:.3g} s")


class PreparedStatements:
    """The statements that one connection has sent, with names for those whose plans the server keeps.

    Attributes:
        names: The names.
    """

    def __init__(self) -> None:
        self.names: dict[StatementKey, bytes] = {}
        self._counts: dict[StatementKey, int] = {}

    def is_due(self, key: StatementKey) -> bool:
        """True if a statement without a name should get one; counts it."""
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if len(self._counts) > _MOST_COUNTED:
            self._counts.clear()
        return count > _PREPARED_FROM and len(self.names) < _MOST_PREPARED


class Connection(psycopg.Connection[dict[str, Any]]):
    """A connection whose rows are mappings, and which begins no transactions by itself.

    libpq waits for an answer for ever; this waits by a clock of our own.

    Attributes:
        limit: Longest wait for an answer, in seconds; None for ever.
        check: Called several times a second while an answer is waited for; ends that by raising.
        session: A word that the session of the server was told, and no other session.
        replica: True if the server is a replica.
        prepared: What was prepared by `signoff.queue.postgres.pipeline`; psycopg prepares nothing.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.prepare_threshold = None
        self.prepared = PreparedStatements()

    session = ""
    replica = False

    limit: float | None = ANSWER_SECONDS
    check: Callable[[], None] | None = None

    def wait(self, gen: Generator[Any, Any, _T], *_: Any, **__: Any) -> _T:
        """Wait for what psycopg does on this connection.

        Raises:
            ServerSilentError: It took longer than `limit`.
        """
        try:
            return self._waited(gen)
        except BaseException as error:
            if isinstance(error, ServerSilentError) or not isinstance(error, psycopg.Error):
                self.pgconn.finish()  # psycopg would ask the server to stop, and wait for its answer
            with contextlib.suppress(Exception):  # it may not be able to end well any more
                gen.close()
            raise

    def _waited(self, gen: Generator[Any, Any, _T]) -> _T:
        begun = time.monotonic()
        try:
            wanted = next(gen)
            if wanted & Wait.W:  # mostly it can send; psycopg asks again, also whether there is an answer already
                wanted = gen.send(Ready.W)
            while True:
                events = (select.POLLIN if wanted & Wait.R else 0) | (select.POLLOUT if wanted & Wait.W else 0)
                wanted = gen.send(_ready(self.await_events(events, begun), wanted))
        except StopIteration as end:
            found: _T = end.value
            return found

    def await_events(self, wanted: int, begun: float) -> int:
        """Wait for events of the connection, as `select.poll` names them; returns those that happened.

        Args:
            wanted: The events.
            begun: The beginning of the wait for an answer, by the monotonic clock.

        Raises:
            ServerSilentError: It took longer than `limit`.
        """
        poll = select.poll()
        poll.register(self.pgconn.socket, wanted)
        while not (happened := poll.poll(_CHECK_SECONDS * 1000)):
            if self.limit is not None and time.monotonic() - begun >= self.limit:
                raise ServerSilentError(time.monotonic() - begun)
            if self.check is not None:
                self.check()
        return happened[0][1]


def _ready(events: int, wanted: int) -> Ready:
    broken = events & ~(select.POLLIN | select.POLLOUT)  # whoever reads or writes next is told
    ready = (Ready.R if events & select.POLLIN else 0) | (Ready.W if events & select.POLLOUT else 0)
    return Ready(wanted if broken else ready)


_OLDEST = 15
_DEFAULTS = {
    "connect_timeout": "10",
    # Find out within half a minute when the server's machine has vanished.
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}

_NEXT_HOST_SECONDS = "3"
"""Of several servers the next one is tried after so long."""

# A writer that stops in the middle must not keep the others out for ever, and a machine that has vanished must not
# keep its agents alive: the server looks after both. A pooler tells its clients other process ids than the server;
# if one is in between, nothing is set, and no row returned, as others may use the session next.
_SET = """
SELECT pg_is_in_recovery() AS replica, set_config(name, value, false)
FROM (VALUES
    ('search_path', '"{schema}", pg_temp'),
    ('idle_in_transaction_session_timeout', '8s'),
    ('tcp_keepalives_idle', '10'),
    ('tcp_keepalives_interval', '3'),
    ('tcp_keepalives_count', '3'),
    ('signoff.session', '{session}')
) AS setting (name, value)
WHERE {told_pid} IN (pg_backend_pid(), {wherever})
"""
_WHEREVER = -1
_MARK = "SELECT pg_backend_pid() AS pid, set_config('signoff.session', '{session}', false) AS session"
_MARKED = "SELECT pg_backend_pid() AS pid, current_setting('signoff.session', true) AS session"
_POOL_SECONDS = 10.0
"""Longest wait for a pooler that has no session left."""

_NO_SESSION = "no signoff session"
OWN_SESSION = f"NULLIF(COALESCE(NULLIF(current_setting('signoff.session', true), ''), '{_NO_SESSION}'), ?)::int"
"""An expression that fails unless its value, a `Connection.session`, is that of the session it is sent to.

Its failure is one that `is_shared` knows. A transaction that has it does nothing in a session of others.
"""

# What a failed pipeline tells there is told by the error; without a handler it would go to standard error.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_open: WeakSet[Connection] = WeakSet()  # whose sockets a forked child must close


def connect(place: PostgresPlace) -> Connection:
    """Connect to the database of a queue.

    Raises:
        psycopg.Error: That failed; see `translation`.
        QueueUnavailableError: The URL has an option that libpq does not know, or the server is too old.
    """
    try:
        given = conninfo_to_dict(place.url)
    except psycopg.ProgrammingError:  # its message may repeat a piece of the password
        raise QueueUnavailableError(
            f"{place.name} has an option that PostgreSQL does not know, or a value that it does not take"
        ) from None
    options: dict[str, Any] = {
        **_DEFAULTS,
        "fallback_application_name": place.application,
        **given,
        "client_encoding": "UTF8",
    }
    if place.hosts > 1 and "connect_timeout" not in given:
        options["connect_timeout"] = _NEXT_HOST_SECONDS
    connection = Connection.connect(**options, autocommit=True, row_factory=dict_row)
    _open.add(connection)
    try:
        _refuse_old(connection, place)
        connection.session = f"signoff session {secrets.token_hex(8)}"
        rows = connection.execute(_setting(connection, place, connection.info.backend_pid)).fetchall()
        if not rows:
            _refuse_shared(connection, options, place)
            rows = connection.execute(_setting(connection, place, _WHEREVER)).fetchall()
        connection.replica = rows[0]["replica"]
    except BaseException:
        connection.close()
        raise
    return connection


def _setting(connection: Connection, place: PostgresPlace, told_pid: int) -> str:
    return _SET.format(schema=place.schema, session=connection.session, told_pid=told_pid, wherever=_WHEREVER)


def _refuse_shared(connection: Connection, options: Mapping[str, Any], place: PostgresPlace) -> None:
    """Make sure that a pooler gives a connection a session of its own.

    A second connection that is in a transaction keeps what it was given; whatever that is, it must not be what the
    first one was given, which must not be given anything else. Where that comes out right by chance,
    `OWN_SESSION` finds it out later.
    """
    try:
        mine = connection.execute(_MARK.format(session=connection.session)).fetchone()
        with contextlib.closing(Connection.connect(**options, autocommit=True, row_factory=dict_row)) as other:
            if not _begins(other):
                raise QueueUnavailableError(
                    f"{place.name} is a pooler that has no session left; raise its default_pool_size: who waits"
                    " needs two, and one more for a moment"
                )
            # Asked in this order: there may be no other session that the first could be given.
            theirs = other.execute(_MARKED).fetchone()
            assert mine is not None
            assert theirs is not None
            if theirs["pid"] == mine["pid"] or connection.execute(_MARKED).fetchone() != mine:
                raise shared(place)
    except psycopg.Error as error:
        if "pooling mode" in str(error):
            raise shared(place) from error
        raise


def _begins(connection: Connection) -> bool:
    """Begin a transaction; returns False if the pooler has no session for it in time."""
    connection.pgconn.send_query(b"BEGIN")
    end = time.monotonic() + _POOL_SECONDS
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    while connection.pgconn.is_busy():
        if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
            return False
        connection.pgconn.consume_input()
    while (result := connection.pgconn.get_result()) is not None:
        if result.status == ExecStatus.FATAL_ERROR:
            raise psycopg.OperationalError(result.error_message.decode("utf-8", "replace"))
    return True


def is_shared(error: psycopg.Error) -> bool:
    """True if an error says that the session is not the one that was opened, see `OWN_SESSION`."""
    return isinstance(error, psycopg.errors.InvalidTextRepresentation) and "signoff session" in str(error)


def shared(place: PostgresPlace) -> QueueUnavailableError:
    """The error for a pooler that lets others into the same session."""
    return QueueUnavailableError(
        f"{place.name} is a pooler that lets others into the same session (pool_mode=transaction or statement),"
        " where locks and settings are lost; nothing was changed: name the server itself, or set pool_mode=session"
    )


def connect_within(place: PostgresPlace, seconds: float, check: Callable[[], None] | None = None) -> Connection:
    """`connect`, for no longer than some seconds, whatever a name server or a server does not answer.

    Args:
        place: The place of the queue.
        seconds: Longest wait.
        check: Called several times a second; ends the wait by raising.

    Raises:
        psycopg.Error: That failed; see `translation`.
        ServerSilentError: It took longer.
        QueueUnavailableError: The URL has an option that libpq does not know, or the server is too old.
    """
    attempt = _Attempt(place)
    end = time.monotonic() + seconds
    try:
        while not attempt.done.wait(min(_CHECK_SECONDS, max(0.0, end - time.monotonic()))):
            if time.monotonic() >= end:
                break
            if check is not None:
                check()
        else:
            return attempt.result()
    except BaseException:
        attempt.abandon()
        raise
    attempt.abandon()
    raise ServerSilentError(seconds)


class _Attempt:
    """An attempt to connect, in a thread of its own: libpq looks for a name for as long as it likes."""

    def __init__(self, place: PostgresPlace) -> None:
        self.done = threading.Event()
        self._place = place
        self._guard = threading.Lock()
        self._abandoned = False
        self._connection: Connection | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="signoff-connecting", daemon=True).start()

    def abandon(self) -> None:
        """Let a connection that comes too late be closed."""
        with self._guard:
            self._abandoned = True
            if self._connection is not None:
                self._connection.close()

    def result(self) -> Connection:
        """Return the connection, or raise the error, when it is done."""
        if self._error is not None:
            raise self._error
        assert self._connection is not None
        return self._connection

    def _run(self) -> None:
        try:
            connection = connect(self._place)
        except BaseException as error:  # noqa: BLE001 (raised where it was asked for)
            self._error = error
        else:
            with self._guard:
                if self._abandoned:
                    connection.close()
                self._connection = connection
        self.done.set()


def _refuse_old(connection: Connection, place: PostgresPlace) -> None:
    version = connection.info.server_version // 10_000
    if version < _OLDEST:
        raise QueueUnavailableError(f"{place.name} is PostgreSQL {version}; {_OLDEST} or newer is needed")


def _close_in_child() -> None:
    """A child that outlives its parent must not keep the parent's sessions, and so its leases, alive."""
    for connection in list(_open):
        with contextlib.suppress(psycopg.Error, OSError):
            os.close(connection.fileno())


os.register_at_fork(after_in_child=_close_in_child)


# -- How users name a queue in PostgreSQL: by the URL of its database.
#
# The form is that of libpq (PostgreSQL documentation, "Connection URIs"), plus parameters of our own:
# ``queue=NAME``, for more than one queue in a database, ``upgrade=no``, for one that others bring up to date, and
# ``agent_timeout=SECONDS``, after which an agent elsewhere that has lost its connection no longer counts.

AGENT_TIMEOUT_SECONDS = 300
"""Time enough for a laptop that changes networks, or is closed for a walk to the next room."""

# Stricter than libpq: whatever could be a piece of a password ends up nowhere but in `secret`.
_URL = re.compile(
    r"postgresql://(?:(?P<user>[^:/?#@]*)(?P<secret>:[^/?#@]*)?@)?(?P<hosts>[^/?#@]*)"
    r"(?P<database>/[^/?#@]*)?(?:\?(?P<options>[^#@]*))?"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
_SECONDS = re.compile(r"[0-9]{1,9}")
_OURS = ("queue", "upgrade", "agent_timeout")
_SHOWN = ("host", "port", "user", "dbname", "service", "queue")
_TYPED = (*_SHOWN, "sslmode", "sslrootcert", "target_session_attrs", "agent_timeout")


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """The place of a queue in PostgreSQL.

    Attributes:
        url: Given to libpq; may contain a password.
        schema: Name of the queue's schema: letters, digits, ``_`` and ``-``.
        name: The place in words for people, without any password.
        option: The place on a command line of anybody: the same, with what else they should not leave out.
        upgrade: True if a queue of an older format is brought up to date.
        application: What the server's operators are told of who connects.
        agent_timeout: Seconds after which an agent elsewhere that has lost its connection no longer counts.
        hosts: Number of servers that are tried, one after the other.
    """

    url: str = field(repr=False)
    schema: str
    name: str
    option: str
    upgrade: bool = True
    application: str = "signoff"
    agent_timeout: int = AGENT_TIMEOUT_SECONDS
    hosts: int = 1

    def used_by(self, who: str) -> PostgresPlace:
        """The same place for somebody whom the server's operators see as ``application_name``.

        Args:
            who: Any text; the server keeps 63 letters of ASCII.
        """
        letters = "".join(each if " " <= each <= "~" else "?" for each in f"signoff {who}")
        return replace(self, application=letters[:63])


def parse_url(url: str) -> PostgresPlace:
    """Turn a URL into a place. Nothing is connected to.

    Raises:
        QueuePlaceError: It is not a URL of PostgreSQL; the message does not repeat it.
    """
    found = _URL.fullmatch(url)
    if found is None:
        raise QueuePlaceError(
            "the URL of the queue is not of the form postgresql://user:password@host:port/database; special"
            " characters in names and passwords are written as %XX"
        )
    options = [part.partition("=") for part in (found["options"] or "").split("&") if part]
    queue = next((value for key, _, value in options if key == "queue"), None)
    if queue is not None and not _NAME.fullmatch(queue):
        raise QueuePlaceError(
            f"{queue!r} is not the name of a queue: use up to 48 letters, digits, '_' and '-' in queue=NAME"
        )
    upgrade = next((value for key, _, value in options if key == "upgrade"), "yes")
    if upgrade not in ("yes", "no"):
        raise QueuePlaceError("upgrade is yes or no in the URL of a queue")
    timeout = next((value for key, _, value in options if key == "agent_timeout"), str(AGENT_TIMEOUT_SECONDS))
    if not _SECONDS.fullmatch(timeout):
        raise QueuePlaceError(f"{timeout!r} is not a number of seconds for agent_timeout=SECONDS")
    user = f"{found['user']}@" if found["user"] else ""
    shown, typed = (_query(each for each in options if each[0] in kept) for kept in (_SHOWN, _TYPED))
    given = _query(option for option in options if option[0] not in _OURS)
    base, _, _ = url.partition("?")
    server = f"postgresql://{user}{found['hosts']}{found['database'] or ''}"
    return PostgresPlace(
        url=f"{base}{given}",
        schema="signoff" if queue is None else f"signoff_{queue}",
        name=f"{server}{shown}",
        option=f"{server}{typed}",
        upgrade=upgrade == "yes",
        agent_timeout=int(timeout),
        hosts=1 + max(each.count(",") for each in (found["hosts"], *(value for _, _, value in options))),
    )


def _query(options: Iterable[tuple[str, str, str]]) -> str:
    joined = "&".join(map("".join, options))
    return f"?{joined}" if joined else ""
