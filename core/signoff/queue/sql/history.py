"""The append-only history."""

from __future__ import annotations

from dataclasses import replace

from signoff.queue.chain import FIRST_HASH, record_hash
from signoff.queue.checks import LONGEST_NAME
from signoff.queue.codec import asked_by_to_text, decision_to_text, pack_text, submission_to_text
from signoff.queue.errors import DamagedRecordError
from signoff.queue.records import (
    AskedBy,
    Decision,
    HistoryFilter,
    HistoryRecord,
    RequestState,
    Risk,
    StoredRequest,
    Submission,
)
from signoff.queue.sql.engine import Engine, Look, Row, Transaction
from signoff.queue.sql.rows import history_from_row

__all__ = ["append_call", "append_damaged", "append_end", "first_broken", "page"]

_SELECT = """
SELECT h.*, COALESCE(r.revision, 0) AS revision, COALESCE(h.submission, r.submission) AS content
FROM history h LEFT JOIN requests r ON r.seq = h.request_seq
"""
_CHECKED_AT_ONCE = 500
_DAMAGED = "(damaged record)"


def append_end(transaction: Transaction, ended: StoredRequest, reason: str = "") -> None:
    """Record that a request ended.

    Args:
        transaction: The one that ends it.
        ended: The request in its final state.
        reason: Why, if nobody decided.
    """
    # A superseded revision keeps its decision; that decision has a record of its own.
    decided = ended.state in (RequestState.APPROVED, RequestState.REJECTED)
    record = _record(transaction, ended.asked_by, ended.submission, ended.state)
    _insert(
        transaction,
        replace(
            record,
            request_id=ended.id,
            revision=ended.revision,
            decision=ended.decision if decided else None,
            reason=reason,
            took_us=max(0, transaction.now - ended.created_at),
        ),
        ended.asked_by,
        request_seq=ended.seq,
    )


def append_call(
    transaction: Transaction,
    asked_by: AskedBy,
    submission: Submission,
    state: RequestState,
    decision: Decision,
) -> None:
    """Record a call that was answered without ever being a request."""
    record = _record(transaction, asked_by, submission, state)
    _insert(transaction, replace(record, decision=decision), asked_by, content=submission_to_text(submission))


def append_damaged(transaction: Transaction, row: Row, reason: str) -> None:
    """Record the end of a request that cannot be read, with what its row still says of it."""
    submission = Submission(
        key="",
        tool_name=_DAMAGED,
        description="",
        payload={},
        payload_key="{}",
        arguments={},
        digest="",
        cwd="",
    )
    asked_by = AskedBy(row["agent_id"], _DAMAGED, row["session"][:LONGEST_NAME], 0, "", "")
    record = replace(
        _record(transaction, asked_by, submission, RequestState.WITHDRAWN),
        request_id=row["id"],
        reason=reason,
        took_us=max(0, transaction.now - row["created_at"]),
    )
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def page(look: Look, which: HistoryFilter, before: int | None, limit: int) -> tuple[HistoryRecord, ...]:
    """Return a page of the history, newest first.

    Args:
        look: A look at the file.
        which: The records wanted.
        before: Only records with a lower seq.
        limit: Most records to return.
    """
    tests = {
        "h.session = ?": None if which.session is None else pack_text(which.session),
        "h.agent = ?": None if which.agent_name is None else pack_text(which.agent_name),
        "h.tool = ?": None if which.tool_name is None else pack_text(which.tool_name),
        "h.state = ?": which.state,
        "h.at >= ?": which.since,
        "h.request_id = ?": None if which.request_id is None else pack_text(which.request_id),
        "h.seq < ?": before,
    }
    used = {test: value for test, value in tests.items() if value is not None}
    where = f"WHERE {' AND '.join(used)}" if used else ""
    rows = look.rows(
        f"{_SELECT} {where} ORDER BY h.seq DESC LIMIT ?",
        *used.values(),
        max(0, limit),
    )
    return tuple(map(_readable, rows))


def _readable(row: Row) -> HistoryRecord:
    """The record of a row; one that cannot be read is shown as damaged, and hides no other."""
    try:
        return history_from_row(row)
    except DamagedRecordError as damage:
        return HistoryRecord(
            seq=row["seq"],
            at=row["at"],
            request_id=row["request_id"],
            revision=row["revision"],
            agent_name=_DAMAGED,
            session=_DAMAGED,
            tool_name=_DAMAGED,
            description="",
            arguments={},
            group_id=None,
            batch_id=None,
            risk=Risk.MEDIUM,
            state=RequestState(row["state"]),
            decision=None,
            reason=str(damage),
            took_us=row["took_us"],
            digest="",
            hash=row["hash"],
        )


def first_broken(engine: Engine) -> int | None:
    """Return the seq of the first record that does not fit the chain, or None when all do."""
    seq, previous = 0, FIRST_HASH
    while True:
        with engine.read() as look:
            rows = look.rows(f"{_SELECT} WHERE h.seq > ? ORDER BY h.seq LIMIT ?", seq, _CHECKED_AT_ONCE)
        if not rows:
            return None
        for row in rows:
            record = history_from_row(row)
            if record.seq != seq + 1 or record.hash != record_hash(previous, record):
                return seq + 1
            seq, previous = record.seq, record.hash


def _record(
    transaction: Transaction, asked_by: AskedBy, submission: Submission, state: RequestState
) -> HistoryRecord:
    """A record that only lacks its place in the chain."""
    return HistoryRecord(
        seq=0,
        at=transaction.now,
        request_id=None,
        revision=0,
        agent_name=asked_by.name,
        session=asked_by.session,
        tool_name=submission.tool_name,
        description=submission.description,
        arguments=submission.arguments,
        group_id=submission.group_id,
        batch_id=submission.batch_id,
        risk=submission.risk,
        state=state,
        decision=None,
        reason="",
        took_us=0,
        digest=submission.digest,
        hash="",
    )


def _insert(
    transaction: Transaction,
    record: HistoryRecord,
    asked_by: AskedBy,
    *,
    request_seq: int | None = None,
    content: str | None = None,
) -> None:
    last = transaction.row("SELECT seq, hash FROM history ORDER BY seq DESC LIMIT 1")
    seq, previous = (1, FIRST_HASH) if last is None else (last["seq"] + 1, last["hash"])
    record = replace(record, seq=seq)
    transaction.run(
        """
        INSERT INTO history (seq, at, request_seq, agent, session, tool, request_id, state, asked_by,
            submission, decision, reason, took_us, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        seq,
        record.at,
        request_seq,
        pack_text(record.agent_name),
        pack_text(record.session),
        pack_text(record.tool_name),
        record.request_id,
        record.state,
        asked_by_to_text(asked_by),
        content,
        None if record.decision is None else decision_to_text(record.decision),
        pack_text(record.reason),
        record.took_us,
        record_hash(previous, record),
    )
