"""Leaving: nothing held is lost or sent without being asked, nothing waiting is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, Screen, command, post, screen
from textual.events import Key

from signoff.queue import AgentQueue, RequestState, ReviewQueue, StoredRequest


async def ended(seen: Screen) -> None:
    await seen.until(lambda: not seen.app.is_running, "the end")


async def approves(seen: Screen, request: StoredRequest) -> None:
    await seen.reads(request)
    await seen.press("y")
    await seen.shows(", sends in ")


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_with_nothing_waiting_it_ends_at_once(place: Path, key: str) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        await seen.press(key)
        await ended(seen)


async def test_a_key_that_is_handled_after_the_last_screen_does_nothing(place: Path) -> None:
    async with screen(place) as seen:
        await seen.press("q")
        await ended(seen)
    await seen.app.on_event(Key("y", "y"))


async def test_what_waits_is_said_first(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("q")
        await seen.shows("1 keeps waiting.", "y quit  Esc stay")
        await seen.sheet_armed()
        await seen.press("y")
        await ended(seen)
    assert looking.get(request.id).pending


async def test_staying_is_possible(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("q")
        await seen.shows("keeps waiting")
        await seen.press("escape")
        await seen.shows_no("keeps waiting")
        assert seen.app.is_running


async def test_q_twice_does_not_quit(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("q", "q")
        await seen.shows("q does nothing here")
        assert seen.app.is_running


async def test_a_held_decision_can_be_sent_on_the_way_out(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await approves(seen, request)
        await seen.press("q")
        await seen.shows("1 decision not sent:", "y send and quit  u take back and quit")
        await seen.sheet_armed()
        await seen.press("y")
        await ended(seen)
    assert looking.get(request.id).state is RequestState.APPROVED


async def test_a_held_decision_can_be_taken_back_on_the_way_out(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await approves(seen, request)
        await seen.press("q")
        await seen.shows("1 decision not sent")
        await seen.sheet_armed()
        await seen.press("u")
        await ended(seen)
    assert looking.get(request.id).pending


async def test_q_in_a_request_goes_back_first(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("enter")
        await seen.until(lambda: seen.app.review.reading)
        await seen.press("q")
        await seen.until(lambda: not seen.app.review.reading)
        assert "keeps waiting" not in seen.text


async def test_ctrl_c_neither_quits_nor_decides(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("ctrl+c")
        await seen.shows("q quits; Ctrl+C decides nothing")
        assert seen.app.is_running
