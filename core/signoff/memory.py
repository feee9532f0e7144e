"""What was approved for the session.

An approval matches on the tool's name, code point by code point, and the canonical JSON of the payload.
The controller remembers approvals only; a refusal is in here only if somebody stored it on purpose, and it
never answers a request.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from signoff.canonical import canonical
from signoff.effects import Effect
from signoff.types import ApprovalDecision, DecisionSource

__all__ = ["ApprovalMemory", "CallKey", "PlainCall", "RememberedApproval", "call_key"]

CallKey = tuple[str, str]
"""What a remembered approval matches on: the tool's name and the canonical payload."""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call of which nothing is known but its name and its arguments.

    Attributes:
        tool_name: Name of the tool.
        payload: All arguments, as JSON values that nobody else holds.
        spelled: Their canonical form.
    """

    tool_name: str
    payload: dict[str, Any]
    spelled: str

    @property
    def effects(self) -> tuple[Effect, ...]:
        """None: it declares nothing."""
        return ()

    @property
    def key(self) -> CallKey:
        """What a remembered approval of it matches on."""
        return self.tool_name, self.spelled


@dataclass(frozen=True, slots=True)
class RememberedApproval:
    """One remembered approval, as `ApprovalMemory.list` shows it."""

    tool_name: str
    payload: Mapping[str, Any]
    decision: ApprovalDecision
    uses: int
    """How many calls it has answered."""


@dataclass(slots=True)
class _Entry:
    """A stored decision, and the answer made from it once and for all."""

    stored: RememberedApproval
    answer: ApprovalDecision
    uses: int = 0


class ApprovalMemory:
    """Remembered approvals of one session, in this process.

    Safe to share between threads and toolsets. An empty memory is still a memory: test for it with
    ``is None``, never by truth.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[CallKey, _Entry] = {}

    def __len__(self) -> int:
        """How many decisions are stored."""
        return len(self._entries)

    def lookup(self, tool_name: str, args: Mapping[str, Any]) -> ApprovalDecision | None:
        """Return the stored decision for an equal earlier call, counted as a use, or None.

        Args:
            tool_name: Name of the tool.
            args: The payload of the request.

        Returns:
            A decision with `remember` "session", or None. Look at `approved`: it is a refusal if one was
            stored.
        """
        key = _key(tool_name, args)
        if key is None:
            return None
        with self._lock:
            return self._used(key)

    def contains(self, tool_name: str, args: Mapping[str, Any]) -> bool:
        """Whether an equal call was approved for the session; does not count as a use."""
        key = _key(tool_name, args)
        return key is not None and self.approves(key)

    def approves(self, key: CallKey) -> bool:
        """Whether the call was approved for the session; does not count as a use."""
        entry = self._entries.get(key)
        return entry is not None and entry.answer.approved is True

    def use(self, key: CallKey) -> ApprovalDecision | None:
        """Return the approval of a call, counted as a use, or None. A stored refusal is none."""
        with self._lock:
            return self._used(key) if self.approves(key) else None

    def store(self, tool_name: str, args: Mapping[str, Any], decision: ApprovalDecision) -> None:
        """Remember a decision that says it is for the session; any other is not stored.

        Raises:
            NotJsonError: The payload is not JSON.
        """
        if decision.remember != "session":
            return
        payload = dict(args)
        key = call_key(tool_name, payload)
        answer = decision.model_copy(update={"source": DecisionSource.GRANT, "by": "memory"})
        with self._lock:
            before = self._entries.get(key)
            uses = 0 if before is None else before.uses
            self._entries[key] = _Entry(RememberedApproval(tool_name, payload, decision, 0), answer, uses)

    def list(self) -> tuple[RememberedApproval, ...]:
        """All remembered approvals, oldest first."""
        return tuple(each for each in self._stored() if each.decision.approved is True)

    def list_approvals(self) -> Sequence[tuple[str, dict[str, Any], ApprovalDecision]]:
        """Everything stored as tool name, payload and decision, oldest first."""
        return [(each.tool_name, dict(each.payload), each.decision) for each in self._stored()]

    def revoke(self, tool_name: str, args: Mapping[str, Any]) -> bool:
        """Forget one decision; False when there was none."""
        key = _key(tool_name, args)
        if key is None:
            return False
        with self._lock:
            return self._entries.pop(key, None) is not None

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def _used(self, key: CallKey) -> ApprovalDecision | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        entry.uses += 1
        return entry.answer

    def _stored(self) -> Sequence[RememberedApproval]:
        with self._lock:
            return [replace(entry.stored, uses=entry.uses) for entry in self._entries.values()]


def call_key(tool_name: str, payload: Mapping[str, Any]) -> CallKey:
    """Return what a remembered approval of a call matches on.

    Raises:
        NotJsonError: The payload is not JSON.
    """
    return tool_name, canonical(dict(payload))


def _key(tool_name: str, args: Mapping[str, Any]) -> CallKey | None:
    """The key of a call, or None when its payload is not JSON and so equals nothing."""
    try:
        return call_key(tool_name, args)
    except ValueError:
        return None
