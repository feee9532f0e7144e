"""A session of an MCP client whose `call_tool` asks."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from mcp import ClientSession, types
from mcp.types import InputRequiredResult  # not in versions before 2

from signoff.adapters.argument_schema import fitting
from signoff.adapters.json_values import plain_hints, plain_schema
from signoff.approval_rules import ApprovalNeeds, Setting, default_setting
from signoff.approved_call import HONORS, EditedCall, bound_to, told
from signoff.canonical import NotJsonError, canonical
from signoff.controller import ApprovalController
from signoff.effects import SnapshotError
from signoff.expiry import ExpiresIn, seconds_of, within
from signoff.policy.tool_rules import CallPolicy
from signoff.queue.amendment import Instead
from signoff.redefinition import ToolGoneError
from signoff.tool_definition import Definition
from signoff.types import ApprovalContext, ApprovalDeniedError, ApprovalRequest, denial_text

__all__ = ["approved"]

_VIA = "mcp"
_MOST_OPEN = 1_000
"""The most calls whose server still waits for more, of which it is known that they were approved."""

_MOST_PAGES = 1_000

SessionT = TypeVar("SessionT", bound=ClientSession)


class _OpenCall(NamedTuple):
    """An approved call that its server answered with questions.

    Attributes:
        asked: The call as it was asked, in one spelling.
        arguments: The arguments that it runs with.
        instead: The amendment of the reviewer; None if it runs as asked.
    """

    asked: str
    arguments: dict[str, Any]
    instead: Instead | None


@dataclass(frozen=True, slots=True)
class _SessionRules:
    """The rules of one session.

    Attributes:
        controller: The controller that decides.
        needs: The rules on which calls are asked about.
        server: Name of the server.
        expires_in: Seconds after which a request expires that sets no time itself.
        open: Approved calls that go on, by the state that comes back with the answers.
    """

    controller: ApprovalController
    needs: ApprovalNeeds
    server: str
    expires_in: float | None
    open: dict[str, _OpenCall] = field(default_factory=dict)


def approved(
    session: SessionT,
    controller: ApprovalController | None = None,
    *,
    server: str,
    tool_configs: Mapping[str, Mapping[str, Any]] | None = None,
    default_approval: Setting | None = None,
    policy: CallPolicy | None = None,
    expires_in: ExpiresIn | None = None,
) -> SessionT:
    """Have a session ask before each call of a tool.

    The session itself is changed. A soft refusal is the result of the call, marked as an error, with the
    reviewer's words. A hard refusal raises `ApprovalDeniedError`, and a blocked call `PermissionError`: an MCP
    client has no other way to stop its model. Cancelling the call withdraws its request. A call that the server
    answers with questions is asked about once, for all its rounds.

    A tool has to be among those that the server lists. An approval is for the definition that it has there; if it
    changes meanwhile, the call is asked about again.

    Args:
        session: The session of a client, or one by itself.
        controller: The controller that decides; by default a new one, which asks in the local queue. It is one
            session: a remembered approval holds for everything that asks through it.
        server: Name of the server, for reviewers and the policy: one that you choose, not the server.
        tool_configs: By tool name ``{"approval": "required"}``, ``"none"`` or ``"deny"`` (blocked in every mode).
            With ``"edit": True`` a reviewer may change the arguments and approve the call so.
        default_approval: ``"required"`` or ``"none"``, for tools that `tool_configs` does not decide. None means
            ``"none"`` if `tool_configs` was given, else ``"required"``.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            one that it asks about is asked about, whatever else is said; a call that it allows is not asked about
            for the default alone. If it knows neither the tool nor the server, the default decides.
        expires_in: Seconds (or a `timedelta`) after which a request expires; None leaves it to the controller.

    Returns:
        The session.

    Raises:
        ValueError: A setting is unknown, the server has no name, or the session asks already.
        TypeError: It is no session.
    """
    if not isinstance(session, ClientSession):
        raise TypeError(
            f"approved is for a ClientSession, such as client.session, not for a {type(session).__name__}"
        )
    if isinstance(session, _AskingSession):
        raise ValueError("the session asks already: give all settings to one approved(...)")  # noqa: TRY004
    if not server:
        raise ValueError("server is empty: name the server, so that an approval is not taken for another's")
    default = default_setting(default_approval, tools_were_named=tool_configs is not None)
    needs = ApprovalNeeds(tool_configs or {}, default, policy=policy, server=server)
    rules = _SessionRules(
        controller if controller is not None else ApprovalController(), needs, server, seconds_of(expires_in)
    )
    kind = type(session)
    session.__class__ = type(
        kind.__name__, (_AskingSession, kind), {"_rules": rules, "__module__": kind.__module__}
    )
    return session


class _AskingSession(ClientSession):
    """A base of sessions that ask; each gets a class of its own."""

    _rules: _SessionRules

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **options: Any
    ) -> Any:
        """Call a tool if that is approved, and return the result, or an error with the reviewer's words.

        Raises:
            PermissionError: The call is blocked, or was refused hard (`ApprovalDeniedError`).
        """
        rules, given = self._rules, copy.deepcopy(arguments or {})
        try:
            spelled = canonical([name, given])
        except NotJsonError as error:
            return _failure(f"Not run: {error}")
        state = options.get("request_state")
        going_on = None if state is None else rules.open.pop(state, None)
        if going_on is not None and going_on.asked == spelled:
            # With the arguments that were approved: the client repeats its own.
            result = await super().call_tool(name, copy.deepcopy(going_on.arguments), *args, **options)
            return self._noted(going_on, result)
        context = ApprovalContext(
            tool_name=name,
            args=given,
            server=rules.server,
            metadata={"via": _VIA},
            defined_now=lambda: self._definition(name),
        )
        request = self._request_for(context)
        if request is None:
            return await super().call_tool(name, given, *args, **options)
        try:
            tool = await self._listed(name)
        except SnapshotError as error:
            return _failure(f"Not run: {error}")
        if tool is None:
            return _failure(f"Not run: {ToolGoneError(name)}")
        request = within(request.with_definition(_definition_of(tool)), rules.expires_in)
        edited = EditedCall(
            context, request, lambda changed: fitting(changed, tool.input_schema), self._request_for
        )
        changeable = context.model_copy(update={"honors": HONORS, "check_edited": edited})
        decision = await rules.controller.request_approval(request, changeable)
        if decision.approved is not True:
            if decision.hard:
                raise ApprovalDeniedError(decision)
            return _failure(denial_text(decision))
        instead = decision.instead
        if instead is not None and instead.arguments is not None:
            request, given = edited.request or request, copy.deepcopy(dict(instead.arguments))
        with bound_to(request, decision.snapshot, instead):
            result = await super().call_tool(name, given, *args, **options)
        return self._noted(_OpenCall(spelled, given, instead), result)

    def _noted(self, call: _OpenCall, result: Any) -> Any:
        """Return the result of an approved call, and keep the call in mind if its server waits for more."""
        if isinstance(result, InputRequiredResult) and result.request_state is not None:
            if len(self._rules.open) >= _MOST_OPEN:
                del self._rules.open[next(iter(self._rules.open))]
            self._rules.open[result.request_state] = call
        return _told(result, call.instead)

    def _request_for(self, context: ApprovalContext) -> ApprovalRequest | None:
        return self._rules.needs.request_for(context, None, None, self._rules.controller.memory)

    async def _definition(self, name: str) -> Definition | None:
        tool = await self._listed(name)
        return None if tool is None else _definition_of(tool)

    async def _listed(self, name: str) -> types.Tool | None:
        """The tool as the server lists it now; None if it does not.

        Raises:
            SnapshotError: The listing does not end.
        """
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            page = await self.list_tools(params=params)
            found = next((tool for tool in page.tools if tool.name == name), None)
            if found is not None or page.next_cursor is None:
                return found
            cursor = page.next_cursor
        raise SnapshotError(f"the server lists its tools on more than {_MOST_PAGES} pages")


def _definition_of(tool: types.Tool) -> Definition:
    said = tool.model_dump(mode="json", by_alias=True, exclude={"name", "description", "input_schema", "icons"})
    return Definition.of(tool.name, tool.description, plain_schema(tool.input_schema), plain_hints(said))


def _failure(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _told(result: Any, instead: Instead | None) -> Any:
    if instead is None or instead.arguments is None or not isinstance(result, types.CallToolResult):
        return result
    note = types.TextContent(type="text", text=told("", instead).strip())
    return result.model_copy(update={"content": [*result.content, note]})
