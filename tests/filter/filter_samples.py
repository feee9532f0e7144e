"""Records, requests and grants to be filtered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from signoff.canonical import canonical
from signoff.filter import (
    ScreenFacts,
    Subject,
    Viewpoint,
    of_grant,
    of_record,
    of_request,
    parse,
)
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange, FileState, Step
from signoff.queue import Decision, Grant, HistoryRecord, RequestState, Risk, StoredRequest, Submission
from signoff.queue.records import AskedBy

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NOON = int(datetime(2026, 11, 20, 12, 0, tzinfo=UTC).timestamp()) * SECOND
VIEW = Viewpoint(NOON, "anna", UTC)
"""Asked by Anna, at noon of a Friday."""
YES = Decision(approved=True, by="anna", shown=1.0)


def change(path: str, *, exists: bool = True, binary: bool = False) -> FileChange:
    before = FileState(exists, "0" * 64 if exists else None, 1, 0o644, None, path)
    return FileChange(path, before, "1" * 64, 2, binary, "image/png" if binary else None)


def run(command: str) -> CommandRun:
    return CommandRun(command, "/work", {}, "/work")


def submission(*steps: Step, **fields: Any) -> Submission:
    defaults: dict[str, Any] = {
        "key": "k1",
        "tool_name": "write_file",
        "description": "Write a file",
        "payload": {},
        "payload_key": "{}",
        "arguments": {},
        "digest": "d",
        "cwd": "/work",
        "snapshot": Snapshot(steps).to_json() if steps else None,
        "risk": Risk.LOW,
    }
    return Submission(**{**defaults, **fields})


def asked_by(agent: str, session: str) -> AskedBy:
    return AskedBy("a1", agent, session, 1, "host", "library")


def record(
    *steps: Step,
    agent: str = "refactor",
    session: str = "s-1",
    state: RequestState = RequestState.APPROVED,
    decision: Decision | None = YES,
    ago: int = MINUTE,
    seq: int = 1,
    revision: int = 1,
    reason: str = "",
    took: int = SECOND,
    **fields: Any,
) -> HistoryRecord:
    return HistoryRecord.about(
        asked_by(agent, session),
        submission(*steps, **fields),
        state,
        seq=seq,
        at=NOON - ago,
        request_id="r1",
        revision=revision,
        decision=decision,
        reason=reason,
        took_us=took,
    )


def request(
    *steps: Step,
    agent: str = "refactor",
    session: str = "s-1",
    state: RequestState = RequestState.PENDING,
    decision: Decision | None = None,
    ago: int = MINUTE,
    revision: int = 1,
    took: int | None = None,
    **fields: Any,
) -> StoredRequest:
    return StoredRequest(
        seq=1,
        id="r1",
        revision=revision,
        state=state,
        submission=submission(*steps, **fields),
        asked_by=asked_by(agent, session),
        created_at=NOON - ago,
        decision=decision,
        decided_at=None if took is None else NOON - ago + took,
        state_note=None,
        delivered_at=None,
    )


def grant(payload: dict[str, Any] | None = None, **fields: Any) -> Grant:
    payload = {"command": "git push"} if payload is None else payload
    defaults: dict[str, Any] = {
        "id": "g1",
        "session": "s-1",
        "agent_name": "refactor",
        "tool_name": "shell",
        "payload": payload,
        "payload_key": canonical(payload),
        "origin_request": "r1",
        "created_at": NOON - HOUR,
        "created_by": "anna",
        "uses": 0,
        "last_used_at": None,
        "revoked_at": None,
    }
    return Grant(**{**defaults, **fields})


def kept(text: str, thing: HistoryRecord | StoredRequest | Grant, screen: ScreenFacts | None = None) -> bool:
    """Whether a filter keeps a thing, asked by Anna at noon."""
    return parse(text, subject(thing, screen).filtered).matches(subject(thing, screen), VIEW)


def subject(thing: HistoryRecord | StoredRequest | Grant, screen: ScreenFacts | None = None) -> Subject:
    match thing:
        case HistoryRecord():
            return of_record(thing)
        case StoredRequest():
            return of_request(thing, screen)
        case Grant():
            return of_grant(thing)
