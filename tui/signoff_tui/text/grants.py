"""The reach of a remembered approval in words: the same on its sheet and in the memory."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from signoff.policy.grant_breadth import Breadth, Reach
from signoff.queue.grant_pattern import AnyValue, GrantPattern

__all__ = ["BREADTH_WORDS", "any_words", "ends_words", "limits_words", "names_directory", "where_words"]

BREADTH_WORDS: Mapping[Breadth, str] = {
    Breadth.EXACT: "exactly this call",
    Breadth.PATTERN: "any call with these values",
    Breadth.WIDE: "WIDE: only this is fixed",
    Breadth.EVERYTHING: "EVERYTHING",
}

_DIRECTORIES = ("cwd", "workdir", "working_directory")


def limits_words(breadth: Breadth, pattern: GrantPattern) -> str:
    """Return how wide a pattern is, and its only limits; not safe to draw yet.

    Args:
        breadth: The breadth.
        pattern: The pattern.
    """
    if breadth is Breadth.EXACT:
        return BREADTH_WORDS[breadth]
    *others, last = [name for name, matcher in pattern.entries if not isinstance(matcher, AnyValue)] or [""]
    if not last:
        return f"{breadth}: nothing limits it"
    return (
        f"{breadth}: only {', '.join(others)} and {last} limit it"
        if others
        else f"{breadth}: only {last} limits it"
    )


def any_words(reach: Reach, named: Collection[str]) -> Sequence[str]:
    """Return the arguments that may be anything because no entry limits them; not safe to draw yet.

    Args:
        reach: The reach.
        named: Names of matched entries: an argument that the agent spells differently from the tool is not free.
    """
    return [f"ANY {name}" for name in reach.free if name not in named]


def names_directory(payload: Mapping[str, Any], free: Collection[str] = ()) -> bool:
    """True if the directory of a call is part of the match, which it is only if it is in the payload.

    Args:
        payload: The payload.
        free: Names of its entries that may be anything.
    """
    values = [payload.get(name) for name in _DIRECTORIES if name not in free]
    # A relative one is another directory in each working directory.
    return any(isinstance(value, str) and (posixpath.isabs(value) or ntpath.isabs(value)) for value in values)


def ends_words(bound: Sequence[bool]) -> Sequence[str]:
    """Return when remembered approvals end, the fullest wording first.

    Args:
        bound: For each of them: True if it covers only the present definition of its tool.
    """
    if not any(bound):
        return ("with the session; HIGH risk still asks",)
    tool = "the tool" if all(bound) else "a tool"
    return (
        f"with the session, or when {tool}'s definition changes; HIGH risk still asks",
        f"with the session, or when {tool}'s definition changes; HIGH asks",
        f"with session or {tool}'s definition",
        "session or tool definition",
    )


def where_words(named: Sequence[bool]) -> str:
    """Return from which directories calls are answered.

    Args:
        named: For each remembered approval: True if it matches on the directory.
    """
    if all(named):
        return "only in the directory named here"
    return "from any directory where none is named" if any(named) else "from any directory"
