"""The agents of the demo as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from signoff.private_files import make_directory
from signoff.queue import PLACE_VARIABLE

__all__ = ["AgentProcesses"]

UNINTERRUPTED = ("sh", "-c", 'trap "" INT; exec "$@"', "agent")
"""Starts a program that Ctrl+C does not end: typed in a pager on this terminal, it is not meant for agents."""

PATIENCE = 5.0
"""Seconds that an agent gets to end after it was asked to."""


class AgentProcesses:
    """Starts one process per role and ends those that are left when the demo ends.

    Args:
        roles: Which agents to start.
        project: The folder they work in.
        place: Directory of the queue they ask in.
        logs: Folder for what they print.
    """

    def __init__(self, roles: tuple[str, ...], project: Path, place: Path, logs: Path) -> None:
        make_directory(logs)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for number, role in enumerate(roles, start=1):
            environment = {**os.environ, PLACE_VARIABLE: str(place), "SIGNOFF_SESSION": f"s-{number}"}
            with (logs / f"{role}.txt").open("wb") as output:
                self._running[role] = subprocess.Popen(
                    [*UNINTERRUPTED, sys.executable, "-m", "signoff.demo.agents", role, str(project)],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )

    @property
    def ended(self) -> bool:
        """Whether all agents have ended."""
        return all(process.poll() is not None for process in self._running.values())

    def exit_codes(self) -> dict[str, int | None]:
        """Exit code of each agent, None while it runs."""
        return {role: process.poll() for role, process in self._running.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = [process for process in self._running.values() if process.poll() is None]
        for process in left:
            process.terminate()
        for process in left:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
