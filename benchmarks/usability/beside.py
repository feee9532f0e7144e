"""The screen beside a bare program with stock widgets of Textual, in turn in one run."""

from __future__ import annotations

import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from person_bench import Person
from pty_bench import Terminal, replay

import benchmarks.bare_textual
from benchmarks.usability.bench import Bench, Room, first_shown, until_shown
from benchmarks.usability.figure import Figure, at_most, high_percentile, together
from stocked import Stock
from system_bench import eventually

WAITING = 49
LINES = 6_000
"""Of a new file, all of which has to be read before it is approved."""

STARTS = 10
APPROVALS = 20
PAGES = 40
PACE = 0.7
"""Seconds from key to key: what a hand needs, and what a target needs to be armed."""

SETTLED = 1.5

BARE = (sys.executable, str(Path(benchmarks.bare_textual.__file__)))


def first_paint(bench: Bench) -> Figure:
    """UT-20: from the start of the process, each in turn."""
    room = bench.mix()
    ours, bare = [], []
    for _ in range(bench.rounds(STARTS) + 1):
        ours.append(_started(room, lambda: room.screen(120, 40), "▌"))
        bare.append(_started(room, lambda: _bare(room, 18, 100), "command 17"))
    ratio = statistics.median(ours[1:]) / statistics.median(bare[1:])  # the first ones fill the caches
    return at_most("beside bare Textual", ratio, 1.5, "x")


def _started(room: Room, start: Callable[[], Terminal], words: str) -> float:
    with start() as terminal:
        until_shown(terminal, words)
    shown = first_shown(terminal, lambda rows: any(words in row for row in rows))
    return shown - room.started_at()


def approving(bench: Bench) -> Figure:
    """UT-21: from `y` to the row that counts down, with 49 waiting and a diff of 6,000 lines open."""
    room = _with_long_diff(bench)
    with room.screen(120, 40) as terminal:
        until_shown(terminal, f"{WAITING} waiting", "▌")
        _reads_long_diff(terminal)
        person, times = Person(terminal), []
        for _ in range(bench.rounds(APPROVALS)):
            time.sleep(PACE)
            person.presses("y", taken=lambda: _HELD.search(terminal.text()) is not None)
            times.append(terminal.keys[-1].at)
            time.sleep(PACE)
            terminal.press("u")
            eventually(lambda: not _HELD.search(terminal.text()), "the approval is taken back")
            eventually(lambda: "long.py" in _row(terminal), "the diff again")
        shown = [1_000 * each for each in _shown_after(terminal, times, _HELD)]
    with _bare(room, WAITING, LINES) as terminal:
        until_shown(terminal, "command 17")
        time.sleep(SETTLED)
        bare = []
        for number in range(bench.rounds(APPROVALS)):
            before = len(terminal.output)
            terminal.press("\x1b[B" if number % 2 else "\x1b[A")
            pressed = terminal.keys[-1].at
            eventually(lambda: len(terminal.output) > before, "another row")  # noqa: B023
            bare.append(1_000 * (terminal.output[before].at - pressed))
            time.sleep(PACE)
    return together(
        at_most("y p95", high_percentile(shown, 95), 25 * bench.factor, "ms"),
        Figure(
            f"p50 {statistics.median(shown):.3g} ms, a row of bare Textual {statistics.median(bare):.3g} ms",
            met=True,
        ),
    )


_HELD = re.compile(r"\b[123] s\b")
"""What a row says whose decision is held."""


def _shown_after(terminal: Terminal, pressed: list[float], words: re.Pattern[str]) -> list[float]:
    """Seconds from each of the keys to the first picture with the words."""
    pictures = [
        (at, words.search("\n".join(rows)) is not None) for at, rows in replay(terminal.output, terminal.size)
    ]
    return [next(at for at, shows in pictures if at >= key and shows) - key for key in pressed]


def _row(terminal: Terminal) -> str:
    """The focused row of the list."""
    row = next((row for row in terminal.text().split("\n") if row.startswith("▌")), "")
    return row.split("│")[0].rstrip()


def _with_long_diff(bench: Bench) -> Room:
    text = "".join(f"value_{number} = {number}\n" for number in range(LINES))

    def fill(stock: Stock) -> None:
        stock.change("writer", "long.py", None, text)
        for number in range(WAITING - 1):
            stock.command("runner", f"ls {number}")

    return bench.room(fill)


def _reads_long_diff(terminal: Terminal) -> None:
    """Page on until all was read."""
    while not _row(terminal).endswith("read"):
        terminal.press("Space")
        time.sleep(0.3)
    time.sleep(SETTLED)


def page_down(bench: Bench) -> Figure:
    """UT-23: processor time of a page down in the diff, and of one in a log of Textual."""
    room = _with_long_diff(bench)
    with room.screen(120, 40) as terminal:
        until_shown(terminal, f"{WAITING} waiting", "▌", "value_0 = 0")
        ours = _paged(terminal, bench.rounds(PAGES))
    with _bare(room, WAITING, LINES) as terminal:
        until_shown(terminal, "command 17", "value_0 = 0")
        bare = _paged(terminal, bench.rounds(PAGES))
    return together(
        at_most("page down beside RichLog", ours / bare, 1.5, "x"),
        Figure(f"{1_000 * ours:.3g} and {1_000 * bare:.3g} ms of processor time", met=True),
    )


def _paged(terminal: Terminal, pages: int) -> float:
    time.sleep(SETTLED)
    before = _ran(terminal.process.pid)
    for _ in range(pages):
        terminal.press("Space")
        time.sleep(0.4)
    return (_ran(terminal.process.pid) - before) / pages


def _ran(pid: int) -> float:
    """Seconds of processor time of all threads of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks) / 1e9


def _bare(room: Room, rows: int, lines: int) -> Terminal:
    return room.screen(120, 40, [*BARE, str(rows), str(lines)])
