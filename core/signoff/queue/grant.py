"""A remembered approval, as the queue holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from signoff.canonical import NotJsonError, canonical
from signoff.queue.patterns import GrantPattern
from signoff.queue.seal import Seal

__all__ = ["Grant", "GrantKind", "stored_key"]


class GrantKind(StrEnum):
    """How a grant compares calls."""

    EXACT = "exact"
    """The payload must be equal."""
    PATTERN = "pattern"
    """Each entry of the payload must be as the pattern says; given explicitly, never by an ordinary approval."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A remembered approval: a tool of a server, and an exact payload or a pattern of it, for one session.

    One that was given for a definition of the tool covers no call under another.
    """

    id: str
    session: str
    agent_name: str
    tool_name: str
    payload: Mapping[str, Any]
    """Of the call that it was given for. An exact grant covers this and nothing else."""
    payload_key: str
    """Canonical form of what it compares with: the payload, or the pattern. See `stored_key`."""
    origin_request: str
    """Id of the request that it was given for; "" if it was given outside the queue."""
    created_at: int
    created_by: str
    uses: int
    last_used_at: int | None
    revoked_at: int | None
    revoked_by: str | None = None
    pattern: GrantPattern | None = None
    """What a grant of the kind `PATTERN` covers; None for an exact one."""
    damage: str | None = None
    """What is wrong with its record. A damaged grant covers nothing."""
    definition: str | None = None
    """Digest of the tool's definition that it was given for; None for one that covers all."""
    server: str | None = None
    """The server that the tool belongs to; None for a tool of the agent itself."""
    seal: Seal | None = field(default=None, compare=False)
    """The reviewer's signature; None if no reviewer gave it."""

    @property
    def kind(self) -> GrantKind:
        """How it compares calls."""
        return GrantKind.EXACT if self.pattern is None else GrantKind.PATTERN

    @property
    def stored_key(self) -> str:
        """Under what it is found: grants of one session, tool and kind differ exactly if this does."""
        return stored_key(self.payload_key, self.definition, self.server)

    def covers(
        self,
        tool_name: str,
        payload: Mapping[str, Any],
        definition: str | None = None,
        *,
        server: str | None = None,
    ) -> bool:
        """Whether it covers a call of its session; whether the call's risk allows that is not looked at.

        Args:
            tool_name: Name of the tool.
            payload: What remembered approvals match on.
            definition: Digest of the tool's definition, if it is known.
            server: The server that the tool belongs to; None for a tool of the agent itself.
        """
        if self.damage is not None or self.definition not in (None, definition) or self.server != server:
            return False
        if self.pattern is not None:
            return self.pattern.matches(tool_name, payload, server=server)
        try:
            return (tool_name, canonical(payload)) == (self.tool_name, self.payload_key)
        except NotJsonError:
            return False

    def words(self) -> str:
        """What it covers, in plain words and printable ASCII; nothing is left out."""
        if self.damage is not None:
            return "nothing: its record is damaged"
        covered = (self.pattern or GrantPattern.exactly(self.tool_name, self.payload, server=self.server)).words()
        if self.definition is None:
            return covered
        return f"{covered}; only while the tool is defined as it was then (definition {self.definition[:8]})"


def stored_key(key: str, definition: str | None, server: str | None) -> str:
    """Return under what a grant is found.

    Args:
        key: Canonical form of what it compares with.
        definition: Digest of the tool's definition that it is for; None for any.
        server: The server that the tool belongs to; None for a tool of the agent itself.
    """
    # No canonical form has a line break in it, so no two keys look the same.
    if server is not None:
        return f"{key}\n{definition or ''}\n{canonical(server)}"
    return key if definition is None else f"{key}\n{definition}"
