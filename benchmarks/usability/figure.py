"""What came of measuring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.measuring import percentile


@dataclass(frozen=True)
class Figure:
    """What was measured.

    Attributes:
        text: The figure, in words.
        met: Whether it is as good as the target.
    """

    text: str
    met: bool


def at_most(name: str, value: float, limit: float, unit: str) -> Figure:
    """A figure that must not be greater than a limit."""
    return Figure(f"{name} {_short(value)} {unit}".rstrip(), value <= limit)


def at_least(name: str, value: float, limit: float, unit: str) -> Figure:
    """A figure that must not be smaller than a limit."""
    return Figure(f"{name} {_short(value)} {unit}".rstrip(), value >= limit)


def together(*figures: Figure) -> Figure:
    """Several figures as one: it is met when all are."""
    return Figure(", ".join(figure.text for figure in figures), all(figure.met for figure in figures))


def high_percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent stay below; never more than the greatest."""
    return min(percentile(values, percent), max(values)) if len(values) > 1 else values[0]


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
