"""The one decision procedure: mode, then what was remembered, then a person.

Every entry point (toolsets, decorators, the command line) comes through here, so no callback and no adapter
can go around the mode or the memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from signoff.asking import plain_submission, submission_with_snapshot
from signoff.canonical import canonical
from signoff.memory import ApprovalMemory
from signoff.present.snapshot import Snapshot, SnapshotError, take
from signoff.presenting import with_presentation
from signoff.queue.errors import QueueError
from signoff.queue.records import (
    Decision,
    DecisionSource,
    Grant,
    Outcome,
    RequestState,
    StoredRequest,
    Submission,
)
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["ApprovalCallback", "ApprovalController", "Mode"]

Mode = Literal["interactive", "approve_all", "strict"]

ApprovalCallback = Callable[[ApprovalRequest], ApprovalDecision | Awaitable[ApprovalDecision]]
"""A function that asks a person itself, instead of the queue."""

_MODES: tuple[Mode, ...] = ("interactive", "approve_all", "strict")


class ApprovalController:
    """Decides about requests: by mode, by remembered approvals, or by asking a person.

    In mode ``interactive`` a request goes to `approval_callback` if one was given, else to the queue, where
    it waits for a reviewer. ``approve_all`` approves and ``strict`` refuses everything that needs approval.
    What a tool blocks (`PermissionError`) never reaches the controller and stays blocked in every mode.

    Args:
        mode: ``interactive``, ``approve_all`` or ``strict``.
        approval_callback: Asks a person; synchronous or asynchronous. A synchronous one is called in a
            thread when the request comes from asynchronous code.
        queue: An open agent connection. In interactive mode without a callback the default queue is opened
            when it is first needed. Given one, every decision is in its history, also those by mode,
            memory and callback.
        memory: Remembered approvals of this process, shared if you pass the same one to several
            controllers. Approvals remembered through a queue live in the queue.
        cwd: Absolute working directory of the calls; that of the queue connection by default.

    Raises:
        ValueError: The mode is unknown.
    """

    def __init__(
        self,
        mode: Mode = "interactive",
        approval_callback: ApprovalCallback | None = None,
        *,
        queue: AgentQueue | None = None,
        memory: ApprovalMemory | None = None,
        cwd: str | None = None,
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"unknown mode {mode!r}; choose one of: {', '.join(_MODES)}")
        self.mode = mode
        self._callback = approval_callback
        self._queue = queue
        self._memory = memory if memory is not None else ApprovalMemory()
        self._cwd = cwd
        self._opening = threading.Lock()

    @property
    def memory(self) -> ApprovalMemory:
        """The remembered approvals of this process."""
        return self._memory

    @property
    def queue(self) -> AgentQueue | None:
        """The queue connection, once there is one."""
        return self._queue

    @property
    def approval_callback(self) -> Callable[[ApprovalRequest], ApprovalDecision]:
        """A function that asks this controller, for code that wants a plain callable."""
        return self.request_approval_sync

    # -- asking ---------------------------------------------------------------------------------------

    async def request_approval(
        self, request: ApprovalRequest, context: ApprovalContext | None = None
    ) -> ApprovalDecision:
        """Decide about a request; waits for a person if one has to be asked.

        Cancelling the call withdraws the request.

        Args:
            request: What the tool asks.
            context: Where the call came from: ids, batch, full arguments.

        Returns:
            The decision. Only ``approved is True`` lets the call run; when nobody decided (expired,
            withdrawn, queue lost) it is a refusal whose `source` and `note` give the true reason.

        Raises:
            NotJsonError: The payload or the arguments are not JSON.
            TypeError: The callback did not return an `ApprovalDecision`.
        """
        decision = self._without_asking(request)
        try:
            queue = self._queue_for(decision)
            if queue is None:
                return decision if decision is not None else await self._ask_callback(request)
            plain = self._described(queue, request, context)
            if decision is None:
                grant = await queue.ause_grant(plain)
                if grant is not None:
                    return _by_grant(grant)
                if self._callback is None:
                    return await self._ask(queue, request, plain)
                decision = await self._ask_callback(request)
            await queue.arecord(plain, _stored(decision))
        except (QueueError, SnapshotError) as error:
            return _failed(error)
        return decision

    def request_approval_sync(
        self, request: ApprovalRequest, context: ApprovalContext | None = None
    ) -> ApprovalDecision:
        """`request_approval` for synchronous code; blocks the calling thread while a person decides.

        Raises:
            NotJsonError: The payload or the arguments are not JSON.
            TypeError: The callback did not return an `ApprovalDecision`.
        """
        decision = self._without_asking(request)
        try:
            queue = self._queue_for(decision)
            if queue is None:
                return decision if decision is not None else self._ask_callback_sync(request)
            plain = self._described(queue, request, context)
            if decision is None:
                grant = queue.use_grant(plain)
                if grant is not None:
                    return _by_grant(grant)
                if self._callback is None:
                    return self._ask_sync(queue, request, plain)
                decision = self._ask_callback_sync(request)
            queue.record(plain, _stored(decision))
        except (QueueError, SnapshotError) as error:
            return _failed(error)
        return decision

    # -- what is remembered ----------------------------------------------------------------------------

    def is_session_approved(self, request: ApprovalRequest) -> bool:
        """Whether an equal request would be approved without asking. Does not count as a use."""
        if self._memory.contains(request.tool_name, request.payload):
            return True
        if self._queue is None:
            return False
        key = canonical(request.payload)
        return any(
            grant.tool_name == request.tool_name and grant.payload_key == key for grant in self._queue.grants()
        )

    def add_session_approval(self, request: ApprovalRequest) -> None:
        """Approve equal requests for the rest of the session.

        Raises:
            QueueError: The queue does not remember it, for example because the risk is high.
        """
        if self._queue is not None:
            self._queue.add_grant(self._described(self._queue, request, None), by="agent author")
            return
        yes = ApprovalDecision(approved=True, remember="session", source=DecisionSource.CALLBACK)
        self._memory.store(request.tool_name, request.payload, yes)

    def clear_session_approvals(self) -> None:
        """Forget all approvals of this session."""
        self._memory.clear()
        if self._queue is not None:
            self._queue.clear_grants(by="agent author")

    # -- the steps -------------------------------------------------------------------------------------

    def _without_asking(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Answer by mode or from this process's memory; None when a person has to be asked."""
        if self.mode == "approve_all":
            return ApprovalDecision(approved=True, source=DecisionSource.MODE, by="approve_all")
        if self.mode == "strict":
            return ApprovalDecision(
                approved=False,
                note="Strict mode: approval required",
                source=DecisionSource.MODE,
                by="strict",
            )
        if not self._memory.contains(request.tool_name, request.payload):
            return None
        return self._memory.lookup(request.tool_name, request.payload)

    def _queue_for(self, decision: ApprovalDecision | None) -> AgentQueue | None:
        """The queue to ask or to record in; None when there is none and none is needed."""
        if self._queue is None and decision is None and self._callback is None:
            from signoff.connecting import connect_agent

            with self._opening:
                if self._queue is None:
                    self._queue = connect_agent(cwd=self._cwd)
        return self._queue

    def _described(
        self, queue: AgentQueue, request: ApprovalRequest, context: ApprovalContext | None
    ) -> Submission:
        return plain_submission(request, context, cwd=self._cwd or queue.agent.cwd)

    async def _ask_callback(self, request: ApprovalRequest) -> ApprovalDecision:
        assert self._callback is not None
        while True:
            shown, snapshot = await asyncio.to_thread(_shown, request)
            decision = _from_callback(await _call_from_async(self._callback, shown))
            if not decision.approved or not await asyncio.to_thread(snapshot.drift):
                return self._remembered(request, decision)

    def _ask_callback_sync(self, request: ApprovalRequest) -> ApprovalDecision:
        assert self._callback is not None
        while True:
            shown, snapshot = _shown(request)
            decision = _from_callback(_call_from_sync(self._callback, shown))
            if not decision.approved or not snapshot.drift():
                return self._remembered(request, decision)

    def _remembered(self, request: ApprovalRequest, decision: ApprovalDecision) -> ApprovalDecision:
        if decision.approved:
            self._memory.store(request.tool_name, request.payload, decision)
        return decision

    async def _ask(self, queue: AgentQueue, request: ApprovalRequest, plain: Submission) -> ApprovalDecision:
        submission, snapshot = await asyncio.to_thread(submission_with_snapshot, request, plain)
        # Shielded: what was posted while we are being cancelled must be known, to be taken back.
        posting = asyncio.ensure_future(queue.asubmit(submission))
        try:
            while True:
                posted = await asyncio.shield(posting)
                outcome = await queue.await_outcome(posted.id)
                if not await asyncio.to_thread(_drift_after, outcome, snapshot):
                    return _from_outcome(outcome)
                submission, snapshot = await asyncio.to_thread(submission_with_snapshot, request, plain)
                posting = asyncio.ensure_future(queue.aamend(posted.id, submission))
        except BaseException:
            await asyncio.shield(_take_back(queue, posting))
            raise

    def _ask_sync(self, queue: AgentQueue, request: ApprovalRequest, plain: Submission) -> ApprovalDecision:
        submission, snapshot = submission_with_snapshot(request, plain)
        posted = queue.submit(submission)
        try:
            while True:
                outcome = queue.wait(posted.id)
                if not _drift_after(outcome, snapshot):
                    return _from_outcome(outcome)
                submission, snapshot = submission_with_snapshot(request, plain)
                queue.amend(posted.id, submission)
        except BaseException:
            with contextlib.suppress(QueueError):
                queue.withdraw(posted.id, _NOBODY_WAITS)
            raise


_NOBODY_WAITS = "the agent stopped waiting"


async def _take_back(queue: AgentQueue, posting: asyncio.Future[StoredRequest]) -> None:
    """Withdraw what was posted; a queue that fails here ends the request by itself when we are gone."""
    with contextlib.suppress(QueueError):
        posted = await posting
        await queue.awithdraw(posted.id, _NOBODY_WAITS)


def _shown(request: ApprovalRequest) -> tuple[ApprovalRequest, Snapshot]:
    """What a callback is handed, and the state of the world that it shows."""
    snapshot = take(request.effects)
    return with_presentation(request, snapshot), snapshot


async def _call_from_async(callback: ApprovalCallback, request: ApprovalRequest) -> object:
    if inspect.iscoroutinefunction(callback):
        return await callback(request)
    answer = await asyncio.to_thread(callback, request)
    return await answer if inspect.isawaitable(answer) else answer


def _call_from_sync(callback: ApprovalCallback, request: ApprovalRequest) -> object:
    answer = callback(request)
    if not inspect.isawaitable(answer):
        return answer
    return asyncio.run(_finish(answer))


async def _finish(answer: Awaitable[ApprovalDecision]) -> ApprovalDecision:
    return await answer


_NOT_A_NO = frozenset({DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR})


def _from_callback(answer: object) -> ApprovalDecision:
    """Check what a callback returned and name its true source: a callback is not the reviewer's screen."""
    if not isinstance(answer, ApprovalDecision):
        raise TypeError(f"the approval callback returned {type(answer).__name__}; return an ApprovalDecision")
    if answer.approved is not True and answer.source in _NOT_A_NO:
        return answer
    return answer.model_copy(update={"source": DecisionSource.CALLBACK})


def _drift_after(outcome: Outcome, snapshot: Snapshot) -> tuple[str, ...]:
    """Why an approved call must be asked again: the world is no longer as it was shown."""
    return snapshot.drift() if outcome.approved else ()


_SOURCE_OF_STATE = {
    RequestState.EXPIRED: DecisionSource.EXPIRY,
    RequestState.WITHDRAWN: DecisionSource.WITHDRAWAL,
}


def _from_outcome(outcome: Outcome) -> ApprovalDecision:
    decision = outcome.decision
    if decision is None:
        source = _SOURCE_OF_STATE.get(outcome.request.state, DecisionSource.ERROR)
        return ApprovalDecision(approved=False, note=outcome.request.state_note, mode="soft", source=source)
    return ApprovalDecision(
        approved=outcome.approved,
        note=decision.note,
        remember="session" if decision.remember else "none",
        mode="hard" if decision.hard else "soft",
        source=decision.source,
        by=decision.by,
    )


def _by_grant(grant: Grant) -> ApprovalDecision:
    return ApprovalDecision(approved=True, remember="session", source=DecisionSource.GRANT, by=f"grant {grant.id}")


def _stored(decision: ApprovalDecision) -> Decision:
    return Decision(
        approved=decision.approved,
        note=decision.note,
        hard=decision.hard,
        source=decision.source,
        by=decision.by,
    )


def _failed(error: Exception) -> ApprovalDecision:
    return ApprovalDecision(approved=False, note=str(error), mode="soft", source=DecisionSource.ERROR)
