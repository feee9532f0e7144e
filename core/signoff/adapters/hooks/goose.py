"""The hook of goose: ``PreToolUse`` of a plugin.

Its input and output were read in its source,
https://github.com/block/goose/blob/main/crates/goose/src/hooks/mod.rs. It runs no other arguments than its own,
no answer ends its turn, and no words go along with a yes.

What its tools write, byte for byte, was read in its source: ``write`` writes its argument as it is, and
``edit`` replaces one text that is there exactly and once, line ends and all.
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
    object_of,
    text_of,
)
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.effects import FileWrite

__all__ = ["DIALECT", "Goose"]

_EVENT = "PreToolUse"
_LEFT_TO_THE_AGENT = frozenset({"tree"})
"""Tools that read. Every other tool asks, also one that is new."""

_DEVELOPER = "developer"
"""The extension of its own tools, which older versions put in front of their names."""


class Goose(OwnTools):
    """The dialect of goose."""

    agent = "goose"
    title = "goose"
    event = _EVENT
    edits = False
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    shells = frozenset({"shell"})
    writing = frozenset({"edit", "write"})
    path = "path"
    finds_relative = True

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _EVENT, key="event")
        server, tool = _named(text_of(event, "tool_name"))
        if server is None and tool in _LEFT_TO_THE_AGENT:
            return None
        cwd = directory_of(event, "working_dir")
        return HookCall(
            event=name,
            tool=tool,
            server=server,
            arguments={} if event.get("tool_input") is None else object_of(event, "tool_input"),
            session=text_of(event, "session_id"),
            cwd=cwd,
            call_id=text_of(event, "tool_call_id", optional=True),
            project=cwd,
        )

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        event = super().trial(cwd)
        return {"event": event.pop("hook_event_name"), "working_dir": event.pop("cwd"), **event}

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call.
        """
        from signoff.adapters.hooks.text_files import read_utf8, require_one_place, text_argument
        from signoff.effects import FileWrite

        sha256, text = read_utf8(path)
        if call.tool == "write":
            return FileWrite(path, text_argument(call.arguments, "content").encode(), replaces=sha256)
        old, new = (text_argument(call.arguments, key) for key in ("before", "after"))
        require_one_place(path, text, old, new, everywhere=False, there=True)
        return FileWrite(path, text.replace(old, new).encode(), replaces=sha256)

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        return Reply(0, {"decision": "allow"})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        return Reply(REFUSED, {"decision": "block", "reason": reason}, reason)


def _named(name: str) -> tuple[str | None, str]:
    """The server and the name of a tool: ``files__read`` is ``read`` of ``files``.

    Where it may be cut in two places it stays whole: two tools must never have one name.
    """
    server, _, tool = name.partition("__")
    if not server or not tool or "__" in tool:
        return None, name
    return (None, tool) if server == _DEVELOPER else (server, tool)


DIALECT = Goose()
