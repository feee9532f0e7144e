"""The one decision procedure: the mode, then remembered approvals, then a person.

Every entry point (toolsets, decorators, the command line) comes through here, so no callback and no adapter
can go around the mode or the memory.
"""

# Modules that only a request needs are loaded with the first one: models, policy, snapshots, asyncio.

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from signoff.effects import SnapshotError
from signoff.expiry import ExpiresIn, expires_in_environment, seconds_of, within
from signoff.modes import Mode, chosen_mode, known_mode
from signoff.queue.errors import InvalidSubmissionError, QueueError
from signoff.queue.grant_coverage import never_remembered
from signoff.queue.records import AgentMode, DecisionSource, Submission
from signoff.redefinition import KnownDefinitions, other_definitions
from signoff.session_memory import ApprovalMemory, CallKey, JudgedCalls, PlainCall, call_key

if TYPE_CHECKING:
    from signoff.controller.asking import Asking, AskingWatcher
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.queue.protocol import AgentQueue
    from signoff.queue.records import Grant
    from signoff.submission import CallOrigin, RequestedCall
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = ["ApprovalCallback", "ApprovalController", "Mode"]


ApprovalCallback = Callable[["ApprovalRequest"], "ApprovalDecision | Awaitable[ApprovalDecision]"]
"""A function that asks a person itself, instead of the queue."""

_ENRICHING = "_enrich_presentation"


class ApprovalController:
    """Decides about requests: by mode, by remembered approvals, or by asking a person.

    In mode ``interactive`` a request goes to `approval_callback` if one was given, else to the queue, where
    it waits for a reviewer. ``approve_all`` approves and ``strict`` refuses everything that needs approval.
    A call that a tool blocks (`PermissionError`) never reaches the controller and stays blocked in every mode.

    Args:
        mode: ``interactive``, ``approve_all`` or ``strict``; else the mode of ``SIGNOFF_MODE``, else
            ``interactive``. Of two modes the stricter one holds; a callback counts as ``interactive``.
        approval_callback: Asks a person; synchronous or asynchronous. A synchronous one is called in a
            thread when the request comes from asynchronous code. A subclass may define it as the method
            ``_prompt_user`` instead, and may give requests a presentation in ``_enrich_presentation``. Where it
            approves for the session a call that is never remembered, its note and a `RuntimeWarning` say so.
        queue: An open agent connection. In interactive mode without a callback the default queue is opened
            when it is first needed. Given one, every decision is in its history, also those by mode,
            memory and callback, and reviewers see the mode while the connection is there.
        memory: Remembered approvals of this process, shared if you pass the same one to several
            controllers. Approvals remembered through a queue live in the queue.
        cwd: Absolute working directory of the calls; that of the queue connection by default.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself; else the
            time of ``SIGNOFF_EXPIRES_IN``, else never. An expiry is a refusal of its own, and nobody's no. The
            time that is set nearest to the call holds: by the tool or `@requires_approval`, then by the toolset or
            middleware, then here, then in the environment.
        watcher: Told of each request while it waits in the queue: for programs that show or count them.

    Raises:
        ValueError: The mode or `expires_in`, or the one in the environment, cannot be used.
        TypeError: `expires_in` is neither a number nor a `timedelta`.
    """

    def __init__(
        self,
        mode: Mode | None = None,
        approval_callback: ApprovalCallback | None = None,
        *,
        queue: AgentQueue | None = None,
        memory: ApprovalMemory | None = None,
        cwd: str | None = None,
        expires_in: ExpiresIn | None = None,
        watcher: AskingWatcher | None = None,
    ) -> None:
        self._watcher = watcher
        self._expires_in = expires_in_environment() if expires_in is None else seconds_of(expires_in)
        self._callback = approval_callback if approval_callback is not None else _own_prompt(self)
        # Handing in a function that asks means that it is to be asked.
        self._mode = chosen_mode(mode or ("interactive" if self._callback is not None else None))
        self._queue = queue
        self._memory = memory if memory is not None else ApprovalMemory()
        self._cwd = cwd
        self._judged = JudgedCalls()
        self._definitions = KnownDefinitions()
        self._opening = threading.Lock()
        self._announced_as = _Answering()
        self._announced: Mode | None = None
        self._announce_mode()

    @property
    def mode(self) -> Mode:
        """The mode.

        Raises:
            ValueError: On setting: the mode is unknown.
        """
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = known_mode(mode)
        self._announce_mode()

    @property
    def expires_in(self) -> float | None:
        """Seconds after which a request expires that sets no time itself; None for never."""
        return self._expires_in

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
            request: The request of the tool.
            context: The origin of the call: ids, batch, full arguments.

        Returns:
            The decision. Only ``approved is True`` lets the call run; when nobody decided (expired,
            withdrawn, queue lost) it is a refusal whose `source` and `note` give the true reason.

        Raises:
            NotJsonError: The payload or the arguments are not JSON.
            TypeError: The callback did not return an `ApprovalDecision`, or ``_enrich_presentation`` returned
                something else than the request with a presentation.
        """
        request = within(request, self._expires_in)
        request = _at_server(request, context)
        try:
            remembered = self._at_once(request, context)
            if remembered is not None:
                return remembered
            import asyncio  # late: looking it up takes longer than remembering

            from signoff.types import ApprovalDecision

            # Looking at files and at the queue would hold up the event loop.
            found = await asyncio.to_thread(self._without_asking, request, context)
            if isinstance(found, ApprovalDecision):
                return found
            if self._callback is not None:
                return await found.by_callback(self._callback, self._memory, self._queue)
            return await found.by_queue(self._open_queue(context))
        except (QueueError, SnapshotError) as error:
            from signoff.controller.outcomes import failed

            return failed(error)

    def request_approval_sync(
        self, request: ApprovalRequest, context: ApprovalContext | None = None
    ) -> ApprovalDecision:
        """Do as `request_approval` in synchronous code; blocks the calling thread while a person decides.

        Raises:
            NotJsonError: The payload or the arguments are not JSON.
            TypeError: The callback did not return an `ApprovalDecision`, or ``_enrich_presentation`` returned
                something else than the request with a presentation.
        """
        from signoff.types import ApprovalDecision

        request = within(request, self._expires_in)
        request = _at_server(request, context)
        try:
            found = self._at_once(request, context) or self._without_asking(request, context)
            if isinstance(found, ApprovalDecision):
                return found
            if self._callback is not None:
                return found.by_callback_sync(self._callback, self._memory, self._queue)
            return found.by_queue_sync(self._open_queue(context))
        except (QueueError, SnapshotError) as error:
            from signoff.controller.outcomes import failed

            return failed(error)

    # -- remembered approvals -------------------------------------------------------------------------

    def remembered(self, call: PlainCall) -> ApprovalDecision | None:
        """Approve from memory a call that is asked about by its name and arguments alone.

        It saves an adapter from describing a call that nobody has to see: the answer is that of `request_approval`
        for a `simple_approval_request` of all arguments.

        Returns:
            The approval, counted as a use. None if there is none, or if memory alone cannot tell: then
            `request_approval` answers.
        """
        if not self._memory_is_enough():
            return None
        key = call.key
        return self._from_memory(key, lambda: self._judged.plain_may_be_remembered(call))

    def granted(self, call: RequestedCall, origin: CallOrigin) -> Grant | None:
        """Approve by a grant of the queue a call that nobody has described as an `ApprovalRequest` yet.

        It saves a short-lived program from loading the models of requests for a call that nobody has to see: the
        answer is the one that `request_approval` would give, and is recorded like that one.

        Args:
            call: The request, with its server.
            origin: The origin of the call.

        Returns:
            The grant, counted as a use. None if there is none, or if mode, memory or a callback have to:
            then `request_approval` answers.

        Raises:
            NotJsonError: The payload or the arguments are not JSON.
            QueueError: The queue cannot be reached; the call must not run.
            SnapshotError: What the call would do cannot be shown; it must not run.
        """
        if self._queue is None or self._callback is not None or self.mode != "interactive" or len(self._memory):
            return None
        self._follow_queue()
        self._announce_mode()
        used = _by_grant(self._queue, call, self._described(call, origin))
        return None if used is None else used[0]

    def is_session_approved(self, request: ApprovalRequest) -> bool:
        """True if an equal request would be approved without asking. Does not count as a use.

        An approval for a definition of the tool counts only if the request has that definition.
        """
        plain = self._described(request, None)
        if not plain.may_be_remembered:
            return False
        if self._memory.approves(_key_of(plain)):
            return True
        return self._queue is not None and self._queue.has_grant(plain)

    def add_session_approval(self, request: ApprovalRequest) -> None:
        """Approve equal requests for the rest of the session.

        Only under the definition of the tool that the request has; if it has none, under any.

        Raises:
            QueueError: The approval cannot be remembered, for example because the risk is HIGH.
        """
        plain = self._described(request, None)
        if self._queue is not None:
            self._queue.add_grant(plain, by="agent author")
            return
        why_not = never_remembered(plain)
        if why_not is not None:
            raise InvalidSubmissionError(why_not)
        from signoff.types import ApprovalDecision

        yes = ApprovalDecision(approved=True, remember="session", source=DecisionSource.CALLBACK)
        self._memory.store(request.tool_name, request.payload, yes, plain.definition, server=request.server)

    def clear_session_approvals(self) -> None:
        """Forget all approvals of this session."""
        self._memory.clear()
        if self._queue is not None:
            self._queue.clear_grants(by="agent author")

    # -- the steps -------------------------------------------------------------------------------------

    def _at_once(self, request: ApprovalRequest, context: ApprovalContext | None) -> ApprovalDecision | None:
        """Answer from memory where nothing has to be read or recorded; None where that takes more."""
        if request.effects or not self._memory_is_enough():
            return None
        key = _key(request)
        return self._from_memory(key, lambda: self._judged.may_be_remembered(request, context, key[1]))

    def _memory_is_enough(self) -> bool:
        """True if approvals remembered in this process may answer without anything being recorded."""
        return self.mode == "interactive" and self._queue is None and len(self._memory) > 0

    def _from_memory(self, key: CallKey, may_be_remembered: Callable[[], bool]) -> ApprovalDecision | None:
        if not self._memory.approves(key) or not may_be_remembered():
            return None
        return self._memory.use(key)

    def _without_asking(
        self, request: ApprovalRequest, context: ApprovalContext | None
    ) -> ApprovalDecision | Asking:
        """Return the answer by mode, memory or grant; else the request that a person has to be asked."""
        from signoff.controller.asking import by_memory, taken_if_possible
        from signoff.controller.outcomes import from_grant, from_mode, to_queue

        self._follow_queue()
        self._announce_mode()  # in case it could not be announced before
        decision = from_mode(self.mode)
        if decision is not None:
            snapshot = taken_if_possible(request) if decision.approved else None
            if self._queue is not None:
                self._queue.record(self._described(request, context), to_queue(decision))
            return decision.with_snapshot(snapshot)
        plain = self._described(request, context)
        key = _key_of(plain)
        if self._memory.approves(key):
            decision = by_memory(self._memory, key, request, plain)
            if decision is not None:
                if self._queue is not None:
                    self._queue.record(plain, to_queue(decision))
                return decision
        if self._queue is not None or self._callback is None:
            used = _by_grant(self._open_queue(context), request, plain)
            if used is not None:
                grant, snapshot = used
                return from_grant(grant).with_snapshot(snapshot if snapshot.steps else None)
        return self._asking(request, plain, context)

    def _open_queue(self, context: ApprovalContext | None) -> AgentQueue:
        """The queue; the default one is opened on first use, and named after its first user."""
        if self._queue is None:
            from signoff.connection import connect_caller

            with self._opening:
                if self._queue is None:
                    self._queue = connect_caller({} if context is None else context.metadata, cwd=self._cwd)
            self._announce_mode()
        return self._queue

    def _follow_queue(self) -> None:
        """If the queue is gone, go on with the one that is there now."""
        there = None if self._queue is None else self._queue.replacement()
        if there is not None:
            self._queue, self._announced = there, None

    def _announce_mode(self) -> None:
        """Announce the mode to reviewers. No answer depends on it, or on whether it can be announced."""
        mode = self._mode
        if self._queue is not None and mode != self._announced:
            with contextlib.suppress(QueueError):
                self._queue.announce_mode(AgentMode(mode), of=self._announced_as)
                self._announced = mode

    def _described(self, request: RequestedCall, context: CallOrigin | None) -> Submission:
        from signoff.submission import plain_submission

        cwd = self._cwd or (self._queue.agent.cwd if self._queue is not None else None)
        return plain_submission(request, context, cwd=cwd)

    def _asking(self, request: ApprovalRequest, plain: Submission, context: ApprovalContext | None) -> Asking:
        """The request to ask a person, with a remark if an equal call was approved under another definition."""
        from signoff.controller.asking import Asking

        if request.definition is not None:
            others = [*self._memory.other_definitions(_key_of(plain))]
            if self._queue is not None:
                others += other_definitions(self._queue, request)
            request = self._definitions.since_approved(request, others)
            plain = replace(plain, why=request.why)
        enriches = getattr(type(self), _ENRICHING) is not getattr(ApprovalController, _ENRICHING)
        enrich = self._enrich_presentation if enriches else None
        return Asking(request, plain, context, self._definitions, enrich, self._watcher)

    # -- presentations by subclasses -------------------------------------------------------------------

    async def _enrich_presentation(self, request: ApprovalRequest) -> ApprovalRequest:
        """Give a request a presentation before a person is asked; a subclass may make it a plain method, too.

        Called only when neither the mode nor a remembered approval answers, so it may read files and take its
        time. The presentation is shown as one that the tool sent, after the declared effects.

        Args:
            request: The request of the tool.

        Returns:
            The request, or a copy of it with another `presentation`; nothing else of it may differ.
        """
        return request


class _Answering:
    """Stands for one controller among those that share a connection; its mode ends with it."""


def _key(request: ApprovalRequest) -> CallKey:
    """The key of a remembered approval for the request."""
    definition = request.definition
    digest = None if definition is None else definition.digest
    return call_key(request.tool_name, request.payload, digest, server=request.server)


def _key_of(plain: Submission) -> CallKey:
    """The key, as of `_key`, of the described request."""
    return plain.tool_name, plain.payload_key, plain.definition, plain.server


def _at_server(request: ApprovalRequest, context: ApprovalContext | None) -> ApprovalRequest:
    """The request with the server of the call, if only its runner names one."""
    if request.server is not None or context is None or not context.server:
        return request
    return request.model_copy(update={"server": context.server})


def _by_grant(queue: AgentQueue, request: RequestedCall, plain: Submission) -> tuple[Grant, Snapshot] | None:
    """Use one of the session's grants, after a check of the real targets of the call; None if none covers it."""
    from signoff.submission import submission_with_snapshot

    # Without effects there is nothing to check first, and a miss looks at the grants once, below.
    if not plain.may_be_remembered or (request.effects and not queue.has_grant(plain)):
        return None
    bound, snapshot = submission_with_snapshot(request, plain)
    grant = queue.use_grant(bound)
    return None if grant is None else (grant, snapshot)


def _own_prompt(controller: ApprovalController) -> ApprovalCallback | None:
    """The method by which a subclass asks a person itself, if it has one."""
    prompt: ApprovalCallback | None = getattr(controller, "_prompt_user", None)
    return prompt
