"""The verdict of policy on a tool call, before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from signoff.effects import Risk

__all__ = [
    "DOES",
    "RISK_WORD",
    "Level",
    "PartVerdict",
    "Verdict",
    "floors_of",
    "reason_words",
    "strictest",
    "why",
]


class Level(IntEnum):
    """The strictness of a verdict: of several, the greatest holds."""

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
    """The verdict on one part of a call, such as one of the commands in a line.

    Attributes:
        text: The part, in words for people.
        level: Its verdict.
        rule: The rule that decided, or ``default``.
        reasons: Reasons why it is stricter than its rule, if it is.
    """

    text: str
    level: Level
    rule: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a call.

    Attributes:
        level: Allow, ask or block.
        rule: The rule that decided, or ``default``; empty if no rule did but a reason.
        reasons: Reasons why it is stricter than the rules.
        parts: The verdict on each part.
    """

    level: Level
    rule: str = ""
    reasons: tuple[str, ...] = ()
    parts: tuple[PartVerdict, ...] = ()


def strictest(levels: Iterable[Level], at_least: Level = Level.ALLOW) -> Level:
    """Return the greatest of some levels.

    Args:
        levels: Any number of them.
        at_least: The level without any.
    """
    return max(levels, default=at_least) if at_least is Level.ALLOW else max((*levels, at_least))


# -- A verdict in words for people. Names of rules and reasons are raw here, not yet safe to show.

DOES = {Level.ALLOW: "runs", Level.ASK: "asks", Level.BLOCK: "blocked"}
"""The effect of a level on a call, as one word."""

RISK_WORD = {Risk.LOW: "low", Risk.MEDIUM: "med", Risk.HIGH: "HIGH"}
"""The word for a risk; only HIGH is in capitals."""

_MOST_REASONS = 2


def floors_of(verdict: Verdict) -> tuple[str, ...]:
    """The reasons that are about the call as a whole, not about one of its parts."""
    of_parts = {reason for part in verdict.parts for reason in part.reasons}
    return tuple(reason for reason in verdict.reasons if reason not in of_parts)


def why(verdict: Verdict) -> str:
    """The reason for a verdict: a rule, or a reason to ask in any case."""
    deciding = [part for part in verdict.parts if part.level is verdict.level]
    by_rule = next((part for part in deciding if not part.reasons), None)
    if by_rule is not None:
        return _rule(by_rule.rule)
    reasons = [*floors_of(verdict), *(reason for part in deciding for reason in part.reasons)]
    return reason_words(reasons) or _rule(verdict.rule)


def reason_words(reasons: Iterable[str]) -> str:
    """The first of some reasons, with the number of the others."""
    said = list(dict.fromkeys(reasons))
    more = f"; and {len(said) - _MOST_REASONS} more" if len(said) > _MOST_REASONS else ""
    return "; ".join(said[:_MOST_REASONS]) + more


def _rule(rule: str) -> str:
    if rule in {"", "default"}:
        return "default"
    return f"rule {rule}" if '"' in rule else f'rule "{rule}"'
