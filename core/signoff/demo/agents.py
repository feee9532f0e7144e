"""The demo agents. Each runs in a process of its own: ``python -m signoff.demo.agents <role> <folder>``.

They ask in the queue that ``SIGNOFF_QUEUE`` names, or in the default one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.toolsets import AbstractToolset

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.connecting import connect_agent
from signoff.controller import ApprovalController
from signoff.demo.outbox import outbox_toolset
from signoff.demo.report import Report, read_report, write_report
from signoff.demo.roles import SAVE_PROJECT, refactor_turns, release_turns, runner_turns
from signoff.demo.script import Call, results, scripted
from signoff.queue.errors import QueueError
from signoff.queue.protocol import AgentQueue
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalDeniedError

__all__ = ["ROLES", "main", "read_report", "run_agent"]

ROLES = ("refactor", "runner", "release")
"""The agents of the demo."""


def run_agent(role: str, folder: Path, queue: AgentQueue) -> Report:
    """Run one agent to its end and write its report.

    Args:
        role: One of `ROLES`.
        folder: The project, made by `signoff.demo.project.create_project`.
        queue: Where it asks.

    Raises:
        KeyError: There is no such role.
    """
    tools, turns, working = _BUILDERS[role](folder)
    controller = ApprovalController(queue=queue, cwd=str(folder))
    agent = Agent(scripted(turns), name=role, toolsets=[ApprovalToolset(tools, controller=controller)])
    with working, capture_run_messages() as messages:
        try:
            message, finished = asyncio.run(agent.run("Do what your script says.")).output, "done"
        except ApprovalDeniedError as refusal:
            message, finished = f"told: {refusal}", "stopped"
    report = Report(role, queue.agent.session, finished, message, results(messages))
    write_report(folder, report)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent that the command line names; returns the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 2 or given[0] not in ROLES:
        sys.stderr.write(f"usage: python -m signoff.demo.agents ({'|'.join(ROLES)}) FOLDER\n")
        return 2
    role, folder = given[0], Path(given[1]).resolve()
    try:
        with connect_agent(role, cwd=str(folder), via="pydantic-ai") as queue:
            report = run_agent(role, folder, queue)
    except QueueError as error:
        sys.stderr.write(f"{role}: {error}\n")
        return error.exit_code
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return 0


_Built = tuple[AbstractToolset[Any], Sequence[Sequence[Call]], AbstractContextManager[None]]


def _refactor(folder: Path) -> _Built:
    turns = refactor_turns()
    sandbox = FileSandbox({"shop": {"root": ".", "mode": "rw"}}, cwd=str(folder))
    return DeclaredToolset.of_files(sandbox), turns, sandbox.group(SAVE_PROJECT, len(turns[-1]))


def _runner(folder: Path) -> _Built:
    return DeclaredToolset.of_shell(ShellTool(folder)), runner_turns(), nullcontext()


def _release(folder: Path) -> _Built:
    return outbox_toolset(folder), release_turns(), nullcontext()


_BUILDERS = dict(zip(ROLES, (_refactor, _runner, _release), strict=True))


if __name__ == "__main__":
    sys.exit(main())
