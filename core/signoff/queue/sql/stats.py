"""Counting what waits. It loads next to nothing: a status line asks for it every few seconds, all day."""

from __future__ import annotations

from signoff.queue.sql.engine import Engine
from signoff.queue.sql.history_head import history_loss
from signoff.queue.sql.overdue import find_overdue
from signoff.queue.stats import Stats

__all__ = ["count"]


def count(engine: Engine) -> Stats:
    """Count what really waits: what is overdue is ended first, where that is possible.

    Raises:
        QueueUnavailableError: The queue cannot be used.
    """
    if not engine.read_only and (overdue := find_overdue(engine)):
        from signoff.queue.sql.expiry import Sweeper

        with engine.write() as transaction:
            Sweeper(engine).end(transaction, overdue)
    screen_open = engine.attended()
    missing = history_loss(engine)
    (waiting,), *counts = engine.select(
        (_WAITING, ()),
        ("SELECT COUNT(*) AS number FROM agents WHERE ended_at IS NULL", ()),
        ("SELECT COUNT(*) AS number FROM grants WHERE revoked_at IS NULL", ()),
        (_SAYING, ('%"mode":"approve_all"%',)),
        (_SAYING, ('%"mode":"strict"%',)),
    )
    agents, grants, approving, refusing = (rows[0]["number"] for rows in counts)
    return Stats(
        pending=waiting["pending"],
        pending_high=waiting["high"],
        oldest_pending_at=waiting["oldest"],
        agents=agents,
        grants=grants,
        approving=approving,
        refusing=refusing,
        screen_open=screen_open,
        now=engine.now,
        history_loss=missing,
    )


_WAITING = """
SELECT COUNT(*) AS pending, COALESCE(SUM(CASE risk WHEN 'high' THEN 1 ELSE 0 END), 0) AS high,
    MIN(created_at) AS oldest
FROM requests WHERE state = 'pending'
"""

# Introductions are searched as text: JSON would have to be loaded to read them. Quotes within a name are escaped
# there, so no name passes for a mode.
_SAYING = "SELECT COUNT(*) AS number FROM agents WHERE ended_at IS NULL AND info LIKE ?"
