"""Submissions and decisions for tests, and waits that end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from signoff.canonical import canonical, digest
from signoff.queue import DecideResult, Decision, ReviewQueue, StoredRequest, Submission

PATIENCE = 30.0
"""Seconds after which a test gives up on something that should come at once."""

REWRITES = (
    "UPDATE requests SET state = 'pending', decision = NULL, decided_at = NULL",
    "UPDATE requests SET state = 'rejected'",
    "UPDATE requests SET decision = replace(decision, 'anna', 'bob')",
    "UPDATE requests SET decided_at = decided_at - 1",
    "UPDATE requests SET digest = 'other'",
    "UPDATE requests SET submission = '{}'",
    "UPDATE requests SET state = 'expired', state_note = ''",
    "DELETE FROM requests",
    "UPDATE history SET reason = 'other'",
    "DELETE FROM history",
    """INSERT INTO history SELECT seq + 2, at, request_seq, agent, session, tool, request_id,
    state, asked_by, submission, decision, reason, took_us, hash, decided_by FROM history""",
    "UPDATE grants SET payload_key = '{}'",
)
"""Statements of somebody who goes around us and rewrites what happened."""

IMPOSSIBLE = (
    "UPDATE requests SET state = 'approved', decided_at = 1",
    """UPDATE requests SET state = 'approved', decided_at = 1, decision = '{"approved":1}'""",
    """UPDATE requests SET state = 'approved', decided_at = 1, decision = '{"approved":false}'""",
    """UPDATE requests SET state = 'rejected', decided_at = 1, decision = '{"approved":true}'""",
    "UPDATE requests SET state = 'expired', decided_at = 1",
    "UPDATE requests SET delivered_at = 1",
    "UPDATE requests SET state = 'maybe', decided_at = 1",
    """INSERT INTO requests SELECT seq + 1, id, revision + 1, session, key, digest, payload_key,
    batch_id, risk, submission, agent_id, asked_by, created_at, expires_at, state, decision,
    decided_at, state_note, delivered_at, change FROM requests""",
    """INSERT INTO requests SELECT seq + 1, 'other', revision, session, key, digest, payload_key,
    batch_id, risk, submission, agent_id, asked_by, created_at, expires_at, state, decision,
    decided_at, state_note, delivered_at, change FROM requests""",
)
"""Statements that would put a request into a state that cannot be."""


def call(key: str = "k1", *, content: object = "hello", **fields: Any) -> Submission:
    """A tool call that asks to write a file."""
    payload = {"path": "notes.txt"}
    arguments = {"path": "notes.txt", "content": content}
    defaults: dict[str, Any] = {
        "tool_name": "write_file",
        "description": "write notes.txt",
        "payload": payload,
        "payload_key": canonical(payload),
        "arguments": arguments,
        "digest": digest(arguments),
        "cwd": "/work",
        "risk_reasons": ("unknown-effects",),  # as the reviewer's own side finds
    }
    return Submission(key=key, **{**defaults, **fields})


def decide(review: ReviewQueue, shown: StoredRequest, decision: Decision) -> DecideResult:
    """Decide exactly what was shown."""
    return review.decide(shown.id, shown.revision, shown.submission.digest, decision)


def approve(review: ReviewQueue, request: StoredRequest, /, **fields: Any) -> DecideResult:
    """Approve exactly what was shown."""
    return decide(review, request, Decision(approved=True, **fields))


def reject(review: ReviewQueue, request: StoredRequest, /, **fields: Any) -> DecideResult:
    """Reject exactly what was shown."""
    return decide(review, request, Decision(approved=False, **fields))


def target(shown: StoredRequest) -> tuple[str, int, str]:
    """What a decision of several must name."""
    return shown.id, shown.revision, shown.submission.digest


def eventually(happened: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)
