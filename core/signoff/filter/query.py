"""Filters, parsed and ready to use.

The syntax of a filter:

::

    query = all { "|" all }
    all   = item { item }
    item  = [ "-" ] ( "(" query ")" | pair | text )
    pair  = field ":" [ op ] value { "," value }
    op    = ">" | ">=" | "<" | "<=" | "=" | "~"
    text  = word | '"' { any } '"'

Values are words or quoted, too. Within quotes, two quotes stand for one. Items are separated by blanks, so that
nothing that looks like one item is ever read as two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from signoff.filter.evaluate import Condition, Test, all_of, any_of, condition_of, opposite, text_condition
from signoff.filter.fields import Filtered, Viewpoint, field_named, time_of
from signoff.filter.grammar import All, AnyOf, Expression, FilterError, Not, Operator, Pair, Text, Value
from signoff.filter.subjects import Subject

__all__ = [
    "LONGEST_FILTER",
    "SPECIAL",
    "Query",
    "parse",
    "parse_expression",
]


@dataclass(frozen=True, slots=True)
class Query:
    """A filter that was read without an error.

    Attributes:
        text: As it was written.
        filtered: The kind of things that it filters.
        expression: Its parsed form, or None if it keeps everything.
        moves: True if the passing of time alone changes what it keeps.
    """

    text: str
    filtered: Filtered
    expression: Expression | None
    moves: bool = field(compare=False)
    _condition: Condition = field(repr=False, compare=False)

    def test(self, view: Viewpoint) -> Test:
        """Return the test for subjects; make it once and use it for many.

        Args:
            view: The viewpoint of the filter.
        """
        return self._condition(view)

    def matches(self, subject: Subject, view: Viewpoint) -> bool:
        """True if one subject is kept."""
        return self._condition(view)(subject)

    def keep(self, subjects: Iterable[Subject], view: Viewpoint) -> list[Subject]:
        """Return the subjects that are kept, in their order."""
        return [*filter(self._condition(view), subjects)]


def parse(text: str, filtered: Filtered) -> Query:
    """Read a filter.

    Args:
        text: The filter; an empty one keeps everything.
        filtered: The kind of things that it filters.

    Raises:
        FilterError: The filter cannot be used: the error has the place, and what to write instead.
    """
    expression = parse_expression(text, filtered)
    if expression is None:
        return Query(text, filtered, None, moves=False, _condition=lambda _: lambda _: True)
    condition = _condition_of(expression, filtered)  # finds faulty values
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
    early, late = Viewpoint(now=0), Viewpoint(now=10**15)
    match expression:
        case Not(inner):
            return _moves(inner)
        case All(parts) | AnyOf(parts):
            return any(map(_moves, parts))
        case Pair(name="age"):
            return True
        case Pair(name="since" | "until" | "on", values=values):
            return any(time_of(value.text, early) != time_of(value.text, late) for value in values)
    return False


LONGEST_FILTER = 2_000
"""Most characters of a filter."""

SPECIAL = '|()"'
"""Characters that end a word, as a blank does."""

_DEEPEST = 40
_OPERATORS = sorted(filter(None, Operator), key=len, reverse=True)


def parse_expression(text: str, filtered: Filtered) -> Expression | None:
    """Parse a filter; None for an empty one, which keeps everything.

    Args:
        text: The filter.
        filtered: The kind of things that are filtered.

    Raises:
        FilterError: The filter cannot be read.
    """
    if len(text) > LONGEST_FILTER:
        raise FilterError(LONGEST_FILTER, f"a filter has at most {LONGEST_FILTER} characters")
    return None if not text.strip() else _Parser(text, filtered).whole()


class _Parser:
    def __init__(self, text: str, filtered: Filtered) -> None:
        self._text = text
        self._filtered = filtered
        self._at = 0

    def whole(self) -> Expression:
        expression = self._query(0)
        if self._at < len(self._text):
            raise self._unopened()
        return expression

    def _query(self, depth: int) -> Expression:
        parts = [self._all(depth)]
        while self._next() == "|":
            self._at += 1
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self, depth: int) -> Expression:
        parts = []
        self._skip_blanks()
        while self._next() not in ("", "|", ")"):
            parts.append(self._item(depth))
            self._expect_end_of_item()
            self._skip_blanks()
        if not parts and depth == 0 and self._next() == ")":
            raise self._unopened()
        if not parts:
            raise FilterError(self._at, "something to look for is missing here")
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _item(self, depth: int) -> Expression:
        if self._next() != "-":
            return self._plain_item(depth)
        self._at += 1
        if not self._next() or self._next().isspace() or self._next() in "|)":
            raise FilterError(self._at, "- leaves out what stands directly behind it, and nothing does")
        if self._next() == "-":
            raise FilterError(self._at, 'one - leaves out; put quotes around text that begins with one: "--force"')
        return Not(self._plain_item(depth))

    def _plain_item(self, depth: int) -> Expression:
        match self._next():
            case "(":
                return self._enclosed(depth + 1)
            case '"':
                return Text(self._quoted())
        return self._word_or_pair()

    def _enclosed(self, depth: int) -> Expression:
        start = self._at
        if depth > _DEEPEST:
            raise FilterError(start, f"at most {_DEEPEST} parentheses may stand inside one another")
        self._at += 1
        expression = self._query(depth)
        if self._next() != ")":
            raise FilterError(start, "this ( is never closed")
        self._at += 1
        return expression

    def _word_or_pair(self) -> Expression:
        start = self._at
        word = self._run(SPECIAL + ":")
        if self._next() != ":":
            return Text(Value(word, column=start))
        if not word:
            raise FilterError(start, "the name of a field is missing before the colon")
        field = field_named(word, self._filtered, start)
        self._at += 1
        operator = self._operator()
        if operator not in field.operators:
            raise FilterError(
                self._at - len(operator), f"{operator} does not go with {field.name}: {field.example}"
            )
        values = [self._value(field.name, field.example)]
        while self._next() == ",":
            self._at += 1
            values.append(self._value(field.name, field.example))
        return Pair(field.name, operator, tuple(values), start)

    def _operator(self) -> Operator:
        for operator in _OPERATORS:
            if self._text.startswith(operator, self._at):
                self._at += len(operator)
                return operator
        return Operator.FITS

    def _value(self, name: str, example: str) -> Value:
        if self._next() == '"':
            return self._quoted()
        start = self._at
        word = self._run(SPECIAL + ",")
        if not word:
            raise FilterError(start, f"{name} needs a value: {example}")
        return Value(word, column=start)

    def _quoted(self) -> Value:
        start = self._at
        pieces = []
        while True:
            end = self._text.find('"', self._at + 1)
            if end < 0:
                raise FilterError(start, "this quote is never closed")
            pieces.append(self._text[self._at + 1 : end])
            self._at = end + 1
            if self._next() != '"':
                break
        text = '"'.join(pieces)
        if not text:
            raise FilterError(start, "there is nothing between the quotes")
        return Value(text, literal=True, column=start)

    def _run(self, stops: str) -> str:
        """Read up to a blank or one of these characters."""
        start = self._at
        while self._next() and self._next() not in stops and not self._next().isspace():
            self._at += 1
        return self._text[start : self._at]

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        while self._next().isspace():
            self._at += 1

    def _unopened(self) -> FilterError:
        return FilterError(self._at, "there is no ( that this ) closes")

    def _expect_end_of_item(self) -> None:
        behind = self._next()
        if behind and behind not in "|)" and not behind.isspace():
            raise FilterError(self._at, f"put a blank before {behind}, or quotes around text that has it")
