"""Records as JSON text and back, the same for every engine.

The text is plain ASCII: whatever an agent sends, lone surrogates and NUL included, survives every
database. Values are checked to be JSON on the way in; the order of keys is kept, since a person reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from signoff.canonical import canonical
from signoff.queue.checks import check_asked_by, check_decision, check_submission_fields
from signoff.queue.instead import Instead
from signoff.queue.records import (
    AskedBy,
    Decision,
    DecisionSource,
    Risk,
    Seal,
    Submission,
)

__all__ = [
    "asked_by_from_text",
    "asked_by_to_text",
    "decision_from_text",
    "decision_to_json",
    "decision_to_text",
    "from_text",
    "submission_from_text",
    "submission_to_text",
    "to_text",
]


def to_text(value: Mapping[str, Any]) -> str:
    """Return JSON text with the order of keys kept.

    Raises:
        NotJsonError: A part of the value is not JSON.
    """
    canonical(value)  # only for its checks
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def from_text(text: str) -> Any:
    """Return the value that `to_text` wrote.

    Raises:
        ValueError: The text is damaged.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def submission_to_text(submission: Submission) -> str:
    """Return a submission without its blobs as JSON text.

    Raises:
        InvalidSubmissionError: A field has a wrong type or size.
        NotJsonError: A JSON-shaped field holds something else.
    """
    check_submission_fields(submission)
    return to_text(
        {
            "key": submission.key,
            "tool_name": submission.tool_name,
            "description": submission.description,
            "payload": submission.payload,
            "payload_key": submission.payload_key,
            "arguments": submission.arguments,
            "digest": submission.digest,
            "cwd": submission.cwd,
            "presentation": submission.presentation,
            "snapshot": submission.snapshot,
            "group_id": submission.group_id,
            "group_size": submission.group_size,
            "batch_id": submission.batch_id,
            "batch_position": submission.batch_position,
            "batch_remaining": list(submission.batch_remaining),
            "risk": submission.risk.value,
            "risk_reasons": list(submission.risk_reasons),
            "why": submission.why,
            "supports": sorted(submission.supports),
            "expires_at": submission.expires_at,
            **({} if submission.definition is None else {"definition": submission.definition}),
            **({"masked_keys": list(submission.masked_keys)} if submission.masked_keys else {}),
            **({"caller": submission.caller} if submission.caller else {}),
            **({"via": submission.via} if submission.via else {}),
            **({} if submission.server is None else {"server": submission.server}),
        }
    )


def submission_from_text(text: str) -> Submission:
    """Return the submission, without blobs.

    Raises:
        ValueError, TypeError, KeyError: The text is damaged.
    """
    fields = from_text(text)
    fields["batch_remaining"] = tuple(fields["batch_remaining"])
    fields["risk"] = Risk(fields["risk"])
    fields["risk_reasons"] = tuple(fields["risk_reasons"])
    fields["supports"] = frozenset(fields["supports"])
    fields["masked_keys"] = tuple(fields.get("masked_keys", ()))
    submission = Submission(**fields)
    check_submission_fields(submission)
    return submission


def decision_to_json(decision: Decision) -> dict[str, Any]:
    """Return a decision as a JSON object, ``approved`` first; a seal and what runs instead only if there are any.

    Who does not know what runs instead cannot read such a decision, and so never takes it for a plain yes.
    """
    instead = {} if decision.instead is None else {"instead": decision.instead.to_json()}
    seal = {} if decision.seal is None else {"seal": decision.seal.to_json()}
    return {
        "approved": decision.approved,
        "note": decision.note,
        "remember": decision.remember,
        "hard": decision.hard,
        "source": decision.source.value,
        "by": decision.by,
        "shown": decision.shown,
        "deliberate": decision.deliberate,
        "held_us": decision.held_us,
        **instead,
        **seal,
    }


def decision_to_text(decision: Decision) -> str:
    """Return a decision as JSON text.

    Raises:
        InvalidSubmissionError: A field has a wrong type or size.
    """
    check_decision(decision)
    return to_text(decision_to_json(decision))


def decision_from_text(text: str) -> Decision:
    """Return the decision.

    Raises:
        ValueError, TypeError, KeyError: The text is damaged.
    """
    fields = from_text(text)
    fields["source"] = DecisionSource(fields["source"])
    fields["instead"] = Instead.from_json(fields.get("instead"))
    fields["seal"] = Seal.from_json(fields.get("seal"))
    decision = Decision(**fields)
    check_decision(decision)
    return decision


def asked_by_to_text(asked_by: AskedBy) -> str:
    """Return who asks as JSON text.

    Raises:
        InvalidSubmissionError: A field has a wrong type or size.
    """
    check_asked_by(asked_by)
    return to_text(
        {
            "agent_id": asked_by.agent_id,
            "name": asked_by.name,
            "session": asked_by.session,
            "pid": asked_by.pid,
            "host": asked_by.host,
            "via": asked_by.via,
            **({"program": asked_by.program} if asked_by.program else {}),
            **({"caller": asked_by.caller} if asked_by.caller else {}),
        }
    )


@lru_cache(maxsize=256)
def asked_by_from_text(text: str) -> AskedBy:
    """Return who asked. A few agents ask for everything that waits.

    Raises:
        ValueError, TypeError: The text is damaged.
    """
    asked_by = AskedBy(**from_text(text))
    check_asked_by(asked_by)
    return asked_by
