"""A host of MCP that says exactly what a test wants, in front of a gate with a real server behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from system_bench import PATIENCE

__all__ = ["ADAPTERS", "GATE", "Host", "call", "host_of"]

ADAPTERS = Path(__file__).parent
GATE = (sys.executable, "-m", "signoff.cli", "mcp-proxy", "--")
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Host:
    """The host, over the standard streams of a gate or of a server.

    Attributes:
        process: The process that it talks to.
        lines: All that it has heard, byte by byte.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._last = 0

    def say(self, message: Mapping[str, Any] | Sequence[Any] | bytes) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self, of: object) -> dict[str, Any]:
        """Wait for the answer with an id."""
        while True:
            heard = self.hear_any()
            if "method" not in heard and heard.get("id") == of:
                return heard

    def hear_any(self) -> dict[str, Any]:
        """Wait for the next message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the gate has ended"
        self.lines.append(line)
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Make a request, and wait for its answer."""
        self._last += 1
        of = f"ask-{self._last}"
        self.say({"jsonrpc": "2.0", "id": of, "method": method, "params": params})
        return self.hear(of)

    def shake_hands(self) -> Self:
        """Begin, as hosts do that speak the protocol with a handshake."""
        self.ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "host", "version": "1"},
        )
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def leave(self) -> int:
        """Close the streams; returns the exit code of the other side."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


def call(of: object, tool: str = "send", **arguments: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {
        "jsonrpc": "2.0",
        "id": of,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


@contextmanager
def host_of(command: Sequence[str], folder: Path, place: Path) -> Iterator[Host]:
    """A host that has started a command, which ends with it."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "SIGNOFF_QUEUE": str(place)},
    ) as process:
        try:
            yield Host(process)
        finally:
            process.kill()
