"""The chain that binds each history record to all before it.

Whoever edits, drops or reorders a stored record breaks the chain at that place. It is a check against
accidents and casual edits: someone who may write the file may also compute all hashes again.
"""

from __future__ import annotations

import hashlib

from signoff.canonical import canonical
from signoff.queue.codec import decision_to_json
from signoff.queue.history_records import HistoryRecord

__all__ = ["record_hash"]


def record_hash(previous: str, record: HistoryRecord) -> str:
    """Return the hash of a record: SHA-256 over the hash before it and its canonical form.

    Args:
        previous: Hash of the record before, `signoff.queue.sql.heads.FIRST_HASH` for the first.
        record: The record; its own ``hash`` is not looked at.
    """
    body = canonical(
        {
            "seq": record.seq,
            "at": record.at,
            "request_id": record.request_id,
            "revision": record.revision,
            "agent_name": record.agent_name,
            "session": record.session,
            "tool_name": record.tool_name,
            "description": record.description,
            "arguments": record.arguments,
            "group_id": record.group_id,
            "batch_id": record.batch_id,
            "risk": record.risk.value,
            "state": record.state.value,
            "decision": None if record.decision is None else decision_to_json(record.decision),
            "reason": record.reason,
            "took_us": record.took_us,
            "digest": record.digest,
            **({"masked_keys": record.masked_keys} if record.masked_keys else {}),
            **({} if record.server is None else {"server": record.server}),
        }
    )
    return hashlib.sha256(f"{previous}{body}".encode("ascii")).hexdigest()
