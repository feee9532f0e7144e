"""Requests and history records as JSON objects: the shape that ``--json`` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.cli.durations import iso
from signoff.policy.redaction import DEFAULT_REDACTION

if TYPE_CHECKING:
    from signoff.policy.redaction import Redaction
    from signoff.queue.history_records import HistoryRecord
    from signoff.queue.records import Decision, StoredRequest

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
        "description": hidden.mask_text(submission.description).text,
        "agent": asked.name,
        "session": asked.session,
        "pid": asked.pid,
        "host": asked.host,
        "via": asked.via,
        "cwd": submission.cwd,
        "group": submission.group_id,
        "batch": submission.batch_id,
        "why": hidden.mask_text(submission.why).text,
        "created_at": iso(request.created_at),
        "expires_at": iso(submission.expires_at),
        "decided_at": iso(request.decided_at),
        "waiting_seconds": max(0, end - request.created_at) // 1_000_000,
        "decision": decision_facts(request.decision),
    }


def record_facts(record: HistoryRecord, hidden: Redaction = DEFAULT_REDACTION) -> dict[str, Any]:
    """Describe a line of the history.

    Args:
        record: The line.
        hidden: What is hidden of it. Its hash is that of everything.
    """
    return {
        "seq": record.seq,
        "at": iso(record.at),
        "id": record.request_id,
        "revision": record.revision,
        "state": record.state,
        "reason": record.reason,
        "decision": decision_facts(record.decision),
        "agent": record.agent_name,
        "session": record.session,
        "tool": record.tool_name,
        "description": hidden.mask_text(record.description).text,
        "arguments": hidden.also(record.masked_keys).mask_value(record.arguments),
        "group": record.group_id,
        "batch": record.batch_id,
        "risk": record.risk,
        "took_seconds": record.took_us / 1_000_000,
        "digest": record.digest,
        "hash": record.hash,
    }


def decision_facts(decision: Decision | None) -> dict[str, Any] | None:
    """Describe a decision, or None."""
    if decision is None:
        return None
    return {
        "approved": decision.approved,
        "source": decision.source,
        "by": decision.by,
        "note": decision.note,
        "mode": None if decision.approved else "hard" if decision.hard else "soft",
        "remember": "session" if decision.remember else "none",
        "shown": decision.shown,
        "deliberate": decision.deliberate,
    }
