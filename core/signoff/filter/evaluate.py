"""Conditions of a filter on one subject, and their combination."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from signoff.effects import Risk
from signoff.filter.fields import (
    FIELDS,
    KINDS,
    Field,
    Filtered,
    Form,
    Span,
    Viewpoint,
    amount_span,
    length_of,
    number_of,
    time_of,
)
from signoff.filter.grammar import FilterError, Operator, Pair, Text, Value, nearest, quoted
from signoff.filter.subjects import Subject, Texts, name_test, path_test, text_test
from signoff.queue.records import Decision, DecisionSource, RequestState

__all__ = [
    "Condition",
    "Test",
    "all_of",
    "any_of",
    "condition_of",
    "opposite",
    "span_of_time",
    "text_condition",
]


_RANKS = {"low": Risk.LOW, "med": Risk.MEDIUM, "high": Risk.HIGH}
_ORDER = list(_RANKS)
_ALIASES = {"medium": "med"}
_SOURCES = {
    "rule": {DecisionSource.RULE},
    "memory": {DecisionSource.GRANT},
    "cascade": {DecisionSource.CASCADE},
    "mode": {DecisionSource.MODE},
    "callback": {DecisionSource.CALLBACK},
}
_NOBODY = {None, DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR}
_BY_PERSON = {DecisionSource.REVIEWER, DecisionSource.CALLBACK}

_NAMES: Mapping[str, Callable[[Subject], str | None]] = {
    "agent": lambda subject: subject.agent,
    "session": lambda subject: subject.session,
    "tool": lambda subject: subject.tool,
    "group": lambda subject: subject.group,
    "batch": lambda subject: subject.batch,
}
_TEXTS: Mapping[str, Callable[[Subject], Texts | None]] = {
    "cmd": lambda subject: subject.call.commands,
    "note": lambda subject: subject.said,
    "why": lambda subject: subject.why,
}
_AMOUNTS: Mapping[str, Callable[[Subject], int | None]] = {
    "shown": lambda subject: subject.shown,
    "lines": lambda subject: subject.lines,
    "took": lambda subject: subject.took,
}


def text_condition(text: Text) -> Condition:
    """Return the condition that a text occurs anywhere in a row."""
    found = text_test(text.value, Operator.FITS)

    def test(subject: Subject) -> bool:
        return (
            found(subject.call.words)
            or found(_name_texts(subject.agent))
            or (subject.said is not None and found(subject.said))
            or (subject.reason is not None and found(subject.reason))
        )

    return lambda _: test


@lru_cache(maxsize=256)
def _name_texts(name: str) -> Texts:
    """Cached: agents are few, and each asks much."""
    return Texts((name,))


def condition_of(pair: Pair, filtered: Filtered) -> Condition:
    """Return the condition of a pair.

    Args:
        pair: The pair; its field exists for the filtered things.
        filtered: The kind of things that are filtered.

    Raises:
        FilterError: A value is not one of the field's.
    """
    field = FIELDS[pair.name]
    conditions = []
    for value in pair.values:
        try:
            conditions.append(_condition(field, pair.operator, value, filtered))
        except ValueError as error:
            raise FilterError(value.column, str(error)) from error
    return conditions[0] if len(conditions) == 1 else any_of(conditions)


def span_of_time(name: str, text: str, view: Viewpoint) -> Span:
    """Return the times that ``since``, ``until`` or ``on`` with a time lets through."""
    span = time_of(text, view)
    match name:
        case "since":
            return Span(first=span.first)
        case "until":
            return Span(last=span.last)
    return span


def _condition(field: Field, operator: Operator, value: Value, filtered: Filtered) -> Condition:
    match field.form:
        case Form.NAME:
            return _name(_NAMES[field.name], operator, value)
        case Form.TEXT:
            return _text(_TEXTS[field.name], operator, value)
        case Form.PATH:
            return _path(operator, value)
        case Form.PERSON:
            return _person(field, operator, value, filtered)
        case Form.RANKED:
            return _rank(operator, _word(field, value, filtered))
        case Form.WORDS:
            return _state(field.name, _word(field, value, filtered))
        case Form.NUMBER:
            return _amount(_AMOUNTS[field.name], amount_span(value.text, operator, number_of))
        case Form.LENGTH:
            span = amount_span(value.text, operator, length_of)
            return _age(span) if field.name == "age" else _amount(_AMOUNTS[field.name], span)
        case Form.TIME:
            return _time(field.name, value)


def _name(fact: Callable[[Subject], str | None], operator: Operator, value: Value) -> Condition:
    fits = name_test(value, operator)

    def test(subject: Subject) -> bool:
        name = fact(subject)
        return name is not None and fits(name)

    return lambda _: test


def _text(fact: Callable[[Subject], Texts | None], operator: Operator, value: Value) -> Condition:
    found = text_test(value, operator)

    def test(subject: Subject) -> bool:
        texts = fact(subject)
        return texts is not None and found(texts)

    return lambda _: test


def _path(operator: Operator, value: Value) -> Condition:
    fits = path_test(value, operator)
    return lambda _: lambda subject: any(map(fits, subject.call.files))


def _word(field: Field, value: Value, filtered: Filtered) -> str:
    """The word of a value.

    Raises:
        ValueError: The field does not have the word here.
    """
    word = _ALIASES.get(value.text.lower(), value.text.lower())
    here = field.words_of(filtered)
    if word in here:
        return word
    if word in field.words:
        raise ValueError(f"{field.name}:{word} is not known in the {filtered}; known here: {' '.join(here)}")
    meant = nearest(word, here)
    hint = f"did you mean {meant}?" if meant else f"it takes {' '.join(here)}"
    raise ValueError(f"{field.name} does not take {quoted(value.text)}, {hint}")


def _rank(operator: Operator, word: str) -> Condition:
    place = _ORDER.index(word)
    span = amount_span(str(place), operator, number_of)
    wanted = {_RANKS[word] for number, word in enumerate(_ORDER) if number in span}
    return lambda _: lambda subject: subject.risk in wanted


def _state(name: str, word: str) -> Condition:
    match name:
        case "is":
            return lambda _: lambda subject: word in subject.marks
        case "kind":
            kind = KINDS[word]
            return lambda _: lambda subject: kind in subject.call.kinds
        case "scope":
            remember = word == "session"
            return lambda _: lambda subject: _reaches(subject, remember=remember)
    ends = _ENDS[word]
    return lambda _: lambda subject: ends(subject.state, subject.decision)


def _reaches(subject: Subject, *, remember: bool) -> bool:
    """True if a person approved, for this call only or for the session."""
    decision = subject.decision
    return (
        decision is not None
        and subject.state is RequestState.APPROVED
        and decision.source in _BY_PERSON
        and decision.remember == remember
    )


def _rejected(decision: Decision | None, *, hard: bool) -> bool:
    """True if it was rejected for itself, in the given way."""
    return decision is not None and decision.source is not DecisionSource.CASCADE and decision.hard == hard


_ENDS: Mapping[str, Callable[[RequestState | None, Decision | None], bool]] = {
    "approved": lambda state, _: state is RequestState.APPROVED,
    "rejected": lambda state, _: state is RequestState.REJECTED,
    "soft": lambda state, decision: state is RequestState.REJECTED and _rejected(decision, hard=False),
    "hard": lambda state, decision: state is RequestState.REJECTED and _rejected(decision, hard=True),
    "stopped": lambda state, decision: (
        state is RequestState.REJECTED and decision is not None and decision.source is DecisionSource.CASCADE
    ),
    "expired": lambda state, _: state is RequestState.EXPIRED,
}


def _person(field: Field, operator: Operator, value: Value, filtered: Filtered) -> Condition:
    word = value.text.lower()
    if operator is Operator.FITS and not value.literal and word in field.words:
        return _decider(_word(field, value, filtered))
    return _name(lambda subject: subject.by, operator, value)


def _decider(word: str) -> Condition:
    if word == "nobody":
        return lambda _: lambda subject: "closed" in subject.marks and subject.source in _NOBODY
    if word != "you":
        sources = _SOURCES[word]
        return lambda _: lambda subject: subject.source in sources

    def condition(view: Viewpoint) -> Test:
        return lambda subject: (
            subject.source is DecisionSource.REVIEWER and (not view.reviewer or subject.by == view.reviewer)
        )

    return condition


def _amount(fact: Callable[[Subject], int | None], span: Span) -> Condition:
    def test(subject: Subject) -> bool:
        amount = fact(subject)
        return amount is not None and amount in span

    return lambda _: test


def _age(span: Span) -> Condition:
    return lambda view: lambda subject: max(0, view.now - subject.at) in span


def _time(name: str, value: Value) -> Condition:
    span = time_of(value.text, Viewpoint(now=0))
    if name == "on" and span.first == span.last:
        raise ValueError("on takes a day: today, yesterday or 2026-11-20")

    def condition(view: Viewpoint) -> Test:
        span = span_of_time(name, value.text, view)
        return lambda subject: subject.at in span

    return condition


# -- Conditions combined: and, or, not.

Test: TypeAlias = Callable[[Subject], bool]
"""Tells whether a subject is kept."""

Condition: TypeAlias = Callable[[Viewpoint], Test]
"""Makes the test for a viewpoint."""


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Combine conditions: keep the subjects that all of them keep."""

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
    """Combine conditions: keep the subjects that at least one of them keeps."""

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
    """Negate a condition: keep the subjects that it does not keep."""

    def contrary(view: Viewpoint) -> Test:
        test = condition(view)
        return lambda subject: not test(subject)

    return contrary
