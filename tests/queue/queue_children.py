"""Programs that tests start as processes of their own: ``python queue_children.py ROLE PLACE …``.

Each speaks in lines: it prints what it did at once, and waits for a line where a test has to say go. Many are
started, so each loads only what it needs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from queue_samples import PATIENCE, approve, call, target

from signoff.canonical import canonical
from signoff.controller import ApprovalController
from signoff.queue import (
    AgentInfo,
    Decision,
    QueueGoneError,
    QueueUnavailableError,
    open_agent_queue,
    open_review_queue,
)


@contextlib.contextmanager
def child(role: str, place: str | Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program of this file; it is killed in the end if it still runs."""
    with subprocess.Popen(
        [sys.executable, __file__, role, str(place), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that the program prints; a program that prints none in time is killed."""
    assert process.stdout is not None
    in_time = threading.Timer(PATIENCE, process.kill)
    in_time.start()
    try:
        return process.stdout.readline().rstrip("\n")
    finally:
        in_time.cancel()


def tell(process: subprocess.Popen[str], line: str = "go") -> None:
    """Send the program a line."""
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def ask(place: str, key: str) -> None:
    """Post a request, print its id, wait, print how it ended."""
    with open_agent_queue(AgentInfo("child", f"s-{key}", "/"), place) as agent:
        posted = agent.submit(call(key))
        _say(posted.id)
        try:
            _say(agent.wait(posted.id).request.state)
        except QueueGoneError as error:
            _say(str(error))


def ask_async(place: str, key: str) -> None:
    """Like `ask`, as a coroutine."""
    import asyncio

    async def main() -> None:
        with open_agent_queue(AgentInfo("child", f"s-{key}", "/"), place) as agent:
            posted = await agent.asubmit(call(key))
            _say(posted.id)
            try:
                _say((await agent.await_outcome(posted.id)).request.state)
            except QueueGoneError as error:
                _say(str(error))

    asyncio.run(main())


def ask_on(place: str) -> None:
    """On each line, have one controller ask about a call of that name; print the answer."""
    from signoff import simple_approval_request

    os.environ["SIGNOFF_QUEUE"] = place
    controller = ApprovalController()
    for line in sys.stdin:
        answer = controller.request_approval_sync(simple_approval_request(line.strip(), {}))
        _say("approved" if answer.approved else str(answer.note))


def ask_on_async(place: str) -> None:
    """Like `ask_on`, as a coroutine."""
    import asyncio

    from signoff import simple_approval_request

    async def main() -> None:
        os.environ["SIGNOFF_QUEUE"] = place
        controller = ApprovalController()
        for line in sys.stdin:
            answer = await controller.request_approval(simple_approval_request(line.strip(), {}))
            _say("approved" if answer.approved else str(answer.note))

    asyncio.run(main())


def use_grants(place: str, session: str, path: str) -> None:
    """Ask to write a file and print its id; on each line, say whether a grant answers the same call."""
    payload = {"path": path}
    submission = call("first", payload=payload, payload_key=canonical(payload))
    with open_agent_queue(AgentInfo("child", session, "/"), place) as agent:
        _say(agent.submit(submission).id)
        for _ in sys.stdin:
            _say("ask" if agent.use_grant(submission) is None else "go")


def flood(place: str) -> None:
    """Post for ever; print each id when the queue has acknowledged it."""
    agent = open_agent_queue(AgentInfo("child", "s-flood", "/"), place)
    for n in range(10**9):
        _say(agent.submit(call(f"k{n}")).id)


def race(place: str, reviewer: str) -> None:
    """On a line, approve everything one by one; print the ids that this process decided."""
    with open_review_queue(place, reviewer=reviewer) as review:
        waiting = review.pending()
        _say("ready")
        sys.stdin.readline()
        won = [request.id for request in waiting if approve(review, request).accepted]
        _say(" ".join(won))


def race_many(place: str, reviewer: str) -> None:
    """Like `race`, all at once."""
    with open_review_queue(place, reviewer=reviewer) as review:
        waiting = review.pending()
        _say("ready")
        sys.stdin.readline()
        verdicts = review.decide_many([target(each) for each in waiting], Decision(approved=True))
        _say(" ".join(verdict.request_id for verdict in verdicts if verdict.accepted))


def watch(place: str) -> None:
    """Print id and state of everything that changes."""
    import asyncio

    async def main() -> None:
        with open_review_queue(place, reviewer="child") as review:
            async for found in review.watch():
                for change in found.changes:
                    _say(f"{change.request.id} {change.request.state}")
                _say("looked")

    asyncio.run(main())


def fork(place: str) -> None:
    """Fork with an open connection; print what the child may do with it, then post in the parent."""
    agent = open_agent_queue(AgentInfo("child", "s-fork", "/"), place)
    review = open_review_queue(place)
    before = agent.submit(call("before"))
    if os.fork() == 0:
        for act in (lambda: agent.submit(call("child")), review.pending):
            try:
                act()
            except QueueUnavailableError as error:
                _say(str(error))
        agent.close()
        review.close()
        os._exit(0)
    os.wait()
    agent.submit(call("after"))
    _say(review.get(before.id).state)
    sys.stdin.readline()


def leave_child_behind(place: str) -> None:
    """Post a request, print its id, fork a child that lives on until its input ends, and wait."""
    agent = open_agent_queue(AgentInfo("child", "s-fork", "/"), place)
    posted = agent.submit(call("before"))
    if os.fork() == 0:
        sys.stdin.read()
        _say("the child lived")
        os._exit(0)
    _say(posted.id)
    signal.pause()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    roles = (
        ask,
        ask_async,
        ask_on,
        ask_on_async,
        use_grants,
        flood,
        race,
        race_many,
        watch,
        fork,
        leave_child_behind,
    )
    {role.__name__: role for role in roles}[sys.argv[1]](*sys.argv[2:])
