"""The process that hosts runs: ``python -m signoff.server.host``, started by the server, and not ended with it.

A run that waits for a person outlives a server that is killed: its process, its place in the queue and its answer
stay. A host takes the runs of the server that started it, and ends when those are done and that server is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, cast

from signoff.config.build import build
from signoff.config.models import AgentConfig, HostedAgentConfig
from signoff.config.trust import load_trusted
from signoff.controller import ApprovalController
from signoff.modes import Mode, chosen_mode
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.queue import AgentInfo, AgentQueue, open_agent_queue
from signoff.queue.wakeups import AsyncBell
from signoff.server.hosted_agents import HostedAgent, hosted_agent
from signoff.server.hosted_run import HostedRun, RunFailedError
from signoff.server.json_log import LoggedLines, log_as_json
from signoff.server.runs import HOST, Run, RunMode, RunStatus, RunStore

__all__ = ["CANNOT_START", "HostFiles", "ProcessLock", "is_locked", "start_host"]

_LOOK_SECONDS = 1.0
"""The longest sleep without a look: a wake-up can be lost."""

CANNOT_START = 3
"""The exit code of a host that cannot begin: settings or tools cannot be loaded."""

_log = logging.getLogger("signoff.host")


# -- The lock by which a process is known to run; it ends with the process.


class ProcessLock:
    """The lock of a file, held until it is closed or the process ends.

    Raises:
        BlockingIOError: Another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        """Let it go."""
        os.close(self._descriptor)


def is_locked(path: Path) -> bool:
    """True if a process holds the lock of a file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


# -- Starting a host.


@dataclass(frozen=True, slots=True)
class HostFiles:
    """The files by which a server and its host know of each other.

    Attributes:
        directory: The directory of the runs.
        ident: The id of the server that runs are created by, and of the host that performs them.
    """

    directory: Path
    ident: str

    @property
    def server(self) -> Path:
        """Locked by the server."""
        return self.directory / f"server-{self.ident}"

    @property
    def host(self) -> Path:
        """Locked by the host."""
        return self.directory / f"host-{self.ident}"

    def remove(self) -> None:
        """Remove both."""
        self.server.unlink(missing_ok=True)
        self.host.unlink(missing_ok=True)


def start_host(directory: Path, ident: str, settings: Path, place: str | None) -> subprocess.Popen[bytes]:
    """Start the host of a server; it is ready when it has locked its file.

    Args:
        directory: The directory of the runs.
        ident: The id of the server.
        settings: The settings file.
        place: The queue; None for the default one.
    """
    # -P: a file in the working directory must not stand in for a module.
    command = [sys.executable, "-P", "-m", "signoff.server.host", str(directory), ident, str(settings)]
    with (directory / "host.log").open("ab") as log:
        host = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
    # The URL of a queue may hold a password, and everybody may read the arguments of a program.
    with contextlib.suppress(BrokenPipeError), cast("IO[bytes]", host.stdin) as place_of_queue:
        place_of_queue.write(os.fsencode(place or ""))
    return host


# -- The host.


class _Host:
    """Performs runs, each in a task of its own."""

    def __init__(
        self, store: RunStore, files: HostFiles, config: AgentConfig, directory: Path, place: str | None
    ) -> None:
        self._store = store
        self._files = files
        self._config = config
        self._directory = directory
        self._place = place
        self._setup = build(config, directory)
        self._agents: dict[str, HostedAgent] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._reasons: dict[str, str] = {}

    async def perform_runs(self) -> None:
        """Perform runs until there are none and their server is gone."""
        with AsyncBell(self._store.bells.hang(HOST)) as bell:
            while True:
                for run in await asyncio.to_thread(self._store.take_new, self._files.ident):
                    self._tasks[run.id] = asyncio.create_task(self._perform(run))
                ending = await asyncio.to_thread(self._store.end_requests, self._files.ident)
                for run_id, reason in ending.items():
                    self._end(run_id, reason)
                if not self._tasks and not is_locked(self._files.server):
                    return
                await bell.sleep(_LOOK_SECONDS)

    async def stop(self) -> None:
        """End all runs: the process was told to end."""
        for run_id in tuple(self._tasks):
            self._end(run_id, "the host of the run was stopped")
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _end(self, run_id: str, reason: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None and run_id not in self._reasons:
            self._reasons[run_id] = reason
            task.cancel()

    async def _perform(self, run: Run) -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        queue: AgentQueue | None = None
        hosted: HostedRun | None = None
        try:
            queue = await self._connected(run)
            hosted = HostedRun(
                run,
                self._store,
                partial(self._controller, run, queue),
                self._setup.call_policy,
                stop=partial(_call_soon, loop, task.cancel),
                logs_arguments=self._config.verbose_logging,
            )
            settings = self._config.agents[run.agent]
            async with _TimeLimit(settings.time_limit, hosted):
                output = await self._agent(run.agent, settings).perform(hosted)
            if hosted.denied is None:
                hosted.finish(output)
            else:
                hosted.cancel("")
        except asyncio.CancelledError:
            reason = self._reasons.get(run.id, "cancelled")
            if hosted is not None:
                hosted.cancel(reason)
            else:
                self._store.end(run.id, RunStatus.CANCELLED, "run_cancelled", {"reason": reason}, error=reason)
        except Exception as error:  # noqa: BLE001 - whatever an agent raises is the end of its run alone
            self._fail(run, hosted, error)
        finally:
            self._tasks.pop(run.id, None)
            self._reasons.pop(run.id, None)
            if queue is not None:
                await asyncio.shield(asyncio.to_thread(queue.close))

    async def _connected(self, run: Run) -> AgentQueue:
        """The connection of a run to the queue; closed if the run is cancelled while it is made."""
        info = AgentInfo(run.agent, run.session, str(self._directory), via="runs", program="signoff serve")
        opening = asyncio.ensure_future(asyncio.to_thread(open_agent_queue, info, self._place))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            queue = await opening  # a thread cannot be stopped
            await asyncio.to_thread(queue.close)
            raise

    def _fail(self, run: Run, hosted: HostedRun | None, error: Exception) -> None:
        if hosted is not None and hosted.denied is not None:
            hosted.cancel("")
            return
        _log.warning("run failed", extra={"facts": {"run": run.id}}, exc_info=error)
        self._store.end(run.id, RunStatus.FAILED, "run_failed", error=_failure_words(error))

    def _controller(self, run: Run, queue: AgentQueue, watcher: HostedRun) -> ApprovalController:
        return ApprovalController(self._mode(run), queue=queue, cwd=str(self._directory), watcher=watcher)

    def _mode(self, run: Run) -> Mode:
        """The mode of the settings; in a daemon that may approve by itself, everything is approved."""
        wanted: Mode = "interactive"
        if run.mode is RunMode.DAEMON and self._config.auto_approve_in_daemon:
            wanted = "approve_all"
        return chosen_mode(wanted, "strict" if self._config.approval_mode == "strict" else None)

    def _agent(self, name: str, settings: HostedAgentConfig) -> HostedAgent:
        if name not in self._agents:
            self._agents[name] = hosted_agent(settings, self._setup, self._directory)
        return self._agents[name]


def _failure_words(error: Exception) -> str:
    """The reason for which a run failed, without secrets."""
    kind = "" if isinstance(error, RunFailedError) else type(error).__name__
    return DEFAULT_REDACTION.mask_text(": ".join(filter(None, (kind, str(error))))).text


def _call_soon(loop: asyncio.AbstractEventLoop, work: Callable[[], object]) -> None:
    """Do something in an event loop, from whatever thread."""
    loop.call_soon_threadsafe(work)


class _TimeLimit:
    """A limit of time that stands still while a run waits for people.

    Raises:
        RunFailedError: The time is over.
    """

    def __init__(self, seconds: float, run: HostedRun) -> None:
        self._left = seconds
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()
        self._run.on_waiting = lambda waits: _call_soon(self._loop, partial(self._set_paused, waits))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run.on_waiting = lambda _: None
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise RunFailedError("it took longer than its time limit") from None

    def _set_paused(self, paused: bool) -> None:
        when = self._timeout.when()
        with contextlib.suppress(RuntimeError):  # it is over already
            if paused and when is not None:
                self._left = when - self._loop.time()
                self._timeout.reschedule(None)
            elif not paused:
                self._timeout.reschedule(self._loop.time() + self._left)


def main(arguments: Sequence[str] | None = None) -> int:
    """Host runs until there is nothing left to host; the place of the queue is read from standard input."""
    parser = argparse.ArgumentParser(prog="signoff.server.host")
    parser.add_argument("directory", type=Path)
    parser.add_argument("ident")
    parser.add_argument("settings", type=Path)
    given = parser.parse_args(arguments)
    place = os.fsdecode(sys.stdin.buffer.read()) or None
    files = HostFiles(given.directory, given.ident)
    try:
        lock = ProcessLock(files.host)
    except BlockingIOError:
        return 0  # the server was impatient
    store = RunStore(given.directory)
    try:
        log_as_json("info")
        with contextlib.redirect_stderr(LoggedLines("standard error of the host", {})):
            try:
                host = _load_host(store, files, given.settings, place)
            except Exception as error:  # noqa: BLE001 - whatever it is, the runs that wait for this host are told
                _log.error("the host cannot start", exc_info=error)
                store.fail_untaken(files.ident, f"its host cannot start: {_failure_words(error)}")
                return CANNOT_START
            asyncio.run(_serve(host))
    finally:
        store.close()
        lock.close()
        if not is_locked(files.server):
            files.remove()
    return 0


def _load_host(store: RunStore, files: HostFiles, settings: Path, place: str | None) -> _Host:
    """Load the settings, their tools and the host of their runs, which works in their directory."""
    config = load_trusted(settings)
    log_as_json(config.log_level)
    directory = settings.resolve().parent
    os.chdir(directory)
    return _Host(store, files, config, directory, place)


async def _serve(host: _Host) -> None:
    working = asyncio.ensure_future(host.perform_runs())
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, working.cancel)
    try:
        await working
    except asyncio.CancelledError:
        await host.stop()


if __name__ == "__main__":
    sys.exit(main())
