"""The service behind the routes: the runs and their host, and the queue as reviewers see it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from signoff.config.models import AgentConfig
from signoff.queue import open_review_queue
from signoff.queue.errors import QueueAwayError, QueueError
from signoff.queue.protocol import ReviewQueue
from signoff.queue.records import DecideResult, Decision, new_id
from signoff.server.access import HttpError
from signoff.server.host import CANNOT_START, HostFiles, ProcessLock, is_locked, start_host
from signoff.server.runs import Run, RunMode, RunStore

__all__ = ["LONGEST_NOTE", "Service", "check_note"]

LONGEST_NOTE = 10_000
"""The most characters of a note: agents read all of it."""

_AWAY_SECONDS = 1.0
"""Between two looks at a server of the queue that is away."""

_LOOK_SECONDS = 1.0
"""Seconds between two looks for the host."""

_log = logging.getLogger("signoff.server")


def check_note(note: str | None) -> None:
    """Refuse a note, or a reason, that is too long for an agent to read.

    Raises:
        HttpError: It is longer than `LONGEST_NOTE`.
    """
    if note is not None and len(note) > LONGEST_NOTE:
        raise HttpError(400, f"nothing was decided: your words are longer than {LONGEST_NOTE} characters")


class Service:
    """The server behind its routes.

    Args:
        settings: The path of the settings file.
        config: Its content.
        directory: The directory of the runs.
        place: The queue; None for the default one.
    """

    def __init__(self, settings: Path, config: AgentConfig, directory: Path, place: str | None) -> None:
        self.config = config
        self.runs = RunStore(directory)
        self._settings = settings
        self.place = place
        self._files = HostFiles(directory, new_id())
        self._lock = ProcessLock(self._files.server)
        self._host: subprocess.Popen[bytes] | None = None
        self._cannot_start = False
        self._guard = threading.Lock()
        self._reviewers: dict[str, ReviewQueue] = {}

    # -- runs -------------------------------------------------------------------------------------------------

    def agent_named(self, name: str | None) -> str:
        """Return the name of the agent that is meant: the only one, if none is named.

        Raises:
            HttpError: There is no such agent, or there are several.
        """
        names = sorted(self.config.agents)
        if name is None and len(names) == 1:
            return names[0]
        if name is None:
            raise HttpError(400, f"Missing required field: agent; it is one of: {', '.join(names) or 'none'}")
        if name not in names:
            raise HttpError(400, f"there is no agent {name!r}; the settings name: {', '.join(names) or 'none'}")
        return name

    async def create_run(self, agent: str, session: str | None, mode: RunMode, text: str) -> Run:
        """Store a run; the host performs it."""
        run = await asyncio.to_thread(self.runs.create, self._files.ident, agent, session, mode, text)
        _log.info("run created", extra={"facts": {"run": run.id, "agent": agent, "mode": mode}})
        return run

    async def supervise(self) -> None:
        """Keep a host running, and end the runs of hosts that are gone; for ever."""
        while True:
            try:
                await asyncio.to_thread(self._check_hosts)
            except Exception as error:  # noqa: BLE001 - the server goes on, and looks again
                _log.error("cannot look after the runs", extra={"facts": {"error": repr(error)}})
            await asyncio.sleep(_LOOK_SECONDS)

    def _check_hosts(self) -> None:
        if self.config.agents and self._needs_host():
            self._host = start_host(self._files.directory, self._files.ident, self._settings, self.place)
        directory, mine = self._files.directory, self._files.ident
        self.runs.end_abandoned(lambda host: host == mine or is_locked(HostFiles(directory, host).host))

    def _needs_host(self) -> bool:
        """True if a host has to be started: at the beginning, and after one that is gone.

        After one that could not start, which failed its runs, only for a new run: it is a reason to try again.
        """
        if self._host is not None:
            code = self._host.poll()
            if code is None:
                return False
            self._cannot_start = code == CANNOT_START
            if self._cannot_start:
                _log.error("the host of the runs cannot start; host.log beside the runs says why")
            else:
                self._replace_host()
            self._host = None
        return not self._cannot_start or self.runs.waits_for(self._files.ident)

    def _replace_host(self) -> None:
        """Go on with another host: runs that the last one had begun are lost with it, the others are not."""
        _log.error("the host of the runs is gone; another is started")
        lost, lock = self._files, self._lock
        self._files = HostFiles(lost.directory, new_id())
        self._lock = ProcessLock(self._files.server)
        self.runs.hand_over(lost.ident, self._files.ident)
        lock.close()
        lost.remove()

    # -- the queue --------------------------------------------------------------------------------------------

    def review_queue(self, name: str) -> ReviewQueue:
        """Return the queue as a reviewer of that name sees it; after it was lost, the one that is there now.

        Raises:
            QueueError: It cannot be opened.
        """
        with self._guard:
            if name in self._reviewers:
                self._reviewers[name].reopen()
            else:
                self._reviewers[name] = open_review_queue(self.place, reviewer=name)
            return self._reviewers[name]

    async def decide(self, name: str, target: tuple[str, int, str], decision: Decision) -> DecideResult:
        """Decide one request under the name of a token.

        Raises:
            HttpError: Its note is too long, or the queue cannot take it; nothing was decided.
        """
        check_note(decision.note)
        try:
            queue = await asyncio.to_thread(self.review_queue, name)
            verdict = await asyncio.to_thread(queue.decide, *target, decision)
        except QueueError as error:
            raise HttpError(503, f"nothing was decided: {error}") from error
        facts = {"request": target[0], "by": name, "approved": decision.approved, "verdict": verdict.kind}
        _log.info("decision", extra={"facts": facts})
        return verdict

    async def decide_many(
        self, name: str, targets: Sequence[tuple[str, int, str]], decision: Decision
    ) -> tuple[DecideResult, ...]:
        """Decide several requests in one decision under the name of a token, each on its own merits.

        Raises:
            HttpError: The queue cannot take it; nothing was decided.
        """
        try:
            queue = await asyncio.to_thread(self.review_queue, name)
            verdicts = await asyncio.to_thread(queue.decide_many, targets, decision)
        except QueueError as error:
            raise HttpError(503, f"nothing was decided: {error}") from error
        for verdict in verdicts:
            facts = {"request": verdict.request_id, "by": name, "approved": decision.approved}
            _log.info("decision", extra={"facts": {**facts, "verdict": verdict.kind}})
        return verdicts

    async def changes(self, name: str) -> AsyncIterator[None]:
        """Yield now, and whenever something in the queue may have changed. A server that goes away is waited for.

        Raises:
            QueueError: The queue cannot be used.
        """
        queue = await asyncio.to_thread(self.review_queue, name)
        begun = False
        while True:
            try:
                async for _ in queue.watch():
                    begun = True
                    yield
            except QueueAwayError:
                if not begun:
                    raise
                await asyncio.sleep(_AWAY_SECONDS)

    def close(self) -> None:
        """Let everything go; the host goes on until its runs are done."""
        with self._guard:
            for queue in self._reviewers.values():
                with contextlib.suppress(QueueError):
                    queue.close()
        self._lock.close()
        if self._host is None:
            self._files.remove()
        self.runs.close()
