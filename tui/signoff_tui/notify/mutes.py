"""Mutes: notices held back for some agents or all, until some time.

Only notices are held back: every request is listed and counted as before. HIGH risk always calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.canonical import parse_json
from signoff.effects import Risk
from signoff.queue.records import StoredRequest
from signoff_tui.state.persistence import put_text, read_bytes, state_file

__all__ = ["MUTE_US", "AgentName", "MuteFile", "Mutes"]

MUTE_US = 15 * 60 * 1_000_000
"""The length of a mute, in microseconds."""

MOST_AGENTS = 200
"""The most agents that are kept; beyond them, those whose mute ends last."""

LARGEST_BYTES = 1_000_000
"""The largest size of the file, in bytes; a larger one was not written by signoff."""

AgentName = tuple[str, str]
"""Name and session of an agent."""


class Mutes(Struct, frozen=True):
    """The mutes in force. All times are microseconds since the epoch.

    Attributes:
        everything: End of the mute of everybody; None if there is none.
        agents: End of the mute of single agents.
    """

    everything: int | None = None
    agents: Mapping[AgentName, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """True if anything is muted."""
        return self.everything is not None or bool(self.agents)

    def at(self, now: int) -> Mutes:
        """Return the mutes in force at a time. An end too far away was set by another clock, and is ignored."""
        everything = self.everything if _holds(self.everything, now) else None
        return Mutes(everything, {name: until for name, until in self.agents.items() if _holds(until, now)})

    def next_end(self) -> int | None:
        """Return the end of the first mute to end."""
        ends = [*self.agents.values(), *(() if self.everything is None else (self.everything,))]
        return min(ends, default=None)

    def silences(self, request: StoredRequest) -> bool:
        """True if a request is no reason to call."""
        if request.submission.risk is Risk.HIGH:
            return False
        return self.everything is not None or (request.asked_by.name, request.asked_by.session) in self.agents

    def turned(self, agent: AgentName | None, now: int) -> Mutes:
        """Return the mutes with one of them toggled.

        Args:
            agent: The agent; None for everything.
            now: The time.
        """
        if agent is None:
            return replace(self, everything=now + MUTE_US if self.everything is None else None)
        others = {name: until for name, until in self.agents.items() if name != agent}
        return replace(self, agents=others if agent in self.agents else {**others, agent: now + MUTE_US})


def _holds(until: int | None, now: int) -> bool:
    return until is not None and now < until <= now + MUTE_US


class MuteFile:
    """The file with the mutes of one queue, which survive a restart.

    Args:
        place: The unique place of the queue.
        folder: The folder of the files; the person's state directory if left out.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self.path = state_file("mutes", place, folder)
        """The path of the file, which need not exist."""

    def load(self) -> Mutes:
        """Return the saved mutes; none if the file cannot be read."""
        try:
            return _read(parse_json(read_bytes(self.path, most=LARGEST_BYTES)))
        except (OSError, ValueError):
            return Mutes()

    def save(self, mutes: Mutes) -> bool:
        """Save the mutes; True if that was possible."""
        kept = sorted(mutes.agents.items(), key=lambda each: each[1])[-MOST_AGENTS:]
        found = {"everything": mutes.everything, "agents": [[*name, until] for name, until in kept]}
        try:
            put_text(self.path, json.dumps(found) + "\n")
        except OSError:
            return False
        return True


def _read(found: Any) -> Mutes:
    """Read the saved mutes.

    Raises:
        ValueError: The file has another form.
    """
    if not isinstance(found, dict) or found.keys() != {"everything", "agents"}:
        raise ValueError("not what was muted")
    everything, agents = found["everything"], found["agents"]
    if not (everything is None or type(everything) is int) or not isinstance(agents, Sequence):
        raise ValueError("not what was muted")
    return Mutes(everything, dict(map(_agent, agents)))


def _agent(found: Any) -> tuple[AgentName, int]:
    match found:
        case [str(name), str(session), int(until)] if not isinstance(until, bool):
            return (name, session), until
        case _:
            raise ValueError("not what was muted")
