"""Requests: posted, replaced, announced and ended, each step as one part of a transaction."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from signoff.canonical import canonical
from signoff.queue.codec import (
    asked_by_to_text,
    check_submission_fields,
    decision_to_text,
    submission_from_text,
    submission_to_text,
)
from signoff.queue.errors import DamagedRecordError, InvalidSubmissionError
from signoff.queue.lookahead import Batch, UpcomingCall, announced, announcement_of, still_upcoming
from signoff.queue.records import AskedBy, Decision, RequestState, StoredRequest, Submission
from signoff.queue.sql import history
from signoff.queue.sql.amendments import keep_contents
from signoff.queue.sql.engine import CHANGE, Engine, Look, Query, ReturnedRows, Row, Transaction
from signoff.queue.sql.rows import request_from_row, sort_out
from signoff.queue.text_escape import pack_text

__all__ = [
    "Posted",
    "Posting",
    "by_key",
    "check_submission",
    "decide",
    "end",
    "end_damaged",
    "insert",
    "mark_delivered",
    "newest",
    "newest_query",
    "posting",
    "same_content",
    "says_the_same",
    "spent",
    "supersede",
    "take_over",
    "upcoming",
    "why_undecidable",
]


@dataclass(frozen=True, slots=True)
class Posting:
    """A checked submission, encoded before the write lock is taken.

    Attributes:
        submission: The call, as handed in.
        text: Its stored form, without blobs.
        stored: The call, as read back; shares nothing with what was handed in.
        compressed: Its blobs by hash, compressed.
    """

    submission: Submission
    text: str
    stored: Submission
    compressed: Mapping[str, bytes]


def posting(submission: Submission) -> Posting:
    """Check and encode a submission.

    Raises:
        InvalidSubmissionError: It contradicts itself.
        NotJsonError: A JSON-shaped field holds something else.
    """
    check_submission(submission)
    text = submission_to_text(submission)
    return Posting(
        submission,
        text,
        submission_from_text(text),
        {sha256: zlib.compress(content) for sha256, content in submission.blobs.items()},
    )


def check_submission(submission: Submission) -> None:
    """Refuse a submission that contradicts itself, or that has a field of a wrong type or size.

    Raises:
        InvalidSubmissionError: It is one.
        NotJsonError: The payload is not JSON.
    """
    check_submission_fields(submission)
    if submission.payload_key != canonical(submission.payload):
        raise InvalidSubmissionError("the payload key is not the canonical form of the payload")
    for sha256, content in submission.blobs.items():
        if hashlib.sha256(content).hexdigest() != sha256:
            raise InvalidSubmissionError(f"the blob {sha256} does not have that hash")


def newest_query(request_id: str) -> Query:
    """Return the query for the row of the newest revision of a request."""
    return "SELECT * FROM requests WHERE id = ? ORDER BY revision DESC LIMIT 1", (pack_text(request_id),)


def newest(look: Look, request_id: str, session: str | None = None) -> StoredRequest | None:
    """Return the newest revision of a request, if it exists and belongs to the session given."""
    statement, values = newest_query(request_id)
    row = look.row(statement, *values)
    if row is None or session not in (None, (request := request_from_row(row)).asked_by.session):
        return None
    return request


def by_key(look: Look, session: str, key: str) -> StoredRequest | None:
    """Return the newest revision of the request that was posted under a key, or None."""
    row = look.row(
        "SELECT id FROM requests WHERE session = ? AND key = ? LIMIT 1",
        pack_text(session),
        pack_text(key),
    )
    return None if row is None else newest(look, row["id"])


def same_content(request: StoredRequest, submission: Submission) -> bool:
    """True if a submission asks for exactly what the request asks for."""
    return (
        request.submission.digest == submission.digest and request.submission.payload_key == submission.payload_key
    )


_OF_ONE_POSTING = ("expires_at", "group_id", "group_size", "batch_id", "batch_position", "batch_remaining")
"""Fields that may differ each time that the same call is posted: they say when and among what it was asked."""


def says_the_same(request: StoredRequest, posting: Posting) -> bool:
    """True if a person is shown of a request just the call that is posted."""
    of_now = {name: getattr(posting.stored, name) for name in _OF_ONE_POSTING}
    return replace(request.submission, **of_now) == posting.stored


def spent(request: StoredRequest) -> bool:
    """True if a request was approved and cannot be carried out again: its answer was taken or given up."""
    taken = request.state is RequestState.APPROVED and request.delivered_at is not None
    return taken or request.state is RequestState.SUPERSEDED


@dataclass(frozen=True, slots=True)
class Posted:
    """A new pending revision, as part of a write.

    Attributes:
        request_id: Its id.
        revision: Its number.
        asked_by: The asker.
        submission: The call.
        row: Its ``seq``, ``created_at`` and ``expires_at``; no row if nothing was stored.
    """

    request_id: str
    revision: int
    asked_by: AskedBy
    submission: Submission
    row: ReturnedRows

    def stored(self, engine: Engine) -> StoredRequest | None:
        """Return the request, after the write; None if it was not stored.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        rows = self.row.rows
        if rows is None:
            query = "SELECT seq, created_at, expires_at FROM requests WHERE id = ? AND revision = ?"
            (rows,) = engine.select((query, (self.request_id, self.revision)))
        if not rows:
            return None
        return StoredRequest(
            seq=rows[0]["seq"],
            id=self.request_id,
            revision=self.revision,
            state=RequestState.PENDING,
            submission=self.submission,
            asked_by=self.asked_by,
            created_at=rows[0]["created_at"],
            decision=None,
            decided_at=None,
            state_note=None,
            delivered_at=None,
            expires_at=rows[0]["expires_at"],
        )


def insert(
    transaction: Transaction,
    asked_by: AskedBy,
    posting: Posting,
    *,
    request_id: str,
    revision: int,
) -> Posted:
    """Store a new pending revision together with the contents it refers to.

    Nothing is stored if there is one already, or if the asker has ended.
    """
    submission = posting.submission
    for sha256, compressed in posting.compressed.items():
        transaction.put(
            "INSERT INTO blobs (sha256, size, compressed) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            sha256,
            len(submission.blobs[sha256]),
            compressed,
        )
    transaction.change(request_id, asked_by.session)
    row = transaction.later(
        f"""
        INSERT INTO requests (id, revision, session, key, digest, payload_key, batch_id, risk,
            submission, agent_id, asked_by, created_at, expires_at, state, change)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, id, ?, ?, ?, 'pending', {CHANGE}
        FROM agents WHERE id = ? AND ended_at IS NULL
        ON CONFLICT DO NOTHING
        RETURNING seq, created_at, expires_at
        """,  # noqa: S608
        request_id,
        revision,
        pack_text(asked_by.session),
        pack_text(submission.key),
        pack_text(submission.digest),
        pack_text(submission.payload_key),
        None if submission.batch_id is None else pack_text(submission.batch_id),
        submission.risk.value,
        posting.text,
        asked_by_to_text(asked_by),
        transaction.now,
        None if submission.expires_at is None else transaction.deadline(submission.expires_at),
        asked_by.agent_id,
    )
    for sha256 in posting.compressed:
        transaction.put(
            "INSERT INTO blob_uses (sha256, request_seq)"
            " SELECT ?, seq FROM requests WHERE id = ? AND revision = ?",
            sha256,
            request_id,
            revision,
        )
    return Posted(request_id, revision, asked_by, posting.stored, row)


def take_over(transaction: Transaction, request: StoredRequest, asked_by: AskedBy) -> StoredRequest:
    """Make a pending request depend on another connection of its session."""
    if not request.pending or request.asked_by.agent_id == asked_by.agent_id:
        return request
    transaction.change(request.id, asked_by.session)
    transaction.put(
        f"UPDATE requests SET agent_id = ?, asked_by = ?, change = {CHANGE} WHERE seq = ?",  # noqa: S608
        asked_by.agent_id,
        asked_by_to_text(asked_by),
        request.seq,
    )
    return replace(request, asked_by=asked_by)


def supersede(transaction: Transaction, request: StoredRequest, note: str) -> None:
    """End a revision in favor of the next one. Ends without a decision stay what they are."""
    if request.state in (RequestState.EXPIRED, RequestState.WITHDRAWN, RequestState.SUPERSEDED):
        return
    transaction.change(request.id, request.asked_by.session)
    transaction.put(
        f"""
        UPDATE requests SET state = 'superseded', state_note = ?, change = {CHANGE},
            decided_at = COALESCE(decided_at, ?)
        WHERE seq = ?
        """,  # noqa: S608
        pack_text(note),
        transaction.now,
        request.seq,
    )
    history.append_end(transaction, replace(request, state=RequestState.SUPERSEDED), note)


def end(transaction: Transaction, request: StoredRequest, state: RequestState, note: str) -> None:
    """End a pending request without a decision, and say why."""
    transaction.change(request.id, request.asked_by.session)
    transaction.put(
        f"""
        UPDATE requests SET state = ?, state_note = ?, decided_at = ?, change = {CHANGE}
        WHERE seq = ? AND state = 'pending'
        """,  # noqa: S608
        state.value,
        pack_text(note),
        transaction.now,
        request.seq,
    )
    history.append_end(transaction, replace(request, state=state), note)


def end_damaged(transaction: Transaction, row: Row, damage: DamagedRecordError) -> None:
    """End a pending request that cannot be read, so that nobody waits for what nobody can be shown."""
    note = f"nobody can be asked: {damage}"
    transaction.change(row["id"], row["session"])
    transaction.put(
        f"""
        UPDATE requests SET state = 'withdrawn', state_note = ?, decided_at = ?, change = {CHANGE}
        WHERE seq = ? AND state = 'pending'
        """,  # noqa: S608
        pack_text(note),
        transaction.now,
        row["seq"],
    )
    history.append_damaged(transaction, row, note)


def decide(transaction: Transaction, request: StoredRequest, decision: Decision) -> StoredRequest:
    """Decide exactly what was looked at; the one statement that decides.

    Args:
        transaction: A write in progress.
        request: The request, which still waits, as this transaction finds it.
        decision: The answer.

    Returns:
        The decided request.

    Raises:
        OvertakenError: It does not wait any more; perhaps not before the write ends.
    """
    state = RequestState.APPROVED if decision.approved is True else RequestState.REJECTED
    transaction.change(request.id, request.asked_by.session)
    transaction.must(
        f"""
        UPDATE requests SET state = ?, decision = ?, decided_at = ?, change = {CHANGE}
        WHERE id = ? AND revision = ? AND digest = ? AND state = 'pending'
        """,  # noqa: S608
        state.value,
        decision_to_text(decision),
        transaction.now,
        pack_text(request.id),
        request.revision,
        pack_text(request.submission.digest),
    )
    if decision.instead is not None:
        keep_contents(transaction, request.seq, decision.instead)
    request = replace(request, state=state, decision=decision, decided_at=transaction.now)
    history.append_end(transaction, request)
    return request


def mark_delivered(transaction: Transaction, request: StoredRequest) -> StoredRequest:
    """Note that the agent took the answer; a second time changes nothing.

    Args:
        transaction: A write in progress.
        request: The request, which has ended, as this transaction finds it.

    Raises:
        OvertakenError: Another connection takes it at the same time; perhaps not before the write ends.
    """
    if request.delivered_at is not None:
        return request
    transaction.delivered()
    transaction.must(
        f"""
        UPDATE requests SET delivered_at = ?, change = {CHANGE}
        WHERE seq = ? AND state <> 'pending' AND delivered_at IS NULL
        """,  # noqa: S608
        transaction.now,
        request.seq,
    )
    return replace(request, delivered_at=transaction.now)


# -- What agents have announced and not yet asked for, as the stored requests tell.


def upcoming(look: Look, pending: Iterable[StoredRequest]) -> tuple[UpcomingCall, ...]:
    """Return what the requests that wait announce, without what was asked for meanwhile."""
    announcing = [request for request in pending if request.submission.batch_remaining]
    batches = {call.batch for request in announcing for call in announced(request) if call.batch is not None}
    return still_upcoming(announcing, {batch: _asked(look, batch) for batch in batches})


def why_undecidable(look: Look, call_id: str) -> str | None:
    """Say why an announced call cannot be decided, or return None if the id names no announced call."""
    parts = announcement_of(call_id)
    if parts is None:
        return None
    request_id, later = parts
    try:
        request = newest(look, request_id)
    except DamagedRecordError:
        return None
    if request is None or later > len(request.submission.batch_remaining):
        return None
    call = announced(request)[later - 1]
    asked = {} if call.batch is None else _asked(look, call.batch)
    if call.position is not None and call.position in asked:
        return f"this call was only announced; its agent has asked for it since, as request {asked[call.position]}"
    if not request.pending:
        return "this call was only announced, by a request that ended; nobody has asked for it"
    return "this call is only announced; it can be decided when its agent asks for it"


def _asked(look: Look, batch: Batch) -> dict[int, str]:
    """Ids of the requests of a batch by position."""
    places = ((request.submission.batch_position, request.id) for request in _of_batch(look, *batch))
    return {position: request_id for position, request_id in places if position is not None}


def is_stopped(look: Look, session: str, batch_id: str) -> bool:
    """True if a reviewer has stopped a batch: one of its requests was refused hard."""
    decisions = (request.decision for request in _of_batch(look, session, batch_id))
    return any(decision is not None and decision.hard for decision in decisions)


def _of_batch(look: Look, session: str, batch_id: str) -> Sequence[StoredRequest]:
    """The requests of a batch that can be read, oldest first."""
    rows = look.rows(
        "SELECT * FROM requests WHERE session = ? AND batch_id = ? ORDER BY seq",
        pack_text(session),
        pack_text(batch_id),
    )
    readable, _ = sort_out(rows)
    return readable
