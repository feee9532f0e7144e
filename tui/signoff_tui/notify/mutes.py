"""Whose notices are held back, and until when.

Nothing but notices is ever held back: every request is listed and counted as before. HIGH risk calls all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.canonical import parse_json
from signoff.queue.records import Risk, StoredRequest
from signoff_tui.state.persistence import put_text, read_bytes, state_file

__all__ = ["MUTE_US", "AgentName", "MuteFile", "Mutes"]

MUTE_US = 15 * 60 * 1_000_000
"""How long a mute lasts, in microseconds."""

MOST_AGENTS = 200
"""Agents that are kept; of more, those whose mute ends last."""

LARGEST_BYTES = 1_000_000
"""A larger file is none of ours."""

AgentName = tuple[str, str]
"""Name and session of an agent."""


class Mutes(Struct, frozen=True):
    """What is muted. All times are microseconds since the epoch.

    Attributes:
        everything: Until when everybody is muted; None if nobody said so.
        agents: Until when single agents are.
    """

    everything: int | None = None
    agents: Mapping[AgentName, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is muted."""
        return self.everything is not None or bool(self.agents)

    def at(self, now: int) -> Mutes:
        """What of it holds at a time. An end that is too far away was set by another clock: it does not count."""
        everything = self.everything if _holds(self.everything, now) else None
        return Mutes(everything, {name: until for name, until in self.agents.items() if _holds(until, now)})

    def next_end(self) -> int | None:
        """When the first of them ends."""
        ends = [*self.agents.values(), *(() if self.everything is None else (self.everything,))]
        return min(ends, default=None)

    def silences(self, request: StoredRequest) -> bool:
        """Whether a request is no reason to call."""
        if request.submission.risk is Risk.HIGH:
            return False
        return self.everything is not None or (request.asked_by.name, request.asked_by.session) in self.agents

    def turned(self, agent: AgentName | None, now: int) -> Mutes:
        """The same with one of them muted from now on, or, if it was, not any more.

        Args:
            agent: Which agent; None for everything.
            now: The time.
        """
        if agent is None:
            return replace(self, everything=now + MUTE_US if self.everything is None else None)
        others = {name: until for name, until in self.agents.items() if name != agent}
        return replace(self, agents=others if agent in self.agents else {**others, agent: now + MUTE_US})


def _holds(until: int | None, now: int) -> bool:
    return until is not None and now < until <= now + MUTE_US


class MuteFile:
    """The file in which the mutes of one queue are kept, so that a restart does not forget them.

    Args:
        place: Where the queue is, as nobody else's.
        folder: Where the files lie; the person's state directory if it is left out.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self.path = state_file("mutes", place, folder)
        """Where it lies, whether it is there or not."""

    def load(self) -> Mutes:
        """What is muted; nothing if that cannot be read."""
        try:
            return _read(parse_json(read_bytes(self.path, most=LARGEST_BYTES)))
        except (OSError, ValueError):
            return Mutes()

    def save(self, mutes: Mutes) -> bool:
        """Keep what is muted; returns whether that was possible."""
        kept = sorted(mutes.agents.items(), key=lambda each: each[1])[-MOST_AGENTS:]
        found = {"everything": mutes.everything, "agents": [[*name, until] for name, until in kept]}
        try:
            put_text(self.path, json.dumps(found) + "\n")
        except OSError:
            return False
        return True


def _read(found: Any) -> Mutes:
    """The mutes that were written.

    Raises:
        ValueError: It is not what is written here.
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
