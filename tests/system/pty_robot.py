"""Two robots that press keys without waiting for the program, and a judge who replays what they saw.

The careless one taps twice, holds keys, types words and presses at any moment. The reviewer waits for a target
that stands still. A *misfire* is a decision about anything but what had the focus, in the revision that was shown,
200 ms before the key.
"""

from __future__ import annotations

import bisect
import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pty_bench import Terminal, Traffic, replay

from signoff.queue import HistoryRecord

SIGHT = 0.2
"""Seconds that people need to see what is on a screen."""

APART = 0.45
"""Least seconds between two acts of a robot, so that every decision can be told to its act."""

WORDS = ("npm test", "yarn add left-pad", "sudo make install", "xargs rm", "yes", "no", ":wq", "ssh build")

_FOCUS = re.compile(r"^▌.*\{ (note-\d+)")
_EDITION = re.compile(r"│\s+edition: (\d+)\s*$")
_BOX = re.compile(r"^ Reject ")
"""The head of the box for a message, which may cover the content that it is about."""

Named = tuple[str, int]
"""What has the focus: a request, and which revision of it is shown."""


@dataclass(frozen=True)
class Act:
    """Keys that were pressed close together."""

    presses: tuple[Traffic, ...]

    @property
    def begun(self) -> float:
        """When the first key was pressed."""
        return self.presses[0].at


class Worked(Protocol):
    """What robots look at and type into."""

    @property
    def keys(self) -> list[Traffic]:
        """What was typed so far."""

    def text(self) -> str:
        """What it shows, one line per row."""

    def bold(self) -> str:
        """The same, with blanks for all that is not bold."""

    def type(self, text: str) -> None:
        """Type text, without waiting for anything."""


def focused_row(terminal: Worked) -> str:
    """The row of the list that has the focus."""
    return next((row.split("│")[0].rstrip() for row in terminal.text().split("\n") if row.startswith("▌")), "")


def is_armed(terminal: Worked) -> bool:
    """Whether the key that rejects what has the focus stands out."""
    return " n " in terminal.bold().split("\n")[-1]


class Robots:
    """Work a terminal for some time.

    Args:
        terminal: What they work.
        seed: Of their whims.

    Attributes:
        acts: What they did.
    """

    def __init__(self, terminal: Worked, seed: int) -> None:
        self._terminal = terminal
        self._dice = random.Random(seed)
        self.acts: list[Act] = []

    def work(self, seconds: float) -> None:
        """Press keys for so long."""
        end = time.monotonic() + seconds
        careless = (self._tap, self._tap_twice, self._hold_down, self._type_word, self._wander)
        kinds = (*[self._review] * 3, self._refuse, *careless)
        while time.monotonic() < end:
            self._pause(APART, 0.6)
            self._dice.choice(kinds)()

    # -- the reviewer ------------------------------------------------------------------------------------

    def _review(self) -> None:
        if self._sees_steady_target():
            self._act("y")

    def _refuse(self) -> None:
        if not self._sees_steady_target():
            return
        self._act("n")
        self._pause(0.6, 0.8)
        self._act(*"later")
        self._pause(0.6, 0.8)
        self._act("\r")
        self._pause(APART, APART)
        self._act("\x1b")

    def _sees_steady_target(self) -> bool:
        """Wait for a target that stands still and can be decided, moving on from one that ended."""
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            before, armed = focused_row(self._terminal), is_armed(self._terminal)
            if "---" in before:
                self._act("J")
            self._pause(0.25, 0.4)
            if armed and is_armed(self._terminal) and focused_row(self._terminal) == before:
                return True
        return False

    # -- the careless one --------------------------------------------------------------------------------

    def _tap(self) -> None:
        self._act("y")

    def _tap_twice(self) -> None:
        self._act("y", "y", gap=self._dice.uniform(0.04, 0.16))

    def _hold_down(self) -> None:
        self._act(*"y" * 10, gap=0.033)

    def _type_word(self) -> None:
        word = self._dice.choice(WORDS) + self._dice.choice(("", "\r"))
        self._act(*word, gap=self._dice.uniform(0.06, 0.16))
        self._pause(APART, APART)
        self._act("\x1b")

    def _wander(self) -> None:
        self._act(self._dice.choice(("J", "K", " ", "G", "j")))

    # -- parts -------------------------------------------------------------------------------------------

    def _act(self, *keys: str, gap: float = 0.08) -> None:
        begun = len(self._terminal.keys)
        for number, key in enumerate(keys):
            if number:
                time.sleep(gap)
            self._terminal.type(key)
        self.acts.append(Act(tuple(self._terminal.keys[begun:])))

    def _pause(self, least: float, most: float) -> None:
        time.sleep(self._dice.uniform(least, most))


_WRITTEN_AFTER = 0.05
"""Seconds from a key to the moment that counts as its own in the queue, which reads its clock a little later."""


def pressed_at(record: HistoryRecord) -> float:
    """When the key was pressed that made a decision, on the monotonic clock of this machine, or a little later.

    It is told from when the decision was written: a program that stands still before that makes it wrong.
    """
    assert record.decision is not None
    held = record.decision.held_us
    return (record.at - held) / 1e6 - (time.time() - time.monotonic()) + _WRITTEN_AFTER


class Judge:
    """Knows what was on the terminal at every moment.

    Args:
        pictures: What had the focus, and from when on, oldest first.
    """

    def __init__(self, pictures: Iterable[tuple[float, Named | None]]) -> None:
        self._times: list[float] = []
        self._named: list[Named | None] = []
        for at, named_then in pictures:
            self._times.append(at)
            self._named.append(named_then)

    def named_at(self, moment: float) -> Named | None:
        """What had the focus."""
        index = bisect.bisect_right(self._times, moment) - 1
        return self._named[index] if index >= 0 else None

    def misfire(self, record: HistoryRecord, acts: Sequence[Act], moment: float) -> str:
        """Why a decision was a misfire; empty when it was none.

        Args:
            record: The decision.
            acts: What was pressed.
            moment: When the key was pressed that made it.
        """
        index = bisect.bisect_right(acts, moment, key=lambda act: act.begun) - 1
        if index < 0:
            return "nobody pressed a key"
        decided = (record.description, record.revision)
        for press in acts[index].presses:
            seen = self.named_at(press.at - SIGHT)
            if press.at <= moment and seen != decided:
                return f"{decided} was decided with {press.data!r}, but {seen} was on the screen"
        return ""


def pictures_of(terminal: Terminal) -> Iterator[tuple[float, Named | None]]:
    """What had the focus in a terminal, and when; nothing more is written to that terminal."""
    before: Named | None = None
    for at, rows in replay(terminal.output, terminal.size):
        before = named(rows, before)
        yield at, before


def named(rows: Sequence[str], before: Named | None) -> Named | None:
    """What has the focus among some rows, and is shown beside them.

    Args:
        rows: The rows of the screen.
        before: The same of the picture before.
    """
    focus = next((match for row in rows if (match := _FOCUS.match(row))), None)
    edition = next((match for row in rows if (match := _EDITION.search(row))), None)
    if focus is None:
        return None
    if edition is None:
        covered = before is not None and before[0] == focus[1] and any(map(_BOX.match, rows))
        return before if covered else None
    return focus[1], int(edition[1])
