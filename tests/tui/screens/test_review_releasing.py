"""Remembering releases what waits for the same by a key of its own, and exactly what its sheet lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, Screen, agent, amend, call, command, post, screen, write

from signoff import Command
from signoff.queue import AgentQueue, DecisionSource, RequestState, ReviewQueue, StoredRequest

LISTS = "Y also"


async def opens(seen: Screen, request: StoredRequest, key: str = "s") -> None:
    """Read a request and open its sheet."""
    await seen.reads(request)
    if key == "S":
        await seen.group_armed()
    await seen.press(key)
    await seen.shows("Remember for this session?")
    await seen.sheet_armed()


def approved(looking: ReviewQueue, *requests: StoredRequest) -> bool:
    return all(looking.get(request.id).state is RequestState.APPROVED for request in requests)


async def test_the_sheet_lists_what_waits_for_the_same_and_the_larger_key_approves_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second, third = (post(asking, command("pytest -q", workdir)) for _ in range(3))
    async with screen(place, size=LARGE, waiting=3) as seen:
        await opens(seen, first)
        await seen.shows("y approves only this request; Y also these 2 that wait for the same:", "+2 by Y")
        await seen.shows("[y] yes, remember", "[Y] yes, and the 2 listed")
        await seen.press("Y")
        await seen.until(lambda: approved(looking, first, second, third))
    (grant,) = looking.grants()
    assert grant.uses == 2
    decisions = [looking.get(request.id).decision for request in (second, third)]
    assert [(decision.source, decision.by) for decision in decisions if decision is not None] == [
        (DecisionSource.GRANT, grant.id)
    ] * 2


async def test_each_is_named_with_its_agent_and_how_long_it_waits(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "docs-bot", session="s-1", cwd=workdir) as other:
        post(other, command("ls", workdir))
        async with screen(place, size=LARGE, waiting=2) as seen:
            await opens(seen, first)
            await seen.shows("ls (docs-bot, ", "Y also this 1 that waits")


async def test_other_arguments_are_said_with_how_much_of_them_was_shown(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, write(workdir / "a.txt", "x\n"))
    post(asking, write(workdir / "a.txt", "y\n"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.shows("other arguments, 0% shown)")


async def test_the_smaller_key_leaves_them_waiting(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("y")
        await seen.until(lambda: approved(looking, first))
    assert looking.get(second.id).pending


async def test_high_risk_and_what_was_put_aside_are_said_to_stay(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second, aside = (post(asking, call()) for _ in range(3))
    high = post(asking, call(effects=(Command("rm -rf build", str(workdir)),)))
    async with screen(place, size=LARGE, waiting=4) as seen:
        await seen.goes_to(aside)
        await seen.press("z")
        await opens(seen, first)
        await seen.shows("(HIGH: decided alone)", "(put aside)", "Y also this 1 that waits")
        await seen.press("Y")
        await seen.until(lambda: approved(looking, first, second))
    assert looking.get(high.id).pending
    assert looking.get(aside.id).pending


async def test_what_arrives_after_the_sheet_is_new_and_waits(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        late = post(asking, command("ls", workdir))
        await seen.shows("1 new since you opened this", "Y also this 1 that waits")
        await seen.press("Y")
        await seen.until(lambda: approved(looking, first, second))
    assert looking.get(late.id).pending


async def test_what_changes_under_the_sheet_is_not_released(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, write(workdir / "a.txt", text)) for text in ("x\n", "y\n"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        amend(asking, second, write(workdir / "a.txt", "z\n"))
        await seen.shows("changed meanwhile, stays")
        await seen.press("Y")
        await seen.until(lambda: approved(looking, first))
    assert looking.get(second.id).pending


async def test_undo_takes_all_of_it_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, settings=HELD, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("Y")
        await seen.shows("held: 2 approvals send in ")
        await seen.press("u")
        await seen.shows("are waiting again")
    assert looking.get(first.id).pending
    assert looking.get(second.id).pending
    assert looking.grants() == ()


async def test_a_change_of_what_is_remembered_takes_all_of_it_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, write(workdir / "a.txt", text)) for text in ("x\n", "y\n"))
    async with screen(place, settings=HELD, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("Y")
        await seen.shows("held: 2 approvals send in ")
        amend(asking, first, write(workdir / "a.txt", "z\n"))
        await seen.until(lambda: not len(seen.desk.guard.holds))
    assert looking.get(second.id).pending


async def test_a_wide_sheet_releases_nothing(asking: AgentQueue, looking: ReviewQueue, place: Path) -> None:
    first, second = (post(asking, call(payload={}, arguments={"command": "npm install"})) for _ in range(2))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.shows("approves only this request; 1 other that waits matches and stays")
        await seen.press("Y")
        await seen.shows("Y does nothing here")
    assert looking.get(first.id).pending
    assert looking.get(second.id).pending


async def test_the_sheet_of_a_group_releases_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    member = post(asking, command("ls", workdir, group_id="g"))
    post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, member, "S")
        await seen.shows("1 other that waits matches and stays")
        await seen.press("Y")
        await seen.shows("Y does nothing here")
    assert looking.get(member.id).pending


async def test_nothing_is_offered_where_nothing_else_waits_for_the_same(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    post(asking, command("ls -l", workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.shows("approves only this request")
        await seen.shows_no("matches and stays")
        await seen.shows_no(LISTS)


@pytest.mark.parametrize("size", [(50, 40), (80, 24), (120, 40), (200, 50)])
async def test_every_request_that_is_released_is_named_and_the_others_are_counted(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    first, *_ = (post(asking, command("ls", workdir)) for _ in range(20))
    async with screen(place, size=size, waiting=20) as seen:
        await opens(seen, first)
        await seen.shows("Esc")
        listing = seen.app.review.bar.listing  # type: ignore[union-attr]
        assert seen.text.count("(tester, ") - seen.target.count("(tester, ") == len(listing.listed) > 0
        left = 19 - len(listing.listed)
        if left:
            await seen.shows(f"{left} for which there is no room here")
        assert f"yes, and the {len(listing.listed)} listed" in seen.text


@pytest.mark.parametrize("size", [(40, 10), (80, 14)])
async def test_where_the_sheet_has_no_room_it_releases_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    first, _ = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, size=size, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("Y")
        await seen.sheet_armed()
        assert not len(seen.desk.guard.holds)
    assert looking.get(first.id).pending


async def test_another_size_closes_a_sheet_that_lists_requests(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, _ = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.pilot.resize_terminal(80, 16)
        await seen.shows_no("Remember for this session?")
    assert looking.get(first.id).pending


async def test_the_history_says_which_memory_released_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("Y")
        await seen.until(lambda: approved(looking, first, second))
        await seen.shows("approved by memory")
        (grant,) = looking.grants()
        await seen.press("h")
        await seen.shows("approved", f"memory#1: {grant.id} (released", "by you)")
