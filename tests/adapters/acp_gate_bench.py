"""An editor before a gate of the Agent Client Protocol, and an agent behind it that says what a test wants."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp_gate_bench import ADAPTERS, Host, host_of

from system_bench import eventually

__all__ = ["ACP_GATE", "Wire", "permission", "wired"]

ACP_GATE = (sys.executable, "-m", "signoff.cli", "acp-proxy", "--")
OPTIONS = (
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "once", "name": "Once", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
)


class Wire:
    """Both ends of a gate.

    Attributes:
        editor: The editor.
        folder: The working directory of the session ``s1``.
    """

    def __init__(self, editor: Host, log: Path, folder: Path) -> None:
        self.editor = editor
        self.folder = folder
        self._log = log

    def begin(self) -> None:
        """Begin the session ``s1``, with a prompt that is not answered yet."""
        self.editor.ask("initialize", protocolVersion=1)
        self.editor.ask("session/new", cwd=str(self.folder), mcpServers=[])

    def agent_says(self, message: Mapping[str, Any] | bytes) -> None:
        """Have the agent send one line."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.editor.say({"jsonrpc": "2.0", "method": "_say", "params": {"line": base64.b64encode(line).decode()}})

    def agent_lines(self) -> list[bytes]:
        """The lines that have reached the agent, all that the editor has sent before included."""
        self.editor.ask("_sync")
        return [line for line in self._log.read_bytes().splitlines() if b"_sync" not in line]

    def agent_heard(self) -> list[dict[str, Any]]:
        """The messages that have reached the agent."""
        return [json.loads(line) for line in self.agent_lines()]

    def answer(self, of: object) -> dict[str, Any]:
        """Wait until the agent has the answer to its request."""
        return self.answers(of, 1)[0]

    def answers(self, of: object, count: int) -> list[dict[str, Any]]:
        """Wait until the agent has as many answers with an id."""

        def found() -> list[dict[str, Any]]:
            lines = self._log.read_bytes().splitlines(keepends=True) if self._log.exists() else []
            said = [json.loads(line) for line in lines if line.endswith(b"\n")]
            return [each for each in said if each.get("id") == of and "method" not in each]

        eventually(lambda: len(found()) >= count, f"the agent has its answer to {of}")
        return found()


def permission(of: object, call: Mapping[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    """A request of permission; by default to run ``make``."""
    call = {"kind": "execute", "title": "make", "rawInput": {"command": "make"}} if call is None else call
    given = {"sessionId": "s1", "toolCall": {"toolCallId": "c1", **call}, "options": OPTIONS, **params}
    return {"jsonrpc": "2.0", "id": of, "method": "session/request_permission", "params": given}


@contextmanager
def wired(folder: Path, base: Path, place: Path) -> Iterator[Wire]:
    """Both ends of a gate, with a session that works in a folder."""
    log = base / "agent.jsonl"
    command = [*ACP_GATE, sys.executable, str(ADAPTERS / "parrot_acp_agent.py"), str(log)]
    with host_of(command, folder, place) as editor:
        wire = Wire(editor, log, folder)
        wire.begin()
        yield wire
