"""The wait for the answer to a script's request, and the events that end it early."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from signoff.cli.exit_codes import ExitCode
from signoff.queue.errors import QueueError
from signoff.queue.interrupts import NobodyWaits

if TYPE_CHECKING:
    from types import FrameType

    from signoff.controller import ApprovalController, Mode
    from signoff.queue.protocol import AgentQueue
    from signoff.queue.records import Outcome, StoredRequest, Submission
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = [
    "AnsweredElsewhere",
    "AskAnswer",
    "Asker",
    "Stopped",
    "ask_and_wait",
    "asking",
    "program_of",
    "stoppable",
]

AGENT_NAME = "shell"
"""The name on screen of a script without a name."""

_STOPPING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Asker:
    """The agent that asks, its queue, and its mode.

    Attributes:
        name: Name on screen; ``SIGNOFF_AGENT`` or `AGENT_NAME` by default.
        session: Identity of the conversation; ``SIGNOFF_SESSION`` or a new one by default.
        place: The queue, or None for the default.
        mode: ``interactive``, ``approve_all`` or ``strict``; that of ``SIGNOFF_MODE`` by default.
        cwd: Absolute working directory; the process's own by default.
        via: The way in which it asks.
        program: The program that it runs in; the parent process by default.
        output: File descriptor of whoever reads the answer.
        announces: True if standard error tells that a reviewer is waited for.
        answered_elsewhere: Tells where else the call was answered, in words; "" while it waits.
    """

    name: str | None
    session: str | None
    place: str | None
    mode: Mode | None
    cwd: str | None = None
    via: str = "signoff ask"
    program: str | None = None
    output: int = 1
    announces: bool = True
    answered_elsewhere: Callable[[], str] = str


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """The answer to a question.

    Attributes:
        decision: The answer.
        request_id: Id of the posted request, or None if nobody had to be asked.
        failure: Reason why the request could not be posted, or None.
    """

    decision: ApprovalDecision
    request_id: str | None
    failure: QueueError | None


class Stopped(NobodyWaits):
    """The wait was ended from outside: by a signal, or because nobody is left to use the answer.

    Args:
        reason: The reason that is recorded with the request.
        exit_code: The exit code of the command.
    """

    def __init__(self, reason: str, exit_code: int) -> None:
        super().__init__(reason)
        self.exit_code = exit_code


class AnsweredElsewhere(Stopped):
    """The wait was ended because whoever asked has another answer."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `Stopped` in the block for SIGHUP, SIGINT and SIGTERM.

    A signal that the parent process chose to ignore (``nohup``, background jobs) stays ignored.
    """

    def stop(number: int, _: FrameType | None) -> None:
        raise Stopped(f"stopped by {signal.Signals(number).name}", 128 + number)

    before = {number: signal.getsignal(number) for number in _STOPPING}
    watched = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in watched:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in watched:
            signal.signal(number, before[number])


def users_of_the_answer(output: int, answered_elsewhere: Callable[[], str]) -> Callable[[], None]:
    """Return a check for the parent process and the reader of the output, as they are now.

    It raises `Stopped` once one of them is gone: then nobody runs the call, whatever the answer is. A parent that
    was already gone, or that started the command with ``nohup``, is not watched. It raises `AnsweredElsewhere`
    once nobody needs the answer any more.
    """
    parent = os.getppid()
    detached = parent == 1 or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    reader = select.poll()
    with contextlib.suppress(OSError):  # there may be no output
        os.fstat(output)
        reader.register(output, 0)

    def check() -> None:
        if not detached and os.getppid() != parent:
            raise Stopped(f"the process that asked is gone (process {parent})", ExitCode.WITHDRAWN)
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in reader.poll(0)):
            raise Stopped("nobody reads the answer any more: standard output is closed", ExitCode.BROKEN_PIPE)
        if where := answered_elsewhere():
            raise AnsweredElsewhere(f"answered {where}", ExitCode.WITHDRAWN)

    return check


def program_of(pid: int) -> str:
    """Return the name of a process for people: its program, and the script that it runs; "" if unknown."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").rstrip("\0").split("\0")
    except OSError:
        return ""
    program = Path(words[0].removeprefix("-")).name  # a shell at its login
    script = words[1] if len(words) > 1 and Path(words[1]).suffix and not words[1].startswith("-") else ""
    return f"{program} {Path(script).name}" if script else program


def ask_and_wait(request: ApprovalRequest, context: ApprovalContext, asker: Asker) -> AskAnswer:
    """Ask and wait; any end of the wait other than an answer withdraws the request."""
    try:
        with asking(asker, request.expires_in) as (controller, announcing):
            decision = controller.request_approval_sync(request, context)
    except QueueError as error:  # there is no connection
        from signoff.controller.outcomes import failed

        return AskAnswer(failed(error), None, error)
    return AskAnswer(decision, announcing.posted_id, announcing.failure)


@contextmanager
def asking(asker: Asker, expires_in: float | None) -> Iterator[tuple[ApprovalController, _Announcing]]:
    """Connect a controller to the queue.

    Args:
        asker: The agent that asks.
        expires_in: Seconds after which a request expires; ``SIGNOFF_EXPIRES_IN`` by default.

    Raises:
        QueueError: The queue cannot be opened; the message says what to do.
    """
    from signoff.connection import connect_agent
    from signoff.controller import ApprovalController

    with connect_agent(
        asker.name or os.environ.get("SIGNOFF_AGENT") or AGENT_NAME,
        session=asker.session,
        place=asker.place,
        cwd=asker.cwd,
        via=asker.via,
        program=program_of(os.getppid()) if asker.program is None else asker.program,
    ) as queue:
        announcing = _Announcing(queue, asker)
        yield (
            ApprovalController(
                asker.mode, queue=cast("AgentQueue", announcing), expires_in=expires_in, cwd=asker.cwd
            ),
            announcing,
        )


class _Announcing:
    """An agent connection that tells the person at the terminal the id of the waiting request."""

    def __init__(self, queue: AgentQueue, asker: Asker) -> None:
        self._queue = queue
        self._tell = _say if asker.announces else _say_nothing
        self._check = users_of_the_answer(asker.output, asker.answered_elsewhere)
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
            self._tell(f"waiting for a reviewer: signoff show {posted.id[:8]}")
        return posted

    def amend(self, request_id: str, submission: Submission) -> StoredRequest:
        self._tell(f"what was approved changed meanwhile, asking again: signoff show {request_id[:8]}")
        return self._queue.amend(request_id, submission)

    def wait(self, request_id: str) -> Outcome:
        return self._queue.wait(request_id, self._check)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


def _say(words: str) -> None:
    from signoff.cli.output import complain

    complain(words)


def _say_nothing(_: str) -> None:
    pass
