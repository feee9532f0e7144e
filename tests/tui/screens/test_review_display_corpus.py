"""The cases of the display corpus that are about where a text stands, on the real screen."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from screen_bench import LARGE, SMALL, Screen, agent, call, post, screen

from display_corpus import Case, asking_with, cases
from signoff.queue import StoredRequest

AGENT = "refactor"
ORDINARY = "ordinary"
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


def cases_about(key: str) -> list[Case]:
    return [case for case in cases() if key in case.expected]


@asynccontextmanager
async def shown(
    place: Path, workdir: Path, asked: list[Case], size: tuple[int, int]
) -> AsyncIterator[tuple[Screen, dict[str, StoredRequest]]]:
    """The screen with a request for every case, behind an ordinary one; requests by the id of their case."""
    with agent(place, AGENT, cwd=workdir) as asking:
        requests = {ORDINARY: post(asking, call("An ordinary request"))}
        requests |= {case.id: post(asking, asking_with(case, workdir)) for case in asked}
        async with screen(place, size=size, waiting=len(requests)) as seen:
            yield seen, requests


async def leave(seen: Screen) -> None:
    if not seen.app.review.room.wide:
        await seen.press("escape")


async def open_first_page(seen: Screen, request: StoredRequest) -> None:
    """Go to a request, and press no key in it."""
    await seen.goes_to(request)
    if not seen.app.review.room.wide:
        await seen.press("enter")
    entry = seen.entry(request)
    await seen.until(lambda: seen.has_settled(entry), "settled lines")


def squeezed(text: str) -> str:
    """Text without blanks and without the signs of wrapped lines."""
    return re.sub(r"[\s↪]", "", text)


def pane(seen: Screen) -> str:
    """What the request's own part of the screen shows."""
    return "\n".join(row.rpartition("│")[2] for row in seen.frame)


def borders(seen: Screen) -> list[int]:
    """Rows in which the line between the list and the request stands in its place."""
    place = seen.app.review._list_width
    return [number for number, row in enumerate(seen.frame) if _at(row, place) == "│"]


def _at(row: str, cell: int) -> str:
    """The character that begins in a cell; nothing if a wide one goes over it."""
    used = 0
    for char in row:
        if used >= cell:
            return char if used == cell else ""
        used += cell_len(char)
    return ""


async def pages(seen: Screen, request: StoredRequest) -> AsyncIterator[str]:
    """Every page of a request up to the one with which all of it was shown."""
    entry = seen.entry(request)
    yield pane(seen)
    while not seen.is_read(entry):
        await seen.press("space")
        await seen.until(lambda: seen.has_settled(entry), "settled lines")
        yield pane(seen)


@SIZES
async def test_what_decides_is_on_the_first_page_or_approving_waits_for_it(
    place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    async with shown(place, workdir, cases_about("tail"), size) as (seen, requests):
        for case in cases_about("tail"):
            await open_first_page(seen, requests[case.id])
            tail = squeezed(case.expected["tail"])
            at_once = tail in squeezed(pane(seen))
            assert at_once or re.search(r" \d?\d % read", seen.text), case.id
            assert at_once or not seen.is_read(seen.entry(requests[case.id])), case.id
            assert any([tail in squeezed(page) async for page in pages(seen, requests[case.id])]), case.id
            await leave(seen)


@SIZES
async def test_a_text_stays_in_its_own_box(place: Path, workdir: Path, size: tuple[int, int]) -> None:
    """The frame around it is the same as around an ordinary request, and says who asks."""
    async with shown(place, workdir, cases_about("contained"), size) as (seen, requests):
        await open_first_page(seen, requests[ORDINARY])
        frame = borders(seen), seen.keys
        await leave(seen)
        for case in cases_about("contained"):
            await open_first_page(seen, requests[case.id])
            assert (borders(seen), seen.keys) == frame, case.id
            assert AGENT in pane(seen).splitlines()[2], case.id
            assert {cell_len(row) for row in seen.frame} == {size[0]}, case.id
            await leave(seen)


async def test_a_blank_at_an_end_can_be_seen(place: Path, workdir: Path) -> None:
    async with shown(place, workdir, cases_about("visible_ends"), LARGE) as (seen, requests):
        for case in cases_about("visible_ends"):
            await open_first_page(seen, requests[case.id])
            words = re.escape(case.text.strip())
            assert re.search(rf'(~|\[1 space\])?{words}(~|\[1 space\])?"', pane(seen)), case.id
            assert not re.search(rf'"{words}"', pane(seen)), case.id
