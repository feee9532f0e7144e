"""`signoff mcp-ask`: a server of MCP with a tool that asks a person."""

from __future__ import annotations

import asyncio
import os
import signal

import click

from signoff.cli.ask_wait import program_of
from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, queue_option

__all__ = ["mcp_ask"]

_EPILOG = """\b
In the settings of a host:
  {"mcpServers": {"signoff": {"command": "signoff", "args": ["mcp-ask"]}}}

\b
For Claude Code without a terminal, where its own rules would ask:
  claude -p --permission-prompt-tool mcp__signoff__permission_prompt ...

\b
A request is withdrawn when the host cancels the call, leaves, or is killed.
Exit codes: 0 the host has left; 2 wrong use, or the package mcp is missing.
"""


@click.command(epilog=_EPILOG)
@queue_option
def mcp_ask() -> int:
    """Serve two tools: ask_approval for a model, and permission_prompt for Claude Code."""
    try:
        from signoff.adapters.mcp_ask import run_ask_server
    except ImportError as error:
        raise click.UsageError(
            f"mcp-ask needs more ({error}); install it with: pip install 'signoff[mcp]'"
        ) from None
    # A thread reads standard input until the host leaves; a signal does not wait for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(run_ask_server(chosen_place(), program_of(os.getppid())))
    return ExitCode.OK
