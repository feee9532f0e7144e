"""A run while it goes on: the questions of its agent, and the events that are told to the store."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signoff.approval_rules import ApprovalNeeds
from signoff.controller import ApprovalController
from signoff.effects import Risk
from signoff.execution import execute_tool
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.verdict import Level
from signoff.queue.records import DecisionSource, StoredRequest
from signoff.server.runs import Checkpoint, RunStatus
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalDeniedError

if TYPE_CHECKING:
    from signoff.policy.tool_rules import CallPolicy
    from signoff.server.runs import Run, RunStore

__all__ = [
    "APPROVAL_SCHEMA",
    "AUTHORIZATION_FAILURES",
    "CONSENT_REQUIRED",
    "DANGEROUS",
    "HostedRun",
    "RunFailedError",
]

AUTHORIZATION_FAILURES = "tool_authorization_failures"
CONSENT_REQUIRED = "tool_consent_required"
DANGEROUS = "dangerous_operations_detected"

APPROVAL_SCHEMA = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean", "description": "Whether to approve the tool execution"},
        "reason": {"type": "string", "description": "Optional reason for the decision"},
    },
    "required": ["approved"],
}
"""JSON Schema of an answer to a checkpoint, as the runs API shows it."""


_LOGGED_FACTS = ("tool_name", "tool_call_id", "request_id", "reason", "risk", "approved", "by", "note", "source")
"""The facts of a call that are logged."""

_log = logging.getLogger("signoff.runs")


class RunFailedError(Exception):
    """The agent of a run did something that it may not, or ended without a result; the message says what."""


class HostedRun:
    """One run of an agent, for the agent and its host.

    Args:
        run: The run as it was created.
        store: Takes its events.
        controller: Makes the controller that its calls ask through, with this as its watcher.
        policy: The rules of the settings on calls.
        stop: Called, in whatever thread, to end the run: a call of it was denied.
        logs_arguments: True to log the arguments of calls, without their secrets.
    """

    def __init__(
        self,
        run: Run,
        store: RunStore,
        controller: Callable[[HostedRun], ApprovalController],
        policy: CallPolicy | None,
        stop: Callable[[], None],
        *,
        logs_arguments: bool = False,
    ) -> None:
        self._run = run
        self._store = store
        self._policy = policy
        self._stop = stop
        self._logs_arguments = logs_arguments
        self._guard = threading.Lock()
        self._waiting: set[str] = set()
        self._call_ids: dict[str, str] = {}
        self.controller = controller(self)
        self.denied: tuple[str, ApprovalDecision] | None = None
        self.on_waiting: Callable[[bool], None] = lambda _: None
        """Called when the run begins, or ceases, to wait for people."""

    @property
    def id(self) -> str:
        """Id of the run."""
        return self._run.id

    @property
    def session_id(self) -> str:
        """The session that its remembered approvals belong to."""
        return self._run.session

    @property
    def mode(self) -> str:
        """``interactive`` or ``daemon``."""
        return self._run.mode

    @property
    def input(self) -> str:
        """The words to the agent."""
        return self._run.input

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about the run for reviewers: metadata of its calls."""
        return {"run": self.id, "caller": self._run.agent}

    # -- for agents -------------------------------------------------------------------------------------------

    async def call_tool(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        *,
        name: str = "",
        server: str | None = None,
    ) -> Any:
        """Run a function, asking first if the rules of the settings, or the function itself, want it.

        Args:
            function: The function, plain or asynchronous.
            arguments: Its keyword arguments.
            name: The name of the tool; that of the function by default.
            server: The server that the tool belongs to, as the settings call it.

        Raises:
            PermissionError: The call is blocked, or was not approved (`ApprovalDeniedError`).
        """
        name = name or function.__name__
        self._refuse_denied()
        self._refuse_blocked(name, arguments, server)
        return await execute_tool(
            function,
            name,
            dict(arguments),
            self.controller,
            {**self.facts, "via": "runs"},
            default_approval="required",
            policy=self._policy,
            server=server,
        )

    async def ask(
        self, tool: str, arguments: Mapping[str, Any], *, server: str | None = None, call_id: str | None = None
    ) -> ApprovalDecision:
        """Ask about a call that the agent runs itself; approved at once if the rules of the settings allow it.

        Args:
            tool: The name of the tool.
            arguments: Its arguments, as JSON.
            server: As for `call_tool`.
            call_id: The agent's own id of the call.

        Raises:
            PermissionError: The call is blocked.
            NotJsonError: The arguments are not JSON.
        """
        self._refuse_denied()
        self._refuse_blocked(tool, arguments, server)
        metadata = {**self.facts, "via": "runs", "tool_call_id": call_id}
        context = ApprovalContext(tool_name=tool, args=dict(arguments), metadata=metadata, server=server)
        needs = ApprovalNeeds({}, "required", policy=self._policy, server=server)
        request = needs.request_for(context, None, None, self.controller.memory)
        if request is None:
            return ApprovalDecision(approved=True, source=DecisionSource.RULE, by="settings")
        return await self.controller.request_approval(request, context)

    def offered(self, names: Sequence[str], *, server: str | None = None) -> list[str]:
        """Return those of some tools that a model may be offered: the settings do not block all their calls.

        Args:
            names: Their names.
            server: As for `call_tool`.
        """
        needs = ApprovalNeeds({}, "required", policy=self._policy, server=server)
        return [name for name in names if not needs.hides(name)]

    def _refuse_denied(self) -> None:
        """Let nothing run any more after a hard no."""
        if self.denied is not None:
            raise ApprovalDeniedError(self.denied[1])

    def _refuse_blocked(self, tool: str, arguments: Mapping[str, Any], server: str | None) -> None:
        if self._policy is None:
            return
        verdict = self._policy.verdict(tool, arguments, server)
        if verdict.level is Level.BLOCK:
            error = PermissionError(f"{tool} is blocked (policy: {verdict.rule})")
            self.blocked(tool, arguments, error, server)
            raise error

    # -- events for the store ---------------------------------------------------------------------------------

    def blocked(self, tool: str, arguments: Mapping[str, Any], why: Exception, server: str | None) -> None:
        """Tell that a call was refused without asking anybody."""
        masked_keys = () if self._policy is None else self._policy.masked_keys(server)
        event = {"tool_name": tool, "reason": str(why), "tool_arguments": _arguments(arguments, masked_keys)}
        self._store.add_events(self.id, ("tool_blocked", event), counts=(AUTHORIZATION_FAILURES,))
        self._log_call("call blocked", event)

    def asked(self, request: StoredRequest, context: ApprovalContext | None) -> None:
        """Tell that a call waits for a person (`AskingWatcher`)."""
        if not request.pending:
            return  # an answer was there already
        call = request.submission
        call_id = self._call_id(request, context)
        reason = self._reason(request)
        checkpoint = {
            "tool_call_id": call_id,
            "tool_name": call.tool_name,
            "reason": reason,
            "prompt": f"Do you approve executing '{call.tool_name}'? {reason}",
            "tool_arguments": _arguments(call.arguments, call.masked_keys),
            "approval_required": True,
            "approval_schema": APPROVAL_SCHEMA,
            "request_id": request.id,
            "revision": request.revision,
            "digest": call.digest,
            "risk": call.risk,
        }
        self._store.pause(
            self.id,
            Checkpoint(call_id, request.id, request.revision, call.digest),
            ("checkpoint_required", checkpoint),
            (
                "run_paused",
                {"reason": "tool_approval_required", "tool_name": call.tool_name, "tool_call_id": call_id},
            ),
            counts=(CONSENT_REQUIRED, DANGEROUS) if call.risk is Risk.HIGH else (CONSENT_REQUIRED,),
        )
        self._log_call("call waits", checkpoint)
        self._note_waiting(request, waits=True)

    def answered(
        self, request: StoredRequest, decision: ApprovalDecision, context: ApprovalContext | None
    ) -> None:
        """Tell that a call waits no longer (`AskingWatcher`); a hard no ends the run."""
        call_id = self._call_id(request, context)
        if decision.hard and decision.source in (DecisionSource.REVIEWER, DecisionSource.CASCADE):
            self.denied = self.denied or (request.submission.tool_name, decision)
            self._note_waiting(request, waits=False)
            self._stop()
            return
        reason = "tool_approved" if decision.approved is True else "tool_not_approved"
        facts = {"reason": reason, "tool_name": request.submission.tool_name, "tool_call_id": call_id}
        told = {**facts, "by": decision.by, "note": decision.note, "source": decision.source}
        self._store.resume(
            self.id, call_id, ("run_resumed", {name: value for name, value in told.items() if value})
        )
        self._log_call("call answered", {**told, "approved": decision.approved is True})
        self._note_waiting(request, waits=False)

    def finish(self, output: str) -> None:
        """Tell that the agent is done."""
        self._store.end(self.id, RunStatus.COMPLETED, "run_completed", output=output)

    def cancel(self, reason: str) -> None:
        """Tell that the run was ended: by the denial of a call, or for a reason that is given."""
        if self.denied is None:
            self._store.end(self.id, RunStatus.CANCELLED, "run_cancelled", {"reason": reason}, error=reason)
            return
        tool, decision = self.denied
        facts = {"reason": "tool_execution_denied", "tool_name": tool}
        words = {"user_reason": decision.note} if decision.note else {}
        error = f"{tool} was denied" + (f": {decision.note}" if decision.note else "")
        self._store.end(self.id, RunStatus.CANCELLED, "run_cancelled", {**facts, **words}, error=error)

    def _note_waiting(self, request: StoredRequest, *, waits: bool) -> None:
        """Note that a call waits, or that it waits no longer."""
        with self._guard:
            before = bool(self._waiting)
            if waits:
                self._waiting.add(request.id)
            else:
                self._waiting.discard(request.id)
            now = bool(self._waiting)
            if now is not before:
                self.on_waiting(now)

    def _call_id(self, request: StoredRequest, context: ApprovalContext | None) -> str:
        """The agent's own id of a call, unless another call of the run has or had it: an answer is for one."""
        given = None if context is None else context.metadata.get("tool_call_id")
        with self._guard:
            if request.id not in self._call_ids:
                taken = given is None or str(given) in self._call_ids.values()
                self._call_ids[request.id] = f"call-{request.id}" if taken else str(given)
            return self._call_ids[request.id]

    def _log_call(self, message: str, facts: Mapping[str, Any]) -> None:
        kept = {name: facts[name] for name in _LOGGED_FACTS if facts.get(name) not in (None, "")}
        if self._logs_arguments and "tool_arguments" in facts:
            kept["tool_arguments"] = facts["tool_arguments"]
        _log.info(message, extra={"facts": {"run": self.id, **kept}})

    def _reason(self, request: StoredRequest) -> str:
        """The reason to ask about the call, in the words of the runs API where the settings decided."""
        call = request.submission
        quoted = f"'{call.tool_name}'"
        if self._policy is not None:
            verdict = self._policy.verdict(call.tool_name, call.arguments, call.server)
            if verdict.level is Level.ASK and verdict.reasons:
                return verdict.reasons[0][:1].upper() + verdict.reasons[0][1:]
            if verdict.level is Level.ASK:
                return f"Tool {quoted} requires approval ({verdict.rule})"
        return f"Tool {quoted} requires approval" + (f" ({call.why})" if call.why else "")


def _arguments(arguments: Mapping[str, Any], masked_keys: Sequence[str]) -> str:
    """The arguments as JSON text, without their secrets."""
    return json.dumps(DEFAULT_REDACTION.also(masked_keys).mask_value(dict(arguments)), default=repr)
