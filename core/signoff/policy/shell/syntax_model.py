"""The facts about a shell command that rules need: its parts and their words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from msgspec import Struct

__all__ = [
    "LONGEST_RULE",
    "LOOKS",
    "LOOP",
    "NOT_IN_BASH",
    "Part",
    "ShellFacts",
    "Word",
    "possible_commands",
]

_BETWEEN_QUOTES = re.compile(r"\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_LIST = re.compile(r"\$\{?@|\[@\]")
"""Parameters and arrays of which the shell makes any number of words, between quotes too."""

LOOP = "sets the variable of a loop"
LOOKS = "has a [[ ]] test of texts or files"
NOT_IN_BASH = frozenset({LOOP, LOOKS})
"""Reasons to ask in other shells than bash: zsh has lower-case variables of its own, dash has no ``[[``."""

LONGEST_RULE = 16
"""The most words of a possible command: a rule that asks or blocks is not longer."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a simple command, after quote removal.

    Attributes:
        text: The known text; pieces that the shell fills in are left out.
        literal: True if the program gets exactly `text`: no expansion, pattern, brace or tilde in it.
        written: A word that is not literal, as written in the line, for people; empty if not known.
    """

    text: str
    literal: bool = True
    written: str = field(default="", compare=False)

    @property
    def spelled(self) -> str:
        """The word as written, without continuations of the line, which mean nothing."""
        return self.written.replace("\\\n", "")

    @property
    def is_one_text(self) -> bool:
        """True if all of it is between double quotes, so that the shell makes exactly one word of it."""
        return _BETWEEN_QUOTES.fullmatch(self.spelled) is not None and _LIST.search(self.spelled) is None

    @property
    def shown(self) -> str:
        """The word for people: quoted where it needs it, or as it is written if the shell fills it in."""
        return shlex.quote(self.text) if self.literal else self.written or f"{self.text}…"


@dataclass(frozen=True, slots=True)
class Part:
    """A simple command, which is judged alone.

    Attributes:
        words: Its words; the first names the program. Never empty.
        piped: True if it reads from a pipe.
        fed: The here-document or here-string that it reads, with its expansions left out; None without one.
        reads_file: True if its standard input comes from a file.
        joined: The sign or word before it in the line, such as ``&&``, ``$(`` or ``then``. It is for people:
            commands that differ in it alone are one command to the rules.
        writes: The files that its redirections open for writing. Rules ask about these for the line as a
            whole, so they do not tell commands apart either.
    """

    words: tuple[Word, ...]
    piped: bool = False
    fed: str | None = None
    reads_file: bool = False
    joined: str = field(default="", compare=False)
    writes: tuple[Word, ...] = field(default=(), compare=False)

    @property
    def shown(self) -> str:
        """The words with blanks between them, as `Word.shown`."""
        return " ".join(word.shown for word in self.words)

    @property
    def text(self) -> str:
        """The words with blanks between them, quoted where they need it, for people."""
        return " ".join(shlex.quote(word.text) if word.literal else f"{word.text}…" for word in self.words)


class ShellFacts(Struct, frozen=True):
    """The facts found in a command line.

    Attributes:
        parts: The simple commands anywhere in the line.
        floors: Reasons for which the line is at least asked about, whatever the rules say of its parts.
        candidates: Words of possible commands in a line that could not be read: only rules that block or ask
            are applied to them.
        writes: The files that redirections open, other than for reading and ``/dev/null``.
        broken: True if the line is no valid command, so that its parts do not tell what it does.
        anywhere: Rows of words; at any word of a row such a command may begin.
        given_up: True if the parsers had no answer in the time and memory that they have.
    """

    parts: tuple[Part, ...]
    floors: tuple[str, ...] = ()
    candidates: tuple[tuple[Word, ...], ...] = ()
    writes: tuple[Word, ...] = ()
    broken: bool = False
    anywhere: tuple[tuple[Word, ...], ...] = ()
    given_up: bool = False


def possible_commands(
    candidates: Iterable[tuple[Word, ...]], anywhere: Iterable[tuple[Word, ...]], tells: Callable[[Word], bool]
) -> Iterator[tuple[Word, ...]]:
    """Yield the words of possible commands, each once and at most `LONGEST_RULE`.

    They are not kept: a line of a hundred thousand words would have as many, of sixteen words each.

    Args:
        candidates: Words of possible commands.
        anywhere: Rows of words; at any word of a row a command may begin.
        tells: Tells whether a command that begins with a word matters.
    """
    seen: set[tuple[Word, ...]] = set()
    windows = (row[at : at + LONGEST_RULE] for row in anywhere for at, word in enumerate(row) if tells(word))
    for words in chain((words for words in candidates if tells(words[0])), windows):
        if words not in seen:
            seen.add(words)
            yield words
