"""A filter, ready to be used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from signoff.filtering.combining import Condition, Test, all_of, any_of, opposite
from signoff.filtering.conditions import condition_of, text_condition
from signoff.filtering.fields import Filtered
from signoff.filtering.parsing import parse_expression
from signoff.filtering.subjects import Subject
from signoff.filtering.syntax import All, AnyOf, Expression, Not, Pair, Text
from signoff.filtering.values import Viewpoint, moment_of

__all__ = ["Query", "parse"]


@dataclass(frozen=True, slots=True)
class Query:
    """A filter that was read without an error.

    Attributes:
        text: As it was written.
        filtered: What it filters.
        expression: What it says, or None if it keeps everything.
        moves: Whether the passing of time alone changes what it keeps.
    """

    text: str
    filtered: Filtered
    expression: Expression | None
    moves: bool = field(compare=False)
    _condition: Condition = field(repr=False, compare=False)

    def test(self, view: Viewpoint) -> Test:
        """Return what tells whether a subject is kept; make it once and use it for many.

        Args:
            view: When, where and by whom it is asked.
        """
        return self._condition(view)

    def matches(self, subject: Subject, view: Viewpoint) -> bool:
        """Whether one subject is kept."""
        return self._condition(view)(subject)

    def keep(self, subjects: Iterable[Subject], view: Viewpoint) -> list[Subject]:
        """The subjects that are kept, in their order."""
        return [*filter(self._condition(view), subjects)]


def parse(text: str, filtered: Filtered) -> Query:
    """Read a filter.

    Args:
        text: The filter; an empty one keeps everything.
        filtered: What it is to filter.

    Raises:
        FilterError: It cannot be used: it says where, and what to write instead.
    """
    expression = parse_expression(text, filtered)
    if expression is None:
        return Query(text, filtered, None, moves=False, _condition=lambda _: lambda _: True)
    condition = _condition_of(expression, filtered)  # finds what is wrong with the values
    return Query(text, filtered, expression, _moves(expression), condition)


def _condition_of(expression: Expression, filtered: Filtered) -> Condition:
    match expression:
        case Text():
            return text_condition(expression)
        case Pair():
            return condition_of(expression, filtered)
        case Not(inner):
            return opposite(_condition_of(inner, filtered))
        case All(parts):
            return all_of([_condition_of(part, filtered) for part in parts])
        case AnyOf(parts):
            return any_of([_condition_of(part, filtered) for part in parts])


def _moves(expression: Expression) -> bool:
    match expression:
        case Not(inner):
            return _moves(inner)
        case All(parts) | AnyOf(parts):
            return any(map(_moves, parts))
        case Pair(name="age"):
            return True
        case Pair(name="since" | "until" | "on", values=values):
            return any(moment_of(value.text).day is None for value in values)
    return False
