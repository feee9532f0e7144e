"""The decision guard in the real screen, in a pseudo-terminal, with keys that wait for nothing."""

from __future__ import annotations

import contextlib
import random
import re
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import system_children
from person_bench import HAND, Person
from pty_bench import Terminal
from pty_robot import Judge, Robots, pictures_of, pressed_at

import system_bench
from signoff.queue import AgentQueue, DecisionSource, HistoryRecord, ReviewQueue
from system_bench import all_records, eventually, note, running

pytestmark = pytest.mark.system

ROBOTS_WORK = 14.0
"""Seconds of a try."""

ROBOTS_TRIES = 6
ENOUGH = 3
"""Decisions; robots that decide nothing prove nothing."""

WORDS = ("npm test", "yes\r", "sudo -s", "y\r", "n\r")
"""What people type into the wrong pane. A lone ``y`` is the command to approve."""

FLUENT = 0.2
"""Seconds from letter to letter at most, as they are typed; the guard, which reads them later, waits 0.25."""

READ_LATER = 0.05
"""Seconds at most that the screen may wait for a processor until it reads such a letter."""

STANDSTILL = 0.7
"""Seconds; longer than any target takes to be armed."""

HELD = re.compile(r"u undo|\d s *(│|$)", re.MULTILINE)

PASTES = {
    "bracketed": b"\x1b[200~" + b"y\n" * 100 + b"\x1b[201~",
    "not bracketed": b"y\n" * 50 + b"y\r" * 50,
}


def test_robots_never_decide_about_what_was_not_on_the_screen(
    screen: Callable[..., Terminal], place: Path, variables: dict[str, str], workdir: Path, looking: ReviewQueue
) -> None:
    """Requests come five a second, end and change."""
    command = [sys.executable, system_children.__file__, "stream", str(place), "7"]
    shared = str(Path(system_bench.__file__).parent)
    with running(command, {**variables, "PYTHONPATH": shared}, workdir):
        terminal = screen(columns=104, rows=24)
        Person(terminal).sees("^▌.* note-")
        robots = Robots(terminal, seed=7)
        decided: list[HistoryRecord] = []
        for _ in range(ROBOTS_TRIES):  # on a busy machine they get little done in a while
            robots.work(ROBOTS_WORK)
            eventually(lambda: not HELD.search(terminal.text()), "all held decisions were sent")
            decided = [record for record in all_records(looking) if record.decision is not None]
            if len(decided) >= ENOUGH:
                break
        terminal.close()
    judge = Judge(pictures_of(terminal))
    assert {record.decision.source for record in decided if record.decision} == {DecisionSource.REVIEWER}
    misfires = [judge.misfire(record, robots.acts, pressed_at(record)) for record in decided]
    assert list(filter(None, misfires)) == []
    assert len(decided) >= ENOUGH


@pytest.fixture
def at_screen(screen: Callable[[], Terminal], asking: AgentQueue) -> Terminal:
    """A screen on which ``y`` would approve."""
    for name in ("first", "second", "control"):
        note(asking, name)
    terminal = screen()
    person = Person(terminal)
    eventually(lambda: "first" in person.target and person.works("y"), "a request to approve")
    return terminal


def decided_with_care(terminal: Terminal, looking: ReviewQueue) -> list[str]:
    """What was decided after one more approval, with care: keys are handled in the order in which they come."""

    def decided() -> list[str]:
        return [record.description for record in all_records(looking)]

    Person(terminal).approves("control")
    eventually(lambda: "control" in decided(), "the approval was sent")
    eventually(lambda: not HELD.search(terminal.text()), "nothing is held any more")
    return decided()


def test_keys_queued_while_the_screen_was_stopped_decide_nothing(
    at_screen: Terminal, looking: ReviewQueue
) -> None:
    at_screen.stop()
    for _ in range(20):
        at_screen.type("y")
        time.sleep(0.1)
    at_screen.resume()
    assert decided_with_care(at_screen, looking) == ["control"]


def test_a_tap_that_is_read_only_after_a_standstill_decides_nothing(
    at_screen: Terminal, looking: ReviewQueue
) -> None:
    """The second of two quick taps: when it is read, the next request has been on the screen for long."""
    person = Person(at_screen)
    for name in ("second", "first"):
        person.goes_to(name)
        person.reads()
    person.approves("first")
    at_screen.stop()
    at_screen.type("y")
    time.sleep(STANDSTILL)
    at_screen.resume()
    assert decided_with_care(at_screen, looking) == ["first", "control"]


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_a_paste_decides_nothing(paste: bytes, at_screen: Terminal, looking: ReviewQueue) -> None:
    at_screen.send(paste)
    assert decided_with_care(at_screen, looking) == ["control"]


def test_words_meant_for_another_window_decide_nothing(
    at_screen: Terminal, asking: AgentQueue, looking: ReviewQueue
) -> None:
    dice = random.Random(2)
    person = Person(at_screen)
    slowly: list[str] = []
    for word in WORDS:
        eventually(lambda: person.works("y"), "a request to approve")
        while not types_fluently(at_screen, word, dice):
            eventually(lambda: not HELD.search(at_screen.text()), "what was typed slowly is sent")
            decided = [record.description for record in all_records(looking)]
            if decided != slowly:
                slowly = decided
                note(asking, f"after {len(slowly)} decisions")
            eventually(lambda: person.works("y"), "a request to approve")
    assert decided_with_care(at_screen, looking) == [*slowly, "control"]


def types_fluently(terminal: Terminal, word: str, dice: random.Random) -> bool:
    """Type a word as people do who look elsewhere. Returns False if the machine was too busy for that."""
    time.sleep(HAND)
    begun = len(terminal.keys)
    waited = [waits_for_processor(terminal)]
    for letter in word:
        terminal.type(letter)
        time.sleep(dice.uniform(0.06, 0.16))
        waited.append(waits_for_processor(terminal))
    time.sleep(HAND)
    waited.append(waits_for_processor(terminal))
    leaves_what_was_opened(terminal)
    typed = [key.at for key in terminal.keys[begun : begun + len(word)]]
    return all(later - earlier < FLUENT for earlier, later in pairwise(typed)) and all(
        later.get(thread, 0.0) - seconds < READ_LATER
        for earlier, later in pairwise(waited)
        for thread, seconds in earlier.items()
    )


def leaves_what_was_opened(terminal: Terminal) -> None:
    """Press Esc until no text box is open; a key right behind Esc would be another key."""

    def left() -> bool:
        Person(terminal).press("Escape")
        time.sleep(HAND)
        return "Enter sends" not in terminal.text()

    eventually(left, lambda: f"no open text box:\n{terminal.text()}")


def waits_for_processor(terminal: Terminal) -> dict[str, float]:
    """Seconds that each thread of the screen was ready to run and did not; nothing where nobody counts them."""
    found = {}
    for counted in Path(f"/proc/{terminal.process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # it ended
            found[counted.parent.name] = int(counted.read_text().split()[1]) / 1e9
    return found
