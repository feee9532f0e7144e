"""Approvals over a WebSocket, in the messages of ConnectOnion's tool approval: an app or a page is the reviewer.

One request is asked about at a time, and the next one only after the client has answered: an answer of the
document names no call, so that none may be taken for another. Behind such an answer comes a pause; whatever is
said in it, such as by a second click, decides nothing. What ends meanwhile is told, and the answer to it decides
nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from signoff.canonical import NotJsonError, parse_json
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.queue.errors import QueueError
from signoff.queue.records import Decision, StoredRequest, VerdictKind
from signoff.server.access import HttpError, may_still, require
from signoff.server.tokens import Scope

if TYPE_CHECKING:
    from signoff.server.service import Service

__all__ = ["EXPLAIN_FIRST", "ApprovalsSocket", "decision_of"]

MOST_CONNECTIONS = 100
"""Clients at once."""

PAUSE_SECONDS = 0.5
"""Between an answer that names no request and the next question."""

EXPLAIN_FIRST = "Explain why this call is needed before asking again."
"""The words to an agent for ``reject_explain``."""

_SOFT = {"reject_soft", "reject_explain"}


def decision_of(answer: Mapping[str, Any], by: str = "") -> Decision:
    """Return the decision of an answer: only an explicit ``"approved": true`` is a yes.

    A missing ``scope`` is ``once``, a missing or unknown ``mode`` is ``reject_hard``.

    Args:
        answer: ``approved``, ``scope``, ``mode`` and ``feedback``.
        by: Name of the reviewer.
    """
    feedback, mode = answer.get("feedback"), answer.get("mode")
    note = feedback if isinstance(feedback, str) and feedback else None
    if answer.get("approved") is True:
        return Decision(approved=True, note=note, remember=answer.get("scope") == "session", by=by)
    if mode == "reject_explain":
        note = EXPLAIN_FIRST if note is None else f"{EXPLAIN_FIRST} {note}"
    return Decision(approved=False, note=note, hard=not isinstance(mode, str) or mode not in _SOFT, by=by)


class ApprovalsSocket:
    """The endpoint; ``?session=`` limits it to the requests of one session.

    Args:
        service: The service behind the routes.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._connections = 0

    async def serve(self, websocket: WebSocket) -> None:
        """Talk to one client until it leaves."""
        try:
            token = require(websocket, Scope.DECIDE)
        except HttpError as error:
            await websocket.close(1008, str(error))
            return
        if self._connections >= MOST_CONNECTIONS:
            await websocket.close(1013, "too many connections")
            return
        self._connections += 1
        try:
            await websocket.accept()
            await _Client(self._service, websocket, token.name).talk()
        except WebSocketDisconnect:
            pass
        except _BrokenFrameError as error:
            with contextlib.suppress(RuntimeError):
                await websocket.close(1007, str(error))
        except _RevokedError:
            with contextlib.suppress(RuntimeError):
                await websocket.close(1008, "the token was revoked")
        except QueueError as error:
            with contextlib.suppress(RuntimeError):
                await websocket.close(1011, str(error)[:100])
        finally:
            self._connections -= 1


class _BrokenFrameError(Exception):
    """A frame is no JSON object."""


class _RevokedError(Exception):
    """The token of the client was revoked."""


class _Client:
    """One client, and the one request it is asked about."""

    def __init__(self, service: Service, websocket: WebSocket, name: str) -> None:
        self._service = service
        self._websocket = websocket
        self._name = name
        self._session = websocket.query_params.get("session")
        self._answers: asyncio.Queue[dict[str, Any] | Exception] = asyncio.Queue(maxsize=16)
        self._changed = asyncio.Event()

    async def talk(self) -> None:
        """Ask about one request after the other.

        Raises:
            WebSocketDisconnect: The client left.
            _RevokedError: Its token was revoked.
            QueueError: The queue cannot be used.
        """
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]
        try:
            while True:
                request = await self._next_request()
                await self._ask(request)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _next_request(self) -> StoredRequest:
        """The request that waits longest."""
        while True:
            self._changed.clear()
            queue = await asyncio.to_thread(self._service.review_queue, self._name)
            waiting = await asyncio.to_thread(queue.pending)
            mine = [each for each in waiting if self._session in (None, each.asked_by.session)]
            if mine:
                return mine[0]
            if await self._answer_or_change() is not None:
                await self._send_nothing_is_asked()

    async def _ask(self, request: StoredRequest) -> None:
        while not self._answers.empty():  # said before the question
            if isinstance(early := self._answers.get_nowait(), Exception):
                raise early
            await self._send_nothing_is_asked()
        await self._send(_approval_needed(request))
        ended = False
        while True:
            self._changed.clear()
            if not ended and (end := await self._ended_message(request)) is not None:
                ended = True
                await self._send(end)
            answer = await self._answer_or_change()
            if answer is None:
                continue
            if answer.get("type") == "next" and ended:
                return
            if answer.get("request_id", request.id) != request.id:
                message = "nothing was decided: that is not the request that was asked about last"
                await self._send(_approval_result(request, accepted=False, message=message))
                continue
            if ended:
                await self._send(
                    _approval_result(request, accepted=False, message="too late: the request has ended")
                )
                await asyncio.sleep(PAUSE_SECONDS)
                return
            await self._decide(request, decision_of(answer))
            if "request_id" not in answer:
                await asyncio.sleep(PAUSE_SECONDS)
            return

    async def _decide(self, request: StoredRequest, decision: Decision) -> None:
        target = (request.id, request.revision, request.submission.digest)
        await self._require_token()
        try:
            verdict = await self._service.decide(self._name, target, decision)
        except HttpError as error:
            await self._send(_approval_result(request, accepted=False, message=str(error)))
            return
        accepted = verdict.kind is VerdictKind.ACCEPTED
        await self._send(_approval_result(request, accepted=accepted, message=verdict.message))

    async def _ended_message(self, request: StoredRequest) -> dict[str, Any] | None:
        queue = await asyncio.to_thread(self._service.review_queue, self._name)
        now = await asyncio.to_thread(queue.get, request.id)
        if now.pending and now.revision == request.revision:
            return None
        facts = {"request_id": request.id, "tool": request.submission.tool_name}
        state = "superseded" if now.pending else now.state
        return {"type": "approval_ended", **facts, "state": state, "reason": now.state_note}

    async def _answer_or_change(self) -> dict[str, Any] | None:
        """The next answer; None when something in the queue has changed."""
        getting = asyncio.ensure_future(self._answers.get())
        changing = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait({getting, changing}, return_when=asyncio.FIRST_COMPLETED)
            if not getting.done():
                return None
            answer = getting.result()
        finally:
            getting.cancel()
            changing.cancel()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _listen(self) -> None:
        try:
            while True:
                await self._answers.put(await self._receive_answer())
        except Exception as error:  # noqa: BLE001 - it ends the talk, there
            await self._answers.put(error)

    async def _receive_answer(self) -> dict[str, Any]:
        message = await self._websocket.receive()
        if message["type"] != "websocket.receive":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        try:
            value = parse_json(text) if isinstance(text, str) else None
            json.dumps(value, ensure_ascii=False).encode()  # half a character cannot be stored
        except (ValueError, NotJsonError) as error:
            raise _BrokenFrameError(f"nothing was decided: {error}"[:100]) from error
        if not isinstance(value, dict):
            raise _BrokenFrameError("nothing was decided: send a JSON object as text")
        return value

    async def _watch(self) -> None:
        try:
            async for _ in self._service.changes(self._name):
                self._changed.set()
        except Exception as error:  # noqa: BLE001 - it ends the talk, there
            await self._answers.put(error)

    async def _send_nothing_is_asked(self) -> None:
        await self._send({"type": "approval_result", "accepted": False, "message": "nothing is asked"})

    async def _require_token(self) -> None:
        if not await asyncio.to_thread(may_still, self._websocket.scope, Scope.DECIDE):
            raise _RevokedError

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._require_token()
        async with asyncio.timeout(30):
            await self._websocket.send_text(json.dumps(message))


def _approval_needed(request: StoredRequest) -> dict[str, Any]:
    """The question as the document has it, with further facts that a client may show."""
    call = request.submission
    hidden = DEFAULT_REDACTION.also(call.masked_keys)
    remaining = [
        {"tool": each["tool"], "arguments": json.dumps(hidden.mask_value(each["arguments"]))}
        for each in call.batch_remaining
    ]
    return {
        "type": "approval_needed",
        "tool": call.tool_name,
        "arguments": hidden.mask_value(dict(call.arguments)),
        **({"batch_remaining": remaining} if remaining else {}),
        "description": hidden.mask_text(call.description).text,
        "request_id": request.id,
        "revision": request.revision,
        "digest": call.digest,
        "server": call.server,
        "risk": call.risk,
        "risk_reasons": list(call.risk_reasons),
        "agent": request.asked_by.name,
        "session_id": request.asked_by.session,
        "group_id": call.group_id,
        "cwd": call.cwd,
    }


def _approval_result(request: StoredRequest, *, accepted: bool, message: str) -> dict[str, Any]:
    facts = {"request_id": request.id, "tool": request.submission.tool_name}
    return {"type": "approval_result", **facts, "accepted": accepted, "message": message}
