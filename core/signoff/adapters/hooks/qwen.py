"""The hook of Qwen Code: ``PreToolUse``.

Its input and output have the shape of Claude Code's. It runs no other arguments than its own, whatever the answer
says, and no answer ends its turn.

What its tools write, byte for byte, was measured with the program (0.24.4), and is compared with it by
``make clients``:

- A byte order mark stays, and with it the encoding. The encoding of other files is guessed, so those that are not
  UTF-8 are refused here.
- A file with at least one line end of two characters gets such everywhere, whatever the arguments have.
- An edit that replaces text by nothing, and leaves an empty line where the text was, takes the line with it.
- A text that is not found is looked for without regard to blanks at line ends and to the form of quotes. Such a
  call is refused here, for the sake of one rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import (
    REFUSED,
    HookCall,
    Reply,
    directory_of,
    event_name,
    mcp_name,
    object_of,
    text_of,
)
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.adapters.hooks.text_files import TextFile
    from signoff.effects import FileWrite

__all__ = ["DIALECT", "QwenCode"]

_EVENT = "PreToolUse"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep_search", "list_directory", "read_file", "read_many_files", "tool_search"),
        *("ask_user_question", "exit_plan_mode", "todo_write"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""


class QwenCode(OwnTools):
    """The dialect of Qwen Code."""

    agent = "qwen"
    title = "Qwen Code"
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    event = _EVENT
    edits = False
    shells = frozenset({"run_shell_command"})
    directory = "directory"
    writing = frozenset({"write_file", "edit"})

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _EVENT)
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

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.text_files import read_text_file, text_argument
        from signoff.effects import FileWrite

        file = read_text_file(path)
        text = text_argument(call.arguments, "content") if call.tool == "write_file" else _edited(call, path, file)
        after = file.encoded(text.removeprefix("\ufeff") if file.mark else text, crlf=file.crlf > 0)
        return FileWrite(path, after, replaces=file.sha256)

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        told = {"additionalContext": note} if note else {}
        said = {"hookEventName": _EVENT, "permissionDecision": "allow", **told}
        return Reply(0, {"hookSpecificOutput": said})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        said = {"hookEventName": _EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason}
        return Reply(REFUSED, {"hookSpecificOutput": said}, reason)


def _edited(call: HookCall, path: str, file: TextFile) -> str:
    from signoff.adapters.hooks.text_files import line_feeds, require_one_place, text_argument

    old, new = line_feeds(text_argument(call.arguments, "old_string")), text_argument(call.arguments, "new_string")
    require_one_place(
        path, file.text, old, new, everywhere=call.arguments.get("replace_all") is True, there=bool(file.sha256)
    )
    if not old:
        return new
    if not new and not old.endswith("\n") and f"{old}\n" in file.text:
        old += "\n"
    return file.text.replace(old, new)


DIALECT = QwenCode()
