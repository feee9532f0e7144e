"""The hook of OpenCode: ``tool.execute.before`` of a plugin.

OpenCode runs no commands as hooks. A plugin of ours, ``opencode_plugin.js``, runs this one before each call of a
tool, and keeps the call from running unless the answer is a yes. The events and answers are between the two alone;
the plugin's own are those of https://opencode.ai/docs/plugins.

Measured with the program (1.18.33):

- Calls of the agent, of its sub-agents and of MCP servers run the plugin. It may wait as long as it likes. A turn
  that was stopped runs nothing, whatever the plugin says later.
- Plugins may put a tool of their own in the place of one of OpenCode's, and a tool of an MCP server is named by
  the server and itself together. A call that could be of two tools is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.adapters.hooks.installation import PluginPlace
    from signoff.effects import Effect
    from signoff.types import ApprovalDecision

__all__ = ["DIALECT", "OpenCode"]

_EVENT = "tool.execute.before"

_PATCH = "apply_patch"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep", "invalid", "lsp", "read", "skill"),
        *("list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource"),
        *("plan_exit", "question", "todowrite"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""

_SUB_AGENT = "task"
_PLAIN_SUB_AGENT = frozenset({"background", "command", "description", "prompt", "subagent_type", "task_id"})
"""Arguments with which a sub-agent only starts, here: its calls come here one by one."""


class OpenCode(OwnTools):
    """The dialect of OpenCode."""

    agent = "opencode"
    title = "OpenCode"
    event = _EVENT
    shells = frozenset({"bash"})
    directory = "workdir"
    writing = frozenset({"edit", "write"})
    from_cwd = writing | {_PATCH}
    unasked = Reply(0, {"decision": "allow"})

    @property
    def place(self) -> PluginPlace:
        """The place of the plugin."""
        from signoff.adapters.hooks.installation import PluginPlace

        return PluginPlace(
            agent="opencode",
            program="opencode",
            folder=".config/opencode",
            settings="plugin/signoff.js",
            elsewhere={"XDG_CONFIG_HOME": "opencode"},
            template="opencode_plugin.js",
            still_to_do="start OpenCode again where it runs: it reads its plugins once",
        )

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event, or a call that could be of two tools.
        """
        name = text_of(event, "hook_event_name")
        if name != _EVENT:
            raise EventError(f"this hook is for {_EVENT}, not for {name}")
        arguments = object_of(event, "args")
        server, tool = _named(text_of(event, "tool"), _texts_of(event, "servers"), _texts_of(event, "tools"))
        if server is None and (
            tool in _LEFT_TO_THE_AGENT or (tool == _SUB_AGENT and arguments.keys() <= _PLAIN_SUB_AGENT)
        ):
            return None
        cwd = directory_of(event)
        return HookCall(
            event=name,
            tool=tool,
            server=server,
            arguments=arguments,
            session=text_of(event, "session_id"),
            cwd=cwd,
            call_id=text_of(event, "call_id", optional=True),
            sub_agent=text_of(event, "agent", optional=True),
            subject=text_of(event, "subject", optional=True),
            project=cwd,
        )

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return the files that a call would write and remove, or the command that it would run.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        if call.server is not None or call.tool not in {*self.writing, _PATCH}:
            return super().effects(call)
        from signoff.adapters.hooks.opencode_files import file_after, patch_effects

        if call.tool == _PATCH:
            return patch_effects(call.arguments, call.cwd)
        return (file_after(call.tool, call.arguments, call.cwd),)

    def arguments(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments, but not the text of a patch: its diffs say all of it."""
        is_patch = call.server is None and call.tool == _PATCH
        return {name: value for name, value in call.arguments.items() if not is_patch or name != "patchText"}

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the tool does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.opencode_files import arguments_for

        instead = decision.instead
        if instead is None:
            return call.arguments
        if instead.arguments is not None:
            return dict(instead.arguments)
        [path] = instead.contents
        content = instead.content(path)
        if content is None or call.server is not None:
            raise ValueError("what was approved is for another call")
        return arguments_for(call.tool, call.arguments, call.cwd, path, content)

    def subject(self, call: HookCall) -> str:
        """Return the words with which a person began the conversation."""
        return call.subject

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        return {
            "hook_event_name": _EVENT,
            "session_id": "trial",
            "call_id": "",
            "cwd": cwd,
            "tool": "bash",
            "args": {"command": "true"},
            "servers": [],
            "tools": ["bash"],
        }

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run; the plugin adds the note to its result."""
        changed = {} if arguments is None else {"args": dict(arguments)}
        told = {"note": note} if note else {}
        return Reply(0, {"decision": "allow", **changed, **told})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the plugin ends the turn for a hard one."""
        return Reply(REFUSED, {"decision": "deny", "reason": reason, "stop": hard}, reason)


def _named(name: str, servers: Sequence[str], tools: Sequence[str]) -> tuple[str | None, str]:
    """The server and the name of a tool.

    Args:
        name: The name, which for a tool of a server begins with that of the server.
        servers: The MCP servers that there are.
        tools: All tools besides those of servers.

    Raises:
        EventError: It could be of two tools.
    """
    if tools.count(name) > 1:
        raise EventError(f"there are two tools {name}, one of them of a plugin: rename it")
    found = [server for server in servers if name.startswith(f"{_plain(server)}_")]
    if len(found) + tools.count(name) > 1:
        raise EventError(f"{name} could be of two tools or servers: rename one of {', '.join(found)}")
    if not found:
        return None, name
    [server] = found
    rest = name.removeprefix(f"{_plain(server)}_")
    return (server, rest) if rest else (None, name)


def _plain(server: str) -> str:
    """The name of a server as it stands in those of its tools."""
    return re.sub("[^a-zA-Z0-9_-]", "_", server)


def _texts_of(event: Mapping[str, Any], key: str) -> Sequence[str]:
    found = event.get(key)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise EventError(f"the event has no list {key} of texts")
    return found


DIALECT = OpenCode()
