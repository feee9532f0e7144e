"""Agents and reviewers that are killed.

Each notes in a file of its own what it was told, in one write per line, so that a kill never leaves half a line.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from signoff.canonical import canonical, digest
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    DecideResult,
    Decision,
    QueueError,
    ReviewQueue,
    StoredRequest,
    Submission,
    open_agent_queue,
    open_review_queue,
)

AGAIN = 0.1
"""Seconds until somebody who lost the queue tries again."""

TOGETHER = 4
"""Most requests that are decided in one act."""


class Notes:
    """Lines that survive the death of whoever writes them.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self._path = path

    def add(self, *words: object) -> None:
        """Add a line."""
        os.write(self._descriptor, (" ".join(map(str, words)) + "\n").encode("ascii"))

    def count(self, *first_words: str) -> int:
        """How many lines begin with one of these words."""
        return sum(line.split()[0] in first_words for line in self._path.read_text(encoding="ascii").splitlines())


def agent(place: str, name: str, folder: str) -> None:
    """Ask for one call after the other, and run what was approved: running is noting it."""
    notes = Notes(Path(folder) / f"agent-{name}")
    done = notes.count("ran", "did-not-run")
    while True:
        with _noting_loss(notes), open_agent_queue(AgentInfo(name, name, folder), place) as queue:
            while True:
                _ask(queue, f"{name}-{done}", notes)
                done += 1
        time.sleep(AGAIN)


@contextlib.contextmanager
def _noting_loss(notes: Notes) -> Iterator[None]:
    try:
        yield
    except QueueError as error:
        notes.add("lost", type(error).__name__, str(error).encode("ascii", "backslashreplace").decode("ascii"))


def _ask(queue: AgentQueue, key: str, notes: Notes) -> None:
    asked = queue.submit(_call(key))
    outcome = queue.wait(asked.id)
    same = (outcome.request.revision, outcome.request.submission.digest) == (
        asked.revision,
        asked.submission.digest,
    )
    if outcome.approved and outcome.ours and same:
        notes.add("ran", key, asked.id, asked.revision)
    else:
        notes.add("did-not-run", key, asked.id, outcome.request.revision, outcome.request.state.value)


def _call(key: str) -> Submission:
    payload = {"path": f"{key}.txt", "padding": key * 20}
    return Submission(
        key=key,
        tool_name="write_file",
        description=f"write {key}.txt",
        payload=payload,
        payload_key=canonical(payload),
        arguments=payload,
        digest=digest(payload),
        cwd="/work",
    )


def reviewer(place: str, name: str, folder: str) -> None:
    """Decide whatever waits, one by one and several together, and note which decisions were taken."""
    notes = Notes(Path(folder) / f"reviewer-{name}")
    while True:
        with _noting_loss(notes), open_review_queue(place, reviewer=name) as queue:
            asyncio.run(_review(queue, notes))
        time.sleep(AGAIN)


async def _review(queue: ReviewQueue, notes: Notes) -> None:
    dice = random.Random()
    async for changed in queue.watch():
        waiting = [change.request for change in changed.changes if change.request.pending]
        while waiting:
            together = [waiting.pop() for _ in range(min(len(waiting), dice.randint(1, TOGETHER)))]
            decision = Decision(approved=dice.random() < 0.7, note="as the dice fell")
            for verdict in await asyncio.to_thread(_decide, queue, together, decision):
                if verdict.accepted and verdict.current is not None:
                    notes.add("decided", verdict.request_id, verdict.current.revision, decision.approved)


def _decide(queue: ReviewQueue, shown: list[StoredRequest], decision: Decision) -> tuple[DecideResult, ...]:
    targets = [(each.id, each.revision, each.submission.digest) for each in shown]
    return queue.decide_many(targets, decision) if len(targets) > 1 else (queue.decide(*targets[0], decision),)


def live(role: str, place: str, name: str, folder: str, log: str) -> None:
    """Be an agent or a reviewer, until killed.

    Args:
        role: "agent" or "reviewer".
        place: The queue.
        name: Its name.
        folder: Where it keeps its notes.
        log: The file for whatever else it says.
    """
    descriptor = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    {"agent": agent, "reviewer": reviewer}[role](place, name, folder)
