"""What a framework says of a tool, as JSON that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from signoff.canonical import NotJsonError, canonical

__all__ = ["plain_hints", "plain_schema"]


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as it is; what an author put into it that is not JSON counts by the text that Python has for it."""
    try:
        canonical(dict(schema))
    except NotJsonError:
        plain = to_jsonable_python(schema, fallback=repr, inf_nan_mode="strings")
        return plain if isinstance(plain, dict) else {"": plain}
    return dict(schema)


def plain_hints(hints: Mapping[str, Any]) -> dict[str, Any]:
    """The hints that are there and are JSON; nothing else can have come from a server."""
    return {name: value for name, value in hints.items() if value is not None and _is_json(value)}


def _is_json(value: object) -> bool:
    try:
        canonical(value)
    except NotJsonError:
        return False
    return True
