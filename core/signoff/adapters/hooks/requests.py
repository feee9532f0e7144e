"""The request of a hook for the reviewer, and the reply to the agent when there is a decision."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from signoff.adapters.hooks.calls import Dialect, HookCall, Reply
from signoff.adapters.session_name import session_name, short_subject
from signoff.effects import Command, Effect, FileWrite, SnapshotError

if TYPE_CHECKING:
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = ["AskedHookCall", "agent_name", "asked_call", "reply_to"]

_LONGEST = 200
"""The most characters of a command in the line for the reviewer, who sees all of it below."""


class AskedHookCall(NamedTuple):
    """The request for a call and its origin in one, made without models: a grant is found with these facts alone.

    Its attributes are those of `signoff.types.ApprovalRequest` and `ApprovalContext`.
    """

    dialect: Dialect
    call: HookCall
    tool_name: str
    description: str
    payload: dict[str, Any]
    arguments: dict[str, Any]
    effects: tuple[Effect, ...]
    server: str | None
    metadata: dict[str, Any]
    honors: frozenset[str]
    lacks: frozenset[Literal["hard", "session"]]
    expires_in: float | None = None
    presentation: None = None
    group_id: None = None
    group_size: None = None
    why: str = ""
    masked_keys: tuple[str, ...] = ()
    definition: None = None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments."""
        return self.arguments

    def check_edited(self, arguments: Mapping[str, Any]) -> None:
        """Check arguments that a reviewer changed, see `signoff.approved_call.EditedCall`."""
        from signoff.approved_call import EditedCall

        def asked_with(changed: ApprovalContext) -> ApprovalRequest:
            call = self.call._replace(arguments=changed.args)
            return asked_call(self.dialect, call).as_models()[0]

        request, context = self.as_models()
        EditedCall(context, request, lambda same: same, asked_with)(arguments)

    def as_models(self) -> tuple[ApprovalRequest, ApprovalContext]:
        """Return what a person is asked with.

        Raises:
            NotJsonError: The payload or the arguments hold a text that is no Unicode.
        """
        from signoff.types import ApprovalContext, ApprovalRequest

        request = ApprovalRequest(
            tool_name=self.tool_name,
            server=self.server,
            description=self.description,
            payload=self.payload,
            arguments=self.arguments,
            effects=self.effects,
            honors=self.honors,
            expires_in=self.expires_in,
        )
        context = ApprovalContext(
            tool_name=self.tool_name,
            server=self.server,
            args=self.arguments,
            metadata=self.metadata,
            honors=self.honors,
            lacks=self.lacks,
            check_edited=self.check_edited,
        )
        return request, context


def asked_call(dialect: Dialect, call: HookCall) -> AskedHookCall:
    """Return the request for a call: where it comes from, and what its agent can do besides running it as asked.

    Raises:
        SnapshotError: What it would do cannot be shown; the message says why.
    """
    effects = tuple(dialect.effects(call))
    identity = {"run_id": call.session, "run_step": "hook", "tool_call_id": call.call_id} if call.call_id else {}
    return AskedHookCall(
        dialect=dialect,
        call=call,
        tool_name=call.tool,
        server=call.server,
        description=_described(call, effects),
        payload=dialect.payload(call),
        arguments=dialect.arguments(call),
        effects=effects,
        metadata={"caller": call.sub_agent, **identity, **dialect.turn(call)},
        honors=dialect.honors,
        lacks=dialect.lacks | call.lacks,
    )


def reply_to(dialect: Dialect, call: HookCall, decision: ApprovalDecision) -> Reply:
    """Return the reply of a dialect to a decision; it refuses what its agent cannot do instead of the call."""
    from signoff.types import denial_text

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
    """Return the name of an agent on screen: ``shop fix the price, Claude Code (main)``."""
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
