"""Remembered approvals that are offered for a call, and wider and narrower ones in place of one or besides it.

Nothing here grants anything. Before a pattern is granted, a person is shown its coverage and the calls that it
would have answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from signoff.canonical import canonical, parse_json
from signoff.queue.grant_coverage import DIRECTORIES
from signoff.queue.grant_pattern import (
    AnyValue,
    Beginning,
    Exact,
    GrantPattern,
    Matcher,
    OneOf,
    PatternError,
    Under,
)
from signoff.queue.records import Submission

__all__ = ["PatternOffer", "any_call", "narrower", "offers", "wider"]

MOST_DIRECTORIES = 4
"""Directories above a path that are offered."""


class PatternOffer(Struct, frozen=True):
    """Patterns around a call, from the longest beginning to the shortest, or from the nearest directory up.

    Attributes:
        patterns: The patterns; none if there is a reason against all of them.
        first: The place of the one that is offered first.
        why_not: The reason why none is offered, not safe to draw yet; empty if some are.
    """

    patterns: tuple[GrantPattern, ...] = ()
    first: int = 0
    why_not: str = ""


def offers(call: Submission, command: str | None, path: str | None) -> PatternOffer:
    """Return the patterns for calls like this one: commands that begin with the same words, files in a directory.

    Args:
        call: The call.
        command: The command that it runs, if that is all it does.
        path: The path of the file that it changes, if that is all it does.
    """
    exact = GrantPattern.exactly(call.tool_name, call.payload, server=call.server)
    if command is not None:
        return _beginnings(exact, call.payload, command)
    if path is not None:
        return _directories(exact, call.payload)
    return PatternOffer(why_not="for commands and files only")


def any_call(call: Submission) -> GrantPattern:
    """Return the pattern that covers every call of the tool, in the directory that the payload names if any."""
    exact = GrantPattern.exactly(call.tool_name, call.payload, server=call.server)
    entries = ((key, matcher if key in DIRECTORIES else AnyValue()) for key, matcher in exact.entries)
    return GrantPattern(exact.tool_name, tuple(entries), exact.server)


MOST_WORDS = 6
"""The most words of a beginning that is offered."""


def _beginnings(exact: GrantPattern, payload: Mapping[str, Any], command: str) -> PatternOffer:
    keys = [key for key, value in payload.items() if value == command]
    if len(keys) != 1:
        return PatternOffer(why_not="the tool does not say which argument is its command")
    # Loaded here: most grants are of no commands.
    from signoff.policy.shell.commands import expand

    runs = expand(command).runs
    words = runs[0].part.words if len(runs) == 1 else ()
    if len(runs) != 1 or not all(word.literal and word.text for word in words):
        return PatternOffer(why_not="only for one plain command")
    texts = [word.text for word in words[:MOST_WORDS]]
    covering = [
        pattern
        for length in range(len(texts), 0, -1)
        if is_about(pattern := exact.widened(keys[0], Beginning(tuple(texts[:length]))), payload)
    ]
    if not covering:
        return PatternOffer(why_not=f"{texts[0]} with these arguments can do more than can be told")
    return PatternOffer(tuple(covering), _first_of(covering, texts))


def _first_of(covering: Sequence[GrantPattern], texts: Sequence[str]) -> int:
    """The place of the first proposal: the program, and a word after it that looks like a subcommand."""
    length = 2 if len(texts) > 2 and texts[1].isidentifier() else 1
    lengths = [
        next(len(each.words) for _, each in pattern.entries if isinstance(each, Beginning)) for pattern in covering
    ]
    return max((at for at, found in enumerate(lengths) if found >= length), default=0)


def is_about(pattern: GrantPattern, payload: Mapping[str, Any]) -> bool:
    """True if a pattern covers the call with this payload."""
    return pattern.matches(pattern.tool_name, payload, server=pattern.server)


def _directories(exact: GrantPattern, payload: Mapping[str, Any]) -> PatternOffer:
    found = [
        pattern
        for key, matcher in exact.entries
        if key not in DIRECTORIES
        for place in _around(matcher)
        if is_about(pattern := exact.widened(key, Under(place)), payload)
    ]
    if not found:
        return PatternOffer(why_not="the file is in no directory below that of its agent")
    return PatternOffer(tuple(found))


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
