"""A client for `agent.io` that has a person decide in the queue."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from signoff.adapters.look_ahead import look_ahead
from signoff.canonical import NotJsonError, canonical, parse_json
from signoff.controller import ApprovalController
from signoff.decorators import simple_approval_request
from signoff.queue.records import DecisionSource
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    IO = object
else:
    try:
        from connectonion.network.io import IO
    except ImportError:  # the messages need no framework
        IO = object

__all__ = ["QueueIO", "answer_of"]

_NOBODY_DECIDED = frozenset({DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR})


class QueueIO(IO):
    """An `agent.io` whose client is the reviewer of the local queue.

    ``approval_needed`` becomes a request as soon as its answer is waited for. Every other message is dropped: no
    client is there to be shown it, and who waits for an answer to it is told that the connection is closed.

    An approval is answered as one for this call only, also where the reviewer gave it for the session, because
    ConnectOnion remembers it for all calls of the tool, or of the command's first word. Equal calls of the
    session are then approved by the queue.

    One agent or several may use it, each in a thread of its own.

    Args:
        controller: The controller that decides; by default a new one, which asks in the local queue.
        caller: The agent's name in ConnectOnion, for reviewers.
    """

    def __init__(self, controller: ApprovalController | None = None, *, caller: str | None = None) -> None:
        self.controller = controller if controller is not None else ApprovalController()
        self._caller = caller
        self._asking = threading.local()  # an answer names no call, and must not reach another thread's

    def send(self, event: Mapping[str, Any]) -> None:
        """Take a message of the agent.

        Args:
            event: The message; a question if its ``type`` is ``approval_needed``.

        Raises:
            ValueError: The question cannot be shown to a reviewer as it is.
            RuntimeError: The question before it was not yet answered. Neither is asked: the answer to one could be
                taken for that to the other.
        """
        before = self._taken()
        if event.get("type") != "approval_needed":
            return
        self._keep(_question(event, self._caller), before)

    def ask(self, event: Mapping[str, Any], request: ApprovalRequest) -> None:
        """Take a question whose request is known, as `send` takes one that is made of the message.

        Args:
            event: The question.
            request: The request to make, with all that the message has no room for.

        Raises:
            ValueError: As for `send`.
            RuntimeError: As for `send`.
        """
        before = self._taken()
        self._keep(replace(_question(event, self._caller), request=request), before)

    def _keep(self, question: _Question, before: _Question | None) -> None:
        if before is not None:
            raise RuntimeError(f"{before.request.tool_name} was not yet answered; now neither call is asked about")
        self._asking.question = question

    def receive(self) -> dict[str, Any]:
        """Wait for the decision on the question that this thread sent last.

        Returns:
            The answer, see `answer_of`. Without a question, that the connection is closed.
        """
        question = self._taken()
        if question is None:
            return _closed("nobody answers anything but requests for approval")
        return answer_of(self.controller.request_approval_sync(question.request, question.context))

    def receive_all(self, msg_type: str | None = None) -> list[dict[str, Any]]:
        """Return the messages that nobody waits for: a reviewer sends none.

        Args:
            msg_type: The wanted type of messages.
        """
        return []

    def _taken(self) -> _Question | None:
        question: _Question | None = getattr(self._asking, "question", None)
        self._asking.question = None
        return question


def answer_of(decision: ApprovalDecision) -> dict[str, Any]:
    """Return a decision in the words of a client.

    Args:
        decision: The decision.

    Returns:
        ``approved`` with ``scope``, or with ``mode`` and ``feedback``. If nobody decided, ``io_closed``, with the
        reason.
    """
    if decision.approved is True:
        return {"approved": True, "scope": "once"}
    if decision.source in _NOBODY_DECIDED:
        return _closed(decision.note or decision.source)
    feedback = {"feedback": decision.note} if decision.note else {}
    return {"approved": False, "mode": "reject_hard" if decision.hard else "reject_soft", **feedback}


def _closed(reason: str) -> dict[str, Any]:
    return {"type": "io_closed", "approved": False, "reason": reason}


# -- From a message to a request.


@dataclass(frozen=True, slots=True)
class _Question:
    """A question that waits to be asked.

    Attributes:
        request: The request.
        context: The origin of the call.
    """

    request: ApprovalRequest
    context: ApprovalContext


def _question(event: Mapping[str, Any], caller: str | None) -> _Question:
    """Read a question.

    Raises:
        ValueError: It names no tool, or its arguments are no JSON object.
    """
    name, arguments = event.get("tool"), event.get("arguments")
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        raise ValueError("not asked: approval_needed takes the name of a tool, and its arguments as an object")
    canonical(arguments)
    arguments = copy.deepcopy(arguments)  # the agent keeps the original
    name = _tool_name(name, arguments)
    request = simple_approval_request(name, arguments).model_copy(update={"why": _why(event.get("policy"))})
    remaining = [_later(entry) for entry in event.get("batch_remaining") or ()]
    metadata = {"via": "connectonion", "caller": caller, "batch_remaining": remaining}
    return _Question(request, ApprovalContext(tool_name=name, args=arguments, metadata=metadata))


def _tool_name(told: str, arguments: Mapping[str, Any]) -> str:
    """The name of a tool without the first word of its command, which older versions of ConnectOnion add."""
    name, colon, word = told.partition(":")
    command = arguments.get("command")
    added = colon and isinstance(command, str) and command.split()[:1] == [word]
    return name if added else told


def _why(policy: object) -> str:
    """The rule of ConnectOnion that asked, where it says one."""
    if not isinstance(policy, Mapping):
        return ""
    return ": ".join(str(policy[key]) for key in ("policy_id", "reason") if policy.get(key))


def _later(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A later call of the batch, whose arguments are JSON in a text."""
    written = entry.get("arguments")
    try:
        arguments = parse_json(written) if isinstance(written, str) else written
    except NotJsonError:
        arguments = None
    if not isinstance(arguments, dict):
        return look_ahead(str(entry.get("tool")), {"not JSON": str(written)})
    return look_ahead(_tool_name(str(entry.get("tool")), arguments), arguments, written)
