"""`ApprovalToolset` in the ways to run an agent that hand out their results bit by bit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.messages import FunctionToolCallEvent, FunctionToolResultEvent, ModelMessage, ToolCallPart
from pydantic_ai.models.test import TestModel
from toolset_agents import DEPLOY, Deploying, StartReviewer, call, script, told

from answering import waiting, yes
from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, RequestState, ReviewQueue
from signoff.types import ApprovalDecision, ApprovalDeniedError, ApprovalRequest


async def by_stream(agent: Agent[Any, Any]) -> list[ModelMessage]:
    async with agent.run_stream("go") as result:
        [_ async for _ in result.stream_text()]
        return result.all_messages()


async def by_events(agent: Agent[Any, Any]) -> list[ModelMessage]:
    with capture_run_messages() as messages:
        async with agent.run_stream_events("go") as events:
            [_ async for _ in events]
    return messages


async def by_steps(agent: Agent[Any, Any]) -> list[ModelMessage]:
    async with agent.iter("go") as steps:
        [_ async for _ in steps]
        return steps.all_messages()


Way = Callable[[Agent[Any, Any]], Awaitable[list[ModelMessage]]]
each_way = pytest.mark.parametrize("way", [by_stream, by_events, by_steps])


def agent_of(toolset: ApprovalToolset[Any], *turns: Sequence[ToolCallPart]) -> Agent[Any, Any]:
    return Agent(script(*turns), toolsets=[toolset])


@each_way
async def test_an_approved_call_runs_and_its_result_is_streamed(way: Way) -> None:
    tool, asked = Deploying(), Asked()
    messages = await way(agent_of(ApprovalToolset(tool.toolset(), asked), DEPLOY))
    assert told(messages) == [("success", "deployed to staging")]
    assert (asked.tools, tool.ran) == (["deploy"], ["staging"])


@each_way
async def test_a_soft_refusal_is_told_to_a_streaming_model(way: Way) -> None:
    tool, asked = Deploying(), Asked(approved=False, mode="soft", note="not now")
    messages = await way(agent_of(ApprovalToolset(tool.toolset(), asked), DEPLOY))
    assert told(messages) == [("denied", "Approval denied: not now")]
    assert tool.ran == []


@each_way
async def test_a_hard_refusal_ends_a_streaming_run(way: Way) -> None:
    tool, asked = Deploying(), Asked(approved=False, note="wrong plan")
    with pytest.raises(ApprovalDeniedError, match="wrong plan"):
        await way(agent_of(ApprovalToolset(tool.toolset(), asked), DEPLOY, DEPLOY))
    assert (len(asked.requests), tool.ran) == (1, [])


@each_way
async def test_calls_of_a_streamed_turn_are_a_batch_with_their_order_and_look_ahead(
    way: Way, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turn = [call("deploy", to=to) for to in ("a", "b")]
    toolset = ApprovalToolset(Deploying().toolset(), controller=ApprovalController(queue=asking))
    await way(agent_of(toolset, turn))
    found = sorted((request.submission for request in reviewer.seen), key=lambda found: found.arguments["to"])
    assert [submission.batch_position for submission in found] == [0, 1]
    assert [len(submission.batch_remaining) for submission in found] == [1, 0]


async def test_the_call_is_announced_before_it_is_asked_about_and_its_result_after_it_has_run() -> None:
    log: list[str] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        log.append("asked")
        return ApprovalDecision(approved=True)

    def note(event: object) -> None:
        kinds = {FunctionToolCallEvent: "called", FunctionToolResultEvent: "result"}
        log.extend(name for kind, name in kinds.items() if isinstance(event, kind))

    class Noting(Deploying):
        def deploy(self, to: str) -> str:
            """Deploy."""
            log.append("ran")
            return "deployed"

    agent = agent_of(ApprovalToolset(Noting().toolset(), callback), DEPLOY)
    async with agent.run_stream_events("go") as events:
        async for event in events:
            note(event)
    assert sorted(log[:2]) == ["asked", "called"]
    assert log[2:] == ["ran", "result"]


@pytest.mark.parametrize("way", [by_stream, by_events])
async def test_every_tool_of_the_test_model_is_asked_about_when_it_streams(way: Way) -> None:
    asked = Asked()
    await way(Agent(TestModel(), toolsets=[ApprovalToolset(Deploying().toolset(), asked)]))
    assert asked.tools == ["deploy"]


async def test_leaving_a_stream_of_events_withdraws_what_waits(
    asking: AgentQueue, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer, tool = reviewed(waiting), Deploying()
    toolset = ApprovalToolset(tool.toolset(), controller=ApprovalController(queue=asking))
    async with agent_of(toolset, DEPLOY).run_stream_events("go") as events:
        async for event in events:
            if isinstance(event, FunctionToolCallEvent):
                break
        await asyncio.to_thread(reviewer.wait_for, 1)
    assert looking.pending() == ()
    assert (looking.history()[0].state, tool.ran) == (RequestState.WITHDRAWN, [])
