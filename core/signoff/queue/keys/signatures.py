"""What a reviewer signs: the exact bytes, made again by whoever checks them.

A statement begins with what it is and in which version, so that no signature on one kind of thing is ever one on
another. It names nothing that belongs to a database: a queue may be copied or restored, and its seals still hold.
What changes over time is left out: when an answer was taken, how often a grant was used, that it was revoked.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from signoff.canonical import canonical
from signoff.queue.codec import decision_to_json, submission_to_text
from signoff.queue.records import Decision, Grant, StoredRequest, Submission

__all__ = ["content_hash", "decision_statement", "grant_statement", "statement_about", "text_hash"]

_VERSION = 1


def content_hash(submission: Submission) -> str:
    """Return the SHA-256 of all that a request says, except for the contents that it names by hash.

    Raises:
        InvalidSubmissionError: A field has a wrong type or size.
        NotJsonError: A JSON-shaped field holds something else.
    """
    return text_hash(submission_to_text(submission))


def text_hash(text: str) -> str:
    """`content_hash` of a submission that is written as JSON text already."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def decision_statement(
    request_id: str, revision: int, session: str, digest: str, content: str, decision: Decision
) -> bytes:
    """Return what is signed of a decision: which request it answers, and all that it says.

    Args:
        request_id: Of the request that is answered.
        revision: Of that request.
        session: The one that asked.
        digest: Of what would be executed.
        content: Of what the request says, by `content_hash`.
        decision: The answer; its own seal is not looked at.

    Raises:
        NotJsonError: The decision holds what is not JSON.
    """
    return _statement(
        "decision",
        {
            "request": request_id,
            "revision": revision,
            "session": session,
            "digest": digest,
            "content": content,
            "decision": decision_to_json(replace(decision, seal=None)),
        },
    )


def statement_about(request: StoredRequest, decision: Decision, content: str | None = None) -> bytes:
    """Return what is signed of a decision on a request.

    Args:
        request: The request that is answered.
        decision: The answer.
        content: What the request said when it was posted, by `content_hash`, if that is known; what it says now
            otherwise.

    Raises:
        ValueError: The request or the decision holds what is not JSON.
    """
    return decision_statement(
        request.id,
        request.revision,
        request.asked_by.session,
        request.submission.digest,
        content or content_hash(request.submission),
        decision,
    )


def grant_statement(grant: Grant) -> bytes:
    """Return what is signed of a grant: whose it is, what it covers, and why it was given.

    Raises:
        NotJsonError: The grant holds what is not JSON.
    """
    return _statement(
        "grant",
        {
            "grant": grant.id,
            "session": grant.session,
            "tool": grant.tool_name,
            "kind": grant.kind.value,
            "covers": grant.payload_key,
            "definition": grant.definition,
            "origin": grant.origin_request,
            "agent": grant.agent_name,
            "created_at": grant.created_at,
            "by": grant.created_by,
            **({} if grant.server is None else {"server": grant.server}),
        },
    )


def _statement(what: str, facts: dict[str, object]) -> bytes:
    return canonical({"signoff": what, "version": _VERSION, **facts}).encode("ascii")
