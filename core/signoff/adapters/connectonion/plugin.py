"""The plugin by which an agent asks the client at the other end of `agent.io` before dangerous tools run.

Messages, session data and log lines are those of the document of ConnectOnion's tool approval.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from signoff.adapters.connectonion.queue_io import QueueIO
from signoff.approval_rules import ApprovalNeeds, Setting
from signoff.canonical import canonical
from signoff.policy.tool_rules import CallPolicy, ToolClass, class_of
from signoff.present.reveal import reveal_line
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalRequest

if TYPE_CHECKING:

    def before_each_tool(handler: Handler) -> Handler: ...
else:
    try:
        from connectonion import before_each_tool
    except ImportError:  # without the framework there is no agent that it could be registered with

        def before_each_tool(handler):
            """Return the handler."""
            return handler


__all__ = ["approval_plugin", "tool_approval"]


class PluginAgent(Protocol):
    """The parts of an agent that the plugin uses."""

    io: Any
    current_session: dict[str, Any]
    logger: Any


Handler = Callable[[PluginAgent], None]

Unknown = Literal["safe", "ask"]
Headless = Literal["run", "deny"]

_REJECTED = "tool_rejected_hard"
_FLAGS = (_REJECTED, "stop_signal")
"""Keys of the session that stop an agent: that of the document, and that of later versions of ConnectOnion."""

_STOP = "signoff_stop"
"""Key of the session for the last stop of this plugin, since each version takes away only its own flag."""


class _PluginRules:
    """The rules of one plugin; the arguments are those of `approval_plugin`."""

    def __init__(self, unknown: Unknown, policy: CallPolicy | None, server: str | None) -> None:
        default: Setting = "required" if unknown == "ask" else "none"
        self._has_policy = policy is not None
        self._of_unknown = ApprovalNeeds({}, default, policy=policy, server=server)
        self._of_known = ApprovalNeeds({}, "none", server=server)

    def request_for(self, agent: PluginAgent, call: Mapping[str, Any]) -> ApprovalRequest | None:
        """Return the request to ask for a call, or None if it needs no approval.

        Raises:
            PermissionError: The call is blocked.
        """
        name = call["name"]
        ctx = ApprovalContext(tool_name=name, args=call["arguments"])
        kind = ToolClass.UNKNOWN if self._has_policy else class_of(name)
        if kind is ToolClass.SAFE and self._of_known.server is not None:  # only an agent's own are, for their name
            kind = ToolClass.UNKNOWN
        needs = self._of_unknown if kind is ToolClass.UNKNOWN else self._of_known
        marked_by = "dangerous tool" if kind is ToolClass.DANGEROUS else None
        memory = agent.io.controller.memory if isinstance(agent.io, QueueIO) else ApprovalMemory()
        return needs.request_for(ctx, None, _function(agent, name), memory, marked_by=marked_by)


def _function(agent: PluginAgent, name: str) -> Callable[..., Any] | None:
    """The function or method behind a tool; None if the agent says of none."""
    tool = agent.tools.get(name) if hasattr(agent, "tools") else None
    # ConnectOnion wraps a method such that nothing but what the wrapper closes over knows the object.
    for cell in getattr(tool, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # of a cell that is empty
            method = cell.cell_contents
            if inspect.ismethod(method) and method.__func__ is getattr(tool, "__wrapped__", None):
                return method
    return cast("Callable[..., Any] | None", tool)


def approval_plugin(
    *,
    unknown: Unknown | None = None,
    headless: Headless | None = None,
    policy: CallPolicy | None = None,
    server: str | None = None,
) -> list[Handler]:
    """Make a plugin for `Agent(plugins=[...])`: dangerous tools run only if the client approves.

    Safe are the names in `SAFE_TOOLS`, dangerous those in `DANGEROUS_TOOLS` of `signoff.policy.tool_rules`. The
    function of a tool, or the object whose method it is, may ask or block by a mark or a hook, whatever its name.

    A blocked call does not run, and the model is told so. Put the plugin last in the list of plugins: a handler
    behind it could change a call that was approved.

    Args:
        unknown: ``"safe"``: other tools run, as the document has it. ``"ask"``: they are asked about. With a
            policy, these are what it knows nothing of. None means ``"ask"`` with a policy, else ``"safe"``.
        headless: ``"run"``: without `agent.io` what would have to be asked about runs, as the document has it.
            ``"deny"``: it does not. None means ``"deny"`` with a policy, else ``"run"``.
        policy: Rules on calls, such as `Setup.call_policy`, which go before the names above. A call that it blocks
            is blocked in any case. A call that it asks about is asked about each time, also if the client approved
            the tool for the session. A call that it allows runs unless the tool itself asks.
        server: The server that all tools belong to, as the policy calls it; None for tools of the agent itself.

    Raises:
        ValueError: A setting is unknown.
    """
    if unknown not in ("safe", "ask", None):
        raise ValueError(f'unknown must be "safe" or "ask", not {unknown!r}')
    if headless not in ("run", "deny", None):
        raise ValueError(f'headless must be "run" or "deny", not {headless!r}')
    rules = _PluginRules(unknown or ("safe" if policy is None else "ask"), policy, server)
    runs_headless = (headless or ("run" if policy is None else "deny")) == "run"

    @before_each_tool
    def check_approval(agent: PluginAgent) -> None:
        """Let the pending call of an agent pass, or say why it must not run.

        Raises:
            ValueError: It was not approved; the message is for the model.
            PermissionError: It is blocked; the message is for the model.
        """
        session = agent.current_session
        if _is_stopped(session):
            raise ValueError("Not run: the user rejected this batch of tool calls and wants to say how to go on.")
        call = session.get("pending_tool")
        if not call:
            raise ValueError("Not run: nothing is known of the call that would run.")
        request = rules.request_for(agent, call)
        if request is None or (agent.io is None and runs_headless):
            return
        name = call["name"]
        if policy is None and session.get("approval", {}).get("approved_tools", {}).get(name) == "session":
            _log(agent, f"⏭ {name} (session-approved)", "dim")
            return
        if agent.io is None:
            raise ValueError(f"Tool '{name}' was not run: it needs approval, and nobody is connected to ask.")
        _ask(agent, name, call, request, by_policy=policy is not None)

    return [check_approval]


tool_approval = approval_plugin()
"""The plugin as the document describes it."""


# -- Asking.


def _ask(
    agent: PluginAgent, name: str, call: Mapping[str, Any], request: ApprovalRequest, *, by_policy: bool
) -> None:
    """Ask the client about a call and wait for its answer.

    Args:
        agent: The agent.
        name: The name of the tool.
        call: The call.
        request: The request, for a client that can show it.
        by_policy: True if the message says who asks, as those of later versions of ConnectOnion do.

    Raises:
        ValueError: The call was not approved, or its arguments are not JSON.
    """
    arguments = call["arguments"]
    asked = canonical(arguments)
    message = {"type": "approval_needed", "tool": name, "arguments": copy.deepcopy(arguments)}
    if remaining := _batch_remaining(agent.current_session, call.get("id")):
        message["batch_remaining"] = remaining
    if by_policy:
        message["policy"] = {"decision": "ask", "reason": request.why}
    if isinstance(agent.io, QueueIO):
        agent.io.ask(message, request)
    else:
        agent.io.send(message)
    answer = agent.io.receive()
    if not isinstance(answer, Mapping):
        answer = {}
    if answer.get("type") == "io_closed":
        _log(agent, f"✗ {name} - connection closed", "red")
        reason = f" ({answer['reason']})" if answer.get("reason") else ""
        raise ValueError(
            f"Connection closed while tool '{name}' waited for approval, so that it was not run{reason}."
        )
    if answer.get("type") == "INTERRUPT":
        _log(agent, f"✗ {name} - interrupted", "red")
        _stop(agent.current_session, "Interrupted by user")
        raise ValueError(f"Tool '{name}' was not run: the user interrupted the agent.")
    if answer.get("approved") is not True:
        raise ValueError(_rejected(agent, name, answer))
    if canonical(arguments) != asked:
        raise ValueError(f"Tool '{name}' was not run: its arguments were changed since it was approved.")
    scope = "session" if answer.get("scope") == "session" else "once"
    if scope == "session":
        agent.current_session.setdefault("approval", {}).setdefault("approved_tools", {})[name] = scope
    _log(agent, f"✓ {name} approved ({scope})", "green")


def _batch_remaining(session: Mapping[str, Any], call_id: object) -> list[dict[str, Any]]:
    """The calls that the model asked for behind this one, with arguments as it wrote them: JSON in a text."""
    asked = (message["tool_calls"] for message in reversed(session.get("messages", ())) if _has_calls(message))
    batch: Sequence[Mapping[str, Any]] = next(asked, ())
    here = next((place for place, call in enumerate(batch) if call.get("id") == call_id), len(batch))
    later = [call["function"] for call in batch[here + 1 :]]
    return [{"tool": call["name"], "arguments": call.get("arguments", "{}")} for call in later]


def _has_calls(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" and bool(message.get("tool_calls"))


# -- Rejecting. A missing or unknown mode is a hard one.


def _rejected(agent: PluginAgent, name: str, answer: Mapping[str, Any]) -> str:
    """Take notice of a rejection; returns the words for the model."""
    feedback = str(answer.get("feedback") or "")
    _log(agent, f"✗ {name} rejected{': ' if feedback else ''}{feedback}", "red")
    told = f" Feedback: {feedback}" if feedback else ""
    match answer.get("mode"):
        case "reject_soft":
            return (
                f"User rejected tool '{name}'.{told}\n\n"
                "[System reminder: Ask the user what to do instead, with two to four alternatives to choose from,"
                f" one of which leaves it out. Do not call '{name}' again for this.]"
            )
        case "reject_explain":
            return (
                f"User wants to have tool '{name}' explained.{told}\n\n"
                "[System reminder: Say in everyday words what this call would do, what it is needed for, and if it"
                f" can be undone; then ask the user how to go on. Do not call '{name}' again before they agree.]"
            )
        case _:
            rejection = f"User rejected tool '{name}'.{told}"
            _stop(agent.current_session, rejection)
            return rejection


def _stop(session: dict[str, Any], said: str) -> None:
    """Stop the agent until its user says something new."""
    session.update(dict.fromkeys(_FLAGS, said))
    session[_STOP] = {"turn": session.get("turn"), "said": said}


def _is_stopped(session: dict[str, Any]) -> bool:
    """True if a rejection stopped the present turn, by whatever plugin."""
    stop = session.get(_STOP)
    if stop is not None and stop["turn"] != session.get("turn"):
        del session[_STOP]
        for flag in _FLAGS:
            if session.get(flag) == stop["said"]:
                del session[flag]
    return any(flag in session for flag in _FLAGS)


# -- The log of an agent, which reads its lines as markup of Rich.

_LIKE_A_TAG = re.compile(r"(\\*)(\[[a-z#/@][^\[]*?\])")


def _log(agent: PluginAgent, line: str, style: str) -> None:
    if logger := getattr(agent, "logger", None):
        logger.print(_LIKE_A_TAG.sub(r"\1\1\\\2", reveal_line(line).text), style)
