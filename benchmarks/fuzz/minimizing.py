"""Makes a case that goes wrong as small as it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.fuzz.jail import Jail
from benchmarks.fuzz.judged import Case, Failure, examine

__all__ = ["minimized"]

_MOST_TRIES = 600


def minimized(failure: Failure, jail: Jail) -> Failure:
    """A case with less text and fewer rules that goes wrong in the same way.

    Args:
        failure: What was found.
        jail: Where commands run.
    """
    tries = 0

    def still(case: Case) -> Failure | None:
        nonlocal tries
        tries += 1
        found = examine(case, jail).failure
        return found if found is not None and found.kind is failure.kind else None

    smaller: Failure | None = failure
    while smaller is not None and tries < _MOST_TRIES:
        failure = smaller
        smaller = _first(still, _smaller(failure.case))
    return failure


def _first(still: Callable[[Case], Failure | None], cases: Iterator[Case]) -> Failure | None:
    return next((found for case in cases if (found := still(case)) is not None), None)


def _smaller(case: Case) -> Iterator[Case]:
    """The case without some of its rules and without some of its text, large pieces first."""
    for begin, end in _pieces(len(case.rules)):
        yield replace(case, rules=case.rules[:begin] + case.rules[end:])
    for begin, end in _pieces(len(case.text)):
        yield replace(case, text=case.text[:begin] + case.text[end:])


def _pieces(length: int) -> Iterator[tuple[int, int]]:
    size = (length + 1) // 2
    while size:
        for begin in range(0, length - size + 1, max(1, size // 2)):
            yield begin, begin + size
        size //= 2
