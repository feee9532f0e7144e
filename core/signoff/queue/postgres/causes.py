"""Causes of errors of a server, in words that say what to do."""

from __future__ import annotations

import re

import psycopg

from signoff.queue.errors import QueueAwayError, QueueError, QueueUnavailableError
from signoff.queue.postgres.connection import Connection, PostgresPlace

__all__ = ["is_lost", "translation"]


def is_lost(error: psycopg.Error, connection: Connection) -> bool:
    """True if an error means that the connection is gone, and with it what it was doing."""
    return connection.closed or error.sqlstate in _LOST


def translation(error: psycopg.Error, place: PostgresPlace) -> QueueError:
    """Return the error to tell users, with what to do. The password is not in it."""
    said = error.diag.message_primary or str(error)
    detail = " ".join(_ADVICE.sub("", said).split()) or type(error).__name__
    cause = _CAUSES.get(error.sqlstate or "")
    if cause is None and error.sqlstate is None:
        line = str(error).replace("\n", " ")
        cause = next((cause for words, cause in _CONNECTING.items() if re.search(words, line)), None)
    words = f"{place.name} {cause} ({detail})" if cause else f"{place.name} failed: {detail}"
    lost = error.sqlstate in _LOST or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)
    mends = lost if cause is None else cause in _MENDS_ITSELF
    return QueueAwayError(words) if mends else QueueUnavailableError(words)


_ADVICE = re.compile(r"\n\tIs the server running [^\n]*|^connection is bad: ")
"""The question that libpq adds on a line of its own, and the first words of psycopg: ours says it better."""

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOST = frozenset({"08000", "08003", "08006", "25P03", "57P01", "57P02", "57P03", "57P05"})

_STOPPING = "is being stopped or started; try again in a moment"
_FULL = "has no connection left; end programs that have one open, or raise max_connections on the server"
_SILENT = "does not answer; see whether the host is right and the server runs"
_WENT = "went away; see whether the server runs"
_UNKNOWN_HOST = "is unknown: there is no such host; correct the URL"
_OUT_OF_REACH = "cannot be reached; see whether the server runs, and whether host and port are right"
_STANDBY = "is a replica or read-only; name the primary server"
_MENDS_ITSELF = frozenset({_STOPPING, _STANDBY, _FULL, _SILENT, _WENT, _UNKNOWN_HOST, _OUT_OF_REACH})
"""Causes that end by themselves, so that waiting goes on: a name, too, is unknown while the network is away."""

_PASSWORD = "does not take that user name and password; correct them where they come from"
_PERMISSION = (
    "does not let you do this as the role that you log in as; members of the asking role ask, members of the"
    " reviewing role decide, and its owner sets both up with: signoff queue init"
)
_CAUSES = {
    "25006": "is read-only; name the primary server, or make the database writable for you",
    "28000": "does not let that role in; the server's log says why",
    "28P01": _PASSWORD,
    "3D000": "has no such database; correct the URL, or create it with createdb",
    "42501": _PERMISSION,
    "42P01": "no longer has this queue: its tables were removed",
    "53100": "cannot grow: the disk of the server is full; free some space and try again",
    "53200": "is out of memory; free some on the server and try again",
    "53300": _FULL,
    "55P03": "is locked: another process has been writing all the time; look for a stopped or hanging signoff",
    "57014": "was told to stop working on this; try again",
    "57P01": _STOPPING,
    "57P02": _STOPPING,
    "57P03": _STOPPING,
    "25P03": "gave up waiting for this process, which stopped in the middle of a change; try again",
}

# While connecting libpq gives no code, only words: its own, and those of a pooler or a server, which may speak
# another language. Those of PostgreSQL 15 to 18 are here; the first that is found tells the cause. With
# sslmode=prefer there are the words of two attempts, and the one without TLS may have failed for just that, hence
# the order.
_CONNECTING = {
    # Of a pooler, which may repeat what its server said.
    "unsupported startup parameter|unrecognized configuration parameter": (
        "does not take an option of the URL; leave it out, or name it in the pooler's ignore_startup_parameters"
    ),
    "no more connections allowed": (
        "is a pooler that has no connection left; raise its max_client_conn: who waits needs two"
    ),
    "query_wait_timeout": (
        "is a pooler that got no session of its server in time; see whether that runs, and raise default_pool_size"
    ),
    "server login (has been )?fail|client_login_timeout|server_login_retry|(cannot|unable to) connect to server": (
        "is a pooler that cannot reach its server; see whether that runs, and the pooler's log"
    ),
    # Of the server, about the role and the database.
    "(password|SASL) authentication failed": _PASSWORD,
    "no password supplied|empty password": (
        "wants a password; put it into ~/.pgpass, or into the file that PGPASSFILE names"
    ),
    "(?i)(peer|ident) authentication failed": (
        "does not take you for that role by who you are on this machine; have pg_ident.conf say so, or connect by"
        " TCP and with a password"
    ),
    "requires a valid client certificate|(?i:certificate authentication failed)|alert certificate required": (
        "wants a certificate of yours, for that role; name it with sslcert=FILE and sslkey=FILE in the URL"
    ),
    "authentication failed": "does not take that user name; correct it in the URL",
    'role ".*" is not permitted to log in': (
        "knows that role as one that may not log in; name another one, or have somebody run ALTER ROLE ... LOGIN"
    ),
    'too many connections for (role|database) "': (
        "has no connection left for that role or database; end programs that have one open, or have somebody raise"
        " its CONNECTION LIMIT"
    ),
    'role ".*" does not exist|no such user': (
        "does not know that user; correct the URL, or create it with createuser"
    ),
    'permission denied for database "': (
        "does not let that role into the database; have its owner run GRANT CONNECT ON DATABASE, or name another"
        " role"
    ),
    'database ".*" is not currently accepting connections|cannot connect to invalid database': (
        "lets nobody into that database; have somebody run ALTER DATABASE ... ALLOW_CONNECTIONS true, or restore"
        " it"
    ),
    'database ".*" does not exist|no such database': (
        "has no such database; correct the URL, or create it with createdb"
    ),
    # Of the server, about itself.
    "too many clients already|connection slots are reserved": _FULL,
    "Hot standby mode is disabled": (
        "is a replica that answers nobody; name the primary server, or have hot_standby switched on"
    ),
    "the database system is": _STOPPING,
    "session is read-only|server is in hot standby mode": _STANDBY,
    "server is not in hot standby mode|session is not read-only": (
        "is no replica, as target_session_attrs wants it; correct that"
    ),
    # Of libpq, about TLS.
    "server does not support (SSL|TLS)": "does not offer TLS, which sslmode asks for; have ssl switched on there",
    "does not match host name|could not get server's host name": (
        "shows the certificate of another host; name the host as its certificate does, and if that is not it, ask"
        " who it is that answers"
    ),
    "root certificate file .* does not exist|could not read root certificate": (
        "cannot be verified, as nothing says by which authority; name its certificate with sslrootcert=FILE"
    ),
    "certificate verify failed|self.signed certificate": (
        "shows a certificate that proves nothing: it has expired, or is not by the authority that sslrootcert"
        " names; have it renewed, or name the right authority"
    ),
    "alert (unknown ca|decrypt error|bad certificate|certificate (expired|revoked|unknown))": (
        "does not take your certificate; see sslcert in the URL, and whether it has expired"
    ),
    "certificate file|private key file|could not load": (
        "cannot be told who you are: your certificate cannot be read; correct sslcert and sslkey in the URL"
    ),
    "invalid response to (SSL|GSSAPI) negotiation|expected authentication request from server": (
        "is not PostgreSQL; correct host and port in the URL"
    ),
    "SSL error|SSL SYSCALL": "and this machine find no TLS that both know; see sslmode in the URL",
    # Of the server, about the way one comes.
    r"^(?!.*(SSL encryption|\[local\])).*pg_hba\.conf .*no encryption": (
        "does not let you in from here without TLS; write sslmode=verify-full, or have pg_hba.conf there allow it"
    ),
    r"pg_hba\.conf": "does not let you in from here; have pg_hba.conf on the server allow it",
    # Of libpq, about the rest.
    "service file|definition of service": "has no such service; correct service=NAME, PGSERVICE or PGSERVICEFILE",
    r"invalid \S+ value|invalid (integer value|port)": "does not take an option of the URL; correct it",
    "timeout|timed out": _SILENT,
    "closed the connection|reset by peer|unexpected eof|EOF detected": _WENT,
    "could not translate host name|failed to resolve|Name or service not known": _UNKNOWN_HOST,
    r"failed: \S+:  ": "does not let you in",  # so libpq repeats a server, whatever its language
    "failed": _OUT_OF_REACH,
}
