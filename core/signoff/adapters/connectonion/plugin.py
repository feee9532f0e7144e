"""The plugin by which an agent asks the client at the other end of `agent.io` before dangerous tools run.

Messages, session data and log lines are those of the document of ConnectOnion's tool approval.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from signoff.canonical import canonical
from signoff.policy.tool_rules import ToolClass, class_of
from signoff.present.reveal import reveal_line

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


class Agent(Protocol):
    """The parts of an agent that the plugin uses."""

    io: Any
    current_session: dict[str, Any]
    logger: Any


Handler = Callable[[Agent], None]

Unknown = Literal["safe", "ask"]
Headless = Literal["run", "deny"]

_REJECTED = "tool_rejected_hard"
_FLAGS = (_REJECTED, "stop_signal")
"""Keys of the session that stop an agent: that of the document, and that of later versions of ConnectOnion."""

_STOP = "signoff_stop"
"""Key of the session for the last stop of this plugin, since each version takes away only its own flag."""


def approval_plugin(*, unknown: Unknown = "safe", headless: Headless = "run") -> list[Handler]:
    """Make a plugin for `Agent(plugins=[...])`: dangerous tools run only if the client approves.

    Safe are the names in `SAFE_TOOLS`, dangerous those in `DANGEROUS_TOOLS` of `signoff.policy.tool_rules`.

    Put it last in the list of plugins: a handler behind it could change a call that was approved.

    Args:
        unknown: ``"safe"``: tools with other names run, as the document has it. ``"ask"``: they are asked about.
        headless: ``"run"``: without `agent.io` all tools run, as the document has it. ``"deny"``: what would have
            to be asked about does not run.

    Raises:
        ValueError: A setting is unknown.
    """
    if unknown not in ("safe", "ask"):
        raise ValueError(f'unknown must be "safe" or "ask", not {unknown!r}')
    if headless not in ("run", "deny"):
        raise ValueError(f'headless must be "run" or "deny", not {headless!r}')

    @before_each_tool
    def check_approval(agent: Agent) -> None:
        """Let the pending call of an agent pass, or say why it must not run.

        Raises:
            ValueError: It was not approved; the message is for the model.
        """
        session = agent.current_session
        if _is_stopped(session):
            raise ValueError("Not run: the user rejected this batch of tool calls and wants to say how to go on.")
        if agent.io is None and headless == "run":
            return
        call = session.get("pending_tool")
        if not call:
            raise ValueError("Not run: nothing is known of the call that would run.")
        name = call["name"]
        if not _needs_approval(name, unknown):
            return
        if session.get("approval", {}).get("approved_tools", {}).get(name) == "session":
            _log(agent, f"⏭ {name} (session-approved)", "dim")
            return
        if agent.io is None:
            raise ValueError(f"Tool '{name}' was not run: it needs approval, and nobody is connected to ask.")
        _ask(agent, name, call)

    return [check_approval]


tool_approval = approval_plugin()
"""The plugin as the document describes it."""


def _needs_approval(name: str, unknown: Unknown) -> bool:
    match class_of(name):
        case ToolClass.SAFE:
            return False
        case ToolClass.DANGEROUS:
            return True
        case ToolClass.UNKNOWN:
            return unknown == "ask"


# -- Asking.


def _ask(agent: Agent, name: str, call: Mapping[str, Any]) -> None:
    """Ask the client about a call and wait for its answer.

    Raises:
        ValueError: The call was not approved, or its arguments are not JSON.
    """
    arguments = call["arguments"]
    asked = canonical(arguments)
    message = {"type": "approval_needed", "tool": name, "arguments": copy.deepcopy(arguments)}
    if remaining := _batch_remaining(agent.current_session, call.get("id")):
        message["batch_remaining"] = remaining
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


def _rejected(agent: Agent, name: str, answer: Mapping[str, Any]) -> str:
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


def _log(agent: Agent, line: str, style: str) -> None:
    if logger := getattr(agent, "logger", None):
        logger.print(_LIKE_A_TAG.sub(r"\1\1\\\2", reveal_line(line).text), style)
