"""The request of a hook for the reviewer, and the reply to the agent when there is a decision."""

from __future__ import annotations

import os

from signoff.adapters.hooks.calls import Dialect, HookCall, Reply
from signoff.adapters.session_name import session_name, short_subject
from signoff.approved_call import EditedCall
from signoff.effects import Command, FileWrite, SnapshotError
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest, denial_text

__all__ = ["agent_name", "call_context", "call_request", "reply_to"]

_LONGEST = 200
"""The most characters of a command in the line for the reviewer, who sees all of it below."""

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
        lacks=dialect.lacks,
    )
    edited = EditedCall(
        context,
        request,
        lambda arguments: arguments,
        lambda changed: call_request(dialect, call._replace(arguments=changed.args)),
    )
    return context.model_copy(update={"check_edited": edited})


def reply_to(dialect: Dialect, call: HookCall, decision: ApprovalDecision) -> Reply:
    """Return the reply of a dialect to a decision; it refuses what its agent cannot do instead of the call."""
    if decision.approved is not True:
        return dialect.refused(call, denial_text(decision), hard=decision.hard)
    if decision.instead is None:
        return dialect.approved(call, decision.note or "", None)
    try:
        arguments = dialect.arguments_instead(call, decision)
    except (ValueError, KeyError, SnapshotError) as error:
        words = f"not run: the reviewer {decision.instead.words}, which {dialect.title} cannot do: {error}"
        return dialect.refused(call, words, hard=False)
    words = f"The reviewer {decision.instead.words}: the call runs so."
    return dialect.approved(call, f"{words} {decision.note or ''}".strip(), arguments)


def agent_name(dialect: Dialect, call: HookCall) -> str:
    """Return the name of an agent on screen: ``shop fix the price (main), Claude Code``."""
    return session_name(dialect.title, call.project or call.cwd, short_subject(dialect.subject(call)))


def _described(call: HookCall, effects: tuple[object, ...]) -> str:
    files = [effect.path for effect in effects if isinstance(effect, FileWrite)]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    for effect in effects:
        match effect:
            case Command():
                return f"run {effect.command[:_LONGEST]}"
            case FileWrite():
                inside = os.path.relpath(effect.path, call.cwd)
                return f"{call.tool} {effect.path if inside.startswith('..') else inside}{more}"
    return f"call {call.tool}"
