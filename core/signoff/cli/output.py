"""Output of the command line to a terminal, a file or a pipe, and questions to the person there.

Standard output is for data, standard error for messages. Text that others wrote goes through
`signoff.present.reveal`, here or before; JSON is pure ASCII in which every control character is an escape.
"""

from __future__ import annotations

import select
import shutil
import sys
import termios
from typing import TextIO

from signoff.present.reveal import one_line
from signoff.text.ascii_json import ascii_json

__all__ = [
    "at_terminal",
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


def at_terminal(*streams: TextIO | None) -> bool:
    """True if all of these are a terminal; a standard stream that was closed is None."""
    return all(stream is not None and stream.isatty() for stream in streams)


_NARROWEST = 20


def width_of(stream: TextIO | None) -> int | None:
    """Return the columns of the terminal that a stream writes to, or None if it writes to something else."""
    if not at_terminal(stream):
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


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
