"""`signoff acp-proxy`: stands between an editor and an agent of the Agent Client Protocol."""

from __future__ import annotations

import asyncio
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import click

from signoff.cli.ask_wait import program_of
from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import complain

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["acp_proxy"]

_EPILOG = """\b
In the settings of the editor, before the command of the agent:
  signoff acp-proxy -- gemini --acp

\b
What the agent asks permission for waits for a person here instead of in the
editor; so do files that it would have the editor write, commands that it
would have it run, and changes of its mode. All else passes unchanged.
What an agent does by itself without asking is not held.
Exit codes: that of the agent; 2 wrong use, or it cannot be started;
129/130/143 stopped by a signal.
"""


@click.command(epilog=_EPILOG)
@click.argument("command", nargs=-1, required=True, metavar="AGENT [ARG]...")
@queue_option
def acp_proxy(*, command: tuple[str, ...]) -> int:
    """Run an agent for an editor (Agent Client Protocol), and ask before what it wants to do."""
    from signoff.adapters.acp_gate.gate import AcpGate
    from signoff.adapters.acp_gate.sessions import AgentSessions
    from signoff.adapters.gates.child_process import GateError, command_name
    from signoff.adapters.gates.pump import run_gate, standard_streams
    from signoff.connection import connect_agent

    editor, place, run = program_of(os.getppid()), chosen_place(), uuid.uuid4().hex[:8]
    numbers = iter(range(1, 2**63))

    def connect(name: str, cwd: str) -> AgentQueue:
        # A session of its own each: what was approved in one holds in no other, whatever ids the agent gives them.
        return connect_agent(
            name,
            session=f"acp-{run}-{next(numbers)}",
            place=place,
            cwd=cwd,
            via="signoff acp-proxy",
            program=editor,
        )

    sessions = AgentSessions(command_name(command), str(Path.cwd()), connect)
    try:
        return asyncio.run(run_gate(command, standard_streams(), lambda pump: AcpGate(pump, sessions, complain)))
    except GateError as error:
        complain(str(error))
        return ExitCode.USAGE
