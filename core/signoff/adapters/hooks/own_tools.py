"""The tools of an agent's own: one that runs commands, and some that write files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import HookCall

if TYPE_CHECKING:
    from signoff.effects import Effect

__all__ = ["OwnTools", "path_of"]

_NOT_IN_A_GRANT = frozenset({"description"})
"""The model's words about a command, which are others each time."""


class OwnTools:
    """A base of dialects.

    Attributes:
        event: Name of the event that the hook is for.
        lacks: As in `signoff.types.ApprovalContext`.
        shell: Name of the tool whose argument ``command`` is a command line.
        directory: Name of its argument for another working directory; "" if it has none.
        writing: Names of the tools of which it is known what they write to the file in ``file_path``.
    """

    event: str
    lacks: frozenset[Literal["hard"]] = frozenset()
    shell: str
    directory = ""
    writing: frozenset[str]

    def file_after(self, call: HookCall, path: str) -> Effect:
        """Return the file that a call of one of the writing tools leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        raise NotImplementedError

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return the file that a call would write, or the command that it would run.

        Raises:
            SnapshotError: As `file_after`, or the path of the file is relative.
        """
        from signoff.effects import Command

        command = call.arguments.get("command")
        if self._runs_command(call) and isinstance(command, str):
            return (Command(command, self._directory(call)),)
        if call.server is None and call.tool in self.writing:
            return (self.file_after(call, path_of(call)),)
        return ()

    def why_unused(self) -> str | None:
        """Return that the agent runs the hook in its settings: nothing more is needed."""
        return ""

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        return {
            "session_id": "trial",
            "cwd": cwd,
            "hook_event_name": self.event,
            "tool_name": self.shell,
            "tool_input": {"command": "true"},
        }

    def subject(self, call: HookCall) -> str:
        """Return nothing: the event does not tell it."""
        return ""

    def payload(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments; of a command without the model's words about it, and with its directory."""
        if not self._runs_command(call):
            return call.arguments
        kept = {name: value for name, value in call.arguments.items() if name not in _NOT_IN_A_GRANT}
        return {**kept, "cwd": self._directory(call)}

    def _runs_command(self, call: HookCall) -> bool:
        return call.server is None and call.tool == self.shell

    def _directory(self, call: HookCall) -> str:
        named = call.arguments.get(self.directory)
        return os.path.join(call.cwd, named) if isinstance(named, str) else call.cwd  # noqa: PTH118 - as it was named


def path_of(call: HookCall) -> str:
    """Return the file that a call names; a relative path is refused, since agents look for it in several places.

    Raises:
        SnapshotError: There is none, or it is relative.
    """
    from signoff.effects import SnapshotError

    path = call.arguments.get("file_path")
    if not isinstance(path, str) or not os.path.isabs(path):  # noqa: PTH117 - text is what is stored and compared
        raise SnapshotError("file_path is not the whole path of a file; call the tool with the path from / on")
    return path
