"""Verdicts in words for people, and as the JSON objects that the verbs promise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from signoff.cli.output import one_line
from signoff.policy.verdict import Level

if TYPE_CHECKING:
    from signoff.policy.verdict import PartVerdict, Verdict

__all__ = ["DOES", "floors_of", "reason_line", "verdict_facts", "why"]

DOES = {Level.ALLOW: "runs", Level.ASK: "asks", Level.BLOCK: "blocked"}
"""What becomes of a call."""

_MOST_REASONS = 2


def verdict_facts(verdict: Verdict) -> dict[str, Any]:
    """Describe a verdict as JSON: ``verdict``, ``rule``, ``reasons`` and ``parts``."""
    return {
        "verdict": str(verdict.level),
        "rule": verdict.rule,
        "reasons": list(verdict.reasons),
        "parts": [_part_facts(part) for part in verdict.parts],
    }


def floors_of(verdict: Verdict) -> tuple[str, ...]:
    """The reasons that are about the call as a whole, not about one of its parts."""
    of_parts = {reason for part in verdict.parts for reason in part.reasons}
    return tuple(reason for reason in verdict.reasons if reason not in of_parts)


def why(verdict: Verdict) -> str:
    """What decided, on one line that is safe to print: a rule, or what is asked about whatever the rules say."""
    deciding = [part for part in verdict.parts if part.level is verdict.level]
    by_rule = next((part for part in deciding if not part.reasons), None)
    if by_rule is not None:
        return _rule(by_rule.rule)
    reasons = [*floors_of(verdict), *(reason for part in deciding for reason in part.reasons)]
    return reason_line(reasons) or _rule(verdict.rule)


def reason_line(reasons: Iterable[str]) -> str:
    """The first of some reasons, on one line that is safe to print; how many more there are is told."""
    said = list(dict.fromkeys(reasons))
    more = f"; and {len(said) - _MOST_REASONS} more" if len(said) > _MOST_REASONS else ""
    return one_line("; ".join(said[:_MOST_REASONS])) + more


def _rule(rule: str) -> str:
    if rule in {"", "default"}:
        return "default"
    return f"rule {one_line(rule)}" if '"' in rule else f'rule "{one_line(rule)}"'


def _part_facts(part: PartVerdict) -> dict[str, Any]:
    return {
        "text": part.text,
        "verdict": str(part.level),
        "rule": part.rule,
        "reasons": list(part.reasons),
    }
