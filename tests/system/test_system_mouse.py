"""The mouse in the real screen: in a plain terminal, and in tmux as it is without any setting."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from person_bench import Person, focused
from pty_bench import Terminal

from signoff.queue import AgentQueue, ReviewQueue
from signoff.types import ApprovalRequest
from system_bench import SCREEN, eventually, note, post

pytestmark = pytest.mark.system

LINES = 60

STEP = 0.1
"""Seconds from one report of a dragging hand to the next."""

WHERE = ("terminal", "tmux")


class Mouse:
    """A hand on the mouse of a terminal; rows and columns count from 0."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def click(self, row: int, column: int) -> None:
        """Press and release the left button."""
        self._sends(0, row, column)
        self._sends(0, row, column, end="m")

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press, move in two steps, release, as slowly as a hand."""
        for button, place, last in ((0, start, "M"), (32, start, "M"), (32, end, "M"), (0, end, "m")):
            self._sends(button, *place, end=last)
            time.sleep(STEP)

    def wheel_down(self, row: int, column: int) -> None:
        """Turn the wheel by one notch."""
        self._sends(65, row, column)

    def _sends(self, button: int, row: int, column: int, *, end: str = "M") -> None:
        self._terminal.type(f"\x1b[<{button};{column + 1};{row + 1}{end}")


def place_of(terminal: Terminal, words: str) -> tuple[int, int]:
    """Row and column where words begin."""
    rows = terminal.text().split("\n")
    return next((row, found.start()) for row, line in enumerate(rows) if (found := re.search(words, line)))


@pytest.fixture(params=WHERE)
def terminal(
    request: pytest.FixtureRequest,
    variables: dict[str, str],
    workdir: Path,
    asking: AgentQueue,
    looking: ReviewQueue,
) -> Iterator[Terminal]:
    """The screen with a long request and two short ones; the long one has the focus."""
    post(
        asking,
        ApprovalRequest(tool_name="long", description="long", payload={f"k{n:02}": n for n in range(LINES)}),
    )
    for name in ("second", "third"):
        note(asking, name)
    folder = Path(tempfile.mkdtemp(prefix="so-mouse-", dir="/tmp"))
    tmux = ["tmux", "-u", "-S", str(folder / "s"), "-f", "/dev/null"]
    command = SCREEN if request.param == "terminal" else [*tmux, "new-session", *SCREEN]
    try:
        with Terminal(command, variables, workdir) as found:
            person = Person(found)
            person.sees(r"^▌.*long")
            person.sees(r"k05: 5")
            yield found
    finally:
        if request.param == "tmux":
            subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)
        shutil.rmtree(folder)


def test_a_click_goes_to_a_row(terminal: Terminal) -> None:
    Mouse(terminal).click(*place_of(terminal, "third"))
    eventually(lambda: "third" in focused(terminal.text()), terminal.text)


def test_a_click_on_a_key_of_the_bottom_row_does_what_it_says(terminal: Terminal) -> None:
    Mouse(terminal).click(*place_of(terminal, r"\? keys"))
    Person(terminal).sees("what to search|keys of|Esc back")


def test_the_wheel_reads_on(terminal: Terminal) -> None:
    Mouse(terminal).wheel_down(*place_of(terminal, r"k05\b"))
    eventually(lambda: "k00" not in terminal.text(), terminal.text)


def test_the_border_follows_the_mouse(terminal: Terminal) -> None:
    row, column = place_of(terminal, "│")

    def moved() -> bool:
        Mouse(terminal).drag(place_of(terminal, "│"), (row, column + 8))
        return place_of(terminal, "│")[1] == column + 8

    eventually(moved, terminal.text)


def test_dragging_marks_text_and_ctrl_c_copies_it(terminal: Terminal) -> None:
    (row, column), (last, _) = place_of(terminal, r"k03\b"), place_of(terminal, r"k05\b")

    def marked() -> bool:
        Mouse(terminal).drag((row, column), (last, column + len("k05: 5") - 1))
        return "Ctrl+C copies" in terminal.text()

    eventually(marked, terminal.text)
    terminal.press("C-c")
    wanted = base64.b64encode(b"k03: 3\nk04: 4\nk05: 5")
    eventually(lambda: re.search(rb"\x1b\]52;[cp]*;" + re.escape(wanted), terminal.raw), terminal.text)


def test_neither_click_nor_drag_decides(terminal: Terminal, looking: ReviewQueue) -> None:
    mouse = Mouse(terminal)
    for words in ("y approve", "n reject", "long", r"k05\b"):
        mouse.click(*place_of(terminal, words))
    mouse.drag(place_of(terminal, r"k03\b"), place_of(terminal, "y approve"))
    mouse.click(*place_of(terminal, "third"))
    eventually(lambda: "third" in focused(terminal.text()), terminal.text)
    assert len(looking.pending()) == 3
