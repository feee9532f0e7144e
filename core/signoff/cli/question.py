"""A question that only a person at a terminal can answer."""

from __future__ import annotations

import select
import sys
import termios

__all__ = ["typed_answer"]

_LOOK = 0.2
"""Most seconds until an interruption is noticed that came just before the waiting began."""


def typed_answer(question: str) -> str:
    """Ask at the terminal, and wait for the line that is typed as an answer.

    Args:
        question: Written to stderr; the answer is typed behind it.

    Returns:
        The line in lower case, without white space around it; empty at the end of the input.

    Raises:
        KeyboardInterrupt: Ctrl+C was pressed.
    """
    sys.stderr.write(question)
    sys.stderr.flush()
    # What was typed before the question was there is no answer to it.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    # A read that begins right after Ctrl+C would wait for a line all the same.
    while not select.select([sys.stdin], [], [], _LOOK)[0]:
        pass
    return sys.stdin.readline().strip().lower()
