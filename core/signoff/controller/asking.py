"""One request until it is answered: shown, decided, compared with the files, asked again if they changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from signoff.approved_call import EditedCallError, require_runnable
from signoff.controller.callbacks import (
    awaited,
    call_from_async,
    call_from_sync,
    finished,
    same_but_shown,
    shown_to_callback,
)
from signoff.controller.outcomes import failed, for_once, from_outcome, not_run, to_queue
from signoff.present.snapshot.snapshot import Snapshot, SnapshotError, take
from signoff.queue.clock import now_us
from signoff.queue.errors import QueueError
from signoff.queue.interrupts import why_ended
from signoff.queue.records import DecisionSource, StoredRequest, Submission
from signoff.redefinition import KnownDefinitions, look_again, look_again_sync
from signoff.session_memory import ApprovalMemory, CallKey
from signoff.submission import judged_again, submission_with_snapshot
from signoff.text.outcome import outcome_text
from signoff.tool_definition import Definition
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["Asking", "AskingWatcher", "by_memory", "taken_if_possible"]

_ENRICHING = "_enrich_presentation"


class AskingWatcher(Protocol):
    """Is told of requests while they wait in the queue, in the thread or event loop that waits; must be quick."""

    def asked(self, request: StoredRequest, context: ApprovalContext | None) -> None:
        """Take notice of a request that was posted, or of its next revision."""

    def answered(
        self, request: StoredRequest, decision: ApprovalDecision, context: ApprovalContext | None
    ) -> None:
        """Take notice of the answer, before the call runs or its agent is told that it does not.

        Not called for a request that is withdrawn because its agent was cancelled.
        """


class Asking:
    """A request that a person has to be asked about.

    Args:
        request: The request of the tool.
        plain: The description of the call.
        context: The origin of the call.
        definitions: The definitions that people were asked about.
        enrich: Gives the request a presentation before it is shown; plain or asynchronous.
        watcher: Told of the request while it waits in the queue.
    """

    def __init__(
        self,
        request: ApprovalRequest,
        plain: Submission,
        context: ApprovalContext | None,
        definitions: KnownDefinitions,
        enrich: Callable[[ApprovalRequest], object] | None,
        watcher: AskingWatcher | None = None,
    ) -> None:
        self._watcher = watcher
        self._request = self._shown = request
        self._plain = plain
        self._context = context
        self._definitions = definitions
        self._enrich = enrich

    # -- asking a callback -----------------------------------------------------------------------------

    async def by_callback(
        self, callback: Callable[[ApprovalRequest], object], memory: ApprovalMemory, queue: AgentQueue | None
    ) -> ApprovalDecision:
        """Ask a function; its answer is remembered, and recorded if there is a queue."""
        bound, snapshot = await self._bound()
        while True:
            asked = await asyncio.to_thread(shown_to_callback, self._shown, snapshot, bound)
            decision = _in_time(await call_from_async(callback, asked), bound)
            if decision.approved:
                try:
                    if not await self._is_as_shown(snapshot):
                        bound, snapshot = await self._bound()
                        continue
                except SnapshotError as error:
                    decision = not_run(error)
            return await asyncio.to_thread(_settled, memory, queue, bound, snapshot, decision)

    def by_callback_sync(
        self, callback: Callable[[ApprovalRequest], object], memory: ApprovalMemory, queue: AgentQueue | None
    ) -> ApprovalDecision:
        """Do as `by_callback` in synchronous code."""
        bound, snapshot = self._bound_sync()
        while True:
            asked = shown_to_callback(self._shown, snapshot, bound)
            decision = _in_time(call_from_sync(callback, asked), bound)
            if decision.approved:
                try:
                    if not self._is_as_shown_sync(snapshot):
                        bound, snapshot = self._bound_sync()
                        continue
                except SnapshotError as error:
                    decision = not_run(error)
            return _settled(memory, queue, bound, snapshot, decision)

    # -- asking the queue ------------------------------------------------------------------------------

    async def by_queue(self, queue: AgentQueue) -> ApprovalDecision:
        """Post the request and wait for its answer; cancelled, it is withdrawn."""
        submission, snapshot = await self._bound()
        # Shielded: a request posted while this is being cancelled must be known, to be taken back.
        posting = asyncio.ensure_future(queue.asubmit(submission))
        posted: StoredRequest | None = None
        try:
            while True:
                posted = await asyncio.shield(posting)
                self._tell_asked(posted)
                outcome = await queue.await_outcome(posted.id)
                decision = from_outcome(posted, outcome)
                if not decision.approved:
                    return self._tell_answered(posted, decision)
                try:
                    if await self._is_as_shown(snapshot):
                        require_runnable(decision, self._context)
                        decision = decision.with_snapshot(_unless_empty(snapshot))
                        return self._tell_answered(posted, decision)
                    submission, snapshot = await self._bound()
                except (SnapshotError, EditedCallError) as error:
                    decision = await asyncio.to_thread(_given_up, queue, posted, error)
                    return self._tell_answered(posted, decision)
                posting = asyncio.ensure_future(queue.aamend(posted.id, submission))
        except BaseException as error:
            await asyncio.shield(_take_back(queue, posting, why_ended(error)))
            if isinstance(error, QueueError) and posted is not None:
                self._tell_answered(posted, failed(error))
            raise

    def by_queue_sync(self, queue: AgentQueue) -> ApprovalDecision:
        """Do as `by_queue` in synchronous code."""
        submission, snapshot = self._bound_sync()
        posted = queue.submit(submission)
        try:
            while True:
                self._tell_asked(posted)
                decision = from_outcome(posted, queue.wait(posted.id))
                if not decision.approved:
                    return self._tell_answered(posted, decision)
                try:
                    if self._is_as_shown_sync(snapshot):
                        require_runnable(decision, self._context)
                        decision = decision.with_snapshot(_unless_empty(snapshot))
                        return self._tell_answered(posted, decision)
                    submission, snapshot = self._bound_sync()
                except (SnapshotError, EditedCallError) as error:
                    return self._tell_answered(posted, _given_up(queue, posted, error))
                posted = queue.amend(posted.id, submission)
        except BaseException as error:
            with contextlib.suppress(QueueError):
                queue.withdraw(posted.id, why_ended(error))
            if isinstance(error, QueueError):
                self._tell_answered(posted, failed(error))
            raise

    # -- the steps -------------------------------------------------------------------------------------

    def _tell_asked(self, posted: StoredRequest) -> None:
        if self._watcher is not None:
            self._watcher.asked(posted, self._context)

    def _tell_answered(self, posted: StoredRequest, decision: ApprovalDecision) -> ApprovalDecision:
        if self._watcher is not None:
            self._watcher.answered(posted, decision, self._context)
        return decision

    async def _bound(self) -> tuple[Submission, Snapshot]:
        """The submission, bound to the files as they are now."""
        plain = self._plain
        if self._enrich is not None:
            self._shown = same_but_shown(self._request, await awaited(self._enrich, self._request, _ENRICHING))
            plain = await asyncio.to_thread(judged_again, self._shown, plain)
        return await asyncio.to_thread(submission_with_snapshot, self._shown, plain)

    def _bound_sync(self) -> tuple[Submission, Snapshot]:
        plain = self._plain
        if self._enrich is not None:
            self._shown = same_but_shown(self._request, finished(self._enrich, self._request, _ENRICHING))
            plain = judged_again(self._shown, plain)
        return submission_with_snapshot(self._shown, plain)

    async def _is_as_shown(self, snapshot: Snapshot) -> bool:
        """True if tool and files are as they were shown; otherwise the next question is about their new state."""
        now = await look_again(self._request, self._context)
        if now is None and not await asyncio.to_thread(snapshot.drift):
            return True
        await asyncio.to_thread(self._renew, now)
        return False

    def _is_as_shown_sync(self, snapshot: Snapshot) -> bool:
        now = look_again_sync(self._request, self._context)
        if now is None and not snapshot.drift():
            return True
        self._renew(now)
        return False

    def _renew(self, now: Definition | None) -> None:
        if now is not None:
            self._request = self._definitions.while_asked(self._request, now)
            self._plain = replace(self._plain, definition=now.digest, why=self._request.why)
        self._shown = self._request
        self._plain = judged_again(self._request, self._plain)


def by_memory(
    memory: ApprovalMemory, key: CallKey, request: ApprovalRequest, plain: Submission
) -> ApprovalDecision | None:
    """Answer from the memory of this process, after a check of the real targets of the call."""
    bound, snapshot = submission_with_snapshot(request, plain)
    decision = memory.use(key) if bound.may_be_remembered else None
    return None if decision is None else decision.with_snapshot(_unless_empty(snapshot))


def taken_if_possible(request: ApprovalRequest) -> Snapshot | None:
    """The snapshot that a mode approves; a call that cannot be shown fails by itself when it runs."""
    try:
        return _unless_empty(take(request.effects))
    except SnapshotError:
        return None


def _in_time(decision: ApprovalDecision, asked: Submission) -> ApprovalDecision:
    """The answer of a callback, or an expiry if it came after the sender's deadline."""
    if decision.approved is not True or asked.expires_at is None or now_us() <= asked.expires_at:
        return decision
    note = f"{outcome_text('expired', None, 'message')}: the answer came after the deadline"
    return ApprovalDecision(approved=False, note=note, mode="soft", source=DecisionSource.EXPIRY)


def _settled(
    memory: ApprovalMemory,
    queue: AgentQueue | None,
    bound: Submission,
    snapshot: Snapshot,
    decision: ApprovalDecision,
) -> ApprovalDecision:
    """Remember and record the answer of a callback."""
    if decision.approved and decision.remember == "session" and not bound.may_be_remembered:
        decision = for_once(decision, bound)
    if decision.approved:
        memory.store(
            bound.tool_name, bound.payload, decision.with_snapshot(None), bound.definition, server=bound.server
        )
    if queue is not None:
        queue.record(bound, to_queue(decision))
    return decision.with_snapshot(_unless_empty(snapshot) if decision.approved else None)


async def _take_back(queue: AgentQueue, posting: asyncio.Future[StoredRequest], reason: str) -> None:
    """Withdraw a posted request; if the queue fails, it ends the request itself once the agent is gone."""
    with contextlib.suppress(QueueError):
        posted = await posting
        await queue.awithdraw(posted.id, reason)


def _given_up(queue: AgentQueue, posted: StoredRequest, reason: Exception) -> ApprovalDecision:
    """Record in the history that an approved call is not run."""
    decision = not_run(reason)
    with contextlib.suppress(QueueError):  # it is not run either way
        queue.give_up(posted.id, posted.revision, decision.note or "")
    return decision


def _unless_empty(snapshot: Snapshot) -> Snapshot | None:
    return snapshot if snapshot.steps else None
