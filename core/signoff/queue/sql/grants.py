"""Remembered approvals: tool and exact canonical payload, for one session."""

from __future__ import annotations

from signoff.queue.codec import pack_text, to_text
from signoff.queue.errors import UnknownRequestError
from signoff.queue.ids import new_id
from signoff.queue.records import Grant, Submission
from signoff.queue.sql.engine import Look, Transaction
from signoff.queue.sql.rows import grant_from_row

__all__ = ["all_grants", "count_use", "in_force", "remember", "revoke", "revoke_session"]


def in_force(look: Look, session: str, submission: Submission) -> Grant | None:
    """Return the grant of the session that covers exactly this call, or None."""
    row = look.row(
        """
        SELECT * FROM grants
        WHERE session = ? AND tool = ? AND payload_key = ? AND revoked_at IS NULL
        """,
        pack_text(session),
        pack_text(submission.tool_name),
        pack_text(submission.payload_key),
    )
    return None if row is None else grant_from_row(row)


def remember(
    transaction: Transaction,
    *,
    session: str,
    agent_name: str,
    submission: Submission,
    origin: str,
    by: str,
) -> Grant:
    """Grant the session this tool with this payload; a grant already in force is kept.

    Args:
        transaction: The one that also stores the approval.
        session: Whose approval it is.
        agent_name: Who asked.
        submission: What was approved.
        origin: Id of the approved request, "" if it was approved outside the queue.
        by: Who approved it.
    """
    there = in_force(transaction, session, submission)
    if there is not None:
        return there
    grant = Grant(
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
    )
    transaction.run(
        """
        INSERT INTO grants (id, session, tool, payload_key, info, created_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        grant.id,
        pack_text(session),
        pack_text(grant.tool_name),
        pack_text(grant.payload_key),
        _info(grant),
        grant.created_at,
    )
    return grant


def count_use(transaction: Transaction, grant: Grant) -> Grant:
    """Count one use of a grant in force and return it as it is now."""
    transaction.run("UPDATE grants SET uses = uses + 1, last_used_at = ? WHERE id = ?", transaction.now, grant.id)
    row = transaction.row("SELECT * FROM grants WHERE id = ?", grant.id)
    assert row is not None
    return grant_from_row(row)


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
        return True
    if transaction.row("SELECT 1 FROM grants WHERE id = ?", pack_text(grant_id)) is None:
        raise UnknownRequestError(f"there is no grant {grant_id!r}")
    return False


def revoke_session(transaction: Transaction, session: str, by: str) -> int:
    """Revoke all grants of a session; returns how many."""
    return transaction.run(
        "UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE session = ? AND revoked_at IS NULL",
        transaction.now,
        pack_text(by),
        pack_text(session),
    )


def all_grants(look: Look, *, session: str | None = None, include_revoked: bool = False) -> tuple[Grant, ...]:
    """Return grants, oldest first.

    Args:
        look: A look at the file.
        session: Only those of this session.
        include_revoked: Also those that no longer count.
    """
    tests = {} if session is None else {"session = ?": pack_text(session)}
    in_force = [] if include_revoked else ["revoked_at IS NULL"]
    where = " AND ".join([*tests, *in_force])
    rows = look.rows(f"SELECT * FROM grants {'WHERE ' if where else ''}{where} ORDER BY seq", *tests.values())  # noqa: S608
    return tuple(grant_from_row(row) for row in rows)


def _info(grant: Grant) -> str:
    return to_text(
        {
            "session": grant.session,
            "agent_name": grant.agent_name,
            "tool_name": grant.tool_name,
            "payload": grant.payload,
            "payload_key": grant.payload_key,
            "origin_request": grant.origin_request,
            "created_by": grant.created_by,
        }
    )
