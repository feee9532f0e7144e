"""A person at a terminal: looks, moves, reads, and decides at the pace of people."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Protocol

from system_bench import PATIENCE, eventually

HAND = 0.4
"""Seconds that a hand needs from one key to the next decision key; what comes faster counts as typing."""

_TARGET = re.compile(r"^ TARGET (.*?) +\[([^][]*)\] *$", re.MULTILINE)
_SHARE = re.compile(r"^(.*)shown \d+% \((\d+)/\d+\)", re.MULTILINE)
NOT_TAKEN = re.compile(r"was ignored|press it again|catching up|looked like typing|Enter again")
"""What the screen says of a decision key that came too early."""

NOTHING_WAITS = r"nothing waiting"


class Glass(Protocol):
    """A terminal, as its user knows it."""

    def text(self) -> str:
        """What it shows, one line per row."""

    def press(self, *keys: str) -> None:
        """Press keys."""

    def type(self, text: str) -> None:
        """Type text."""


class Person:
    """Somebody who looks at a terminal and works it with keys.

    Args:
        glass: The terminal.

    Attributes:
        pages: Every screen that was looked at while reading.
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
        return self._target_line()[0]

    @property
    def state(self) -> str:
        """The word at the end of the target line."""
        return self._target_line()[1]

    def _target_line(self) -> tuple[str, str]:
        found = _TARGET.search(self._glass.text())
        return (found[1], found[2]) if found else ("", "")

    # -- moving and reading ------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Press a key."""
        self._glass.press(key)
        self._last_key = time.monotonic()

    def goes_to(self, name: str) -> None:
        """Move to the waiting request that the target line calls so, once it is there."""
        eventually(lambda: self._walks_to(name), lambda: f"a request {name!r}:\n{self._glass.text()}")

    def _walks_to(self, name: str) -> bool:
        for key in ("J", "K"):
            while name not in self.target:
                # A letter that is pressed while typing locks the keys keeps them locked.
                eventually(lambda: self.state != "locked", "the keys work again")
                if not self.steps(key):
                    break
        return name in self.target

    def steps(self, key: str) -> bool:
        """Press a key that moves; returns whether another target is named then."""
        before = self.target
        self.press(key)
        return _soon(lambda: self.target != before, 0.5)

    def reads(self, until: str = "all shown") -> None:
        """Page on, looking at every page, until the screen shows a pattern."""

        def read_page() -> bool:
            page = self._glass.text()
            self.pages.append(page)
            if re.search(until, page, re.MULTILINE):
                return True
            self.press("Space")
            _soon(lambda: _read_on(page, self._glass.text()))
            return False

        # Space at the end goes on to what was not read yet: nobody presses it before the first page was looked at.
        _soon(lambda: re.search(until, self._glass.text(), re.MULTILINE) is not None, HAND)
        eventually(read_page, lambda: f"/{until}/ while reading:\n{self._glass.text()}")

    def _reads_about(self, name: str) -> None:
        """Go to a request and read it, and once more if a key that the screen took late led on from it."""

        def is_read() -> bool:
            self.goes_to(name)
            self.reads()
            return name in self.target and "all shown" in self._glass.text()

        eventually(is_read, lambda: f"{name!r}, read:\n{self._glass.text()}")

    # -- deciding ----------------------------------------------------------------------------------------

    def approves(self, name: str) -> None:
        """Go to a request, read it and approve it."""
        self._reads_about(name)
        self._decides("y", name, taken=lambda: self._moved_on(name))

    def approves_group(self, name: str) -> None:
        """Approve the ready rest of the group; a member of that name must be the target."""
        self._decides("Y", name, taken=lambda: self._moved_on(name))

    def remembers(self, name: str) -> None:
        """Go to a request, read it, approve it and remember it for the session."""
        self._reads_about(name)
        self._decides("s", name, taken=self._shows("Remember for this session"))
        self.sees(r"\[y\] yes, remember")
        self._presses("y", taken=lambda: self._moved_on(name))

    def rejects(self, name: str, feedback: str) -> None:
        """Go to a request, reject it and tell its agent why."""
        self.begins_to_reject(name)
        self._takes_its_time(2 * HAND)
        self._glass.type(feedback)
        self.sees(re.escape(feedback))
        self._last_key = time.monotonic()  # Enter right after the text would be the end of a pasted line
        self._presses("Enter", taken=lambda: self._moved_on(name))

    def opens(self, key: str, words: str) -> None:
        """Press a decision key that opens something which says these words."""
        eventually(lambda: self.state == "armed", lambda: f"armed:\n{self._glass.text()}")
        self._presses(key, taken=self._shows(words))

    def goes_back(self, words: str) -> None:
        """Press Esc, and wait until what says these words is gone."""
        self.press("Escape")
        eventually(lambda: words not in self._glass.text(), f"{words!r} is gone")

    def begins_to_reject(self, name: str) -> None:
        """Go to a request and open the text box for the reason."""
        self.goes_to(name)
        self._decides("n", name, taken=self._shows("what to do instead"))

    def quits(self) -> None:
        """Leave although something waits."""
        self.wants_to_leave()
        self.press("y")

    def wants_to_leave(self) -> str:
        """Ask to leave although something waits; returns the screen with the question, ready to be answered."""
        self._presses("q", taken=self._shows("blocked until somebody decides"))
        question = self._glass.text()
        self._takes_its_time(2 * HAND)
        return question

    # -- parts -------------------------------------------------------------------------------------------

    def _decides(self, key: str, name: str, *, taken: Callable[[], bool]) -> None:
        """Press a decision key when the bar offers it for that target, and again if it came too early."""
        offered = f"[{key}] "
        eventually(
            lambda: name in self.target and offered in self._glass.text(),
            lambda: f"{offered} for {name}:\n{self._glass.text()}",
        )
        self._presses(key, taken=taken)

    def _presses(self, key: str, *, taken: Callable[[], bool]) -> None:
        def press() -> bool:
            # Words about keys before stay for a while; this key must not be judged by them, and pressed again.
            eventually(lambda: not self._refused(), "the last row is empty again")
            self._takes_its_time()
            self.press(key)
            eventually(lambda: taken() or self._refused(), lambda: f"{key} did something:\n{self._glass.text()}")
            return taken()

        eventually(press, lambda: f"{key} was taken:\n{self._glass.text()}")

    def _moved_on(self, name: str) -> bool:
        target, state = self._target_line()
        return state in {"held", "closed"} or (bool(target) and name not in target)

    def _refused(self) -> bool:
        return NOT_TAKEN.search(self._glass.text()) is not None

    def _shows(self, words: str) -> Callable[[], bool]:
        return lambda: words in self._glass.text()

    def _takes_its_time(self, seconds: float = HAND) -> None:
        time.sleep(max(0.0, self._last_key + seconds - time.monotonic()))


def _read_on(before: str, now: str) -> bool:
    """Whether a screen shows that more was read than on the screen before: its header counts it."""
    old, new = _SHARE.search(before), _SHARE.search(now)
    if new is None:
        return False
    begun = int(old[2]) if old is not None and old[1] == new[1] else 0
    return int(new[2]) > begun


def _soon(look: Callable[[], bool], seconds: float = 1.0) -> bool:
    """Wait for what usually happens, but need not."""
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.03)
    return found
