"""The narrow interface between agents, the store and reviewers.

Asking and deciding are two types, not two flags: an `AgentQueue` has no `decide`. Every engine offers
both; the conformance tests in ``tests/queue`` run on each of them.

All methods may raise the errors of `signoff.queue.errors`. Methods named ``a…`` are the asynchronous
forms; they never block the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Protocol, Self

from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.history import (
    HistoryCheck,
    HistoryFilter,
    HistoryHead,
    HistoryRecord,
    PatternPreview,
    Pruning,
)
from signoff.queue.lookahead import UpcomingCall
from signoff.queue.records import (
    AgentInfo,
    AgentMode,
    AgentRecord,
    ChangeSet,
    DecideResult,
    Decision,
    Grant,
    Outcome,
    StoredRequest,
    Submission,
)
from signoff.queue.stats import Stats

__all__ = ["AgentQueue", "DecisionAttempt", "ReviewQueue"]


class AgentQueue(Protocol):
    """The rights of an agent: ask, wait, take back, use what was granted to its session.

    One connection belongs to one agent and one session. When the process dies, its pending requests
    become withdrawn.
    """

    @property
    def agent(self) -> AgentInfo:
        """The agent as it introduced itself, with the mode that it announced last."""

    def replacement(self) -> AgentQueue | None:
        """Return a connection of the agent to the queue in place of one that is gone; None if it is not gone.

        It is the same for all that share this one, and is closed with it. What waited in the queue that is gone
        stays ended, and what was approved there does not run.

        Raises:
            QueueGoneError: The queue is gone, and there is none in its place.
        """

    def announce_mode(self, mode: AgentMode, of: object | None = None) -> None:
        """Announce how calls that need approval are answered, for reviewers to see; no decision depends on it.

        Nothing is written if it is known already. Several controllers may share the connection. The mode shown is
        then the one that reviewers must know of most: ``approve_all``, else ``strict``.

        Args:
            mode: The mode.
            of: The controller with that mode, counted as long as it exists; the connection itself if left out.

        Raises:
            InvalidSubmissionError: There is no such mode.
        """

    def submit(self, submission: Submission) -> StoredRequest:
        """Post a request. Posting the same key and content again returns the stored request.

        An approval that nobody took is taken by this. One that was taken or given up is spent, one without the
        seal of a trusted reviewer is not believed, and a request that tells the call otherwise, by another
        description or risk, does not count: the same key asks again, as the next revision.

        Raises:
            RequestConflictError: The key was used for other content.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
        """

    async def asubmit(self, submission: Submission) -> StoredRequest:
        """Asynchronous `submit`."""

    def wait(self, request_id: str, check: Callable[[], None] | None = None) -> Outcome:
        """Block until the newest revision of the request ends, and mark the answer delivered.

        A server that is away is waited for, until the deadline of the request; standard error says so once.
        A revision of this connection that another one replaced ends with that: superseded, not approved. An
        approval without the seal of a trusted reviewer is doubted (`Outcome.doubt`): it is superseded, too.

        Args:
            request_id: Id of the request.
            check: Called several times a second, and before an answer is taken; ends the wait by raising.

        Raises:
            UnknownRequestError: This session never posted that id.
            QueueAwayError: The server was still away when the deadline of the request passed.
            KeyboardInterrupt: The program was interrupted (Ctrl+C), in whichever thread this waits.
        """

    async def await_outcome(self, request_id: str) -> Outcome:
        """Asynchronous `wait`; cancelling it leaves the request as it is."""

    def amend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Replace a request, pending or decided, by a new revision: the old one is superseded.

        Another connection of the session that waits for the old one is told so, with the name of the new asker.
        A decided revision is amended when the world changed between the decision and the execution;
        its record stays in the history and the new revision asks again. A request that expired or was
        withdrawn keeps that end. Repeating an amendment that still waits returns the stored revision.

        Raises:
            UnknownRequestError: This session never posted that id.
            RequestConflictError: The key belongs to another request.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
        """

    async def aamend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Asynchronous `amend`."""

    def withdraw(self, request_id: str, reason: str) -> bool:
        """Take a pending request back. Returns False when it had ended, or another connection had replaced it."""

    async def awithdraw(self, request_id: str, reason: str) -> bool:
        """Asynchronous `withdraw`."""

    def give_up(self, request_id: str, revision: int, reason: str) -> bool:
        """Give up an approved request that will not be run: it is superseded, with the reason on record.

        Returns False when that revision is not the newest, or not approved.

        Raises:
            UnknownRequestError: This session never posted that id.
        """

    def is_stopped(self, batch_id: str) -> bool:
        """True if a reviewer has stopped a batch of the session; what is posted to it later waits all the same.

        Args:
            batch_id: The batch, as its requests name it.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """

    def has_grant(self, submission: Submission) -> bool:
        """True if a grant covers the call; nothing is counted, and the risk is not looked at."""

    def use_grant(self, submission: Submission) -> Grant | None:
        """Answer from the session's grants.

        On a hit, the use is counted and recorded in the history, and the grant is returned. A call that may not be
        remembered (`Submission.may_be_remembered`) is never answered by a grant. A grant counts with the seal of a
        trusted reviewer, or if this process gave it by `add_grant`.
        """

    async def ause_grant(self, submission: Submission) -> Grant | None:
        """Asynchronous `use_grant`."""

    def record(self, submission: Submission, decision: Decision) -> None:
        """Record in the history a decision on a call that never was a request: by mode, rule or callback."""

    async def arecord(self, submission: Submission, decision: Decision) -> None:
        """Asynchronous `record`."""

    def grants(self) -> tuple[Grant, ...]:
        """The session's own grants that are in force and believed, oldest first."""

    def add_grant(self, submission: Submission, *, by: str) -> Grant:
        """Remember an approval that was given outside the queue, for this session.

        No reviewer signs it, so it counts for the connections of this process only.

        Raises:
            InvalidSubmissionError: The submission contradicts itself, or its risk is HIGH.
        """

    def clear_grants(self, *, by: str) -> int:
        """Revoke all grants of this session; returns their number."""

    def close(self) -> None:
        """End the connection: pending requests are withdrawn. Closing twice is harmless."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(self, *exc: object) -> None:
        """Close."""


class DecisionAttempt(Protocol):
    """The fields that a decision must name: exactly those that were shown."""

    @property
    def request_id(self) -> str:
        """Id of the request."""

    @property
    def revision(self) -> int:
        """Revision of the request."""

    @property
    def digest(self) -> str:
        """Digest of what it would execute."""


class ReviewQueue(Protocol):
    """The rights of a reviewer: look at everything and decide."""

    @property
    def reviewer(self) -> str:
        """Name under which decisions are recorded."""

    @property
    def now(self) -> int:
        """The time by the clock of the queue, as all its times are: microseconds since the epoch."""

    def pending(self) -> tuple[StoredRequest, ...]:
        """All requests that wait, in arrival order."""

    def upcoming(self) -> tuple[UpcomingCall, ...]:
        """The calls that agents of waiting requests have announced and not yet asked for.

        A decision on one of these ids is refused: nothing is decided before it is asked for.
        """

    def get(self, request_id: str, revision: int | None = None) -> StoredRequest:
        """One request: the given revision, or the newest.

        Raises:
            UnknownRequestError: There is none.
        """

    def find(self, prefix: str) -> StoredRequest:
        """The request whose id starts with the prefix, newest revision.

        Raises:
            UnknownRequestError: No request, or more than one, begins so; the message says which.
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

        The first may be empty. So is one that only tells that a grant was given, used or revoked, or that an agent
        ended: read those again.
        """

    def decide(self, request_id: str, revision: int, digest: str, decision: Decision) -> DecideResult:
        """Decide one request; the first decision wins.

        A hard rejection also rejects the later pending requests of the same batch (source cascade).
        A decision that remembers creates the grant in the same transaction. HIGH risk cannot be
        remembered: refused. An approval is signed; a no is signed if there is a key, and counts without.

        Raises:
            ReviewerKeysError: An approval cannot be signed, so nothing was decided; the message says what to do.
        """

    def decide_many(self, targets: Sequence[tuple[str, int, str]], decision: Decision) -> tuple[DecideResult, ...]:
        """Decide exactly these (request id, revision, digest), each on its own merits, in one transaction.

        Approving several never includes HIGH risk: those are refused.
        """

    def remember_and_release(
        self,
        target: tuple[str, int, str],
        also: Sequence[tuple[str, int, str]],
        decision: Decision,
        pattern: GrantPattern | None = None,
    ) -> tuple[DecideResult, ...]:
        """Approve one request and remember it, or a pattern around it; approve the named requests it covers, too.

        All in one transaction. Each of the others is approved exactly if it waits unchanged, in the same session,
        for a call that the grant covers under the same definition, at LOW or MEDIUM risk, and may be remembered.
        Its approval is the grant's (source grant, `by` the id of the grant), with a note that names the reviewer,
        a seal and a record in the history of its own; it counts as a use of the grant. The others stay as they
        are. Other requests are never touched. If the target is not approved, nothing happens.

        Args:
            target: Id, revision and digest of the request that is approved and remembered.
            also: The same of each request to release.
            decision: An approval that remembers; anything else is refused.
            pattern: The calls that are remembered; None for exactly this one. It has to cover the target.

        Returns:
            The verdict on the target, then one on each of the others, in their order.

        Raises:
            ReviewerKeysError: An approval cannot be signed, so nothing was decided; the message says what to do.
        """

    def grants(self, *, include_revoked: bool = False) -> tuple[Grant, ...]:
        """Grants of all sessions, oldest first; one that cannot be read covers nothing and says so."""

    def revoke(self, grant_id: str) -> bool:
        """Revoke a grant; False when it was revoked before. Running agents see it before their next call.

        Raises:
            UnknownRequestError: There is no such grant.
        """

    def revoke_all(self, session: str | None = None) -> int:
        """Revoke all grants of a session, or of all sessions; returns their number."""

    def preview(self, pattern: GrantPattern, session: str | None = None, last: int = 200) -> PatternPreview:
        """Return the recent calls that a pattern would have answered, and the waiting ones that it matches.

        Args:
            pattern: The pattern.
            session: Only calls of this session; None for all sessions.
            last: Number of calls of the history to look at, whatever their answer was.
        """

    def add_pattern(self, pattern: GrantPattern, *, session: str, origin: str) -> Grant:
        """Grant a session all calls that a pattern covers. Requests that wait already stay undecided.

        Never covers HIGH risk, nor calls that must not be remembered. The same grant already in force is kept.

        Args:
            pattern: The pattern; it has to cover the request that it is given for.
            session: The session of that request, which the grant belongs to.
            origin: Id of that request, which was not rejected.

        Raises:
            UnknownRequestError: There is no such request.
            GrantRefusedError: The request is no reason for such a grant; the message says why.
        """

    def history(
        self,
        which: HistoryFilter | None = None,
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[HistoryRecord, ...]:
        """A page of history, newest first, of records with seq below `before`."""

    def export(self, which: HistoryFilter | None = None) -> Iterator[HistoryRecord]:
        """Yield the present records, oldest first, in short reads, so that a slow reader blocks nobody."""

    def verify(self) -> int | None:
        """Check the chain of the history; return the seq of the first broken record, None if it is whole."""

    def check_history(self, expected: HistoryHead | None = None) -> HistoryCheck:
        """Check the chain of the history, and return the findings.

        Args:
            expected: The head that an earlier check found; without it, nothing can tell that the end is missing.
        """

    def prune(
        self,
        *,
        before: int | None = None,
        keep: int | None = None,
        through: int | None = None,
        dry_run: bool = False,
    ) -> Pruning:
        """Delete the oldest records, with the requests and contents that only they refer to.

        All limits hold together, each of them protects records. A record is never deleted while its request, or
        an agent that is still connected, needs it. The deletion is put into the history before it begins.

        Args:
            before: Keep everything from the first record on that is not older; microseconds since the epoch.
            keep: Keep so many of the newest records.
            through: Keep all records with a higher seq.
            dry_run: Only return what would be deleted.

        Returns:
            The records that were deleted, or would be.

        Raises:
            ValueError: There is no limit at all, or a negative one.
            QueueUnavailableError: The history is broken, and nothing was deleted; or the deletion was cut short.
        """

    def agents(self, *, connected: bool = False) -> tuple[AgentRecord, ...]:
        """All agent connections, or only the open ones, first seen first."""

    def stats(self) -> Stats:
        """Counts for a status line."""

    def recall_history(self, *, accept: bool = False) -> str:
        """Compare the history with its newest record that a reviewer noted, and note the newest record now.

        If something is missing, the note stays as it was, so that it is reported again.

        Args:
            accept: Accept the history as it is now.

        Returns:
            The loss in words for people; "" if nothing is missing.

        Raises:
            QueueUnavailableError: The queue cannot be used.
            ReviewerKeysError: Nothing can be noted; the message says what to do.
        """

    def reopen(self) -> None:
        """Connect to the queue that is at the place now, after a `QueueGoneError`; otherwise do nothing.

        Everything known before belongs to another queue: begin again with cursor 0.

        Raises:
            QueueNotFoundError: There is no queue; none is created.
            QueuePlaceError: The place is unsafe.
            QueueVersionError: The queue was written by a newer signoff.
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
        """

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(self, *exc: object) -> None:
        """Close."""
