"""The models for authors of agents: requests, decisions, contexts, presentations.

They are liberal in what they read (the field's synonyms are accepted) and strict in what they write.
Names and shapes follow the public tool-approval documents of the llm-do and ConnectOnion projects.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, runtime_checkable

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SkipValidation,
    ValidationError,
    field_validator,
    model_validator,
)

from signoff.canonical import NotJsonError, canonical
from signoff.effects import Effect, Risk
from signoff.queue.clock import LONGEST_WAIT
from signoff.queue.records import DecisionSource
from signoff.tool_definition import Definition

if TYPE_CHECKING:
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.queue.amendment import Instead

__all__ = [
    "ApprovalAware",
    "ApprovalContext",
    "ApprovalDecision",
    "ApprovalDeniedError",
    "ApprovalPresentation",
    "ApprovalRequest",
    "ApprovalScope",
    "DecisionSource",
    "Risk",
    "denial_text",
]

LookAtDefinition = Callable[[], Definition | Awaitable[Definition | None] | None]
"""Looks up the present definition of a tool; None if it is gone. Asynchronous only if the request is."""

PresentationType = Literal["text", "diff", "file_content", "command", "structured"]


class ApprovalScope(StrEnum):
    """The reach of an approval."""

    ONCE = "once"
    """Just this call."""
    SESSION = "session"
    """Every call of the same tool with an equal payload, until the session ends."""


class ApprovalPresentation(BaseModel):
    """A presentation that the tool itself wants the reviewer to see.

    It never replaces what signoff shows from the declared effects; it follows that, marked as sent
    by the tool.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: PresentationType
    content: str
    language: str | None = None
    """Language of the content for syntax colors, by its common name."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """For example ``{"full_content": "…"}`` behind a shortened `content`."""


class ApprovalContext(BaseModel):
    """The call that `check_approval` is asked about.

    `metadata` carries facts of a framework: ``run_id``, ``run_step``, ``tool_call_id``; facts for reviewers on who
    asks: ``caller``, the agent's name in the framework, and ``via``, the name of the adapter; for the calls that
    the model asked for in one turn: ``batch_id``, ``batch_position``, ``batch_remaining``; and, set by the starter
    of the run: ``group_id`` and ``group_size``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool_name: str
    args: dict[str, Any]
    metadata: dict[str, Any] = Field(default_factory=dict)
    server: str | None = None
    """The server that the tool belongs to, by the name that the agent's author gave it; None for the agent's own
    tools."""
    honors: frozenset[str] = Field(default=frozenset(), exclude=True)
    """The features of the runner of the call besides running it as asked, see `ApprovalRequest.honors`."""
    lacks: frozenset[Literal["hard", "note", "session"]] = Field(default=frozenset(), exclude=True)
    """Answers of a reviewer that the runner cannot carry out: ``hard``, to stop the agent; ``note``, to hand it
    words; ``session``, to let equal calls run from then on, where it does not tell all of a call."""
    check_edited: SkipValidation[Callable[[Mapping[str, Any]], None]] | None = Field(
        default=None, exclude=True, repr=False
    )
    """Checks arguments that a reviewer changed, before they run; raises if they must not run. Without it
    no arguments are changed."""
    defined_now: SkipValidation[LookAtDefinition] | None = Field(default=None, exclude=True, repr=False)
    """Looks up the present definition of the tool before an approved call runs. None: it cannot change."""


class ApprovalRequest(BaseModel):
    """A tool's request for approval of a call.

    `payload` is the part that a remembered approval matches on, together with `server` and `tool_name`: exact JSON
    equality, types kept apart. `effects` declare what the call would do; from them signoff makes the diff, the
    risk, the digest, and the check that the files are still as they were shown.

    Raises:
        NotJsonError: The payload or the arguments are not JSON; the message says where. It is a `ValueError`.
        pydantic.ValidationError: Another field has a wrong type or value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool_name: str
    description: str
    payload: dict[str, Any]
    presentation: ApprovalPresentation | None = None
    group_id: str | None = None
    """Requests with the same group belong together and may be decided together."""
    group_size: int | None = Field(default=None, ge=1)
    """The number of requests that the group will have, if the tool knows."""
    arguments: dict[str, Any] | None = None
    """The full arguments of the call; None if the payload has all of them."""
    effects: tuple[SkipValidation[Effect], ...] = Field(default=(), exclude=True, repr=False)
    """Files that the call would write or edit, and commands. Nothing is read until a person is asked."""
    why: str = ""
    """The rule or setting that asked."""
    expires_in: float | None = Field(default=None, gt=0, le=LONGEST_WAIT)
    """Seconds the sender is willing to wait; None waits for ever."""
    honors: frozenset[str] = Field(default=frozenset(), exclude=True)
    """Features of the tool besides running as asked: ``partial``, it writes the contents that a reviewer approved
    (see `signoff.approved_call.approved_instead`); ``edit``, it may be run with other arguments.

    A reviewer is offered only the features that the tool and its runner (`ApprovalContext.honors`) share.
    """
    masked_keys: tuple[str, ...] = ()
    """Names of arguments whose values are masked where they are shown, besides those that always are."""
    server: str | None = None
    """The server that the tool belongs to; None for a tool of the agent itself. Set by the runner of the call, see
    `ApprovalContext.server`."""
    definition: SkipValidation[Definition] | None = Field(default=None, exclude=True, repr=False)
    """The definition of the tool for the model, set by adapters. An approval is for this definition only.

    It is a fact about the tool, not about the call: it is neither compared nor serialized.
    """

    if not TYPE_CHECKING:  # a checker knows the arguments from the fields

        def __init__(self, **data: Any) -> None:
            try:
                super().__init__(**data)
            except ValidationError as error:
                for found in error.errors(include_url=False, include_input=False):
                    if isinstance(cause := found.get("ctx", {}).get("error"), NotJsonError):
                        raise NotJsonError(f"{'.'.join(map(str, found['loc']))}: {cause}") from None
                raise

    def with_definition(self, definition: Definition | None) -> Self:
        """Return a copy with a definition of the tool."""
        return self.model_copy(update={"definition": definition})

    def __eq__(self, other: object) -> bool:
        """True if both ask the same, under whatever definition of the tool."""
        if type(other) is not type(self):
            return NotImplemented
        return {**self.__dict__, "definition": None} == {**other.__dict__, "definition": None}

    def __hash__(self) -> int:
        """Equal requests have equal hashes."""
        return hash((self.tool_name, self.description, self.why))

    @field_validator("server")
    @classmethod
    def _named(cls, value: str | None) -> str | None:
        return value or None

    @field_validator("payload", "arguments")
    @classmethod
    def _must_be_json(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None:
            canonical(value)
        return value


_SOFT_MODES = ("soft", "reject_soft")


class ApprovalDecision(BaseModel):
    """The answer to a request.

    `remember` and `scope` are two spellings of one thing and either may be given; given both, the narrower
    wins. A refusal is *hard* (the agent's batch stops) unless its mode is soft: a missing or unknown mode is
    hard.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    approved: bool = Field(strict=True)
    note: str | None = None
    """The reviewer's words, or the true reason why nobody decided."""
    remember: Literal["none", "session"] = "none"
    mode: Literal["soft", "hard"] = "hard"
    """For a refusal: soft lets the agent go on, hard stops its batch."""
    source: DecisionSource = DecisionSource.REVIEWER
    by: str = ""
    """Name of the reviewer, grant, rule or mode behind the answer."""
    _snapshot: Snapshot | None = PrivateAttr(default=None)
    _instead: Instead | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _read_synonyms(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        values = dict(data)
        said = [values.pop(name, None) for name in ("note", "feedback", "reason")]
        values["note"] = next((note for note in said if note is not None), None)
        if (scope := values.pop("scope", None)) is not None:
            scope = ApprovalScope(scope)
            wide = scope is ApprovalScope.SESSION and values.get("remember", "session") == "session"
            values["remember"] = "session" if wide else "none"
        if "mode" in values:
            values["mode"] = "soft" if values["mode"] in _SOFT_MODES else "hard"
        return values

    @property
    def scope(self) -> ApprovalScope:
        """`remember` under its other name."""
        return ApprovalScope.SESSION if self.remember == "session" else ApprovalScope.ONCE

    @property
    def hard(self) -> bool:
        """True if this is a refusal that stops the agent's batch."""
        return not self.approved and self.mode == "hard"

    @property
    def snapshot(self) -> Snapshot | None:
        """The approved snapshot, to check against when the call runs; None if no effects were declared.

        It belongs to one call: it is neither compared nor serialized.
        """
        return self._snapshot

    def with_snapshot(self, snapshot: Snapshot | None) -> Self:
        """Return a copy with the approved snapshot."""
        copy = self.model_copy()
        copy._snapshot = snapshot  # noqa: SLF001 - a copy of this very class
        return copy

    @property
    def instead(self) -> Instead | None:
        """The amendment that runs; None runs exactly what was asked.

        Only a runner that supports it (`ApprovalContext.honors`) ever gets one. It belongs to one
        call: it is neither compared nor serialized.
        """
        return self._instead

    def with_instead(self, instead: Instead | None) -> Self:
        """Return a copy with an amendment."""
        copy = self.model_copy()
        copy._instead = instead  # noqa: SLF001 - a copy of this very class
        return copy

    def __eq__(self, other: object) -> bool:
        """True if both give the same answer, to whatever request."""
        if type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        """Equal answers have equal hashes."""
        return hash((self.approved, self.note, self.remember, self.mode, self.source, self.by))

    def raise_if_denied(self) -> Self:
        """Return itself when approved.

        Raises:
            ApprovalDeniedError: It is not approved; the message is the reviewer's note or the true reason.
        """
        if self.approved is not True:
            raise ApprovalDeniedError(self)
        return self


class ApprovalDeniedError(PermissionError):
    """A call was not approved. It holds the decision with the reviewer's words."""

    def __init__(self, decision: ApprovalDecision) -> None:
        super().__init__(denial_text(decision))
        self.decision = decision


_NOBODY_SAID_NO = {
    DecisionSource.EXPIRY: "Not run",
    DecisionSource.WITHDRAWAL: "Not run",
    DecisionSource.ERROR: "Not run",
    DecisionSource.CASCADE: "Not run, the reviewer stopped an earlier call of this batch",
}


def denial_text(decision: ApprovalDecision) -> str:
    """Return the text for the agent about a call that was not approved.

    An expiry, a withdrawal or an error is never worded as a person's no.
    """
    prefix = _NOBODY_SAID_NO.get(decision.source, "Approval denied")
    return f"{prefix}: {decision.note}" if decision.note else prefix


@runtime_checkable
class ApprovalAware(Protocol):
    """A tool that decides itself which calls need approval.

    Synchronous on purpose: it is a decision from configuration and arguments, without I/O. Diffs and other
    costly things are made later, and only if a person has to be asked.
    """

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Return None if no approval is needed, or the request to ask.

        For a tool that is not its own it returns `NotImplemented`, which is no opinion.

        Raises:
            PermissionError: The call is blocked; no mode can override it.
        """
        ...
