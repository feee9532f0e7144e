"""The request of a hook: the call, its effects, and where it belongs, for the reviewer."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.adapters.hooks.calls import Dialect, HookCall
from signoff.approved_call import EditedCall
from signoff.effects import Command
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["agent_name", "call_context", "call_request"]

_WHY = "asked by the hook of {title}"


def call_request(dialect: Dialect, call: HookCall) -> ApprovalRequest:
    """Return the request for a call.

    Raises:
        SnapshotError: What it would do cannot be shown; the message says why.
        NotJsonError: Its arguments hold a text that is no Unicode.
    """
    effects = tuple(dialect.effects(call))
    payload = dialect.payload(call)
    return ApprovalRequest(
        tool_name=call.tool,
        server=call.server,
        description=_described(call, effects),
        payload=payload,
        arguments=call.arguments,
        effects=effects,
        why=_WHY.format(title=dialect.title),
        honors=dialect.honors,
    )


def call_context(dialect: Dialect, call: HookCall, request: ApprovalRequest) -> ApprovalContext:
    """Return where a call comes from, and what its agent can do besides running it as asked."""
    context = ApprovalContext(
        tool_name=call.tool,
        server=call.server,
        args=call.arguments,
        metadata={
            "caller": call.sub_agent,
            **({"run_id": call.session, "run_step": "hook", "tool_call_id": call.call_id} if call.call_id else {}),
            **dialect.turn(call),
        },
        honors=dialect.honors,
    )
    edited = EditedCall(
        context,
        request,
        lambda arguments: arguments,
        lambda changed: call_request(dialect, call._replace(arguments=changed.args)),
    )
    return context.model_copy(update={"check_edited": edited})


def agent_name(dialect: Dialect, call: HookCall) -> str:
    """Return the name of an agent on screen, which tells its sessions apart: ``Claude Code shop (main)``."""
    project = call.project or call.cwd
    branch = _branch(Path(project))
    folder = Path(project).name or "/"
    return f"{dialect.title} {folder} ({branch})" if branch else f"{dialect.title} {folder}"


def _described(call: HookCall, effects: tuple[object, ...]) -> str:
    if any(isinstance(effect, Command) for effect in effects):
        return f"run {call.arguments.get('command')}"
    path = call.arguments.get("file_path")
    if effects and isinstance(path, str):
        inside = os.path.relpath(path, call.cwd)
        return f"{call.tool} {path if inside.startswith('..') else inside}"
    return f"call {call.tool}"


def _branch(project: Path) -> str:
    """The branch that is checked out; "" if there is none, or it cannot be read."""
    for folder in (project, *project.parents):
        place = folder / ".git"
        try:
            if place.is_file():  # of a worktree
                place = folder / place.read_text("utf-8").removeprefix("gitdir:").strip()
            head = (place / "HEAD").read_text("utf-8")
        except (OSError, ValueError):
            continue
        return head.removeprefix("ref: refs/heads/").strip() if head.startswith("ref: refs/heads/") else ""
    return ""
