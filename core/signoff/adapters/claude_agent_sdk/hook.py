"""The hook that the Claude Agent SDK calls before each call of a tool."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher

from signoff.adapters.hooks.calls import Dialect, EventError, HookCall, Reply, text_of
from signoff.adapters.hooks.claude_code import ClaudeCode
from signoff.adapters.hooks.requests import asked_call, reply_to
from signoff.adapters.stops import FALLEN, Stops
from signoff.canonical import NotJsonError
from signoff.controller import ApprovalController
from signoff.effects import SnapshotError
from signoff.expiry import within
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["approval_hook"]

_VIA = "claude-agent-sdk"
_MARGIN = 10.0
"""So many seconds before the hook's timeout a request expires, so that the model is told the true reason."""


class _ClaudeAgentSdk(ClaudeCode):
    """The dialect of the program that the SDK runs, which is Claude Code."""

    title = "Claude Agent SDK"


_DIALECT: Dialect = _ClaudeAgentSdk()


def approval_hook(controller: ApprovalController | None = None) -> HookMatcher:
    """Return a ``PreToolUse`` hook that asks before each call that changes something.

    Tools that only read or plan stay with the rules of the SDK. A soft refusal is told to the model, with the
    reviewer's words; a hard one ends the turn. A request is withdrawn when the turn is interrupted. A request that
    nobody answers expires in the time of the controller, and within a day. Whatever fails, the call does not run:
    the hook has ``on_failure="block"``.

    Args:
        controller: The controller that decides; by default a new one, which asks in the local queue. It is one
            session: conversations that must not share remembered approvals need a hook each.
    """
    deciding = controller if controller is not None else ApprovalController()
    stops = Stops()

    async def ask(event: Mapping[str, Any], _: str | None, __: object) -> dict[str, Any]:
        call: HookCall | None = None
        try:
            call = _DIALECT.read(event)
            prompt = text_of(event, "prompt_id", optional=True)
            reply = None if call is None else await _answer(deciding, call, stops, prompt)
        except (EventError, SnapshotError, NotJsonError) as error:
            reply = _DIALECT.refused(call, f"not run: {error}", hard=False)
        except Exception as error:  # noqa: BLE001 - whatever it is, the call must not run, and the model is told
            fault = f"not run: a fault in signoff itself ({type(error).__name__}: {error})"
            reply = _DIALECT.refused(call, fault, hard=False)
        return {} if reply is None else dict(reply.answer or {})

    return HookMatcher(hooks=[ask], timeout=_DIALECT.timeout, on_failure="block")


async def _answer(controller: ApprovalController, call: HookCall, stops: Stops, prompt: str) -> Reply:
    """Ask about a call, unless its turn was stopped: Claude Code goes on with the calls after a refused one."""
    longest = _DIALECT.timeout - _MARGIN
    seconds = longest if controller.expires_in is None else min(controller.expires_in, longest)
    request, context = await asyncio.to_thread(_question, call, seconds)
    asking = controller.request_approval(request, context)
    answer = await (stops.answer_unless_stopped(prompt, asking) if prompt else asking)
    decision = FALLEN if answer is None else answer
    if decision.hard and prompt:
        stops.stop(prompt)
    return await asyncio.to_thread(reply_to, _DIALECT, call, decision)


def _question(call: HookCall, expires_in: float) -> tuple[ApprovalRequest, ApprovalContext]:
    asked = asked_call(_DIALECT, call)
    request, context = asked._replace(metadata={**asked.metadata, "via": _VIA}).as_models()
    return within(request, expires_in), context
