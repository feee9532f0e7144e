"""What agents have announced and not yet asked for, as the stored requests tell."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.queue.errors import DamagedRecordError
from signoff.queue.lookahead import Batch, UpcomingCall, announced, announcement_of, still_upcoming
from signoff.queue.packing import pack_text
from signoff.queue.records import StoredRequest
from signoff.queue.sql import requests
from signoff.queue.sql.engine import Look
from signoff.queue.sql.rows import sort_out

__all__ = ["upcoming", "why_undecidable"]


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
        request = requests.newest(look, request_id)
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
    session, batch_id = batch
    rows = look.rows(
        "SELECT * FROM requests WHERE session = ? AND batch_id = ? ORDER BY seq",
        pack_text(session),
        pack_text(batch_id),
    )
    readable, _ = sort_out(rows)
    places = ((request.submission.batch_position, request.id) for request in readable)
    return {position: request_id for position, request_id in places if position is not None}
