"""The fields of the filter language, and the amounts, lengths and times that they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import tzinfo
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from msgspec import Struct, field

from signoff.filter.grammar import FilterError, Operator, nearest, quoted
from signoff.present.kinds import PresentationKind
from signoff.text.time import read_length, read_time

__all__ = [
    "FIELDS",
    "KINDS",
    "Field",
    "Filtered",
    "Form",
    "Span",
    "Viewpoint",
    "amount_span",
    "field_named",
    "fields_of",
    "length_of",
    "number_of",
    "time_of",
]


class Filtered(StrEnum):
    """The kind of things that are filtered."""

    INBOX = "inbox"
    """Requests that wait, or ended while they were listed."""
    HISTORY = "history"
    """Records of requests that were decided, or ended undecided."""
    MEMORY = "memory"
    """Remembered approvals."""


class Form(StrEnum):
    """The form of the values of a field, which tells how they are compared."""

    NAME = "name"
    """A name, or a glob in which ``*`` stands for anything."""
    PATH = "path"
    """A glob in which ``*`` stays within one part of a path and ``**`` does not."""
    TEXT = "text"
    """A part of a text."""
    WORDS = "words"
    """One of the field's words."""
    RANKED = "ranked"
    """One of the field's words, which have an order."""
    PERSON = "person"
    """One of the field's words, or a name."""
    NUMBER = "number"
    LENGTH = "length"
    """A length of time."""
    TIME = "time"
    """A point in time, or a day."""


_TEXTS = frozenset({Operator.FITS, Operator.EQUAL, Operator.PATTERN})
_AMOUNTS = frozenset(
    {Operator.FITS, Operator.EQUAL, Operator.MORE, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST}
)
_OPERATORS = {
    Form.NAME: _TEXTS,
    Form.PATH: _TEXTS,
    Form.TEXT: _TEXTS,
    Form.PERSON: _TEXTS,
    Form.WORDS: frozenset({Operator.FITS, Operator.EQUAL}),
    Form.RANKED: _AMOUNTS,
    Form.NUMBER: _AMOUNTS,
    Form.LENGTH: _AMOUNTS,
    Form.TIME: frozenset({Operator.FITS}),
}

_EVERYTHING = frozenset(Filtered)
_CALLS = frozenset({Filtered.INBOX, Filtered.HISTORY})
_INBOX = frozenset({Filtered.INBOX})


class Field(Struct, frozen=True):
    """One field.

    Attributes:
        name: As it is typed before the colon.
        form: The form of its values.
        help: A short explanation.
        example: An example of a pair.
        known: The kinds of things that have it.
        words: Its words, with the kinds of things that each is for.
    """

    name: str
    form: Form
    help: str
    example: str
    known: frozenset[Filtered] = _CALLS
    words: Mapping[str, frozenset[Filtered]] = field(default_factory=dict)

    @property
    def operators(self) -> frozenset[Operator]:
        """The comparisons that the field allows."""
        return _OPERATORS[self.form]

    def words_of(self, filtered: Filtered) -> tuple[str, ...]:
        """Return the words of the field for a kind of things."""
        return tuple(word for word, known in self.words.items() if filtered in known)


def _words(text: str, known: frozenset[Filtered] = _CALLS) -> dict[str, frozenset[Filtered]]:
    return dict.fromkeys(text.split(), known)


def _word(kind: PresentationKind) -> str:
    match kind:
        case PresentationKind.DIFF:
            return "diff"
        case PresentationKind.FILE_CONTENT:
            return "new"
        case PresentationKind.COMMAND:
            return "shell"
        case PresentationKind.STRUCTURED:
            return "api"
        case PresentationKind.TEXT:
            return "text"
        case PresentationKind.BINARY:
            return "bin"
        case _:
            assert_never(kind)


KINDS: Mapping[str, PresentationKind] = MappingProxyType({_word(kind): kind for kind in PresentationKind})
"""The kinds of presentation by the words of ``kind``, in the order in which they are offered."""

_ALL_FIELDS = (
    Field("agent", Form.NAME, "name of the agent", "agent:refactor", _EVERYTHING),
    Field("tool", Form.NAME, "name of the tool", "tool:write_file", _EVERYTHING),
    Field("path", Form.PATH, "a file that it changes: api.py, app/api.py, app/, *.py", "path:src/**"),
    Field("cmd", Form.TEXT, "a command that it runs", 'cmd:"git push"'),
    Field("risk", Form.RANKED, "risk of the call", "risk:high", words=_words("low med high")),
    Field(
        "is",
        Form.WORDS,
        "state of the row",
        "is:closed",
        _EVERYTHING,
        {
            **_words("waiting later held", _INBOX),
            **_words("seen part unseen"),
            **_words("tagged", _INBOX),
            **_words("closed", _EVERYTHING),
            **_words("expired gone redacted hidden changed"),
            **_words("late", _INBOX),
        },
    ),
    Field(
        "decision",
        Form.WORDS,
        "how it ended",
        "decision:rejected",
        words=_words("approved rejected soft hard stopped expired"),
    ),
    Field("since", Form.TIME, "from a time on", "since:1h", _EVERYTHING),
    Field("age", Form.LENGTH, "how long ago it was asked, or ended", "age:>5m", _EVERYTHING),
    Field("kind", Form.WORDS, "what it would do", "kind:shell,api", words=dict.fromkeys(KINDS, _CALLS)),
    Field("why", Form.TEXT, "reason of the risk, or what asked", "why:network"),
    Field(
        "by",
        Form.PERSON,
        "who or what decided",
        "by:you",
        _EVERYTHING,
        {**_words("you", _EVERYTHING), **_words("rule memory cascade mode callback nobody")},
    ),
    Field("session", Form.NAME, "session of the agent", "session:7f3a*", _EVERYTHING),
    Field("group", Form.NAME, "group of the request", "group:rename"),
    Field("batch", Form.NAME, "batch of the request", "batch:b-12"),
    Field("scope", Form.WORDS, "how far the approval goes", "scope:session", words=_words("once session")),
    Field("shown", Form.NUMBER, "percent of the content that was shown", "shown:<100"),
    Field("took", Form.LENGTH, "how long the answer took", "took:1m..5m"),
    Field("lines", Form.NUMBER, "lines to be read", "lines:>=200", _INBOX),
    Field("until", Form.TIME, "up to a time", "until:14:30", _EVERYTHING),
    Field("on", Form.TIME, "on a day", "on:yesterday", _EVERYTHING),
    Field("note", Form.TEXT, "the reviewer's words", 'note:"use yarn"'),
)

FIELDS: Mapping[str, Field] = MappingProxyType({field.name: field for field in _ALL_FIELDS})
"""All fields by name, in the order in which they are offered."""

_FEW = 10
"""The most fields that are listed in one message."""


def fields_of(filtered: Filtered) -> tuple[Field, ...]:
    """Return the fields for a kind of things."""
    return tuple(field for field in _ALL_FIELDS if filtered in field.known)


def field_named(name: str, filtered: Filtered, column: int) -> Field:
    """Find a field.

    Args:
        name: The text before the colon.
        filtered: The kind of things that are filtered.
        column: The place of the name.

    Raises:
        FilterError: There is no such field, or not for these things.
    """
    found = FIELDS.get(name.lower())
    known = [field.name for field in fields_of(filtered)]
    if found is None:
        meant = nearest(name, known)
        hint = f"did you mean {meant}?" if meant else "put quotes around text that has a colon"
        raise FilterError(column, f"{quoted(name)} is not a field, {hint}")
    if filtered not in found.known:
        places = " and ".join(f"the {place}" for place in Filtered if place in found.known)
        here = f"; fields here: {' '.join(known)}" if len(known) <= _FEW else ""
        raise FilterError(column, f"{quoted(found.name)} is known in {places}, not in the {filtered}{here}")
    return found


# -- Amounts, lengths of time and times in a filter.

_NUMBER = re.compile(r"([0-9]{1,9})(%?)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEARS = range(1970, 9999)


class Viewpoint(Struct, frozen=True):
    """The time, place and reviewer for whom a filter is evaluated.

    Attributes:
        now: The present, microseconds since the epoch.
        reviewer: The reviewer meant by ``by:you``; "" for anybody.
        zone: Time zone of days and clock times, or None for that of this machine.
    """

    now: int
    reviewer: str = ""
    zone: tzinfo | None = None


class Span(Struct, frozen=True):
    """Whole numbers from one to another.

    Attributes:
        first: The least, or None for no limit.
        last: The greatest, or None for no limit.
    """

    first: int | None = None
    last: int | None = None

    def __contains__(self, number: int) -> bool:
        return (self.first is None or number >= self.first) and (self.last is None or number <= self.last)


Reader = Callable[[str], tuple[int, int]]
"""Reads an amount; the second number is the unit of its last digit."""


def number_of(text: str) -> tuple[int, int]:
    """Read a number, with or without a percent sign.

    Raises:
        ValueError: The text is no number.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"{quoted(text)} is no number; write 200 or 50..90")
    return int(found[1]), 1


def length_of(text: str) -> tuple[int, int]:
    """Read a length of time, in microseconds.

    Raises:
        ValueError: The text is no length.
    """
    found = read_length(text)
    if found is None:
        raise ValueError(f"{quoted(text)} is no length of time; write 90s, 5m, 1h30m, 2d or 1m..5m")
    return found


def amount_span(text: str, operator: Operator, read: Reader) -> Span:
    """Read an amount or a range, and return the numbers that it covers.

    Args:
        text: The amount, or two with ``..`` between them, both of which are included.
        operator: The comparison.
        read: Reads an amount.

    Raises:
        ValueError: The text cannot be read, or makes no sense.
    """
    low, dots, high = text.partition("..")
    if dots:
        if operator not in (Operator.FITS, Operator.EQUAL):
            raise ValueError(f"a range takes no {operator}")
        first, last = read(low)[0], read(high)[0]
        if first > last:
            raise ValueError(f"the range {quoted(text)} ends before it begins")
        return Span(first, last)
    amount, step = read(text)
    match operator:
        case Operator.MORE:
            return Span(first=amount + 1)
        case Operator.AT_LEAST:
            return Span(first=amount)
        case Operator.LESS:
            return Span(last=amount - 1)
        case Operator.AT_MOST:
            return Span(last=amount)
    return Span(amount, amount + step - 1)


def time_of(text: str, view: Viewpoint) -> Span:
    """Read a time or a day.

    Raises:
        ValueError: The text is no time, or a day outside the calendar.
    """
    day = _DAY.fullmatch(text)
    if day and int(text[:4]) not in _YEARS:
        raise ValueError(f"{quoted(text)} is no day of the years {_YEARS[0]} to {_YEARS[-1]}")
    found = read_time(text, view.now, view.zone)
    if found is None and day:
        raise ValueError(f"no calendar has the day {quoted(text)}")
    if found is None:
        raise ValueError(f"{quoted(text)} is no time; write 1h, 14:30, today, yesterday or 2026-11-20")
    return Span(*found)
