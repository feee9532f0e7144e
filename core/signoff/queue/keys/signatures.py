"""The statements that a reviewer signs: exact bytes, made again for each check.

A statement begins with its kind and version, so that a signature on one kind of thing never fits another. It
names nothing that belongs to a database: a queue may be copied or restored, and its seals still hold. Facts that
change over time are left out: when an answer was taken, how often a grant was used, that it was revoked.
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
    """Return the SHA-256 of all fields of a request, except for the contents that it names by hash.

    Raises:
        InvalidSubmissionError: A field has a wrong type or size.
        NotJsonError: A JSON-shaped field holds something else.
    """
    return text_hash(submission_to_text(submission))


def text_hash(text: str) -> str:
    """Return the `content_hash` of a submission that is JSON text already."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def decision_statement(
    request_id: str, revision: int, session: str, digest: str, content: str, decision: Decision
) -> bytes:
    """Return the statement of a decision: the request that it answers, and all its fields.

    Args:
        request_id: Id of the request.
        revision: Revision of the request.
        session: Session that asked.
        digest: Digest of what would be executed.
        content: `content_hash` of the request.
        decision: The answer; its own seal is ignored.

    Raises:
        NotJsonError: A field of the decision is not JSON.
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
    """Return the statement of a decision on a stored request.

    Args:
        request: The request that is answered.
        decision: The answer.
        content: `content_hash` of the request as it was posted, if that is known; the present one otherwise.

    Raises:
        ValueError: A field of the request or the decision is not JSON.
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
    """Return the statement of a grant: its session, the calls it covers, and the request it was given for.

    Raises:
        NotJsonError: A field of the grant is not JSON.
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
