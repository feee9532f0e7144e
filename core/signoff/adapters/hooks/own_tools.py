"""The tools of an agent's own: some that run commands, and some that write files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import NO_OPINION, HookCall

if TYPE_CHECKING:
    from signoff.adapters.hooks.installation import HookPlace, PluginPlace
    from signoff.effects import Effect
    from signoff.types import ApprovalDecision

__all__ = ["OwnTools"]

_NOT_IN_A_GRANT = frozenset({"description"})
"""The model's words about a command, which are others each time."""


class OwnTools:
    """A base of dialects.

    Attributes:
        agent: Name of the dialect.
        event: Name of the event that the hook is for.
        timeout: As in `signoff.adapters.hooks.calls.Dialect`.
        edits: True if the agent runs other arguments than its own.
        merges: True if it adds them to its own, so that none can be left out.
        lacks: As in `signoff.types.ApprovalContext`.
        unasked: The answer for a call that nobody is asked about.
        shells: Names of the tools whose argument ``command`` is a command line.
        directory: Name of their argument for another working directory; "" if they have none.
        writing: Names of the tools of which it is known what they write.
        path: Name of their argument for the file.
        other_paths: Name of that argument, by the tools that have another one.
        finds_relative: True if the agent looks for a relative path in the working directory, and nowhere else.
        from_cwd: Names of the tools with paths that start from the working directory, besides those that
            `finds_relative` tells of.
        misread: Characters in a path that the agent reads as others than they are.
    """

    agent: str
    event: str
    timeout = 86_400.0
    edits = True
    merges = False
    lacks: frozenset[Literal["hard"]] = frozenset()
    unasked = NO_OPINION
    shells: frozenset[str]
    directory = ""
    writing: frozenset[str] = frozenset()
    path = "file_path"
    other_paths: Mapping[str, str] = MappingProxyType({})
    finds_relative = False
    from_cwd: frozenset[str] = frozenset()
    misread = ""

    @property
    def place(self) -> HookPlace | PluginPlace:
        """The place of the hook in the agent's settings, or of the plugin."""
        from signoff.adapters.hooks.installation import PLACES

        return PLACES[self.agent]

    @property
    def honors(self) -> frozenset[str]:
        """As in `signoff.types.ApprovalRequest`: other arguments may write other contents."""
        if not self.edits:
            return frozenset()
        from signoff.queue.amendment import EDIT, PARTIAL

        return frozenset({EDIT, PARTIAL})

    def file_after(self, call: HookCall, path: str) -> Effect:
        """Return the file that a call of one of the writing tools leaves behind.

        Args:
            call: The call.
            path: Absolute path of the file.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        raise NotImplementedError

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which one of the writing tools writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        raise NotImplementedError

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return the file that a call would write, or the command that it would run.

        Raises:
            SnapshotError: As `file_after`; or the agent may take something else than was named.
        """
        from signoff.effects import Command

        command = call.arguments.get("command")
        if self._runs_command(call) and isinstance(command, str):
            self.require_as_named(command)
            return (Command(command, self._directory(call)),)
        if call.server is None and call.tool in self.writing:
            return (self.file_after(call, self._path(call)),)
        return ()

    def require_as_named(self, command: str) -> None:
        """Return if the agent runs a command as it was named, character for character.

        Raises:
            SnapshotError: It would run another one.
        """

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the agent does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        instead = decision.instead
        if instead is None:
            return call.arguments
        if not self.edits:
            raise ValueError("it runs nothing but what the model asked for")
        if instead.arguments is None:
            path = self._path(call)
            content = instead.content(path)
            if content is None:
                raise ValueError("what was approved is for another file")
            return self.arguments_for(call, path, content)
        if self.merges and (missing := sorted(call.arguments.keys() - instead.arguments.keys())):
            raise ValueError(f"it cannot leave out {', '.join(missing)}")
        return dict(instead.arguments)

    def why_unused(self) -> str | None:
        """Return that the settings switch all hooks off, if they do: nothing else keeps the agent from it."""
        from signoff.adapters.hooks.installation import why_off

        return why_off(self.place, os.environ)

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        [shell] = self.shells
        return {
            "session_id": "trial",
            "cwd": cwd,
            "hook_event_name": self.event,
            "tool_name": shell,
            "tool_input": {"command": "true"},
        }

    def subject(self, call: HookCall) -> str:
        """Return nothing: the event does not tell it."""
        return ""

    def turn(self, call: HookCall) -> dict[str, Any]:
        """Return nothing: the event does not tell which call of a turn it is about."""
        return {}

    def answered_elsewhere(self, call: HookCall) -> Callable[[], str]:
        """Return a check that tells nothing: the agent asks nobody else while the hook waits."""
        return str

    def arguments(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments."""
        return call.arguments

    def payload(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments, with the directory that a command or a relative path starts from.

        The model's words about a command are left out.

        Raises:
            SnapshotError: It is not clear which directory that is.
        """
        runs = self._runs_command(call)
        if call.server is not None or not (runs or self.finds_relative or call.tool in self.from_cwd):
            return call.arguments
        if "cwd" in call.arguments and not (runs and self.directory == "cwd"):
            from signoff.effects import SnapshotError

            raise SnapshotError(f"cwd is no argument of {call.tool}; call the tool without it")
        if not runs:
            return {**call.arguments, "cwd": call.cwd}
        kept = {name: value for name, value in call.arguments.items() if name not in _NOT_IN_A_GRANT}
        return {**kept, "cwd": self._directory(call)}

    def _runs_command(self, call: HookCall) -> bool:
        return call.server is None and call.tool in self.shells

    def _directory(self, call: HookCall) -> str:
        """The directory of a command.

        Raises:
            SnapshotError: The agent may run it elsewhere than it was told to.
        """
        named = call.arguments.get(self.directory) if self.directory else None
        if not isinstance(named, str) or not named:
            return call.cwd
        self._require_plain(self.directory, named)
        if named.startswith("~"):
            from signoff.effects import SnapshotError

            raise SnapshotError(f"{self.directory} begins with ~; call the tool with the path from / on")
        return os.path.join(call.cwd, named)  # noqa: PTH118 - as it was named

    def _path(self, call: HookCall) -> str:
        """The file that a call names.

        Raises:
            SnapshotError: There is none, the agent may take another one, or look for it in several places.
        """
        from signoff.effects import SnapshotError

        name = self.other_paths.get(call.tool, self.path)
        path: Any = call.arguments.get(name)
        if isinstance(path, str):
            self._require_plain(name, path)
            if os.path.isabs(path):  # noqa: PTH117 - text is what is stored and compared
                return path
        plain = isinstance(path, str) and path and path[0] != "~" and ".." not in path.split("/")
        if self.finds_relative and plain:
            return os.path.join(call.cwd, path)  # noqa: PTH118 - text is what is stored and compared
        raise SnapshotError(f"{name} is not the whole path of a file; call the tool with the path from / on")

    def _require_plain(self, name: str, path: str) -> None:
        """Return if the agent takes a path as it is: some drop blanks around it, or decode characters in it."""
        from signoff.effects import SnapshotError

        if path.strip().strip("\ufeff") != path:
            raise SnapshotError(f"{name} begins or ends with a blank; call the tool with a path without it")
        if found := next((each for each in path if each in self.misread), None):
            raise SnapshotError(
                f"{name} has a {found}, which {self.agent} may read as something else; use another path"
            )
