"""The hook of Cursor: ``preToolUse``.

Its input and output are those of https://cursor.com/docs/hooks. What its tools are called is said there, but of
their arguments only those of a command, so what a write would do to a file is not worked out. No answer ends a
turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

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

__all__ = ["DIALECT", "Cursor"]

_EVENT = "preToolUse"
_LEFT_TO_THE_AGENT = frozenset({"Grep", "Read"})
"""Tools that read. Every other tool asks, also one that is new."""


class Cursor(OwnTools):
    """The dialect of Cursor."""

    agent = "cursor"
    title = "Cursor"
    event = _EVENT
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    shells = frozenset({"Shell"})
    directory = "cwd"

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _EVENT)
        tool, arguments = text_of(event, "tool_name"), object_of(event, "tool_input")
        if tool in _LEFT_TO_THE_AGENT:
            return None
        project, lacks = _project(event), frozenset[Literal["session"]]()
        cwd = directory_of(event) if event.get("cwd") else project
        if tool in self.shells:
            named = {text_of(arguments, name, optional=True) for name in ("cwd", "working_directory")} - {""}
            if len(named) > 1:
                raise EventError("the event names two working directories")
            if named:
                cwd = directory_of({"cwd": named.pop()})
            elif not event.get("cwd"):  # its shell may have gone elsewhere
                lacks = frozenset({"session"})
        return HookCall(
            event=name,
            tool=tool,
            server=None,  # an MCP tool is named without its server
            arguments=arguments,
            session=text_of(event, "conversation_id"),
            cwd=cwd,
            call_id=text_of(event, "tool_use_id", optional=True),
            project=project,
            lacks=lacks,
        )

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        return {**super().trial(cwd), "conversation_id": "trial", "workspace_roots": [cwd]}

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run; no words go along with it."""
        changed = {} if arguments is None else {"updated_input": dict(arguments)}
        return Reply(0, {"permission": "allow", **changed})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        return Reply(REFUSED, {"permission": "deny", "user_message": reason, "agent_message": reason}, reason)


def _project(event: Mapping[str, Any]) -> str:
    """The first folder of the workspace.

    Raises:
        EventError: There is none.
    """
    roots = event.get("workspace_roots")
    if not isinstance(roots, list) or not roots:
        raise EventError("the event has no list workspace_roots")
    return directory_of({"cwd": roots[0]})


DIALECT = Cursor()
