"""What a record must look like, checked when it is written and again when it is read.

Agents fill submissions in; one field of a wrong type must not make the lists of everybody else unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from signoff.queue.errors import InvalidSubmissionError
from signoff.queue.instead import Instead
from signoff.queue.records import AskedBy, Decision, DecisionSource, Grant, Risk, Seal, Submission

__all__ = [
    "LATEST",
    "LONGEST_NAME",
    "LONGEST_TEXT",
    "MOST_MASKED",
    "check_asked_by",
    "check_decision",
    "check_grant",
    "check_submission_fields",
]

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

    Whether JSON-shaped fields hold JSON all the way down is not looked at here.

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
    return type(value) is dict or isinstance(value, Mapping)  # what was read is a dict; asking so costs a fifth


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
