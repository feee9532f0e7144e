"""Remembered approvals that are offered for a call: of commands that begin alike, of files in a directory, of all.

Nothing here grants anything. Before a pattern is granted, a person is shown its coverage and the calls that it
would have answered.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from signoff.queue.grant_coverage import DIRECTORIES, is_about
from signoff.queue.grant_pattern import AnyValue, Beginning, GrantPattern, PatternError, Under
from signoff.queue.records import Submission

__all__ = ["PatternOffer", "any_call", "offers"]

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
        return _beginnings(exact, call, command)
    if path is not None:
        return _directories(exact, call, path)
    return PatternOffer(why_not="for commands and files only")


def any_call(call: Submission) -> GrantPattern:
    """Return the pattern that covers every call of the tool, in the directory that the payload names if any."""
    exact = GrantPattern.exactly(call.tool_name, call.payload, server=call.server)
    entries = ((key, matcher if key in DIRECTORIES else AnyValue()) for key, matcher in exact.entries)
    return GrantPattern(exact.tool_name, tuple(entries), exact.server)


MOST_WORDS = 6
"""The most words of a beginning that is offered."""


def _beginnings(exact: GrantPattern, call: Submission, command: str) -> PatternOffer:
    keys = [key for key, value in call.payload.items() if value == command]
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
        if is_about(pattern := exact.widened(keys[0], Beginning(tuple(texts[:length]))), call)
    ]
    if not covering:
        part = runs[0].part
        has_input = part.fed is not None or part.reads_file
        more = "may obey its input" if has_input else "with these arguments can do more than can be told"
        return PatternOffer(why_not=f"{texts[0]} {more}")
    return PatternOffer(tuple(covering), _first_of(covering, texts))


def _first_of(covering: Sequence[GrantPattern], texts: Sequence[str]) -> int:
    """The place of the first proposal: the program, and a word after it that looks like a subcommand."""
    length = 2 if len(texts) > 1 and texts[1].isidentifier() else 1
    lengths = [
        next(len(each.words) for _, each in pattern.entries if isinstance(each, Beginning)) for pattern in covering
    ]
    return max((at for at, found in enumerate(lengths) if found >= length), default=0)


def _directories(exact: GrantPattern, call: Submission, path: str) -> PatternOffer:
    """Patterns that leave the argument more open that names the file; no other is a path, whatever is in it."""

    def absolute(value: str) -> str:
        return posixpath.normpath(posixpath.join(call.cwd, value))

    keys = [
        key
        for key, value in call.payload.items()
        if key not in DIRECTORIES and isinstance(value, str) and absolute(value) == absolute(path)
    ]
    if len(keys) != 1:
        return PatternOffer(why_not="the tool does not say which argument is its file")
    places = islice(_above(call.payload[keys[0]]), MOST_DIRECTORIES)
    patterns = (exact.widened(keys[0], Under(place)) for place in places)
    found = tuple(pattern for pattern in patterns if is_about(pattern, call))
    return PatternOffer(found, why_not="" if found else "the file is in no directory that can be named")


def _above(path: str) -> Iterator[str]:
    """The directories above a path, as far as the path can be compared with them."""
    above = path
    while "/" in above:
        above = above.rpartition("/")[0]
        try:
            if Under(above).matches(path):
                yield above
        except PatternError:
            return
