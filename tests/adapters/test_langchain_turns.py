"""Several calls of a LangChain agent in one turn, with a reviewer on a real queue."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware
from langchain_agents import DEPLOY, Deploying, agent_of, ago, call, go, middleware, script, told
from langchain_core.messages import HumanMessage, ToolCall
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from answering import PATIENCE, Answer, Reviewer, waiting, yes
from asked import Asked
from signoff.adapters.langchain import ApprovalMiddleware
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalDecision, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]

each_way = pytest.mark.parametrize("way", [go, ago])

FALLEN = "Not run: the reviewer stopped another call of this turn"


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


@pytest.fixture
def approving(controller: ApprovalController) -> ApprovalMiddleware:
    return ApprovalMiddleware(controller)


@contextmanager
def in_a_thread(work: Callable[[], None]) -> Iterator[None]:
    """Do something beside the body; it must have been done when the body ends."""
    with ThreadPoolExecutor(1) as executor:
        done = executor.submit(work)
        yield
        done.result(PATIENCE)


def decide(looking: ReviewQueue, request: StoredRequest, decision: Decision) -> None:
    looking.decide(request.id, request.revision, request.submission.digest, decision)


def three() -> list[Any]:
    return [call("deploy", to=to) for to in ("a", "b", "c")]


@each_way
def test_the_reviewer_sees_what_the_model_wants_next(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    way(agent_of(script([*three(), call("fly")]), [Deploying().tool()], approving))
    ahead = {
        request.submission.batch_position: [
            later["arguments"]["to"] for later in request.submission.batch_remaining
        ]
        for request in reviewer.seen
    }
    assert ahead == {0: ["b", "c"], 1: ["c"], 2: []}
    assert len({request.submission.batch_id for request in reviewer.seen}) == 1


def test_long_texts_are_sent_ahead_by_their_beginning_only(
    approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turn = [call("deploy", to="a"), call("deploy", to="b" * 10_000)]
    go(agent_of(script(turn), [Deploying().tool()], approving))
    first = min(reviewer.seen, key=lambda request: request.submission.batch_position or 0)
    (ahead,) = first.submission.batch_remaining
    assert ahead["arguments"]["to"] == "b" * 500 + " [... 9500 more characters]"


@each_way
def test_a_call_id_that_comes_again_in_a_later_turn_is_another_call(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turns = [[ToolCall(name="deploy", args={"to": to}, id="call_0")] for to in ("a", "b")]
    agent = agent_of(script(*turns), [Deploying().tool()], approving, checkpointer=InMemorySaver())
    messages = way(agent, configurable={"thread_id": "t"})
    assert told(messages) == [("success", "deployed to a"), ("success", "deployed to b")]
    assert len(reviewer.seen) == 2


@each_way
def test_calls_of_one_turn_are_asked_about_at_the_same_time(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)

    def approve_when_all_are_there() -> None:
        for request in reviewer.wait_for(3):
            decide(looking, request, Decision(approved=True))

    with in_a_thread(approve_when_all_are_there):
        messages = way(agent_of(script(three()), [Deploying().tool()], approving))
    assert [status for status, _ in told(messages)] == ["success"] * 3


@each_way
def test_a_soft_refusal_leaves_the_other_calls_of_the_turn_alone(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewed(lambda request: Decision(approved=request.submission.arguments["to"] != "b", note="not b"))
    messages = way(agent_of(script(three()), [Deploying().tool()], approving))
    assert told(messages) == [
        ("success", "deployed to a"),
        ("error", "Approval denied: not b"),
        ("success", "deployed to c"),
    ]


@each_way
def test_a_hard_refusal_takes_the_later_calls_of_the_turn_with_it(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    deploying, model, reviewer = Deploying(), script(three()), reviewed(waiting)

    def stop_at_a_when_all_are_there() -> None:
        requests = reviewer.wait_for(3)
        (first,) = (request for request in requests if request.submission.arguments["to"] == "a")
        decide(looking, first, Decision(approved=False, hard=True, note="wrong plan"))

    with in_a_thread(stop_at_a_when_all_are_there):
        messages = way(agent_of(model, [deploying.tool()], approving))
    assert (deploying.ran, len(model.heard), looking.pending()) == ([], 1, ())
    refused, *fallen = [text for _, text in told(messages)]
    assert refused == "Approval denied: wrong plan"
    assert all(re.match("Not run[,:] the reviewer stopped", text) for text in fallen)


def test_a_call_that_is_approved_after_its_turn_was_stopped_does_not_run() -> None:
    deploying, model, refused = Deploying(), script(three()[:2]), Ended("b")

    def stop_at_b_then_approve_a(request: ApprovalRequest) -> ApprovalDecision:
        if request.payload["to"] == "b":
            return ApprovalDecision(approved=False)
        assert refused.event.wait(PATIENCE)
        return ApprovalDecision(approved=True)

    agent = agent_of(model, [deploying.tool()], refused, middleware(stop_at_b_then_approve_a))
    messages = go(agent)
    assert (deploying.ran, len(model.heard)) == ([], 1)
    assert told(messages)[0] == ("error", FALLEN)


@each_way
def test_a_hard_refusal_withdraws_what_earlier_calls_of_the_turn_still_ask_for(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    deploying, model, reviewer = Deploying(), script(three()), reviewed(waiting)

    def stop_at_c() -> None:
        found = {request.submission.arguments["to"]: request for request in reviewer.wait_for(3)}
        decide(looking, found["c"], Decision(approved=False, hard=True))

    with in_a_thread(stop_at_c):
        messages = way(agent_of(model, [deploying.tool()], approving))
    assert (deploying.ran, len(model.heard)) == ([], 1)
    assert [text for _, text in told(messages)[:2]] == [FALLEN] * 2
    ends = {record.arguments["to"]: record.state for record in looking.history()}
    withdrawn = RequestState.WITHDRAWN
    assert ends == {"a": withdrawn, "b": withdrawn, "c": RequestState.REJECTED}


@each_way
def test_a_call_that_waits_for_its_turn_at_a_file_is_not_asked_about_after_a_hard_refusal(
    way: Any,
    workdir: Path,
    approving: ApprovalMiddleware,
    reviewed: StartReviewer,
    looking: ReviewQueue,
) -> None:
    reviewer = reviewed(waiting)
    files = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    tools = [StructuredTool.from_function(files.write_file), Deploying().tool()]
    writes = [call("write_file", path="a.txt", content=content) for content in ("one", "two")]

    def stop_at_the_deployment() -> None:
        found = {request.submission.tool_name: request for request in reviewer.wait_for(2)}
        decide(looking, found["deploy"], Decision(approved=False, hard=True))

    agent = agent_of(script([*writes, *DEPLOY]), tools, approving)
    with in_a_thread(stop_at_the_deployment):
        way(agent)
    assert sorted(record.tool_name for record in looking.history()) == ["deploy", "write_file"]


class Ended(AgentMiddleware[Any, Any, Any]):
    """Sets an event when the deployment to a place has been answered."""

    def __init__(self, to: str) -> None:
        super().__init__()
        self.to = to
        self.event = threading.Event()

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        answer = handler(request)
        if request.tool_call["args"]["to"] == self.to:
            self.event.set()
        return answer


@each_way
def test_several_hard_refusals_in_one_turn_end_the_run(way: Any) -> None:
    together = threading.Barrier(3)

    def refuse_when_all_are_there(request: ApprovalRequest) -> ApprovalDecision:
        together.wait(PATIENCE)
        return ApprovalDecision(approved=False, note="no")

    model = script(three())
    messages = way(agent_of(model, [Deploying().tool()], middleware(refuse_when_all_are_there)))
    assert [status for status, _ in told(messages)] == ["error"] * 3
    assert len(model.heard) == 1


@each_way
def test_calls_that_need_no_approval_do_not_begin_after_a_hard_refusal(way: Any) -> None:
    deploying = Deploying()

    @tool
    def look() -> str:
        """Look."""
        raise AssertionError("it ran")

    agent = agent_of(
        script([*DEPLOY, call("look")]),
        [deploying.tool(), look],
        LooksLast(),
        middleware(
            Asked(approved=False), tool_configs={"look": {"approval": "none"}}, default_approval="required"
        ),
    )
    assert [status for status, _ in told(way(agent))] == ["error", "error"]


class LooksLast(AgentMiddleware[Any, Any, Any]):
    """Lets a call of `look` begin when all others of its turn have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = threading.Event()

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] == "look":
            assert self.ended.wait(PATIENCE)
            return handler(request)
        answer = handler(request)
        self.ended.set()
        return answer

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] == "look":
            assert await asyncio.to_thread(self.ended.wait, PATIENCE)
            return await handler(request)
        answer = await handler(request)
        self.ended.set()
        return answer


def test_cancelling_the_run_withdraws_its_requests(
    approving: ApprovalMiddleware, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)

    async def scenario() -> None:
        agent = agent_of(script(three()), [Deploying().tool()], approving)
        running = asyncio.ensure_future(agent.ainvoke({"messages": [HumanMessage("go")]}))
        await asyncio.to_thread(reviewer.wait_for, 3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert looking.pending() == ()
    assert {record.state for record in looking.history()} == {RequestState.WITHDRAWN}
