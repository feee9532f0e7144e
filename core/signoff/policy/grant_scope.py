"""Wider and narrower remembered approvals that are offered in place of one, or besides it.

Nothing here grants anything. Before a pattern is granted, a person is shown its coverage and the calls that it
would have answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from signoff.canonical import canonical, parse_json
from signoff.queue.grant_pattern import (
    AnyValue,
    Exact,
    GrantPattern,
    Matcher,
    OneOf,
    PatternError,
    Under,
)

__all__ = ["narrower", "wider"]

MOST_DIRECTORIES = 4
"""Directories above a path that are offered."""


def wider(pattern: GrantPattern) -> tuple[GrantPattern, ...]:
    """Return patterns that cover all that this one covers, and more: each leaves one entry more open.

    First the directories around paths, the nearest first, then whatever may be anything.
    """
    steps: list[tuple[str, Matcher]] = [
        (key, Under(place)) for key, matcher in pattern.entries for place in _around(matcher)
    ]
    steps += [(key, AnyValue()) for key, matcher in pattern.entries if not isinstance(matcher, AnyValue)]
    return tuple(pattern.widened(key, matcher) for key, matcher in steps)


def narrower(pattern: GrantPattern, payload: Mapping[str, Any]) -> tuple[GrantPattern, ...]:
    """Return patterns that cover less than this one, and still the call that it was given for.

    Args:
        pattern: The pattern that is granted now.
        payload: The payload of that call.
    """
    steps = [
        (key, tighter)
        for key, matcher in pattern.entries
        if key in payload and not isinstance(matcher, Exact)
        for tighter in _tighter(matcher, payload[key])
    ]
    found = [pattern.widened(key, matcher) for key, matcher in steps]
    exact = GrantPattern.exactly(pattern.tool_name, payload, server=pattern.server)
    if steps and exact not in found:
        found.append(exact)
    return tuple(found)


def _around(matcher: Matcher) -> tuple[str, ...]:
    """The directories around the path that a matcher covers, the nearest first."""
    match matcher:
        case Under(directory):
            return tuple(_above(directory))[:MOST_DIRECTORIES]
        case Exact(key):
            return tuple(_above(parse_json(key)))[:MOST_DIRECTORIES]
        case OneOf(keys):
            values = [parse_json(key) for key in keys]
            return tuple(
                place for place in _above(values[0]) if all(Under(place).matches(value) for value in values)
            )[:MOST_DIRECTORIES]
        case _:
            return ()


def _above(path: object) -> Iterator[str]:
    """The directories above a path, as far as the path can be compared with them."""
    above = path
    while isinstance(above, str) and "/" in above:
        above = above.rpartition("/")[0]
        try:
            if Under(above).matches(path):
                yield above
        except PatternError:
            return


def _tighter(matcher: Matcher, value: object) -> Iterator[Matcher]:
    """Matchers that cover less than this one, and still the value, the widest first."""
    places = [Under(place) for place in _above(value)]
    if isinstance(matcher, Under):
        places = [place for place in places if matcher.matches(place.directory)]
    if isinstance(matcher, Under | AnyValue):
        yield from reversed(places[:MOST_DIRECTORIES])
    if isinstance(matcher, OneOf) and matcher.keys == (canonical(value),):
        return
    yield Exact.of(value)
