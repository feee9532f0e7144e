"""Robots at the real program, in a thread of their own: what is decided, and what is not."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import system_children
from pty_robot import Judge, Robots, focused_row, is_armed

from benchmarks.usability.bench import Bench, Room
from benchmarks.usability.figure import Figure, at_least, at_most, together
from benchmarks.usability.live import Live, live
from signoff.queue import HistoryRecord, RequestState, open_review_queue
from signoff.queue.records import StoredRequest
from signoff_tui.guard import Ignored
from system_bench import all_records, note, note_submission, running

SEEDS = 20
RATES = (5, 20)
"""Requests a second, by turns."""

AT_ONCE = 2
"""Programs that robots work at the same time: more would read their keys later than a person's come."""

ROBOTS_WORK = 60.0
"""Seconds for each seed."""

OFTEN = 0.15
"""How often a second the loop stands still, where it does."""

ROUNDS = 20
LETTERS = "y Y n s x u ! later"

Done = TypeVar("Done")

READS = 0.6
"""Least seconds that a reviewer reads."""


def misfires(bench: Bench) -> Figure:
    """UT-01: robots that look and robots that do not; requests come, change and end, and the loop stands still."""
    pressed, decided, wrong = 0, 0, []
    seeds = range(1, bench.rounds(SEEDS) + 1)
    for some in (seeds[begin : begin + AT_ONCE] for begin in range(0, len(seeds), AT_ONCE)):
        for room, at, robots in asyncio.run(_robots_at_once(bench, some)):
            records, judge = _decided(room), Judge(at.pictures)
            found = (judge.misfire(record, robots.acts, at.pressed_at(record)) for record in records)
            wrong += filter(None, found)
            pressed += len(at.keys)
            decided += len(records)
    sys.stderr.write("".join(f"{misfire}\n" for misfire in wrong))
    return together(
        at_most("misfires", len(wrong), 0, ""),
        Figure(f"{pressed} keys", met=True),
        at_least("decisions", decided, 1, ""),
    )


async def _robots_at_once(bench: Bench, seeds: Sequence[int]) -> list[tuple[Room, Live, Robots]]:
    async def one(seed: int) -> tuple[Room, Live, Robots]:
        def work(at: Live) -> Robots:
            robots = Robots(at, seed)
            robots.work(bench.seconds(ROBOTS_WORK))
            return robots

        room = bench.room()
        stalls = OFTEN / len(seeds)
        return room, *await _in_a_stream(room, RATES[seed % len(RATES)], seed, work, stalls=stalls)

    return list(await asyncio.gather(*map(one, seeds)))


def first_presses(bench: Bench) -> Figure:
    """UT-06: somebody who reads each request for 0.6 s or more, and how many of the first presses are accepted."""
    calm = _accepted(bench, rate=5, stalls=0.0)
    storm = _accepted(bench, rate=20, stalls=OFTEN)
    return together(at_least("calm", calm, 98, "%"), at_least("storm", storm, 85, "%"))


def _accepted(bench: Bench, rate: int, stalls: float) -> float:
    accepted = pressed = 0
    for seed in range(1, bench.rounds(5) + 1):
        reader = _Reader(seed, bench.seconds(ROBOTS_WORK / 2))
        at, times = asyncio.run(_in_a_stream(bench.room(), rate, seed, reader.work, stalls=stalls))
        refused = {judged.at for judged in at.judged if isinstance(judged.reaction.verdict, Ignored)}
        accepted += sum(moment not in refused for moment in times)
        pressed += len(times)
    return 100 * accepted / max(pressed, 1)


def _name(row: str) -> str:
    """What a row of the list is about, without how much of it was read."""
    return " ".join(row.split()[:-1])


class _Reader:
    """Approves what was on the screen for as long as it takes to read it."""

    def __init__(self, seed: int, seconds: float) -> None:
        self._dice = random.Random(seed)
        self._seconds = seconds

    def work(self, at: Live) -> list[float]:
        """Returns when the first press for each request was made."""
        times: list[float] = []
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            row = focused_row(at)
            if "---" in row:
                at.type("J")
                time.sleep(0.3)
            elif row and self._reads(at, row):
                at.type("y")
                times.append(at.keys[-1].at)
                time.sleep(0.3)
            else:
                time.sleep(0.05)
        return times

    def _reads(self, at: Live, row: str) -> bool:
        """Look at a request for some time; false when another one took its place."""
        until = time.monotonic() + self._dice.uniform(READS, 1.6)
        while time.monotonic() < until:
            if _name(focused_row(at)) != _name(row):
                return False
            time.sleep(0.02)
        return is_armed(at)


async def _in_a_stream(
    room: Room, rate: int, seed: int, work: Callable[[Live], Done], *, stalls: float
) -> tuple[Live, Done]:
    """Let a robot work while requests come, change and end."""
    command = [sys.executable, system_children.__file__, "stream", str(room.place), str(seed), str(rate)]
    variables = {**room.variables, "PYTHONPATH": ":".join(filter(None, sys.path))}
    with running(command, variables, room.work):
        async with live(room.place, stalls=stalls, seed=seed) as at:
            await at.seen.until(lambda: "note-" in at.text(), "a target")
            done = await asyncio.to_thread(work, at)
            await at.seen.until(lambda: not at.seen.desk.guard.holds, "all that was held is sent")
    return at, done


def _decided(room: Room) -> list[HistoryRecord]:
    with open_review_queue(room.place) as queue:
        return [record for record in all_records(queue) if record.decision is not None]


# -- one thing changes in the last moment -----------------------------------------------------------------


def swapped(bench: Bench) -> Figure:
    """UT-19: another content takes the place of what is shown, 1 ms before the key that approves it."""

    async def one(at: Live, room: Room) -> bool:
        queue = room.stock.agent("swapper")
        request = note(queue, "honest")
        await _ready(at, request)
        await asyncio.to_thread(queue.amend, request.id, note_submission("swapped", cwd=queue.agent.cwd))
        await _a_millisecond()
        at.type("y")
        await _sent(at)
        now = _look(room, request)
        wrong = now.state is RequestState.APPROVED and now.revision != request.revision
        await _over(at, room, request)
        return wrong

    return _counted(bench, one, "new contents approved")


def late_member(bench: Bench) -> Figure:
    """UT-10: another member joins 1 ms before the key that approves the group."""

    async def one(at: Live, room: Room) -> bool:
        queue = room.stock.agent("grower")
        name = f"group {time.monotonic_ns()}"
        first, second = (
            room.stock.call("grower", word, {"name": f"{name} {word}"}, group_id=name)
            for word in ("first", "second")
        )
        await _ready(at, first)
        await at.seen.group_armed()
        late = await asyncio.to_thread(room.stock.call, "grower", "late", {"name": f"{name} late"}, group_id=name)
        await _a_millisecond()
        at.type("Y")
        await _sent(at)
        if "Approve exactly" in at.text():
            await at.seen.sheet_armed()
            at.type("y")
            await _sent(at)
        wrong = _look(room, late).state is RequestState.APPROVED
        for request in (first, second, late):
            if _look(room, request).pending:
                await asyncio.to_thread(queue.withdraw, request.id, "over")
        await _over(at, room, first)
        return wrong

    return _counted(bench, one, "late members approved")


def dies_while_typing(bench: Bench) -> Figure:
    """UT-33: the request ends while its rejection is written: every key stays in the box."""

    async def one(at: Live, room: Room) -> bool:
        queue = room.stock.agent("writer")
        other, request = note(queue, "other"), note(queue, "dying")
        await at.seen.goes_to(request)
        await at.seen.armed()
        await at.seen.rests()
        at.type("n")
        await at.seen.shows("what to do instead")

        def types() -> None:
            for number, letter in enumerate(LETTERS):
                at.type(letter)
                time.sleep(0.1)
                if number == len(LETTERS) // 2:
                    queue.withdraw(request.id, "not needed any more")

        await asyncio.to_thread(types)
        at.type("\r")
        await at.seen.shows(LETTERS, "it ended meanwhile")
        await _sent(at)
        wrong = not _look(room, other).pending or bool(_decided(room))
        at.type("\x1b")
        await at.seen.shows_no("what to do instead")
        await asyncio.to_thread(queue.withdraw, other.id, "over")
        await _over(at, room, request)
        return wrong

    return _counted(bench, one, "keys that left the box")


def _counted(bench: Bench, one: Callable[[Live, Room], Awaitable[bool]], name: str) -> Figure:
    """Do it some times in one program, and count how often it went wrong."""
    rounds = bench.rounds(ROUNDS)

    async def all_rounds() -> int:
        room = bench.room()
        async with live(room.place) as at:
            return sum([await one(at, room) for _ in range(rounds)])

    return together(at_most(name, asyncio.run(all_rounds()), 0, ""), Figure(f"{rounds} rounds", met=True))


async def _ready(at: Live, request: StoredRequest) -> None:
    """Wait until a request was shown and its keys act."""
    await at.seen.reads(request)
    await at.seen.rests()
    await at.seen.armed()


async def _a_millisecond() -> None:
    await asyncio.to_thread(time.sleep, 0.001)


async def _sent(at: Live) -> None:
    """Wait until the key was judged, and what it decided was sent."""
    pressed = at.keys[-1].at
    await at.seen.until(lambda: any(judged.at >= pressed for judged in at.judged), "the key was judged")
    await at.seen.until(lambda: not at.seen.desk.guard.holds, "all that was held is sent")
    await asyncio.sleep(0.1)


async def _over(at: Live, room: Room, request: StoredRequest) -> None:
    """End a request if it still waits, and go back to the list."""
    if _look(room, request).pending:
        agent = room.stock.agent(request.asked_by.name)
        await asyncio.to_thread(agent.withdraw, request.id, "over")
    await at.seen.until(lambda: not any(entry.waiting for entry in at.seen.desk.inbox.entries()), "nothing waits")
    await at.seen.rests()
    await at.seen.press("1")


def _look(room: Room, request: StoredRequest) -> StoredRequest:
    with open_review_queue(room.place) as queue:
        return queue.get(request.id)
