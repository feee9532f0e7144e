"""The process of a server, with all that it starts: it never outlives the gate."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from typing import Self

__all__ = ["PATIENCE", "GateError", "ServerProcess"]

PATIENCE = 5.0
"""Seconds that a server has to end by itself, and again after a SIGTERM."""

_WATCH = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }'
"""Reads the process group of the server, and kills it at the end of its input: when the gate is gone."""


class GateError(Exception):
    """The gate cannot go on; the message says why."""


class ServerProcess:
    """A server that speaks over its standard input and output.

    It leads a process group of its own, with the processes that it starts, unless they leave it. A shell kills
    them all if the gate dies of a SIGKILL.

    Args:
        process: The server.
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
        """Start a server.

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

    async def end(self) -> int:
        """Have the server end, by force if it has to be, with all that it started; returns its exit code."""
        try:
            with contextlib.suppress(OSError):
                self.input.close()
            if not await self._ended():
                self._signal(signal.SIGTERM)
                await self._ended()
        finally:
            self._signal(signal.SIGKILL)
            code = await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._watch.kill()
            await self._watch.wait()
        return code if code >= 0 else 128 - code

    async def _ended(self) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), PATIENCE)
            return True
        return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
