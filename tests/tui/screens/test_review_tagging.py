"""Acting on tagged requests with keys: the screen names whom it covers, and nothing else is decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, agent, command, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest


def states(looking: ReviewQueue, *requests: StoredRequest) -> list[str]:
    return [looking.get(request.id).state.value for request in requests]


async def tags(seen: Screen, *requests: StoredRequest) -> None:
    if seen.app.review.reading:
        await seen.press("escape")
    for request in requests:
        await seen.goes_to(request)
        await seen.press("t")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_an_approval_covers_the_tagged_that_were_shown_and_are_not_high(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    low, danger = post(asking, command("ls", workdir)), post(asking, command("rm -rf build", workdir))
    unread, other = (post(asking, write(workdir / name, "x\n" * 90)) for name in ("unread.txt", "other.txt"))
    async with screen(place, size=size, waiting=4) as seen:
        for request in (low, danger):
            await seen.reads(request)
        await tags(seen, low, danger, unread)
        assert "*" in seen.line("$ ls")
        await seen.until(lambda: seen.special.strip() == "3 tagged: Y approve 1 of 3  N reject 3")
        await seen.group_armed()
        await seen.press("Y")
        await seen.shows("Approve exactly: ls", "rm -rf build HIGH", "unread.txt ")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.until(lambda: states(looking, low)[0] == "approved")
        await seen.shows("2 tagged: ")
        assert states(looking, danger, unread, other) == ["pending"] * 3


async def test_capitals_act_on_the_tagged_wherever_the_cursor_is(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    tagged, other = (post(asking, command(text, workdir)) for text in ("ls", "pwd"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        for request in (tagged, other):
            await seen.reads(request)
        await tags(seen, tagged)
        await seen.goes_to(other)
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: states(looking, tagged) == ["approved"])
    assert states(looking, other) == ["pending"]


async def test_small_letters_stay_with_the_focused_row(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    tagged, other = (post(asking, command(text, workdir)) for text in ("ls", "pwd"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        for request in (tagged, other):
            await seen.reads(request)
        await tags(seen, tagged)
        await seen.goes_to(other)
        await seen.armed()
        await seen.press("y")
        await seen.until(lambda: states(looking, other) == ["approved"])
    assert states(looking, tagged) == ["pending"]


async def test_one_message_rejects_the_tagged_of_several_agents(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        second, other = (post(release, command(text, workdir)) for text in ("pwd", "id"))
        async with screen(place, waiting=3) as seen:
            await tags(seen, first, second)
            await seen.group_armed()
            await seen.press("N")
            await seen.shows("Reject 2 tagged; the agent goes on")
            await seen.types("no")
            await seen.press("enter")
            await seen.until(lambda: states(looking, first, second) == ["rejected"] * 2)
            assert states(looking, other) == ["pending"]


async def test_a_heading_tags_all_its_members_and_escape_clears_them(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        post(asking, write(workdir / name, "x\n", group_id="g"))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("t")
        await seen.shows("2 tagged: ")
        await seen.press("escape")
        await seen.shows_no("tagged")
