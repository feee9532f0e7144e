"""The agents that a run may host: one of PydanticAI, a Python function, or a program that speaks lines of JSON.

A program is started for each run. It gets one line, and then speaks until it ends; each line is a JSON object:

    to it:   {"type": "start", "run_id": "run-1", "session_id": "s", "mode": "interactive", "input": "Tidy up"}
    from it: {"type": "ask", "id": "1", "tool": "delete", "arguments": {"path": "a"}, "server": "files"}
    to it:   {"type": "answer", "id": "1", "approved": false, "reason": "keep it", "blocked": false}
    from it: {"type": "result", "output": "done"}

It runs a call only when the answer says ``"approved": true``. ``{"type": "tools", "id": "1", "tools": [...],
"server": "files"}`` is answered with the names that a model may be offered. Its standard error goes to the log.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import importlib
import inspect
import json
import logging
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, Self

from signoff.canonical import NotJsonError, parse_json
from signoff.server.hosted_run import HostedRun, RunFailedError
from signoff.server.json_log import LoggedLines

if TYPE_CHECKING:
    from signoff.config.build import Setup
    from signoff.config.models import HostedAgentConfig
    from signoff.tools.os_sandbox import Started

__all__ = ["HostedAgent", "hosted_agent", "missing_files"]

_log = logging.getLogger("signoff.host")

_LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one line of a program."""

_LONGEST_PIECE = 64 * 1024
"""Bytes that are read of its standard error at once."""

_ENDING_SECONDS = 5.0
"""Time for a program to end after its result."""


class HostedAgent(Protocol):
    """An agent that can be run, any number of times at once."""

    async def perform(self, run: HostedRun) -> str:
        """Do one run and return its answer.

        Raises:
            Exception: The run failed; the message says why.
        """


def hosted_agent(config: HostedAgentConfig, setup: Setup, directory: Path) -> HostedAgent:
    """Return an agent of the settings.

    Args:
        config: Its entry in the settings.
        setup: The tools and rules of the settings.
        directory: The directory of the settings; modules are found there, and programs run there.

    Raises:
        ImportError: A module, or the name in it, cannot be loaded.
        TypeError: The name is something else than it has to be.
    """
    if config.command is not None:
        return _ProgramAgent(config.command, directory, setup)
    if config.python is not None:
        function = _load_entry(config.python, directory)
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"{config.python} is no asynchronous function (async def)")
        return _FunctionAgent(function)
    assert config.pydantic_ai is not None
    from signoff.server.hosted_pydantic_ai import HostedPydanticAgent

    return HostedPydanticAgent(_load_entry(config.pydantic_ai, directory), setup, config.pydantic_ai)


def _load_entry(entry: str, directory: Path) -> Any:
    module, _, name = entry.partition(":")
    if str(directory) not in sys.path:
        sys.path.append(str(directory))  # behind all others: no file there stands in for a library
    found = importlib.import_module(module)
    if not hasattr(found, name):
        raise ImportError(f"there is no {name} in {found.__file__ or module}")
    return getattr(found, name)


# -- Agents that are not there, told without running any of their code.


def missing_files(agents: Mapping[str, HostedAgentConfig], directory: Path) -> Iterator[tuple[str, str]]:
    """Yield each agent whose module or program is not there, and what is missing in words.

    Args:
        agents: The agents of the settings, by name.
        directory: The directory of the settings, absolute.
    """
    for name, agent in agents.items():
        if agent.command is not None:
            program = agent.command[0]
            # Without a slash it is searched for, with one it is a path: as the run will start it.
            if shutil.which(str(directory / program) if "/" in program else program) is None:
                yield name, f"there is no program {program} that can be run"
            continue
        module, _, _ = (agent.python or agent.pydantic_ai or "").partition(":")
        if not _is_there(module, directory):
            yield name, f"there is no module {module}, neither in {directory} nor installed"


def _is_there(module: str, directory: Path) -> bool:
    top, *inner = module.split(".")
    found = _installed(top) or PathFinder.find_spec(top, [str(directory)])
    for part in inner:
        if found is None or found.submodule_search_locations is None:
            return False
        found = PathFinder.find_spec(part, list(found.submodule_search_locations))
    return found is not None


def _installed(module: str) -> ModuleSpec | None:
    specs = (finder.find_spec(module, None) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)


# -- The kinds of agents.


class _FunctionAgent:
    """An asynchronous function of Python."""

    def __init__(self, function: Any) -> None:
        self._function = function

    async def perform(self, run: HostedRun) -> str:
        answer = await self._function(run)
        return "" if answer is None else str(answer)


class _ProgramAgent:
    """A program that asks in lines of JSON, in the sandbox that the settings require for commands."""

    def __init__(self, command: Sequence[str], directory: Path, setup: Setup) -> None:
        self._command = command
        self._directory = directory
        self._sandbox = setup.sandbox
        shell = None if setup.shell is None else setup.shell.config
        self._os_sandbox = None if setup.sandbox is None else setup.sandbox.os_sandbox(shell, str(directory))

    async def perform(self, run: HostedRun) -> str:
        if self._sandbox is not None:
            self._sandbox.require_usable()
        process = await self._start()
        logging_errors = asyncio.create_task(_log_errors(process, run.id))
        try:
            result = await _Dialogue(process, run).answer_until_result()
            await _wait_for_end(process)
        finally:
            with contextlib.suppress(ProcessLookupError):  # what it has started goes with it
                os.killpg(process.pid, signal.SIGKILL)
            await asyncio.shield(asyncio.gather(process.wait(), logging_errors, return_exceptions=True))
        return result

    async def _start(self) -> asyncio.subprocess.Process | _ConfinedProcess:
        pipe = asyncio.subprocess.PIPE
        if self._os_sandbox is None:
            return await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self._directory,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                limit=_LONGEST_LINE,
                start_new_session=True,
            )
        # From this thread, which lives as long as the host: the sandbox ends with the thread that started it.
        started = self._os_sandbox.start(self._command, approved=False, stdin=pipe, stdout=pipe, stderr=pipe)
        return await _ConfinedProcess.around(started)


@dataclass(frozen=True, slots=True)
class _ConfinedProcess:
    """A process of the sandbox, with the streams of one of asyncio."""

    started: Started
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    @classmethod
    async def around(cls, started: Started) -> Self:
        process = started.process
        return cls(
            started, await _writer(process.stdin), await _reader(process.stdout), await _reader(process.stderr)
        )

    @property
    def pid(self) -> int:
        return self.started.process.pid

    async def wait(self) -> int:
        """Wait for its end, and move away what it made that others would run."""
        code = await asyncio.to_thread(self.started.process.wait)
        for line in await asyncio.to_thread(self.started.swept):
            _log.warning("kept back", extra={"facts": {"file": line}})
        return code


async def _reader(pipe: IO[bytes] | None) -> asyncio.StreamReader:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(_LONGEST_LINE, loop)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), pipe)
    return reader


async def _writer(pipe: IO[bytes] | None) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _log_errors(process: asyncio.subprocess.Process | _ConfinedProcess, run_id: str) -> None:
    """Log what a program says on its standard error, line by line."""
    assert process.stderr is not None
    log = LoggedLines("standard error of a program", {"run": run_id})
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    while piece := await process.stderr.read(_LONGEST_PIECE):
        log.write(decoder.decode(piece))
    log.write("\n")


class _Dialogue:
    """The dialogue of a program and its host."""

    def __init__(self, process: asyncio.subprocess.Process | _ConfinedProcess, run: HostedRun) -> None:
        self._process = process
        self._run = run
        self._asking: set[asyncio.Task[None]] = set()

    async def answer_until_result(self) -> str:
        """Answer the program until it gives its result.

        Raises:
            RunFailedError: It ended without one, or said something that nobody understands.
        """
        run = self._run
        start = {"run_id": run.id, "session_id": run.session_id, "mode": run.mode, "input": run.input}
        await self._send({"type": "start", **start})
        assert self._process.stdout is not None
        try:
            while True:
                line = await self._read_line()
                if line is None:
                    code = await self._process.wait()
                    raise RunFailedError(f"the program ended with {code}, and without a result")
                match line.get("type"):
                    case "result":
                        return str(line.get("output", ""))
                    case "ask":
                        self._answer_beside(self._answer(line))
                    case "tools":
                        names = [str(name) for name in line.get("tools") or ()]
                        offered = run.offered(names, server=line.get("server"))
                        await self._send({"type": "tools", "id": line.get("id"), "tools": offered})
                    case kind:
                        raise RunFailedError(
                            f"the program said a line of the type {kind!r}; see: signoff serve --help"
                        )
        finally:
            for task in self._asking:
                task.cancel()
            await asyncio.gather(*self._asking, return_exceptions=True)

    def _answer_beside(self, work: Any) -> None:
        """Answer beside the next lines, so that a program may ask about several calls at once."""
        task = asyncio.create_task(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _answer(self, line: Mapping[str, Any]) -> None:
        tool, arguments, server, ident = (line.get(name) for name in ("tool", "arguments", "server", "id"))
        arguments = {} if arguments is None else arguments
        answer: dict[str, Any] = {"type": "answer", "id": ident, "approved": False, "blocked": False}
        if not (isinstance(tool, str) and isinstance(arguments, dict) and isinstance(server, str | None)):
            await self._send({**answer, "reason": '"tool" and "server" are texts, and "arguments" is an object'})
            return
        try:
            call_id = None if ident is None else str(ident)
            decision = await self._run.ask(tool, arguments, server=server, call_id=call_id)
        except PermissionError as error:
            await self._send({**answer, "blocked": True, "reason": str(error)})
            return
        except Exception as error:  # noqa: BLE001 - without an answer the program would wait for ever
            _log.warning("a call cannot be asked about", extra={"facts": {"run": self._run.id}}, exc_info=error)
            await self._send({**answer, "reason": f"it cannot be asked about: {error}"})
            return
        approved = decision.approved is True
        await self._send({**answer, "approved": approved, "reason": decision.note, "source": decision.source})

    async def _read_line(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        try:
            text = await self._process.stdout.readline()
            value = parse_json(text.decode()) if text else None
        except (ValueError, NotJsonError) as error:
            raise RunFailedError(f"the program said a line that is no JSON object: {error}") from error
        if value is not None and not isinstance(value, dict):
            raise RunFailedError("the program said a line that is no JSON object")
        return value

    async def _send(self, line: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended; reading tells
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            await self._process.stdin.drain()


async def _wait_for_end(process: asyncio.subprocess.Process | _ConfinedProcess) -> None:
    """Give a program that is done the time to end by itself."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_ENDING_SECONDS):
            await process.wait()
