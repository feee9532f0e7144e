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
from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

from rich.segment import Segment
from textual import events
from textual.screen import Screen

from signoff.cli import output
from signoff.present import _safetext
from signoff_tui import last_net, message, replies, terminal_driver
from signoff_tui.screens.memory import widening
from signoff_tui.screens.review import drawing, open_bar
from signoff_tui.widgets import text_box
from signoff_tui.widgets.filter_bar import words as filter_words

SHEETS = (*get_args(open_bar.OpenBar), open_bar.Picking, widening.Widening)
"""What opens within a screen: bars, questions, lists and sheets."""

_OF_TEXTUAL = "\x1b]22;default\x07"
"""The shape of the mouse pointer: Textual asks for it, and the net drops it."""


def watch_the_nets(file: Path) -> None:
    """Note whatever a net behind the gate drops: with a whole gate, that is nothing."""
    drop, strip = last_net.DropControls.apply, terminal_driver.without_strings

    def note(before: str, after: str) -> None:
        if after != before.replace(_OF_TEXTUAL, ""):
            with file.open("a", encoding="utf-8", errors="backslashreplace") as notes:
                notes.write(f"{before!a}\n")

    def apply(self: last_net.DropControls, segments: list[Segment], background: Any) -> list[Segment]:
        after = drop(self, segments, background)
        note("".join(each.text for each in segments), "".join(each.text for each in after))
        return after

    def without_strings(data: str) -> str:
        after = strip(data)
        note(data, after)
        return after

    setattr(last_net.DropControls, "apply", apply)  # noqa: B010
    setattr(terminal_driver, "without_strings", without_strings)  # noqa: B010


def note_what_is_shown(file: Path) -> None:
    """Note every screen that is opened, and every sheet that is drawn."""
    seen: set[type] = set()

    def noting(act: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(act)
        def acted(*given: Any, **named: Any) -> Any:
            shown = [each for each in given if isinstance(each, (Screen, *SHEETS))]
            for each in (*shown, *(getattr(bar, "picking", None) for bar in shown)):
                if each is not None and type(each) not in seen:
                    seen.add(type(each))
                    with file.open("a") as notes:
                        notes.write(f"{type(each).__name__}\n")
            return act(*given, **named)

        return acted

    Screen.__init__ = noting(Screen.__init__)  # type: ignore[method-assign]
    for module, name in ((drawing, "bar_lines"), (widening, "sheet_lines")):
        setattr(module, name, noting(getattr(module, name)))


def take_out_the_gates() -> None:
    """Let all text through as it is, to see that the tests notice."""

    def unchanged(text: str, *_: object) -> _safetext.SafeText:
        return _safetext.SafeText(text)

    def pastes(self: text_box.TextBox, event: events.Paste) -> None:
        self.insert_text_at_cursor(event.text)

    # What looks at a text when it is made; the class keeps that method from its beginning.
    setattr(_safetext, "is_plain", lambda *_: True)  # noqa: B010
    setattr(_safetext.SafeText, "own", classmethod(lambda cls, words: cls(words)))  # noqa: B010
    # The package has a function of the same name.
    setattr(import_module("signoff.present.reveal"), "_reveal", unchanged)  # noqa: B010
    setattr(last_net.DropControls, "apply", lambda self, segments, background: segments)  # noqa: B010
    setattr(terminal_driver, "without_strings", lambda data: data)  # noqa: B010
    setattr(text_box.TextBox, "validate_value", lambda self, value: value)  # noqa: B010
    setattr(text_box.TextBox, "take_paste", pastes)  # noqa: B010
    for module in (message, replies):
        setattr(module, "as_message", lambda text: text)  # noqa: B010
    setattr(output, "ascii_json", partial(json.dumps, ensure_ascii=False))  # noqa: B010
    setattr(filter_words.FilterWords, "begin", lambda self: self.query.text)  # noqa: B010


if __name__ == "__main__":
    _, which, place, *commands = sys.argv
    if which == "watched":
        watch_the_nets(Path(place))
        note_what_is_shown(Path(place).with_name("shown"))
    else:
        take_out_the_gates()
    from signoff.cli.main import main

    for arguments in json.loads(Path(commands[0]).read_bytes()) if commands else [[]]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(SystemExit))
            if arguments[:1] and arguments[0].startswith("<"):
                given = stack.enter_context(Path(arguments.pop(0)[1:]).open())
                stack.enter_context(patch.object(sys, "stdin", given))
            main(arguments)
