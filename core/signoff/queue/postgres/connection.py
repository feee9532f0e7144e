"""Connections to PostgreSQL: the URL, and what can go wrong with them in words that help."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from signoff.queue.errors import QueueError, QueuePlaceError, QueueUnavailableError

__all__ = [
    "Connection",
    "PostgresPlace",
    "connect",
    "is_lost",
    "parse_url",
    "translation",
]


Connection = psycopg.Connection[dict[str, Any]]
"""A connection whose rows are mappings, and which begins no transactions by itself."""

_OLDEST = 15
_DEFAULTS = {
    "application_name": "signoff",
    "connect_timeout": "10",
    # Find out within half a minute when the server's machine has vanished.
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}

# A writer that stops in the middle must not keep the others out for ever, and a machine that has vanished must not
# keep its agents alive: the server looks after both.
_SETTINGS = """
SET search_path TO "{schema}", pg_temp;
SET idle_in_transaction_session_timeout = '8s';
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 3;
SET tcp_keepalives_count = 3;
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
    options: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "UTF8"}
    connection = psycopg.connect(**options, autocommit=True, row_factory=dict_row)
    connection.prepare_threshold = None  # what an error kept from being prepared would be taken for prepared
    _open.add(connection)
    try:
        _refuse_old(connection, place)
        connection.execute(_SETTINGS.format(schema=place.schema))
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_old(connection: Connection, place: PostgresPlace) -> None:
    version = connection.info.server_version // 10_000
    if version < _OLDEST:
        raise QueueUnavailableError(f"{place.name} is PostgreSQL {version}; {_OLDEST} or newer is needed")


def is_lost(error: psycopg.Error, connection: Connection) -> bool:
    """True if an error means that the connection is gone, and with it what it was doing."""
    return connection.closed or error.sqlstate in _LOST


def translation(error: psycopg.Error, place: PostgresPlace) -> QueueError:
    """Return the error to tell users, with what to do. The password is not in it."""
    detail = " ".join(str(error).split()) or type(error).__name__
    cause = _CAUSES.get(error.sqlstate or "")
    if cause is None and error.sqlstate is None:
        cause = next((cause for words, cause in _CONNECTING.items() if words in detail), None)
    return QueueUnavailableError(f"{place.name} {cause} ({detail})" if cause else f"{place.name} failed: {detail}")


# https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOST = frozenset({"08000", "08003", "08006", "25P03", "57P01", "57P02", "57P03", "57P05"})

_STOPPING = "is being stopped or started; try again in a moment"
_PERMISSION = (
    "does not let you use this queue; have somebody who may run GRANT CREATE ON DATABASE, or grant you all"
    " rights on the queue's schema and its tables"
)
_CAUSES = {
    "25006": "is read-only; name the primary server, or make the database writable for you",
    "42501": _PERMISSION,
    "42P01": "no longer has this queue: its tables were removed",
    "53100": "cannot grow: the disk of the server is full; free some space and try again",
    "53200": "is out of memory; free some on the server and try again",
    "53300": "has no connection left; close some, or raise max_connections",
    "55P03": "is locked: another process has been writing all the time; look for a stopped or hanging signoff",
    "57014": "was told to stop working on this; try again",
    "57P01": _STOPPING,
    "57P02": _STOPPING,
    "57P03": _STOPPING,
    "25P03": "gave up waiting for this process, which stopped in the middle of a change; try again",
}

# While connecting there is no code, only the words of libpq and of a server that may speak another language.
_CONNECTING = {
    "password authentication failed": "does not take that user name and password; correct them in the URL",
    "no password supplied": "wants a password; put it into the URL, PGPASSWORD or ~/.pgpass",
    "pg_hba.conf": "does not let you in from here; have pg_hba.conf on the server allow it",
    "authentication failed": "does not take that user name; correct it in the URL",
    "starting up": _STOPPING,
    "shutting down": _STOPPING,
    "recovery mode": _STOPPING,
    "role": "does not know that user; correct the URL, or create it with createuser",
    "database": "has no such database; correct the URL, or create it with createdb",
    "too many clients": "has no connection left; close some, or raise max_connections",
    "connection slots": "has no connection left; close some, or raise max_connections",
    "timeout": "does not answer; see whether the host is right and the server runs",
    "server closed the connection": "went away; see whether the server runs",
    "could not translate host name": "is unknown: there is no such host; correct the URL",
    "resolve": "is unknown: there is no such host; correct the URL",
    "failed": "cannot be reached; see whether the server runs, and whether host and port are right",
}


def _close_in_child() -> None:
    """A child that outlives its parent must not keep the parent's sessions, and so its leases, alive."""
    for connection in list(_open):
        with contextlib.suppress(psycopg.Error, OSError):
            os.close(connection.fileno())


os.register_at_fork(after_in_child=_close_in_child)


# -- How users name a queue in PostgreSQL: by the URL of its database.
#
# The form is that of libpq (PostgreSQL documentation, "Connection URIs"), plus one parameter of our own,
# ``queue=NAME``, for more than one queue in a database.

# Stricter than libpq: whatever could be a piece of a password ends up nowhere but in `secret`.
_URL = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:/?#@]*)(?P<secret>:[^/?#@]*)?@)?(?P<hosts>[^/?#@]*)"
    r"(?P<database>/[^/?#@]*)?(?:\?(?P<options>[^#@]*))?"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
_SHOWN = ("host", "port", "user", "dbname", "service", "queue")


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """The place of a queue in PostgreSQL.

    Attributes:
        url: Given to libpq; may contain a password.
        schema: Name of the queue's schema: letters, digits, ``_`` and ``-``.
        name: The place in words for people, without any password.
    """

    url: str = field(repr=False)
    schema: str
    name: str


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
    user = f"{found['user']}@" if found["user"] else ""
    shown = _query(option for option in options if option[0] in _SHOWN)
    given = _query(option for option in options if option[0] != "queue")
    base, _, _ = url.partition("?")
    return PostgresPlace(
        url=f"{base}{given}",
        schema="signoff" if queue is None else f"signoff_{queue}",
        name=f"postgresql://{user}{found['hosts']}{found['database'] or ''}{shown}",
    )


def _query(options: Iterable[tuple[str, str, str]]) -> str:
    joined = "&".join(map("".join, options))
    return f"?{joined}" if joined else ""
