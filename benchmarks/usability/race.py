"""Two reviewers at two screens of one queue, who press the same key at the same time."""

from __future__ import annotations

import asyncio
import time

from screen_bench import LARGE, Screen, screen

from benchmarks.usability.bench import Bench, Room
from benchmarks.usability.figure import Figure, at_most, together
from signoff.queue import RequestState, open_review_queue
from signoff.queue.records import StoredRequest

ROUNDS = 1_000
REVIEWERS = ("anna", "ben")


def race(bench: Bench) -> Figure:
    """UT-32: exactly one decision counts, and the screen of the other one says whose."""
    rounds = bench.rounds(ROUNDS)
    wrong, slowest = asyncio.run(_rounds(bench.room(), rounds))
    return together(
        at_most("wrong", wrong, 0, ""),
        at_most("the other is told after", slowest, 1.0 * bench.factor, "s"),
        Figure(f"{rounds} rounds", met=True),
    )


async def _rounds(room: Room, rounds: int) -> tuple[int, float]:
    wrong, slowest = 0, 0.0
    one, other = (screen(room.place, size=LARGE, reviewer=name) for name in REVIEWERS)
    async with one as annas, other as bens:
        screens = dict(zip(REVIEWERS, (annas, bens), strict=True))
        for number in range(rounds):
            request = await asyncio.to_thread(room.stock.command, "agent", f"ls {number}")
            fair, told = await _one_round(room, request, screens)
            wrong += not fair
            slowest = max(slowest, told)
    return wrong, slowest


async def _one_round(room: Room, request: StoredRequest, screens: dict[str, Screen]) -> tuple[bool, float]:
    """Whether one of them decided, and after how many seconds both screens said who."""
    await asyncio.gather(*(seen.reads(request) for seen in screens.values()))
    begin = time.monotonic()
    await asyncio.gather(*(seen.press("y") for seen in screens.values()))
    with open_review_queue(room.place) as queue:
        for seen in screens.values():
            await seen.until(lambda: seen.entry(request).closed, "it ended")  # noqa: B023
        took = time.monotonic() - begin
        decided = queue.get(request.id)
        records = [record for record in queue.history(limit=5) if record.request_id == request.id]
    winner = None if decided.decision is None else decided.decision.by
    fair = decided.state is RequestState.APPROVED and len(records) == 1 and winner in screens
    for name, seen in screens.items():
        await seen.shows(f"approved by {'you' if name == winner else winner}")
    return fair, took
