"""`ApprovalToolset` and a reviewer on a real queue: batches, groups, refusals that take others with them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart
from toolset_agents import (
    DEPLOY,
    ByContext,
    Deploying,
    StartReviewer,
    call,
    messages_of,
    run,
    script,
    told,
)

from answering import waiting, yes
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff.submission import plain_submission
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext, ApprovalDeniedError, ApprovalRequest


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


def test_a_decision_from_another_connection_lets_the_call_run(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewed(yes)
    assert run(ApprovalToolset(Deploying().toolset(), controller=controller), DEPLOY)[0][0] == "success"
    (record,) = looking.history()
    assert (record.tool_name, record.state) == ("deploy", RequestState.APPROVED)


def test_parallel_calls_are_a_batch_with_their_order_and_look_ahead(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turn = [call("deploy", to=to) for to in ("a", "b", "c")]
    run(ApprovalToolset(Deploying().toolset(), controller=controller), turn)
    found = sorted((request.submission for request in reviewer.seen), key=lambda found: found.arguments["to"])
    assert [submission.batch_position for submission in found] == [0, 1, 2]
    assert len({submission.batch_id for submission in found}) == 1
    assert [[later["arguments"]["to"] for later in submission.batch_remaining] for submission in found] == [
        ["b", "c"],
        ["c"],
        [],
    ]
    assert found[0].batch_remaining[0]["tool"] == "deploy"


def test_each_turn_is_a_batch_of_its_own(controller: ApprovalController, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    run(ApprovalToolset(Deploying().toolset(), controller=controller), DEPLOY, DEPLOY)
    assert len({request.submission.batch_id for request in reviewer.seen}) == 2


def test_handing_in_the_result_is_no_part_of_a_batch(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    @dataclass
    class Result:
        text: str

    reviewer = reviewed(yes)
    turn = [call("deploy", to="a"), call("final_result", text="done")]
    toolset = ApprovalToolset(Deploying().toolset(), controller=controller)
    messages_of(Agent(script(turn), toolsets=[toolset], output_type=Result, end_strategy="exhaustive"))
    assert [request.submission.batch_remaining for request in reviewer.seen] == [()]


def test_long_texts_are_sent_ahead_by_their_beginning_only(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turn = [call("deploy", to="a"), call("deploy", to="b" * 10_000)]
    run(ApprovalToolset(Deploying().toolset(), controller=controller), turn)
    first = min(reviewer.seen, key=lambda request: request.submission.batch_position or 0)
    (ahead,) = first.submission.batch_remaining
    assert ahead["arguments"]["to"] == "b" * 500 + " [... 9500 more characters]"


def test_a_call_id_that_comes_again_in_a_later_turn_is_asked_again(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    turn = [ToolCallPart("deploy", {"to": "staging"}, tool_call_id="call_0")]
    run(ApprovalToolset(Deploying().toolset(), controller=controller), turn, turn)
    assert len(reviewer.seen) == 2


def test_who_starts_the_run_may_name_its_group(
    controller: ApprovalController, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir)))
    turn = [call("write_file", path=f"{number}.txt", content="") for number in range(3)]
    run(ApprovalToolset(files, controller=controller), turn, metadata={"group_id": "g", "group_size": 3})
    assert {(found.submission.group_id, found.submission.group_size) for found in reviewer.seen} == {("g", 3)}


def test_a_soft_refusal_leaves_the_other_calls_of_the_turn_alone(
    controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(lambda request: Decision(approved=request.submission.arguments["to"] != "b", note="not b"))
    turn = [call("deploy", to=to) for to in ("a", "b", "c")]
    assert run(ApprovalToolset(Deploying().toolset(), controller=controller), turn) == [
        ("success", "deployed to a"),
        ("denied", "Approval denied: not b"),
        ("success", "deployed to c"),
    ]


def test_a_hard_refusal_takes_the_other_calls_of_the_turn_with_it(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    tool = Deploying()

    def stop_at_b_when_all_are_there(request: StoredRequest) -> Decision | None:
        return None

    reviewer = reviewed(stop_at_b_when_all_are_there)
    turn = [call("deploy", to=to) for to in ("a", "b", "c")]

    async def scenario() -> None:
        toolset = ApprovalToolset(tool.toolset(), controller=controller)
        running = asyncio.ensure_future(Agent(script(turn), toolsets=[toolset]).run("go"))
        requests = await asyncio.to_thread(reviewer.wait_for, 3)
        (b,) = (request for request in requests if request.submission.arguments["to"] == "b")
        stop = Decision(approved=False, hard=True, note="wrong plan")
        looking.decide(b.id, b.revision, b.submission.digest, stop)
        await running

    with pytest.raises(ApprovalDeniedError, match="wrong plan"):
        asyncio.run(scenario())
    assert tool.ran == []
    assert looking.pending() == ()


def test_a_call_that_falls_with_an_earlier_one_does_not_end_the_run_itself(
    controller: ApprovalController, asking: AgentQueue, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    """The refused call does, with the reviewer's words; here it is one that nobody in the run waits for."""
    reviewer = reviewed(waiting)
    metadata = {"batch_id": "r:1", "batch_position": 0}
    first = ApprovalRequest(tool_name="look", description="Look", payload={})
    refused = asking.submit(plain_submission(first, ApprovalContext(tool_name="look", args={}, metadata=metadata)))

    async def scenario() -> list[tuple[str, str]]:
        toolset = ApprovalToolset(
            ByContext(None), controller=controller, tool_configs={"act": {"approval": "required"}}
        )
        turn = [call("unknown"), call("act", number=2)]
        running = asyncio.ensure_future(Agent(script(turn), toolsets=[toolset]).run("go", run_id="r"))
        await asyncio.to_thread(reviewer.wait_for, 2)
        stop = Decision(approved=False, hard=True, note="wrong plan")
        looking.decide(refused.id, refused.revision, refused.submission.digest, stop)
        return told((await running).all_messages())

    outcome, text = asyncio.run(scenario())[-1]
    assert outcome == "denied"
    assert text.startswith("Not run, the reviewer stopped an earlier call of this batch")


def test_cancelling_the_run_withdraws_its_requests(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)

    async def scenario() -> None:
        toolset = ApprovalToolset(Deploying().toolset(), controller=controller)
        running = asyncio.ensure_future(Agent(script(DEPLOY), toolsets=[toolset]).run("go"))
        await asyncio.to_thread(reviewer.wait_for, 1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert looking.pending() == ()
    assert looking.history()[0].state is RequestState.WITHDRAWN
