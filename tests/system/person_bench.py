"""A person at a terminal: looks, moves, reads, and decides at the pace of people."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Protocol

from system_bench import PATIENCE, eventually

HAND = 0.3
"""Seconds that a hand needs from one key to the next decision key; what comes faster counts as typing."""

_TARGET = re.compile(r"^ TARGET (.*?) +\[(.*)\] *$", re.MULTILINE)
_SHOWN = re.compile(r"^.*shown \d+% \(\d+/\d+\)", re.MULTILINE)
_NOT_TAKEN = re.compile(r"was ignored|press it again|catching up|looked like typing|Enter again")


class Glass(Protocol):
    """A terminal, as its user knows it."""

    def text(self) -> str:
        """What it shows."""

    def press(self, *keys: str) -> None:
        """Press keys."""

    def type(self, text: str) -> None:
        """Type text."""


class Person:
    """Somebody who looks at a terminal and works it with keys.

    Attributes:
        pages: Everything that was seen while reading, screen by screen.
    """

    def __init__(self, glass: Glass) -> None:
        self._glass = glass
        self._last_key = 0.0
        self.pages: list[str] = []

    # -- looking -----------------------------------------------------------------------------------------

    def sees(self, pattern: str, seconds: float = PATIENCE) -> str:
        """Wait until the screen shows a pattern; returns the screen."""

        def look() -> str | None:
            text = self._glass.text()
            return text if re.search(pattern, text, re.MULTILINE) else None

        return eventually(look, lambda: f"/{pattern}/ on the screen:\n{self._glass.text()}", seconds)

    @property
    def target(self) -> str:
        """What the target line names."""
        return self._parts()[0]

    @property
    def state(self) -> str:
        """The word at the end of the target line."""
        return self._parts()[1]

    def _parts(self) -> tuple[str, str]:
        found = _TARGET.search(self._glass.text())
        return (found[1], found[2]) if found else ("", "")

    # -- moving and reading ------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Press a key."""
        self._glass.press(key)
        self._last_key = time.monotonic()

    def goes_to(self, words: str) -> None:
        """Move to the waiting request that the target line calls so, from the top."""
        self.press("g")
        before = None
        while words not in self.target:
            assert self.target != before, f"no request {words!r}:\n{self._glass.text()}"
            before = self.target
            self.press("J")
            self._soon(lambda: self.target != before)

    def reads(self, until: str) -> None:
        """Page on until the screen shows a pattern, looking at every page."""

        def read_page() -> bool:
            page = self._glass.text()
            self.pages.append(page)
            if re.search(until, page, re.MULTILINE):
                return True
            before = _SHOWN.findall(page)
            self.press("Space")
            self._soon(lambda: _SHOWN.findall(self._glass.text()) != before)
            return False

        eventually(read_page, lambda: f"/{until}/ while reading:\n{self._glass.text()}")

    # -- deciding ----------------------------------------------------------------------------------------

    def decides(self, key: str, then: str) -> None:
        """Press a decision key once the screen is ready for it, and again if it came too early.

        Args:
            key: The key.
            then: Pattern that the screen shows when the key was taken.
        """

        def press() -> bool:
            eventually(lambda: self.state == "armed", lambda: f"armed:\n{self._glass.text()}")
            self._takes_its_time()
            self.press(key)
            return self._taken(then)

        eventually(press, f"{key} was taken")

    def answers(self, key: str, then: str) -> None:
        """Press a key that a sheet, a bar or a text box asks for."""

        def press() -> bool:
            self._takes_its_time()
            self.press(key)
            return self._taken(then)

        eventually(press, f"{key} was taken")

    def approves(self, name: str) -> None:
        """Read the request under the cursor and approve it."""
        self.reads(r"all shown")
        self.decides("y", then=f"{re.escape(name)}.* held")

    def rejects(self, feedback: str) -> None:
        """Reject the request under the cursor and tell its agent why."""
        self.decides("n", then=r"the agent goes on. Tell it what to do instead")
        self._takes_its_time()
        for word in feedback.split(" "):
            self._glass.type(word)
            self.press("Space")
        self.press("BSpace")
        self.sees(re.escape(feedback))
        self.answers("Enter", then=r"held: ")

    def leaves(self) -> None:
        """Leave the screen although something may wait."""
        self._takes_its_time()
        self.press("q")

    # -- parts -------------------------------------------------------------------------------------------

    def _taken(self, then: str) -> bool:
        found = self.sees(f"{then}|{_NOT_TAKEN.pattern}")
        if re.search(then, found, re.MULTILINE):
            return True
        # The words stay for a while; the next try must not be judged by them.
        eventually(lambda: not _NOT_TAKEN.search(self._glass.text()), "the words on the last row are gone")
        return False

    def _takes_its_time(self) -> None:
        time.sleep(max(0.0, self._last_key + HAND - time.monotonic()))

    @staticmethod
    def _soon(look: Callable[[], bool]) -> None:
        """Wait for what usually happens, but need not."""
        end = time.monotonic() + 1.0
        while not look() and time.monotonic() < end:
            time.sleep(0.03)
