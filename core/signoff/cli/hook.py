"""`signoff hook`: the command that a coding agent runs before each of its calls.

Standard output is for the answer alone: a single line more, and the agent would run the call. Whatever goes wrong,
the answer is no. A call that nobody is asked about loads no command-line library, no models and no queue.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from signoff.adapters.hooks import DIALECTS, dialect
from signoff.adapters.hooks.calls import NO_OPINION, REFUSED, Dialect, EventError, HookCall, Reply, parsed_event

if TYPE_CHECKING:
    from types import FrameType

    from signoff.adapters.hooks.requests import AskedHookCall
    from signoff.controller import ApprovalController

__all__ = ["MARGIN", "HookOptions", "parse_plain_call", "run_hook"]

_BEGAN = time.monotonic()
MARGIN = 10.0
"""So many seconds before the agent's own timeout a request expires: after it, the agent would run the call."""


class HookOptions(NamedTuple):
    """A call of `hook` on the command line.

    Attributes:
        agent: Name of the dialect.
        place: The queue, or None for the default.
        timeout: Seconds after which the agent no longer waits; None for those of the guide.
    """

    agent: str
    place: str | None = None
    timeout: float | None = None


def parse_plain_call(arguments: Sequence[str]) -> HookOptions | None:
    """Recognize a plain call of `hook`, as it stands in an agent's settings.

    Args:
        arguments: The words after the program's name.

    Returns:
        The call, or None for every other command and for anything unusual: the full parser handles those.
    """
    match arguments:
        case ["hook", agent] if agent in DIALECTS:
            return HookOptions(agent)
        case ["hook", agent, "--queue", place] if agent in DIALECTS and place:
            return HookOptions(agent, place)
        case _:
            return None


def run_hook(options: HookOptions) -> NoReturn:
    """Answer the event on standard input, and end the process: nothing that happens later may change its code."""
    output = -1
    spoken = dialect(options.agent)
    call: HookCall | None = None
    try:
        output = os.dup(1)
        os.dup2(2, 1)  # whatever a library prints is no answer
        with _in_time(options.timeout or spoken.timeout):
            call = spoken.read(parsed_event(sys.stdin.buffer.read()))
            reply = spoken.unasked if call is None else _answer(spoken, call, options, output)
    except EventError as error:
        reply = spoken.refused(None, f"not run: {error}", hard=False)
    except BaseException as error:  # noqa: BLE001 - whatever it is, also Ctrl+C: the call must not run
        reason = f"not run: a fault in signoff itself ({type(error).__name__}: {error})"
        reply = spoken.refused(call, reason, hard=False)
    os._exit(_say(reply, output))


def _answer(spoken: Dialect, call: HookCall, options: HookOptions, output: int) -> Reply:
    from signoff.cli.ask_wait import AnsweredElsewhere, Stopped, stoppable

    try:
        with stoppable():
            return _decided(spoken, call, options, output)
    except AnsweredElsewhere:
        return NO_OPINION
    except Stopped as stopped:
        return spoken.refused(call, f"not run: {stopped}", hard=False)


def _decided(spoken: Dialect, call: HookCall, options: HookOptions, output: int) -> Reply:
    from signoff.adapters.hooks.requests import agent_name, asked_call, reply_to
    from signoff.canonical import NotJsonError
    from signoff.cli.ask_wait import Asker, asking
    from signoff.effects import SnapshotError
    from signoff.queue.errors import QueueError

    timeout = options.timeout or spoken.timeout
    answered_elsewhere = spoken.answered_elsewhere(call)
    try:
        asked = asked_call(spoken, call)
        asker = Asker(
            name=os.environ.get("SIGNOFF_AGENT") or agent_name(spoken, call),
            session=call.session,
            place=options.place,
            mode="interactive",  # the variables may be a project's, which must not say yes in a person's place
            cwd=call.cwd,
            via=f"{spoken.title} hook",
            program=spoken.title,
            output=output,
            announces=False,
            answered_elsewhere=answered_elsewhere,
        )
        left = timeout - MARGIN - (time.monotonic() - _BEGAN)
        if left <= 0:
            return spoken.refused(call, f"not run: it took too long to show the call: {-left:.0f} s", hard=False)
        asked = asked._replace(expires_in=left)
        try:
            with asking(asker, left) as (controller, _):
                if _is_of_a_stopped_turn(controller, asked):
                    return spoken.refused(call, "not run: the reviewer stopped this turn", hard=True)
                if controller.granted(asked, asked) is not None:  # nobody is asked: it takes no models
                    return spoken.approved(call, "", None)
                decision = controller.request_approval_sync(*asked.as_models())
        except (QueueError, SnapshotError) as error:
            from signoff.controller.outcomes import failed

            decision = failed(error)
    except (SnapshotError, NotJsonError) as error:
        return spoken.refused(call, f"not run: {error}", hard=False)
    return reply_to(spoken, call, decision)


def _is_of_a_stopped_turn(controller: ApprovalController, asked: AskedHookCall) -> bool:
    """True if a reviewer stopped an earlier call of its turn: Claude Code goes on with the calls behind it."""
    turn, queue = asked.metadata.get("batch_id"), controller.queue
    if turn is None or queue is None or asked.metadata["batch_position"] == 0:
        return False
    return queue.is_stopped(turn)


@contextmanager
def _in_time(timeout: float) -> Iterator[None]:
    """Stop in time if the request has not: the queue may hang, or its clock be late."""
    import signal

    def stop(_: int, __: FrameType | None) -> None:
        from signoff.cli.ask_wait import Stopped
        from signoff.cli.exit_codes import ExitCode

        raise Stopped(f"nobody answered within {timeout:g} seconds", ExitCode.EXPIRED)

    before = signal.signal(signal.SIGALRM, stop)
    # Again and again: where Python drops an exception, the wait would go on.
    signal.setitimer(signal.ITIMER_REAL, timeout - MARGIN / 2, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _say(reply: Reply, output: int) -> int:
    """Hand over an answer; returns the exit code, which is a no where nobody could take all of the answer."""
    code = reply.exit_code
    try:
        _write(output, reply.line.encode("ascii"))
    except OSError:
        code = REFUSED
    if reply.reason:
        with suppress(OSError):
            _write(2, f"{reply.reason}\n".encode("utf-8", "backslashreplace"))
    return code


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
