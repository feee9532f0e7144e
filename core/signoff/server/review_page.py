"""The reviewer's page: what waits, one request or group whole, decisions that can be taken back, and the history.

It keeps the rules of the screen: a decision names the revision and the digest that the page showed, what could not
be shown completely takes a deliberate second act, and nothing is decided by an Enter key that was meant otherwise.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from signoff.effects import Risk
from signoff.present.reveal import one_line
from signoff.queue.errors import UnknownRequestError
from signoff.queue.grant_coverage import never_remembered, reach_of
from signoff.queue.records import Decision, StoredRequest, is_id
from signoff.server.access import HttpError, read_form, require
from signoff.server.page_events import PageEvents
from signoff.server.page_templates import STATIC_FILES, as_page, page, static_file
from signoff.server.page_view import (
    CONTEXT,
    PageRoom,
    WholeRequest,
    decision_words,
    fingerprint,
    group_key,
    held_member,
    history_line,
    note_lines,
    request_groups,
    shown_content,
    whole_request,
)
from signoff.server.service import LONGEST_NOTE, Service, check_note
from signoff.server.tokens import Scope, Token

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.server.held_decisions import HeldDecision, HeldDecisions, Target

__all__ = ["review_routes"]

MOST_CONTEXT = 10_000
"""The most unchanged lines around a change."""

_RECORDS = 50
"""Records on a page of the history."""

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


def review_routes(service: Service, held: HeldDecisions) -> list[BaseRoute]:
    """Return the routes.

    Args:
        service: The service behind the routes.
        held: The decisions that are held.
    """
    pages = _ReviewPage(service, held)
    return [
        Route("/", as_page(pages.waiting), methods=["GET"]),
        Route("/requests/{id}", as_page(pages.request), methods=["GET"]),
        Route("/requests/{id}/decide", as_page(pages.decide), methods=["POST"]),
        Route("/groups/{key}", as_page(pages.group), methods=["GET"]),
        Route("/groups/{key}/decide", as_page(pages.decide_group), methods=["POST"]),
        Route("/held/{id}", as_page(pages.held), methods=["GET"]),
        Route("/held/{id}/undo", as_page(pages.undo), methods=["POST"]),
        Route("/history", as_page(pages.history), methods=["GET"]),
        Route("/live", PageEvents(service), methods=["GET"]),
        *(Route(f"/static/{name}", static_file, methods=["GET"]) for name in STATIC_FILES),
    ]


class _ReviewPage:
    def __init__(self, service: Service, held: HeldDecisions) -> None:
        self._service = service
        self._held = held

    # -- what is shown ----------------------------------------------------------------------------------------

    async def waiting(self, request: Request) -> Response:
        token = require(request, Scope.READ)
        queue, held = await self._queue(token), self._held.requests_of(token)

        def shown() -> Response:
            found = queue.pending()
            return page(
                "waiting",
                me=token.name,
                groups=request_groups(found, queue.now),
                count=len(found),
                high=sum(each.submission.risk is Risk.HIGH for each in found),
                fingerprint=fingerprint(found),
                held=held,
            )

        return await asyncio.to_thread(shown)

    async def request(self, request: Request) -> Response:
        token = require(request, Scope.READ)
        context = _number_param(request, "context", CONTEXT, MOST_CONTEXT)
        queue, held = await self._queue(token), self._held.requests_of(token)

        def shown() -> Response:
            stored = _stored_request(queue, request.path_params["id"])
            return page(
                "request",
                **self._deciding_values(token),
                it=_whole_request(queue, stored, context),
                fingerprint=fingerprint([stored]),
                held=held.get(stored.id, ""),
                context=context,
                most_context=MOST_CONTEXT,
            )

        return await asyncio.to_thread(shown)

    async def group(self, request: Request) -> Response:
        token = require(request, Scope.READ)
        queue, held = await self._queue(token), self._held.requests_of(token)

        def shown() -> Response:
            found = queue.pending()
            members = [each for each in found if group_key(each) == request.path_params["key"]]
            if not members:
                raise HttpError(404, "nothing of this group waits any more; the history has what was decided")
            room = PageRoom()
            told = [_whole_request(queue, each, CONTEXT, room) for each in members]
            fit = [each for each in told if each.content.complete and each.line.risk != Risk.HIGH]
            return page(
                "group",
                **self._deciding_values(token),
                group=request_groups(members, queue.now)[0],
                members=told,
                fit={each.line.id for each in fit},
                ready=[each for each in fit if each.line.id not in held],
                held=held,
                fingerprint=fingerprint(found),
                members_fingerprint=fingerprint(members),
            )

        return await asyncio.to_thread(shown)

    def _deciding_values(self, token: Token) -> dict[str, object]:
        return {
            "me": token.name,
            "may_decide": Scope.DECIDE in token.scopes,
            "longest_note": LONGEST_NOTE,
            "hold": math.ceil(self._held.seconds),
        }

    async def history(self, request: Request) -> Response:
        token = require(request, Scope.READ)
        before = _number_param(request, "before", 0, 10**18)
        queue = await self._queue(token)

        def shown() -> Response:
            found = queue.history(before=before or None, limit=_RECORDS + 1)
            return page(
                "history",
                me=token.name,
                records=[history_line(each) for each in found[:_RECORDS]],
                before=before,
                older=found[_RECORDS - 1].seq if len(found) > _RECORDS else 0,
            )

        return await asyncio.to_thread(shown)

    # -- decisions --------------------------------------------------------------------------------------------

    async def decide(self, request: Request) -> Response:
        token = require(request, Scope.DECIDE)
        fields = await read_form(request, request.receive)
        target = _target(
            f"{request.path_params['id']}:{_single_field(fields, 'revision')}:{_single_field(fields, 'digest')}"
        )
        queue = await self._queue(token)
        stored = await asyncio.to_thread(_stored_request, queue, target[0])
        _refuse_changed(stored, target)
        decision = await asyncio.to_thread(_decision, queue, stored, fields)
        return _redirect_to(self._held.hold(token, [target], decision))

    async def decide_group(self, request: Request) -> Response:
        token = require(request, Scope.DECIDE)
        key = request.path_params["key"]
        fields = await read_form(request, request.receive)
        targets = [_target(text) for text in fields.get("member", ())]
        if not targets or len({target[0] for target in targets}) != len(targets):
            raise HttpError(400, "nothing was decided: the form names no request, or one twice")
        answer, note = _single_field(fields, "answer"), _note(fields)
        if answer not in ("approve", "reject"):
            raise HttpError(400, "nothing was decided: press one of the buttons")
        queue = await self._queue(token)
        await asyncio.to_thread(_check_members, queue, key, targets, approve=answer == "approve")
        decision = Decision(approved=answer == "approve", note=note)
        return _redirect_to(self._held.hold(token, targets, decision, key))

    async def held(self, request: Request) -> Response:
        token = require(request, Scope.DECIDE)
        held = copy(self._held.get(request.path_params["id"], token))  # it may change meanwhile
        queue, decided = await self._queue(token), self._held.requests_of(token)
        return page("held", me=token.name, **await asyncio.to_thread(self._held_values, queue, held, decided))

    def _held_values(
        self, queue: ReviewQueue, held: HeldDecision, decided: Mapping[str, str]
    ) -> Mapping[str, object]:
        results = held.results or (None,) * len(held.targets)
        members = [
            held_member(_stored_request(queue, target[0]), target, result, queue.now)
            for target, result in zip(held.targets, results, strict=True)
        ]
        waiting = [each for each in queue.pending() if each.id not in decided]
        return {
            "held": held.id,
            "state": held.state.value,
            "seconds": math.ceil(held.seconds_left),
            "refresh": math.ceil(held.seconds_left) + 1,
            "words": decision_words(held.decision),
            "note": note_lines(held.decision.note),
            "members": members,
            "problem": one_line(held.problem),
            "accepted": sum(result.accepted for result in held.results),
            "group": held.group or "",
            "next": waiting[0].id if waiting else "",
            "waiting": len(waiting),
        }

    async def undo(self, request: Request) -> Response:
        token = require(request, Scope.DECIDE)
        held = self._held.get(request.path_params["id"], token)
        self._held.undo(held)
        return _redirect_to(held)

    async def _queue(self, token: Token) -> ReviewQueue:
        return await asyncio.to_thread(self._service.review_queue, token.name)


def _stored_request(queue: ReviewQueue, ident: str) -> StoredRequest:
    if not is_id(ident):
        raise HttpError(404, "there is no such request")
    try:
        return queue.get(ident)
    except UnknownRequestError as error:
        raise HttpError(404, "there is no such request") from error


def _whole_request(
    queue: ReviewQueue, stored: StoredRequest, context: int, room: PageRoom | None = None
) -> WholeRequest:
    upcoming = [each for each in queue.upcoming() if each.announced_by == stored.id] if stored.pending else []
    return whole_request(stored, shown_content(stored, queue.blob, context, room), upcoming, queue.now)


def _refuse_changed(stored: StoredRequest, target: Target) -> None:
    if not stored.pending:
        raise HttpError(409, "nothing was decided: the request has ended meanwhile")
    if _target_of(stored) != target:
        raise HttpError(
            409, "nothing was decided: the request has changed since you saw it; go back, and look at it again"
        )


def _check_members(queue: ReviewQueue, key: str, targets: Sequence[Target], *, approve: bool) -> None:
    """Refuse a decision on a group if a member is not as it was shown, or is not approved with others."""
    for target in targets:
        stored = _stored_request(queue, target[0])
        _refuse_changed(stored, target)
        if group_key(stored) != key:
            raise HttpError(400, "nothing was decided: one of the requests is not in this group")
        if approve and stored.submission.risk is Risk.HIGH:
            raise HttpError(400, "nothing was decided: HIGH risk is approved by itself only")
        if approve and not shown_content(stored, queue.blob).complete:
            raise HttpError(400, "nothing was decided: one of the requests cannot be shown completely")


def _decision(queue: ReviewQueue, stored: StoredRequest, fields: Mapping[str, Sequence[str]]) -> Decision:
    note = _note(fields)
    match _single_field(fields, "answer"):
        case "reject":
            return Decision(approved=False, note=note)
        case "reject_hard":
            return Decision(approved=False, note=note, hard=True)
        case "approve" | "approve_session" as answer:
            pass
        case _:
            raise HttpError(400, "nothing was decided: press one of the buttons")
    remember = answer == "approve_session"
    shown = shown_content(stored, queue.blob)
    if shown.problem:
        raise HttpError(409, f"nothing was decided: {shown.problem}")
    if not shown.complete and (remember or not fields.get("unseen")):
        raise HttpError(
            409,
            "nothing was decided: not everything in this request can be shown. To approve it all the same, say so"
            " in the box beside the button",
        )
    if remember:
        _refuse_remembering(stored, fields)
    return Decision(approved=True, note=note, remember=remember, deliberate=not shown.complete)


def _refuse_remembering(stored: StoredRequest, fields: Mapping[str, Sequence[str]]) -> None:
    why_not = never_remembered(stored.submission)
    if why_not is not None:
        raise HttpError(409, f"nothing was decided: {why_not}")
    if reach_of(stored.submission).breadth.careless and not fields.get("wide"):
        raise HttpError(
            409,
            "nothing was decided: that would cover calls with any arguments. If you want that, say so in the box",
        )


# -- fields of forms and addresses.


def _single_field(fields: Mapping[str, Sequence[str]], name: str) -> str:
    values = fields.get(name, ())
    if len(values) != 1:
        raise HttpError(400, f"nothing was decided: the form has {len(values)} fields named {name}")
    return values[0]


def _note(fields: Mapping[str, Sequence[str]]) -> str | None:
    note = "".join(fields.get("note", ()))
    check_note(note)
    return note if note.strip() else None


def _target(text: str) -> Target:
    ident, _, rest = text.partition(":")
    revision, _, digest = rest.partition(":")
    if not (is_id(ident) and _NUMBER.fullmatch(revision) and _DIGEST.fullmatch(digest)):
        raise HttpError(400, "nothing was decided: the form names no request, revision and digest")
    return ident, int(revision), digest


def _target_of(stored: StoredRequest) -> Target:
    return stored.id, stored.revision, stored.submission.digest


def _number_param(request: Request, name: str, usual: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) <= most):
        raise HttpError(400, f"{name} must be a number up to {most}")
    return int(text)


def _redirect_to(held: HeldDecision) -> Response:
    return RedirectResponse(f"/held/{held.id}", 303)
