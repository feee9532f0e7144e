"""What a target is, and what came of measuring it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.usability.bench import Bench
from benchmarks.usability.figure import Figure
from benchmarks.usability.told import told

Measure = Callable[[Bench], Figure]


@dataclass(frozen=True)
class Target:
    """Something that must be so.

    Attributes:
        id: ``UT-`` and a number.
        what: What is measured.
        limit: How good it has to be, in words.
        tests: Tests that tell it, from the root of the project.
        measures: Functions that measure it.
    """

    id: str
    what: str
    limit: str
    tests: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    target: Target
    figure: str
    met: bool
    seconds: float


def measured(target: Target, bench: Bench) -> Row:
    """Measure a target. A measurement that breaks off misses it."""
    begin = time.monotonic()
    figures = [
        *([told(*target.tests)] if target.tests else []),
        *(_taken(each, bench) for each in target.measures),
    ]
    return Row(
        target,
        "; ".join(figure.text for figure in figures),
        all(figure.met for figure in figures),
        time.monotonic() - begin,
    )


def _taken(measure: Measure, bench: Bench) -> Figure:
    try:
        return measure(bench)
    except Exception as error:  # noqa: BLE001 - the other targets are measured all the same
        traceback.print_exc()
        return Figure(f"broke off: {type(error).__name__}", met=False)
