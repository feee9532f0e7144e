"""Wider and narrower remembered approvals: the offers, their breadth, and the refusals.

Nothing here grants anything. Before a pattern is granted, a person is shown its coverage and the calls that it
would have answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from signoff.canonical import canonical, parse_json
from signoff.policy.grant_breadth import Breadth, Reach, reach
from signoff.queue.grant_pattern import (
    AnyValue,
    Exact,
    GrantPattern,
    Matcher,
    OneOf,
    PatternError,
    Under,
)
from signoff.queue.records import Grant, RequestState, StoredRequest

__all__ = ["narrower", "pattern_of", "reach_of_grant", "reach_of_pattern", "refusal", "wider"]

MOST_DIRECTORIES = 4
"""Directories above a path that are offered."""


def pattern_of(grant: Grant) -> GrantPattern:
    """Return a grant as a pattern; an exact grant becomes one that covers its payload and no other.

    Raises:
        NotJsonError: The payload is not JSON.
    """
    return grant.pattern or GrantPattern.exactly(grant.tool_name, grant.payload, server=grant.server)


def reach_of_grant(grant: Grant, arguments: Mapping[str, Any]) -> Reach:
    """Return the reach of a grant.

    Args:
        grant: A grant that is not damaged.
        arguments: All arguments of the call that it was given for.

    Raises:
        NotJsonError: An argument, or the payload entry of its name, is not JSON.
    """
    if grant.pattern is None:
        return reach(grant.payload, arguments)
    return reach_of_pattern(grant.pattern, grant.payload, arguments)


def reach_of_pattern(pattern: GrantPattern, payload: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reach:
    """Return the reach of a pattern. An entry that may be anything limits nothing.

    Args:
        pattern: The pattern.
        payload: The payload of the call that it is given for.
        arguments: All arguments of that call.

    Raises:
        NotJsonError: An argument, or the payload entry of its name, is not JSON.
    """
    limited = {key for key, matcher in pattern.entries if not isinstance(matcher, AnyValue)}
    found = reach({key: value for key, value in payload.items() if key in limited}, arguments)
    if found.breadth is Breadth.EXACT and not all(isinstance(matcher, Exact) for _, matcher in pattern.entries):
        return Reach(Breadth.PATTERN, found.fixed, found.free)
    return found


def refusal(request: StoredRequest, pattern: GrantPattern, *, wide: bool) -> str | None:
    """The reason for which a pattern must not be granted for a request, or None if it may.

    Args:
        request: The request that it would be given for.
        pattern: The pattern.
        wide: True if the person confirmed that no argument needs to be limited.
    """
    submission = request.submission
    if not submission.may_be_remembered:
        return "this call is of HIGH risk, leads elsewhere, or its agent keeps no approvals: no grant covers it"
    if request.state is RequestState.REJECTED:
        return "the request was rejected, and a no is never remembered as a yes"
    if not wide and reach_of_pattern(pattern, submission.payload, submission.arguments).breadth.careless:
        return f"it would cover {pattern.words()}. No argument is compared as given; to grant all that, add --wide"
    return None


def wider(pattern: GrantPattern) -> tuple[GrantPattern, ...]:
    """Patterns that cover all that this one covers, and more: each leaves one entry more open.

    First the directories around paths, the nearest first, then whatever may be anything.
    """
    steps: list[tuple[str, Matcher]] = [
        (key, Under(place)) for key, matcher in pattern.entries for place in _around(matcher)
    ]
    steps += [(key, AnyValue()) for key, matcher in pattern.entries if not isinstance(matcher, AnyValue)]
    return tuple(pattern.widened(key, matcher) for key, matcher in steps)


def narrower(pattern: GrantPattern, payload: Mapping[str, Any]) -> tuple[GrantPattern, ...]:
    """Patterns that cover less than this one, and still the call that it was given for.

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
