"""How many keys things take, exactly: UT-08, UT-09, UT-12 to UT-17."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from key_counter import counted, reads_all
from screen_bench import HELD, LARGE, SMALL, Screen, command, ids, post, screen

from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff_tui.guard import Cause
from signoff_tui.screens.agents.screen import AgentsScreen
from signoff_tui.screens.rules.screen import RulesScreen
from stocked import G10_PAGES, Stock, g10, g10h, stocked

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


@pytest.fixture
def stock(place: Path, workdir: Path) -> Iterator[Stock]:
    with stocked(place, workdir) as made:
        yield made


def revoking_is_armed(seen: Screen) -> bool:
    top = seen.app.screen
    assert isinstance(top, RulesScreen)
    return top._deliberate.armed_at(top._subject, Cause.MOVED) < asyncio.get_running_loop().time()


def states(looking: ReviewQueue, requests: list[StoredRequest]) -> list[RequestState]:
    return [looking.get(request.id).state for request in requests]


@SIZES
async def test_a_group_that_was_read_is_approved_with_one_command(
    stock: Stock, looking: ReviewQueue, place: Path, size: tuple[int, int]
) -> None:
    requests = g10(stock)
    async with screen(place, size=size, waiting=10) as seen:
        with counted(seen) as keys:
            await reads_all(seen, *requests)
            await seen.group_armed()
            await seen.press("Y")
            await seen.until(lambda: set(states(looking, requests)) == {RequestState.APPROVED})
    assert keys.commands == ["Y"]
    assert len(keys.reading) <= G10_PAGES


async def test_a_high_member_of_a_group_takes_one_command_more(
    stock: Stock, looking: ReviewQueue, place: Path
) -> None:
    requests = g10h(stock)
    async with screen(place, size=SMALL, waiting=10) as seen:
        with counted(seen) as keys:
            await seen.goes_to(requests[-1])  # the first of the group by its path
            await reads_all(seen, requests[-1])
            await seen.press("y")
            await seen.until(lambda: states(looking, requests)[-1] is RequestState.APPROVED)
            await reads_all(seen, *requests[:-1])
            await seen.group_armed()
            await seen.press("Y")
            await seen.until(lambda: set(states(looking, requests)) == {RequestState.APPROVED})
    assert keys.commands == ["y", "Y"]
    assert len(keys.reading) <= G10_PAGES


@SIZES
async def test_rejecting_one_of_a_group_and_approving_the_rest_takes_three_commands(
    stock: Stock, looking: ReviewQueue, place: Path, size: tuple[int, int]
) -> None:
    requests = g10(stock)
    async with screen(place, size=size, waiting=10) as seen:
        with counted(seen) as keys:
            await reads_all(seen, *requests)
            refused = seen.focus
            await seen.press("n")
            await seen.shows("Tell it what to do instead")
            await seen.types("no")
            await seen.press("enter")
            await seen.until(lambda: RequestState.REJECTED in states(looking, requests))
            await seen.group_armed()
            await seen.press("Y")
            await seen.until(lambda: RequestState.PENDING not in states(looking, requests))
    assert keys.commands == ["n", "enter", "Y"]
    assert len(keys.text) == len("no")
    assert len(keys.reading) <= G10_PAGES
    rejected = [request for request in requests if looking.get(request.id).state is not RequestState.APPROVED]
    assert ids(rejected) == [refused]
    decision = looking.get(rejected[0].id).decision
    assert decision is not None
    assert (decision.hard, decision.note) == (False, "no")


@SIZES
async def test_a_request_that_fits_the_screen_is_approved_with_one_command(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        with counted(seen) as keys:
            await reads_all(seen, request)
            await seen.press("y")
            await seen.until(lambda: states(looking, [request]) == [RequestState.APPROVED])
    assert keys.commands == ["y"]
    assert keys.reading == (["space"] if size == SMALL else [])


@SIZES
@pytest.mark.parametrize("digit", ["1", "2", "3"], ids=["exactly", "prefix", "tool"])
async def test_allowing_takes_two_commands(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int], digit: str
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        with counted(seen) as keys:
            await reads_all(seen, request)
            await seen.press("s")
            await seen.shows("starting with  pytest")
            await seen.sheet_armed()
            await seen.press(digit)
            await seen.until(lambda: states(looking, [request]) == [RequestState.APPROVED])
    assert keys.commands == ["s", digit]
    assert len(looking.grants()) == 1


@SIZES
async def test_stopping_a_turn_takes_two_commands(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        with counted(seen) as keys:
            await seen.armed()
            await seen.press("x")
            await seen.shows("the rest of the agent's turn")
            await seen.press("enter")
            await seen.until(lambda: states(looking, [request]) == [RequestState.REJECTED])
    assert keys.commands == ["x", "enter"]
    assert keys.reading == []


@SIZES
async def test_stopping_an_agent_takes_two_commands_on_its_row(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = [post(asking, command(text, workdir)) for text in ("ls", "pwd")]
    async with screen(place, size=size, waiting=2) as seen:
        await seen.press("2")
        await seen.shows("waiting for you")
        top = seen.app.screen
        assert isinstance(top, AgentsScreen)
        with counted(seen) as keys:
            await seen.until(lambda: top._stopping.armed)
            await seen.press("x")
            await seen.shows("STOP ")
            await seen.until(lambda: top._stopping.sheet_armed)
            await seen.press("!")
            await seen.until(lambda: set(states(looking, requests)) == {RequestState.REJECTED})
    assert keys.commands == ["x", "exclamation_mark"]


@SIZES
async def test_revoking_what_is_allowed_takes_two_commands(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("pytest -q", workdir))
    remember = Decision(approved=True, remember=True, shown=1.0)
    assert looking.decide(request.id, request.revision, request.submission.digest, remember).accepted
    async with screen(place, size=size) as seen:
        with counted(seen) as keys:
            await seen.press("4")
            await seen.shows("x revoke")
            await seen.until(lambda: revoking_is_armed(seen))
            await seen.press("x")
            await seen.until(lambda: not looking.grants())
    assert keys.commands == ["4", "x"]


@SIZES
async def test_what_an_agent_did_in_the_last_hour_takes_one_command_on_its_row_and_two_elsewhere(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        with counted(seen) as keys:
            await seen.press("H")
            await seen.shows("agent:=tester since:1h")
        assert keys.commands == ["H"]
        with counted(seen) as keys:
            await seen.press("2")
            await seen.shows("Agents", "tester")
            await seen.press("H")
            await seen.shows("History", 'agent:="tester"')
        assert keys.commands == ["2", "H"]


@SIZES
async def test_taking_back_takes_one_command_and_the_queue_never_saw_the_decision(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=size, settings=HELD, waiting=1) as seen:
        await reads_all(seen, request)
        await seen.press("y")
        await seen.until(lambda: seen.entry(request).held)
        with counted(seen) as keys:
            await seen.press("u")
            await seen.until(lambda: seen.entry(request).waiting)
    assert keys.commands == ["u"]
    assert looking.get(request.id).pending
    assert looking.history() == ()
