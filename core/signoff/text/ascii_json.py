"""JSON in ASCII, safe for a terminal."""

from __future__ import annotations

import json

__all__ = ["ascii_json"]


def ascii_json(value: object, indent: int | None = None) -> str:
    """Write a JSON value as ASCII without raw control characters, DEL included; one line, unless indented."""
    return json.dumps(value, indent=indent, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f")
