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
from typing import Any

__all__ = ["MAX_DEPTH", "NotJsonError", "canonical", "digest", "parse_json"]

MAX_DEPTH = 100
"""Deepest nesting of lists and objects that is accepted."""


class NotJsonError(ValueError):
    """The value, or the text, is not strict JSON. The message names the place."""


def canonical(value: object) -> str:
    """Return the canonical form of a JSON value.

    Args:
        value: None, bool, int, float, str, list, tuple (counts as a list) or dict with text keys.

    Returns:
        ASCII text, equal for two values exactly when they are the same JSON value of the same types.

    Raises:
        NotJsonError: A part of the value is not JSON (the message says where), or it is nested too deep.
    """
    _check(value, "$", 0)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


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
    _check(value, "$", 0)
    return value


def _check(value: object, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels at {where[:80]}")
    # Exact types: a subclass (an enum, a named tuple) may print as one thing and compare as another.
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise NotJsonError(f"{value!r} at {where} is not JSON; send a finite number or null")
        return
    if isinstance(value, (list, tuple)) and kind in (list, tuple):
        for index, item in enumerate(value):
            _check(item, f"{where}[{index}]", depth + 1)
        return
    if isinstance(value, dict) and kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotJsonError(f"key {key!r} at {where} is not text; JSON objects have text keys")
            _check(item, f"{where}.{key}", depth + 1)
        return
    raise NotJsonError(
        f"a {kind.__name__} at {where} is not JSON; send text, numbers, true, false, null, lists or objects"
    )


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotJsonError(f"the key {key!r} is repeated; parsers read that differently")
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise NotJsonError(f"{name} is not JSON; send a finite number or null")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJsonError(f"{text} is too large for a number")
    return number
