"""The hook of Qwen Code: ``PreToolUse``.

Its input and output have the shape of Claude Code's. It runs no other arguments than its own, whatever the answer
says, and no answer ends its turn.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signoff.adapters.hooks.calls import (
    REFUSED,
    EventError,
    HookCall,
    Reply,
    directory_of,
    mcp_name,
    object_of,
    path_of,
    payload_of_command,
    text_of,
)

if TYPE_CHECKING:
    from signoff.adapters.hooks.installation import HookPlace
    from signoff.effects import Effect
    from signoff.types import ApprovalDecision

__all__ = ["DIALECT", "QwenCode"]

_EVENT = "PreToolUse"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep_search", "list_directory", "read_file", "read_many_files", "tool_search"),
        *("ask_user_question", "exit_plan_mode", "todo_write"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""

_SHELL = "run_shell_command"
_NOT_IN_A_GRANT = frozenset({"description"})
"""The model's words about a command, which are others each time."""


class QwenCode:
    """The dialect of Qwen Code."""

    title = "Qwen Code"
    timeout = 86_400.0

    @property
    def place(self) -> HookPlace:
        """The place of the hook in the agent's settings."""
        from signoff.adapters.hooks.installation import SAID_ALOUD, HookPlace

        return HookPlace(
            "qwen",
            "qwen",
            ".qwen",
            "",
            _EVENT,
            "*",
            {"timeout": int(self.timeout * 1000)},
            SAID_ALOUD,
        )

    honors: frozenset[str] = frozenset()

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = text_of(event, "hook_event_name")
        if name != _EVENT:
            raise EventError(f"this hook is for {_EVENT}, not for {name}")
        tool, arguments = text_of(event, "tool_name"), object_of(event, "tool_input")
        if tool in _LEFT_TO_THE_AGENT:
            return None
        server, tool = mcp_name(tool)
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

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return the file that a call would write, or the command that it would run.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.qwen_files import FILE_TOOLS, files_after
        from signoff.effects import Command

        if call.server is not None:
            return ()
        if call.tool == _SHELL and isinstance(call.arguments.get("command"), str):
            return (Command(call.arguments["command"], _directory(call)),)
        if call.tool in FILE_TOOLS:
            return files_after(call.tool, call.arguments, path_of(call))
        return ()

    def payload(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments; of a command without the model's words about it, and with its directory."""
        if call.tool != _SHELL or call.server is not None:
            return call.arguments
        return payload_of_command(call, _directory(call), _NOT_IN_A_GRANT)

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Refuse: it runs the arguments of the model.

        Raises:
            ValueError: Always.
        """
        raise ValueError("it runs nothing but what the model asked for")

    def turn(self, call: HookCall) -> dict[str, Any]:
        """Return nothing: the event does not tell which call of a turn it is about."""
        return {}

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        told = {"additionalContext": note} if note else {}
        said = {"hookEventName": _EVENT, "permissionDecision": "allow", **told}
        return Reply(0, {"hookSpecificOutput": said})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        said = {"hookEventName": _EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason}
        return Reply(REFUSED, {"hookSpecificOutput": said}, reason)


def _directory(call: HookCall) -> str:
    directory = call.arguments.get("directory")
    return os.path.join(call.cwd, directory) if isinstance(directory, str) else call.cwd  # noqa: PTH118


DIALECT = QwenCode()
