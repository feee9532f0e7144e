"""Brings older queue files up to date: one step for each format, all steps in one transaction.

A step is never changed once it was released. It may only rely on what the format before it had.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping

from signoff.queue.sqlite.schema import INDEXES, SCHEMA_VERSION, TRIGGERS

__all__ = ["migrate"]

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
    """Pattern grants, and history that may be pruned."""
    connection.execute(
        "ALTER TABLE grants ADD COLUMN kind TEXT NOT NULL DEFAULT 'exact' CHECK (kind IN ('exact', 'pattern'))"
    )
    connection.execute("INSERT INTO counters (name, value) VALUES ('pruned', 0)")


_STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1}
