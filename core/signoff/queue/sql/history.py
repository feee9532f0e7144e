"""The append-only history: what is put into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signoff.queue.chain import record_hash
from signoff.queue.checks import LONGEST_NAME
from signoff.queue.codec import asked_by_to_text, decision_to_text, submission_to_text
from signoff.queue.history_records import HistoryRecord, Pruning
from signoff.queue.packing import pack_text
from signoff.queue.records import (
    AskedBy,
    Decision,
    RequestState,
    StoredRequest,
    Submission,
)
from signoff.queue.sql.engine import Row, Transaction
from signoff.queue.sql.heads import head, start
from signoff.queue.sql.searching import filed_under

__all__ = ["append_call", "append_damaged", "append_end", "append_pruning", "head", "start"]

_DAMAGED = "(damaged record)"
_HISTORY = "(history)"


def append_end(transaction: Transaction, ended: StoredRequest, reason: str = "") -> None:
    """Record that a request ended.

    Args:
        transaction: The one that ends it.
        ended: The request in its final state.
        reason: Why, if nobody decided.
    """
    # A superseded revision keeps its decision; that decision has a record of its own.
    decided = ended.state in (RequestState.APPROVED, RequestState.REJECTED)
    record = HistoryRecord.about(
        ended.asked_by,
        ended.submission,
        ended.state,
        at=transaction.now,
        request_id=ended.id,
        revision=ended.revision,
        decision=ended.decision if decided else None,
        reason=reason,
        took_us=max(0, transaction.now - ended.created_at),
    )
    _insert(transaction, record, ended.asked_by, request_seq=ended.seq)


def append_call(
    transaction: Transaction,
    asked_by: AskedBy,
    submission: Submission,
    state: RequestState,
    decision: Decision,
) -> None:
    """Record a call that was answered without ever being a request."""
    record = HistoryRecord.about(asked_by, submission, state, at=transaction.now, decision=decision)
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def append_damaged(transaction: Transaction, row: Row, reason: str) -> None:
    """Record the end of a request that cannot be read, with what its row still says of it."""
    submission = _statement(_DAMAGED)
    asked_by = AskedBy(row["agent_id"], _DAMAGED, row["session"][:LONGEST_NAME], 0, "", "")
    record = HistoryRecord.about(
        asked_by,
        submission,
        RequestState.WITHDRAWN,
        at=transaction.now,
        request_id=row["id"],
        reason=reason,
        took_us=max(0, transaction.now - row["created_at"]),
    )
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def append_pruning(transaction: Transaction, pruning: Pruning, by: str) -> None:
    """Record that old records are being deleted: who does it, how many, and up to which one.

    It is the only kind of record with neither a request nor a decision, so no agent can write one.

    Args:
        transaction: The one before the first that deletes.
        pruning: What is being deleted.
        by: Name of the reviewer.
    """
    arguments = {"count": pruning.count, "first": pruning.first, "last": pruning.last, "hash": pruning.hash}
    records = f"records {pruning.first} to {pruning.last}" if pruning.count > 1 else f"record {pruning.first}"
    submission = _statement(_HISTORY, f"{records} of the history deleted", arguments)
    asked_by = AskedBy("", by[:LONGEST_NAME], "", 0, "", "")
    reason = f"{by[:LONGEST_NAME]} deleted the oldest {pruning.count}, up to number {pruning.last}"
    record = HistoryRecord.about(asked_by, submission, RequestState.WITHDRAWN, at=transaction.now, reason=reason)
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def _statement(tool_name: str, description: str = "", arguments: Mapping[str, Any] | None = None) -> Submission:
    """Something that was never asked, as far as a record needs it."""
    return Submission(
        key="",
        tool_name=tool_name,
        description=description,
        payload={},
        payload_key="{}",
        arguments=arguments or {},
        digest="",
        cwd="",
    )


def _insert(
    transaction: Transaction,
    record: HistoryRecord,
    asked_by: AskedBy,
    *,
    request_seq: int | None = None,
    content: str | None = None,
) -> None:
    last, previous = head(transaction)
    record = replace(record, seq=last + 1)
    record = replace(record, hash=record_hash(previous, record))
    transaction.run(
        """
        INSERT INTO history (seq, at, request_seq, agent, session, tool, request_id, state, asked_by,
            submission, decision, reason, took_us, hash, decided_by)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        record.seq,
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
        record.hash,
        None if record.decision is None else pack_text(record.decision.by),
    )
    transaction.search.add(transaction, record.seq, filed_under(record))
