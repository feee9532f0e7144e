"""`Approvals`, the capability that has all tools of an agent of PydanticAI ask."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from changing_mcp_server import DefinedByFile
from pydantic_ai import Agent, DeferredToolRequests, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability, NativeTool
from pydantic_ai.exceptions import ApprovalRequired, RunCancelled
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.tools import DeferredToolResults, ToolApproved
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, PrefixedToolset
from toolset_agents import DEPLOY, ByContext, Deploying, StartReviewer, call, messages_of, script, told

from answering import PATIENCE, waiting, yes
from asked import Asked
from signoff.adapters.pydantic_ai import Approvals, ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, Instead, RequestState, ReviewQueue
from signoff.types import ApprovalDecision, ApprovalRequest

A_AND_B = [call("deploy", to="a"), call("deploy", to="b")]
EDITABLE = {"deploy": {"approval": "required", "edit": True}}


@pytest.fixture
def tool() -> Deploying:
    return Deploying()


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


def asking_with(asked: Any, **options: Any) -> Approvals[Any]:
    """The capability, asking a callback."""
    return Approvals(ApprovalController(approval_callback=asked), **options)


def agent_of(
    tool: Deploying, approvals: Any, *turns: Sequence[ToolCallPart], deferring: bool = False, **options: Any
) -> Agent[Any, Any]:
    """An agent with one tool, which PydanticAI defers or calls at once."""
    made: Tool[Any] = Tool(tool.deploy, requires_approval=deferring)
    capabilities = [*options.pop("capabilities", ()), approvals]
    return Agent(script(*turns), tools=[made], capabilities=capabilities, name="shop", **options)


deferred_or_not = pytest.mark.parametrize("deferring", [False, True], ids=["called_at_once", "deferred"])


# -- The answers of a reviewer.


@deferred_or_not
def test_an_approved_call_runs(
    deferring: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    agent = agent_of(tool, Approvals(controller), DEPLOY, deferring=deferring)
    assert told(messages_of(agent)) == [("success", "deployed to staging")]
    assert [request.submission.tool_name for request in reviewer.seen] == ["deploy"]


@deferred_or_not
def test_a_soft_refusal_is_told_to_the_model(
    deferring: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(lambda request: Decision(approved=request.submission.arguments["to"] != "b", note="not b"))
    agent = agent_of(tool, Approvals(controller), A_AND_B, deferring=deferring)
    assert told(messages_of(agent)) == [("success", "deployed to a"), ("denied", "Approval denied: not b")]
    assert tool.ran == ["a"]


@deferred_or_not
def test_a_hard_refusal_ends_the_run_and_withdraws_the_other_calls_of_the_turn(
    deferring: bool,
    tool: Deploying,
    controller: ApprovalController,
    reviewed: StartReviewer,
    looking: ReviewQueue,
) -> None:
    reviewer = reviewed(waiting)
    agent = agent_of(tool, Approvals(controller), A_AND_B, deferring=deferring)

    async def stop_at_b() -> RunCancelled:
        running = asyncio.ensure_future(agent.run("go"))
        requests = await asyncio.to_thread(reviewer.wait_for, 2)
        (b,) = (request for request in requests if request.submission.arguments["to"] == "b")
        stop = Decision(approved=False, hard=True, note="wrong plan")
        looking.decide(b.id, b.revision, b.submission.digest, stop)
        with pytest.raises(RunCancelled) as ended:
            await asyncio.wait_for(running, PATIENCE)
        return ended.value

    ended = asyncio.run(stop_at_b())
    assert ended.__cause__ is not None
    assert ended.__cause__.__notes__ == ["Approval denied: wrong plan"]
    assert (tool.ran, looking.pending()) == ([], ())


@deferred_or_not
def test_arguments_that_the_reviewer_changed_run_and_are_told(
    deferring: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"to": "test"}, summary="changed")))
    agent = agent_of(tool, Approvals(controller, tool_configs=EDITABLE), DEPLOY, deferring=deferring)
    ((outcome, text),) = told(messages_of(agent))
    assert (outcome, tool.ran) == ("success", ["test"])
    assert text.endswith('The reviewer changed the arguments: it ran with {"to":"test"}')


@deferred_or_not
def test_changed_arguments_that_the_tool_does_not_take_run_nothing(
    deferring: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"to": [1]}, summary="changed")))
    agent = agent_of(tool, Approvals(controller, tool_configs=EDITABLE), DEPLOY, deferring=deferring)
    ((outcome, text),) = told(messages_of(agent))
    assert (outcome, tool.ran) == ("denied", [])
    assert "the reviewer changed the arguments, and so it cannot run" in text


@deferred_or_not
def test_an_approval_for_the_session_answers_the_next_equal_call(
    deferring: bool, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    agent = agent_of(tool, Approvals(controller), DEPLOY, DEPLOY, deferring=deferring)
    messages_of(agent)
    assert (len(reviewer.seen), tool.ran) == (1, ["staging", "staging"])


@deferred_or_not
def test_cancelling_the_run_withdraws_its_requests(
    deferring: bool,
    tool: Deploying,
    controller: ApprovalController,
    reviewed: StartReviewer,
    looking: ReviewQueue,
) -> None:
    reviewer = reviewed(waiting)
    agent = agent_of(tool, Approvals(controller), A_AND_B, deferring=deferring)

    async def cancel() -> None:
        running = asyncio.ensure_future(agent.run("go"))
        await asyncio.to_thread(reviewer.wait_for, 2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert {record.state for record in looking.history()} == {RequestState.WITHDRAWN}
    assert tool.ran == []


@deferred_or_not
def test_a_request_that_nobody_answers_in_time_runs_nothing(
    deferring: bool, tool: Deploying, controller: ApprovalController
) -> None:
    agent = agent_of(tool, Approvals(controller, expires_in=0.001), DEPLOY, deferring=deferring)
    ((outcome, text),) = told(messages_of(agent))
    assert (outcome, tool.ran) == ("denied", [])
    assert text.startswith("Not run: expired")


@deferred_or_not
def test_a_blocked_call_ends_the_run_unasked(deferring: bool, tool: Deploying) -> None:
    asked = Asked()
    approvals = asking_with(asked, tool_configs={"deploy": {"approval": "deny"}})
    with pytest.raises(PermissionError, match="deploy is blocked"):
        messages_of(agent_of(tool, approvals, DEPLOY, deferring=deferring))
    assert (asked.times, tool.ran) == (0, [])


@deferred_or_not
def test_a_call_that_the_settings_let_run_does_not_ask(deferring: bool, tool: Deploying) -> None:
    asked = Asked()
    approvals = asking_with(asked, tool_configs={"deploy": {"approval": "none"}})
    messages_of(agent_of(tool, approvals, DEPLOY, deferring=deferring))
    assert (asked.times, tool.ran) == (0, ["staging"])


def test_a_streamed_run_asks_as_well(tool: Deploying) -> None:
    asked = Asked(approved=False, mode="soft", note="no")
    agent = agent_of(tool, asking_with(asked), DEPLOY)

    async def stream() -> str:
        async with agent.run_stream("go") as result:
            return str(await result.get_output())

    assert "Approval denied: no" in asyncio.run(stream())
    assert (asked.times, tool.ran) == (1, [])


# -- Calls that PydanticAI defers.


def test_no_deferred_call_runs_before_all_are_answered(
    tool: Deploying, controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(lambda request: yes(request) if request.submission.arguments["to"] == "a" else None)
    agent = agent_of(tool, Approvals(controller), A_AND_B, deferring=True)

    async def answer_one_after_the_other() -> list[str]:
        running = asyncio.ensure_future(agent.run("go"))
        requests = await asyncio.to_thread(reviewer.wait_for, 2)
        (b,) = (request for request in requests if request.submission.arguments["to"] == "b")
        ran_meanwhile = list(tool.ran)
        looking.decide(b.id, b.revision, b.submission.digest, Decision(approved=True))
        await asyncio.wait_for(running, PATIENCE)
        return ran_meanwhile

    assert asyncio.run(answer_one_after_the_other()) == []
    assert sorted(tool.ran) == ["a", "b"]


def test_deferred_calls_are_one_batch_in_the_order_of_the_turn(
    tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    messages_of(agent_of(tool, Approvals(controller), A_AND_B, deferring=True))
    found = sorted((each.submission for each in reviewer.seen), key=lambda each: each.arguments["to"])
    assert len({each.batch_id for each in found}) == 1
    assert [each.batch_position for each in found] == [0, 1]
    assert [each.why for each in found] == ["requires_approval=True"] * 2


def test_a_call_that_its_validator_defers_is_asked_about_once(tool: Deploying) -> None:
    def only_approved(ctx: RunContext[Any], to: str) -> None:
        if not ctx.tool_call_approved:
            raise ApprovalRequired

    asked = Asked()
    made: Tool[Any] = Tool(tool.deploy, args_validator=only_approved)
    messages_of(Agent(script(DEPLOY), tools=[made], capabilities=[asking_with(asked)]))
    assert ([request.why for request in asked.requests], tool.ran) == (["ApprovalRequired"], ["staging"])


def test_an_approval_that_is_not_a_reviewers_asks(tool: Deploying) -> None:
    agent = Agent(
        script(DEPLOY), tools=[Tool(tool.deploy, requires_approval=True)], output_type=[str, DeferredToolRequests]
    )
    first = asyncio.run(agent.run("go"))
    assert isinstance(first.output, DeferredToolRequests)
    answers = DeferredToolResults(approvals={each.tool_call_id: ToolApproved() for each in first.output.approvals})
    asked = Asked(approved=False, mode="soft", note="no")
    resumed = agent.run(
        message_history=first.all_messages(), deferred_tool_results=answers, capabilities=[asking_with(asked)]
    )
    asyncio.run(resumed)
    assert (asked.tools, tool.ran) == (["deploy"], [])


# -- The arguments that are shown are those that run.


class ToProduction(AbstractCapability[Any]):
    """Changes the arguments of each call, when it is validated or when it is run."""

    def __init__(self, hook: str) -> None:
        setattr(self, hook, self._change)

    async def _change(self, ctx: RunContext[Any], *, args: Any, **_: Any) -> dict[str, Any]:
        return {"to": "production"}


HOOKS = ["before_tool_execute", "after_tool_validate"]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("first", [True, False], ids=["hook_first", "approvals_first"])
def test_arguments_that_a_hook_changes_are_shown_as_they_run(hook: str, first: bool, tool: Deploying) -> None:
    asked = Asked()
    capabilities = [ToProduction(hook), asking_with(asked)]
    capabilities = capabilities if first else capabilities[::-1]
    messages_of(Agent(script(DEPLOY), tools=[tool.deploy], capabilities=capabilities))
    assert ([request.payload for request in asked.requests], tool.ran) == ([{"to": "production"}], ["production"])


@pytest.mark.parametrize("hook", HOOKS)
def test_an_approval_of_a_deferred_call_is_not_for_arguments_that_a_hook_makes_of_it(
    hook: str, tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewed(lambda request: Decision(approved=request.submission.arguments["to"] == "staging", note="no"))
    agent = agent_of(tool, Approvals(controller), DEPLOY, deferring=True, capabilities=[ToProduction(hook)])
    assert [outcome for outcome, _ in told(messages_of(agent))] == ["denied"]
    assert tool.ran == []


# -- The tools of an agent.


def test_tools_of_a_server_ask_under_its_name(tmp_path: Path) -> None:
    mcp = pytest.importorskip("pydantic_ai.mcp", exc_type=ImportError, reason="needs pydantic-ai-slim[mcp]")
    import sys

    from fastmcp.client.transports import StdioTransport

    defined = DefinedByFile(tmp_path)
    program = str(Path(__file__).with_name("changing_mcp_server.py"))
    transport = StdioTransport(sys.executable, [program, str(defined.path)], keep_alive=False)
    toolset = mcp.MCPToolset(transport, id="post", init_timeout=PATIENCE)
    asked = Asked(approved=False, mode="soft", note="no")
    agent = Agent(script([call("send", to="anna")]), toolsets=[toolset], capabilities=[asking_with(asked)])
    assert told(messages_of(agent)) == [("denied", "Approval denied: no")]
    assert [(each.server, each.tool_name, defined.called) for each in asked.requests] == [("post", "send", [])]


def test_output_tools_do_not_ask(tool: Deploying) -> None:
    @dataclass
    class Result:
        text: str

    asked = Asked()
    agent = agent_of(tool, asking_with(asked), [call("final_result", text="done")], output_type=Result)
    assert asyncio.run(agent.run("go")).output == Result("done")
    assert asked.times == 0


def test_tools_of_other_capabilities_ask(tool: Deploying) -> None:
    class Bringing(AbstractCapability[Any]):
        def get_toolset(self) -> AbstractToolset[Any]:
            return tool.toolset()

    asked = Asked()
    messages_of(Agent(script(DEPLOY), capabilities=[asking_with(asked), Bringing()]))
    assert asked.tools == ["deploy"]


class Around(AbstractCapability[Any]):
    """Puts a tool around those of the agent."""

    def __init__(self, tool: Deploying) -> None:
        self._tool = tool

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return CombinedToolset([toolset, self._tool.toolset()])


def test_a_tool_around_those_of_the_agent_does_not_run(tool: Deploying) -> None:
    agent = Agent(script(DEPLOY), capabilities=[asking_with(Asked()), Around(tool)])
    ((outcome, text),) = told(messages_of(agent))
    assert (outcome, tool.ran) == ("denied", [])
    assert "so it cannot ask" in text


def test_a_tool_around_those_of_the_agent_runs_unasked_if_the_settings_say_so(tool: Deploying) -> None:
    approvals = asking_with(Asked(), tool_configs={"deploy": {"approval": "none"}})
    messages_of(Agent(script(DEPLOY), capabilities=[approvals, Around(tool)]))
    assert tool.ran == ["staging"]


def test_a_tool_of_the_models_provider_is_refused(tool: Deploying) -> None:
    agent = agent_of(tool, asking_with(Asked()), DEPLOY, capabilities=[NativeTool(WebSearchTool())])
    with pytest.raises(TypeError, match="the provider of the model runs web_search itself"):
        messages_of(agent)


@pytest.mark.parametrize(
    "around",
    [
        lambda toolset: toolset,
        lambda toolset: PrefixedToolset(toolset, "my"),
        lambda toolset: PrefixedToolset(CombinedToolset([toolset]), "my"),
    ],
    ids=["plain", "prefixed", "combined"],
)
def test_a_toolset_that_asks_itself_is_asked_alone(around: Any, tool: Deploying) -> None:
    asked, asked_there = Asked(), Asked()
    toolset = around(ApprovalToolset(tool.toolset(), asked_there))
    name = "deploy" if isinstance(toolset, ApprovalToolset) else "my_deploy"
    agent = Agent(script([call(name, to="a")]), toolsets=[toolset], capabilities=[asking_with(asked)])
    messages_of(agent)
    assert (asked.tools, asked_there.tools, tool.ran) == ([], ["deploy"], ["a"])


def test_settings_hold_for_a_toolset_that_asks_itself(tool: Deploying) -> None:
    toolset: ApprovalToolset[Any] = ApprovalToolset(tool.toolset(), Asked(), default_approval="none")
    approvals = asking_with(Asked(), tool_configs={"deploy": {"approval": "deny"}})
    with pytest.raises(PermissionError, match="deploy is blocked"):
        messages_of(Agent(script(DEPLOY), toolsets=[toolset], capabilities=[approvals]))
    assert tool.ran == []


def test_a_toolset_whose_opinion_would_not_be_asked_is_refused() -> None:
    agent = Agent(script(), toolsets=[ByContext(None)], capabilities=[asking_with(Asked())])
    with pytest.raises(TypeError, match="put an ApprovalToolset directly around ByContext"):
        messages_of(agent)


# -- Agents that call agents, and runs side by side.


def calling(agent: Agent[Any, Any]) -> Tool[Any]:
    """A tool that has an agent do something."""

    async def delegate() -> str:
        return str((await agent.run("go")).output)

    return Tool(delegate)


def test_calls_of_an_agent_in_a_tool_ask_under_its_name(
    tool: Deploying, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    inner = agent_of(tool, Approvals(controller), DEPLOY)
    outer = Agent(
        script([call("delegate")]), tools=[calling(inner)], capabilities=[Approvals(controller)], name="boss"
    )
    messages_of(outer)
    found = [(each.submission.caller, each.submission.tool_name) for each in reviewer.seen]
    assert found == [("boss", "delegate"), ("shop", "deploy")]


@deferred_or_not
def test_a_hard_refusal_in_an_agent_in_a_tool_ends_the_runs_around_it(deferring: bool, tool: Deploying) -> None:
    inner = agent_of(tool, asking_with(Asked(approved=False, mode="hard")), DEPLOY, deferring=deferring)
    turns = [[call("delegate")], [call("delegate")]]
    outer = Agent(script(*turns), tools=[calling(inner)], capabilities=[asking_with(Asked())])
    with pytest.raises(RunCancelled) as ended:
        messages_of(outer)
    answers = [message for message in ended.value.all_messages() if isinstance(message, ModelResponse)]
    assert len(answers) == 1  # the model was not asked again


def test_a_hard_refusal_leaves_a_run_beside_it_alone(tool: Deploying) -> None:
    def stop_a(request: ApprovalRequest) -> ApprovalDecision:
        approved = request.payload["to"] != "a"
        return ApprovalDecision(approved=approved, mode="soft" if approved else "hard")

    approvals = asking_with(stop_a)
    agents = [agent_of(tool, approvals, [call("deploy", to=to)]) for to in ("a", "b")]

    async def side_by_side() -> list[Any]:
        return await asyncio.gather(*(agent.run("go") for agent in agents), return_exceptions=True)

    stopped, done = asyncio.run(side_by_side())
    assert isinstance(stopped, RunCancelled)
    assert told(done.all_messages()) == [("success", "deployed to b")]


def test_a_run_after_a_stopped_one_goes_on_from_its_conversation(tool: Deploying) -> None:
    asked = Asked(approved=False, mode="hard", note="not now")
    agent = agent_of(tool, asking_with(asked), DEPLOY)
    with pytest.raises(RunCancelled) as ended:
        messages_of(agent)
    resumed = asyncio.run(agent.run("go on", message_history=ended.value.all_messages()))
    assert told(resumed.all_messages())[0][0] == "interrupted"
    assert tool.ran == []


@pytest.mark.parametrize(
    "options", [{"default_approval": "sometimes"}, {"tool_configs": {"deploy": {"approval": "maybe"}}}]
)
def test_a_setting_that_does_not_exist_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be"):
        Approvals(ApprovalController(approval_callback=Asked()), **options)
