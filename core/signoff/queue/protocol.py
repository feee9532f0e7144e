"""The narrow interface between agents, the store and reviewers.

Asking and deciding are two types, not two flags: an `AgentQueue` has no `decide`. Every engine offers
both; the conformance tests in ``tests/queue`` run on each of them.

All methods may raise the errors of `signoff.queue.errors`. Methods named ``a…`` are the asynchronous
forms; they never block the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, Self

from signoff.queue.records import (
    AgentInfo,
    AgentRecord,
    ChangeSet,
    Decision,
    Grant,
    HistoryFilter,
    HistoryRecord,
    Outcome,
    Stats,
    StoredRequest,
    Submission,
    Verdict,
)

__all__ = ["AgentQueue", "DecisionAttempt", "ReviewQueue"]


class AgentQueue(Protocol):
    """What an agent may do: ask, wait, take back, use what was granted to its session.

    One connection belongs to one agent and one session. When the process dies, its pending requests
    become withdrawn.
    """

    @property
    def agent(self) -> AgentInfo:
        """How this connection introduced itself."""

    def submit(self, submission: Submission) -> StoredRequest:
        """Post a request. Posting the same key and content again returns what is already there.

        An approval that nobody took is taken by this; one that was taken, or given up, is spent: the
        same key asks again, as the next revision.

        Raises:
            RequestConflictError: The key was used for other content.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
        """

    async def asubmit(self, submission: Submission) -> StoredRequest:
        """Asynchronous `submit`."""

    def wait(self, request_id: str) -> Outcome:
        """Block until the newest revision of the request ends, and mark the answer delivered.

        Raises:
            UnknownRequestError: This session never posted that id.
        """

    async def await_outcome(self, request_id: str) -> Outcome:
        """Asynchronous `wait`; cancelling it leaves the request as it is."""

    def amend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Put a new revision in place of a request, pending or decided: the old one is superseded.

        A decided revision is amended when the world changed between the decision and the execution;
        its record stays in the history and the new revision asks again. A request that expired or was
        withdrawn keeps that end. Repeating an amendment that still waits returns what is there.

        Raises:
            UnknownRequestError: This session never posted that id.
            RequestConflictError: The key belongs to another request.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
        """

    async def aamend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Asynchronous `amend`."""

    def withdraw(self, request_id: str, reason: str) -> bool:
        """Take a pending request back. Returns False when it had already ended."""

    async def awithdraw(self, request_id: str, reason: str) -> bool:
        """Asynchronous `withdraw`."""

    def give_up(self, request_id: str, revision: int, reason: str) -> bool:
        """Say that a request was approved and will not be run: it is superseded, with the reason on record.

        Returns False when that revision is not the newest, or not approved.

        Raises:
            UnknownRequestError: This session never posted that id.
        """

    def has_grant(self, submission: Submission) -> bool:
        """Whether a grant covers the call; nothing is counted, and the risk is not looked at."""

    def use_grant(self, submission: Submission) -> Grant | None:
        """Answer from the session's grants.

        On a hit, the use is counted and recorded in the history, and the grant is returned. What may not
        be remembered (`Submission.may_be_remembered`) is never answered by a grant.
        """

    async def ause_grant(self, submission: Submission) -> Grant | None:
        """Asynchronous `use_grant`."""

    def record(self, submission: Submission, decision: Decision) -> None:
        """Put a decision that never was a request into the history: by mode, rule or callback."""

    async def arecord(self, submission: Submission, decision: Decision) -> None:
        """Asynchronous `record`."""

    def grants(self) -> tuple[Grant, ...]:
        """The session's own grants that are in force, oldest first."""

    def add_grant(self, submission: Submission, *, by: str) -> Grant:
        """Remember an approval that was given outside the queue, for this session.

        Raises:
            InvalidSubmissionError: The submission contradicts itself, or its risk is HIGH.
        """

    def clear_grants(self, *, by: str) -> int:
        """Revoke all grants of this session; returns how many."""

    def close(self) -> None:
        """End the connection: pending requests are withdrawn. Closing twice is harmless."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(self, *exc: object) -> None:
        """Close."""


class DecisionAttempt(Protocol):
    """What a decision must name: exactly what was shown."""

    @property
    def request_id(self) -> str:
        """Which request."""

    @property
    def revision(self) -> int:
        """Which revision of it."""

    @property
    def digest(self) -> str:
        """What it would execute."""


class ReviewQueue(Protocol):
    """What a reviewer may do: look at everything and decide."""

    @property
    def reviewer(self) -> str:
        """Name under which decisions are recorded."""

    def pending(self) -> tuple[StoredRequest, ...]:
        """All requests that wait, in arrival order."""

    def get(self, request_id: str, revision: int | None = None) -> StoredRequest:
        """One request: the given revision, or the newest.

        Raises:
            UnknownRequestError: There is none.
        """

    def find(self, prefix: str) -> StoredRequest:
        """The request whose id starts with the prefix, newest revision.

        Raises:
            UnknownRequestError: None, or more than one, begins so; the message says which.
        """

    def blob(self, sha256: str) -> bytes:
        """A stored content by its hash.

        Raises:
            QueueUnavailableError: It is missing or does not match its hash.
        """

    def changes(self, cursor: int) -> ChangeSet:
        """Everything that changed since the cursor; cursor 0 gives all that is pending now.

        Finds dead agents and passed deadlines first, and ends their requests.
        """

    def watch(self, cursor: int = 0) -> AsyncIterator[ChangeSet]:
        """Yield a change set now, and another whenever something changed.

        Only the first may be empty.
        """

    def decide(self, request_id: str, revision: int, digest: str, decision: Decision) -> Verdict:
        """Decide one request; the first decision wins.

        A hard rejection also rejects the later pending requests of the same batch (source cascade).
        A decision that remembers creates the grant in the same transaction. HIGH risk cannot be
        remembered: refused.
        """

    def decide_many(self, targets: Sequence[tuple[str, int, str]], decision: Decision) -> tuple[Verdict, ...]:
        """Decide exactly these (request id, revision, digest), each on its own merits, in one transaction.

        Approving several never includes HIGH risk: those are refused.
        """

    def grants(self, *, include_revoked: bool = False) -> tuple[Grant, ...]:
        """Grants of all sessions, oldest first."""

    def revoke(self, grant_id: str) -> bool:
        """Revoke a grant; False when it was revoked before.

        Raises:
            UnknownRequestError: There is no such grant.
        """

    def history(
        self,
        which: HistoryFilter | None = None,
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[HistoryRecord, ...]:
        """A page of history, newest first, of records with seq below `before`."""

    def verify(self) -> int | None:
        """Check the chain of the history: the seq of the first broken record, None if it is whole."""

    def agents(self) -> tuple[AgentRecord, ...]:
        """All agent connections, first seen first."""

    def stats(self) -> Stats:
        """Counts for a status line."""

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(self, *exc: object) -> None:
        """Close."""
