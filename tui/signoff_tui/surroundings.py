"""What the first line of the review says where there is room: what is remembered and trusted, and who is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from signoff.queue.records import AgentRecord
from signoff_tui.lines import Chunk, chunk

__all__ = ["NOTHING_BESIDES", "Surroundings", "memory_word", "names_of_agents", "rules_word"]


class Surroundings(Struct, frozen=True):
    """What is there besides requests.

    Attributes:
        remembered: How many remembered approvals are in force.
        rule_files: How many rule files are trusted.
        agents: Names of the agents that are connected, first come first.
    """

    remembered: int = 0
    rule_files: int = 0
    agents: tuple[str, ...] = ()


NOTHING_BESIDES = Surroundings()
"""Nothing is known of it, or it does not matter."""


def names_of_agents(records: Iterable[AgentRecord]) -> tuple[str, ...]:
    """The names of who is connected, each once."""
    return tuple(dict.fromkeys(record.name for record in records))


def memory_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """How much runs without being asked about, because somebody said so once; nothing if nothing does."""
    number = surroundings.remembered
    return (chunk(f" memory {number} ", "bar-muted", keep=True),) if number else ()


def rules_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """How many rule files are trusted; nothing if none is."""
    number = surroundings.rule_files
    files = "file" if number == 1 else "files"
    return (chunk(f" rules {number} {files} ", "bar-muted", keep=True),) if number else ()
