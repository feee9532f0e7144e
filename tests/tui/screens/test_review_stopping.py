"""Stopping a turn: it reaches further than its request, and says how far before it counts."""

from __future__ import annotations

from pathlib import Path

from screen_bench import HELD, command, post, screen

from signoff.queue import AgentQueue, DecisionSource, RequestState, ReviewQueue, StoredRequest


def batch(asking: AgentQueue, workdir: Path, count: int) -> list[StoredRequest]:
    return [
        post(asking, command(f"ls {number}", workdir), batch_id="b-1", batch_position=number)
        for number in range(count)
    ]


async def test_stopping_rejects_the_request_and_what_follows_in_its_batch(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = batch(asking, workdir, 3)
    async with screen(place, waiting=3) as seen:
        await seen.goes_to(requests[1])
        await seen.armed()
        await seen.press("x")
        await seen.shows(
            "Reject ls 1 and the rest of the agent's turn", "also rejected, 1 of its turn: ls 2", "Enter stops it"
        )
        await seen.types("not from this branch")
        await seen.press("enter")
        await seen.shows("stopped by you", "stopped with its turn")
    decisions = [looking.get(request.id).decision for request in requests]
    assert decisions[0] is None
    assert decisions[1] is not None
    assert (decisions[1].hard, decisions[1].note) == (True, "not from this branch")
    assert decisions[2] is not None
    assert decisions[2].source is DecisionSource.CASCADE


async def test_what_is_held_of_a_stop_counts_and_names_all_that_it_reaches(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = batch(asking, workdir, 3)
    async with screen(place, settings=HELD, waiting=3) as seen:
        await seen.goes_to(requests[0])
        await seen.armed()
        await seen.press("x")
        await seen.shows("the rest of the agent's turn")
        await seen.press("enter")
        await seen.shows("stopped 3: ls 0  ls 1  ls 2, sends in ")


async def test_what_a_held_stop_reaches_cannot_be_approved_meanwhile_and_waits_again_when_it_is_taken_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = batch(asking, workdir, 2)
    async with screen(place, settings=HELD, waiting=2) as seen:
        await seen.goes_to(requests[0])
        await seen.armed()
        await seen.press("x")
        await seen.shows("the rest of the agent's turn")
        await seen.press("enter")
        await seen.shows("stopped 2: ")
        await seen.goes_to(requests[1])
        await seen.press("y")
        await seen.shows("a held stop rejects it too")
        await seen.press("u")
        await seen.goes_to(requests[1])
        await seen.armed()
    assert [looking.get(request.id).state for request in requests] == [RequestState.PENDING] * 2


async def test_ctrl_o_turns_a_stop_into_a_soft_rejection(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = batch(asking, workdir, 2)
    async with screen(place, waiting=2) as seen:
        await seen.goes_to(requests[0])
        await seen.armed()
        await seen.press("x")
        await seen.shows("the rest of the agent's turn", "Ctrl+O only reject")
        await seen.types("gently")
        await seen.press("ctrl+o")
        await seen.shows("the agent goes on", "gently")
        await seen.press("enter")
        await seen.shows("rejected by you")
    decision = looking.get(requests[0].id).decision
    assert decision is not None
    assert (decision.hard, decision.note) == (False, "gently")
    assert looking.get(requests[1].id).pending


async def test_the_key_that_stopped_a_whole_agent_is_no_key_any_more(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.armed()
        await seen.press("X")
        await seen.pilot.pause()
        assert seen.desk.guard.status(0).word != "sheet"
    assert looking.get(request.id).pending
