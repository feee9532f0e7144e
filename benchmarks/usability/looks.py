"""What stays where it is, what fits, and what can be told apart without colors."""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from frames_tour import Plan
from looks_form import Shot
from looks_tour import NO_COLOR, VIEWS, all_looks
from screen_bench import LARGE, SMALL, Screen, screen

from benchmarks.usability.bench import Bench
from benchmarks.usability.figure import Figure, at_most, together
from signoff.queue.clock import now_us
from signoff_tui.text.themes import DEFAULT_THEME
from stocked import Stock

ARRIVALS, ENDINGS = 1_000, 300
ABOVE = "a group above"
NAMED_SIZES = ((40, 10), (50, 40), (80, 24), (120, 40), (200, 50))
RANDOM_SIZES = 200

Way = tuple[str, tuple[str, ...]]

WAYS: tuple[Way, ...] = (
    ("inbox", ()),
    ("request", ("enter",)),
    ("group", ("j", "enter")),
    ("history", ("h",)),
    ("record", ("h", "enter")),
    ("help", ("question_mark",)),
    ("palette", ("colon",)),
)
"""Which keys lead from the first row of the inbox to what."""


def focus_stays(bench: Bench) -> Figure:
    """UT-07: the focused row and the list around it while requests arrive and end, above it as well."""

    async def changed() -> int:
        room = bench.room()
        frozen = now_us()
        groups = {"group_id": "a group above"}
        first = [
            room.stock.command("early", f"ls {number}", **(groups if number < 3 else {})) for number in range(30)
        ]
        async with screen(room.place, size=SMALL, wall_clock=lambda: frozen, waiting=len(first)) as seen:
            await seen.goes_to(first[20])
            await seen.armed()
            before = _focused(seen)
            await asyncio.to_thread(_storm, room.stock)
            # What ended before the screen heard of it is not listed.
            await seen.shows(f"{len(first) + ARRIVALS - ENDINGS} waiting")
            return sum(one != other for one, other in itertools.zip_longest(before, _focused(seen)))

    return at_most("changed", asyncio.run(changed()), 0, "")


def _focused(seen: Screen) -> tuple[str, int, str]:
    """The focused line, its place on the screen, and the line above it."""
    place, line = next((place, line) for place, line in enumerate(seen.frame) if line.startswith("▌"))
    return line, place, seen.frame[place - 1]


def _storm(stock: Stock) -> None:
    dice, waiting = random.Random(3), []
    ended = 0
    for number in range(ARRIVALS):
        # Some join the group above the focused row, so that rows are put in there.
        group = {"group_id": ABOVE} if number % 20 == 0 else {}
        waiting.append(stock.command("early" if group else "late", f"pwd {number}", **group))
        if ended < ENDINGS and number % 3 == 0:
            chosen = waiting.pop(dice.randrange(len(waiting)))
            stock.agent(chosen.asked_by.name).withdraw(chosen.id, "not needed any more")
            ended += 1


def without_colors(bench: Bench) -> Figure:
    """UT-28: pictures of the states as text, made without colors."""
    with tempfile.TemporaryDirectory(prefix="signoff-usability-") as folder:
        looks = (DEFAULT_THEME, NO_COLOR)
        made = asyncio.run(all_looks(Path(folder), {"large": (Plan(LARGE, VIEWS), looks)}))["large"]
    if isinstance(made, BaseException):
        raise made
    texts = {view: _written(shots[NO_COLOR]) for view, shots in made.items()}
    same = [pair for pair in itertools.combinations(texts, 2) if texts[pair[0]] == texts[pair[1]]]
    return together(at_most("equal pairs", len(same), 0, ""), Figure(f"{len(texts)} states", met=True))


def _written(shot: Shot) -> str:
    return "\n".join("".join(letter for letter, _ in row) for row in shot)


def sizes(bench: Bench) -> Figure:
    """UT-30: every screen at the sizes people have, and at random ones."""
    dice = random.Random(5)
    by_turns = itertools.cycle(WAYS)
    plan = [(size, list(WAYS)) for size in NAMED_SIZES]
    plan += [
        ((dice.randint(1, 220), dice.randint(1, 70)), [next(by_turns), next(by_turns)])
        for _ in range(bench.rounds(RANDOM_SIZES))
    ]
    wrong = asyncio.run(_wrong_sizes(bench.mix().place, plan))
    looks = sum(len(ways) for _, ways in plan)
    counted = Figure(f"{looks} looks in {len(plan)} sizes", met=True)
    return together(at_most("wrong", len(wrong), 0, " ".join(wrong[:5])), counted)


async def _wrong_sizes(place: Path, plan: Sequence[tuple[tuple[int, int], Sequence[Way]]]) -> list[str]:
    """Sizes and screens that do not fill the terminal exactly, or do not say what they must."""
    wrong = []
    async with screen(place, waiting=18) as seen:
        for (width, height), ways in plan:
            await seen.pilot.resize_terminal(width, height)
            for name, keys in ways:
                await seen.press("g", *keys)
                if not _fits(seen, width, height) or (name in {"inbox", "group"} and not _says(seen)):
                    wrong.append(f"{name} {width}x{height}")
                seen.app.go("inbox")
                await seen.pilot.pause()
    return wrong


def _fits(seen: Screen, width: int, height: int) -> bool:
    return len(seen.frame) == height and all(len(line) == width for line in seen.frame)


def _says(seen: Screen) -> bool:
    """Decision keys are off where too little can be shown; elsewhere what is HIGH is said, and keys are there."""
    size = seen.app.size
    if size.width < 40 or size.height < 10:
        return seen.desk.guard.too_small
    return not seen.desk.guard.too_small and "HIGH" in seen.frame[0] and "?" in seen.keys
