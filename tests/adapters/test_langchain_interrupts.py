"""`answer_interrupts`: agents that pause by LangChain's `HumanInTheLoopMiddleware` are answered from the queue."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_agents import Deploying, agent_of, call, script, told
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Interrupt

from answering import PATIENCE, Answer, Reviewer, waiting, yes
from asked import Asked
from signoff.adapters.langchain import InterruptError, aanswer_interrupts, answer_interrupts
from signoff.adapters.langchain.interrupts import _paused
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, Instead, RequestState, ReviewQueue
from signoff.types import ApprovalDeniedError

StartReviewer = Callable[[Answer], Reviewer]

TURN = [call("deploy", to="a"), call("deploy", to="b")]
CONFIG: Any = {"configurable": {"thread_id": "t"}}
GO = {"messages": [HumanMessage("go")]}

# LangChain has the second mode since version 1.5.
PER_CALL = "interrupt_mode" in inspect.signature(HumanInTheLoopMiddleware).parameters
MODES = ["batched", "per_call"] if PER_CALL else ["batched"]
each_mode = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def tool() -> Deploying:
    return Deploying()


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


def pausing(tool: Deploying, mode: str, *turns: Any, allowed: Any = True) -> Any:
    """An agent that pauses before each call."""
    options: dict[str, Any] = {"interrupt_mode": mode} if PER_CALL else {}
    pause: Any = HumanInTheLoopMiddleware({"deploy": allowed}, **options)
    return agent_of(script(*(turns or [TURN])), [tool.tool()], pause, checkpointer=InMemorySaver())


def not_b(request: Any) -> Decision:
    return Decision(approved=request.submission.arguments["to"] != "b", note="not b")


@each_mode
@pytest.mark.parametrize("asynchronous", [False, True])
def test_each_call_of_a_turn_is_answered_on_its_own(
    mode: str, asynchronous: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(not_b)
    agent = pausing(tool, mode)
    if asynchronous:
        state = asyncio.run(aanswer_interrupts(agent, GO, CONFIG, controller))
    else:
        state = answer_interrupts(agent, GO, CONFIG, controller)
    assert tool.ran == ["a"]
    ends = dict(sorted((text, status) for status, text in told(state["messages"])))
    assert ends["deployed to a"] == "success"
    assert [status for text, status in ends.items() if "not b" in text] == ["error"]


@each_mode
def test_the_calls_of_a_turn_are_one_group(
    mode: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    answer_interrupts(pausing(tool, mode), GO, CONFIG, controller)
    found = sorted((each.submission for each in reviewer.seen), key=lambda each: each.arguments["to"])
    assert len({each.group_id for each in found}) == len({each.batch_id for each in found}) == 1
    assert [each.batch_position for each in found] == [0, 1]
    assert sorted(tool.ran) == ["a", "b"]


def test_changed_arguments_run(tool: Deploying, controller: ApprovalController, reviewed: StartReviewer) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"to": "test"}, summary="changed")))
    answer_interrupts(pausing(tool, "batched", [call("deploy", to="a")]), GO, CONFIG, controller)
    assert tool.ran == ["test"]


@each_mode
def test_an_edit_is_not_offered_where_the_middleware_takes_none(
    mode: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    allowed = {"allowed_decisions": ["approve", "reject"]}
    answer_interrupts(pausing(tool, mode, allowed=allowed), GO, CONFIG, controller)
    assert all("edit" not in each.submission.supports for each in reviewer.seen)


@each_mode
def test_a_hard_refusal_raises_and_leaves_the_graph_paused(
    mode: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    def stop_at_b(request: Any) -> Decision | None:
        b = request.submission.arguments["to"] == "b"
        return Decision(approved=False, hard=True, note="wrong plan") if b else None

    reviewed(stop_at_b)
    agent = pausing(tool, mode)
    with pytest.raises(ApprovalDeniedError, match="wrong plan"):
        answer_interrupts(agent, GO, CONFIG, controller)
    assert agent.get_state(CONFIG).interrupts
    assert (tool.ran, looking.pending()) == ([], ())


@each_mode
def test_an_approval_for_the_session_answers_the_next_equal_call(
    mode: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    turn = [call("deploy", to="a")]
    answer_interrupts(pausing(tool, mode, turn, turn), GO, CONFIG, controller)
    assert (len(reviewer.seen), tool.ran) == (1, ["a", "a"])


@each_mode
def test_cancelling_withdraws_the_requests(
    mode: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)

    async def cancel() -> None:
        running = asyncio.ensure_future(aanswer_interrupts(pausing(tool, mode), GO, CONFIG, controller))
        await asyncio.wait_for(asyncio.to_thread(reviewer.wait_for, 2), PATIENCE)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert {record.state for record in looking.history()} == {RequestState.WITHDRAWN}
    assert tool.ran == []


@each_mode
def test_a_thread_that_is_paused_already_is_answered(mode: str, tool: Deploying) -> None:
    agent = pausing(tool, mode)
    agent.invoke(GO, CONFIG)
    answer_interrupts(agent, None, CONFIG, ApprovalController(approval_callback=Asked()))
    assert sorted(tool.ran) == ["a", "b"]


@each_mode
def test_a_middleware_that_takes_no_rejection_is_not_answered(mode: str, tool: Deploying) -> None:
    asked = Asked()
    agent = pausing(tool, mode, allowed={"allowed_decisions": ["approve"]})
    with pytest.raises(InterruptError, match="must allow both"):
        answer_interrupts(agent, GO, CONFIG, ApprovalController(approval_callback=asked))
    assert (asked.times, tool.ran) == (0, [])


def batched(*actions: dict[str, Any]) -> Interrupt:
    configs = [{"allowed_decisions": ["approve", "reject"]} for _ in actions]
    return Interrupt(value={"action_requests": list(actions), "review_configs": configs}, id="i")


A = {"name": "deploy", "args": {"to": "a"}}


@pytest.mark.parametrize(
    "interrupt",
    [
        batched({"name": "deploy", "args": {"to": "production"}}),
        batched({"name": "delete", "args": {"to": "a"}}),
        batched(A, A),
        batched({"name": "deploy", "args": {"to": True}}),
        Interrupt(value={**A, "type": "tool_approval", "tool_call_id": "deploy-b"}, id="i"),
        Interrupt(value="continue?", id="i"),
    ],
    ids=["other_arguments", "other_tool", "twice", "other_type", "other_id", "no_call"],
)
def test_an_interrupt_that_is_not_about_a_call_of_the_model_is_not_answered(interrupt: Interrupt) -> None:
    turn = AIMessage("", id="m", tool_calls=TURN)
    with pytest.raises(InterruptError, match="not answered"):
        _paused(turn, [interrupt])
