"""Conditions put together: and, or, not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from signoff.filtering.subjects import Subject
from signoff.filtering.values import Viewpoint

__all__ = ["Condition", "Test", "all_of", "any_of", "opposite"]

Test: TypeAlias = Callable[[Subject], bool]
"""Whether a subject is kept."""

Condition: TypeAlias = Callable[[Viewpoint], Test]
"""Makes the test for a moment and a place."""


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Keep what every condition keeps."""

    def together(view: Viewpoint) -> Test:
        tests = [condition(view) for condition in conditions]

        def test(subject: Subject) -> bool:
            for each in tests:  # noqa: SIM110 - a generator would cost more than most tests
                if not each(subject):
                    return False
            return True

        return test

    return together


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Keep what at least one condition keeps."""

    def either(view: Viewpoint) -> Test:
        tests = [condition(view) for condition in conditions]

        def test(subject: Subject) -> bool:
            for each in tests:  # noqa: SIM110 - a generator would cost more than most tests
                if each(subject):
                    return True
            return False

        return test

    return either


def opposite(condition: Condition) -> Condition:
    """Keep what a condition does not keep."""

    def contrary(view: Viewpoint) -> Test:
        test = condition(view)
        return lambda subject: not test(subject)

    return contrary
