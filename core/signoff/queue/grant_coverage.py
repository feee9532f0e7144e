"""The coverage of a remembered approval: its breadth, compared with the call it was given for, and its words.

Screen, plain mode, command line and JSON take the words from here and only style them. The tool chooses the
payload that is matched on. Arguments that are not in the payload may be anything in later calls, and the words say
so before anybody agrees. Texts of others in them are not safe to draw yet, unless a function promises printable
ASCII.
"""

from __future__ import annotations

import json
import ntpath
import posixpath
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from signoff.canonical import canonical
from signoff.effects import Risk
from signoff.queue.grant_pattern import (
    AnyValue,
    Exact,
    GrantPattern,
    Matcher,
    Under,
    matcher_words,
    openness,
    quoted,
)
from signoff.queue.records import Grant, RequestState, StoredRequest, Submission

if TYPE_CHECKING:
    from signoff.queue.history import PatternPreview

__all__ = [
    "ANY_AGENT",
    "BREADTH_WORDS",
    "DIRECTORIES",
    "NOTHING_FIXED",
    "STILL_ASKED",
    "Breadth",
    "Reach",
    "applies_to",
    "end_words",
    "entry_text",
    "free_words",
    "is_about",
    "limit_text",
    "names_directory",
    "never_granted",
    "never_remembered",
    "preview_words",
    "reach",
    "reach_of",
    "reach_of_pattern",
    "row_text",
    "session_text",
    "where_words",
]


class Breadth(StrEnum):
    """The breadth of a remembered approval, from narrow to wide."""

    EXACT = "exact"
    """Every argument must be equal."""
    PATTERN = "pattern"
    """Some arguments may be anything."""
    WIDE = "WIDE"
    """No argument is fixed; only a container such as a sandbox is named."""
    EVERYTHING = "EVERYTHING"
    """Any call of the tool."""

    @property
    def careless(self) -> bool:
        """True if it wants an act or a choice of its own: it is not to be taken for exactly the call."""
        return self in {Breadth.WIDE, Breadth.EVERYTHING}


@dataclass(frozen=True, slots=True)
class Reach:
    """The calls that a remembered approval would match.

    Attributes:
        breadth: Its breadth as one word.
        fixed: Payload entries that must be equal, sorted by key.
        free: Names of arguments of this call that may be anything in a later one, sorted.
    """

    breadth: Breadth
    fixed: tuple[tuple[str, Any], ...]
    free: tuple[str, ...]


def reach(payload: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reach:
    """Compare a payload with the full arguments of the call.

    Args:
        payload: The payload that a remembered approval matches on.
        arguments: The full arguments.

    Raises:
        NotJsonError: An argument, or the payload entry of its name, is not JSON.
    """
    covered = {
        key for key, value in arguments.items() if key in payload and canonical(payload[key]) == canonical(value)
    }
    free = tuple(sorted(set(arguments) - covered))
    fixed = tuple(sorted(payload.items()))
    if not payload:
        return Reach(Breadth.EVERYTHING, fixed, free)
    if not free:
        return Reach(Breadth.EXACT, fixed, free)
    return Reach(Breadth.PATTERN if covered else Breadth.WIDE, fixed, free)


def reach_of(call: Submission) -> Reach:
    """Compare the payload of an approval for the session with the whole call."""
    return reach(call.payload, call.arguments)


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


def is_about(pattern: GrantPattern, call: Submission) -> bool:
    """True if a pattern covers a call; whether the call may be remembered is not looked at."""
    return pattern.matches(call.tool_name, call.payload, server=call.server)


# -- The covered calls, on one line or for the session.


def entry_text(name: str, matcher: Matcher, mask: Callable[[Any, str], Any]) -> str:
    """Return an entry in few words.

    Args:
        name: Its name.
        matcher: Its condition.
        mask: Returns a value without its secrets; gets the name, too.
    """
    words, values = matcher_words(matcher, "row")
    masked = [mask(value, name) for value in values]
    if isinstance(matcher, Under):
        return f"{name} {words} {masked[0]}/"
    return f"{name} {words} {', '.join(json.dumps(value, ensure_ascii=False) for value in masked)}".rstrip()


LONGEST_ROW = 400
"""The most characters of a row; no row is so wide."""

NOTHING_FIXED = "ANY call, no argument is fixed"
"""The coverage of `Breadth.EVERYTHING`."""

_ANY_CALL = "ANY call of this tool"


def session_text(call: Submission, tool: str, session: str) -> str:
    """Return the coverage of an approval for the session that may be given; printable ASCII but for the names.

    Args:
        call: The call.
        tool: Name of the tool, safe to print.
        session: The session, safe to print.
    """
    found = reach_of(call)
    fixed, free = quoted(dict(found.fixed)), ", ".join(map(quoted, found.free))
    which = {
        Breadth.EXACT: f" with exactly {fixed}",
        Breadth.PATTERN: f" with {fixed}, whatever the other arguments are: {free}",
        Breadth.WIDE: f" that the tool files under {fixed}, WHATEVER ITS ARGUMENTS ARE: {free}",
        Breadth.EVERYTHING: ", WHATEVER ITS ARGUMENTS ARE",
    }[found.breadth]
    where, end = where_words([names_directory(call.payload)])[0], end_words([call.definition is not None])[0]
    return f"every later call of {tool} in session {session}{which}, {where}; it ends {end}"


def row_text(grant: Grant, found: Reach | None, mask: Callable[[Any, str], Any]) -> str:
    """Return the covered calls on one line.

    Args:
        grant: The grant.
        found: Its reach, if that is known.
        mask: As for `entry_text`.
    """
    if grant.damage is not None:
        return grant.words()
    if found is not None and found.breadth is Breadth.EVERYTHING:
        return _ANY_CALL
    # The most open first: however short the row is cut, it does not look like the one that was widened.
    entries = sorted(grant.as_pattern().entries, key=lambda named: openness(named[1]), reverse=True)
    parts = [entry_text(name, matcher, mask) for name, matcher in entries]
    if found is not None:
        parts += free_words(found, dict(entries))
    return (", ".join(parts) or _ANY_CALL)[:LONGEST_ROW]


# -- The breadth, and what may be anything.

BREADTH_WORDS: Mapping[Breadth, str] = {
    Breadth.EXACT: "exactly this call",
    Breadth.PATTERN: "any call with these values",
    Breadth.WIDE: "WIDE: only this is fixed",
    Breadth.EVERYTHING: "EVERYTHING",
}


def limit_text(breadth: Breadth, pattern: GrantPattern) -> str:
    """Return the breadth of a pattern, and its only limits."""
    if breadth is Breadth.EXACT:
        return BREADTH_WORDS[breadth]
    names = [name for name, matcher in pattern.entries if not isinstance(matcher, AnyValue)]
    if not names:
        return f"{breadth}: nothing limits it"
    *others, last = names
    limits = f"{', '.join(others)} and {last} limit" if others else f"{last} limits"
    return f"{breadth}: only {limits} it"


def free_words(found: Reach, named: Collection[str]) -> Sequence[str]:
    """Return the arguments that may be anything because no entry limits them.

    Args:
        found: The reach.
        named: Names of matched entries: an argument that the agent spells differently from the tool is not free.
    """
    return [f"ANY {name}" for name in found.free if name not in named]


# -- Whose calls, from where, until when; the fullest wording first.

ANY_AGENT = "any agent of session"
"""Whose calls are answered; before the name of the session."""

DIRECTORIES = ("cwd", "workdir", "working_directory")
"""Names of payload entries that are the working directory of a call."""


def applies_to(session: str, payload: Mapping[str, Any], pattern: GrantPattern) -> str:
    """Return whose calls are answered, and from where; a pattern may leave the directory open.

    Args:
        session: The session.
        payload: The payload of the call that it was given for.
        pattern: The covered calls.
    """
    open_to_more = {name for name, matcher in pattern.entries if not isinstance(matcher, Exact)}
    free = {name for name, matcher in pattern.entries if isinstance(matcher, AnyValue)}
    where = where_words([names_directory(payload, free)])[0]
    if names_directory(payload, free) and not names_directory(payload, open_to_more):
        where = "only in directories as said here"
    return f"{ANY_AGENT} {session}, {where}"


def names_directory(payload: Mapping[str, Any], free: Collection[str] = ()) -> bool:
    """True if the directory of a call is part of the match, which it is only if it is in the payload.

    Args:
        payload: The payload.
        free: Names of its entries that may be anything.
    """
    values = [payload.get(name) for name in DIRECTORIES if name not in free]
    # A relative one is another directory in each working directory.
    return any(isinstance(value, str) and (posixpath.isabs(value) or ntpath.isabs(value)) for value in values)


def where_words(named: Sequence[bool]) -> Sequence[str]:
    """Return from which directories calls are answered.

    Args:
        named: For each remembered approval: True if it matches on the directory.
    """
    if all(named):
        return "only in the directory named here", "only in that cwd"
    return (*(["from any directory where none is named"] if any(named) else []), "from any directory")


def end_words(bound: Sequence[bool]) -> Sequence[str]:
    """Return when remembered approvals end.

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


# -- What no remembered approval covers.

STILL_ASKED = "HIGH risk, what leads elsewhere, and what hides a secret"
"""The calls that are asked about although they match."""


def never_remembered(call: Submission) -> str | None:
    """Return the reason for which no approval of a call is remembered, or None if one may be."""
    if call.may_be_remembered:
        return None
    if call.risk is Risk.HIGH:
        return "an approval of HIGH risk is never remembered"
    return (
        "an approval of this call is never remembered: it leads elsewhere, hides a secret, or its agent keeps none"
    )


def never_granted(request: StoredRequest) -> str | None:
    """Return the reason for which no grant is given for a request, or None if one may be."""
    if request.state is RequestState.REJECTED:
        return "the request was rejected, and a no is never remembered as a yes"
    return never_remembered(request.submission)


# -- The calls that a pattern would have answered.


def preview_words(found: PatternPreview) -> Mapping[str, str]:
    """Return the words on the calls that are ``matched``, ``asked`` all the same, ``unreadable``, and ``waiting``.

    Those on calls that are asked or unreadable are left out if there are none.
    """
    number = len(found.waiting)
    waiting = "no waiting request matches" if not number else "1 waiting request matches, and stays undecided"
    words = {
        "matched": f"would have matched {len(found.matched)} of the last {_calls(found.looked_at)} of the session",
        "waiting": waiting if number < 2 else f"{number} waiting requests match, and stay undecided",
    }
    if found.still_asked:
        words["asked"] = f"{found.still_asked} more match and would still be asked"
    if found.unreadable:
        words["unreadable"] = f"{_calls(found.unreadable)} could not be compared: the record is damaged"
    return words


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"
