"""Lengths of time as people write them in settings: ``250ms``, ``1s``, ``2m``, ``1h``."""

from __future__ import annotations

import re

__all__ = ["duration_text", "parse_duration"]

_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_LENGTH = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)")


def parse_duration(text: str) -> float:
    """Read a length of time.

    Args:
        text: A number with its unit; ``0`` needs none.

    Returns:
        Seconds.

    Raises:
        ValueError: It is none.
    """
    if text == "0":
        return 0.0
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise ValueError("must be a time with its unit, such as 250ms, 1s, 2m or 1h")
    return float(found[1]) * _MILLISECONDS[found[2]] / 1000


def duration_text(seconds: float) -> str:
    """Write a length of time, in the largest unit that needs no fraction."""
    milliseconds = round(seconds * 1000)
    if not milliseconds:
        return "0"
    for unit, size in (("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        if milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"
