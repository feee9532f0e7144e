"""What of the screen's gates is watched or taken out by `gates`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, get_args

from rich.segment import Segment
from textual import events
from textual.screen import Screen

from signoff_tui.screens.review import draw, open_bar
from signoff_tui.state import message
from signoff_tui.terminal import driver, output_filter
from signoff_tui.widgets import filter_bar as filter_words
from signoff_tui.widgets import text_box

SHEETS = get_args(open_bar.OpenBar)
"""What opens within a screen: bars, questions, lists and sheets."""

_OF_TEXTUAL = "\x1b]22;default\x07"
"""The shape of the mouse pointer: Textual asks for it, and the net drops it."""


def watch_the_nets(file: Path) -> None:
    """Note whatever a net behind the gate drops: with a whole gate, that is nothing."""
    drop, strip = output_filter.DropControls.apply, driver.without_strings

    def note(before: str, after: str) -> None:
        if after != before.replace(_OF_TEXTUAL, ""):
            with file.open("a", encoding="utf-8", errors="backslashreplace") as notes:
                notes.write(f"{before!a}\n")

    def apply(self: output_filter.DropControls, segments: list[Segment], background: Any) -> list[Segment]:
        after = drop(self, segments, background)
        note("".join(each.text for each in segments), "".join(each.text for each in after))
        return after

    def without_strings(data: str) -> str:
        after = strip(data)
        note(data, after)
        return after

    setattr(output_filter.DropControls, "apply", apply)  # noqa: B010
    setattr(driver, "without_strings", without_strings)  # noqa: B010


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
    setattr(draw, "bar_lines", noting(draw.bar_lines))  # noqa: B010


def take_out_the_gates_of_the_screen() -> None:
    """Let what is typed, pasted and painted through as it is."""

    def pastes(self: text_box.TextBox, event: events.Paste) -> None:
        self.insert_text_at_cursor(event.text)

    setattr(output_filter.DropControls, "apply", lambda self, segments, background: segments)  # noqa: B010
    setattr(driver, "without_strings", lambda data: data)  # noqa: B010
    setattr(text_box.TextBox, "validate_value", lambda self, value: value)  # noqa: B010
    setattr(text_box.TextBox, "take_paste", pastes)  # noqa: B010
    setattr(message, "as_message", lambda text: text)  # noqa: B010
    setattr(filter_words.FilterWords, "begin", lambda self: self.query.text)  # noqa: B010
