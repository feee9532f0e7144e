"""Remembered approvals of one session: of an exact payload, or, given explicitly, of a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from signoff.queue.codec import submission_from_text, to_text
from signoff.queue.errors import DamagedRecordError, GrantRefusedError, UnknownRequestError
from signoff.queue.grant_coverage import is_about, never_granted
from signoff.queue.grant_pattern import GrantPattern, PatternError
from signoff.queue.history import HistoryFilter, HistoryRecord, PatternPreview
from signoff.queue.records import Grant, GrantKind, StoredRequest, Submission, new_id, stored_key
from signoff.queue.sql import requests
from signoff.queue.sql.engine import Look, Row, Transaction
from signoff.queue.sql.history import newest_rows
from signoff.queue.sql.reviewer_risk import OwnRisk
from signoff.queue.sql.rows import grant_or_damage, history_from_row
from signoff.queue.sql.verification import believed_by_a_reviewer
from signoff.queue.text_escape import pack_text

if TYPE_CHECKING:
    from signoff.queue.keys.identity import Signer


__all__ = [
    "add_pattern",
    "all_grants",
    "count_use",
    "in_force",
    "preview",
    "remember",
    "revoke",
    "revoke_all",
]


def in_force(look: Look, session: str, submission: Submission, believed: Callable[[Grant], bool]) -> Grant | None:
    """Return the grant of the session that covers a call: the exact one, else the oldest pattern, else None.

    One that cannot be read or is not believed covers nothing. Whether the call's risk allows a grant is not
    looked at.
    """
    for row in _candidates(look, session, submission):
        grant = grant_or_damage(row)
        covers = grant.covers(
            submission.tool_name, submission.payload, submission.definition, server=submission.server
        )
        if covers and believed(grant):
            return grant
    return None


def remember(
    transaction: Transaction,
    *,
    session: str,
    agent_name: str,
    submission: Submission,
    origin: str,
    by: str,
    signer: Signer | None,
) -> Grant:
    """Grant the session this tool with this payload; an exact grant already in force is kept.

    Args:
        transaction: The one that also stores the approval.
        session: The session that gets it.
        agent_name: The asking agent.
        submission: The approved call.
        origin: Id of the approved request, "" if it was approved outside the queue.
        by: The approver's name.
        signer: Signs it for a reviewer; None if no reviewer approved it.
    """
    return _keep(
        transaction,
        Grant(
            id=new_id(),
            session=session,
            agent_name=agent_name,
            tool_name=submission.tool_name,
            payload=submission.payload,
            payload_key=submission.payload_key,
            origin_request=origin,
            created_at=transaction.now,
            created_by=by,
            uses=0,
            last_used_at=None,
            revoked_at=None,
            definition=submission.definition,
            server=submission.server,
        ),
        signer,
    )


def add_pattern(
    transaction: Transaction,
    pattern: GrantPattern,
    *,
    session: str,
    origin: str,
    by: str,
    signer: Signer,
    own: OwnRisk,
) -> Grant:
    """Grant the session all that a pattern covers; the same grant already in force is kept.

    Args:
        transaction: A write in progress.
        pattern: The pattern.
        session: The session that gets it.
        origin: Id of the request that it is given for.
        by: The reviewer's name.
        signer: Signs it.
        own: Says how risky the reviewer's side finds the request.

    Raises:
        UnknownRequestError: There is no such request.
        GrantRefusedError: The request is another session's, was rejected, must not be remembered, or is not
            covered by the pattern; or the pattern cannot be stored.
    """
    request = requests.newest(transaction, origin)
    if request is None:
        raise UnknownRequestError(f"there is no request {origin!r}")
    refusal = _why_not(own.of(request), pattern, session)
    if refusal is not None:
        raise GrantRefusedError(refusal)
    try:
        key = pattern.key
    except PatternError as error:
        raise GrantRefusedError(str(error)) from error
    return _keep(
        transaction,
        Grant(
            id=new_id(),
            session=session,
            agent_name=request.asked_by.name,
            tool_name=pattern.tool_name,
            payload=request.submission.payload,
            payload_key=key,
            origin_request=request.id,
            created_at=transaction.now,
            created_by=by,
            uses=0,
            last_used_at=None,
            revoked_at=None,
            pattern=pattern,
            definition=request.submission.definition,
            server=request.submission.server,
        ),
        signer,
    )


def count_use(transaction: Transaction, grant: Grant) -> Grant | None:
    """Count one use of a grant and return it as it is now; None if it was revoked since it was looked up."""
    used = transaction.run(
        "UPDATE grants SET uses = uses + 1, last_used_at = ? WHERE id = ? AND revoked_at IS NULL",
        transaction.now,
        grant.id,
    )
    if not used:
        return None
    transaction.grants_change()
    uses = transaction.number("SELECT uses FROM grants WHERE id = ?", grant.id)
    return replace(grant, uses=uses, last_used_at=transaction.now)


def revoke(transaction: Transaction, grant_id: str, by: str) -> bool:
    """Revoke one grant; returns False when it was revoked before.

    Raises:
        UnknownRequestError: There is no such grant.
    """
    revoked = transaction.run(
        "UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL",
        transaction.now,
        pack_text(by),
        pack_text(grant_id),
    )
    if revoked:
        transaction.grants_change()
        return True
    if transaction.row("SELECT 1 FROM grants WHERE id = ?", pack_text(grant_id)) is None:
        raise UnknownRequestError(f"there is no grant {grant_id!r}")
    return False


def revoke_all(transaction: Transaction, session: str | None, by: str) -> int:
    """Revoke all grants of a session, or of all sessions if it is None; returns how many."""
    tests = {} if session is None else {"session = ?": pack_text(session)}
    where = " AND ".join(["revoked_at IS NULL", *tests])
    revoked = transaction.run(
        f"UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE {where}",  # noqa: S608
        transaction.now,
        pack_text(by),
        *tests.values(),
    )
    if revoked:
        transaction.grants_change()
    return revoked


def all_grants(look: Look, *, session: str | None = None, include_revoked: bool = False) -> tuple[Grant, ...]:
    """Return grants, oldest first. One that cannot be read is among them, marked as damaged.

    Args:
        look: A look at the file.
        session: Only those of this session.
        include_revoked: Also those that no longer count.
    """
    tests = {} if session is None else {"session = ?": pack_text(session)}
    in_force = [] if include_revoked else ["revoked_at IS NULL"]
    where = " AND ".join([*tests, *in_force])
    rows = look.rows(f"SELECT * FROM grants {'WHERE ' if where else ''}{where} ORDER BY seq", *tests.values())  # noqa: S608
    return tuple(map(grant_or_damage, rows))


def _candidates(look: Look, session: str, submission: Submission) -> Iterator[Row]:
    """The grants in force that may cover a call, the best first."""
    definitions = dict.fromkeys((submission.definition, None))
    for key in (stored_key(submission.payload_key, each, submission.server) for each in definitions):
        yield from _with_key(look, session, submission.tool_name, GrantKind.EXACT, key)
    yield from look.rows(
        """
        SELECT * FROM grants
        WHERE session = ? AND tool = ? AND kind = 'pattern' AND revoked_at IS NULL ORDER BY seq
        """,
        pack_text(session),
        pack_text(submission.tool_name),
    )


def _with_key(look: Look, session: str, tool_name: str, kind: GrantKind, key: str) -> Sequence[Row]:
    return look.rows(
        """
        SELECT * FROM grants
        WHERE session = ? AND tool = ? AND kind = ? AND payload_key = ? AND revoked_at IS NULL
        """,
        pack_text(session),
        pack_text(tool_name),
        kind.value,
        pack_text(key),
    )


def _keep(transaction: Transaction, grant: Grant, signer: Signer | None) -> Grant:
    """Store a grant, unless there is an equal one in force: then that one is returned.

    A reviewer's takes the place of one without a good seal, which no other process would honor.
    """
    for row in _with_key(transaction, grant.session, grant.tool_name, grant.kind, grant.stored_key):
        there = grant_or_damage(row)
        if there.damage is None and (signer is None or believed_by_a_reviewer(there)):
            return there
        revoke(transaction, there.id, grant.created_by)  # it covers nothing, and stands in the way
    if signer is not None:
        grant = signer.grant(grant)
    transaction.grants_change()
    transaction.put(
        """
        INSERT INTO grants (id, session, tool, kind, payload_key, info, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        grant.id,
        pack_text(grant.session),
        pack_text(grant.tool_name),
        grant.kind.value,
        pack_text(grant.stored_key),
        _info(grant),
        grant.created_at,
    )
    return grant


def _why_not(request: StoredRequest, pattern: GrantPattern, session: str) -> str | None:
    """Say why a request is no reason for such a grant, or None when it is."""
    submission = request.submission
    if request.asked_by.session != session:
        return "the request was asked in another session; a grant is for the session of its request"
    why_not = never_granted(request)
    if why_not is not None:
        return why_not
    if not is_about(pattern, submission):
        return "the pattern does not cover the request that it is given for"
    return None


def _info(grant: Grant) -> str:
    seal = {} if grant.seal is None else {"seal": grant.seal.to_json()}
    return to_text(
        {
            "session": grant.session,
            "agent_name": grant.agent_name,
            "tool_name": grant.tool_name,
            "payload": grant.payload,
            "payload_key": grant.payload_key,
            "origin_request": grant.origin_request,
            "created_by": grant.created_by,
            **({} if grant.definition is None else {"definition": grant.definition}),
            **({} if grant.server is None else {"server": grant.server}),
            **seal,
        }
    )


# -- Comparing a pattern with what was asked before and with what waits.

_MOST_RECORDS_OF_A_CALL = 2
"""A call has a record of its end, and one more if it was superseded after it had been decided."""


def preview(
    look: Look,
    pattern: GrantPattern,
    pending: Iterable[StoredRequest],
    *,
    session: str | None,
    last: int,
) -> PatternPreview:
    """Compare a pattern with the latest calls and with the requests that wait.

    Args:
        look: A look at the queue.
        pattern: The pattern.
        pending: The requests that wait.
        session: Only calls of this session; None for all.
        last: Number of calls of the history to look at.
    """
    matched: list[HistoryRecord] = []
    still_asked = unreadable = 0
    calls = _latest_calls(look, session, max(0, last))
    for row in calls:
        try:
            submission = submission_from_text(row["content"])
            record = history_from_row(row)
        except (DamagedRecordError, ValueError, TypeError, KeyError):
            unreadable += 1
            continue
        if _answers(pattern, submission):
            matched.append(record)
        elif is_about(pattern, submission):
            still_asked += 1
    return PatternPreview(
        looked_at=len(calls),
        matched=tuple(matched),
        still_asked=still_asked,
        unreadable=unreadable,
        waiting=tuple(
            request
            for request in pending
            if session in (None, request.asked_by.session) and _answers(pattern, request.submission)
        ),
    )


def _answers(pattern: GrantPattern, submission: Submission) -> bool:
    """True if a grant of the pattern would answer the call."""
    return submission.may_be_remembered and is_about(pattern, submission)


def _latest_calls(look: Look, session: str | None, last: int) -> list[Row]:
    """The newest record of each of the latest calls, newest first."""
    rows = newest_rows(look, HistoryFilter(session=session), _MOST_RECORDS_OF_A_CALL * last)
    newest: dict[object, Row] = {}
    for row in rows:
        call = ("answered at once", row["seq"]) if row["request_seq"] is None else ("asked", row["request_seq"])
        newest.setdefault(call, row)
    return list(newest.values())[:last]
