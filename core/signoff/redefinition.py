"""Changes of a tool's definition since it was approved, noticed and put in plain words."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import TYPE_CHECKING

from signoff.effects import SnapshotError
from signoff.queue.records import Grant
from signoff.tool_definition import Definition

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue
    from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["KnownDefinitions", "ToolGoneError", "look_again", "look_again_sync", "other_definitions"]

_MOST_KNOWN = 1_000
"""The most definitions that are kept in mind."""

_SINCE_APPROVED = "the tool is not defined as it was when this was approved for the session"
_WHILE_ASKED = "the tool's definition was changed while this was being asked about"
_ASKED = "; asked about by "


class ToolGoneError(SnapshotError):
    """The tool of a request is not offered any more."""

    def __init__(self, tool_name: str) -> None:
        super().__init__(f"the tool {tool_name!a} is not offered any more")


class KnownDefinitions:
    """The definitions that people were asked about, kept to compare later ones with."""

    def __init__(self) -> None:
        self._by_digest: dict[str, Definition] = {}

    def since_approved(self, request: ApprovalRequest, others: Collection[str]) -> ApprovalRequest:
        """Return the request, with a remark if an equal call was approved under other definitions only.

        Args:
            request: The request that is about to be asked.
            others: Digests of other definitions under which it was approved for the session, oldest first.
        """
        now = request.definition
        if now is None:
            return request
        self._keep(now)
        if not others:
            return request
        before = next((self._by_digest[each] for each in reversed([*others]) if each in self._by_digest), None)
        return _saying(request, _SINCE_APPROVED, "" if before is None else now.changes_since(before))

    def while_asked(self, request: ApprovalRequest, now: Definition) -> ApprovalRequest:
        """Return the request under the present definition of the tool, with the changes in words."""
        self._keep(now)
        changes = "" if request.definition is None else now.changes_since(request.definition)
        return _saying(request.with_definition(now), _WHILE_ASKED, changes)

    def _keep(self, definition: Definition) -> None:
        if len(self._by_digest) >= _MOST_KNOWN:
            self._by_digest.clear()
        self._by_digest[definition.digest] = definition


def other_definitions(queue: AgentQueue, request: ApprovalRequest) -> list[str]:
    """Return other definitions of the tool under which the session has a grant that would cover the call.

    Args:
        queue: The connection of the session.
        request: The call, with the present definition of its tool.
    """
    of_call = [grant for grant in queue.grants() if _covers_then(grant, request)]
    return [grant.definition for grant in of_call if grant.definition is not None]


def _covers_then(grant: Grant, request: ApprovalRequest) -> bool:
    assert request.definition is not None
    is_now = grant.definition == request.definition.digest
    return not is_now and grant.covers(request.tool_name, request.payload, grant.definition, server=request.server)


async def look_again(request: ApprovalRequest, context: ApprovalContext | None) -> Definition | None:
    """Return the present definition of the tool of an approved request, or None if it has not changed.

    Args:
        request: The approved request.
        context: The origin of the call, which knows how to look.

    Raises:
        ToolGoneError: The tool is not offered any more.
    """
    if context is None or context.defined_now is None or request.definition is None:
        return None
    found = context.defined_now()
    return _changed(request, request.definition, await found if inspect.isawaitable(found) else found)


def look_again_sync(request: ApprovalRequest, context: ApprovalContext | None) -> Definition | None:
    """Do as `look_again` in synchronous code.

    Raises:
        ToolGoneError: The tool is not offered any more.
        TypeError: Looking is asynchronous.
    """
    if context is None or context.defined_now is None or request.definition is None:
        return None
    found = context.defined_now()
    if inspect.isawaitable(found):
        if inspect.iscoroutine(found):
            found.close()
        raise TypeError("a request from synchronous code needs a synchronous defined_now")
    return _changed(request, request.definition, found)


def _changed(request: ApprovalRequest, approved: Definition, now: Definition | None) -> Definition | None:
    if now is None:
        raise ToolGoneError(request.tool_name)
    return None if now.digest == approved.digest else now


def _saying(request: ApprovalRequest, what: str, changes: str) -> ApprovalRequest:
    """The request with a remark on the change before its reason, in place of an earlier remark."""
    told = f"{what}: {changes}" if changes else what
    why = request.why
    if why.startswith((_SINCE_APPROVED, _WHILE_ASKED)):
        why = why.rpartition(_ASKED)[2] if _ASKED in why else ""
    return request.model_copy(update={"why": f"{told}{_ASKED}{why}" if why else told})
