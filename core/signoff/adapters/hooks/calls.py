"""The call that an agent's hook is asked about, and the answer to it.

It loads neither models nor the queue: most calls only read, and are answered with nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Protocol

if TYPE_CHECKING:
    from signoff.adapters.hooks.installation import HookPlace, PluginPlace
    from signoff.effects import Effect
    from signoff.types import ApprovalDecision

__all__ = [
    "NO_OPINION",
    "REFUSED",
    "Dialect",
    "EventError",
    "HookCall",
    "Reply",
    "directory_of",
    "event_name",
    "mcp_name",
    "object_of",
    "parsed_event",
    "sub_agent_name",
    "text_of",
]

REFUSED = 2
"""The exit code that every agent with hooks takes for a no, whatever was printed."""


class EventError(ValueError):
    """An event cannot be understood, so the call must not run; the message says why."""


class Reply(NamedTuple):
    """The answer to an event.

    Attributes:
        exit_code: 0 for an answer on standard output; `REFUSED`, or another that the agent knows for a no.
        answer: The object for standard output; None for nothing at all.
        reason: The text for standard error, which agents hand to the model with a refusal; "" for none.
    """

    exit_code: int
    answer: Mapping[str, Any] | None = None
    reason: str = ""

    @property
    def line(self) -> str:
        """The line for standard output, in ASCII, so that no encoding can fail; "" for nothing."""
        return "" if self.answer is None else json.dumps(self.answer) + "\n"


NO_OPINION = Reply(0)
"""The agent does as its own rules say."""


class HookCall(NamedTuple):
    """A call that an agent is about to make.

    Attributes:
        event: Name of the event that the hook was run for.
        tool: Name of the tool, without that of its server.
        server: The MCP server of the tool; None for a tool of the agent itself.
        arguments: The arguments, as the agent would use them.
        session: Identity of the conversation.
        cwd: Absolute working directory.
        call_id: The agent's id of the call; "" if it has none.
        sub_agent: Name of the sub-agent that makes the call, see `sub_agent_name`; "" for the agent itself.
        transcript: The file in which the agent writes down the conversation; "" if there is none.
        recorded_in: The file in which it writes down this call; "" if there is none.
        project: The directory that the agent was started in; "" if that is not known.
        subject: The words with which a person began the conversation; "" if they are not known.
        lacks: What cannot be done about this call besides what its agent lacks.
    """

    event: str
    tool: str
    server: str | None
    arguments: dict[str, Any]
    session: str
    cwd: str
    call_id: str = ""
    sub_agent: str = ""
    transcript: str = ""
    recorded_in: str = ""
    project: str = ""
    subject: str = ""
    lacks: frozenset[Literal["session"]] = frozenset()


class Dialect(Protocol):
    """One agent: its events, the effects of its tools, and its answers."""

    @property
    def title(self) -> str:
        """The agent's name for people."""
        ...

    @property
    def place(self) -> HookPlace | PluginPlace:
        """The place of the hook in the agent's settings."""
        ...

    def why_unused(self) -> str | None:
        """Return why the agent does not run the hook that is installed; "" if it does, None if it cannot tell."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds after which the agent no longer waits, if its settings are those that the guide names."""
        ...

    @property
    def honors(self) -> frozenset[str]:
        """As in `signoff.types.ApprovalRequest`."""
        ...

    @property
    def lacks(self) -> frozenset[Literal["hard"]]:
        """As in `signoff.types.ApprovalContext`."""
        ...

    @property
    def unasked(self) -> Reply:
        """The answer for a call that nobody is asked about."""
        ...

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: The event is not one of this dialect.
        """
        ...

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event that a person is asked about: a call that does nothing.

        Args:
            cwd: The working directory that it names.
        """
        ...

    def effects(self, call: HookCall) -> Sequence[Effect]:
        """Return what a call would do to files, and the command that it would run.

        Raises:
            SnapshotError: That cannot be worked out; the message says why.
        """
        ...

    def arguments(self, call: HookCall) -> dict[str, Any]:
        """Return the arguments of a call, without a text that its effects show as the diffs of files."""
        ...

    def payload(self, call: HookCall) -> dict[str, Any]:
        """Return what an approval for the session has to find again, see `signoff.types.ApprovalRequest`."""
        ...

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the agent does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        ...

    def subject(self, call: HookCall) -> str:
        """Return what a conversation is about, in words that stay as long as it lasts; "" if that is not known."""
        ...

    def turn(self, call: HookCall) -> dict[str, Any]:
        """Return the metadata of the call that tell of its turn, see `signoff.types.ApprovalContext`."""
        ...

    def answered_elsewhere(self, call: HookCall) -> Callable[[], str]:
        """Return a check that tells where else a call was answered since now, in words; "" while it waits."""
        ...

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run.

        Args:
            call: The call.
            note: Words for the model; "" for none.
            arguments: What it runs with in place of its own arguments; None for these.
        """
        ...

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running.

        Args:
            call: The call; None if the event was not understood.
            reason: Words for the model.
            hard: True if the agent shall end its turn.
        """
        ...


def parsed_event(data: bytes) -> Mapping[str, Any]:
    """Read an event as its agent wrote it.

    Raises:
        EventError: It is not one JSON object in UTF-8, or two readers may take it for two things: a key is there
            twice, or a text holds half a character.
    """

    def plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise EventError("the event has a key twice")
        return found

    def refuse(constant: str) -> NoReturn:
        raise EventError(f"the event has {constant}, which is not JSON")

    try:
        event = json.loads(data.decode("utf-8"), object_pairs_hook=plain, parse_constant=refuse)
        json.dumps(event, ensure_ascii=False).encode("utf-8")
    except EventError:
        raise
    except UnicodeEncodeError:
        raise EventError("the event has a text that is not Unicode") from None
    except (ValueError, RecursionError) as error:
        raise EventError(f"the event on standard input is not JSON: {error}") from error
    if not isinstance(event, dict):
        raise EventError("the event on standard input is not a JSON object")
    return event


def event_name(event: Mapping[str, Any], *names: str, key: str = "hook_event_name") -> str:
    """Return the name of an event.

    Args:
        event: The event.
        names: Those that the hook is for.
        key: The key that has it.

    Raises:
        EventError: It is missing, or another.
    """
    name = text_of(event, key)
    if name not in names:
        raise EventError(f"this hook is for {' and '.join(names)}, not for {name}")
    return name


def text_of(event: Mapping[str, Any], key: str, *, optional: bool = False) -> str:
    """Return a text of an event; "" for an optional one that is not there.

    Raises:
        EventError: It is missing, empty, or no text.
    """
    value = event.get(key)
    if optional and value is None:
        return ""
    if not isinstance(value, str) or not (value or optional):
        raise EventError(f"the event has no text {key}")
    return value


def object_of(event: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return an object of an event.

    Raises:
        EventError: It is missing, or something else.
    """
    value = event.get(key)
    if not isinstance(value, dict):
        raise EventError(f"the event has no object {key}")
    return value


def directory_of(event: Mapping[str, Any], key: str = "cwd") -> str:
    """Return the working directory of an event.

    Raises:
        EventError: It is missing, or not absolute.
    """
    cwd = text_of(event, key)
    if not os.path.isabs(cwd):  # noqa: PTH117 - text is what is stored and compared
        raise EventError("the event names no absolute working directory")
    return cwd


_TELLS_APART = 6


def sub_agent_name(event: Mapping[str, Any]) -> str:
    """Return the name of the sub-agent that an event comes from; "" for the agent itself: ``Explore a63678``.

    Its kind comes first, then the beginning of its id: an agent may run several of one kind.

    Raises:
        EventError: ``agent_type`` or ``agent_id`` is no text.
    """
    kind, ident = text_of(event, "agent_type", optional=True), text_of(event, "agent_id", optional=True)
    return " ".join(filter(None, (kind, ident[:_TELLS_APART])))


_MCP = "mcp__"


def mcp_name(tool: str) -> tuple[str | None, str]:
    """Return the server and the name of a tool: ``mcp__files__read`` is ``read`` of ``files``.

    Where it may be cut in two places it stays whole: two tools must never have one name.
    """
    server, _, name = tool.removeprefix(_MCP).partition("__") if tool.startswith(_MCP) else ("", "", "")
    return (server, name) if server and name and "__" not in name else (None, tool)
