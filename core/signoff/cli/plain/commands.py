"""Commands that a person types: one on a line, a verb with numbers and words."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["HELP", "CommandError", "TypedCommand", "parse"]

HELP = """\
list               what waits, with numbers
show 3             all of request 3; it has to be read before it is approved
y 3   y 3 4 5      approve exactly these, as they were shown
! 3                approve 3 although not all of it can be shown; this is recorded
s 3                what approving 3 for the session would cover; s 3 again does it (s 3 wide where it says so)
n 3 WORDS          reject 3 and tell the agent why; it goes on
x 3 WORDS          reject 3 and stop its agent's batch
group 2            the members of group 2; group 2 show, group 2 y, group 2 n WORDS
u                  take back what is still held
history FILTER     what was decided, newest first; FILTER as in signoff history --filter
allowed            what runs without asking; revoke 1 takes the first of that list back
help   quit
"""

_NUMBERED = {"show": 1, "y": 99, "!": 1, "s": 1, "n": 1, "x": 1, "group": 1, "revoke": 1}
"""The most numbers that a verb takes; it takes at least one."""

_WORDY = frozenset({"n", "x", "s", "group", "history"})
_VERBS = (*_NUMBERED, "list", "u", "history", "allowed", "help", "quit")
_OTHER_NAMES: Mapping[str, str] = {"q": "quit", "exit": "quit", "?": "help", "l": "list"}


class CommandError(ValueError):
    """The line is no command; the message says what would be."""


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """One line that was understood.

    Attributes:
        verb: The verb.
        numbers: Of requests, of a group or of a remembered approval.
        words: The rest of the line.
    """

    verb: str
    numbers: tuple[int, ...] = ()
    words: str = ""


def parse(line: str) -> TypedCommand | None:
    """Read a line; None for an empty one.

    Raises:
        CommandError: It is no command. Nothing is guessed.
    """
    verb, _, rest = line.strip().partition(" ")
    if not verb:
        return None
    verb = _OTHER_NAMES.get(verb, verb)
    if verb not in _VERBS:
        raise CommandError(_unknown(verb))
    numbers, words = _numbers(rest, _NUMBERED.get(verb, 0))
    if verb in _NUMBERED and not numbers:
        raise CommandError(f"{verb} needs a number, as list prints it: {verb} 3")
    if words and verb not in _WORDY:
        raise CommandError(f"{verb} takes {'numbers' if verb in _NUMBERED else 'nothing'} only; nothing was done")
    return TypedCommand(verb, numbers, words)


def _numbers(rest: str, most: int) -> tuple[tuple[int, ...], str]:
    found: list[int] = []
    while len(found) < most:
        first, _, after = rest.strip().partition(" ")
        if not (first.isascii() and first.isdigit() and len(first) <= 9):
            break
        found.append(int(first))
        rest = after
    return tuple(dict.fromkeys(found)), rest.strip()


def _unknown(verb: str) -> str:
    near = difflib.get_close_matches(verb, _VERBS, n=1)
    return f"there is no such command; {f'did you mean {near[0]}? ' if near else ''}help lists them"
