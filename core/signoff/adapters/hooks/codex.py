"""The hook of OpenAI Codex: ``PreToolUse``.

Its input has the shape of Claude Code's. Its output is read more strictly: with one key that the agent does not
expect, or a yes that changes nothing, the hook counts as failed, and the call runs. No answer ends its turn.

What a hook is told, measured with the program (0.171.0):

- Of a command the line and its directory, but not whether it gets a terminal. Another tool, ``write_stdin``, types
  into a program with a terminal, and runs no hook. So every approved command begins with a line that ends it where
  there is one. Without a terminal its input is empty, and nothing can be typed.
- Shells of the system run commands, whatever file a call names as its shell.
- Calls that the model writes as one program (code mode) run hooks one by one, and so do those of sub-agents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import (
    REFUSED,
    EventError,
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
    from signoff.effects import Effect
    from signoff.types import ApprovalDecision

__all__ = ["DIALECT", "WITHOUT_TERMINAL", "Codex"]

_EVENT = "PreToolUse"

_SHELL, _PATCH = "Bash", "apply_patch"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("view_image", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"),
        *("clockcurr_time", "clocksleep", "create_goal", "get_goal", "update_goal", "update_plan"),
        *("request_user_input", "tool_search"),
        *("collaborationlist_agents", "collaborationsend_message", "collaborationwait_agent"),
        *("collaborationfollowup_task", "collaborationinterrupt_agent"),
        *("close_agent", "send_input", "wait_agent"),
    }
)
"""Tools that read, plan, wait, talk to sub-agents, or ask the person in the terminal. Every other tool asks, also
one that is new."""

_SUB_AGENTS = frozenset({"collaborationspawn_agent", "spawn_agent"})
_PLAIN_SUB_AGENT = frozenset({"fork_context", "fork_turns", "message", "model", "reasoning_effort", "task_name"})
"""Arguments with which a sub-agent only starts, here: its calls come here one by one."""

WITHOUT_TERMINAL = (
    "if [ -t 0 ] || [ -t 1 ] || [ -t 2 ]; then "
    "echo 'not run: nobody approves what is typed into a terminal; call it again without tty' >&2; exit 2; fi\n"
)
"""The line before an approved command."""


class Codex(OwnTools):
    """The dialect of OpenAI Codex."""

    agent = "codex"
    title = "Codex"
    event = _EVENT
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    shells = frozenset({_SHELL})
    writing = frozenset({_PATCH})
    from_cwd = writing

    def why_unused(self) -> str | None:
        """Return why Codex does not run the hook; "" if it does, None if it cannot be asked."""
        listed = _listed_hooks(os.getcwd())  # noqa: PTH109 - text is what is sent
        if listed is None:
            return None
        own = [each for each in listed if " hook codex " in f" {each.get('command')} "]
        if any(each.get("enabled") is True and each.get("trustStatus") in _TRUSTED for each in own):
            return ""
        return "it does not run its hook, which nobody has trusted there" if own else "it does not find its hook"

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event, or a command or patch without its text.
        """
        name = event_name(event, _EVENT)
        tool, arguments = text_of(event, "tool_name"), object_of(event, "tool_input")
        if tool in _LEFT_TO_THE_AGENT or (tool in _SUB_AGENTS and arguments.keys() <= _PLAIN_SUB_AGENT):
            return None
        if tool in {_SHELL, _PATCH}:
            line = text_of(arguments, "command")
            if arguments.keys() != {"command"}:
                raise EventError(f"the event has arguments of {tool} that this hook does not know")
            arguments = {"command": line} if tool == _SHELL else {"patch": line}
        server, tool = mcp_name(tool)
        return HookCall(
            event=name,
            tool=tool,
            server=server,
            arguments=arguments,
            session=text_of(event, "session_id"),
            cwd=directory_of(event),
            call_id=text_of(event, "tool_use_id", optional=True),
            sub_agent=sub_agent_name(event),
            project=os.getcwd(),  # noqa: PTH109 - text is what is stored; cwd is that of the command
        )

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return the files that a patch would write and remove, or the command that a call would run.

        Raises:
            SnapshotError: The patch does not apply exactly as it is written; the message says what to do.
        """
        if call.tool != _PATCH or call.server is not None:
            return super().effects(call)
        from signoff.adapters.hooks.codex_patch import effects_of

        return effects_of(call.arguments["patch"], call.cwd)

    def arguments(self, call: HookCall) -> dict[str, Any]:
        """Return all arguments, but none of a patch: its diffs say all of it."""
        return {} if call.server is None and call.tool == _PATCH else call.arguments

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the tool does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.codex_patch import patch_for

        instead = decision.instead
        if instead is None:
            return call.arguments
        if instead.arguments is not None:
            if call.tool == _SHELL and instead.arguments.keys() != {"command"}:
                raise ValueError("of a command it takes the line alone")
            return dict(instead.arguments)
        [path] = instead.contents
        content = instead.content(path)
        if content is None or call.tool != _PATCH:
            raise ValueError("what was approved is for another call")
        return {"patch": patch_for(call.arguments["patch"], call.cwd, path, content)}

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run; without changes and words it is no word at all."""
        changed: Mapping[str, Any] | None = arguments
        if call.server is None and call.tool == _SHELL:
            changed = {"command": WITHOUT_TERMINAL + (arguments or call.arguments)["command"]}
        elif call.server is None and call.tool == _PATCH and arguments is not None:
            changed = {"command": arguments["patch"]}
        said = {} if changed is None else {"permissionDecision": "allow", "updatedInput": dict(changed)}
        told = {"additionalContext": note} if note else {}
        if not said and not told:
            return Reply(0)
        return Reply(0, {"hookSpecificOutput": {"hookEventName": _EVENT, **said, **told}})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        said = {"hookEventName": _EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason}
        return Reply(REFUSED, {"hookSpecificOutput": said}, reason)


# -- The hooks as Codex itself lists them: its app-server speaks JSON-RPC, a line a message.

_TRUSTED = frozenset({"trusted", "managed"})
_SECONDS = 20.0


def _listed_hooks(cwd: str) -> list[dict[str, Any]] | None:
    """The hooks for a project; None if the program is not there, or does not say in time."""
    import json
    import subprocess
    import threading

    messages = (
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "signoff", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [cwd]}},
    )
    try:
        with subprocess.Popen(
            ["codex", "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            ends = threading.Timer(_SECONDS, server.kill)
            ends.start()
            try:
                server.stdin.write("".join(f"{json.dumps(each)}\n" for each in messages).encode())
                server.stdin.flush()
                answer = next((line for line in server.stdout if b'"id":2' in line), b"null")
            finally:
                ends.cancel()
                server.kill()
        [project] = json.loads(answer)["result"]["data"]
        return [each for each in project["hooks"] if isinstance(each, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return None


DIALECT = Codex()
