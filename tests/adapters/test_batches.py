"""Cancelled waits, of a call and of a batch: when they end, nothing of them is left in the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from answering import PATIENCE, Reviewer, waiting
from signoff.adapters.batches import all_decided
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue
from signoff.queue.sqlite.locks import WriteLock
from signoff.types import ApprovalDecision, ApprovalDeniedError, ApprovalRequest

BOTH_WITHDRAWN = [RequestState.WITHDRAWN] * 2

TURNS = 50
"""Turns of the event loop, each with a cancellation; a wait that gives in to the second one ends in a few."""

Cancel = Callable[[], object]


@pytest.fixture
def reviewer(reviewed: Callable[..., Reviewer]) -> Reviewer:
    return reviewed(waiting)


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


def question(controller: ApprovalController, to: str) -> Coroutine[Any, Any, ApprovalDecision]:
    return controller.request_approval(ApprovalRequest(tool_name="deploy", description="", payload={"to": to}))


def batch(controller: ApprovalController) -> Coroutine[Any, Any, list[ApprovalDecision]]:
    return all_decided([question(controller, "a"), question(controller, "b")])


async def begun(reviewer: Reviewer, asking: Coroutine[Any, Any, Any], requests: int = 2) -> asyncio.Task[Any]:
    """A task that waits for answers, once all of it is in the queue."""
    task = asyncio.ensure_future(asking)
    await asyncio.to_thread(reviewer.wait_for, requests)
    return task


@contextmanager
def another_writes(place: Path) -> Iterator[None]:
    """Hold up the writers of the queue, so that no request can be withdrawn yet."""
    lock = WriteLock(place)
    with lock.held(PATIENCE):
        yield
    lock.close()


async def is_cancelled_while_it_withdraws(waits: asyncio.Task[Any], place: Path, *cancels: Cancel) -> None:
    """Cancel a wait again and again, by each way in its turn and then by the last, before anything is written."""
    with another_writes(place):
        for turn in range(TURNS):
            cancels[min(turn // 5, len(cancels) - 1)]()
            await asyncio.sleep(0)
        assert not waits.done()


def ends(looking: ReviewQueue) -> list[RequestState]:
    return sorted(record.state for record in looking.history())


async def test_a_batch_that_is_cancelled_again_and_again_ends_withdrawn(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    waits = await begun(reviewer, batch(controller))
    await is_cancelled_while_it_withdraws(waits, place, waits.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waits
    assert ends(looking) == BOTH_WITHDRAWN


async def test_a_batch_in_a_cancelled_scope_of_anyio_ends_withdrawn(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    async def grouped() -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(batch, controller)
            scopes.append(group.cancel_scope)
        return "left"

    scopes: list[anyio.CancelScope] = []
    waits = await begun(reviewer, grouped())
    await is_cancelled_while_it_withdraws(waits, place, scopes[0].cancel)
    assert await waits == "left"
    assert ends(looking) == BOTH_WITHDRAWN


async def test_a_scope_of_anyio_does_not_swallow_the_cancellation_before_its_own(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    async def scoped() -> None:
        with scope:
            await batch(controller)

    scope = anyio.CancelScope()
    waits = await begun(reviewer, scoped())
    waits.cancel()
    await is_cancelled_while_it_withdraws(waits, place, scope.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waits
    assert ends(looking) == BOTH_WITHDRAWN


def at_its_end(limit: asyncio.Timeout) -> Cancel:
    return lambda: None if limit.expired() else limit.reschedule(0)


async def test_time_limits_that_end_one_after_the_other_leave_nothing_behind(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    async def limited() -> None:
        async with outer, inner:
            await batch(controller)

    outer, inner = asyncio.timeout(None), asyncio.timeout(None)
    waits = await begun(reviewer, limited())
    await is_cancelled_while_it_withdraws(waits, place, at_its_end(inner), at_its_end(outer))
    with pytest.raises(TimeoutError):
        await waits
    assert (inner.expired(), outer.expired()) == (True, True)
    assert ends(looking) == BOTH_WITHDRAWN


async def test_a_task_group_that_fails_after_a_time_limit_in_it_leaves_nothing_behind(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    async def limited() -> None:
        async with limit:
            await batch(controller)

    async def fail() -> None:
        await failing.wait()
        raise OSError

    async def grouped() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(limited())
            group.create_task(fail())

    limit, failing = asyncio.timeout(None), asyncio.Event()
    waits = await begun(reviewer, grouped())
    await is_cancelled_while_it_withdraws(waits, place, at_its_end(limit), failing.set)
    with pytest.raises(ExceptionGroup):
        await waits
    assert ends(looking) == BOTH_WITHDRAWN


async def test_a_cancellation_is_not_lost_in_the_end_by_a_hard_refusal(
    place: Path, controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    before = asyncio.all_tasks()
    waits = await begun(reviewer, batch(controller))
    calls = asyncio.all_tasks() - before - {waits}
    (refused, _) = reviewer.seen
    stop = Decision(approved=False, hard=True)
    looking.decide(refused.id, refused.revision, refused.submission.digest, stop)
    async with asyncio.timeout(PATIENCE):
        while not any(each.cancelling() for each in calls):  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0)
    await is_cancelled_while_it_withdraws(waits, place, waits.cancel)
    with pytest.raises(asyncio.CancelledError):
        await waits
    assert ends(looking) == sorted([RequestState.REJECTED, RequestState.WITHDRAWN])


async def test_a_hard_refusal_is_raised_when_the_other_calls_are_withdrawn(
    controller: ApprovalController, reviewer: Reviewer, looking: ReviewQueue
) -> None:
    waits = await begun(reviewer, batch(controller))
    (refused, _) = reviewer.seen
    stop = Decision(approved=False, hard=True)
    looking.decide(refused.id, refused.revision, refused.submission.digest, stop)
    with pytest.raises(ApprovalDeniedError):
        await waits
    assert ends(looking) == sorted([RequestState.REJECTED, RequestState.WITHDRAWN])
