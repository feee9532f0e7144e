"""Where a value stands in some settings, and how messages name it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches

__all__ = ["KeyPath", "dotted", "shown", "unknown_key"]

KeyPath = tuple[str | int, ...]
"""The way from the top of some settings to a value: keys of mappings, and places in lists from 0."""

_PLAIN_KEY = re.compile(r"[\w-]+")
_LONGEST_SHOWN = 60


def unknown_key(key: str, known: tuple[str, ...]) -> str:
    """What to say of a key that there is not.

    Args:
        key: The key.
        known: Those that there are.
    """
    nearest = get_close_matches(key, known, n=1)
    hint = f'did you mean "{nearest[0]}"?' if nearest else f"what there is: {', '.join(known)}"
    return f"is no key that is known here; {hint}"


def dotted(path: KeyPath) -> str:
    """Write a path as people do: ``shell.rules[2].pattern``, with quotes around keys that need them."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{_quoted(key)}" for key in path)
    return "".join(parts).removeprefix(".")


def _quoted(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def shown(value: object) -> str:
    """A value as a message shows it: short, and a text in quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text)} characters)"
