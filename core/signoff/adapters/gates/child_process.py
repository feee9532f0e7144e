"""The process of the program behind a gate, with all that it starts: it never outlives the gate."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Sequence
from pathlib import PurePath
from typing import Self

__all__ = ["PATIENCE", "ChildProcess", "GateError", "command_name"]

PATIENCE = 5.0
"""Seconds that the program has to end by itself, and again after a SIGTERM."""

_WATCH = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }'
"""Reads the process group of the program, and kills it at the end of its input: when the gate is gone."""


class GateError(Exception):
    """The gate cannot go on; the message says why."""


class ChildProcess:
    """A program that speaks over its standard input and output.

    It leads a process group of its own, with the processes that it starts, unless they leave it. A shell kills
    them all if the gate dies of a SIGKILL.

    Args:
        process: The program.
        watch: The shell.
    """

    def __init__(self, process: asyncio.subprocess.Process, watch: asyncio.subprocess.Process) -> None:
        self._process = process
        self._watch = watch
        assert process.stdin is not None
        assert process.stdout is not None
        self.input = process.stdin
        self.output = process.stdout

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start a program.

        Raises:
            GateError: It cannot be started.
        """
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        watch = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", _WATCH, stdin=pipe, stdout=nothing, stderr=nothing, start_new_session=True
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, start_new_session=True
            )
        except OSError as error:
            watch.kill()
            await watch.wait()
            raise GateError(f"{command[0]} cannot be started: {error.strerror}") from error
        assert watch.stdin is not None
        watch.stdin.write(b"%d\n" % process.pid)
        return cls(process, watch)

    async def ended(self, step: float = 1.0) -> None:
        """Wait until the program has ended by itself; looks every ``step`` seconds."""
        # Before Python 3.12 `wait` goes on while something else has its output: a copy of itself that it left.
        while self._process.returncode is None:  # noqa: ASYNC110 - nothing tells it
            await asyncio.sleep(step)

    async def end(self) -> int:
        """Have the program end, by force if it has to be, with all that it started; returns its exit code."""
        try:
            with contextlib.suppress(OSError):
                self.input.close()
            if not await self._ended_in_time():
                self._signal(signal.SIGTERM)
                await self._ended_in_time()
        finally:
            self._signal(signal.SIGKILL)
            code = await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._watch.kill()
            await self._watch.wait()
        return code if code >= 0 else 128 - code

    async def _ended_in_time(self) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ended(0.02), PATIENCE)
            return True
        return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


# -- The name of a program that nobody has named.

_RUNNERS = re.compile(r"(npx|bunx|uvx|pnpm|yarn|bun|uv|pipx|node|deno|docker|podman|python[\d.]*|sh|bash|env)")
_THEIR_WORDS = frozenset({"dlx", "exec", "run", "tool", "x"})


def command_name(command: Sequence[str]) -> str:
    """Return the name of a program for people: its package, module or program.

    Args:
        command: The command that starts it.
    """
    words = list(command)
    while len(words) > 1 and (
        _RUNNERS.fullmatch(PurePath(words[0]).name) or words[0] in _THEIR_WORDS or words[0].startswith("-")
    ):
        del words[0]
    name = re.sub(r"(?<=.)@[^/]*$|\.(py|[cm]?js|ts)$", "", PurePath(words[0]).name)
    return name or command[0]
