"""What policy says of a tool call before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Level", "PartVerdict", "Verdict", "strictest"]


class Level(IntEnum):
    """A verdict's strictness: of several, the greatest holds."""

    ALLOW = 0
    """It runs without a question."""
    ASK = 1
    """It runs once it was approved."""
    BLOCK = 2
    """It does not run."""

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """What policy says of one part of a call, such as one of the commands in a line.

    Attributes:
        text: The part, in words for people.
        level: What is said of it.
        rule: The rule that said so, or ``default``.
        reasons: Why it is stricter than its rule, if it is.
    """

    text: str
    level: Level
    rule: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What policy says of a call.

    Attributes:
        level: Allow, ask or block.
        rule: The rule that decided, or ``default``; empty if no rule did but a reason.
        reasons: Why it was not left at what the rules say.
        parts: What was said of each part.
    """

    level: Level
    rule: str = ""
    reasons: tuple[str, ...] = ()
    parts: tuple[PartVerdict, ...] = ()


def strictest(levels: Iterable[Level], at_least: Level = Level.ALLOW) -> Level:
    """The greatest of some levels.

    Args:
        levels: Any number of them.
        at_least: What holds without any.
    """
    return max(levels, default=at_least) if at_least is Level.ALLOW else max((*levels, at_least))
