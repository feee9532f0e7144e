"""The later calls of a turn, shown beside the one that is asked about now."""

from __future__ import annotations

from typing import Any

from signoff.canonical import NotJsonError, canonical

__all__ = ["look_ahead"]

_LONGEST = 500
"""The most characters of a text that are sent ahead of its call."""


def look_ahead(tool_name: str, arguments: object, written: object = None) -> dict[str, Any]:
    """Return an entry of ``batch_remaining``.

    Args:
        tool_name: Name of the tool.
        arguments: The arguments; not JSON if the model wrote something else.
        written: The text that the model wrote, shown if it is not JSON; the arguments by default.
    """
    try:
        canonical(arguments)
    except NotJsonError:
        arguments = {"not JSON": str(arguments if written is None else written)}
    return {"tool": tool_name, "arguments": _shortened(arguments)}


def _shortened(value: Any) -> Any:
    """The value with long texts cut: all later calls are sent along with each call of a turn."""
    match value:
        case dict():
            return {key: _shortened(item) for key, item in value.items()}
        case list() | tuple():
            return [_shortened(item) for item in value]
        case str() if len(value) > _LONGEST:
            return f"{value[:_LONGEST]} [... {len(value) - _LONGEST} more characters]"
        case _:
            return value
