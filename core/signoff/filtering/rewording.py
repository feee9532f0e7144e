"""Changes a filter without typing: another range, only one agent."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from signoff.filtering.completion import as_value
from signoff.filtering.fields import FIELDS
from signoff.filtering.query import Query
from signoff.filtering.syntax import All, AnyOf, Expression, Operator, Pair, written
from signoff.present.reveal.escape import typeable

__all__ = ["asked_of", "exactly", "only", "reworded"]


def exactly(name: str, value: str) -> str:
    """A pair that asks for one value of a field, as it would be typed.

    What cannot be seen is never put into a filter: a wildcard stands for it.

    Args:
        name: The field, one that takes names.
        value: What it must be.
    """
    if not value:
        return f"{name}:{Operator.PATTERN}^$"  # there are no empty values
    operator = Operator.EQUAL if typeable(value) == value else Operator.FITS
    return f"{name}:{operator}{as_value(value, operator, FIELDS[name])}"


def asked_of(query: Query, name: str) -> tuple[Pair, ...]:
    """What a filter asks of a field, of all that it keeps."""
    return tuple(part for part in _parts(query.expression) if isinstance(part, Pair) and part.name == name)


def only(query: Query, name: str, value: str | None) -> str | None:
    """Write a filter that keeps one value of a field, or any of them if it asks for some already.

    Args:
        query: The filter as it is.
        name: The field, one that takes names.
        value: The one to keep; None if there is none to take.

    Returns:
        The filter, or None if a value is needed.
    """
    if asked_of(query, name):
        return reworded(query, without=(name,))
    return None if value is None else reworded(query, more=[exactly(name, value)])


def reworded(query: Query, *, without: Collection[str] = (), more: Sequence[str] = ()) -> str:
    """Write a filter that asks something else.

    Args:
        query: The filter as it is.
        without: Fields of which it does not ask any more.
        more: Pairs of which it asks besides.
    """
    kept = [part for part in _parts(query.expression) if not (isinstance(part, Pair) and part.name in without)]
    alone = len(kept) + len(more) == 1
    words = [f"({written(part)})" if isinstance(part, AnyOf) and not alone else written(part) for part in kept]
    return " ".join([*words, *more])


def _parts(expression: Expression | None) -> Sequence[Expression]:
    if expression is None:
        return ()
    return expression.parts if isinstance(expression, All) else (expression,)
