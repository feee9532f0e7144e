"""Records as JSON text and back, the same for every engine.

The text is plain ASCII: whatever an agent sends, lone surrogates and NUL included, survives every
database. Values are checked to be JSON on the way in; the order of keys is kept, since a person reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from signoff.canonical import canonical
from signoff.effects import Risk
from signoff.queue.amendment import Instead
from signoff.queue.errors import InvalidSubmissionError
from signoff.queue.records import AskedBy, Decision, DecisionSource, Grant, Seal, Submission

__all__ = [
    "LATEST",
    "LONGEST_NAME",
    "LONGEST_TEXT",
    "MOST_MASKED",
    "asked_by_from_text",
    "asked_by_to_text",
    "check_asked_by",
    "check_decision",
    "check_grant",
    "check_submission_fields",
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
    fields["supports"] = _supports(tuple(fields["supports"]))
    fields["masked_keys"] = tuple(fields.get("masked_keys", ()))
    submission = Submission(**fields)
    check_submission_fields(submission)
    return submission


@lru_cache(maxsize=64)
def _supports(names: tuple[str, ...]) -> frozenset[str]:
    """The set of what a client supports; thousands of requests share it."""
    return frozenset(names)


def decision_to_json(decision: Decision) -> dict[str, Any]:
    """Return a decision as a JSON object, ``approved`` first; seal and amendment only if it has them.

    A reader that does not know amendments cannot read such a decision, so it never takes it for a plain yes.
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
    """Return the asking agent as JSON text.

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
    """Return the agent that asked, cached: few agents ask for everything that waits.

    Raises:
        ValueError, TypeError: The text is damaged.
    """
    asked_by = AskedBy(**from_text(text))
    check_asked_by(asked_by)
    return asked_by


# -- The checks of records, made when one is written and again when it is read.
#
# Agents fill submissions in; one field of a wrong type must not make the lists of everybody else unreadable.

LONGEST_NAME = 4096
"""Most characters of a name, key, digest or path; no longer path exists on Linux (``PATH_MAX``)."""

LONGEST_TEXT = 1_000_000
"""Most characters of a description, reason or note."""

LATEST = 253_402_300_799_999_999
"""Latest time that is accepted, in microseconds since the epoch: the end of the year 9999."""

MOST_MASKED = 200
"""Most names of arguments that are masked besides those that always are."""

_MOST = 1_000_000
"""Largest size of a group or batch."""

_Check = tuple[Callable[[Any], bool], str]


def check_submission_fields(submission: Submission) -> None:
    """Refuse a submission with a field of a wrong type or size.

    JSON-shaped fields are not checked in depth.

    Raises:
        InvalidSubmissionError: The message names the field.
    """
    _check("submission", submission, _SUBMISSION)


def check_asked_by(asked_by: AskedBy) -> None:
    """Refuse an agent that introduces itself with fields of a wrong type or size.

    Raises:
        InvalidSubmissionError: The message names the field.
    """
    _check("agent", asked_by, _ASKED_BY)


def check_decision(decision: Decision) -> None:
    """Refuse a decision with a field of a wrong type or size.

    Raises:
        InvalidSubmissionError: The message names the field.
    """
    _check("decision", decision, _DECISION)


def check_grant(grant: Grant) -> None:
    """Refuse a grant with a field of a wrong type or size.

    Raises:
        InvalidSubmissionError: The message names the field.
    """
    _check("grant", grant, _GRANT)


def _check(what: str, record: object, checks: Mapping[str, _Check]) -> None:
    for name, (fits, wanted) in checks.items():
        if not fits(getattr(record, name)):
            raise InvalidSubmissionError(f'the field "{name}" of the {what} must be {wanted}')


def _text(longest: int) -> _Check:
    return lambda value: type(value) is str and len(value) <= longest, f"text of at most {longest} characters"


def _whole(least: int, most: int) -> _Check:
    return (
        lambda value: type(value) is int and least <= value <= most,
        f"a whole number from {least} to {most}",
    )


def _or_none(check: _Check) -> _Check:
    fits, wanted = check
    return lambda value: value is None or fits(value), f"{wanted}, or nothing"


def _a(kind: type | tuple[type, ...], wanted: str) -> _Check:
    return lambda value: isinstance(value, kind), wanted


def _texts(kind: type[tuple[Any, ...] | frozenset[Any]]) -> _Check:
    fits, wanted = _text(LONGEST_TEXT)

    def all_fit(value: object) -> bool:
        return isinstance(value, kind) and all(fits(text) for text in value)

    return all_fit, f"a {kind.__name__} of {wanted}"


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return type(value) is dict or isinstance(value, Mapping)  # read values are dicts: the cheaper test first


def _is_next_call(value: object) -> bool:
    return _is_object(value) and isinstance(value.get("tool"), str) and _is_object(value.get("arguments", {}))


def _are_blobs(value: object) -> bool:
    return _is_object(value) and all(
        type(name) is str and type(content) is bytes for name, content in value.items()
    )


def _are_few_names(value: object) -> bool:
    fits, _ = _NAME
    return isinstance(value, tuple) and len(value) <= MOST_MASKED and all(map(fits, value))


_NAME, _TEXT = _text(LONGEST_NAME), _text(LONGEST_TEXT)
_OBJECT: _Check = _is_object, "an object"
_WHOLE = _a(int, "a whole number")

_SUBMISSION: Mapping[str, _Check] = {
    "key": _NAME,
    "tool_name": _NAME,
    "description": _TEXT,
    "payload": _OBJECT,
    "payload_key": _a(str, "text"),
    "arguments": _OBJECT,
    "digest": _NAME,
    "cwd": _NAME,
    "presentation": _or_none(_OBJECT),
    "snapshot": _or_none(_OBJECT),
    "blobs": (_are_blobs, "contents by hash"),
    "group_id": _or_none(_NAME),
    "group_size": _or_none(_whole(1, _MOST)),
    "batch_id": _or_none(_NAME),
    "batch_position": _or_none(_whole(0, _MOST)),
    "batch_remaining": (
        lambda value: isinstance(value, tuple) and all(_is_next_call(call) for call in value),
        'a tuple of objects with "tool" and "arguments"',
    ),
    "risk": _a(Risk, "a risk"),
    "risk_reasons": _texts(tuple),
    "why": _TEXT,
    "supports": _texts(frozenset),
    "expires_at": _or_none(_whole(0, LATEST)),
    "definition": _or_none(_NAME),
    "masked_keys": (_are_few_names, f"a tuple of at most {MOST_MASKED} names"),
    "caller": _NAME,
    "via": _NAME,
    "server": _or_none(_NAME),
}
_ASKED_BY: Mapping[str, _Check] = {
    "agent_id": _NAME,
    "name": _NAME,
    "session": _NAME,
    "pid": _a(int, "a whole number"),
    "host": _NAME,
    "via": _NAME,
    "program": _NAME,
    "caller": _NAME,
}
_DECISION: Mapping[str, _Check] = {
    "approved": _a(bool, "true or false"),
    "note": _or_none(_TEXT),
    "remember": _a(bool, "true or false"),
    "hard": _a(bool, "true or false"),
    "source": _a(DecisionSource, "a source"),
    "by": _TEXT,
    "shown": _or_none(_a((int, float), "a number")),
    "deliberate": _a(bool, "true or false"),
    "held_us": _a(int, "a whole number"),
    "instead": _or_none(_a(Instead, "what runs instead")),
    "seal": _or_none(_a(Seal, "a seal")),
}
_GRANT: Mapping[str, _Check] = {
    "session": _NAME,
    "agent_name": _NAME,
    "tool_name": _NAME,
    "payload": _OBJECT,
    "origin_request": _NAME,
    "created_by": _TEXT,
    "created_at": _WHOLE,
    "uses": _WHOLE,
    "last_used_at": _or_none(_WHOLE),
    "revoked_at": _or_none(_WHOLE),
    "definition": _or_none(_NAME),
    "server": _or_none(_NAME),
    "seal": _or_none(_a(Seal, "a seal")),
}
