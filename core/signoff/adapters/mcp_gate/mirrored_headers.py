"""The headers that mirror a call since the protocol is without a handshake (2026-07-28), made from the call."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["PARAMETER", "header_value", "parameter_headers"]

PARAMETER = "mcp-param-"
"""How the name of a header begins that mirrors an argument."""

_MIRRORED = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def header_value(text: str) -> str:
    """Return a text as a header spells it: in base64 if it would not arrive as it is."""
    marked = text.startswith("=?base64?") and text.endswith("?=")
    if text.isascii() and text.isprintable() and text == text.strip() and not marked:
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def parameter_headers(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the headers that mirror arguments, as the schema of the tool wants them.

    Args:
        schema: JSON schema of the arguments, or of an object within them.
        arguments: The arguments, or that object.
    """
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        value = arguments.get(name)
        if not isinstance(inner, dict):
            continue
        token = inner.get(_MIRRORED)
        if isinstance(value, str | int | float) and isinstance(token, str) and _TOKEN.fullmatch(token):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield PARAMETER + token.lower(), header_value(text)
        elif isinstance(value, dict):
            yield from parameter_headers(inner, value)
