"""One canonical spelling of JSON values, strict about types.

Grants and digests compare values by these bytes. Two values have the same canonical form exactly when
they are the same JSON value with the same types: ``1``, ``1.0``, ``true`` and ``"1"`` are four values,
``0.0`` and ``-0.0`` are two, object order does not matter, list order does, and strings are compared by
code points. What is not JSON is refused; there is no fallback to ``str()``.

The form itself is JSON with sorted keys, no blanks and ASCII escapes, so it can be stored and read back.
RFC 8785 is deliberately not used: it folds ``1.0`` into ``1``.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "NotJsonError", "canonical", "digest", "json_in", "parse_json"]

MAX_DEPTH = 200
"""Deepest nesting of lists and objects that is accepted."""

MAX_DIGITS = 4_300
"""Most digits of a whole number: those that Python reads and writes by default."""

_TOO_LARGE = 10**MAX_DIGITS
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
_TEXT = frozenset({str})
_LONGEST_QUOTE = 40
_LONGEST_TRAIL = 8


class NotJsonError(ValueError):
    """The value, or the text, is not strict JSON.

    The message names the place. It is printable ASCII whatever the value holds, short, and says how much of a long
    key or place it leaves out.
    """


def canonical(value: object) -> str:
    """Return the canonical form of a JSON value.

    Args:
        value: None, bool, int, float, str, list, tuple (counts as a list) or dict with text keys.

    Returns:
        ASCII text, equal for two values exactly when they are the same JSON value of the same types.

    Raises:
        NotJsonError: A part of the value is not JSON (the message says where), or it is nested too deep.
    """
    if type(value) is dict and _TEXT.issuperset(map(type, value)) and _TEXT.issuperset(map(type, value.values())):
        return _object_of_texts(value)
    _check(value, [])
    return _ENCODER.encode(value)


def _object_of_texts(value: dict[str, str]) -> str:
    """The encoder's result for texts, without its search for types: most calls have such arguments."""
    text = _ENCODER.encode
    return "{" + ",".join([f"{text(key)}:{text(value[key])}" for key in sorted(value)]) + "}"


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical form as 64 hexadecimal digits.

    Raises:
        NotJsonError: As in `canonical`.
    """
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def parse_json(text: str | bytes) -> Any:
    """Parse strict JSON: repeated keys, NaN, infinities and overflowing numbers are refused.

    Raises:
        NotJsonError: The text is not strict JSON.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object_without_repeats,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
        )
    except NotJsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"not JSON: {error}") from error
    _check(value, [])
    return value


def json_in(value: object) -> Mapping[str, Any] | Sequence[Any] | None:
    """Return the object or the list, not empty, that a string spells as strict JSON; None for anything else."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        found = parse_json(value)
    except NotJsonError:
        return None
    return found or None if isinstance(found, dict | list) else None


def _check(value: object, trail: list[str | int]) -> None:
    """Refuse values that are not JSON; `trail` holds the keys and indexes that lead to the value."""
    if len(trail) > MAX_DEPTH:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels at {_place(trail)}")
    # Exact types: a subclass (an enum, a named tuple) may print as one thing and compare as another.
    kind = type(value)
    if value is None or kind in (bool, str):
        return
    deepest = len(trail) == MAX_DEPTH  # only there does text, the most common value, need a check
    if isinstance(value, int) and kind is int:
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise NotJsonError(f"a number of more than {MAX_DIGITS} digits at {_place(trail)}; send it as text")
    elif isinstance(value, float) and kind is float:
        if not math.isfinite(value):
            raise NotJsonError(f"{value!r} at {_place(trail)} is not JSON; send a finite number or null")
    elif isinstance(value, (list, tuple)) and kind in (list, tuple):
        for index, item in enumerate(value):
            if type(item) is not str or deepest:
                _check_part(item, trail, index)
    elif isinstance(value, dict) and kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotJsonError(
                    f"a key of type {_quoted(type(key).__name__)} at {_place(trail)} is not JSON; keys are text"
                )
            if type(item) is not str or deepest:
                _check_part(item, trail, key)
    else:
        raise NotJsonError(
            f"a value of type {_quoted(kind.__name__)} at {_place(trail)} is not JSON;"
            " send text, numbers, true, false, null, lists or objects"
        )


def _check_part(value: object, trail: list[str | int], step: str | int) -> None:
    trail.append(step)
    _check(value, trail)
    trail.pop()


def _place(trail: list[str | int]) -> str:
    """The place of a value, such as ``$.files[2].path``."""
    steps = [_step(step) for step in trail]
    if len(steps) > _LONGEST_TRAIL:
        half = _LONGEST_TRAIL // 2
        left_out = f" (+{len(steps) - 2 * half} levels) "
        return f"${''.join(steps[:half])}{left_out}{''.join(steps[-half:])}"
    return f"${''.join(steps)}"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    plain = step.isascii() and step.isidentifier() and len(step) <= _LONGEST_QUOTE
    return f".{step}" if plain else f"[{_quoted(step)}]"


def _quoted(text: str) -> str:
    """A text of others in quotes and printable ASCII; a long one is cut, with the length of the rest."""
    missing = len(text) - _LONGEST_QUOTE
    return ascii(text) if missing <= 0 else f"{text[:_LONGEST_QUOTE]!a} (+{missing} characters)"


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotJsonError(f"the key {_quoted(key)} is repeated; parsers read that differently")
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise NotJsonError(f"{name} is not JSON; send a finite number or null")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJsonError(f"{_quoted(text)} is too large for a number")
    return number
