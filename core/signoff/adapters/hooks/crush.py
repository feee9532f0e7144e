"""The hook of Crush: ``PreToolUse``.

Its input and output are those of https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md. It adds
changed arguments to the model's, and ends a turn at exit code 49. Its sub-agents, which only read, run no hook.

What its tools write, byte for byte, was read in its source (0.96):

- ``write`` writes its argument as it is.
- Edits look for their old text among line feeds alone. A file with at least one line end of two characters gets
  such everywhere, unless the new text brings one: then it is written with both kinds.
- A text that is not found is looked for again without regard to blanks, and of several edits those that fail are
  left out. Such calls are refused here.

It reads the names of arguments without regard to case, so others than its own are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from signoff.adapters.hooks.calls import (
    REFUSED,
    EventError,
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
    from signoff.types import ApprovalDecision

__all__ = ["DIALECT", "Crush"]

_EVENT = "PreToolUse"
_HALTED = 49
"""The exit code that ends a turn."""

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep", "ls", "view", "crush_info", "crush_logs", "list_mcp_resources", "read_mcp_resource"),
        *("lsp_call_hierarchy", "lsp_definition", "lsp_diagnostics", "lsp_references", "lsp_symbols"),
        *("job_output", "question", "todos"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""

_MCP = "mcp_"
_OWN_NAME = re.compile("[a-z_]+")
_PLAIN_NAME = re.compile("[A-Za-z0-9_-]+")
"""What it takes for a name, and not for the way to a value inside of others."""


class Crush(OwnTools):
    """The dialect of Crush."""

    agent = "crush"
    title = "Crush"
    event = _EVENT
    merges = True
    shells = frozenset({"bash"})
    directory = "working_dir"
    writing = frozenset({"write", "edit", "multiedit"})
    finds_relative = True

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event, or Crush may read other arguments than those that would be shown.
        """
        name = event_name(event, _EVENT, key="event")
        tool, arguments = text_of(event, "tool_name"), object_of(event, "tool_input")
        if tool in _LEFT_TO_THE_AGENT:
            return None
        if not tool.startswith(_MCP) and (other := next(_other_names(arguments), None)) is not None:
            raise EventError(f"the call has an argument {other!r}; name arguments exactly as the tool does")
        cwd = directory_of(event)
        return HookCall(
            event=name,
            tool=tool,
            server=None,  # its name and that of the tool cannot be told apart
            arguments=arguments,
            session=text_of(event, "session_id"),
            cwd=cwd,
            project=cwd,
        )

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        event = super().trial(cwd)
        return {"event": event.pop("hook_event_name"), **event}

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.text_files import read_utf8, text_argument
        from signoff.effects import FileWrite

        sha256, before = read_utf8(path)
        if call.tool == "write":
            return FileWrite(path, text_argument(call.arguments, "content").encode(), replaces=sha256)
        return FileWrite(path, _edited(call, path, before, there=bool(sha256)).encode(), replaces=sha256)

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which a tool writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.text_files import line_feeds, read_utf8, require_written

        text, before = content.decode(), line_feeds(read_utf8(path)[1])
        edit = {"old_string": before, "new_string": line_feeds(text) if before else text, "replace_all": False}
        if call.tool == "write":
            changed = {**call.arguments, "content": text}
        else:
            changed = {**call.arguments, **(edit if call.tool == "edit" else {"edits": [edit]})}
        require_written(content, lambda: self.file_after(call._replace(arguments=changed), path))
        return changed

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the agent does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        changed = super().arguments_instead(call, decision)
        if odd := next((name for name in changed if not _PLAIN_NAME.fullmatch(name)), None):
            raise ValueError(f"it may take the name {odd!r} for another")
        return changed

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        changed = {} if arguments is None else {"updated_input": dict(arguments)}
        return Reply(0, {"decision": "allow", **changed, **({"context": note} if note else {})})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; a hard one ends the turn."""
        ends = {"halt": True} if hard else {}
        return Reply(_HALTED if hard else REFUSED, {"decision": "deny", "reason": reason, **ends}, reason)


def _other_names(value: object) -> Iterator[str]:
    """The names of arguments that Crush may take for some of its own."""
    if isinstance(value, dict):
        yield from (name for name in value if not _OWN_NAME.fullmatch(name))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _other_names(inner)


def _edited(call: HookCall, path: str, before: str, *, there: bool) -> str:
    """The text after the edits of a call.

    Raises:
        SnapshotError: One of them is not clear.
    """
    from signoff.adapters.hooks.text_files import line_feeds, require_one_place, text_argument
    from signoff.effects import SnapshotError

    edits = [call.arguments] if call.tool == "edit" else call.arguments.get("edits")
    if not isinstance(edits, list) or not all(isinstance(each, dict) for each in edits) or not edits:
        raise SnapshotError("the call names no edits")
    text = line_feeds(before)
    for number, edit in enumerate(edits):
        old, new = text_argument(edit, "old_string"), text_argument(edit, "new_string")
        if not old and number:
            raise SnapshotError("only the first edit can go without a text to replace")
        everywhere = edit.get("replace_all") is True
        require_one_place(path, text, old, new, everywhere=everywhere, there=there)
        text = text.replace(old, new) if old else new
    has_crlf = "\r\n" in before and "\r\n" not in text
    return text.replace("\n", "\r\n") if has_crlf else text


DIALECT = Crush()
