"""Which of the agents that are there ask nobody: they say so of themselves, and no decision depends on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from signoff.queue.records import AgentMode, AgentRecord

__all__ = ["ALL_ASK", "Modes", "loudest", "modes_of"]

_LOUDEST_FIRST = (AgentMode.APPROVE_ALL, AgentMode.STRICT, None, AgentMode.INTERACTIVE)


@dataclass(frozen=True, slots=True)
class Modes:
    """The agents that are there and ask nobody; nothing at all if there are none.

    Attributes:
        approving: Names of those that approve everything.
        refusing: Names of those that refuse everything.
        connected: How many agents are there, with those that ask.
    """

    approving: tuple[str, ...] = ()
    refusing: tuple[str, ...] = ()
    connected: int = 0


ALL_ASK = Modes()
"""Every agent that is there asks."""


def modes_of(records: Iterable[AgentRecord]) -> Modes:
    """The modes of connections that are there. Several of one name and session are one agent."""
    found: dict[tuple[str, str], list[AgentMode | None]] = {}
    for record in records:
        found.setdefault((record.name, record.session), []).append(record.mode)
    loud = {key: loudest(modes) for key, modes in found.items()}
    approving, refusing = (
        tuple(name for (name, _), mode in loud.items() if mode is wanted)
        for wanted in (AgentMode.APPROVE_ALL, AgentMode.STRICT)
    )
    return Modes(approving, refusing, len(found)) if approving or refusing else ALL_ASK


def loudest(modes: Iterable[AgentMode | None]) -> AgentMode | None:
    """The one of several modes that a person must know of most; None stands for one that is not known."""
    there = set(modes)
    return next((mode for mode in _LOUDEST_FIRST if mode in there), None)
