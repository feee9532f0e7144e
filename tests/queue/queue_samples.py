"""Submissions and decisions for tests, and waits that end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from signoff.canonical import canonical, digest
from signoff.queue import Decision, ReviewQueue, StoredRequest, Submission, Verdict

PATIENCE = 30.0
"""Seconds after which a test gives up on something that should come at once."""


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
    }
    return Submission(key=key, **{**defaults, **fields})


def decide(review: ReviewQueue, shown: StoredRequest, decision: Decision) -> Verdict:
    """Decide exactly what was shown."""
    return review.decide(shown.id, shown.revision, shown.submission.digest, decision)


def approve(review: ReviewQueue, request: StoredRequest, /, **fields: Any) -> Verdict:
    """Approve exactly what was shown."""
    return decide(review, request, Decision(approved=True, **fields))


def reject(review: ReviewQueue, request: StoredRequest, /, **fields: Any) -> Verdict:
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
