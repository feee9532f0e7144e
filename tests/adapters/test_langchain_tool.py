"""LangChain tools that ask before they run, called directly and by agents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import pytest
from langchain.tools import InjectedState, ToolRuntime
from langchain_agents import agent_of, ago, call, go, script, told
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    ToolException,
    tool,
)
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field, SecretStr, ValidationError

from answering import Answer, Reviewer, waiting, yes
from asked import Asked
from signoff.adapters.langchain import ApprovalToolWrapper, approved
from signoff.canonical import NotJsonError
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalDeniedError, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]


class Act(BaseTool):
    """A tool with an opinion on its calls."""

    name: str = "act"
    description: str = "Act."
    opinion: Any = None
    ran: list[int] = Field(default_factory=list)

    def _run(self, number: int) -> str:
        self.ran.append(number)
        return f"did {number}"

    def check_approval(self, ctx: ApprovalContext) -> Any:
        if isinstance(self.opinion, BaseException):
            raise self.opinion
        return self.opinion


REQUEST = ApprovalRequest(tool_name="act", description="Act on it", payload={"number": "seven"})


def wrapper_sync(tool: BaseTool, controller: ApprovalController, args: Any) -> Any:
    return approved(tool, controller).invoke(args)


def wrapper_async(tool: BaseTool, controller: ApprovalController, args: Any) -> Any:
    return asyncio.run(approved(tool, controller).ainvoke(args))


def document_001(tool: BaseTool, controller: ApprovalController, args: Any) -> Any:
    async def scenario() -> Any:
        wrapper = ApprovalToolWrapper(tool, controller)
        return await wrapper.invoke(args, {"tags": ["x"]})

    return asyncio.run(scenario())


each_way = pytest.mark.parametrize("ask", [wrapper_sync, wrapper_async, document_001])
Way = Callable[[BaseTool, ApprovalController, Any], Any]


# -- what an opinion means in each mode --------------------------------------------------------------------


@each_way
@pytest.mark.parametrize(
    ("mode", "opinion", "asked_for", "runs"),
    [
        ("interactive", None, 0, True),
        ("interactive", REQUEST, 1, True),
        ("approve_all", None, 0, True),
        ("approve_all", REQUEST, 0, True),
        ("strict", None, 0, True),
        ("strict", REQUEST, 0, False),
        ("interactive", PermissionError("never"), 0, False),
        ("approve_all", PermissionError("never"), 0, False),
        ("strict", PermissionError("never"), 0, False),
    ],
)
def test_each_opinion_has_its_effect_in_each_mode(
    ask: Way, mode: Any, opinion: Any, asked_for: int, runs: bool
) -> None:
    asked, act = Asked(), Act(opinion=opinion)
    controller = ApprovalController(mode, asked)
    if runs:
        assert ask(act, controller, {"number": 7}) == "did 7"
    else:
        with pytest.raises(PermissionError):
            ask(act, controller, {"number": 7})
    assert (len(asked.requests), act.ran) == (asked_for, [7] if runs else [])


@each_way
def test_a_tool_may_ask_with_a_request_of_its_own(ask: Way) -> None:
    asked = Asked()
    ask(Act(opinion=REQUEST), ApprovalController(approval_callback=asked), {"number": 7})
    assert asked.requests == [REQUEST]


def test_a_call_of_func_asks_too() -> None:
    asked = Asked(approved=False)
    plain = StructuredTool.from_function(lambda to: to, name="deploy", description="Deploy.")
    with pytest.raises(ApprovalDeniedError):
        approved(plain, ApprovalController(approval_callback=asked)).func("x")  # type: ignore[attr-defined]
    assert asked.requests[0].payload == {"to": "x"}


async def test_a_call_of_the_coroutine_asks_too() -> None:
    async def deploy(to: str) -> str:
        return to

    asked = Asked(approved=False)
    plain = StructuredTool.from_function(coroutine=deploy, description="Deploy.")
    with pytest.raises(ApprovalDeniedError):
        await approved(plain, ApprovalController(approval_callback=asked)).coroutine("x")  # type: ignore[attr-defined]
    assert asked.requests[0].payload == {"to": "x"}


def test_a_call_of_func_with_the_configuration_runs_with_it() -> None:
    def deploy(to: str, config: RunnableConfig) -> str:
        return f"{to} {config['metadata']}"

    plain = StructuredTool.from_function(deploy, description="Deploy.")
    func = approved(plain, ApprovalController(approval_callback=Asked())).func  # type: ignore[attr-defined]
    assert func("x", {"metadata": {"for": "anna"}}) == "x {'for': 'anna'}"


def test_a_call_of_func_with_arguments_that_have_no_names_does_not_run() -> None:
    ran: list[str] = []

    def deploy(to: str, *more: str) -> None:
        ran.extend([to, *more])

    asked = Asked()
    plain = Tool(name="deploy", func=deploy, description="Deploy.")
    with pytest.raises(PermissionError, match="its arguments need names"):
        approved(plain, ApprovalController(approval_callback=asked)).func("x", "y")  # type: ignore[attr-defined]
    assert (asked.times, ran) == (0, [])


@each_way
@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_a_refused_call_raises_with_the_reviewers_words(ask: Way, mode: str) -> None:
    act = Act(opinion=REQUEST)
    controller = ApprovalController(approval_callback=Asked(approved=False, mode=mode, note="not today"))
    with pytest.raises(ApprovalDeniedError, match="Approval denied: not today"):
        ask(act, controller, {"number": 7})
    assert act.ran == []


@each_way
def test_a_tool_that_says_nothing_is_asked_about(ask: Way) -> None:
    asked = Asked()
    plain = StructuredTool.from_function(lambda to: to, name="deploy", description="Deploy.")
    assert ask(plain, ApprovalController(approval_callback=asked), {"to": "x"}) == "x"
    assert asked.requests[0].payload == {"to": "x"}


@pytest.mark.parametrize("make", [approved, ApprovalToolWrapper])
def test_a_tool_that_says_nothing_may_run_unasked(make: Any) -> None:
    asked = Asked()
    plain = StructuredTool.from_function(lambda to: to, name="deploy", description="Deploy.")
    wrapper = make(plain, ApprovalController(approval_callback=asked), default_approval="none")
    assert asyncio.run(wrapper.ainvoke({"to": "x"})) == "x"
    assert asked.requests == []


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="default_approval"):
        approved(Act(), ApprovalController(), default_approval="maybe")  # type: ignore[arg-type]


def test_a_check_approval_finds_the_configuration_of_the_call() -> None:
    seen: list[ApprovalContext] = []

    class Looking(Act):
        def check_approval(self, ctx: ApprovalContext) -> None:
            seen.append(ctx)

    wrapper = ApprovalToolWrapper(Looking(), ApprovalController())
    asyncio.run(wrapper.invoke({"number": 1}, {"tags": ["nightly"], "metadata": {"group_id": "g"}}))
    assert seen[0].metadata["config"]["tags"] == ["nightly"]
    assert seen[0].metadata["group_id"] == "g"


# -- whose opinion counts ----------------------------------------------------------------------------------


def plain(to: str) -> str:
    """Deploy."""
    return f"deployed to {to}"


async def aplain(to: str) -> str:
    """Deploy."""
    return f"deployed to {to}"


@requires_approval(description="Deploy it")
def marked(to: str) -> str:
    """Deploy."""
    return f"deployed to {to}"


@requires_approval(description="Deploy it")
async def amarked(to: str) -> str:
    """Deploy."""
    return f"deployed to {to}"


@pytest.mark.parametrize(
    ("func", "coroutine"), [(marked, None), (None, amarked), (plain, amarked), (marked, aplain), (marked, amarked)]
)
def test_a_mark_on_the_function_or_the_coroutine_asks(func: Any, coroutine: Any) -> None:
    asked = Asked()
    deploy = StructuredTool.from_function(func, coroutine, name="deploy")
    wrapper = approved(deploy, ApprovalController(approval_callback=asked), default_approval="none")
    assert asyncio.run(wrapper.ainvoke({"to": "x"})) == "deployed to x"
    assert [request.description for request in asked.requests] == ["Deploy it"]


def test_the_object_of_a_method_is_asked_about_it(workdir: Path) -> None:
    asked = Asked()
    files = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    write = approved(
        StructuredTool.from_function(files.write_file, name="save"), ApprovalController(approval_callback=asked)
    )
    write.invoke({"path": "a.txt", "content": "hi"})
    assert (workdir / "a.txt").read_text() == "hi"
    assert asked.requests[0].effects != ()


# -- it is the tool that it wraps --------------------------------------------------------------------------


class Place(BaseModel):
    """Where."""

    to: str
    at: str = Field(default="now", description="When.")


def test_it_keeps_what_a_model_and_an_agent_know_of_the_tool() -> None:
    inner = StructuredTool.from_function(
        plain,
        name="deploy",
        description="Deploy somewhere.",
        args_schema=Place,
        return_direct=True,
        response_format="content_and_artifact",
        metadata={"team": "ops"},
        tags=["risky"],
        handle_tool_error="failed",
        extras={"defer_loading": True},
    )
    wrapper = approved(inner, ApprovalController())
    names = BaseTool.model_fields
    assert {name: getattr(wrapper, name) for name in names} == {name: getattr(inner, name) for name in names}
    assert convert_to_openai_tool(wrapper) == convert_to_openai_tool(inner)
    assert wrapper.args == inner.args


def test_a_tool_call_is_answered_with_a_tool_message() -> None:
    pair = StructuredTool.from_function(
        lambda to: (f"deployed to {to}", {"id": 1}),
        name="deploy",
        description="Deploy.",
        response_format="content_and_artifact",
    )
    answer = approved(pair, ApprovalController("approve_all")).invoke(call("deploy", to="x"))
    assert (answer.content, answer.artifact, answer.tool_call_id) == ("deployed to x", {"id": 1}, "deploy-x")


def test_a_tool_of_one_text_is_shown_with_its_text() -> None:
    asked = Asked()
    shout = Tool("shout", str.upper, "Shout.")
    assert approved(shout, ApprovalController(approval_callback=asked)).invoke("hi") == "HI"
    assert asked.requests[0].payload == {"tool_input": "hi"}


def test_an_error_that_the_tool_handles_is_handled() -> None:
    def fail() -> str:
        """Fail."""
        raise ToolException("no network")

    inner = StructuredTool.from_function(fail, handle_tool_error=True)
    assert approved(inner, ApprovalController("approve_all")).invoke({}) == "no network"


def test_arguments_that_do_not_fit_are_refused_before_anybody_is_asked() -> None:
    asked = Asked()
    with pytest.raises(ValidationError):
        approved(tool(plain), ApprovalController(approval_callback=asked)).invoke({"to": ["many"]})
    assert asked.requests == []


@pytest.mark.parametrize("way", [go, ago])
def test_it_is_a_tool_of_an_agent(way: Any) -> None:
    asked = Asked()
    deploy = approved(tool(plain), ApprovalController(approval_callback=asked))
    assert told(way(agent_of(script([call("plain", to="x")]), [deploy]))) == [("success", "deployed to x")]
    assert asked.tools == ["plain"]


# -- what is shown is what runs ----------------------------------------------------------------------------


def test_what_is_shown_is_what_validation_made_of_it() -> None:
    ran: list[str] = []

    class Order(BaseModel):
        id: str = Field(default_factory=lambda: uuid4().hex)
        count: int

    inner = StructuredTool.from_function(
        lambda id, count: ran.append(id),  # noqa: A006 - the name is the test's
        name="order",
        description="Order.",
        args_schema=Order,
    )
    asked = Asked()
    approved(inner, ApprovalController(approval_callback=asked)).invoke({"count": "3"})
    assert asked.requests[0].payload == {"id": ran[0], "count": 3}


def test_secrets_are_shown_in_clear() -> None:
    class Login(BaseModel):
        password: SecretStr

    asked = Asked()
    inner = StructuredTool.from_function(
        lambda password: None, name="login", description="Log in.", args_schema=Login
    )
    approved(inner, ApprovalController(approval_callback=asked)).invoke({"password": "xyzzy"})
    assert asked.requests[0].payload == {"password": "xyzzy"}


class Delete(BaseModel):
    id: int = Field(validation_alias="delete")


class Archive(BaseModel):
    id: int = Field(validation_alias="archive")


class Acting(BaseModel):
    item: Delete | Archive


def test_an_approval_for_the_session_does_not_cover_an_object_of_another_class_that_looks_alike() -> None:
    ran: list[object] = []
    asked = Asked(remember="session")

    def act_on(item: Delete | Archive) -> None:
        ran.append(item)

    inner = StructuredTool.from_function(act_on, name="act", description="Act.", args_schema=Acting)
    act = approved(inner, ApprovalController(approval_callback=asked))
    for item in ({"archive": 1}, {"delete": 1}, {"archive": 1}):
        act.invoke({"item": item})
    assert [type(each) for each in ran] == [Archive, Delete, Archive]
    assert [request.payload for request in asked.requests] == [
        {"item": {"id": 1}, "class of item": f"{__name__}.Archive"},
        {"item": {"id": 1}, "class of item": f"{__name__}.Delete"},
    ]


def test_an_approval_for_the_session_is_for_one_server() -> None:
    asked, ran = Asked(remember="session"), []

    def delete(id: int) -> None:  # noqa: A002 - the argument of the tool
        """Delete a project."""
        ran.append(id)

    controller = ApprovalController(approval_callback=asked)
    tool = StructuredTool.from_function(delete)
    for server in ("staging", "production", None, "staging", "production", None):
        approved(tool, controller, server=server).invoke({"id": 1})
    assert [request.server for request in asked.requests] == ["staging", "production", None]
    assert len(ran) == 6


def test_what_cannot_be_shown_does_not_run() -> None:
    class Opaque(BaseModel):
        thing: Any

    inner = StructuredTool.from_function(lambda thing: None, name="t", description="T.", args_schema=Opaque)
    with pytest.raises(NotJsonError, match="thing"):
        approved(inner, ApprovalController("approve_all")).invoke({"thing": object()})


def test_arguments_that_change_while_a_person_decides_do_not_run() -> None:
    ran: list[Any] = []
    rows = [{"n": 1}]

    def change_and_approve(request: ApprovalRequest) -> ApprovalDecision:
        rows[0]["n"] = 2
        return ApprovalDecision(approved=True)

    schema = {"type": "object", "properties": {"rows": {"type": "array"}}, "title": "t", "description": "T."}
    inner = StructuredTool.from_function(
        lambda rows: ran.append(rows[0]), name="t", description="T.", args_schema=schema
    )
    with pytest.raises(PermissionError, match="arguments were changed"):
        approved(inner, ApprovalController(approval_callback=change_and_approve)).invoke({"rows": rows})
    assert ran == []


@pytest.mark.parametrize("way", [go, ago])
def test_what_the_framework_injects_reaches_the_tool_and_is_not_shown(way: Any) -> None:
    got: dict[str, Any] = {}

    @tool
    def look(
        to: str,
        state: Annotated[dict[str, Any], InjectedState],
        call_id: Annotated[str, InjectedToolCallId],
        runtime: ToolRuntime,
        config: RunnableConfig,
    ) -> str:
        """Look."""
        got.update(state=state, call_id=call_id, runtime=runtime, config=config)
        return "seen"

    asked = Asked()
    looking = approved(look, ApprovalController(approval_callback=asked))
    assert told(way(agent_of(script([call("look", to="x")]), [looking]))) == [("success", "seen")]
    assert asked.requests[0].payload == {"to": "x"}
    assert (got["call_id"], got["runtime"].tool_call_id) == ("look-x", "look-x")
    assert "messages" in got["state"]
    assert got["config"]["metadata"]


def test_a_hidden_argument_is_shown_because_a_model_could_have_written_it() -> None:
    @tool
    def deploy(to: str, user: Annotated[str, InjectedToolArg]) -> str:
        """Deploy."""
        return f"{user} deployed to {to}"

    asked = Asked()
    deploying = approved(deploy, ApprovalController(approval_callback=asked))
    assert deploying.invoke({"to": "x", "user": "root"}) == "root deployed to x"
    assert asked.requests[0].payload == {"to": "x", "user": "root"}


def test_an_argument_that_the_schema_does_not_name_is_shown() -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "title": "t", "description": "T."}

    def deploy(**kwargs: Any) -> str:
        return ", ".join(kwargs)

    asked = Asked()
    inner = StructuredTool.from_function(deploy, name="deploy", description="D.", args_schema=schema)
    approved(inner, ApprovalController(approval_callback=asked)).invoke({"to": "x", "run_manager": "y"})
    assert asked.requests[0].payload == {"to": "x", "run_manager": "y"}


# -- with a reviewer on the queue --------------------------------------------------------------------------


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


@each_way
def test_a_reviewer_approves_it(ask: Way, controller: ApprovalController, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    assert ask(Act(opinion=REQUEST), controller, {"number": 7}) == "did 7"
    assert [request.submission.description for request in reviewer.seen] == ["Act on it"]


@each_way
def test_what_is_remembered_is_not_asked_again(
    ask: Way, controller: ApprovalController, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    for _ in range(3):
        ask(Act(opinion=REQUEST), controller, {"number": 7})
    assert len(reviewer.seen) == 1


def test_cancelling_the_call_withdraws_the_request(
    controller: ApprovalController, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)

    async def scenario() -> None:
        wrapper = ApprovalToolWrapper(Act(opinion=REQUEST), controller)
        running = asyncio.ensure_future(wrapper.invoke({"number": 7}))
        await asyncio.to_thread(reviewer.wait_for, 1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert looking.history()[0].state is RequestState.WITHDRAWN


def test_a_link_that_leads_elsewhere_when_the_approval_comes_is_not_written(
    controller: ApprovalController, reviewed: StartReviewer, workdir: Path
) -> None:
    link = workdir / "link.txt"
    link.symlink_to("shown.txt")

    def swap_and_approve(request: StoredRequest) -> Decision:
        link.unlink()
        link.symlink_to("other.txt")
        return Decision(approved=True)

    reviewed(swap_and_approve)
    files = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    write = approved(StructuredTool.from_function(files.write_file), controller)
    with pytest.raises(PermissionError, match="not what was approved"):
        write.invoke({"path": "link.txt", "content": "new"})
    assert not (workdir / "other.txt").exists()
