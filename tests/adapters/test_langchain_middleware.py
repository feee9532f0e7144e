"""`ApprovalMiddleware` in real agents of LangChain, with a reviewer on a real queue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware, ToolRetryMiddleware
from langchain_agents import DEPLOY, Deploying, Scripted, agent_of, ago, call, go, middleware, script, told
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from answering import Answer, Reviewer, yes
from asked import Asked
from signoff.adapters.langchain import ApprovalMiddleware
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, DecisionSource
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]

each_way = pytest.mark.parametrize("way", [go, ago])


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


@pytest.fixture
def approving(controller: ApprovalController) -> ApprovalMiddleware:
    return ApprovalMiddleware(controller)


# -- approving and refusing --------------------------------------------------------------------------------


@each_way
def test_what_is_approved_runs(way: Any) -> None:
    agent = agent_of(script(DEPLOY), [Deploying().tool()], middleware(Asked()))
    assert told(way(agent)) == [("success", "deployed to staging")]


@each_way
def test_a_soft_refusal_is_told_to_the_model_and_the_run_goes_on(way: Any) -> None:
    deploying, model = Deploying(), script(DEPLOY)
    asked = Asked(approved=False, mode="soft", note="not on a Friday")
    messages = way(agent_of(model, [deploying.tool()], middleware(asked)))
    assert told(model.heard[-1]) == [("error", "Approval denied: not on a Friday")]
    assert (deploying.ran, messages[-1].content) == ([], "done")


@each_way
def test_a_hard_refusal_ends_the_run_with_the_reviewers_words(way: Any) -> None:
    deploying, model = Deploying(), script(DEPLOY, DEPLOY)
    asked = Asked(approved=False, mode="hard", note="wrong plan")
    messages = way(agent_of(model, [deploying.tool()], middleware(asked)))
    assert told(messages) == [("error", "Approval denied: wrong plan")]
    assert (deploying.ran, len(model.heard)) == ([], 1)


@each_way
def test_nobody_answering_is_told_as_that_and_the_run_goes_on(way: Any) -> None:
    late = Asked(approved=False, source=DecisionSource.EXPIRY, mode="soft", note="no answer in time")
    messages = way(agent_of(script(DEPLOY), [Deploying().tool()], middleware(late)))
    assert told(messages) == [("error", "Not run: no answer in time")]
    assert messages[-1].content == "done"


@each_way
def test_a_stopped_thread_goes_on_when_its_user_says_more(way: Any) -> None:
    asked = Asked(approved=False, mode="hard")
    model = Scripted(messages=iter([AIMessage("", tool_calls=DEPLOY), AIMessage("as you wish")]))
    agent = agent_of(model, [Deploying().tool()], middleware(asked), checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "t"}}
    way(agent, **thread)
    assert way(agent, **thread)[-1].content == "as you wish"


def test_a_stopped_turn_that_is_run_again_from_its_checkpoint_is_asked_about_again() -> None:
    answers = iter([ApprovalDecision(approved=False), ApprovalDecision(approved=True)])
    deploying = Deploying()
    approving = middleware(lambda _: next(answers))
    agent = agent_of(script(DEPLOY), [deploying.tool()], approving, checkpointer=InMemorySaver())
    go(agent, configurable={"thread_id": "t"})
    history = agent.get_state_history({"configurable": {"thread_id": "t"}})
    before_tools = next(state for state in history if state.next == ("tools",))
    assert agent.invoke(None, before_tools.config)["messages"][-1].content == "done"
    assert deploying.ran == ["staging"]


def test_a_stop_is_nothing_that_the_caller_sees_in_the_state() -> None:
    agent = agent_of(script(DEPLOY), [Deploying().tool()], middleware(Asked(approved=False)))
    assert set(agent.invoke({"messages": [HumanMessage("go")]})) == {"messages"}


@each_way
def test_every_tool_is_asked_about_by_default(way: Any) -> None:
    asked = Asked()
    way(agent_of(script(DEPLOY), [Deploying().tool()], middleware(asked)))
    assert asked.tools == ["deploy"]


@pytest.mark.parametrize(("setting", "asks"), [("required", ["deploy"]), ("none", [])])
def test_settings_are_by_tool(setting: str, asks: list[str]) -> None:
    asked = Asked()
    configs = {"deploy": {"approval": setting}}
    go(agent_of(script(DEPLOY), [Deploying().tool()], middleware(asked, tool_configs=configs)))
    assert asked.tools == asks


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="approval"):
        middleware(Asked(), tool_configs={"deploy": {"approval": "maybe"}})


@each_way
def test_a_tool_that_does_not_exist_is_not_asked_about(way: Any) -> None:
    asked = Asked()
    messages = way(agent_of(script([call("fly")]), [Deploying().tool()], middleware(asked)))
    assert told(messages) == [("error", "Not run: fly is not a tool of this agent, use one of: deploy")]
    assert asked.requests == []


@each_way
def test_arguments_that_do_not_fit_are_told_to_the_model_before_anybody_is_asked(way: Any) -> None:
    asked = Asked()
    messages = way(agent_of(script([call("deploy")]), [Deploying().tool()], middleware(asked)))
    assert told(messages)[0][0] == "error"
    assert asked.requests == []


@each_way
def test_arguments_that_cannot_be_shown_run_nothing_and_the_model_is_told(way: Any) -> None:
    ran: list[float] = []

    def scale(by: float) -> str:
        """Scale it."""
        ran.append(by)
        return "scaled"

    asked, model = Asked(), script([call("scale", by=float("nan")), call("scale", by=2)])
    messages = way(agent_of(model, [StructuredTool.from_function(scale)], middleware(asked)))
    (ended, text), others = told(messages)
    assert (ended, others, messages[-1].content) == ("error", ("success", "scaled"), "done")
    assert "Not run: the arguments of scale cannot be shown to a reviewer as they are: " in text
    assert ran == [2.0]
    assert [request.arguments for request in asked.requests] == [{"by": 2.0}]


# -- what an opinion means in each mode --------------------------------------------------------------------


class Act(BaseTool):
    """A tool with an opinion on its calls."""

    name: str = "act"
    description: str = "Act."
    opinion: Any = None
    ran: bool = False

    def _run(self, number: int) -> str:
        self.ran = True
        return f"did {number}"

    def check_approval(self, ctx: ApprovalContext) -> Any:
        if isinstance(self.opinion, BaseException):
            raise self.opinion
        return self.opinion


ACT = [call("act", number=7)]
REQUEST = ApprovalRequest(tool_name="act", description="Act on it", payload={"number": "seven"})


@each_way
@pytest.mark.parametrize(
    ("mode", "opinion", "asks", "tells"),
    [
        ("interactive", None, 0, ("success", "did 7")),
        ("interactive", REQUEST, 1, ("success", "did 7")),
        ("approve_all", None, 0, ("success", "did 7")),
        ("approve_all", REQUEST, 0, ("success", "did 7")),
        ("strict", None, 0, ("success", "did 7")),
        ("strict", REQUEST, 0, ("error", "Approval denied: Strict mode: approval required")),
    ],
)
def test_each_opinion_has_its_effect_in_each_mode(
    way: Any, mode: Any, opinion: Any, asks: int, tells: tuple[str, str]
) -> None:
    asked = Asked()
    approving = ApprovalMiddleware(ApprovalController(mode, asked))
    assert told(way(agent_of(script(ACT), [Act(opinion=opinion)], approving))) == [tells]
    assert len(asked.requests) == asks


@each_way
@pytest.mark.parametrize("mode", ["interactive", "approve_all", "strict"])
@pytest.mark.parametrize("setting", ["none", "required"])
def test_a_block_outranks_every_setting_and_every_mode(way: Any, mode: Any, setting: str) -> None:
    act, asked = Act(opinion=PermissionError("never")), Asked()
    approving = ApprovalMiddleware(ApprovalController(mode, asked), tool_configs={"act": {"approval": setting}})
    with pytest.raises(PermissionError, match="never"):
        way(agent_of(script(ACT), [act], approving))
    assert (act.ran, asked.requests) == (False, [])


# -- other middleware --------------------------------------------------------------------------------------


class Rewriting(AgentMiddleware[Any, Any, Any]):
    """Sends every deployment to production."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool_call={**request.tool_call, "args": {"to": "production"}}))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tool_call={**request.tool_call, "args": {"to": "production"}}))


@each_way
@pytest.mark.parametrize("comes_first", [True, False])
def test_what_other_middleware_makes_of_a_call_is_what_is_asked_about(way: Any, comes_first: bool) -> None:
    asked, deploying = Asked(), Deploying()
    order = [Rewriting(), middleware(asked)]
    way(agent_of(script(DEPLOY), [deploying.tool()], *(order if comes_first else reversed(order))))
    assert asked.requests[0].payload == {"to": "production"}
    assert deploying.ran == ["production"]


def retrying() -> ToolRetryMiddleware:
    return ToolRetryMiddleware(max_retries=2, initial_delay=0, backoff_factor=0, jitter=False)


@each_way
@pytest.mark.parametrize("comes_first", [True, False])
def test_a_call_that_is_tried_again_is_asked_about_again(
    way: Any, comes_first: bool, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer, failures = reviewed(yes), [OSError("no network")]

    @tool
    def flaky() -> str:
        """Work the second time."""
        if failures:
            raise failures.pop()
        return "worked"

    order = [retrying(), ApprovalMiddleware(controller)]
    agent = agent_of(script([call("flaky")]), [flaky], *(order if comes_first else reversed(order)))
    assert told(way(agent)) == [("success", "worked")]
    assert len(reviewer.seen) == 2


@each_way
@pytest.mark.parametrize("comes_first", [True, False])
def test_a_refused_call_is_not_tried_again_and_stays_refused(way: Any, comes_first: bool) -> None:
    asked, model = Asked(approved=False, note="wrong plan"), script(DEPLOY)
    order = [retrying(), middleware(asked)]
    agent = agent_of(model, [Deploying().tool()], *(order if comes_first else reversed(order)))
    assert told(way(agent)) == [("error", "Approval denied: wrong plan")]
    assert (len(asked.requests), len(model.heard)) == (1, 1)


# -- on the queue ------------------------------------------------------------------------------------------


def test_a_streamed_run_asks_like_any_other(approving: ApprovalMiddleware, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    agent = agent_of(script(DEPLOY), [Deploying().tool()], approving)
    steps = list(agent.stream({"messages": [HumanMessage("go")]}, stream_mode="updates"))
    assert [told(step["tools"]["messages"]) for step in steps if "tools" in step] == [
        [("success", "deployed to staging")]
    ]
    assert len(reviewer.seen) == 1


async def test_an_asynchronously_streamed_run_is_stopped_like_any_other(
    approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewed(lambda _: Decision(approved=False, hard=True, note="wrong plan"))
    agent = agent_of(script(DEPLOY), [Deploying().tool()], approving)
    steps = [step async for step in agent.astream({"messages": [HumanMessage("go")]}, stream_mode="updates")]
    assert sum("model" in step for step in steps) == 1


# -- files -------------------------------------------------------------------------------------------------


@pytest.fixture
def files(workdir: Path) -> list[BaseTool]:
    sandbox = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    return [StructuredTool.from_function(method) for method in (sandbox.write_file, sandbox.edit_file)]


@each_way
def test_two_edits_of_one_file_are_each_shown_against_what_they_will_find(
    way: Any, files: list[BaseTool], approving: ApprovalMiddleware, reviewed: StartReviewer, workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\ntwo\n")
    reviewer = reviewed(yes)
    turn = [call("edit_file", path="a.txt", old=old, new=new) for old, new in (("one", "1"), ("two", "2"))]
    assert [status for status, _ in told(way(agent_of(script(turn), files, approving)))] == ["success"] * 2
    first, second = (request.submission.snapshot["steps"][0] for request in reviewer.seen)  # type: ignore[index]
    assert second["before"]["sha256"] == first["after_sha256"]
    assert (workdir / "a.txt").read_text() == "1\n2\n"


@each_way
def test_a_file_that_was_changed_since_the_approval_is_told_to_the_model(way: Any, workdir: Path) -> None:
    class Busy(FileSandbox):
        """Somebody else writes when the tool begins."""

        def write_file(self, path: str, content: str) -> str:
            """Write."""
            (workdir / "a.txt").write_text("theirs")
            return super().write_file(path, content)

    sandbox = Busy({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    write = StructuredTool.from_function(sandbox.write_file)
    turn = [call("write_file", path="a.txt", content="hi")]
    ((status, text),) = told(way(agent_of(script(turn), [write], middleware(Asked()))))
    assert (status, (workdir / "a.txt").read_text()) == ("error", "theirs")
    assert "changed since it was approved; ask again" in text


@each_way
def test_a_path_outside_the_sandbox_ends_the_run(
    way: Any, files: list[BaseTool], approving: ApprovalMiddleware
) -> None:
    with pytest.raises(PermissionError, match="not in any sandbox"):
        way(agent_of(script([call("write_file", path="/etc/passwd", content="")]), files, approving))


@each_way
def test_an_approval_that_was_remembered_is_not_asked_for_again(
    way: Any, approving: ApprovalMiddleware, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    way(agent_of(script(DEPLOY, DEPLOY), [Deploying().tool()], approving))
    assert len(reviewer.seen) == 1
