"""Agents of frameworks as processes of their own."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from forked import FORKED
from system_bench import PATIENCE

__all__ = ["AgentProcess", "started"]

HERE = Path(__file__).parent
PROGRAMS = [str(HERE), str(HERE.parent / "adapters")]


class AgentProcess:
    """An agent that carries out a plan.

    Args:
        program: The module of the agent; its ``main`` takes the plan and returns how it ended.
        plan: What the agent is to do.
        variables: All its environment variables.
        cwd: Its working directory.
        output: The file that it writes to.
    """

    def __init__(
        self, program: str, plan: Mapping[str, Any], variables: Mapping[str, str], cwd: Path, output: Path
    ) -> None:
        self._output = output
        self._process = FORKED.Process(target=_live, args=(program, plan, variables, cwd, output))
        self._process.start()

    def ended(self) -> dict[str, Any]:
        """Wait for the end and say how it ended."""
        self._process.join(PATIENCE)
        output = self._output.read_text(encoding="utf-8")
        assert self._process.exitcode == 0, output
        found: dict[str, Any] = json.loads(output.splitlines()[-1])
        return found

    def interrupt(self) -> str:
        """Press Ctrl+C, wait for the end, and return what it said."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGINT)
        self._process.join(PATIENCE)
        assert self._process.exitcode not in (None, 0)
        return self._output.read_text(encoding="utf-8")

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._process.kill()
        self._process.join()


@contextlib.contextmanager
def started(
    program: str, plan: Mapping[str, Any], variables: Mapping[str, str], cwd: Path
) -> Iterator[AgentProcess]:
    """An agent that carries out a plan; it is killed in the end if it still runs."""
    process = AgentProcess(program, plan, variables, cwd, cwd.parent / "output of the agent")
    try:
        yield process
    finally:
        process.kill()


def _live(program: str, plan: Mapping[str, Any], variables: Mapping[str, str], cwd: Path, output: Path) -> None:
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    descriptor = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    sys.path[:0] = PROGRAMS
    print(json.dumps(importlib.import_module(program).main(plan)), flush=True)  # noqa: T201 (the test reads it)
