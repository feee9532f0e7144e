"""Approvals of something else than was asked: those that are taken, and their contents."""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import replace

from signoff.queue.amendment import Instead, why_not_arguments
from signoff.queue.errors import QueueUnavailableError
from signoff.queue.records import Decision, Submission
from signoff.queue.sql.engine import Look, Row, Transaction
from signoff.queue.text_escape import pack_text

__all__ = ["keep_contents", "stored_content", "why_not_instead", "with_contents"]

_MOST_ROOM = 64 * 1024 * 1024
"""Bytes that are set aside for a content before it is known to be as large."""


def why_not_instead(submission: Submission, decision: Decision, *, alone: bool) -> str | None:
    """Say why an approval of something else than was asked is not taken; None if it is, or is none.

    Args:
        submission: The call, as asked.
        decision: The answer.
        alone: True if no other request is decided by the same act.
    """
    instead = decision.instead
    if instead is None:
        return None
    if not decision.approved:
        return "a no runs nothing, so nothing can run instead"
    if decision.remember:
        return "an approval of something else than was asked is for once, never remembered"
    if not alone:
        return "an approval of something else than was asked is for one request, never for several"
    if instead.needs not in submission.supports:
        return "its agent can only run what it asked for: approve that, or reject it with a message"
    written = list(_written(submission))
    for path in instead.contents:
        if written.count(path) != 1:
            return "it would write a file that was not asked about, or that is written twice"
    if not instead.at_hand:
        return "what would be written instead was not handed in"
    return None if instead.arguments is None else why_not_arguments(submission, instead.arguments)


def keep_contents(transaction: Transaction, request_seq: int, instead: Instead) -> None:
    """Store what is written instead, for as long as its request is kept."""
    for sha256 in set(instead.contents.values()):
        content = instead.blobs[sha256]
        transaction.put(
            "INSERT INTO blobs (sha256, size, compressed) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            sha256,
            len(content),
            zlib.compress(content),
        )
        transaction.put(
            "INSERT INTO blob_uses (sha256, request_seq) VALUES (?, ?) ON CONFLICT DO NOTHING", sha256, request_seq
        )


def with_contents(look: Look, decision: Decision) -> Decision:
    """The decision with the contents that it names.

    Raises:
        QueueUnavailableError: One is missing or damaged.
    """
    if decision.instead is None or decision.instead.at_hand:
        return decision
    blobs = {sha256: stored_content(look, sha256) for sha256 in decision.instead.contents.values()}
    return replace(decision, instead=replace(decision.instead, blobs=blobs))


def stored_content(look: Look, sha256: str) -> bytes:
    """A stored content by its hash.

    Raises:
        QueueUnavailableError: It is missing or does not match its hash.
    """
    rows = look.rows("SELECT size, compressed FROM blobs WHERE sha256 = ?", pack_text(sha256))
    if not rows:
        raise QueueUnavailableError(f"the queue has no content {sha256}")
    for row in rows[:-1]:  # each role keeps its own, and not all of them need be true
        with contextlib.suppress(QueueUnavailableError):
            return _unpacked(row, sha256)
    return _unpacked(rows[-1], sha256)


def _unpacked(row: Row, sha256: str) -> bytes:
    room = row["size"] if isinstance(row["size"], int) else 0
    try:
        # With the room it takes it is put together once only; a size that is not true costs no more than time.
        content = zlib.decompress(row["compressed"], bufsize=min(max(room, 1), _MOST_ROOM))
    except zlib.error as error:
        raise QueueUnavailableError(f"the content {sha256} is damaged: {error}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise QueueUnavailableError(f"the content {sha256} does not match its hash")
    return content


def _written(submission: Submission) -> Iterator[object]:
    """The files that a call would write, once for each time."""
    steps = (submission.snapshot or {}).get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict) and step.get("kind") == "file":
            yield step.get("path")
