"""All commands of a line: its own, those that they run in turn, and those in texts that are run."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache

from msgspec import Struct

from signoff.policy.shell.plain_commands import suspicious_characters
from signoff.policy.shell.syntax_model import NOT_IN_BASH, Part, Word
from signoff.policy.shell.worker import read_command, words_anywhere
from signoff.policy.shell.wrappers import TOO_MUCH, inner_of

__all__ = ["Expanded", "ExpandedCommand", "expand"]

_RUNS = "runs"
"""The word shown before a command that another one runs."""
_ANSI_C = re.compile(r"(?<!\\)((?:\\\\)*)\$'")
"""The beginning of ``$'...'``, which dash reads as a dollar sign and a quoted text."""
_MOST_TEXTS = 200
"""The most texts within texts: most have to be parsed, and each costs two processes."""
_PER_BROKEN_TEXT = 20
"""The weight of a text that the parsers could not read, in texts: it may have taken them long."""
_MOST_CHARACTERS = 256 * 1024
"""The most characters in all texts within texts together."""
_MOST_WORDS = 40_000
"""The most words of commands that other commands run: each is judged several times."""
_PER_COMMAND = 4
"""The cost of a command besides its words, in words."""
_MOST_KEPT = 8
"""The number of lines whose commands are kept in mind."""


class ExpandedCommand(Struct, frozen=True):
    """One command that a line runs.

    Attributes:
        part: The command.
        reasons: Reasons to ask about it whatever the rules say, because of what it runs in turn.
        alone: True if the line is this command alone.
        times: The number of times that it occurs.
        by: The index of the command that runs it; None if it is in the line itself.
    """

    part: Part
    reasons: tuple[str, ...] = ()
    alone: bool = False
    times: int = 1
    by: int | None = None


class Expanded(Struct, frozen=True):
    """The commands of a line, and reasons to ask.

    Attributes:
        runs: Every command, in the order in which they were found.
        floors: Reasons for which the line is asked about whatever the rules say.
        candidates: Words of possible commands, where nobody could tell.
        writes: The files that redirections open, other than to read.
        broken: True if the line, or a text in it, is no command.
        anywhere: Rows of words; at any word of a row a command may begin.
    """

    runs: tuple[ExpandedCommand, ...]
    floors: tuple[str, ...]
    candidates: tuple[tuple[Word, ...], ...]
    writes: tuple[Word, ...]
    broken: bool = False
    anywhere: tuple[tuple[Word, ...], ...] = ()


@lru_cache(maxsize=_MOST_KEPT)
def expand(text: str) -> Expanded:
    """Find every command that a line runs.

    The rules, the risk and the tool ask about one line in turn: it is read once.

    Args:
        text: The text that is handed to ``bash -c``.
    """
    expanding = _Expanding()
    expanding.run(text)
    return Expanded(
        tuple(expanding.runs),
        tuple(expanding.floors),
        tuple(expanding.candidates),
        tuple(expanding.writes),
        expanding.broken,
        tuple(expanding.anywhere),
    )


class _Expanding:
    def __init__(self) -> None:
        self._waiting: list[tuple[Part | str, int]] = []
        self._texts = self._characters = self._words = 0
        self._given_up = False
        self._said: list[tuple[Word, ...]] = []
        self.runs: list[ExpandedCommand] = []
        self.floors: dict[str, None] = {}
        self.candidates: dict[tuple[Word, ...], None] = {}
        self.anywhere: list[tuple[Word, ...]] = []
        self.writes: dict[Word, None] = {}
        self.broken = False

    def run(self, text: str) -> None:
        """Go through a text, and all texts found in it, up to a limit on work, not on time."""
        self._read(text, None)
        while self._waiting and not self._given_up:
            found, by = self._waiting.pop()
            if isinstance(found, Part):
                self._note(found, by=by)
            elif self._may_read(found):
                self._read(found, by)
            else:
                self._waiting.append((found, by))
        if self._given_up:
            self._look_anywhere(text)

    def _may_read(self, text: str) -> bool:
        self._texts += 1
        self._characters += len(text)
        self._given_up |= self._texts > _MOST_TEXTS or self._characters > _MOST_CHARACTERS
        return not self._given_up

    def _look_anywhere(self, text: str) -> None:
        """Note the words of all that was not analyzed, so that rules that block still find them."""
        self.floors.setdefault(TOO_MUCH)
        self.anywhere += self._said
        waiting = [found for found, _ in self._waiting if isinstance(found, str)]
        # Only the beginning of a very long text is looked through, and most are parts of the first one.
        self.anywhere += [words_anywhere(each) for each in (text, " ".join(dict.fromkeys(waiting)))]

    def _read(self, text: str, by: int | None) -> None:
        if reason := suspicious_characters(text):
            self.floors.setdefault(reason)
        in_bash = by is None or _is_bash(self.runs[by].part)
        if by is not None and not in_bash and _ANSI_C.search(text):
            self.floors.setdefault("has $'...', which not all shells read alike")
            self._waiting.append((_ANSI_C.sub(r"\1\\$'", text), by))
        facts = read_command(text)
        floors = [floor for floor in facts.floors if not in_bash or floor not in NOT_IN_BASH]
        self.floors.update(dict.fromkeys(floors))
        self.writes.update(dict.fromkeys(facts.writes))
        self.candidates.update(dict.fromkeys(facts.candidates))
        self.anywhere += facts.anywhere
        self._texts += _PER_BROKEN_TEXT * facts.broken
        self._given_up |= by is not None and facts.given_up  # others would not be read any sooner
        self.broken = self.broken or facts.broken
        if not facts.parts and not floors:
            self.floors.setdefault("holds no command")
        # A repeated text is judged once, unless it writes elsewhere or is filled in otherwise the second time.
        said = Counter((part, part.writes, tuple(word.written for word in part.words)) for part in facts.parts)
        self._said += [part.words for part, *_ in said]
        for (part, *_), times in said.items():
            if by is None:
                self._note(part, alone=len(facts.parts) == 1, times=times)
            else:
                self._note(_run_by(part, self.runs[by].part), times=times, by=by)

    def _note(self, part: Part, *, alone: bool = False, times: int = 1, by: int | None = None) -> None:
        if by is not None:
            self._words += len(part.words) + _PER_COMMAND
            self._given_up |= self._words > _MOST_WORDS
        inner = inner_of(part) if part.words[0].literal else None
        here = len(self.runs)
        if inner is None:
            self.runs.append(ExpandedCommand(part, alone=alone, times=times, by=by))
            return
        self.runs.append(ExpandedCommand(part, tuple(inner.reasons), alone, times, by))
        commands = [Part(words, part.piped, part.fed, part.reads_file, _RUNS) for words in inner.commands]
        found: list[Part | str] = [*reversed(inner.texts), *reversed(commands)]
        self._waiting += [(each, here) for each in found]
        self.anywhere += inner.anywhere
        self._given_up |= TOO_MUCH in inner.reasons


def _is_bash(part: Part) -> bool:
    return part.words[0].text.rpartition("/")[2] == "bash"


def _run_by(part: Part, outer: Part) -> Part:
    """A command found in a text, with the input of the program that runs the text."""
    return replace(
        part,
        joined=part.joined or _RUNS,
        piped=part.piped or outer.piped,
        fed=outer.fed if part.fed is None else part.fed,
        reads_file=part.reads_file or outer.reads_file,
    )
