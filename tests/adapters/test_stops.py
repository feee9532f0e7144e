"""Turns that a hard refusal has stopped, and the calls that wait in them."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from answering import PATIENCE
from signoff.adapters.stops import Stops


async def answered(text: str) -> str:
    return text


class Asking:
    """A question that nobody answers; it notes that it was taken back."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.taken_back = False

    async def ask(self) -> str:
        self.begun.set()
        try:
            await asyncio.get_running_loop().create_future()
            raise AssertionError("somebody answered")
        except asyncio.CancelledError:
            self.taken_back = True
            raise


async def waiting_in(stops: Stops, turn: str) -> tuple[Asking, asyncio.Task[str | None]]:
    asking = Asking()
    task = asyncio.create_task(stops.answer_unless_stopped(turn, asking.ask()))
    await asking.begun.wait()
    return asking, task


async def test_an_answer_is_handed_on() -> None:
    assert await Stops().answer_unless_stopped("turn", answered("yes")) == "yes"


async def test_a_stop_takes_back_what_its_turn_asks() -> None:
    stops = Stops()
    asking, task = await waiting_in(stops, "turn")
    stops.stop("turn")
    assert (await asyncio.wait_for(task, PATIENCE), asking.taken_back) == (None, True)


async def test_a_stop_leaves_other_turns_alone() -> None:
    stops = Stops()
    asking, task = await waiting_in(stops, "other")
    stops.stop("turn")
    await asyncio.sleep(0)
    assert ("turn" in stops, "other" in stops, asking.taken_back) == (True, False, False)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("stopped", [False, True])
async def test_a_run_that_is_cancelled_is_cancelled_whether_its_turn_was_stopped_or_not(stopped: bool) -> None:
    stops = Stops()
    asking, task = await waiting_in(stops, "turn")
    if stopped:
        stops.stop("turn")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asking.taken_back


async def test_what_would_be_asked_in_a_stopped_turn_is_not_asked() -> None:
    stops, asking = Stops(), Asking()
    stops.stop("turn")
    answer = await asyncio.wait_for(stops.answer_unless_stopped("turn", asking.ask()), PATIENCE)
    assert (answer, asking.begun.is_set()) == (None, False)


def test_a_stop_takes_back_what_its_turn_asks_in_other_threads() -> None:
    stops, begun = Stops(), threading.Barrier(3)

    async def ask() -> str:
        begun.wait(PATIENCE)
        await asyncio.get_running_loop().create_future()
        raise AssertionError("somebody answered")

    def wait_in_a_thread() -> str | None:
        return asyncio.run(stops.answer_unless_stopped("turn", ask()))

    with ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(wait_in_a_thread) for _ in range(2)]
        begun.wait(PATIENCE)
        stops.stop("turn")
        assert [answer.result(PATIENCE) for answer in answers] == [None, None]


def test_a_turn_that_is_over_is_forgotten() -> None:
    stops = Stops()
    stops.stop("turn")
    stops.forget(["turn", "unknown"])
    assert "turn" not in stops
