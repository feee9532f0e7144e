"""Requests as JSON objects, as history records are elsewhere: the shape that ``--json`` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.history_export import decision_facts, iso, record_facts
from signoff.policy.redaction.masking import DEFAULT_REDACTION

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redaction
    from signoff.queue.records import StoredRequest

__all__ = ["SEEN_DIGITS", "record_facts", "request_facts", "seen_token", "short_id"]

SEEN_DIGITS = 12
"""Hexadecimal digits of the digest that `show` prints and `approve --seen` needs at least."""

_SHORT_ID = 8


def short_id(request_id: str) -> str:
    """The part of an id that people read and type."""
    return request_id[:_SHORT_ID]


def seen_token(request: StoredRequest) -> str:
    """What `approve --seen` wants: which revision was read, and what it would execute.

    The revision is part of it because twelve digits alone can be made to match by whoever writes both
    contents; a revision never changes.
    """
    return f"{request.revision}:{request.submission.digest[:SEEN_DIGITS]}"


def request_facts(
    request: StoredRequest, kind: str, now: int, hidden: Redaction = DEFAULT_REDACTION
) -> dict[str, Any]:
    """Describe a request.

    Args:
        request: The request.
        kind: What it would do, in a word.
        now: The present, in microseconds since the epoch.
        hidden: What is hidden of it.
    """
    asked, submission = request.asked_by, request.submission
    end = request.decided_at if request.decided_at is not None else now
    return {
        "id": request.id,
        "revision": request.revision,
        "digest": submission.digest,
        "state": request.state,
        "state_note": request.state_note,
        "risk": submission.risk,
        "risk_reasons": list(submission.risk_reasons),
        "kind": kind,
        "tool": submission.tool_name,
        "server": submission.server,
        "description": hidden.mask_text(submission.description).text,
        "agent": asked.name,
        "session": asked.session,
        "pid": asked.pid,
        "host": asked.host,
        "via": asked.via,
        "caller": asked.caller,
        "program": asked.program,
        "cwd": submission.cwd,
        "group": submission.group_id,
        "batch": submission.batch_id,
        "why": hidden.mask_text(submission.why).text,
        "created_at": iso(request.created_at),
        "expires_at": iso(submission.expires_at),
        "decided_at": iso(request.decided_at),
        "waiting_seconds": max(0, end - request.created_at) // 1_000_000,
        "decision": decision_facts(request.decision, hidden),
    }
