"""What measurements share: places with known queues, the screen in a pseudo-terminal, how long to measure."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pty_bench import Terminal, replay

from signoff.queue import open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from stocked import Stock, big, mix
from system_bench import SCREEN, environment, eventually

OF_THE_USER = (KEYS_VARIABLE, "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Variables that say where the user keeps what."""

STARTED = "started"
"""File in a room that holds the moment at which the program was started."""


@dataclass(frozen=True)
class Room:
    """A place with a queue, and a folder to work in.

    Attributes:
        base: Folder that holds all of it.
        stock: For more requests.
    """

    base: Path
    stock: Stock

    @property
    def place(self) -> Path:
        """Where the queue is."""
        return self.base / "queue"

    @property
    def work(self) -> Path:
        """Where agents work."""
        return self.base / "work"

    @property
    def variables(self) -> dict[str, str]:
        """What programs are started with."""
        return environment(self.work, SIGNOFF_QUEUE=str(self.place))

    def screen(self, columns: int, rows: int, command: Sequence[str] = SCREEN) -> Terminal:
        """The screen in a pseudo-terminal; the moment at which it is started is written down."""
        begin = 'date +%s.%N > "$0"; exec "$@"'
        started = ["sh", "-c", begin, str(self.base / STARTED), *command]
        return Terminal(started, self.variables, self.work, columns=columns, rows=rows)

    def started_at(self) -> float:
        """When the screen was started last, on the monotonic clock."""
        wall = float((self.base / STARTED).read_text(encoding="ascii"))
        return wall - (time.time() - time.monotonic())


class Bench:
    """Where measurements are made; everything is closed and removed in the end.

    Args:
        seconds: How long measurements take that can be of any length; None for what is usual.
        rounds: How often what is repeated is done; None for what is usual.

    Attributes:
        factor: What limits of time are multiplied with, on a machine that is slower than the one they are for.
    """

    def __init__(self, *, seconds: float | None = None, rounds: int | None = None, factor: float = 1.0) -> None:
        self.factor = factor
        self._seconds = seconds
        self._rounds = rounds
        self._stack = ExitStack()
        self._keep_to_itself()
        self._made: dict[str, Room] = {}

    def _keep_to_itself(self) -> None:
        """What the user of this machine keeps for signoff has no say here, and gets nothing added."""
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="signoff-usability-"))
        before = {name: os.environ.get(name) for name in OF_THE_USER}
        self._stack.callback(_put_back, before)
        os.environ.update({name: f"{folder}/{name.lower()}" for name in OF_THE_USER})

    def seconds(self, usual: float) -> float:
        """How long to measure."""
        return usual if self._seconds is None else self._seconds

    def rounds(self, usual: int) -> int:
        """How often to measure."""
        return usual if self._rounds is None else self._rounds

    def room(self, fill: Callable[[Stock], object] | None = None) -> Room:
        """A new room, with what is asked for in it."""
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="signoff-usability-"))
        base = Path(folder).resolve()
        for name in ("work/tmp", "work/config"):
            (base / name).mkdir(parents=True)
        open_review_queue(base / "queue", create=True).close()
        room = Room(base, Stock(base / "queue", base / "work", self._stack))
        if fill is not None:
            fill(room.stock)
        return room

    def mix(self) -> Room:
        """The room with MIX, the same for all who only look."""
        return self._once("mix", mix)

    def big(self) -> Room:
        """The room with BIG, the same for all who only look."""
        if "big" not in self._made:
            room = self._made["big"] = self.room()
            big(room.stock, room.place)
        return self._made["big"]

    def _once(self, name: str, fill: Callable[[Stock], object]) -> Room:
        if name not in self._made:
            self._made[name] = self.room(fill)
        return self._made[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()


def _put_back(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def until_shown(terminal: Terminal, *words: str) -> None:
    """Wait until a terminal shows all of these."""
    eventually(
        lambda: all(word in terminal.text() for word in words),
        lambda: f"{words} on the screen:\n{terminal.text()}",
    )


def first_shown(terminal: Terminal, shows: Callable[[list[str]], bool]) -> float:
    """When a terminal, whose program has ended, showed something for the first time.

    Raises:
        AssertionError: It never did.
    """
    for at, rows in replay(terminal.output, terminal.size):
        if shows(rows):
            return at
    raise AssertionError(f"never shown:\n{terminal.text()}")
