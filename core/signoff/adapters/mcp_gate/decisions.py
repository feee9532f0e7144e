"""The decision on a call that the gate holds: by rules, by a remembered approval, or by a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from signoff.adapters.gates.asking import GateController
from signoff.adapters.mcp_gate.messages import ToolCall
from signoff.approval_rules import ApprovalNeeds
from signoff.approved_call import EditedCall
from signoff.canonical import NotJsonError
from signoff.effects import SnapshotError
from signoff.modes import Mode
from signoff.queue.amendment import EDIT
from signoff.queue.errors import QueueError
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalPresentation, ApprovalRequest, denial_text

if TYPE_CHECKING:
    from signoff.adapters.mcp_gate.offered_tools import OfferedTools
    from signoff.policy.tool_rules import CallPolicy
    from signoff.queue.protocol import AgentQueue
    from signoff.tool_definition import Definition

__all__ = ["CallDecider", "CallDecision", "GateRules", "upstream_name"]

_HONORS = frozenset({EDIT})
_LACKS: frozenset[Literal["hard"]] = frozenset({"hard"})
_HINTS = {
    ("readOnlyHint", True): "only reads",
    ("destructiveHint", True): "may destroy something",
    ("openWorldHint", True): "reaches the outside world",
}


class CallDecision(NamedTuple):
    """The decision on a call.

    Attributes:
        approved: True if the call may run.
        words: The words for the model if it may not.
        arguments: The arguments that it runs with in place of its own; None for these.
    """

    approved: bool
    words: str = ""
    arguments: dict[str, Any] | None = None


class GateRules(NamedTuple):
    """The rules of a settings file.

    Attributes:
        policy: Rules on calls; None without any.
        tools: Settings of single tools, see `signoff.approval_rules.ApprovalNeeds`.
        mode: The mode that the file names; a stricter one of ``SIGNOFF_MODE`` holds.
    """

    policy: CallPolicy | None = None
    tools: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    mode: Mode | None = None


class CallDecider:
    """Decides on the calls of one server.

    Args:
        server: Name of the server, for people and rules.
        connect: Opens the queue; called in a thread, with the first call, and again as long as it fails.
        rules: Rules on calls; where they say nothing of a call, it is asked about.
    """

    def __init__(self, server: str, connect: Callable[[], AgentQueue], rules: GateRules) -> None:
        self._server = server
        self._ruled = rules.policy is not None or bool(rules.tools)
        self._needs = ApprovalNeeds(rules.tools, "required", policy=rules.policy, server=server)
        self._controller = GateController(connect, rules.mode)

    async def decide(self, call: ToolCall, tools: OfferedTools) -> CallDecision:
        """Decide on a call; waits for a person if one has to be asked. Cancelled, it withdraws the request."""
        try:
            definition = await tools.find(call.tool, call.message.meta)
            if definition is None:
                return CallDecision(False, f"Not run: the server offers no tool {call.tool!a}")
            return await self._decided(call, definition, tools)
        except PermissionError as blocked:
            return CallDecision(False, f"Not run: {blocked}")
        except (QueueError, SnapshotError, NotJsonError) as error:
            return CallDecision(False, f"Not run: {error}")

    def close(self) -> None:
        """Leave the queue."""
        self._controller.close()

    async def _decided(self, call: ToolCall, definition: Definition, tools: OfferedTools) -> CallDecision:
        context = ApprovalContext(
            tool_name=call.tool,
            args=call.arguments,
            server=self._server,
            honors=_HONORS,
            lacks=_LACKS,
            defined_now=lambda: tools.find_now(call.tool, call.message.meta),
        )
        request = self._request(call, context, definition)
        if request is None:
            return CallDecision(True)
        edited = EditedCall(
            context,
            request,
            lambda arguments: arguments,
            lambda changed: self._request(call._replace(arguments=changed.args), changed, definition),
        )
        controller = await self._controller.connected()
        decision = await controller.request_approval(request, context.model_copy(update={"check_edited": edited}))
        if decision.approved is not True:
            return CallDecision(False, denial_text(decision))
        if decision.instead is None:
            return CallDecision(True)
        if decision.instead.arguments is None:
            return CallDecision(
                False, f"Not run: the reviewer {decision.instead.words}, which cannot be done here"
            )
        return CallDecision(True, arguments=dict(decision.instead.arguments))

    def _request(self, call: ToolCall, context: ApprovalContext, definition: Definition) -> ApprovalRequest | None:
        """The request for a call; None if the rules let it through.

        Raises:
            PermissionError: The rules block it.
        """
        request = self._needs.request_for(context, None, None, ApprovalMemory())
        if request is None:
            if not call.others:
                return None
            request = ApprovalRequest(tool_name=call.tool, description="", payload={}, why="further parameters")
        payload = _with_others(call)
        presentation = None
        if call.others:
            shown = json.dumps(call.others, indent=2, ensure_ascii=False)
            presentation = ApprovalPresentation(type="structured", content=shown)
        return request.model_copy(
            update={
                "description": f"call {call.tool} of {self._server}",
                "payload": payload,
                "arguments": call.arguments,
                "presentation": presentation,
                "server": self._server,
                "why": "; ".join([*([request.why] if self._ruled else []), *_said_by_server(definition)]),
                "definition": definition,
                "honors": _HONORS,
            }
        )


def _with_others(call: ToolCall) -> dict[str, Any]:
    """The payload of a call: its arguments and its further parameters."""
    named = {f"parameter {name}": value for name, value in call.others.items()}
    if not named.keys().isdisjoint(call.arguments):
        raise PermissionError("an argument has the name of a further parameter")
    return {**call.arguments, **named}


def _said_by_server(definition: Definition) -> list[str]:
    """The server's hints on a tool, in words; nothing depends on them."""
    annotations = definition.hints.get("annotations")
    if not isinstance(annotations, dict):
        return []
    said = [words for (hint, value), words in _HINTS.items() if annotations.get(hint) is value]
    return [f"the server says that it {', '.join(said)}"] if said else []


def upstream_name(upstream: str) -> str:
    """Return the name of a server for people: its address, without a password and without a query."""
    parts = urlsplit(upstream)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
