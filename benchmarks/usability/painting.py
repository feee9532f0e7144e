"""How soon the screen paints: after its start, after a key, and when a long diff is opened."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from pty_bench import Terminal, replay

from benchmarks.usability.bench import Bench, Room, first_shown, until_shown
from benchmarks.usability.figure import Figure, at_most, high_percentile, together
from benchmarks.usability.heart import beating, gaps
from system_bench import eventually

START_RUNS = 20
KEYS = 150
OPENINGS = 5
REST_IS_MADE = 2.0
"""Seconds in which what is not shown of a diff is made in the background."""


def first_paint(bench: Bench) -> Figure:
    """UT-20: from the start of the process to a frame that says what waits and shows the focused row."""
    mix = _starts(bench.mix(), "18 waiting", bench.rounds(START_RUNS))
    big = _starts(bench.big(), "2000 waiting", bench.rounds(START_RUNS))
    return together(
        at_most("MIX p95", high_percentile(mix, 95), 0.8 * bench.factor, "s"),
        at_most("BIG p95", high_percentile(big, 95), 1.0 * bench.factor, "s"),
    )


def _starts(room: Room, words: str, runs: int) -> list[float]:
    times = []
    for _ in range(runs + 1):
        with room.screen(120, 40) as terminal:
            until_shown(terminal, words, "▌")
        shown = first_shown(terminal, lambda rows: words in rows[0] and any(row.startswith("▌") for row in rows))
        times.append(shown - room.started_at())
    return times[1:]  # the first one fills the caches


def key_to_paint(bench: Bench) -> Figure:
    """UT-21: from a key that moves to another focused row, at 200x50."""
    keys = bench.rounds(KEYS)
    mix = _moves(bench.mix(), "18 waiting", keys, rows=17)
    big = _moves(bench.big(), "2000 waiting", keys, rows=200)
    return together(
        at_most("MIX p95", high_percentile(mix, 95), 25 * bench.factor, "ms"),
        at_most("MIX p99", high_percentile(mix, 99), 60 * bench.factor, "ms"),
        at_most("BIG p95", high_percentile(big, 95), 40 * bench.factor, "ms"),
    )


def _moves(room: Room, words: str, keys: int, rows: int) -> list[float]:
    """Milliseconds for each key; they go down so many rows, and up again."""
    dice = random.Random(1)
    with room.screen(200, 50) as terminal:
        until_shown(terminal, words, "▌")
        time.sleep(1.0)
        for number in range(keys):
            before = _target(terminal.text().split("\n"))
            terminal.press("j" if number // rows % 2 == 0 else "k")
            # Nothing is looked at meanwhile: that would take time from the reading of the clock.
            time.sleep(dice.uniform(0.2, 0.3))
            eventually(lambda: _target(terminal.text().split("\n")) != before, "another row")  # noqa: B023
    return [1_000 * took for took in _answers(terminal)]


def _answers(terminal: Terminal) -> list[float]:
    """For each key the seconds until another row had the focus."""
    targets = [(at, _target(rows)) for at, rows in replay(terminal.output, terminal.size)]
    took = []
    for key in terminal.keys:
        before = next(target for at, target in reversed(targets) if at < key.at)
        took.append(next(at for at, target in targets if at >= key.at and target != before) - key.at)
    return took


def _target(rows: Sequence[str]) -> str:
    """What the focused row is about, without how much of it was read."""
    return " ".join(next((row for row in rows if row.startswith("▌")), "").split("│")[0].split()[:-1])


def opening_a_long_diff(bench: Bench) -> Figure:
    """UT-23: from the key that moves to the diff to its first lines, and how long the loop stood still then."""
    room = bench.big()
    pages, stops = [], []
    for _ in range(bench.rounds(OPENINGS)):
        page, stop = _opening(room)
        pages.append(page)
        stops.append(stop)
    return together(
        at_most("first page", 1_000 * max(pages), 150 * bench.factor, "ms"),
        at_most("longest gap", 1_000 * max(stops), 100 * bench.factor, "ms"),
    )


def _opening(room: Room) -> tuple[float, float]:
    beats = room.base / "beats"
    with room.screen(120, 40, beating(room.place, beats)) as terminal:
        until_shown(terminal, "2000 waiting", "▌")
        time.sleep(1.0)
        terminal.press("j")
        pressed = terminal.keys[-1].at
        until_shown(terminal, "old_0 = 0", "changed lines below")
        time.sleep(REST_IS_MADE)
    shown = first_shown(terminal, lambda rows: any("old_0 = 0" in row for row in rows))
    return shown - pressed, max(gap for at, gap in gaps(beats) if at >= pressed)
