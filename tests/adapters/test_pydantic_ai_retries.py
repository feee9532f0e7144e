"""`ApprovalToolset`: an approval is for one call, also when the tool or the framework wants another try."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, FunctionToolset, ModelRetry
from pydantic_ai.exceptions import ToolFailed
from toolset_agents import StartReviewer, call, run, script

from answering import yes
from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue
from signoff.types import ApprovalDecision, ApprovalRequest


class Reluctant:
    """A tool that wants a second try."""

    def __init__(self) -> None:
        self.tries = 0

    def toolset(self) -> FunctionToolset[Any]:
        return FunctionToolset([self.send], max_retries=3)

    def send(self, to: str) -> str:
        """Send."""
        self.tries += 1
        if self.tries == 1:
            raise ModelRetry("try again")
        return "sent"


SEND = [call("send", to="a")]


def test_a_retried_call_is_a_new_request() -> None:
    tool, asked = Reluctant(), Asked()
    run(ApprovalToolset(tool.toolset(), asked), SEND, SEND)
    assert (tool.tries, asked.tools) == (2, ["send", "send"])


def test_a_retried_call_is_a_new_request_to_the_queue_even_under_the_same_call_id(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer, tool = reviewed(yes), Reluctant()
    turn = [call("send", to="a")]
    turn[0].tool_call_id = "call_0"
    run(ApprovalToolset(tool.toolset(), controller=ApprovalController(queue=asking)), turn, turn)
    assert (tool.tries, len({request.id for request in reviewer.seen})) == (2, 2)


def test_a_retried_call_that_was_approved_for_the_session_is_not_asked_about_again() -> None:
    tool, asked = Reluctant(), Asked(remember="session")
    run(ApprovalToolset(tool.toolset(), asked), SEND, SEND)
    assert (tool.tries, asked.tools) == (2, ["send"])


def test_a_retry_with_other_arguments_is_not_covered_by_an_approval_for_the_session() -> None:
    tool, asked = Reluctant(), Asked(remember="session")
    run(ApprovalToolset(tool.toolset(), asked), SEND, [call("send", to="b")])
    assert [request.payload for request in asked.requests] == [{"to": "a"}, {"to": "b"}]


def test_the_second_try_can_be_refused() -> None:
    tool = Reluctant()
    answers = [ApprovalDecision(approved=True), ApprovalDecision(approved=False, mode="soft", note="enough")]

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        return answers.pop(0)

    told = run(ApprovalToolset(tool.toolset(), callback), SEND, SEND)
    assert told[-1] == ("denied", "Approval denied: enough")
    assert tool.tries == 1


def test_arguments_that_do_not_fit_the_tool_are_sent_back_without_asking() -> None:
    tool, asked = Reluctant(), Asked()
    tool.tries = 1
    run(ApprovalToolset(tool.toolset(), asked), [call("send", wrong="x")], SEND)
    assert [request.payload for request in asked.requests] == [{"to": "a"}]


def test_a_tool_that_failed_has_used_its_approval_up() -> None:
    def send(to: str) -> str:
        """Send."""
        raise ToolFailed("no connection")

    asked = Asked()
    outcomes = [outcome for outcome, _ in run(ApprovalToolset(FunctionToolset([send]), asked), SEND, SEND)]
    assert (outcomes, len(asked.requests)) == (["failed", "failed"], 2)


def test_toolsets_that_share_no_memory_share_no_approvals() -> None:
    asked = Asked(remember="session")
    for _ in range(2):
        run(ApprovalToolset(Reluctant().toolset(), asked), SEND, SEND)
    assert len(asked.requests) == 2


async def test_sub_agents_are_asked_about_by_the_toolsets_that_they_carry() -> None:
    asked, tool = Asked(), Reluctant()
    tool.tries = 1
    inner = Agent(script(SEND), toolsets=[ApprovalToolset(tool.toolset(), asked)])

    async def delegate() -> str:
        """Let another agent do it."""
        return str((await inner.run("go")).output)

    outer = Agent(script([call("delegate")]), toolsets=[ApprovalToolset(FunctionToolset([delegate]), asked)])
    await outer.run("go")
    assert (asked.tools, tool.tries) == (["delegate", "send"], 2)
