"""Taking back: for certain, until the decision is sent."""

from __future__ import annotations

from pathlib import Path

from screen_bench import HELD, LARGE, QUICK, Screen, command, post, screen

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest


async def approves(seen: Screen, request: StoredRequest) -> None:
    await seen.reads(request)
    await seen.press("y")
    await seen.until(lambda: seen.entry(request).held)


async def test_u_takes_back_the_last_decision(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, settings=HELD, size=LARGE, waiting=2) as seen:
        await approves(seen, first)
        await approves(seen, second)
        await seen.shows("approved ls b, sends in ", "1 more held")
        await seen.press("u")
        await seen.shows("taken back: ls b is waiting again")
        assert (seen.entry(first).held, seen.entry(second).waiting) == (True, True)
    assert looking.get(second.id).pending


async def test_what_was_sent_cannot_be_taken_back_and_the_screen_says_so(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=QUICK, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
        await seen.press("u")
        await seen.shows("nothing to undo: no decision is held")
        assert seen.app.review._said.token == "warn"


async def test_a_request_that_was_taken_back_can_be_decided_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await approves(seen, request)
        await seen.press("u")
        await seen.shows("is waiting again")
        await seen.armed()
        await seen.press("n")
        await seen.shows("Tell it what to do instead")


async def test_closing_the_program_sends_nothing_that_is_held(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await approves(seen, request)
    assert looking.get(request.id).pending


async def test_a_held_row_says_for_how_long(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await approves(seen, request)
        await seen.until(lambda: " s│" in seen.line("$ ls") or seen.line("$ ls")[:40].rstrip("│").endswith(" s"))
