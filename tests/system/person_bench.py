"""A person at a terminal: looks, moves, reads, and decides at the pace of people."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from system_bench import PATIENCE, eventually

HAND = 0.4
"""Seconds that a hand needs from one key to the next decision key; what comes faster counts as typing."""

SIGHT = 0.35
"""Seconds for which a person looks at a page at least."""

_HEAD_WORD = re.compile(r"(?:(\d+) % )?(read)$|(approved|rejected|stopped|withdrawn|expired|gone)\b.*$")
LOCKED = "looked like typing"
ENTER_AGAIN = "Enter again"
NOT_TAKEN = re.compile(rf"too early|press it again|catching up|{LOCKED}|{ENTER_AGAIN}")
"""What the screen says of a decision key that came too early."""

NOTHING_WAITS = r"nothing waiting"


class Glass(Protocol):
    """A terminal, as its user knows it."""

    def text(self) -> str:
        """What it shows, one line per row."""

    def bold(self) -> str:
        """The same, with blanks for all that is not bold."""

    def press(self, *keys: str) -> None:
        """Press keys."""

    def type(self, text: str) -> None:
        """Type text."""


class Person:
    """Somebody who looks at a terminal and works it with keys.

    Args:
        glass: The terminal.

    Attributes:
        pages: Every screen that was looked at, also in passing: what is shown for a moment counts as read.
    """

    def __init__(self, glass: Glass) -> None:
        self._glass = glass
        self._last_key = 0.0
        self.pages: list[str] = []

    # -- looking -----------------------------------------------------------------------------------------

    def _look(self) -> str:
        page = self._glass.text()
        if self.pages[-1:] != [page]:
            self.pages.append(page)
        return page

    def sees(self, pattern: str, seconds: float = PATIENCE) -> str:
        """Wait until the screen shows a pattern; returns the screen."""

        def look() -> str | None:
            text = self._look()
            return text if re.search(pattern, text, re.MULTILINE) else None

        return eventually(look, lambda: f"/{pattern}/ on the screen:\n{self._look()}", seconds)

    @property
    def target(self) -> str:
        """The row of the list that has the focus, and the head of its content, as far as they are shown."""
        text = self._look()
        return "  ".join(filter(None, (focused(text), _head(text.split("\n")))))

    @property
    def share(self) -> int:
        """How much of the target was read, in per cent."""
        return share_read(self._look())

    @property
    def is_armed(self) -> bool:
        """Whether the keys about the target stand out."""
        return self.works("n") or self.works("N")

    def works(self, key: str) -> bool:
        """Whether a key stands out in one of the rows at the bottom."""
        rows = self._glass.bold().rstrip("\n").split("\n")[-4:]
        return any(re.search(rf"(^|\s){re.escape(key)}(\s|$)", row) for row in rows)

    # -- moving and reading ------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Press a key."""
        self._glass.press(key)
        self._last_key = time.monotonic()

    def goes_to(self, name: str) -> None:
        """Move to the waiting request of that name, once it is there."""
        eventually(lambda: self._walks_to(name), lambda: f"a request {name!r}:\n{self._look()}")

    def _walks_to(self, name: str) -> bool:
        for key in ("J", "K"):
            while name not in self.target:
                if LOCKED in self._look() and not self.is_armed:
                    time.sleep(2 * HAND)  # a letter that is pressed while typing locks the keys keeps them locked
                if not self.steps(key):
                    break
        return name in self.target

    def steps(self, key: str) -> bool:
        """Press a key that moves; returns whether another target is named then."""
        before = self.target
        self.press(key)
        return _soon(lambda: self.target != before, 0.5)

    def reads(self, until: str = "") -> None:
        """Page on, looking at every page, until the screen shows a pattern, or all of the target was read."""

        def is_read(page: str) -> bool:
            return re.search(until, page, re.MULTILINE) is not None if until else share_read(page) == ALL

        def read_page() -> bool:
            page = self._look()
            if is_read(page):
                return True
            self.press("Space")
            _soon(lambda: self._look() != page)
            self._looks()
            return False

        # Space at the end goes on to what was not read yet: nobody presses it before the first page was looked at.
        _soon(lambda: is_read(self._look()), HAND)
        eventually(read_page, lambda: f"/{until}/ while reading:\n{self._look()}")

    def _looks(self) -> None:
        """Look at a page until it has stood still for a moment: what was on the screen for less does not count."""
        page, since, end = self._look(), time.monotonic(), time.monotonic() + 10 * SIGHT
        while time.monotonic() < min(since + SIGHT, end):
            time.sleep(0.03)
            if page != (page := self._look()):
                since = time.monotonic()

    def reads_about(self, name: str) -> None:
        """Go to a request and read it, and once more if a key that the screen took late led on from it."""

        def is_read() -> bool:
            self.goes_to(name)
            self.reads()
            return name in self.target and self.share == ALL

        eventually(is_read, lambda: f"{name!r}, read:\n{self._look()}")

    # -- deciding ----------------------------------------------------------------------------------------

    def approves(self, name: str) -> None:
        """Go to a request, read it and approve it."""
        self.reads_about(name)
        self._decides("y", name, taken=lambda: self._moved_on(name))

    def approves_group(self, name: str) -> None:
        """Approve the ready rest of the group; a member of that name must be the target."""
        self._decides("Y", name, taken=lambda: self._moved_on(name))

    def remembers(self, name: str) -> None:
        """Go to a request, read it, approve it and allow exactly this for the session."""
        self.reads_about(name)
        self._decides("s", name, taken=self._shows("Allow for this session"))
        self.presses("1", taken=lambda: self._moved_on(name))

    def rejects(self, name: str, feedback: str) -> None:
        """Go to a request, reject it and tell its agent why."""
        self.begins_to_reject(name)
        self._takes_its_time(2 * HAND)
        self._glass.type(feedback)
        self.sees(re.escape(feedback))
        self._last_key = time.monotonic()  # Enter right after the text would be the end of a pasted line
        self.presses("Enter", taken=lambda: self._moved_on(name))

    def opens(self, key: str, words: str) -> None:
        """Press a decision key that opens something which says these words."""
        eventually(lambda: self.is_armed, lambda: f"armed:\n{self._look()}")
        self.presses(key, taken=self._shows(words))

    def goes_back(self, words: str) -> None:
        """Press Esc, and wait until what says these words is gone."""
        self.press("Escape")
        eventually(lambda: words not in self._look(), f"{words!r} is gone")

    def begins_to_reject(self, name: str) -> None:
        """Go to a request and open the text box for the reason."""
        self.goes_to(name)
        self._decides("n", name, taken=self._shows("what to do instead"))

    def quits(self) -> str:
        """Leave although something waits; returns the screen with the question before."""
        self.presses("q", taken=self._shows("Esc stay"))
        question = self._look()
        self.presses("y", taken=lambda: "Esc stay" not in self._look())
        return question

    def presses(self, key: str, *, taken: Callable[[], bool]) -> None:
        """Press a decision key, and again if it came too early, until it was taken."""

        def press() -> bool:
            if ENTER_AGAIN in self._look():  # any other key in a text box makes the next Enter the first again
                self._takes_its_time(2 * HAND)
                self.press(key)
                return _soon(taken, 10.0)
            if self._refused():  # what was said of the key before has to go: this one is not to be judged by it
                self.press("C-c")
                eventually(lambda: not self._refused(), "another message")
            self._takes_its_time()
            self.press(key)
            eventually(lambda: taken() or self._refused(), lambda: f"{key} did something:\n{self._look()}")
            return taken()

        eventually(press, lambda: f"{key} was taken:\n{self._look()}")

    # -- parts -------------------------------------------------------------------------------------------

    def _decides(self, key: str, name: str, *, taken: Callable[[], bool]) -> None:
        """Press a decision key when the bar offers it for that target, and again if it came too early."""
        eventually(
            lambda: name in self.target and self.works(key),
            lambda: f"{key} for {name}:\n{self._look()}",
        )
        self.presses(key, taken=taken)

    def _moved_on(self, name: str) -> bool:
        row = focused(self._look())
        return bool(row) and (name not in self.target or re.search(r"\d s$|sent$|^---", row) is not None)

    def _refused(self) -> bool:
        return NOT_TAKEN.search(self._look()) is not None

    def _shows(self, words: str) -> Callable[[], bool]:
        return lambda: words in self._look()

    def edits(self, name: str, text: str) -> None:
        """Go to a request, read it, and put another text in the place of its command."""
        self.reads_about(name)
        self.press("E")
        self.sees(f"> {re.escape(name)}")
        self._takes_its_time(2 * HAND)
        self._glass.press("C-u")
        self._glass.type(text)
        self.sees(f"> {re.escape(text)}")
        self._last_key = time.monotonic()  # Enter right after the text would be the end of a pasted line
        self.presses("Enter", taken=lambda: f"> {text}" not in self._look())

    def _takes_its_time(self, seconds: float = HAND) -> None:
        time.sleep(max(0.0, self._last_key + seconds - time.monotonic()))


ALL = 100
"""Per cent of a request that was read."""


def focused(text: str) -> str:
    """The row of the list that has the focus, without its marks; else the head of the content."""
    rows = text.split("\n")
    row = next((row for row in rows if row.startswith("▌")), None)
    return _head(rows) if row is None else row.split("│")[0].strip("▌ ")


def _head(rows: Sequence[str]) -> str:
    """What stands above the content: of a group it is one row further down."""
    pane = [row.split("│")[-1].strip() for row in rows[1:3]]
    kinds = [row for row in pane if re.match(r"[MAD${TB] ", row)]
    return next(iter(kinds), "")


def share_read(text: str) -> int:
    """How much of the target was read, in per cent; 0 if that is not said."""
    found = _HEAD_WORD.search(_head(text.split("\n")) or focused(text))
    if found is None or not found[2]:
        return 0
    return int(found[1]) if found[1] else ALL


def _soon(look: Callable[[], bool], seconds: float = 1.0) -> bool:
    """Wait for what usually happens, but need not."""
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.03)
    return found
