"""History records as JSON objects: the shape that exports and ``--json`` promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.exporting.times import iso
from signoff.policy.redaction.masking import DEFAULT_REDACTION

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redaction
    from signoff.queue.amendment import Instead
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Decision

__all__ = ["decision_facts", "record_facts"]


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
        "decision": decision_facts(record.decision, hidden.also(record.masked_keys)),
        "agent": record.agent_name,
        "session": record.session,
        "tool": record.tool_name,
        "server": record.server,
        "description": hidden.mask_text(record.description).text,
        "arguments": hidden.also(record.masked_keys).mask_value(record.arguments),
        "group": record.group_id,
        "batch": record.batch_id,
        "risk": record.risk,
        "took_seconds": record.took_us / 1_000_000,
        "digest": record.digest,
        "hash": record.hash,
    }


def decision_facts(decision: Decision | None, hidden: Redaction = DEFAULT_REDACTION) -> dict[str, Any] | None:
    """Describe a decision, or None.

    Args:
        decision: The decision.
        hidden: What is hidden of the arguments that run instead of those that were asked.
    """
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
        "instead": _instead_facts(decision.instead, hidden),
    }


def _instead_facts(instead: Instead | None, hidden: Redaction) -> dict[str, Any] | None:
    """Describe what runs in place of what was asked; the contents by their hashes."""
    if instead is None:
        return None
    return {
        "summary": instead.summary,
        "refused": [hidden.mask_text(words).text for words in instead.refused],
        "contents": dict(instead.contents),
        "arguments": None if instead.arguments is None else hidden.mask_value(instead.arguments),
        "digest": instead.digest,
    }
