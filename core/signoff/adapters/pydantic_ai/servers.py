"""The MCP server that runs a PydanticAI tool, by a name that no server chooses for itself."""

from __future__ import annotations

import hashlib
import os.path
from typing import Any
from urllib.parse import urlsplit

from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool, WrapperToolset

__all__ = ["server_of"]

_DIGITS = 8
"""Hexadecimal digits that tell two servers apart which are started or reached in nearly the same way."""


def server_of(tool: ToolsetTool[Any] | None) -> str | None:
    """Return the name of the server that runs a tool; None for a tool of the agent itself.

    It is the `id` that the agent's author gave to the toolset, through prefixed, renamed and combined toolsets.
    Without one it says what the toolset connects to, never what the server says of itself.
    """
    if tool is None:
        return None
    while (source := getattr(tool, "source_tool", None)) is not None:  # that of a CombinedToolset
        tool = source
    toolset: AbstractToolset[Any] | None = getattr(tool, "toolset", None)
    while isinstance(toolset, WrapperToolset):
        toolset = toolset.wrapped
    if toolset is None or isinstance(toolset, FunctionToolset):
        return None
    transport = getattr(getattr(toolset, "client", None), "transport", None)
    chosen: str | None = getattr(toolset, "_explicit_id", None)  # another `id` may be no more than a host
    if chosen is not None or transport is None:
        return chosen or toolset.id
    return _connected_to(transport)


def _connected_to(transport: Any) -> str:
    """What a transport of FastMCP leads to: a URL, a program, or a server in this process."""
    url = getattr(transport, "url", None)
    if url is not None:
        parts = urlsplit(str(url))
        place = parts.netloc.rpartition("@")[2] + parts.path  # no password, and no key in a query
        return f"{place} {_digits(str(url))}"
    command = getattr(transport, "command", None)
    if command is not None:
        facts = [getattr(transport, name, None) for name in ("command", "args", "cwd", "env")]
        return f"{os.path.basename(command)} {_digits(*facts)}"  # noqa: PTH119 - a word, not a path here
    within = getattr(getattr(transport, "server", None), "name", None)
    kind = type(transport).__name__
    return f"{kind} {within or _digits(getattr(transport, 'config', None))}"


def _digits(*facts: Any) -> str:
    return hashlib.sha256(ascii(facts).encode()).hexdigest()[:_DIGITS]
