"""Brings older queue files up to date: one step for each format, all steps in one transaction.

A step is never changed once it was released. It may only rely on what the format before it had.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping

from signoff.queue.errors import DamagedRecordError
from signoff.queue.sql.engine import Row
from signoff.queue.sql.history import COLUMNS, SOURCE, filed_under
from signoff.queue.sql.rows import history_from_row
from signoff.queue.sqlite.schema import ANCHORS, BLOB_USES, INDEXES, SCHEMA_VERSION, SEARCH_TABLE, TRIGGERS
from signoff.queue.text_escape import pack_text

__all__ = ["migrate"]

_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"CREATE (?:UNIQUE )?(INDEX|TRIGGER) (\w+)")


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an older format up to date, within a transaction that the caller has begun.

    Args:
        connection: A connection that may write.
        version: The format of the file.
    """
    for step in range(version, SCHEMA_VERSION):
        _STEPS[step](connection)
    # The rules of the newest format replace those of the old one.
    for statement in (*INDEXES, *TRIGGERS):
        found = _NAME.search(statement)
        assert found is not None
        connection.execute(f"DROP {found[1]} IF EXISTS {found[2]}")
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _from_1(connection: sqlite3.Connection) -> None:
    """Pattern grants; history that can be searched, filtered by who decided, and pruned."""
    connection.execute(
        "ALTER TABLE grants ADD COLUMN kind TEXT NOT NULL DEFAULT 'exact' CHECK (kind IN ('exact', 'pattern'))"
    )
    connection.execute("INSERT INTO counters (name, value) VALUES ('pruned', 0)")
    connection.execute("DROP TRIGGER history_stays")
    connection.execute("ALTER TABLE history ADD COLUMN decided_by TEXT")
    for table in (ANCHORS, BLOB_USES, SEARCH_TABLE):
        connection.execute(table)
    _note_blob_uses(connection)
    _file_history(connection)


def _note_blob_uses(connection: sqlite3.Connection) -> None:
    """Find out which contents belong to which requests: their hashes are in the snapshots."""
    known = {sha256 for (sha256,) in connection.execute("SELECT sha256 FROM blobs")}
    for seq, submission in connection.execute("SELECT seq, submission FROM requests ORDER BY seq"):
        connection.executemany(
            "INSERT INTO blob_uses (sha256, request_seq) VALUES (?, ?)",
            [(sha256, seq) for sha256 in sorted(known.intersection(_HASH.findall(submission)))],
        )


def _file_history(connection: sqlite3.Connection) -> None:
    """Fill in who decided, and the words of all records that can be read."""
    after = 0
    while rows := connection.execute(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE h.seq > ? ORDER BY h.seq LIMIT 500",  # noqa: S608
        (after,),
    ).fetchall():
        for row in rows:
            _file(connection, row)
        after = rows[-1]["seq"]


def _file(connection: sqlite3.Connection, row: Row) -> None:
    try:
        record = history_from_row(row)
    except DamagedRecordError:
        return
    words = " ".join(filed_under(record))
    connection.execute("INSERT INTO search (rowid, words) VALUES (?, ?)", (record.seq, words))
    if record.decision is not None:
        decided_by = pack_text(record.decision.by)
        connection.execute("UPDATE history SET decided_by = ? WHERE seq = ?", (decided_by, record.seq))


def _from_2(_: sqlite3.Connection) -> None:
    """Servers of tools: requests and grants without one stay as they are, and older programs read no others."""


def _from_3(connection: sqlite3.Connection) -> None:
    """Records that are filed later than they are written, and half as many indexes."""
    connection.execute(
        "INSERT OR IGNORE INTO counters (name, value) SELECT 'filed', COALESCE(MAX(seq), 0) FROM history"
    )
    for index in _UNTIL_3:
        connection.execute(f"DROP INDEX IF EXISTS {index}")


_UNTIL_3 = (
    "requests_pending",
    "requests_pending_agent",
    "requests_pending_batch",
    "requests_first_key",
    "requests_session_change",
    "history_session",
    "history_agent",
    "history_tool",
    "history_state",
    "history_decided_by",
)

_STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1, 2: _from_2, 3: _from_3}
