"""The records of a queue: immutable, the same for every engine.

Times are whole microseconds since the epoch, UTC; they are for people. No decision depends on comparing
the clocks of two machines. JSON-shaped fields hold only values that `signoff.canonical` accepts.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from signoff.canonical import NotJsonError, canonical
from signoff.effects import Risk
from signoff.queue.amendment import Instead
from signoff.queue.grant_pattern import GrantPattern

__all__ = [
    "ALL_ASK",
    "ID_LETTERS",
    "KEY_ID_DIGITS",
    "AgentInfo",
    "AgentMode",
    "AgentRecord",
    "AskedBy",
    "Change",
    "ChangeSet",
    "DecideResult",
    "Decision",
    "DecisionSource",
    "Grant",
    "GrantKind",
    "Instead",
    "Modes",
    "Outcome",
    "RequestState",
    "Seal",
    "StoredRequest",
    "Submission",
    "VerdictKind",
    "is_id",
    "loudest",
    "modes_of",
    "new_id",
    "stored_key",
]


# -- Identifiers of requests, grants and agent connections.

ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: no letter is easily taken for another."""

_LENGTH = 20


def new_id() -> str:
    """Return a random id of 100 bits. Its first 8 letters are enough to name it in daily use."""
    bits = secrets.randbits(5 * _LENGTH)
    return "".join(ID_LETTERS[bits >> (5 * place) & 31] for place in range(_LENGTH))


def is_id(text: str) -> bool:
    """True if a text looks like what `new_id` returns."""
    return len(text) == _LENGTH and set(text).issubset(ID_LETTERS)


# -- A reviewer's signature on a decision or a grant, as it is stored with it.

KEY_ID_DIGITS = 16
"""The number of hexadecimal digits that name a key."""

_KEY_ID = re.compile(rf"[0-9a-f]{{{KEY_ID_DIGITS}}}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Seal:
    """A signature, and the name of its key. `signoff.queue.keys.signatures` has the signed statements.

    Attributes:
        key_id: Beginning of the SHA-256 of the public key.
        signature: Ed25519, in hexadecimal digits.

    Raises:
        ValueError: It cannot be a signature.
    """

    key_id: str
    signature: str

    def __post_init__(self) -> None:
        for value, form in ((self.key_id, _KEY_ID), (self.signature, _SIGNATURE)):
            if type(value) is not str or not form.fullmatch(value):
                raise ValueError("its seal is not a key and a signature")

    def to_json(self) -> dict[str, str]:
        """Return it as a JSON object."""
        return {"key": self.key_id, "signature": self.signature}

    @classmethod
    def from_json(cls, value: Any) -> Self | None:
        """Return the seal of a JSON object; None for None.

        Raises:
            ValueError, TypeError, KeyError: The value is damaged.
        """
        return None if value is None else cls(value["key"], value["signature"])


class RequestState(StrEnum):
    """The state of a request. All but `PENDING` are final."""

    PENDING = "pending"
    """Waits for a reviewer."""
    APPROVED = "approved"
    """A reviewer said yes."""
    REJECTED = "rejected"
    """A reviewer said no, or stopped the batch it belongs to."""
    EXPIRED = "expired"
    """The sender's own deadline passed. Nobody decided."""
    WITHDRAWN = "withdrawn"
    """The agent took it back, or is gone. Nobody decided."""
    SUPERSEDED = "superseded"
    """A newer revision took its place. Nobody decided."""

    @property
    def final(self) -> bool:
        """True if the state never changes again."""
        return self is not RequestState.PENDING


class DecisionSource(StrEnum):
    """The source of an answer."""

    REVIEWER = "reviewer"
    """A person."""
    CALLBACK = "callback"
    """A function the agent's author supplied."""
    GRANT = "grant"
    """A remembered approval."""
    RULE = "rule"
    """Policy: allowed or blocked without asking."""
    MODE = "mode"
    """The controller's mode: approve_all or strict."""
    CASCADE = "cascade"
    """A hard rejection of an earlier request of the same batch."""
    EXPIRY = "expiry"
    """The sender's own deadline. Not a person's no."""
    WITHDRAWAL = "withdrawal"
    """The agent took the request back or is gone. Not a person's no."""
    ERROR = "error"
    """A part was missing or broken. Not a person's no."""


class AgentMode(StrEnum):
    """The way an agent answers calls that need approval, as it reports itself."""

    APPROVE_ALL = "approve_all"
    """All are approved; nobody is asked."""
    STRICT = "strict"
    """All are refused; nobody is asked."""
    INTERACTIVE = "interactive"
    """A person is asked."""


VIA_HOOK = " hook"
"""The end of `AgentInfo.via` for the hook of a coding agent, which goes on when the process has ended."""


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """The facts by which an agent introduces itself when it opens a queue.

    Attributes:
        name: Short name a person recognizes.
        session: Identity of one conversation or run; grants live and die with it.
        cwd: Absolute working directory.
        via: Adapter or framework the calls come through, for example ``pydantic-ai``; it ends with `VIA_HOOK` for
            a process that asks about one call alone.
        program: The program that the agent runs in: its script, module or notebook; "" if that is not known.
        mode: The way it answers calls that need approval. Reviewers see it; no decision depends on it.
    """

    name: str
    session: str
    cwd: str
    via: str = "python"
    program: str = ""
    mode: AgentMode = AgentMode.INTERACTIVE


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent connection as the queue knows it."""

    id: str
    name: str
    session: str
    cwd: str
    via: str
    pid: int
    host: str
    started_at: int
    ended_at: int | None
    """The time it closed the connection or was found dead; None while it lives."""
    program: str = ""
    """As in `AgentInfo`."""
    mode: AgentMode | None = None
    """The mode as the agent reports it; None if it reports none, or an unknown one."""
    trusts: frozenset[str] | None = None
    """Ids of the reviewers' keys that it trusted when it connected, or asked last; None if it does not say."""
    damage: str | None = None
    """The fault of its record, if there is one."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A tool call that must be asked about, as an agent posts it.

    Attributes:
        key: Chosen by the sender, unique for ever: posting the same key and content again finds the
            request that is already there.
        tool_name: Name of the tool.
        description: One line for the person.
        payload: The part of the arguments that a grant would match on.
        payload_key: Canonical form of the payload.
        arguments: The full arguments of the call.
        digest: SHA-256 over the canonical form of everything that would be executed.
        cwd: Working directory of the call.
        presentation: The presentation that the tool sent, or None.
        snapshot: `signoff.present.snapshot.snapshot.Snapshot.to_json()` without contents, or None.
        blobs: Contents the snapshot refers to, by SHA-256.
        group_id: Requests that belong together, or None.
        group_size: The number of requests that the group will have, if the sender knows.
        batch_id: Id of the calls that the model asked for in one turn, or None.
        batch_position: Zero-based position in the batch, or None.
        batch_remaining: The next calls of the agent, in order: ``{"tool": …, "arguments": …}``.
        risk: Risk of the call.
        risk_reasons: Codes of the reasons, see `signoff.text.risk`.
        why: The rule or tool that asked.
        supports: Features that the producer can honor: any of ``note``, ``hard``, ``session``; and, to run
            something else than was asked, ``partial`` and ``edit``, see `Instead`.
        expires_at: The sender's own deadline by the clock of its machine, or None to wait for ever.
        definition: Digest of the tool's definition that the model was given, or None if that is not known. An
            approval is remembered for this definition.
        masked_keys: Names of arguments that are masked where the call is shown, besides those that always are.
            They have no effect on execution, binding or matching.
        caller: Name of the agent that makes the call, as its framework calls it; "" if it has none.
        via: Adapter or framework that the call comes through; "" for that of the connection.
        server: The server that the tool belongs to, or None for a tool of the agent itself. It is part of what is
            executed, bound and matched.
    """

    key: str
    tool_name: str
    description: str
    payload: Mapping[str, Any]
    payload_key: str
    arguments: Mapping[str, Any]
    digest: str
    cwd: str
    presentation: Mapping[str, Any] | None = None
    snapshot: Mapping[str, Any] | None = None
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    group_id: str | None = None
    group_size: int | None = None
    batch_id: str | None = None
    batch_position: int | None = None
    batch_remaining: tuple[Mapping[str, Any], ...] = ()
    risk: Risk = Risk.MEDIUM
    risk_reasons: tuple[str, ...] = ()
    why: str = ""
    supports: frozenset[str] = frozenset({"note", "hard", "session"})
    expires_at: int | None = None
    definition: str | None = None
    masked_keys: tuple[str, ...] = ()
    caller: str = ""
    via: str = ""
    server: str | None = None

    @property
    def may_be_remembered(self) -> bool:
        """True if an approval of this call may be kept, and one kept earlier may answer it.

        The one rule for grants and for the memory of a process: never at HIGH risk, and only if the producer
        supports it for this call.
        """
        return self.risk is not Risk.HIGH and "session" in self.supports


@dataclass(frozen=True, slots=True)
class AskedBy:
    """The agent behind a request, copied so that history outlives the connection."""

    agent_id: str
    name: str
    session: str
    pid: int
    host: str
    via: str
    program: str = ""
    """As in `AgentInfo`."""
    caller: str = ""
    """As in `Submission`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer to a request.

    Attributes:
        approved: Only an explicit True lets the call run.
        note: The reviewer's words to the agent.
        remember: True if the payload is approved for the rest of the session.
        hard: For a no: the agent's batch stops. A soft no lets the agent go on.
        source: The source of the answer.
        by: Name of the reviewer, grant id, rule or mode.
        shown: Share of the content that was on screen, 0.0 to 1.0, or None where nothing is shown.
        deliberate: True if it was approved although not everything had been shown.
        held_us: Time for which the decision was held back before it was sent, in microseconds.
        instead: The amendment that runs; None runs exactly what was asked.
        seal: The reviewer's signature on this answer to this request, added by the queue; it does not count when
            decisions are compared.
    """

    approved: bool
    note: str | None = None
    remember: bool = False
    hard: bool = False
    source: DecisionSource = DecisionSource.REVIEWER
    by: str = ""
    shown: float | None = None
    deliberate: bool = False
    held_us: int = 0
    instead: Instead | None = None
    seal: Seal | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """One revision of a request as the queue holds it."""

    seq: int
    """Position in the queue: arrival order, per queue."""
    id: str
    revision: int
    """Starts at 1; an amended request is the next revision of the same id."""
    state: RequestState
    submission: Submission
    """Without blobs; fetch those with `ReviewQueue.blob`."""
    asked_by: AskedBy
    created_at: int
    decision: Decision | None
    decided_at: int | None
    """The time at which the state became final."""
    state_note: str | None
    """The reason for an end without a decision, in plain words."""
    delivered_at: int | None
    """The time at which the waiting agent took the answer."""
    expires_at: int | None = None
    """The sender's own deadline, by the clock of the queue; `Submission.expires_at` is by that of the sender."""

    @property
    def pending(self) -> bool:
        """True if it still waits for a decision."""
        return self.state is RequestState.PENDING


class VerdictKind(StrEnum):
    """The result of an attempt to decide."""

    ACCEPTED = "accepted"
    """The decision stands."""
    TOO_LATE = "too late"
    """Somebody or something ended the request earlier; the answer says who."""
    CHANGED = "changed"
    """Revision or digest differ from the stored ones: the decision is about something else."""
    GONE = "gone"
    """There is no such request."""
    REFUSED = "refused"
    """The queue does not accept this decision for this request; the answer says why."""


@dataclass(frozen=True, slots=True)
class DecideResult:
    """The queue's answer to one attempt to decide.

    Attributes:
        kind: The result.
        request_id: Id of the request.
        message: The result in plain words: by whom, when, why.
        current: The request as it is now, or None when it is gone.
    """

    kind: VerdictKind
    request_id: str
    message: str
    current: StoredRequest | None

    @property
    def accepted(self) -> bool:
        """True if the decision stands."""
        return self.kind is VerdictKind.ACCEPTED


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a request, as reported to its agent.

    Attributes:
        request: The final request.
        decision: The decision, or None when it ended without one.
        ours: True if this connection took the answer. If another one was first, that one is to run the call.
        doubt: Reason why an approval is not believed, in plain words, or None. Such an approval is not run.
    """

    request: StoredRequest
    decision: Decision | None
    ours: bool = True
    doubt: str | None = None

    @property
    def approved(self) -> bool:
        """True only for an explicit approval."""
        return (
            self.request.state is RequestState.APPROVED
            and self.decision is not None
            and self.decision.approved is True
            and self.doubt is None
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A request that appeared or changed, whole, as it is now."""

    request: StoredRequest


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The changes since the previous look, merged: each request at most once.

    Attributes:
        changes: In arrival order of the requests.
        cursor: The cursor for the next look.
        fresh: True if the queue was opened again: this is all that waits, and earlier knowledge is void.
    """

    changes: tuple[Change, ...]
    cursor: int
    fresh: bool = False


# -- Agents that ask nobody, as they report themselves; no decision depends on it.

_LOUDEST_FIRST = (AgentMode.APPROVE_ALL, AgentMode.STRICT, None, AgentMode.INTERACTIVE)


@dataclass(frozen=True, slots=True)
class Modes:
    """The connected agents that ask nobody; nothing at all if there are none.

    Attributes:
        approving: Names of those that approve everything.
        refusing: Names of those that refuse everything.
        connected: Number of connected agents, with those that ask.
    """

    approving: tuple[str, ...] = ()
    refusing: tuple[str, ...] = ()
    connected: int = 0


ALL_ASK = Modes()
"""The value for: every connected agent asks."""


def modes_of(records: Iterable[AgentRecord]) -> Modes:
    """Return the modes of connected agents. Several connections of one name and session are one agent."""
    found: dict[tuple[str, str], list[AgentMode | None]] = {}
    for record in records:
        found.setdefault((record.name, record.session), []).append(record.mode)
    loud = {key: loudest(modes) for key, modes in found.items()}
    approving, refusing = (
        tuple(name for (name, _), mode in loud.items() if mode is wanted)
        for wanted in (AgentMode.APPROVE_ALL, AgentMode.STRICT)
    )
    return Modes(approving, refusing, len(found)) if approving or refusing else ALL_ASK


def loudest(modes: Iterable[AgentMode | None]) -> AgentMode | None:
    """Return the mode, of several, that a person must know of most; None stands for an unknown one."""
    there = set(modes)
    return next((mode for mode in _LOUDEST_FIRST if mode in there), None)


# -- A remembered approval, as the queue holds it.


class GrantKind(StrEnum):
    """The way in which a grant compares calls."""

    EXACT = "exact"
    """The payload must be equal."""
    PATTERN = "pattern"
    """Each entry of the payload must fit the pattern; given explicitly, never by an ordinary approval."""


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
    """The payload of the call that it was given for. An exact grant covers this and nothing else."""
    payload_key: str
    """Canonical form of the payload, or of the pattern. See `stored_key`."""
    origin_request: str
    """Id of the request that it was given for; "" if it was given outside the queue."""
    created_at: int
    created_by: str
    uses: int
    last_used_at: int | None
    revoked_at: int | None
    revoked_by: str | None = None
    pattern: GrantPattern | None = None
    """The calls that a grant of the kind `PATTERN` covers; None for an exact one."""
    damage: str | None = None
    """The fault of its record. A damaged grant covers nothing."""
    definition: str | None = None
    """Digest of the tool's definition that it was given for; None for one that covers all."""
    server: str | None = None
    """The server that the tool belongs to; None for a tool of the agent itself."""
    seal: Seal | None = field(default=None, compare=False)
    """The reviewer's signature; None if no reviewer gave it."""

    @property
    def kind(self) -> GrantKind:
        """The way in which it compares calls."""
        return GrantKind.EXACT if self.pattern is None else GrantKind.PATTERN

    @property
    def stored_key(self) -> str:
        """The key of the record: grants of one session, tool and kind differ exactly if this does."""
        return stored_key(self.payload_key, self.definition, self.server)

    def covers(
        self,
        tool_name: str,
        payload: Mapping[str, Any],
        definition: str | None = None,
        *,
        server: str | None = None,
    ) -> bool:
        """True if it covers a call of its session; the risk of the call is not looked at.

        Args:
            tool_name: Name of the tool.
            payload: The part of the arguments that remembered approvals match on.
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
        """The covered calls in plain words and printable ASCII; nothing is left out."""
        if self.damage is not None:
            return "nothing: its record is damaged"
        covered = self.as_pattern().words()
        if self.definition is None:
            return covered
        return f"{covered}; only while the tool is defined as it was then (definition {self.definition[:8]})"

    def as_pattern(self) -> GrantPattern:
        """Return the covered calls as a pattern; an exact grant becomes one that covers its payload and no other.

        Raises:
            NotJsonError: The payload is not JSON.
        """
        return self.pattern or GrantPattern.exactly(self.tool_name, self.payload, server=self.server)


def stored_key(key: str, definition: str | None, server: str | None) -> str:
    """Return the key of a grant's record.

    Args:
        key: Canonical form of the payload or the pattern.
        definition: Digest of the tool's definition that it is for; None for any.
        server: The server that the tool belongs to; None for a tool of the agent itself.
    """
    # No canonical form has a line break in it, so no two keys look the same.
    if server is not None:
        return f"{key}\n{definition or ''}\n{canonical(server)}"
    return key if definition is None else f"{key}\n{definition}"
