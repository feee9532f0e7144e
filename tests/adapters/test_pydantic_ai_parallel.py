"""`ApprovalToolset`: several calls at once, synchronous and asynchronous, and runs that are cancelled."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from pydantic_ai import Agent, CancellationToken, FunctionToolset, RunCancelled
from toolset_agents import Deploying, StartReviewer, call, run, script, told

from answering import PATIENCE, waiting
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff.types import ApprovalDecision, ApprovalRequest

TURN = [call("deploy", to=to) for to in ("a", "b", "c")]


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


def test_synchronous_callbacks_are_asked_at_the_same_time() -> None:
    together = threading.Barrier(len(TURN))

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        together.wait(PATIENCE)
        return ApprovalDecision(approved=True)

    outcomes = [outcome for outcome, _ in run(ApprovalToolset(Deploying().toolset(), callback), TURN)]
    assert outcomes == ["success"] * 3


def test_asynchronous_callbacks_are_asked_at_the_same_time_in_the_loop_of_the_run() -> None:
    async def scenario() -> list[tuple[str, str]]:
        together, loop = asyncio.Barrier(len(TURN)), asyncio.get_running_loop()

        async def callback(request: ApprovalRequest) -> ApprovalDecision:
            assert asyncio.get_running_loop() is loop
            await together.wait()
            return ApprovalDecision(approved=True)

        toolset = ApprovalToolset(Deploying().toolset(), callback)
        async with asyncio.timeout(PATIENCE):
            return told((await Agent(script(TURN), toolsets=[toolset]).run("go")).all_messages())

    assert [outcome for outcome, _ in asyncio.run(scenario())] == ["success"] * 3


def test_the_event_loop_goes_on_while_a_synchronous_callback_waits() -> None:
    async def scenario() -> list[tuple[str, str]]:
        answered, loop = threading.Event(), asyncio.get_running_loop()

        def callback(request: ApprovalRequest) -> ApprovalDecision:
            loop.call_soon_threadsafe(answered.set)
            assert answered.wait(PATIENCE)
            return ApprovalDecision(approved=True)

        toolset = ApprovalToolset(Deploying().toolset(), callback)
        return told((await Agent(script(TURN[:1]), toolsets=[toolset]).run("go")).all_messages())

    assert asyncio.run(scenario()) == [("success", "deployed to a")]


def test_what_is_approved_first_runs_while_the_others_wait(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer, tool = reviewed(waiting), Deploying()
    ran = threading.Event()

    def deploy(to: str) -> str:
        """Deploy."""
        ran.set()
        return tool.deploy(to)

    def approve(request: StoredRequest) -> None:
        looking.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))

    async def scenario() -> list[tuple[str, str]]:
        toolset = ApprovalToolset(FunctionToolset([deploy]), controller=controller)
        running = asyncio.ensure_future(Agent(script(TURN), toolsets=[toolset]).run("go"))
        requests = await asyncio.to_thread(reviewer.wait_for, 3)
        last, *others = sorted(requests, key=lambda found: found.submission.arguments["to"], reverse=True)
        approve(last)
        assert await asyncio.to_thread(ran.wait, PATIENCE)
        assert (tool.ran, len(looking.pending())) == (["c"], 2)
        for request in others:
            approve(request)
        return told((await running).all_messages())

    assert asyncio.run(scenario()) == [("success", f"deployed to {to}") for to in ("a", "b", "c")]


def test_equal_calls_in_one_turn_are_asked_about_one_by_one(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True))
    run(
        ApprovalToolset(Deploying().toolset(), controller=controller),
        [call("deploy", to="a"), call("deploy", to="a")],
    )
    assert len({request.id for request in reviewer.seen}) == 2


def test_cancelling_a_run_by_its_token_withdraws_all_that_waits(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer, tool = reviewed(waiting), Deploying()

    async def scenario() -> None:
        token = CancellationToken()
        toolset = ApprovalToolset(tool.toolset(), controller=controller)
        running = asyncio.ensure_future(
            Agent(script(TURN), toolsets=[toolset]).run("go", cancellation_token=token)
        )
        await asyncio.to_thread(reviewer.wait_for, 3)
        token.cancel()
        with pytest.raises(RunCancelled):
            await running

    asyncio.run(scenario())
    assert (looking.pending(), tool.ran) == ((), [])
    assert {record.state for record in looking.history()} == {RequestState.WITHDRAWN}


def test_a_call_that_fails_withdraws_the_others_of_its_turn(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    class Failing(Deploying):
        def deploy(self, to: str) -> str:
            """Deploy."""
            raise ZeroDivisionError

    reviewer = reviewed(waiting)

    async def scenario() -> None:
        toolset = ApprovalToolset(Failing().toolset(), controller=controller)
        running = asyncio.ensure_future(Agent(script(TURN), toolsets=[toolset]).run("go"))
        first = (await asyncio.to_thread(reviewer.wait_for, 3))[0]
        looking.decide(first.id, first.revision, first.submission.digest, Decision(approved=True))
        with pytest.raises(ZeroDivisionError):
            await running

    asyncio.run(scenario())
    assert looking.pending() == ()
    states = sorted(record.state for record in looking.history())
    assert states == [RequestState.APPROVED, RequestState.WITHDRAWN, RequestState.WITHDRAWN]


def test_a_cancelled_callback_is_told_of_it() -> None:
    async def scenario() -> bool:
        began, ended = asyncio.Event(), asyncio.Event()

        async def callback(request: ApprovalRequest) -> ApprovalDecision:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return ApprovalDecision(approved=True)

        tool = Deploying()
        toolset: ApprovalToolset[Any] = ApprovalToolset(tool.toolset(), callback)
        running = asyncio.ensure_future(Agent(script(TURN[:1]), toolsets=[toolset]).run("go"))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return ended.is_set() and not tool.ran

    assert asyncio.run(scenario())
