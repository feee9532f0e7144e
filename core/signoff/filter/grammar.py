"""The syntax tree of a filter, its text, and the errors that point at their place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

__all__ = [
    "All",
    "AnyOf",
    "Expression",
    "FilterError",
    "Not",
    "Operator",
    "Pair",
    "Text",
    "Value",
    "nearest",
    "quote",
    "quoted",
    "written",
]


class Operator(StrEnum):
    """The comparison of a field with a value."""

    FITS = ""
    """The field's own way: a glob, a part of a text, a word."""
    MORE = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "="
    """Exactly this: upper and lower case count, nothing is a wildcard."""
    PATTERN = "~"
    """A regular expression of RE2."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a field.

    Attributes:
        text: Without its quotes.
        literal: True if it was in quotes: nothing in it is a wildcard or a word of the field.
        column: Its place in the filter.
    """

    text: str
    literal: bool = False
    column: int = field(default=0, compare=False)


class Text(Struct, frozen=True):
    """Text to be found anywhere in a row."""

    value: Value


@dataclass(frozen=True, slots=True)
class Pair:
    """A field and its values: any of them fits.

    Attributes:
        name: Name of the field, in lower case.
        operator: The comparison.
        values: At least one.
        column: The place of the field in the filter.
    """

    name: str
    operator: Operator
    values: tuple[Value, ...]
    column: int = field(default=0, compare=False)


class Not(Struct, frozen=True):
    """The negation of the inner expression."""

    inner: Expression


class All(Struct, frozen=True):
    """The conjunction of at least two parts."""

    parts: tuple[Expression, ...]


class AnyOf(Struct, frozen=True):
    """The disjunction of at least two parts."""

    parts: tuple[Expression, ...]


Expression: TypeAlias = Text | Pair | Not | All | AnyOf


def quote(text: str) -> str:
    """Put text in quotes; a quote in it is doubled."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def written(expression: Expression) -> str:
    """Write an expression so that parsing it gives the same expression."""
    match expression:
        case Text(value):
            return _value(value)
        case Pair(name, operator, values):
            return f"{name}:{operator}{','.join(map(_value, values))}"
        case Not(inner):
            return f"-({written(inner)})" if isinstance(inner, Not) else f"-{_enclosed(inner)}"
        case All(parts):
            return " ".join(map(_enclosed, parts))
        case AnyOf(parts):
            return " | ".join(_enclosed(part) if isinstance(part, AnyOf) else written(part) for part in parts)


def _enclosed(expression: Expression) -> str:
    inner = written(expression)
    return f"({inner})" if isinstance(expression, All | AnyOf) else inner


def _value(value: Value) -> str:
    return quote(value.text) if value.literal else value.text


# -- The error of a filter that cannot be used.

_LONGEST_SHOWN = 40


class FilterError(ValueError):
    """A filter cannot be used. A list then keeps the last good one.

    Args:
        column: The number of characters before the place, from 0 to the length of the text.
        message: The fault, and what to write instead.
    """

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message


def quoted(text: str) -> str:
    """Return words of a filter in quotes, short, and without invisible characters."""
    short = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
    return repr(short)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, or None."""
    found = get_close_matches(word.lower(), [*known], 1)
    return found[0] if found else None
