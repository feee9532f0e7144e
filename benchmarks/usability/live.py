"""The real program in this process, worked by keys of another thread that wait for nothing.

What it shows is known from what it painted: robots see that and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from pty_bench import Traffic
from pty_robot import Named, named
from rich.segment import Segment
from screen_bench import Screen, screen
from textual.events import Key
from textual.keys import _character_to_key

from signoff.queue import HistoryRecord
from signoff_tui.guard import Decide, GuardSettings, Reaction

_NAMES = {"\r": "enter", "\x1b": "escape", " ": "space"}

STALLS = (0.3, 1.2)
"""Seconds that the loop stands still, shortest and longest."""


@dataclass(frozen=True)
class Judged:
    """What the guard said to a key, and when that was pressed."""

    key: str
    at: float
    reaction: Reaction


class Live:
    """A running program as robots know it.

    Args:
        seen: The program.

    Attributes:
        keys: What was typed so far.
        pictures: What had the focus when it was painted.
        judged: What the guard said to each key.
    """

    def __init__(self, seen: Screen) -> None:
        self.seen = seen
        self.keys: list[Traffic] = []
        self.pictures: list[tuple[float, Named | None]] = []
        self.judged: list[Judged] = []
        self._text = self._bold = ""
        self._listen()

    def text(self) -> str:
        """What was painted last, one line per row."""
        return self._text

    def bold(self) -> str:
        """The same, with blanks for all that is not bold."""
        return self._bold

    def type(self, text: str) -> None:
        """Type text as a terminal would, from any thread."""
        driver = self.seen.app._driver
        assert driver is not None
        for character in text:
            event = Key(_NAMES.get(character) or _character_to_key(character), character)
            self.keys.append(Traffic(event.time, character.encode()))
            driver.send_message(event)

    def pressed_at(self, record: HistoryRecord) -> float:
        """When the key was pressed by which the guard made a decision: the last one, if others were taken back."""
        decided = (record.request_id, record.revision)
        return next(
            judged.at
            for judged in reversed(self.judged)
            if isinstance(judged.reaction.verdict, Decide)
            and decided in [(ref.id, ref.revision) for ref in judged.reaction.verdict.permit.refs]
        )

    def _listen(self) -> None:
        """Note what is drawn, when that is painted, and what the guard says."""
        app, guard = self.seen.app, self.seen.desk.guard
        painted, press = app.post_display_hook, guard.press

        def post_display_hook() -> None:
            rows = self.seen.rows
            text = "\n".join("".join(part.text for part in row) for row in rows)
            if text != self._text:
                before = self.pictures[-1][1] if self.pictures else None
                self.pictures.append((time.monotonic(), named(text.split("\n"), before)))
            self._bold = "\n".join("".join(map(_bold, row)) for row in rows)
            self._text = text
            painted()

        def judges(key: str, at: float) -> Reaction:
            reaction = press(key, at)
            self.judged.append(Judged(key, at, reaction))
            return reaction

        app.post_display_hook = post_display_hook  # type: ignore[method-assign]
        guard.press = judges  # type: ignore[method-assign]
        app.refresh()  # what stands there already is not painted again by itself


def _bold(part: Segment) -> str:
    return part.text if part.style is not None and part.style.bold else " " * len(part.text)


@contextlib.asynccontextmanager
async def live(
    place: Path, *, size: tuple[int, int] = (104, 24), stalls: float = 0.0, seed: int = 0
) -> AsyncIterator[Live]:
    """The program with its usual times.

    Args:
        place: Where the queue is.
        size: Columns and rows.
        stalls: How often a second the loop stands still.
        seed: When that happens, and for how long.
    """
    over = threading.Event()
    async with screen(place, size=size, settings=GuardSettings()) as seen:
        loop, dice = asyncio.get_running_loop(), random.Random(seed)

        def stall() -> None:
            while not over.wait(dice.expovariate(stalls)):
                loop.call_soon_threadsafe(time.sleep, dice.uniform(*STALLS))

        thread = threading.Thread(target=stall)
        if stalls:
            thread.start()
        try:
            yield Live(seen)
        finally:
            over.set()
            if stalls:
                await asyncio.to_thread(thread.join)
