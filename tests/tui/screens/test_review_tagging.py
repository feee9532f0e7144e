"""Acting on tagged requests with keys: the screen names whom it covers, and nothing else is decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, agent, command, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest


def states(looking: ReviewQueue, *requests: StoredRequest) -> list[str]:
    return [looking.get(request.id).state.value for request in requests]


async def tags(seen: Screen, *requests: StoredRequest) -> None:
    for request in requests:
        await seen.press("1")
        await seen.goes_to(request)
        await seen.press("t")
    them = "it" if len(requests) == 1 else "them"
    await seen.shows(f"{len(requests)} tagged: [;] decides {them}", f"[;] {len(requests)} tagged", "[t] tag")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_an_approval_covers_the_tagged_that_were_shown_and_are_not_high(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    low, danger = post(asking, command("ls", workdir)), post(asking, command("rm -rf build", workdir))
    unread, other = (post(asking, write(workdir / name, "x\n" * 90)) for name in ("unread.txt", "other.txt"))
    async with screen(place, size=size, waiting=4) as seen:
        for request in (low, danger):
            await seen.press("1")
            await seen.reads(request)
        await tags(seen, low, danger, unread)
        assert "*" in seen.line(" $ ls")
        await seen.press("semicolon")
        await seen.armed()
        await seen.shows("TARGET 3 tagged: 2 shell, 1 write_file (tester)  1 HIGH")
        await seen.shows("[y] approves exactly 1: ls", "left out: rm -rf build HIGH", "unread.txt", "reject all 3")
        await seen.press("y")
        await seen.until(lambda: states(looking, low)[0] == "approved")
        await seen.shows("still waiting, still tagged: rm -rf build  unread.txt", "[;] 2 tagged")
        assert states(looking, danger, unread, other) == ["pending"] * 3
        await seen.shows_no("TARGET 2 tagged")


async def test_one_reason_rejects_the_tagged_of_several_agents(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        second, other = (post(release, command(text, workdir)) for text in ("pwd", "id"))
        async with screen(place, waiting=3) as seen:
            await seen.press("semicolon")
            await seen.shows("nothing is tagged: t tags")
            await tags(seen, first, second)
            await seen.press("semicolon")
            await seen.armed()
            await seen.press("y")
            await seen.shows("(y) nothing approved: no tagged request is ready", "left out:", "ls 0%", "pwd 0%")
            await seen.press("escape", "escape")
            await seen.shows_no("TARGET 2 tagged")
            await seen.press("semicolon")
            await seen.armed()
            await seen.press("n")
            await seen.shows("Reject 2 requests; the agent goes on", "TARGET 2 tagged")
            await seen.types("no")
            await seen.press("enter")
            await seen.until(lambda: states(looking, first, second) == ["rejected"] * 2)
            assert states(looking, other) == ["pending"]


async def test_remembering_the_tagged_says_for_which_sessions(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        second = post(release, command("pwd", workdir))
        async with screen(place, size=LARGE, waiting=2) as seen:
            for request in (first, second):
                await seen.reads(request)
            await tags(seen, first, second)
            await seen.press("semicolon")
            await seen.armed()
            await seen.press("s")
            await seen.shows("the session that asked", ": s-1, s-42", "approves only these 2 requests")
            await seen.sheet_armed()
            await seen.press("y")
            await seen.until(lambda: states(looking, first, second) == ["approved"] * 2)
    assert sorted(grant.session for grant in looking.grants()) == ["s-1", "s-42"]


async def test_moving_on_makes_the_keys_act_on_the_row_again(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(text, workdir)) for text in ("ls", "pwd")]
    async with screen(place, size=LARGE, waiting=2) as seen:
        await tags(seen, *requests)
        await seen.press("apostrophe")
        await seen.shows("TARGET 2 tagged")
        await seen.press("k")
        await seen.shows("TARGET shell ls")
        await seen.press("T")
        await seen.shows("2 untagged")
