"""Calls that change the same file take turns."""

from __future__ import annotations

import asyncio
import gc

import pytest

from signoff.adapters import turns
from signoff.adapters.turns import taking_turns
from signoff.effects import Command, Effect, FileEdit, FileWrite

A, B = FileWrite("/w/a.txt", ""), FileWrite("/w/b.txt", "")


class Call:
    """A call that says when its turn has come and ends when it is told to."""

    def __init__(self, *effects: Effect) -> None:
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()
        self.task = asyncio.ensure_future(self._run(effects))

    async def _run(self, effects: tuple[Effect, ...]) -> None:
        async with taking_turns(effects):
            self.began.set()
            await self.may_end.wait()

    async def end(self) -> None:
        self.may_end.set()
        await self.task


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("second", [A, FileEdit("/w/a.txt", "x", "y")])
async def test_a_call_waits_for_the_one_before_on_the_same_file(second: Effect) -> None:
    first, later = Call(A), Call(second)
    await settle()
    assert (first.began.is_set(), later.began.is_set()) == (True, False)
    await first.end()
    await later.began.wait()
    await later.end()


@pytest.mark.parametrize("other", [B, Command("ls", "/w")])
async def test_calls_on_different_files_do_not_wait(other: Effect) -> None:
    calls = [Call(A), Call(other), Call()]
    for call in calls:
        await call.began.wait()
    for call in calls:
        await call.end()


async def test_calls_on_several_files_do_not_wait_for_each_other_in_a_circle() -> None:
    calls = [Call(A, B), Call(B, A), Call(A), Call(B)]
    for call in calls:
        call.may_end.set()
    await asyncio.gather(*(call.task for call in calls))


async def test_what_a_call_starts_itself_does_not_wait_for_it() -> None:
    async with asyncio.timeout(30), taking_turns([A]):
        await Call(A, B).end()


async def test_a_call_that_is_cancelled_while_waiting_gives_up_its_turn() -> None:
    first, second, third = Call(A), Call(A), Call(A)
    await settle()
    second.task.cancel()
    await first.end()
    await third.began.wait()
    await third.end()


async def test_nothing_is_kept_when_nobody_is_on_the_way() -> None:
    await Call(A, B).end()
    gc.collect()
    assert len(turns._locks) == 0


def test_every_event_loop_has_turns_of_its_own() -> None:
    async def two_calls() -> None:
        first, second = Call(A), Call(A)
        await settle()
        await first.end()
        await second.end()

    for _ in range(2):
        asyncio.run(two_calls())
