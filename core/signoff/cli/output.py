"""Output of the command line to a terminal, a file or a pipe, and questions to the person there.

Standard output is for data, standard error for messages. Text that others wrote goes through
`signoff.present.reveal`, here or before; JSON is pure ASCII in which every control character is an escape.
"""

from __future__ import annotations

import select
import shutil
import sys
import termios
import unicodedata
from collections.abc import Iterator
from typing import TextIO

from signoff.present.reveal import one_line
from signoff.text.ascii_json import ascii_json

__all__ = [
    "Page",
    "at_terminal",
    "cells",
    "complain",
    "counted",
    "print_json",
    "print_note",
    "typed_answer",
    "warn_of_password",
    "width_of",
]


def counted(number: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def complain(text: str) -> None:
    """Print one sentence on standard error, whatever is in it."""
    print(f"signoff: {one_line(text)}", file=sys.stderr)


def warn_of_password(place: str) -> None:
    """Say what to do with a password in the queue that a command line names; others can read it there."""
    from signoff.queue.location import has_password

    if has_password(place):
        complain(
            "the password in --queue is shown to everybody on this machine by ps, and kept by the history of your"
            " shell: put it into ~/.pgpass, or the URL into SIGNOFF_QUEUE"
        )


def print_json(value: object) -> None:
    """Print a JSON value for programs, and for people who read over their shoulder."""
    print(ascii_json(value, indent=2))


def print_note(note: str) -> None:
    """Print the reviewer's words: as they are for a program, made safe for a terminal."""
    if at_terminal(sys.stdout):
        print("\n".join(one_line(line) for line in note.split("\n")))
    else:
        print(note)


# -- Lines of text in which words of others cannot pass for signoff's.
#
# Every printed line begins with a label, and so does every row that a terminal would have wrapped: no content,
# however long, puts its own words at the edge of the screen.

_NARROWEST = 20


def at_terminal(*streams: TextIO | None) -> bool:
    """True if all of these are a terminal; a standard stream that was closed is None."""
    return all(stream is not None and stream.isatty() for stream in streams)


def width_of(stream: TextIO | None) -> int | None:
    """Return the columns of the terminal that a stream writes to, or None if it writes to something else."""
    if not at_terminal(stream):
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def cells(text: str) -> int:
    """Return the columns of a line of safe text."""
    return sum(map(_cells, text))


class Page:
    """A text that lines are added to.

    Args:
        width: Columns at which lines are folded, or None to leave them whole.
    """

    def __init__(self, width: int | None) -> None:
        self._width = width
        self._lines: list[str] = []

    def add(self, text: str, *, label: str = "", fold: str | None = None, at_words: bool = False) -> None:
        """Add one line.

        Args:
            text: Safe text without a newline.
            label: The label before it.
            fold: The text before the rows that the line is folded into; blanks by default.
            at_words: True to fold it between words.
        """
        if self._width is None:
            self._lines.append(f"{label}{text}".rstrip(" "))
            return
        begin, room = label, max(1, self._width - len(label))
        for piece in _pieces(text, room, at_words=at_words):
            self._lines.append(f"{begin}{piece}".rstrip(" "))
            begin = (" " * len(label) if fold is None else fold.ljust(len(label)))[: len(label)]

    def text(self) -> str:
        """All lines, each with its end."""
        return "".join(f"{line}\n" for line in self._lines)


def _pieces(text: str, room: int, *, at_words: bool) -> Iterator[str]:
    """Cut a text into parts of at most so many columns."""
    start = used = 0
    for index, character in enumerate(text):
        wide = _cells(character)
        if used and used + wide > room:
            end = (text.rfind(" ", start, index) + 1 if at_words else 0) or index
            yield text[start:end]
            start, used = end, sum(map(_cells, text[end:index]))
        used += wide
    yield text[start:]


def _cells(character: str) -> int:
    """The columns of a character; ambiguous ones count as wide, since terminals differ about them."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WFA" else 1


# -- A question that only a person at a terminal can answer.

_LOOK = 0.2
"""The longest delay, in seconds, until an interruption just before the wait is noticed."""


def typed_answer(question: str) -> str:
    """Ask at the terminal, and wait for the line that is typed as an answer.

    Args:
        question: The question, written to stderr before the answer.

    Returns:
        The line in lower case, without white space around it; empty at the end of the input.

    Raises:
        KeyboardInterrupt: Ctrl+C was pressed.
    """
    sys.stderr.write(question)
    sys.stderr.flush()
    # Keys typed before the question was printed are no answer to it.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    # A read that begins right after Ctrl+C would wait for a line all the same.
    while not select.select([sys.stdin], [], [], _LOOK)[0]:
        pass
    return sys.stdin.readline().strip().lower()
