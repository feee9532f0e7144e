"""Verdicts in words for people, and as the JSON objects of the verbs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from signoff.policy.verdict import reason_words
from signoff.policy.verdict import why as why_decided
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.policy.verdict import PartVerdict, Verdict

__all__ = ["reason_line", "verdict_facts", "why"]


def verdict_facts(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON: ``verdict``, ``rule``, ``reasons`` and ``parts``."""
    return {
        "verdict": str(verdict.level),
        "rule": verdict.rule,
        "reasons": list(verdict.reasons),
        "parts": [_part_facts(part) for part in verdict.parts],
    }


def why(verdict: Verdict) -> str:
    """Return the reason for a verdict, on one line that is safe to print."""
    return one_line(why_decided(verdict))


def reason_line(reasons: Iterable[str]) -> str:
    """Return the first of some reasons, on one line that is safe to print, with the number of the others."""
    return one_line(reason_words(reasons))


def _part_facts(part: PartVerdict) -> dict[str, Any]:
    return {
        "text": part.text,
        "verdict": str(part.level),
        "rule": part.rule,
        "reasons": list(part.reasons),
    }
