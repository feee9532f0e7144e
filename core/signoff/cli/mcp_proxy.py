"""`signoff mcp-proxy`: stands between a host of MCP and a server, and asks before each call of a tool."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import click

from signoff.cli.ask_wait import program_of
from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from signoff.adapters.mcp_gate.decisions import CallDecider, GateRules
    from signoff.queue.protocol import AgentQueue

__all__ = ["mcp_proxy"]

_EPILOG = """\b
In the settings of the host, before the command of the server:
  signoff mcp-proxy -- npx -y @modelcontextprotocol/server-filesystem .

\b
For a server at an address; the host connects to the one that is printed:
  signoff mcp-proxy --upstream https://example.com/mcp

\b
Everything passes unchanged but calls of tools, which wait for a person.
Exit codes: that of the server; 2 wrong use, or it cannot be started;
5 with --upstream: cannot listen there; 129/130/143 stopped by a signal.
"""


@click.command(epilog=_EPILOG)
@click.argument("command", nargs=-1, metavar="[SERVER [ARG]...]")
@click.option("--upstream", metavar="URL", help="The address of a server that runs already (Streamable HTTP).")
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1:8808",
    show_default=True,
    help="With --upstream: the loopback address that the host connects to.",
)
@click.option(
    "--name", metavar="NAME", help="The server's name for people and rules (else from its command or address)."
)
@click.option(
    "--config",
    "settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings with rules on calls; it has to be trusted.",
)
@queue_option
def mcp_proxy(
    *, command: tuple[str, ...], upstream: str | None, listen: str, name: str | None, settings: Path | None
) -> int:
    """Run a server of MCP, or stand before one, and ask before each call of one of its tools."""
    from signoff.adapters.gates.child_process import command_name
    from signoff.adapters.mcp_gate.decisions import CallDecider, GateRules, upstream_name
    from signoff.policy.trust import TrustError
    from signoff.settings_yaml import ConfigError

    if bool(command) is (upstream is not None):
        raise click.UsageError("give the command of a server after --, or --upstream with its address")
    if name is not None and not name.strip():
        raise click.UsageError("--name is empty; name the server, or leave it out")
    try:
        rules = GateRules() if settings is None else _rules(settings)
    except ConfigError as error:
        for problem in error.problems:
            complain(str(problem))
        return ExitCode.USAGE
    except (TrustError, OSError) as error:
        raise click.UsageError(str(error)) from error
    host, place = program_of(os.getppid()), chosen_place()
    server = name or (command_name(command) if upstream is None else upstream_name(upstream))
    decider = CallDecider(server, lambda: _connected(server, host, place), rules)
    return _run(command, decider) if upstream is None else _serve(upstream, listen, decider)


def _rules(settings: Path) -> GateRules:
    from signoff.adapters.mcp_gate.decisions import GateRules
    from signoff.config.build import build_call_policy
    from signoff.config.trust import load_trusted

    config = load_trusted(settings)
    return GateRules(build_call_policy(config), config.tool_configs, config.approval_mode)


def _connected(server: str, host: str, place: str | None) -> AgentQueue:
    """The queue, opened as a session of its own: no other server may use what was approved for this one."""
    from signoff.adapters.session_name import session_name
    from signoff.connection import connect_agent

    folder = str(Path.cwd())
    return connect_agent(
        session_name(server, folder),
        session=f"mcp-{uuid.uuid4().hex[:8]}",
        place=place,
        cwd=folder,
        via="signoff mcp-proxy",
        program=host,
    )


def _run(command: Sequence[str], decider: CallDecider) -> int:
    from signoff.adapters.gates.child_process import GateError
    from signoff.adapters.gates.pump import run_gate, standard_streams
    from signoff.adapters.mcp_gate.stdio import StdioGate

    try:
        return asyncio.run(run_gate(command, standard_streams(), lambda pump: StdioGate(pump, decider, complain)))
    except GateError as error:
        complain(str(error))
        return ExitCode.USAGE


def _serve(upstream: str, listen: str, decider: CallDecider) -> int:
    try:
        from signoff.adapters.mcp_gate.http import HttpGate, UpstreamError
        from signoff.server.sockets import ListenError, serve, tcp_socket
    except ImportError as error:
        raise click.UsageError(
            f"--upstream needs more ({error}); install it with: pip install 'signoff[mcp-proxy]'"
        ) from None
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        try:
            with tcp_socket(listen) as listening:
                ip, port = listening.getsockname()[:2]
                address = f"{f'[{ip}]' if ':' in ip else ip}:{port}"
                gate = HttpGate(upstream, decider, frozenset({address, f"localhost:{port}"}))
                complain(f"serving at http://{address}{gate.path}")
                serve(gate.application(), [listening])
        except UpstreamError as error:
            raise click.UsageError(str(error)) from error
        except ListenError as error:
            complain(str(error))
            return ExitCode.QUEUE
    return ExitCode.OK
