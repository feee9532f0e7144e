"""What a shell command is made of, as far as rules need it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

__all__ = ["LONGEST_RULE", "Facts", "Part", "Word"]

LONGEST_RULE = 16
"""Words of what may be a command, where that cannot be told: a rule that asks or blocks is not longer."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a simple command, after quote removal.

    Attributes:
        text: What is known of it; pieces that the shell fills in are left out.
        literal: Whether `text` is exactly what the program gets: no expansion, pattern, brace or tilde in it.
    """

    text: str
    literal: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A simple command, which is judged alone.

    Attributes:
        words: Its words; the first names the program. Never empty.
        piped: Whether it reads from a pipe.
        fed: The here-document or here-string that it reads, with its expansions left out; None without one.
        reads_file: Whether its standard input comes from a file.
    """

    words: tuple[Word, ...]
    piped: bool = False
    fed: str | None = None
    reads_file: bool = False

    @property
    def text(self) -> str:
        """The words with blanks between them, quoted where they need it, for people."""
        return " ".join(shlex.quote(word.text) if word.literal else f"{word.text}…" for word in self.words)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found in a command line.

    Attributes:
        parts: The simple commands, wherever in the line they stand.
        floors: Reasons for which the line is at least asked about, whatever the rules say of its parts.
        candidates: Words of what may be commands in a line that could not be read: only rules that block or ask
        are
            applied to them.
        writes: What the redirections open, other than to read and other than ``/dev/null``.
    """

    parts: tuple[Part, ...]
    floors: tuple[str, ...] = ()
    candidates: tuple[tuple[Word, ...], ...] = ()
    writes: tuple[Word, ...] = ()
