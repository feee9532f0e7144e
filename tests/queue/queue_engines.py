"""The engines that the conformance tests run on, and how to open connections to each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from signoff.queue import (
    AgentInfo,
    AgentQueue,
    ReviewQueue,
    open_agent_queue,
    open_review_queue,
)


class SqliteOpener:
    """Opens connections to one SQLite queue and closes them all in the end."""

    def __init__(self, directory: Path) -> None:
        self.place = directory / "queue"
        self._open: list[AgentQueue | ReviewQueue] = []

    def agent(self, name: str = "refactor", session: str = "s-41") -> AgentQueue:
        """Connect an agent."""
        queue = open_agent_queue(AgentInfo(name, session, "/work"), self.place)
        self._open.append(queue)
        return queue

    def review(self, reviewer: str = "anna") -> ReviewQueue:
        """Connect a reviewer."""
        queue = open_review_queue(self.place, reviewer=reviewer)
        self._open.append(queue)
        return queue

    def crash(self, queue: AgentQueue | ReviewQueue) -> None:
        """Leave a connection as the death of its process does: nothing is said, the kernel lets go."""
        self._open.remove(queue)
        queue._engine.close()
        if hasattr(queue, "_lease"):
            queue._lease.release()

    def close(self) -> None:
        """Close every connection."""
        for queue in reversed(self._open):
            queue.close()


ENGINES: dict[str, Callable[[Path], SqliteOpener]] = {"sqlite": SqliteOpener}
