"""Waiting for the answer to a request that a shell script asks, and what a signal does meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from signoff.cli.output import complain
from signoff.queue.errors import QueueError

if TYPE_CHECKING:
    from types import FrameType

    from signoff.controller import Mode
    from signoff.queue.protocol import AgentQueue
    from signoff.queue.records import StoredRequest, Submission
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = ["Answer", "Asker", "StoppedBySignal", "ask_and_wait", "stoppable"]

AGENT_NAME = "shell"
"""How a script is called on screen when nobody gave it a name."""

_STOPPING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, where, and how the answer is found.

    Attributes:
        name: Name on screen; ``SIGNOFF_AGENT`` or `AGENT_NAME` by default.
        session: Identity of the conversation; ``SIGNOFF_SESSION`` or a new one by default.
        place: The queue, or None for the default.
        mode: ``interactive``, ``approve_all`` or ``strict``.
    """

    name: str | None
    session: str | None
    place: str | None
    mode: Mode


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        decision: The answer.
        request_id: The request that was posted, or None if nobody had to be asked.
        failure: Why it could not be posted, if so.
    """

    decision: ApprovalDecision
    request_id: str | None
    failure: QueueError | None


class StoppedBySignal(BaseException):
    """The process was told to stop. Not an `Exception`, so that nothing on the way mistakes it for an error."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `StoppedBySignal` in the block for SIGHUP, SIGINT and SIGTERM.

    A signal that the parent process chose to ignore (``nohup``, background jobs) stays ignored.
    """

    def stop(number: int, _: FrameType | None) -> None:
        raise StoppedBySignal(number)

    before = {number: signal.getsignal(number) for number in _STOPPING}
    watched = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in watched:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in watched:
            signal.signal(number, before[number])


def ask_and_wait(request: ApprovalRequest, context: ApprovalContext, asker: Asker) -> Answer:
    """Ask and wait; leaving in any other way than by an answer withdraws the request."""
    from signoff.connecting import connect_agent
    from signoff.controller import ApprovalController
    from signoff.types import ApprovalDecision, DecisionSource

    name = asker.name or os.environ.get("SIGNOFF_AGENT") or AGENT_NAME
    try:
        connection = connect_agent(name, session=asker.session, place=asker.place, via="signoff ask")
    except QueueError as error:
        refusal = ApprovalDecision(approved=False, note=str(error), mode="soft", source=DecisionSource.ERROR)
        return Answer(refusal, None, error)
    with connection as queue:
        announcing = _Announcing(queue)
        controller = ApprovalController(asker.mode, queue=cast("AgentQueue", announcing))
        decision = controller.request_approval_sync(request, context)
    return Answer(decision, announcing.posted_id, announcing.failure)


class _Announcing:
    """An agent connection that tells the person at the terminal what waits, under which id."""

    def __init__(self, queue: AgentQueue) -> None:
        self._queue = queue
        self.posted_id: str | None = None
        self.failure: QueueError | None = None

    def submit(self, submission: Submission) -> StoredRequest:
        try:
            posted = self._queue.submit(submission)
        except QueueError as error:
            self.failure = error
            raise
        self.posted_id = posted.id
        if posted.pending:
            complain(f"waiting for a reviewer: signoff show {posted.id[:8]}")
        return posted

    def amend(self, request_id: str, submission: Submission) -> StoredRequest:
        complain(f"what was approved changed meanwhile, asking again: signoff show {request_id[:8]}")
        return self._queue.amend(request_id, submission)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)
