"""Completion, rewording, and saved filters."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from signoff.filter.fields import FIELDS, Field, Filtered, Form, fields_of
from signoff.filter.grammar import Operator, quote
from signoff.filter.query import SPECIAL
from signoff.filter.subjects import Subject
from signoff.present.reveal.escape import typeable

__all__ = [
    "SAVED_FILTERS",
    "Candidate",
    "Completion",
    "SavedFilter",
    "as_value",
    "complete",
    "exactly",
    "existing_values",
    "field_at",
    "last_hour_of",
]


_TIMES = ("1h", "today", "yesterday")
_NOT_BARE = f"{SPECIAL},"
_UNTYPED = f"{_NOT_BARE}<>=~*[ "
_COLLECTED: Mapping[str, Callable[[Subject], Iterable[str | None]]] = {
    "agent": lambda subject: (subject.agent,),
    "session": lambda subject: (subject.session,),
    "group": lambda subject: (subject.group,),
    "batch": lambda subject: (subject.batch,),
    "tool": lambda subject: (subject.tool,),
    "path": lambda subject: (posixpath.basename(file.shown) for file in subject.call.files),
    "why": lambda subject: () if subject.why is None else subject.why.items,
    "by": lambda subject: (subject.by,),
}
_MOST_VALUES = 200
"""The most values of one field that are offered."""


class Candidate(Struct, frozen=True):
    """A text that could be completed.

    Attributes:
        text: The text.
        help: A short explanation; "" for a value that exists.
    """

    text: str
    help: str = ""


class Completion(Struct, frozen=True):
    """Candidates that could take the place of a part of a filter.

    Attributes:
        start: The beginning of the part.
        end: The end of the part.
        candidates: The candidates, best first.
    """

    start: int
    end: int
    candidates: tuple[Candidate, ...] = ()

    def applied(self, text: str, which: int = 0) -> tuple[str, int]:
        """Return the text with a candidate in place, and the new place of the cursor."""
        chosen = self.candidates[which].text
        return f"{text[: self.start]}{chosen}{text[self.end :]}", self.start + len(chosen)


def complete(
    text: str, cursor: int, filtered: Filtered, values: Mapping[str, Iterable[str]] | None = None
) -> Completion:
    """Find candidates for the place of the cursor.

    Args:
        text: The filter so far; it need not be one that can be read.
        cursor: The number of characters before the cursor.
        filtered: The kind of things that it filters.
        values: Values that exist, by the name of their field; see `existing_values`.
    """
    start = _start_of_item(text, cursor)
    if start is None:
        return Completion(cursor, cursor)
    name, colon, typed = text[start:cursor].partition(":")
    if not colon:
        end = _end_of_word(text, cursor, SPECIAL + ":")
        end += text[end : end + 1] == ":"
        return Completion(start, end, tuple(_field_candidates(name, filtered)))
    field = FIELDS.get(name.lower())
    if field is None or filtered not in field.known:
        return Completion(cursor, cursor)
    operator = _operator_of(typed)
    begin = cursor - len(typed) + len(operator)
    begin = max(begin, text.rfind(",", begin, cursor) + 1)
    if operator not in field.operators or operator is Operator.PATTERN or text[begin : begin + 1] == '"':
        return Completion(cursor, cursor)
    found = _value_candidates(field, filtered, operator, text[begin:cursor], (values or {}).get(field.name, ()))
    return Completion(begin, _end_of_word(text, cursor, SPECIAL + ","), tuple(found))


def field_at(text: str, cursor: int, filtered: Filtered) -> Field | None:
    """Return the field whose value the cursor is in, or at the end of; None if there is none.

    Args:
        text: The filter so far; it need not be one that can be read.
        cursor: The number of characters before the cursor.
        filtered: The kind of things that it filters.
    """
    start = _start_of_item(text, cursor)
    name, colon, _ = text[start or 0 : cursor].partition(":")
    field = FIELDS.get(name.lower()) if colon and start is not None else None
    return field if field is not None and filtered in field.known else None


def existing_values(subjects: Iterable[Subject]) -> dict[str, list[str]]:
    """Collect the values that subjects have, by the name of their field, the first ones first."""
    seen: dict[str, dict[str, None]] = {name: {} for name in _COLLECTED}
    for subject in subjects:
        for name, values_of in _COLLECTED.items():
            known = seen[name]
            if len(known) < _MOST_VALUES:
                known.update(dict.fromkeys(filter(None, values_of(subject))))
    return {name: [*known] for name, known in seen.items()}


def _start_of_item(text: str, cursor: int) -> int | None:
    """The beginning of the item at the cursor, after its ``-``; None inside quotes."""
    start, inside = 0, False
    for place, character in enumerate(text[:cursor]):
        if character == '"':
            inside = not inside
        elif not inside and (character.isspace() or character in "|()"):
            start = place + 1
    if inside:
        return None
    return start + 1 if text[start : start + 1] == "-" and start < cursor else start


def _end_of_word(text: str, cursor: int, stops: str) -> int:
    end = cursor
    while end < len(text) and text[end] not in stops and not text[end].isspace():
        end += 1
    return end


def _operator_of(typed: str) -> Operator:
    for operator in sorted(Operator, key=len, reverse=True):
        if typed.startswith(operator):
            return operator
    return Operator.FITS


def _field_candidates(typed: str, filtered: Filtered) -> Iterable[Candidate]:
    for field in fields_of(filtered):
        if field.name.startswith(typed.lower()):
            yield Candidate(f"{field.name}:", field.help)


def _value_candidates(
    field: Field, filtered: Filtered, operator: Operator, typed: str, values: Iterable[str]
) -> Iterable[Candidate]:
    begin = typed.lower()
    if field.form in (Form.LENGTH, Form.NUMBER) and not typed and operator is Operator.FITS:
        yield Candidate(field.example.partition(":")[2], field.help)
    if field.form is Form.TIME:
        values = _TIMES[1:] if field.name == "on" else _TIMES
    if not (field.form is Form.PERSON and operator is Operator.EQUAL):
        yield from (Candidate(word) for word in field.words_of(filtered) if word.startswith(begin))
    for value in dict.fromkeys(values):
        globs = operator is Operator.FITS and field.form is not Form.TEXT
        if value and value.lower().startswith(begin) and (typeable(value) == value or globs):
            yield Candidate(as_value(value, operator, field))


def as_value(value: str, operator: Operator, field: Field) -> str:
    """Return a value as it is typed. A wildcard replaces characters that cannot be seen."""
    seen = typeable(value, "?")
    if seen != value:
        return "".join("?" if each in _UNTYPED else each for each in seen)
    wild = operator is Operator.FITS and any(character in "*?[" for character in value)
    bare = not any(character in _NOT_BARE or character.isspace() for character in value)
    operates = value.startswith(tuple(filter(None, Operator)))
    return value if bare and not wild and not operates and value.lower() not in field.words else quote(value)


# -- Filters without typing.


def exactly(name: str, value: str) -> str:
    """Return a pair for one value of a field, as it would be typed.

    Invisible characters are never put into a filter: a wildcard replaces them.

    Args:
        name: The field, one that takes names.
        value: The value.
    """
    if not value:
        return f"{name}:{Operator.PATTERN}^$"  # there are no empty values
    operator = Operator.EQUAL if typeable(value) == value else Operator.FITS
    return f"{name}:{operator}{as_value(value, operator, FIELDS[name])}"


# -- Saved filters.

_AGENT = "agent:{agent}"


class SavedFilter(Struct, frozen=True):
    """A filter that is chosen from a list.

    Attributes:
        label: A short description of what it keeps.
        query: The filter; ``{agent}`` stands for the selected agent.
        decided: True if it asks about decisions, so that it fits nothing that waits.
    """

    label: str
    query: str
    decided: bool = False

    @property
    def needs_agent(self) -> bool:
        """True if it is about the selected agent."""
        return _AGENT in self.query

    def text(self, agent: str = "") -> str:
        """Return the filter as it would be typed.

        Args:
            agent: Name of the selected agent.
        """
        return self.query.replace(_AGENT, exactly("agent", agent))


SAVED_FILTERS = (
    SavedFilter("this agent", _AGENT),
    SavedFilter("last hour", "since:1h"),
    SavedFilter("not all shown", "decision:approved shown:<100", decided=True),
    SavedFilter("rejected", "decision:rejected", decided=True),
    SavedFilter("HIGH", "risk:high"),
    SavedFilter("automatic", "by:memory,rule", decided=True),
)
"""The saved filters of everybody: all in the history, in other lists those that ask for what is known there."""


def last_hour_of(agent: str) -> str:
    """Return the filter for the requests of an agent in the last hour."""
    return f"{exactly('agent', agent)} since:1h"
