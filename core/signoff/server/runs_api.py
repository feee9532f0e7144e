"""The runs API: start a run, follow its events, answer the call at which it is paused.

Paths, bodies, errors and events are those of the document "Tool Approval System" of an agent runtime.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from signoff.queue.records import Decision, VerdictKind
from signoff.queue.wakeups import AsyncBell
from signoff.server.access import HttpError, is_json, read_json, require
from signoff.server.event_stream import HEARTBEAT, HEARTBEAT_SECONDS, send_events
from signoff.server.runs import Checkpoint, Event, Run, RunMode, RunStatus, UnknownRunError
from signoff.server.service import Service, check_note
from signoff.server.tokens import Scope
from signoff.text.time import iso

__all__ = ["runs_routes"]

_LOOK_SECONDS = 2.0
"""The longest sleep without a look: a wake-up can be lost."""

_MOST = 200
"""Runs on one page of the list."""

_MODES = {"interactive": RunMode.INTERACTIVE, "daemon": RunMode.DAEMON, "autonomous": RunMode.DAEMON}


def runs_routes(service: Service) -> list[Route]:
    """Return the routes of the runs API."""
    api = _RunsApi(service)
    return [
        Route("/runs", api.runs, methods=["GET", "POST"]),
        Route("/runs/{run_id}", api.show, methods=["GET"]),
        Route("/runs/{run_id}/events", _EventsEndpoint(service), methods=["GET"]),
        Route("/runs/{run_id}/approve", api.approve, methods=["POST"]),
        Route("/runs/{run_id}/calls/{tool_call_id:path}/approve", api.approve, methods=["POST"]),
        Route("/runs/{run_id}/cancel", api.cancel, methods=["POST"]),
    ]


class _RunsApi:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def runs(self, request: Request) -> Response:
        """Start a run, or list the newest ones."""
        return await (self._create(request) if request.method == "POST" else self._list(request))

    async def _create(self, request: Request) -> Response:
        require(request, Scope.ASK)
        body = await _json_body(request)
        text = _text_field(body, "input", required=True)
        mode = _MODES.get(_text_field(body, "mode") or "interactive")
        if mode is None:
            raise HttpError(400, f"unknown mode {body['mode']!r}; it is one of: {', '.join(_MODES)}")
        agent = self._service.agent_named(_text_field(body, "agent"))
        run = await self._service.create_run(agent, _text_field(body, "session_id"), mode, text or "")
        return JSONResponse({"run_id": run.id, "status": run.status})

    async def _list(self, request: Request) -> Response:
        require(request, Scope.READ, Scope.ASK)
        limit = min(_number_param(request, "limit", 50), _MOST)
        before = _number_param(request, "before", 0) or None
        found = await asyncio.to_thread(self._service.runs.latest, limit, before)
        return JSONResponse({"runs": [_run_facts(run) for run in found]})

    async def show(self, request: Request) -> Response:
        """Show one run."""
        require(request, Scope.READ, Scope.ASK)
        run = await _find_run(self._service, request)
        waiting = await asyncio.to_thread(self._service.runs.checkpoints, run.id)
        return JSONResponse({**_run_facts(run), "pending": [_checkpoint_facts(each) for each in waiting]})

    async def approve(self, request: Request) -> Response:
        """Answer the one call at which a run is paused, or the call that the path names."""
        token = require(request, Scope.DECIDE)
        service = self._service
        run = await _find_run(service, request)
        body = await read_json(request.receive)
        if "approved" not in body:
            raise HttpError(400, "Missing required field: approved")
        approved, reason = body["approved"], _text_field(body, "reason")
        if not isinstance(approved, bool):
            raise HttpError(400, "approved must be true or false")
        if run.status.ended:
            raise HttpError(404, "run not found or not active", status=run.status)
        waiting = await asyncio.to_thread(service.runs.checkpoints, run.id)
        if run.status is not RunStatus.PAUSED or not waiting:
            raise HttpError(400, f"run is not paused for approval, current status: {run.status}")
        meant = _chosen_checkpoint(
            waiting, request.path_params.get("tool_call_id") or _text_field(body, "tool_call_id")
        )
        if not is_json(request.headers):
            raise HttpError(415, "nothing was decided: send the body as application/json")
        _refuse_changed(meant, body)
        decision = Decision(approved=approved, note=reason, hard=not approved)
        verdict = await service.decide(token.name, (meant.request_id, meant.revision, meant.digest), decision)
        if verdict.kind is not VerdictKind.ACCEPTED:
            raise HttpError(409, f"nothing was decided: {verdict.message}")
        words = "approved and resumed" if approved else "denied and run cancelled"
        return JSONResponse(
            {
                "status": "approved" if approved else "denied",
                "message": f"Tool execution {words}",
                "run_id": run.id,
                "tool_call_id": meant.tool_call_id,
                "approved": approved,
                "reason": reason,
            }
        )

    async def cancel(self, request: Request) -> Response:
        """End a run; what waits is withdrawn."""
        token = require(request, Scope.ASK)
        body = await _json_body(request)
        run = await _find_run(self._service, request)
        reason = _text_field(body, "reason") or f"cancelled by {token.name}"
        check_note(reason)
        if not await asyncio.to_thread(self._service.runs.request_end, run.id, reason):
            raise HttpError(409, f"the run has ended: {run.status}")
        return JSONResponse({"run_id": run.id, "status": "cancelling"}, 202)


def _chosen_checkpoint(waiting: list[Checkpoint], tool_call_id: str | None) -> Checkpoint:
    """The call that an answer is for.

    Raises:
        HttpError: It is not clear, or that call does not wait.
    """
    if tool_call_id is None and len(waiting) == 1:
        return waiting[0]
    pending = [_checkpoint_facts(each) for each in waiting]
    if tool_call_id is None:
        raise HttpError(409, "several calls of the run wait; answer one by its tool_call_id", pending=pending)
    meant = next((each for each in waiting if each.tool_call_id == tool_call_id), None)
    if meant is None:
        raise HttpError(404, "no call of that tool_call_id waits", pending=pending)
    return meant


def _refuse_changed(meant: Checkpoint, body: dict[str, Any]) -> None:
    """Refuse an answer to something else than what waits now.

    A call that was asked about again, because its files changed, is not the one that a client saw first: then the
    answer has to name the digest of its event.
    """
    digest = _text_field(body, "digest")
    if digest is None and meant.revision > 1:
        raise HttpError(
            409, "the call has changed since it was asked about first; look at it again, and send its digest"
        )
    if digest is not None and digest != meant.digest:
        raise HttpError(409, "the call has changed since; look at it again", digest=meant.digest)


async def _json_body(request: Request) -> dict[str, Any]:
    if not is_json(request.headers):
        raise HttpError(415, "send the body as application/json")
    return await read_json(request.receive)


async def _find_run(service: Service, request: Request) -> Run:
    try:
        return await asyncio.to_thread(service.runs.get, request.path_params["run_id"])
    except UnknownRunError:
        raise HttpError(404, "run not found or not active") from None


def _text_field(body: dict[str, Any], name: str, *, required: bool = False) -> str | None:
    value = body.get(name)
    if value is None and not required:
        return None
    if value is None:
        raise HttpError(400, f"Missing required field: {name}")
    if not isinstance(value, str):
        raise HttpError(400, f"{name} must be a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise HttpError(400, f"{name} is not Unicode text") from None
    return value


def _number_param(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 15 and int(text) > 0):
        raise HttpError(400, f"{name} must be a whole number above 0")
    return int(text)


def _run_facts(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "number": run.number,
        "agent": run.agent,
        "session_id": run.session,
        "mode": run.mode,
        "status": run.status,
        "input": run.input,
        "created_at": iso(run.created_at),
        "ended_at": iso(run.ended_at),
        "output": run.output,
        "error": run.error,
    }


def _checkpoint_facts(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "tool_call_id": checkpoint.tool_call_id,
        "request_id": checkpoint.request_id,
        "revision": checkpoint.revision,
        "digest": checkpoint.digest,
    }


# -- Events have no names, so that `EventSource.onmessage` gets them all; the kind is in the data. An
# `EventSource` comes back whenever a stream ends, and only 204 keeps it away.


class _EventsEndpoint:
    """The events of a run: those that happened, then those that happen, each once, until the run has ended."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            require(request, Scope.READ, Scope.ASK)
            run = await _find_run(self._service, request)
            after = _last_event(request)
        except HttpError as error:
            await error.response()(scope, receive, send)
            return
        if after and run.status.ended and not await asyncio.to_thread(self._service.runs.events, run.id, after):
            await Response(status_code=204)(scope, receive, send)
            return
        await send_events(self._texts(run, after), scope, receive, send)

    async def _texts(self, run: Run, after: int) -> AsyncGenerator[str, None]:
        """The texts to send. The bell hangs before the first look, so that nothing falls between."""
        runs = self._service.runs
        silent = 0.0
        with AsyncBell(runs.bells.hang(run.id)) as bell:
            yield ": events of the run\n\n"
            while True:
                ended = (await asyncio.to_thread(runs.get, run.id)).status.ended
                found = await asyncio.to_thread(runs.events, run.id, after)
                for event in found:
                    after = event.number
                    yield _event_text(event)
                if found:
                    silent = 0.0
                    continue
                if ended:
                    return
                if not await bell.sleep(_LOOK_SECONDS):
                    silent += _LOOK_SECONDS
                if silent >= HEARTBEAT_SECONDS:
                    silent = 0.0
                    yield HEARTBEAT


def _last_event(request: Request) -> int:
    text = request.headers.get("last-event-id", "")
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise HttpError(400, "Last-Event-ID must be the id of an event of this server")
    return int(text)


def _event_text(event: Event) -> str:
    value = {
        "id": event.number,
        "run_id": event.run_id,
        "type": event.type,
        "data": event.data,
        "timestamp": iso(event.at),
    }
    return f"id: {event.number}\ndata: {json.dumps(value)}\n\n"
