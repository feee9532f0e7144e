"""The screen and the command line with their gates watched or taken out: run as a program by the tests.

    python gates.py watched FILE [COMMANDS]   what the nets behind `reveal` had to drop is written to a file, and
                                              the screens and sheets that were opened to `shown` beside it
    python gates.py open FILE [COMMANDS]      nothing is made safe, nothing is dropped

Without commands, a file with a list of lists in JSON, it is the screen. A command that begins with "<" and the
path of a file reads that file. Nothing outside of the tests can do this.
"""

from __future__ import annotations

import contextlib
import json
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from signoff.cli import output
from signoff.present.reveal import safe_text
from signoff.text import ascii_json


def take_out_the_gates() -> None:
    """Let all text through as it is, to see that the tests notice."""

    def unchanged(text: str, *_: object) -> safe_text.SafeText:
        return safe_text.SafeText(text)

    # What looks at a text when it is made; the class keeps that method from its beginning.
    setattr(safe_text, "is_plain", lambda *_: True)  # noqa: B010
    setattr(safe_text.SafeText, "own", classmethod(lambda cls, words: cls(words)))  # noqa: B010
    # The package has a function of the same name.
    setattr(import_module("signoff.present.reveal"), "_reveal", unchanged)  # noqa: B010
    for module in (ascii_json, output):
        module.ascii_json = partial(json.dumps, ensure_ascii=False)


if __name__ == "__main__":
    _, which, place, *commands = sys.argv
    if not commands:
        # The command line loads nothing of the screen, which takes longer than most commands.
        import gates_of_the_screen as screen

        if which == "open":
            screen.take_out_the_gates_of_the_screen()
        else:
            screen.watch_the_nets(Path(place))
            screen.note_what_is_shown(Path(place).with_name("shown"))
    if which == "open":
        take_out_the_gates()
    from signoff.cli.main import main

    for arguments in json.loads(Path(commands[0]).read_bytes()) if commands else [[]]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(SystemExit))
            if arguments[:1] and arguments[0].startswith("<"):
                given = stack.enter_context(Path(arguments.pop(0)[1:]).open())
                stack.enter_context(patch.object(sys, "stdin", given))
            main(arguments)
