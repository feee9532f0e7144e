"""Requests as the queue would report them, for tests of what the screen makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signoff.canonical import canonical, digest
from signoff.queue import (
    AskedBy,
    Change,
    ChangeSet,
    Decision,
    DecisionSource,
    RequestState,
    Risk,
    StoredRequest,
    Submission,
)

SECOND = 1_000_000
START = 1_790_000_000 * SECOND
"""When the first request was asked, microseconds since the epoch."""


def stored(
    id_: str,
    *,
    state: RequestState = RequestState.PENDING,
    revision: int = 1,
    session: str = "s-41",
    agent: str = "refactor",
    seq: int = 1,
    decision: Decision | None = None,
    note: str | None = None,
    **fields: Any,
) -> StoredRequest:
    """One revision of a request; `fields` are those of the submission."""
    arguments: Mapping[str, Any] = fields.pop("arguments", {"title": f"{id_} {revision}"})
    defaults: dict[str, Any] = {
        "tool_name": "create_issue",
        "description": f"Create {id_}",
        "payload": arguments,
        "payload_key": canonical(arguments),
        "arguments": arguments,
        "digest": digest(arguments),
        "cwd": "/work",
        "risk": Risk.LOW,
    }
    return StoredRequest(
        seq=seq,
        id=id_,
        revision=revision,
        state=state,
        submission=Submission(key=id_, **{**defaults, **fields}),
        asked_by=AskedBy(f"agent of {session}", agent, session, 4101, "ada", "library"),
        created_at=START + seq * SECOND,
        decision=decision,
        decided_at=None if state is RequestState.PENDING else START + 60 * SECOND,
        state_note=note,
        delivered_at=None,
        expires_at=fields.get("expires_at"),
    )


def ended(request: StoredRequest, state: RequestState = RequestState.WITHDRAWN) -> StoredRequest:
    """The same request at its end."""
    return replace(request, state=state, decided_at=START + 60 * SECOND, state_note="for some reason")


def approved(request: StoredRequest, *, by: str = "anna", **fields: Any) -> StoredRequest:
    """The same request, approved by somebody."""
    decision = Decision(approved=True, by=by, **fields)
    return replace(request, state=RequestState.APPROVED, decision=decision, decided_at=START + 60 * SECOND)


def rejected(request: StoredRequest, *, by: str = "anna", **fields: Any) -> StoredRequest:
    """The same request, rejected by somebody."""
    decision = Decision(approved=False, by=by, **fields)
    return replace(request, state=RequestState.REJECTED, decision=decision, decided_at=START + 60 * SECOND)


CASCADE = DecisionSource.CASCADE


def news(*requests: StoredRequest, cursor: int = 1) -> ChangeSet:
    """What the queue reports."""
    return ChangeSet(tuple(Change(request) for request in requests), cursor)
