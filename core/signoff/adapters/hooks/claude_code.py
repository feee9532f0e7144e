"""The hooks of Claude Code: ``PreToolUse`` and ``PermissionRequest``.

Their input and output are those of https://code.claude.com/docs/en/hooks. A ``PreToolUse`` hook is run before
every call, also before those that the agent's own rules allow; its yes does not outrank a rule that denies. A
``PermissionRequest`` hook is run where the agent would ask in its own terminal.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from signoff.adapters.hooks.calls import (
    REFUSED,
    HookCall,
    Reply,
    directory_of,
    event_name,
    mcp_name,
    object_of,
    sub_agent_name,
    text_of,
)
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.effects import FileWrite

__all__ = ["DIALECT", "ClaudeCode"]

_PRE_TOOL_USE, _PERMISSION_REQUEST = "PreToolUse", "PermissionRequest"

_FOR_THE_TERMINAL = frozenset({"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"})
"""Tools whose question only the person in the terminal can answer: there the yes of a hook does nothing."""

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("Glob", "Grep", "LS", "NotebookRead", "Read"),
        *("ListMcpResources", "ReadMcpResource", "ReadMcpResourceDir", "ReadNotifications"),
        *("BashOutput", "CronList", "ListAgents", "ReportFindings", "TaskOutput", "ToolSearch"),
        *("TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoRead", "TodoWrite"),
        *_FOR_THE_TERMINAL,
    }
)
"""Tools that read, plan, or ask the person in the terminal. The agent's own rules stay in force for them. Every
other tool asks, also one that is new."""

_SUB_AGENTS = frozenset({"Agent", "Task"})
_PLAIN_SUB_AGENT = frozenset({"description", "model", "prompt", "run_in_background", "subagent_type"})
"""Arguments with which a sub-agent only starts, here: its calls come here one by one."""


class ClaudeCode(OwnTools):
    """The dialect of Claude Code."""

    agent = "claude-code"
    title = "Claude Code"
    event = _PRE_TOOL_USE
    shells = frozenset({"Bash"})
    writing = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
    other_paths = MappingProxyType({"NotebookEdit": "notebook_path"})

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _PRE_TOOL_USE, _PERMISSION_REQUEST)
        tool, arguments = text_of(event, "tool_name"), object_of(event, "tool_input")
        call_id = text_of(event, "tool_use_id", optional=True)
        left = tool in _LEFT_TO_THE_AGENT or (tool in _SUB_AGENTS and arguments.keys() <= _PLAIN_SUB_AGENT)
        if name == _PERMISSION_REQUEST:  # a hook has no id of the call; the prompt without a terminal has
            left = tool in _FOR_THE_TERMINAL and not call_id
        if left:
            return None
        arguments = dict(_told(tool, arguments))
        server, tool = mcp_name(tool)
        transcript = text_of(event, "transcript_path", optional=True)
        return HookCall(
            event=name,
            tool=tool,
            server=server,
            arguments=arguments,
            session=text_of(event, "session_id"),
            cwd=directory_of(event),
            call_id=call_id,
            sub_agent=sub_agent_name(event),
            transcript=transcript,
            recorded_in=_recorded_in(transcript, text_of(event, "agent_id", optional=True)),
            project=os.environ.get("CLAUDE_PROJECT_DIR", ""),
        )

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.claude_files import file_after

        return file_after(call.tool, call.arguments, path)

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which a tool writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.claude_files import arguments_for

        return arguments_for(call.tool, call.arguments, path, content)

    def turn(self, call: HookCall) -> dict[str, Any]:
        """Return the place of the call in the model's turn, as the transcript tells; empty if it does not."""
        from signoff.adapters.hooks.claude_transcript import asked_calls, newest_messages
        from signoff.adapters.look_ahead import look_ahead

        ids: Collection[str] = (call.call_id,)
        if call.event == _PERMISSION_REQUEST and not call.call_id:
            found = asked_calls(call.recorded_in, _written_name(call), partial(_has, call), time.time())
            ids = [ident for ident, has_result in found.items() if not has_result]
            if len(ids) > 1:  # nothing tells which one it is
                return {}
        calls: list[dict[str, Any]] = []
        turn = None
        for message in newest_messages(call.recorded_in):
            made = [each for each in message.get("content", ()) if each.get("type") == "tool_use"]
            if message.get("id") != turn:  # each call of a turn is a line of its own
                turn, calls = message.get("id"), []
            calls.extend(made)
        place = next((place for place, each in enumerate(calls) if each.get("id") in ids), None)
        if place is None or not isinstance(turn, str):
            return {}
        return {
            "batch_id": turn,
            "batch_position": place,
            "batch_remaining": [
                look_ahead(str(each.get("name")), each.get("input")) for each in calls[place + 1 :]
            ],
        }

    def subject(self, call: HookCall) -> str:
        """Return the text with which the conversation began, which stays the same as long as it lasts."""
        from signoff.adapters.hooks.claude_transcript import first_prompt

        return first_prompt(call.transcript)

    def answered_elsewhere(self, call: HookCall) -> Callable[[], str]:
        """Return a check that tells whether a call was answered where Claude Code itself asks.

        A ``PermissionRequest`` hook is not told. That the call has its result is told by the transcript.
        """
        from signoff.adapters.hooks.claude_transcript import result_watch

        if call.event != _PERMISSION_REQUEST:
            return super().answered_elsewhere(call)
        has_result = result_watch(call.recorded_in, _written_name(call), partial(_has, call))
        return lambda: "in Claude Code itself" if has_result() else ""

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        changed = {} if arguments is None else {"updatedInput": dict(arguments)}
        if call.event == _PERMISSION_REQUEST:
            return _reply(0, {"decision": {"behavior": "allow", **changed}}, call)
        told = {"additionalContext": note} if note else {}
        return _reply(0, {"permissionDecision": "allow", **changed, **told}, call)

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; a hard one ends the turn."""
        if call is not None and call.event == _PERMISSION_REQUEST:
            decision = {"behavior": "deny", "message": reason, "interrupt": hard}
            return _reply(REFUSED, {"decision": decision}, call, reason)
        ends = {"continue": False, "stopReason": reason} if hard else {}
        said = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        return _reply(REFUSED, said, call, reason, ends)


def _recorded_in(transcript: str, sub_agent_id: str) -> str:
    """The transcript that has the calls of the agent itself, or of a sub-agent."""
    folder = transcript.removesuffix(".jsonl")
    return f"{folder}/subagents/agent-{sub_agent_id}.jsonl" if transcript and sub_agent_id else transcript


def _told(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments that are worth a line: not one that says what is so without it."""
    if tool == "Edit" and arguments.get("replace_all") is False:
        return {name: value for name, value in arguments.items() if name != "replace_all"}
    return arguments


def _written_name(call: HookCall) -> str:
    """The tool of a call, as the model calls it."""
    return call.tool if call.server is None else f"mcp__{call.server}__{call.tool}"


def _has(call: HookCall, arguments: Mapping[str, Any]) -> bool:
    """True if a call has these arguments; it may have more, which Claude Code adds."""
    return _told(call.tool, arguments).items() <= call.arguments.items()


def _reply(
    exit_code: int,
    answer: Mapping[str, Any],
    call: HookCall | None,
    reason: str = "",
    more: Mapping[str, Any] | None = None,
) -> Reply:
    event = _PRE_TOOL_USE if call is None else call.event
    return Reply(exit_code, {"hookSpecificOutput": {"hookEventName": event, **answer}, **(more or {})}, reason)


DIALECT = ClaudeCode()
