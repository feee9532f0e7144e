"""The tools of a server as it defines them, learnt from listings that pass, or asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from signoff.canonical import NotJsonError
from signoff.effects import SnapshotError
from signoff.tool_definition import Definition

__all__ = ["AskForPage", "OfferedTools", "UnlistedToolsError"]

AskForPage = Callable[[str | None, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Asks the server for a page of its listing, by cursor, with the ``_meta`` of the call; returns the message."""

_MOST_PAGES = 1_000
_MOST_LISTINGS = 10
_OWN_ENTRIES = ("name", "description", "inputSchema")


class UnlistedToolsError(SnapshotError):
    """The server does not list its tools, so that nobody can be asked about one."""


class OfferedTools:
    """The definitions of a server's tools, as far as they are known.

    Args:
        ask: Asks the server for a page.

    Attributes:
        changes: How often the server has said that its tools have changed.
    """

    def __init__(self, ask: AskForPage) -> None:
        self._ask = ask
        self._known: dict[str, Definition] = {}
        self.changes = 0

    def learn(self, result: object, changes: int) -> None:
        """Take in a page of a listing that has passed.

        Args:
            result: The page.
            changes: The changes when it was asked for: what was said before the last one is not so any more.
        """
        if changes == self.changes:
            self._known |= _definitions(result)

    def forget(self) -> None:
        """Ask anew before the next call: the tools have changed."""
        self._known.clear()
        self.changes += 1

    async def find(self, name: str, meta: Mapping[str, Any]) -> Definition | None:
        """Return the definition of a tool as it is known, or as the server says; None if there is no such tool.

        Raises:
            UnlistedToolsError: The server does not say.
        """
        return self._known.get(name) or await self.find_now(name, meta)

    async def find_now(self, name: str, meta: Mapping[str, Any]) -> Definition | None:
        """Return the definition of a tool as the server gives it now; None if there is no such tool.

        Args:
            name: Name of the tool.
            meta: What the call says of itself.

        Raises:
            UnlistedToolsError: The server does not say.
        """
        own = {key: value for key, value in meta.items() if key != "progressToken"}
        for _ in range(_MOST_LISTINGS):
            changes = self.changes
            found = await self._listed(own)
            if changes == self.changes:
                self._known = found
                return found.get(name)
        raise UnlistedToolsError("the tools of the server change whenever they are listed")

    async def _listed(self, meta: Mapping[str, Any]) -> dict[str, Definition]:
        found: dict[str, Definition] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            answer = await self._ask(cursor, meta)
            result = answer.get("result")
            if not isinstance(result, dict):
                raise UnlistedToolsError(f"the server does not list its tools: {_error(answer)}")
            found |= _definitions(result)
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):
                return found
        raise UnlistedToolsError(f"the server lists its tools on more than {_MOST_PAGES} pages")


def _definitions(result: object) -> dict[str, Definition]:
    """The definitions of a page; a tool whose definition is no such thing is not offered."""
    tools = result.get("tools") if isinstance(result, dict) else None
    found = {}
    for tool in tools if isinstance(tools, list) else ():
        definition = _definition(tool)
        if definition is not None:
            found[definition.name] = definition
    return found


def _definition(tool: object) -> Definition | None:
    if not isinstance(tool, dict):
        return None
    name, description, schema = (tool.get(key) for key in _OWN_ENTRIES)
    if not isinstance(name, str) or not isinstance(description, str | None) or not isinstance(schema, dict):
        return None
    hints = {key: value for key, value in tool.items() if key not in _OWN_ENTRIES}
    try:
        return Definition.of(name, description, schema, hints)
    except NotJsonError:
        return None


def _error(answer: Mapping[str, Any]) -> str:
    error = answer.get("error")
    return str(error.get("message")) if isinstance(error, dict) else "its answer has no result"
