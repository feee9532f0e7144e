"""Remembered approvals of a session within one process, and the calls they may answer.

An approval matches on the tool's server and name, code point by code point, and the canonical JSON of the payload.
An approval for a definition of the tool answers no call under another; one without a definition answers any.
The controller remembers approvals only; a refusal is here only if somebody stored it on purpose, and it never
answers a request.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from signoff.canonical import canonical
from signoff.effects import Effect
from signoff.queue.records import DecisionSource, Submission
from signoff.tool_definition import Definition

if TYPE_CHECKING:
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = [
    "ApprovalMemory",
    "CallKey",
    "JudgedCalls",
    "PlainCall",
    "RememberedApproval",
    "call_key",
]


CallKey = tuple[str, str, str | None, str | None]
"""The key of a remembered approval: the tool's name, the canonical payload, the digest of the tool's definition,
and its server."""


class PlainCall(NamedTuple):  # no data class: one is made at every call, and this is cheaper
    """A call of which only its name and arguments are known.

    Attributes:
        tool_name: Name of the tool.
        payload: All arguments, as JSON values that nobody else holds.
        spelled: Their canonical form.
        definition: The definition of the tool, if that is known.
        server: The server that the tool belongs to; None for a tool of the agent itself.
    """

    tool_name: str
    payload: dict[str, Any]
    spelled: str
    definition: Definition | None = None
    server: str | None = None

    @property
    def effects(self) -> tuple[Effect, ...]:
        """No effects: the call declares none."""
        return ()

    @property
    def key(self) -> CallKey:
        """The key of a remembered approval for it."""
        digest = None if self.definition is None else self.definition.digest
        return self.tool_name, self.spelled, digest, self.server


@dataclass(frozen=True, slots=True)
class RememberedApproval:
    """One remembered approval, as `ApprovalMemory.list` shows it."""

    tool_name: str
    payload: Mapping[str, Any]
    decision: ApprovalDecision
    uses: int
    """The number of calls that it has answered."""
    definition: str | None = None
    """Digest of the tool's definition that it was given for; None for one that covers all."""
    server: str | None = None
    """The server that the tool belongs to; None for a tool of the agent itself."""


@dataclass(slots=True)
class _Entry:
    """A stored decision, and the answer made from it once and for all."""

    stored: RememberedApproval
    answer: ApprovalDecision
    uses: int

    def use(self) -> ApprovalDecision:
        """Return the answer, counted as a use."""
        self.uses += 1
        return self.answer


class ApprovalMemory:
    """Remembered approvals of one session, in this process.

    Safe to share between threads and toolsets. An empty memory is still a memory: test for it with
    ``is None``, never by truth.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[CallKey, _Entry] = {}

    def __len__(self) -> int:
        """The number of stored decisions."""
        return len(self._entries)

    def lookup(
        self,
        tool_name: str,
        args: Mapping[str, Any],
        definition: str | None = None,
        *,
        server: str | None = None,
    ) -> ApprovalDecision | None:
        """Return the stored decision for an equal earlier call, counted as a use, or None.

        Args:
            tool_name: Name of the tool.
            args: The payload of the request.
            definition: Digest of the tool's definition. Without one, only approvals for all definitions are found.
            server: The server that the tool belongs to; None for a tool of the agent itself.

        Returns:
            A decision with `remember` "session", or None. Look at `approved`: it is a refusal if one was
            stored.
        """
        key = _key(tool_name, args, definition, server)
        if key is None:
            return None
        with self._lock:
            entry = self._found(key)
            return None if entry is None else entry.use()

    def contains(
        self,
        tool_name: str,
        args: Mapping[str, Any],
        definition: str | None = None,
        *,
        server: str | None = None,
    ) -> bool:
        """True if `lookup` would find an approval; does not count as a use."""
        key = _key(tool_name, args, definition, server)
        return key is not None and self.approves(key)

    def approves(self, key: CallKey) -> bool:
        """True if the call was approved for the session; does not count as a use."""
        entry = self._found(key)
        return entry is not None and entry.answer.approved is True

    def use(self, key: CallKey) -> ApprovalDecision | None:
        """Return the approval of a call, counted as a use, or None. A stored refusal is not an approval."""
        with self._lock:
            entry = self._found(key)
            return entry.use() if entry is not None and entry.answer.approved is True else None

    def other_definitions(self, key: CallKey) -> Sequence[str]:
        """Digests of other definitions of the tool under which the call was approved."""
        with self._lock:
            same_call = [each for each in self._entries if (each[:2], each[3]) == (key[:2], key[3])]
        return [each[2] for each in same_call if each[2] not in (None, key[2]) and self.approves(each)]

    def store(
        self,
        tool_name: str,
        args: Mapping[str, Any],
        decision: ApprovalDecision,
        definition: str | None = None,
        *,
        server: str | None = None,
    ) -> None:
        """Remember a decision for the session; any other is not stored.

        Args:
            tool_name: Name of the tool.
            args: The payload of the request.
            decision: The decision.
            definition: Digest of the tool's definition that it covers; None for all.
            server: The server that the tool belongs to; None for a tool of the agent itself.

        Raises:
            NotJsonError: The payload is not JSON.
            ValueError: The decision has an amendment; that holds once.
        """
        if decision.remember != "session":
            return
        if decision.instead is not None:
            raise ValueError("an approval of something else than was asked is never remembered")
        payload = _own(args)
        key = call_key(tool_name, payload, definition, server=server)
        answer = decision.model_copy(update={"source": DecisionSource.GRANT, "by": "memory"})
        with self._lock:
            before = self._entries.get(key)
            uses = 0 if before is None else before.uses
            stored = RememberedApproval(tool_name, payload, decision, 0, definition, server)
            self._entries[key] = _Entry(stored, answer, uses)

    def list(self) -> tuple[RememberedApproval, ...]:
        """All remembered approvals, oldest first."""
        return tuple(each for each in self._stored() if each.decision.approved is True)

    def list_approvals(self) -> Sequence[tuple[str, dict[str, Any], ApprovalDecision]]:
        """Everything stored as tool name, payload and decision, oldest first."""
        return [(each.tool_name, _own(each.payload), each.decision) for each in self._stored()]

    def revoke(self, tool_name: str, args: Mapping[str, Any]) -> bool:
        """Forget the decisions on a call, on whatever server and under whatever definition of the tool.

        Returns:
            False if there was no decision on it.
        """
        key = _key(tool_name, args, None, None)
        if key is None:
            return False
        with self._lock:
            of_call = [each for each in self._entries if each[:2] == key[:2]]
            for each in of_call:
                del self._entries[each]
        return bool(of_call)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def _found(self, key: CallKey) -> _Entry | None:
        """The entry for this definition, else the entry for all definitions."""
        entry = self._entries.get(key)
        return entry if entry is not None else self._entries.get((key[0], key[1], None, key[3]))

    def _stored(self) -> Sequence[RememberedApproval]:
        with self._lock:
            return [replace(entry.stored, uses=entry.uses) for entry in self._entries.values()]


def call_key(
    tool_name: str, payload: Mapping[str, Any], definition: str | None = None, *, server: str | None = None
) -> CallKey:
    """Return the key of a remembered approval for a call.

    Args:
        tool_name: Name of the tool.
        payload: The payload of the request.
        definition: Digest of the tool's definition, if that is known.
        server: The server that the tool belongs to; None for a tool of the agent itself.

    Raises:
        NotJsonError: The payload is not JSON.
    """
    return tool_name, canonical(_own(payload)), definition, server


def _own(payload: object) -> Any:
    """A dict from a mapping of any kind; other values stay, since a list of pairs equals no object."""
    return dict(payload) if isinstance(payload, Mapping) else payload


def _key(tool_name: str, args: Mapping[str, Any], definition: str | None, server: str | None) -> CallKey | None:
    """The key of a call, or None if its payload is not JSON and so equals nothing."""
    try:
        return call_key(tool_name, args, definition, server=server)
    except ValueError:
        return None


# -- The calls that a remembered approval may answer, found once for all equal calls.

_MOST_JUDGED = 1_000
"""The most calls that are kept in mind."""

_LONGEST_JUDGED = 4_000
"""The longest arguments that are kept in mind, in characters of their canonical form."""


class JudgedCalls:
    """The findings on calls without effects: an equal call has an equal risk, and is judged once."""

    def __init__(self) -> None:
        self._rememberable: dict[tuple[str, ...], bool] = {}

    def may_be_remembered(
        self, request: ApprovalRequest, context: ApprovalContext | None, payload_key: str
    ) -> bool:
        """True if a remembered approval may answer the call; see `Submission.may_be_remembered`.

        Args:
            request: The request of the tool; without effects.
            context: The origin of the call.
            payload_key: Canonical form of its payload.

        Raises:
            NotJsonError: The arguments are not JSON.
        """
        arguments = self._submission.arguments_of(request, context)
        spelled = payload_key if arguments is request.payload else canonical(dict(arguments))
        call = (request.tool_name, request.description, "\0".join(request.masked_keys), spelled)
        known = self._rememberable.get(call)
        if known is not None:
            return known
        return self._judged_now(call, self._submission.plain_submission(request, context))

    def plain_may_be_remembered(self, call: PlainCall) -> bool:
        """Do as `may_be_remembered` for a call that is asked about by its name and arguments alone.

        Its definition does not matter here.
        """
        key = call.tool_name, call.spelled
        known = self._rememberable.get(key)
        if known is not None:
            return known
        from signoff.decorators import simple_approval_request

        request = simple_approval_request(call.tool_name, call.payload)
        return self._judged_now(key, self._submission.plain_submission(request, None))

    @cached_property
    def _submission(self) -> ModuleType:
        """The module that describes calls, loaded for the first one; to look it up takes longer than the rest."""
        from signoff import submission

        return submission

    def _judged_now(self, call: tuple[str, ...], described: Submission) -> bool:
        found = described.may_be_remembered
        if len(self._rememberable) >= _MOST_JUDGED:
            self._rememberable.clear()
        if len(call[-1]) <= _LONGEST_JUDGED:
            self._rememberable[call] = found
        return found
