"""The only way of text from the command line to a terminal, a file or a pipe.

Standard output is data, standard error is talk. Text that others wrote goes through `one_line` or the
functions here that use it; JSON is pure ASCII in which every control character is an escape.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from signoff.cli.page import at_terminal
from signoff.history_export import ascii_json
from signoff.present.reveal import reveal_line

if TYPE_CHECKING:
    from signoff.present.reveal import Field

__all__ = ["ascii_json", "clipped", "complain", "one_line", "print_json", "print_note"]


def one_line(text: str, field: Field = "content") -> str:
    """Make a text of others safe to print on one line; nothing is left out.

    Args:
        text: Any text; newlines and everything a terminal obeys become visible escapes.
        field: Where it stands in a request.
    """
    return reveal_line(text, field).text


def clipped(text: str, width: int) -> str:
    """Shorten safe text for a table; what is missing is counted.

    Args:
        text: Text made by `one_line`.
        width: Most characters that are kept.
    """
    return text if len(text) <= width else f"{text[:width]} (+{len(text) - width} characters)"


def complain(text: str) -> None:
    """Say one sentence on standard error, whatever is in it."""
    print(f"signoff: {one_line(text)}", file=sys.stderr)


def print_json(value: object) -> None:
    """Print a JSON value for programs, and for people who read over their shoulder."""
    print(ascii_json(value, indent=2))


def print_note(note: str) -> None:
    """Print the reviewer's words: as they are for a program, made safe for a terminal."""
    if at_terminal(sys.stdout):
        print("\n".join(one_line(line) for line in note.split("\n")))
    else:
        print(note)
