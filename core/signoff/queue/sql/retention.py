"""Retention: deleting the oldest records of the history, never unnoticed.

First the deletion is put into the history itself, bound by the chain: who deletes how many, up to which record,
and that record's hash. Then the records go, oldest first, in small transactions that other writers get in between,
each of which leaves a history that verifies. If the process dies half-way, a part is gone and the rest is there;
the next deletion goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signoff.queue.errors import DamagedRecordError, QueueUnavailableError
from signoff.queue.history import Pruning
from signoff.queue.sql import audit, history
from signoff.queue.sql.engine import Engine, Look, Row, Transaction
from signoff.queue.sql.history import COLUMNS, SOURCE, filed_under, last_filed, note_filed
from signoff.queue.sql.rows import history_from_row

__all__ = ["RECORDS_AT_ONCE", "Limits", "prune", "pruning_of"]

RECORDS_AT_ONCE = 100
"""Records that one transaction deletes; with their requests it deletes a few hundred rows."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a deletion, see `signoff.queue.protocol.ReviewQueue.prune`.

    Raises:
        ValueError: There is no limit at all, or a negative one.
    """

    before: int | None = None
    keep: int | None = None
    through: int | None = None

    def __post_init__(self) -> None:
        given = [limit for limit in (self.before, self.keep, self.through) if limit is not None]
        if not given or min(given) < 0:
            raise ValueError(
                "say what to keep: a time, a number of records, or a last record, none of them negative"
            )


def pruning_of(engine: Engine, limits: Limits) -> Pruning:
    """Find out what would be deleted.

    Args:
        engine: An open engine.
        limits: Say what has to stay.

    Raises:
        QueueUnavailableError: The queue cannot be read.
    """
    with engine.read() as look:
        begin, begin_hash = history.history_start(look)
        last = max(begin, _needed(look, begin, _last(look, limits)))
        ends = {
            row["seq"]: row
            for row in look.rows("SELECT seq, at, hash FROM history WHERE seq = ? OR seq = ?", begin + 1, last)
        }
    if last == begin:
        return Pruning(0, begin + 1, begin, begin_hash, None, None)
    return Pruning(
        count=last - begin,
        first=begin + 1,
        last=last,
        hash=ends[last]["hash"],
        oldest_at=ends[begin + 1]["at"],
        newest_at=ends[last]["at"],
    )


def prune(engine: Engine, pruning: Pruning, by: str) -> None:
    """Delete records, and put that into the history.

    Args:
        engine: An open engine.
        pruning: The result of `pruning_of`.
        by: Name of the reviewer who deletes.

    Raises:
        QueueUnavailableError: The history is broken, and nothing was deleted; or the deletion was cut short.
    """
    if not pruning.count:
        return
    _require_whole(engine, pruning)
    with engine.write() as transaction:
        history.append_pruning(transaction, pruning, by)
    done = False
    while not done:
        # A loss of power may bring the last few back; that is no loss.
        with engine.write(durable=False) as transaction:
            done = _delete_some(transaction, pruning.last)


def _last(look: Look, limits: Limits) -> int:
    """Seq of the last record that may go."""
    newest, _ = history.history_end(look)
    last = newest
    if limits.keep is not None:
        last = min(last, newest - limits.keep)
    if limits.through is not None:
        last = min(last, limits.through)
    if limits.before is not None:
        # Not simply all that are older: when a clock was set back, older ones stand behind newer ones.
        row = look.row("SELECT MIN(seq) AS seq FROM history WHERE at >= ?", limits.before)
        if row is not None and row["seq"] is not None:
            last = min(last, row["seq"] - 1)
    return last


def _needed(look: Look, begin: int, last: int) -> int:
    """Seq of the last record before the first whose answer a connected agent has yet to take, at most the last."""
    row = look.row(
        """
        SELECT MIN(h.seq) AS seq
        FROM agents a JOIN requests r ON r.agent_id = a.id JOIN history h ON h.request_seq = r.seq
        WHERE a.ended_at IS NULL AND r.state <> 'pending' AND r.delivered_at IS NULL
            AND h.seq > ? AND h.seq <= ?
        """,
        begin,
        last,
    )
    return last if row is None or row["seq"] is None else int(row["seq"]) - 1


def _require_whole(engine: Engine, pruning: Pruning) -> None:
    """Refuse to delete what could no longer be found to be wrong.

    Raises:
        QueueUnavailableError: A record that would be deleted does not fit the chain.
    """
    check = audit.check(engine, through=pruning.last)
    if check.fault is not None:
        raise QueueUnavailableError(
            f"the history is broken at record {check.broken} ({check.fault}: {check.message}); nothing was"
            " deleted, so that it can be looked into: signoff history verify"
        )


def _delete_some(transaction: Transaction, last: int) -> bool:
    """Delete the oldest records up to a last one; returns whether none of them is left."""
    rows = transaction.rows(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE h.seq <= ? ORDER BY h.seq LIMIT ?",  # noqa: S608
        last,
        RECORDS_AT_ONCE,
    )
    if not rows:
        return True
    newest = rows[-1]
    # The triggers let nothing go that is behind the counter, so the counter goes first.
    transaction.put("UPDATE counters SET value = ? WHERE name = 'pruned'", newest["seq"])
    transaction.put("DELETE FROM anchors")
    transaction.put("INSERT INTO anchors (seq, hash) VALUES (?, ?)", newest["seq"], newest["hash"])
    filed = last_filed(transaction)
    for row in rows:
        if row["seq"] <= filed:
            _unfile(transaction, row)
    note_filed(transaction, newest["seq"])
    transaction.put("DELETE FROM history WHERE seq <= ?", newest["seq"])
    for request_id in dict.fromkeys(row["request_id"] for row in rows if row["request_id"] is not None):
        _delete_request(transaction, request_id)
    return bool(newest["seq"] == last)


def _unfile(transaction: Transaction, row: Row) -> None:
    """Take a record out of the search index."""
    try:
        record = history_from_row(row)
    except DamagedRecordError:
        return  # what it was filed under is not known; the index leads nowhere then, which does no harm
    transaction.search.remove(transaction, record.seq, filed_under(record))


def _delete_request(transaction: Transaction, request_id: str) -> None:
    """Delete all revisions of a request with their contents, unless one waits or is still in the history."""
    revisions = transaction.rows(
        """
        SELECT r.seq, r.state, EXISTS (SELECT 1 FROM history h WHERE h.request_seq = r.seq) AS recorded
        FROM requests r WHERE r.id = ?
        """,
        request_id,
    )
    if any(revision["state"] == "pending" or revision["recorded"] for revision in revisions):
        return
    for revision in revisions:
        contents = transaction.rows("SELECT sha256 FROM blob_uses WHERE request_seq = ?", revision["seq"])
        transaction.put("DELETE FROM blob_uses WHERE request_seq = ?", revision["seq"])
        transaction.put("DELETE FROM requests WHERE seq = ?", revision["seq"])
        _delete_unused(transaction, contents)


def _delete_unused(transaction: Transaction, contents: Sequence[Row]) -> None:
    for content in contents:
        transaction.put(
            """
            DELETE FROM blobs
            WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM blob_uses u WHERE u.sha256 = blobs.sha256)
            """,
            content["sha256"],
        )
