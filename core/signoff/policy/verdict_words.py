"""A verdict in words for people. Names of rules and reasons are as they were written, not yet safe to show."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.policy.verdict import Level, Verdict
from signoff.queue.records import Risk

__all__ = ["DOES", "RISK_WORD", "floors_of", "reason_words", "why"]

DOES = {Level.ALLOW: "runs", Level.ASK: "asks", Level.BLOCK: "blocked"}
"""What becomes of a call."""

RISK_WORD = {Risk.LOW: "low", Risk.MEDIUM: "med", Risk.HIGH: "HIGH"}
"""A risk as people read it; only HIGH is in capitals."""

_MOST_REASONS = 2


def floors_of(verdict: Verdict) -> tuple[str, ...]:
    """The reasons that are about the call as a whole, not about one of its parts."""
    of_parts = {reason for part in verdict.parts for reason in part.reasons}
    return tuple(reason for reason in verdict.reasons if reason not in of_parts)


def why(verdict: Verdict) -> str:
    """What decided: a rule, or what is asked about whatever the rules say."""
    deciding = [part for part in verdict.parts if part.level is verdict.level]
    by_rule = next((part for part in deciding if not part.reasons), None)
    if by_rule is not None:
        return _rule(by_rule.rule)
    reasons = [*floors_of(verdict), *(reason for part in deciding for reason in part.reasons)]
    return reason_words(reasons) or _rule(verdict.rule)


def reason_words(reasons: Iterable[str]) -> str:
    """The first of some reasons; how many more there are is told."""
    said = list(dict.fromkeys(reasons))
    more = f"; and {len(said) - _MOST_REASONS} more" if len(said) > _MOST_REASONS else ""
    return "; ".join(said[:_MOST_REASONS]) + more


def _rule(rule: str) -> str:
    if rule in {"", "default"}:
        return "default"
    return f"rule {rule}" if '"' in rule else f'rule "{rule}"'
