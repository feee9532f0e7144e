"""The hook of Gemini CLI: ``BeforeTool``.

Its input and output are those of https://geminicli.com/docs/hooks/reference. The hook is run before every call;
where it has no objection, the agent's own policies still ask or deny. All calls of a turn ask at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from signoff.adapters.hooks.calls import (
    REFUSED,
    EventError,
    HookCall,
    Reply,
    directory_of,
    object_of,
    text_of,
)
from signoff.adapters.hooks.own_tools import OwnTools, path_of

if TYPE_CHECKING:
    from signoff.adapters.hooks.installation import HookPlace
    from signoff.effects import FileWrite
    from signoff.types import ApprovalDecision

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


class Gemini(OwnTools):
    """The dialect of Gemini CLI."""

    title = "Gemini CLI"
    timeout = 86_400.0
    event = _EVENT
    shell = "run_shell_command"
    directory = "dir_path"
    writing = frozenset({"write_file", "replace"})

    @property
    def place(self) -> HookPlace:
        """The place of the hook in the agent's settings."""
        from signoff.adapters.hooks.installation import SAID_ALOUD, HookPlace

        return HookPlace(
            agent="gemini",
            program="gemini",
            folder=".gemini",
            folder_variable="",
            event=_EVENT,
            matcher=".*",
            more={"timeout": int(self.timeout * 1000)},
            otherwise=SAID_ALOUD,
        )

    @property
    def honors(self) -> frozenset[str]:
        """Its calls run with other arguments, which may write other contents."""
        from signoff.queue.amendment import EDIT, PARTIAL

        return frozenset({EDIT, PARTIAL})

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = text_of(event, "hook_event_name")
        if name != _EVENT:
            raise EventError(f"this hook is for {_EVENT}, not for {name}")
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

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.gemini_files import file_after

        return file_after(call.tool, call.arguments, path)

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the tool does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none: the agent adds them to the call's own, so none can be left out.
        """
        from signoff.adapters.hooks.gemini_files import arguments_for

        instead = decision.instead
        if instead is None:
            return call.arguments
        if instead.arguments is None:
            content = instead.content(path_of(call))
            if content is None:
                raise ValueError("what was approved is for another file")
            return arguments_for(call.tool, call.arguments, path_of(call), content)
        if missing := sorted(call.arguments.keys() - instead.arguments.keys()):
            raise ValueError(f"it cannot leave out {', '.join(missing)}")
        return dict(instead.arguments)

    def turn(self, call: HookCall) -> dict[str, Any]:
        """Return nothing: the event does not tell which call of a turn it is about."""
        return {}

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
