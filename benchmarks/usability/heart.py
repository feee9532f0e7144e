"""A heart that beats sixty times a second in the loop of the screen: what holds it up holds everything up.

Run as a program, this file is the screen with that heart: ``heart.py PLACE FILE``. The file gets one line for each
beat: when it came (monotonic seconds), and how long after the one before.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TextIO

BEAT = 1 / 60


def beating(place: Path, beats: Path) -> list[str]:
    """The command that starts the screen with a heart."""
    return [sys.executable, __file__, str(place), str(beats)]


def gaps(beats: Path) -> list[tuple[float, float]]:
    """When each beat came, and how long after the one before."""
    lines = beats.read_text(encoding="ascii").splitlines()
    pairs = (line.split() for line in lines if line.count(" ") == 1)
    return [(float(at), float(gap)) for at, gap in pairs]


async def _beat(file: TextIO) -> None:
    last = time.monotonic()
    due = last + BEAT
    while True:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        now = time.monotonic()
        file.write(f"{now} {now - last}\n")
        last, due = now, max(due + BEAT, now)


def main(place: str, beats: str) -> None:
    """Show the screen on a queue."""
    from signoff.queue import open_review_queue
    from signoff_tui.app import SignoffApp, spare_the_collector

    class Beating(SignoffApp):
        def on_mount(self) -> None:
            # Without the one of the base class: Textual calls that as well, and two would watch the queue.
            self.heart = asyncio.create_task(_beat(file))

    spare_the_collector()  # as whoever starts the screen does
    with Path(beats).open("w", encoding="ascii", buffering=1) as file:
        Beating(open_review_queue(place), place="default").run()


if __name__ == "__main__":
    main(*sys.argv[1:])
