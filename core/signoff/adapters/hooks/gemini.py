"""The hook of Gemini CLI: ``BeforeTool``.

Its input and output are those of https://geminicli.com/docs/hooks/reference. The hook is run before every call;
where it has no objection, the agent's own policies still ask or deny. All calls of a turn ask at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from signoff.adapters.hooks.calls import (
    REFUSED,
    HookCall,
    Reply,
    directory_of,
    event_name,
    object_of,
    text_of,
)
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.effects import FileWrite

__all__ = ["DIALECT", "Gemini"]

_EVENT = "BeforeTool"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep_search", "list_directory", "read_file", "read_many_files", "search_file_content"),
        *("list_background_processes", "read_background_output"),
        *("ask_user", "exit_plan_mode", "update_topic", "write_todos"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""

_SHELL_AROUND = (
    r"[\s\ufeff]*+(?:\S*[/\\])?(?:sh|bash|zsh|cmd|powershell|pwsh)(?:\.exe)?[\s\ufeff]+(?:-NoProfile[\s\ufeff]+)?"
    r"(?:-c|/c|-Command)(?![\w-])"
)
"""A shell that is given a script, as ``stripShellWrapper`` of the program finds it, or more."""


class Gemini(OwnTools):
    """The dialect of Gemini CLI."""

    agent = "gemini"
    title = "Gemini CLI"
    event = _EVENT
    merges = True
    shells = frozenset({"run_shell_command"})
    directory = "dir_path"
    writing = frozenset({"write_file", "replace"})
    misread = "%"

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _EVENT)
        tool, arguments, server = text_of(event, "tool_name"), object_of(event, "tool_input"), None
        if event.get("mcp_context") is not None:
            origin = object_of(event, "mcp_context")
            server, tool = text_of(origin, "server_name"), text_of(origin, "tool_name")
        elif tool in _LEFT_TO_THE_AGENT:
            return None
        cwd = directory_of(event)
        return HookCall(
            event=name,
            tool=tool,
            server=server,
            arguments=arguments,
            session=text_of(event, "session_id"),
            cwd=cwd,
            project=cwd,
        )

    def require_as_named(self, command: str) -> None:
        """Return if the agent runs a command as it was named: it takes a shell and quotes around it off, unparsed.

        Raises:
            SnapshotError: It would run another one.
        """
        import re

        from signoff.effects import SnapshotError

        if re.match(_SHELL_AROUND, command, re.IGNORECASE):
            raise SnapshotError(
                "Gemini CLI runs a script given to a shell otherwise; call the tool with the script alone"
            )

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.gemini_files import file_after

        return file_after(call.tool, call.arguments, path)

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which a tool writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.gemini_files import arguments_for

        return arguments_for(call.tool, call.arguments, path, content)

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run; the agent tells the model of changed arguments by itself."""
        changed = {} if arguments is None else {"tool_input": dict(arguments)}
        told = {"additionalContext": note} if note else {}
        more = {"hookSpecificOutput": {"hookEventName": _EVENT, **changed, **told}} if changed or told else {}
        return Reply(0, {"decision": "allow", **more})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; a hard one ends the turn."""
        ends = {"continue": False, "stopReason": reason} if hard else {}
        return Reply(REFUSED, {"decision": "deny", "reason": reason, **ends}, reason)


DIALECT = Gemini()
