"""Kills agents and reviewers of a queue at random instants, for as long as you like, then checks everything.

Usage: python torture.py PLACE FOLDER SECONDS [--fill DIRECTORY]

With ``--fill`` the file system of that directory is made full again and again, for a while each time.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import torture_parties

from forked import FORKED
from signoff.queue import HistoryRecord, RequestState, ReviewQueue, open_review_queue

AGENTS, REVIEWERS = 16, 3
LONGEST_LIFE = 0.3
"""Most seconds between two kills."""

KILLS = 24
"""Fewest kills, however short the time."""

IN_A_ROW = 8
"""After so many kills something must have run before the next one, so that slow machines get somewhere, too."""

STANDSTILL = 60.0
"""Seconds without anything being run after which the queue is said to be stuck."""

DISTURBED = 2
"""How often each disturbance happens at least."""

LOOK = 0.05
"""Seconds between two looks at the notes."""

SETTLING = 30.0
"""Seconds after the end within which the requests of the killed must be withdrawn."""

PAGE = 1000

_DECIDED = {RequestState.APPROVED: "True", RequestState.REJECTED: "False"}


@dataclass
class Report:
    """What happened, and what should not have.

    Attributes:
        counts: How often what happened, by word.
        faults: In words; empty when every promise was kept.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counted = ", ".join(f"{count} {word}" for word, count in sorted(self.counts.items()))
        return "\n".join([counted, *self.faults, f"{len(self.faults)} faults"])


class Course:
    """How it goes.

    Args:
        folder: Where the agents keep their notes.

    Attributes:
        over: Set when it shall end.
    """

    def __init__(self, folder: Path) -> None:
        self.over = threading.Event()
        self._folder = folder

    def goes_on(self) -> bool:
        """Wait until an agent has run something from now on; says whether one did in good time."""
        return self._one_more("ran")

    def is_lost(self) -> bool:
        """Wait until somebody has lost the queue from now on; says whether one did in good time."""
        return self._one_more("lost")

    def _one_more(self, word: str) -> bool:
        before, end = self._count(word), time.monotonic() + STANDSTILL
        while self._count(word) == before:
            if time.monotonic() > end or self.over.wait(LOOK):
                return False
        return True

    def _count(self, word: str) -> int:
        return sum(words[0] == word for role in ("agent", "reviewer") for words in _notes(self._folder, role))


Disturbance = Callable[[Course], Iterator[None]]
"""Something bad that happens again and again, once for each item, and leaves everything as it was."""


class Party:
    """A process that is started again whenever it was killed.

    Args:
        role: "agent" or "reviewer".
        place: The queue.
        name: Its name.
        folder: Where it keeps its notes.
    """

    def __init__(self, role: str, place: str, name: str, folder: Path) -> None:
        self._arguments = (role, place, name, str(folder), str(folder / f"log-{name}"))
        self._process = self._start()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._process.kill()
        self._process.join()

    def replace(self) -> None:
        """Kill it, and start another one in its place."""
        self.kill()
        self._process = self._start()

    @property
    def complaint(self) -> str:
        """What it said before it ended by itself, which it never should."""
        return "" if self._process.is_alive() else Path(self._arguments[-1]).read_text()[-500:] or "no words"

    def _start(self) -> ForkServerProcess:
        process = FORKED.Process(target=torture_parties.live, args=self._arguments)
        process.start()
        return process


def torture(place: str, folder: Path, seconds: float, disturbances: Sequence[Disturbance] = ()) -> Report:
    """Kill for some time, end all, and check.

    Args:
        place: The queue; it is created when there is none.
        folder: An empty folder for notes.
        seconds: How long, at least.
        disturbances: What happens besides.
    """
    report, course = Report(), Course(folder)
    open_review_queue(place).close()
    # The threads live until all is judged: a server ends with the thread that started it.
    with ThreadPoolExecutor(len(disturbances) or 1) as pool, ExitStack() as stack:
        stack.callback(course.over.set)
        parties = [Party("agent", place, f"a{number}", folder) for number in range(AGENTS)]
        parties += [Party("reviewer", place, f"r{number}", folder) for number in range(REVIEWERS)]
        for party in parties:
            stack.callback(party.kill)
        going_on = [pool.submit(_disturb, course, each, report) for each in disturbances]
        _kill(parties, course, seconds, report, going_on)
        course.over.set()
        for each in going_on:
            each.result()
        stack.close()
        with open_review_queue(place, reviewer="the judge") as queue:
            _settle(queue, report)
            _judge(queue, folder, report)
    return report


def _disturb(course: Course, disturbance: Disturbance, report: Report) -> None:
    for _ in disturbance(course):
        report.counts["disturbances"] += 1


def _kill(
    parties: Sequence[Party], course: Course, seconds: float, report: Report, going_on: Sequence[Future[None]]
) -> None:
    dice, end = random.Random(), time.monotonic() + seconds
    wanted = DISTURBED * len(going_on)
    while (
        time.monotonic() < end or report.counts["kills"] < KILLS or report.counts["disturbances"] < wanted
    ) and not any(each.done() for each in going_on):
        time.sleep(dice.uniform(0, LONGEST_LIFE))
        party = dice.choice(parties)
        if party.complaint:
            report.faults.append(f"ended by itself: {party.complaint}")
        party.replace()
        report.counts["kills"] += 1
        if report.counts["kills"] % IN_A_ROW == 0 and not course.goes_on():
            complaints = [each.complaint for each in parties if each.complaint]
            report.faults += [f"nothing ran for {STANDSTILL:g} seconds", *complaints]
            return


def _settle(queue: ReviewQueue, report: Report) -> None:
    """All are dead: what waited must be withdrawn soon."""
    end = time.monotonic() + SETTLING
    while (waiting := queue.pending()) and time.monotonic() < end:
        time.sleep(0.2)
    report.faults += [f"{request.id} waits for ever" for request in waiting]


def _judge(queue: ReviewQueue, folder: Path, report: Report) -> None:
    ends: defaultdict[tuple[str, str], list[HistoryRecord]] = defaultdict(list)
    for record in _records(queue):
        ends[str(record.request_id), str(record.revision)].append(record)
        report.counts[record.state.value] += 1
    for name, records in ends.items():
        states = [record.state for record in records]
        # An answer that came too late to be used is superseded, which is a second record of the same revision.
        if len(states) > 1 and not (states[0] in _DECIDED and states[1:] == [RequestState.SUPERSEDED]):
            report.faults.append(f"{name} ended more than once: {states}")
    ran: Counter[tuple[str, str]] = Counter()
    for words in _notes(folder, "agent"):
        if words[0] == "ran":
            ran[words[2], words[3]] += 1
        report.counts["losses of the queue"] += words[0] == "lost"
    report.counts["ran"] = sum(ran.values())
    for name, times in ran.items():
        if times > 1:
            report.faults.append(f"{name} ran {times} times")
        if RequestState.APPROVED not in [record.state for record in ends[name]]:
            report.faults.append(f"{name} ran without an approval in the history")
    for what, *words in _notes(folder, "reviewer"):
        report.counts["losses of the queue"] += what == "lost"
        if what != "decided":
            continue
        request_id, revision, approved = words
        report.counts["reported"] += 1
        if approved not in [_DECIDED.get(record.state) for record in ends[request_id, revision]]:
            report.faults.append(f"{request_id, revision}: a reported decision is not in the history")
    if (broken := queue.verify()) is not None:
        report.faults.append(f"the history is broken at record {broken}")


def _records(queue: ReviewQueue) -> Iterator[HistoryRecord]:
    """The whole history, oldest first."""
    pages: list[HistoryRecord] = []
    before = None
    while page := queue.history(before=before, limit=PAGE):
        pages += page
        before = page[-1].seq
    return reversed(pages)


def _notes(folder: Path, role: str) -> Iterator[list[str]]:
    for path in folder.glob(f"{role}-*"):
        for line in path.read_text(encoding="ascii").splitlines():
            yield line.split()


def fill(directory: Path, *, free: float = 2.0) -> Disturbance:
    """A file system that is full again and again, each time until somebody notices.

    How soon that is depends on how much of its log the database can write over before the file must grow.

    Args:
        directory: On the file system.
        free: Seconds in between, from when something can be run again.
    """

    def disturb(course: Course) -> Iterator[None]:
        filler = directory / "filler"
        while not course.over.wait(free):
            with suppress(FileNotFoundError):
                _take_all_space(filler)
                course.is_lost()
                filler.unlink()
            yield
            course.goes_on()

    return disturb


def _take_all_space(filler: Path) -> None:
    descriptor = os.open(filler, os.O_CREAT | os.O_WRONLY, 0o600)
    piece = bytes(65536)
    try:
        while piece:
            try:
                os.write(descriptor, piece)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                piece = piece[: len(piece) // 2]
    finally:
        os.close(descriptor)


def main() -> int:
    """Torture one queue and print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place")
    parser.add_argument("folder", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--fill", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    disturbances = [] if options.fill is None else [fill(options.fill)]
    report = torture(options.place, options.folder, options.seconds, disturbances)
    sys.stdout.write(f"{report}\n")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
