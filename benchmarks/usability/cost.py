"""What the screen costs: late frames under load, doing nothing, memory, filters, and the status line."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from pty_bench import Terminal

import benchmarks.filtering
from benchmarks.measuring import cpu_seconds
from benchmarks.usability.bench import Bench, Room, until_shown
from benchmarks.usability.figure import Figure, at_most, high_percentile, together
from benchmarks.usability.heart import beating, gaps
from signoff.connection import connect_agent
from system_bench import SCREEN, note

ARRIVALS = 100
"""Requests a second."""

ONE_WRITE = 0.02
"""Seconds within which pieces of output are of one write."""

MINUTE_IS_OVER = 70.0
"""Seconds after which a request has waited so long that only minutes are counted."""

SETTLED = 4.0
"""Seconds after which a screen that shows everything has nothing left to do."""


def late_frames(bench: Bench) -> Figure:
    """UT-22: a heart of 60 Hz in the loop of the screen while requests arrive, BIG, 200x50."""
    room, beats = bench.big(), bench.big().base / "beats"
    arrivals = [sys.executable, __file__, str(room.place), str(bench.seconds(60.0))]
    with room.screen(200, 50, beating(room.place, beats)) as terminal:
        until_shown(terminal, "2000 waiting", "▌")
        time.sleep(SETTLED)
        begin = time.monotonic()
        done = subprocess.run(arrivals, env=_with_paths(room), capture_output=True, text=True, check=True)
        end = time.monotonic()
    came = [gap for at, gap in gaps(beats) if begin <= at <= end]
    late = sum(gap > 0.033 for gap in came) / len(came)
    return together(
        at_most("late", 100 * late, 3, "%"),
        at_most("latest", 1_000 * max(came), 150 * bench.factor, "ms"),
        Figure(f"{int(done.stdout) / (end - begin):.0f} arrivals/s", met=True),
    )


def _with_paths(room: Room) -> dict[str, str]:
    """Variables for a program that uses what tests share."""
    return {**room.variables, "PYTHONPATH": ":".join(filter(None, sys.path))}


def idle(bench: Bench) -> Figure:
    """UT-24: processor time and writes of a screen on which nothing happens.

    The seconds that a request waits are counted on the screen for a minute, so it is looked at before and after.
    """
    seconds = bench.seconds(30.0)
    full = bench.room(lambda stock: [stock.command("agent", f"ls {number}") for number in range(50)])
    posted = time.monotonic()
    with full.screen(120, 40) as terminal:
        until_shown(terminal, "50 waiting")
        early = _rests(terminal, seconds)
        time.sleep(max(0.0, posted + MINUTE_IS_OVER - time.monotonic()))
        late = _rests(terminal, seconds)
    with bench.room().screen(120, 40) as terminal:
        until_shown(terminal, "nothing waiting")
        none = _rests(terminal, seconds)
    return together(
        at_most("first minute: cpu", early.cpu, 0.2, "%"),
        at_most("writes", early.writes / seconds, 1.0, "/s"),
        at_most("later: cpu", late.cpu, 0.2, "%"),
        at_most("writes", late.writes / seconds, 1.0, "/s"),
        at_most("empty: writes", none.writes, 0, ""),
    )


@dataclass(frozen=True)
class _Rest:
    """What a screen did while nothing happened: percent of a core, and how often it wrote."""

    cpu: float
    writes: int


def _rests(terminal: Terminal, seconds: float) -> _Rest:
    time.sleep(SETTLED)
    used, written = cpu_seconds(terminal.process.pid), len(terminal.output)
    time.sleep(seconds)
    times = [piece.at for piece in terminal.output[written:]]
    # A write of more than 4 KB is read in pieces, one right after the other.
    writes = [at for at, before in zip(times, [0.0, *times], strict=False) if at - before > ONE_WRITE]
    return _Rest(100 * (cpu_seconds(terminal.process.pid) - used) / seconds, len(writes))


def memory(bench: Bench) -> Figure:
    """UT-25: memory of the process with BIG, after its long diff and some other rows were looked at."""
    with bench.big().screen(200, 50) as terminal:
        until_shown(terminal, "2000 waiting", "▌")
        for _ in range(30):
            terminal.press("j")
            time.sleep(0.2)
        return at_most("resident", _resident(terminal), 120, "MB")


def _resident(terminal: Terminal) -> float:
    status = Path(f"/proc/{terminal.process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1_000


def filtering(bench: Bench) -> Figure:
    """UT-26: the slowest kind of filter over 10,000 records, for each key."""
    slowest = max(row["value"] for row in benchmarks.filtering.run() if row["name"].endswith("p95"))
    return at_most("slowest p95", slowest, 50 * bench.factor, "ms")


def status(bench: Bench) -> Figure:
    """UT-36: the whole process of ``signoff status``."""
    room, times = bench.mix(), []
    for _ in range(bench.rounds(20) + 1):
        begin = time.perf_counter()
        subprocess.run([*SCREEN, "status"], env=room.variables, cwd=room.work, capture_output=True, check=False)
        times.append(1_000 * (time.perf_counter() - begin))
    return at_most("p95", high_percentile(times[1:], 95), 80 * bench.factor, "ms")


def _arrive(place: str, seconds: str) -> None:
    """Ask so often for so long; print how often it was."""
    asked, over = 0, threading.Event()
    with connect_agent("stream", session="s-stream", place=place, cwd=str(Path.cwd())) as queue:
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < float(seconds):
            note(queue, f"note-{asked:05}")
            asked += 1
            over.wait(max(0.0, asked / ARRIVALS - now))
    sys.stdout.write(str(asked))


if __name__ == "__main__":
    _arrive(*sys.argv[1:])
