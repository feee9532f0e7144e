"""A server of MCP that asks a person: on behalf of any model, and for Claude Code's own calls.

Its tool `ASK` is for a model that asks before it does something. Its tool `PROMPT` is what
``claude -p --permission-prompt-tool mcp__signoff__permission_prompt`` calls where Claude Code would ask in its own
terminal (https://code.claude.com/docs/en/cli-reference); what it shows is what the hook of Claude Code shows.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from signoff.adapters.hooks.calls import EventError, HookCall, object_of, text_of
from signoff.adapters.hooks.claude_code import DIALECT
from signoff.adapters.hooks.claude_transcript import recorded_call
from signoff.adapters.hooks.requests import agent_name, asked_call, reply_to
from signoff.adapters.session_name import session_name
from signoff.approved_call import EditedCall
from signoff.canonical import NotJsonError
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.effects import SnapshotError
from signoff.modes import chosen_mode
from signoff.queue.amendment import EDIT
from signoff.queue.errors import QueueError
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest, denial_text

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from signoff.queue.protocol import AgentQueue

__all__ = ["ASK", "HEARTBEAT", "PROMPT", "AskServer", "run_ask_server"]

ASK, PROMPT = "ask_approval", "permission_prompt"

HEARTBEAT = 10.0
"""Seconds between two signs of life for a host that waits."""

_NAME = "signoff"
_VIA = "signoff mcp-ask"
_WAITING = "waiting for a person to answer"
_HONORS = frozenset({EDIT})
_LACKS: frozenset[Literal["hard"]] = frozenset({"hard"})
_PERMISSION_REQUEST = "PermissionRequest"
_CLAUDE_CODE = "claude-code"
_FOR_THE_TRANSCRIPT = 3.0
"""Seconds to wait until Claude Code has written down a call that it asks about."""

_TOOLS = [
    types.Tool(
        name=ASK,
        description=(
            "Ask the person at the terminal whether you may do something, and wait for the answer. "
            "Do it only if approved is true, then with edited_details in place of details if there are any, "
            "and follow the note."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "action": {"type": "string", "description": "What you want to do, in one line."},
                "details": {"description": "Everything the person has to see: text, or an object."},
                "reason": {"type": "string", "description": "Why you want to do it."},
            },
            "required": ["action"],
            "additionalProperties": False,
        },
        output_schema={
            "type": "object",
            "properties": {
                "approved": {"type": "boolean"},
                "note": {"type": "string", "description": "Words of the person, or why there is no answer."},
                "edited_details": {"description": "The details that were approved in place of yours, or null."},
            },
            "required": ["approved", "note", "edited_details"],
        },
    ),
    types.Tool(
        name=PROMPT,
        description="For Claude Code itself (--permission-prompt-tool). It is of no use to a model.",
        input_schema={
            "type": "object",
            "properties": {
                "tool_name": {"type": "string"},
                "input": {"type": "object"},
                "tool_use_id": {"type": "string"},
            },
            "required": ["tool_name", "input"],
        },
    ),
]


class AskServer:
    """The server; everything that is asked in one conversation is one session of the queue.

    Args:
        place: Directory, name or URL of the queue; None for the default.
        host: The program that runs the server, for people.
    """

    def __init__(self, place: str | None, host: str) -> None:
        self._place = place
        self._host = host
        self._mode = chosen_mode("interactive")  # a project's variables must not say yes in a person's place
        self._own_session = f"mcp-{uuid.uuid4().hex[:8]}"
        self._controllers: dict[str, ApprovalController] = {}
        self._connecting = asyncio.Lock()

    async def run(self) -> None:
        """Answer on standard input and output until the host leaves; then what still waits is withdrawn."""
        server: Server[Any] = Server(_NAME, on_list_tools=self._list, on_call_tool=self._call)
        try:
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            self.close()

    def close(self) -> None:
        """Leave the queue, which withdraws what still waits."""
        for controller in self._controllers.values():
            if controller.queue is not None:
                controller.queue.close()

    async def _list(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_TOOLS)

    async def _call(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = dict(params.arguments or {})
        heart = asyncio.ensure_future(_beat(context))
        try:
            if params.name == PROMPT:
                return _answered(await self._permission(arguments))
            if params.name == ASK:
                answer = await self._asked(arguments, of_claude=_client(context) == _CLAUDE_CODE)
                return _answered(answer, structured=True)
        finally:
            heart.cancel()
        text = types.TextContent(type="text", text=f"there is no tool {params.name!a}")
        return types.CallToolResult(content=[text], is_error=True)

    # -- The model asks.

    async def _asked(self, arguments: Mapping[str, Any], *, of_claude: bool) -> dict[str, Any]:
        try:
            request = _question(arguments)
            context = ApprovalContext(
                tool_name=ASK, server=_NAME, args=dict(arguments), honors=_HONORS, lacks=_LACKS
            )
            edited = EditedCall(
                context, request, lambda changed: changed, lambda changed: _question(changed.args, request)
            )
            controller = await self._controller(None if of_claude else self._own_session)
            decision = await controller.request_approval(
                request, context.model_copy(update={"check_edited": edited})
            )
        except (EventError, QueueError, SnapshotError, NotJsonError) as error:
            return {"approved": False, "note": f"not asked: {error}", "edited_details": None}
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer is no
            return {"approved": False, "note": _fault(error), "edited_details": None}
        return _told(decision)

    # -- Claude Code asks.

    async def _permission(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        call: HookCall | None = None
        try:
            call = await asyncio.to_thread(_prompted, arguments)
            request, context = await asyncio.to_thread(_shown, call)
            controller = await self._controller(None, call)
            decision = await controller.request_approval(request, context)
            reply = await asyncio.to_thread(reply_to, DIALECT, call, decision)
        except (EventError, QueueError, SnapshotError, NotJsonError) as error:
            return _denied(f"not run: {error}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the call must not run
            return _denied(_fault(error))
        answer = dict((reply.answer or {})["hookSpecificOutput"]["decision"])
        # What was shown is what runs, also if the host should have read the call in another way.
        return {"updatedInput": call.arguments, **answer} if answer["behavior"] == "allow" else answer

    async def _controller(self, session: str | None, call: HookCall | None = None) -> ApprovalController:
        """The controller of a session; None for that of Claude Code.

        Raises:
            QueueError: The queue cannot be opened.
        """
        async with self._connecting:
            session = session or os.environ.get("CLAUDE_CODE_SESSION_ID") or self._own_session
            if session not in self._controllers:
                queue = await asyncio.to_thread(self._connected, session, call)
                self._controllers[session] = ApprovalController(self._mode, queue=queue, cwd=str(Path.cwd()))
            return self._controllers[session]

    def _connected(self, session: str, call: HookCall | None) -> AgentQueue:
        folder = str(Path.cwd())
        if call is None and session != self._own_session:
            recorded = recorded_call(session, "", 0)
            call = HookCall("", ASK, None, {}, session, folder, transcript=recorded.transcript, project=_project())
        name = session_name(self._host or _NAME, folder) if call is None else agent_name(DIALECT, call)
        return connect_agent(
            os.environ.get("SIGNOFF_AGENT") or name,
            session=session,
            place=self._place,
            cwd=folder,
            via=_VIA,
            program=self._host,
        )


async def run_ask_server(place: str | None, host: str) -> None:
    """Run the server, see `AskServer`."""
    await AskServer(place, host).run()


def _question(arguments: Mapping[str, Any], asked: ApprovalRequest | None = None) -> ApprovalRequest:
    """The request for a question of the model; `asked` is the one whose details a reviewer has edited.

    Raises:
        EventError: It is no question.
        PermissionError: More than the details was edited, or they were removed.
    """
    if unknown := sorted(arguments.keys() - {"action", "details", "reason"}):
        raise EventError(f"{ASK} takes action, details and reason, not {', '.join(map(ascii, unknown))}")
    action = text_of(arguments, "action")
    text_of(arguments, "reason", optional=True)
    if asked is not None:
        others = [{**each, "details": None} for each in (arguments, asked.arguments or {})]
        if others[0] != others[1]:
            raise PermissionError("only the details can be edited: the model is told of nothing else")
        if arguments.get("details") is None and (asked.arguments or {}).get("details") is not None:
            raise PermissionError("details cannot be removed: the model would take its own for approved")
    payload = {key: value for key, value in arguments.items() if key != "reason"}
    return ApprovalRequest(
        tool_name=ASK,
        server=_NAME,
        description=action[:200],
        payload=payload,
        arguments=dict(arguments),
        why="the model asks by itself; nothing holds it to the answer",
        honors=_HONORS,
    )


def _told(decision: ApprovalDecision) -> dict[str, Any]:
    if decision.approved is not True:
        return {"approved": False, "note": denial_text(decision), "edited_details": None}
    answer = {"approved": True, "note": decision.note or "", "edited_details": None}
    if decision.instead is None:
        return answer
    if decision.instead.arguments is None:
        words = f"the reviewer {decision.instead.words}, which cannot be told"
        return {**answer, "approved": False, "note": words}
    return {**answer, "edited_details": decision.instead.arguments.get("details")}


def _prompted(arguments: Mapping[str, Any]) -> HookCall:
    """The call that Claude Code asks about.

    Raises:
        EventError: It is not understood, or it is not known where it would run.
    """
    session = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    call_id = text_of(arguments, "tool_use_id", optional=True)
    recorded = recorded_call(session, call_id, _FOR_THE_TRANSCRIPT)
    call = DIALECT.read(
        {
            "hook_event_name": _PERMISSION_REQUEST,
            "tool_name": text_of(arguments, "tool_name"),
            "tool_input": object_of(arguments, "input"),
            "tool_use_id": call_id,
            "session_id": session or "unknown",
            "cwd": recorded.cwd or str(Path.cwd()),
            "transcript_path": recorded.transcript,
            "agent_type": recorded.sub_agent,
            "agent_id": recorded.sub_agent_id,
        }
    )
    if call is None:
        raise EventError("nobody is asked about such a call")
    if call.server is None and call.tool in DIALECT.shells and recorded.sub_agent_id:
        # The agent itself may have gone elsewhere meanwhile, which another transcript tells.
        raise EventError(
            "the permission prompt does not tell in which directory the command of a sub-agent would run; have "
            "the agent itself run it, or use signoff hook claude-code, which is told"
        )
    if call.server is None and call.tool in DIALECT.shells and not recorded.cwd:
        raise EventError(
            "Claude Code has not written down in which directory the command would run; call it again, alone, "
            "and do not start Claude Code with --no-session-persistence"
        )
    return call


def _shown(call: HookCall) -> tuple[ApprovalRequest, ApprovalContext]:
    why = f"asked by the permission prompt of {DIALECT.title}"
    return asked_call(DIALECT, call)._replace(why=why).as_models()


def _denied(reason: str) -> dict[str, Any]:
    return {"behavior": "deny", "message": reason, "interrupt": False}


def _fault(error: Exception) -> str:
    return f"not run: a fault in signoff itself ({type(error).__name__}: {error})"


def _answered(answer: dict[str, Any], *, structured: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(answer))
    return types.CallToolResult(content=[text], structured_content=answer if structured else None)


def _client(context: ServerRequestContext[Any]) -> str:
    params = context.session.client_params
    return "" if params is None else params.client_info.name


def _project() -> str:
    return os.environ.get("CLAUDE_PROJECT_DIR", "")


async def _beat(context: ServerRequestContext[Any]) -> None:
    step = 0
    while True:
        await context.session.report_progress(step := step + 1, message=_WAITING)
        await asyncio.sleep(HEARTBEAT)
