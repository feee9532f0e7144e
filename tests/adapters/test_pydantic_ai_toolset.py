"""`ApprovalToolset` under real agents of PydanticAI, with a reviewer on a real queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr
from pydantic_ai import Agent, FunctionToolset, RunContext, ToolDenied, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, WrapperToolset

from answering import Answer, Reviewer, waiting, yes
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai_tools import DeclaredToolset
from signoff.asking import plain_submission
from signoff.canonical import NotJsonError
from signoff.controller import ApprovalController
from signoff.marking import requires_approval
from signoff.memory import ApprovalMemory
from signoff.queue import AgentQueue, Decision, DecisionSource, RequestState, ReviewQueue, StoredRequest
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalDeniedError, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]


class Asked:
    """A callback that notes what it is asked and gives one answer."""

    def __init__(self, **answer: Any) -> None:
        self.requests: list[ApprovalRequest] = []
        self.answer = ApprovalDecision(**{"approved": True, **answer})

    def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        self.requests.append(request)
        return self.answer

    @property
    def tools(self) -> list[str]:
        return [request.tool_name for request in self.requests]


class Deploying:
    """A function tool that counts its runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def toolset(self) -> FunctionToolset[Any]:
        return FunctionToolset([self.deploy])

    def deploy(self, to: str) -> str:
        """Deploy somewhere."""
        self.ran.append(to)
        return f"deployed to {to}"


def script(*turns: Sequence[ToolCallPart]) -> FunctionModel:
    """A model that makes these calls, a turn at a time, and then answers with what it was told."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(turns):
            return ModelResponse(parts=list(turns[turn]))
        return ModelResponse(parts=[TextPart(repr(told(messages)))])

    return FunctionModel(answer)


def told(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """What the model was told of each call: how it ended, and the text."""
    parts = [part for message in messages for part in message.parts]
    return [(part.outcome, part.model_response_str()) for part in parts if isinstance(part, ToolReturnPart)]


def call(tool: str, **args: Any) -> ToolCallPart:
    return ToolCallPart(tool, args)


def run(toolset: AbstractToolset[Any], *turns: Sequence[ToolCallPart], **options: Any) -> list[tuple[str, str]]:
    """Run an agent and return what its model was told of each call."""
    agent = Agent(script(*turns), toolsets=[toolset], name="tester")
    return told(messages_of(agent, **options))


def messages_of(agent: Agent[Any, Any], **options: Any) -> list[ModelMessage]:
    """Run an agent in an event loop of its own and return the conversation."""
    return asyncio.run(agent.run("go", **options)).all_messages()


DEPLOY = [call("deploy", to="staging")]


# -- approving and refusing --------------------------------------------------------------------------------


def test_what_is_approved_runs() -> None:
    assert run(ApprovalToolset(Deploying().toolset(), Asked()), DEPLOY) == [("success", "deployed to staging")]


def test_a_soft_refusal_is_told_to_the_model_and_the_run_goes_on() -> None:
    tool = Deploying()
    asked = Asked(approved=False, mode="soft", note="not on a Friday")
    assert run(ApprovalToolset(tool.toolset(), asked), DEPLOY) == [("denied", "Approval denied: not on a Friday")]
    assert tool.ran == []


def test_a_hard_refusal_ends_the_run_with_the_reviewers_words() -> None:
    tool = Deploying()
    asked = Asked(approved=False, mode="hard", note="wrong plan")
    with pytest.raises(PermissionError, match="wrong plan"):
        run(ApprovalToolset(tool.toolset(), asked), DEPLOY, DEPLOY)
    assert tool.ran == []


def test_the_conversation_survives_a_hard_refusal() -> None:
    toolset = ApprovalToolset(Deploying().toolset(), Asked(approved=False))
    with capture_run_messages() as messages, pytest.raises(ApprovalDeniedError):
        run(toolset, DEPLOY)
    assert any(isinstance(message, ModelResponse) for message in messages)


def test_nobody_answering_is_told_as_that_and_the_run_goes_on() -> None:
    late = Asked(approved=False, source=DecisionSource.EXPIRY, mode="soft", note="no answer in time")
    assert run(ApprovalToolset(Deploying().toolset(), late), DEPLOY) == [("denied", "Not run: no answer in time")]


def test_every_tool_of_a_toolset_is_asked_about_by_default() -> None:
    asked = Asked()
    messages_of(Agent(TestModel(), toolsets=[ApprovalToolset(Deploying().toolset(), asked)]))
    assert asked.tools == ["deploy"]


def test_an_asynchronous_callback_is_awaited() -> None:
    async def callback(request: ApprovalRequest) -> ApprovalDecision:
        await asyncio.sleep(0)
        return ApprovalDecision(approved=True)

    assert run(ApprovalToolset(Deploying().toolset(), callback), DEPLOY)[0][0] == "success"


def test_a_callback_that_answers_with_a_bare_bool_approves_nothing() -> None:
    tool = Deploying()
    with pytest.raises(TypeError, match="return an ApprovalDecision"):
        run(ApprovalToolset(tool.toolset(), lambda _: True), DEPLOY)  # type: ignore[arg-type,return-value]
    assert tool.ran == []


def test_a_call_from_outside_a_run_is_asked_about_too() -> None:
    tool = Deploying()
    toolset = ApprovalToolset(tool.toolset(), Asked(approved=False, mode="soft"))
    answer = asyncio.run(toolset.call_tool("deploy", {"to": "x"}, None, None))  # type: ignore[arg-type]
    assert isinstance(answer, ToolDenied)


# -- who decides that a call needs approval ----------------------------------------------------------------


class Deciding(FunctionToolset[Any]):
    """A toolset with a tool `act` and an opinion on it."""

    def __init__(self, opinion: Any) -> None:
        super().__init__([self.act])
        self.opinion = opinion
        self.ran = False

    def act(self, number: int = 1) -> str:
        """Do it."""
        self.ran = True
        return "done"

    def _opine(self) -> Any:
        if isinstance(self.opinion, BaseException):
            raise self.opinion
        return self.opinion


class ByContext(Deciding):
    def check_approval(self, ctx: ApprovalContext) -> Any:
        assert ctx.tool_name == "act"
        return self._opine()


class ByNameAndMemory(Deciding):
    def check_approval(self, tool_name: str, args: dict[str, Any], memory: ApprovalMemory) -> Any:
        assert (tool_name, type(memory)) == ("act", ApprovalMemory)
        return self._opine()


class ByNeeds(Deciding):
    def needs_approval(self, tool_name: str, args: dict[str, Any]) -> Any:
        assert tool_name == "act"
        return self._opine()


ACT = [call("act", number=7)]
REQUEST = ApprovalRequest(tool_name="act", description="Act on it", payload={"number": "seven"})


@pytest.mark.parametrize("kind", [ByContext, ByNameAndMemory, ByNeeds])
def test_the_toolset_may_ask_with_a_request_of_its_own(kind: type[Deciding]) -> None:
    asked = Asked()
    run(ApprovalToolset(kind(REQUEST), asked), ACT)
    assert asked.requests == [REQUEST]


@pytest.mark.parametrize(("kind", "no"), [(ByContext, None), (ByNameAndMemory, None), (ByNeeds, False)])
def test_the_toolset_may_need_no_approval(kind: type[Deciding], no: Any) -> None:
    asked = Asked()
    assert run(ApprovalToolset(kind(no), asked), ACT) == [("success", "done")]
    assert asked.requests == []


@pytest.mark.parametrize("kind", [ByContext, ByNameAndMemory, ByNeeds])
@pytest.mark.parametrize("setting", ["none", "required", None])
@pytest.mark.parametrize("mode", ["interactive", "approve_all", "strict"])
def test_a_block_outranks_every_setting_and_every_mode(kind: type[Deciding], setting: Any, mode: Any) -> None:
    inner, asked = kind(PermissionError("never")), Asked()
    controller = ApprovalController(mode, asked)
    toolset = ApprovalToolset(inner, controller=controller, tool_configs={"act": {"approval": setting}})
    with pytest.raises(PermissionError, match="never"):
        run(toolset, ACT)
    assert (inner.ran, asked.requests) == (False, [])


def test_needs_approval_may_say_yes() -> None:
    asked = Asked()
    run(ApprovalToolset(ByNeeds(True), asked), ACT)
    assert asked.requests[0].payload == {"number": 7}


def test_needs_approval_may_give_some_fields() -> None:
    asked = Asked()
    presentation = {"type": "command", "content": "act --seven"}
    fields = {"description": "Act", "payload": {"n": 7}, "presentation": presentation}
    run(ApprovalToolset(ByNeeds(fields), asked), ACT)
    request = asked.requests[0]
    assert (request.description, request.payload) == ("Act", {"n": 7})
    assert request.presentation is not None
    assert request.presentation.content == "act --seven"


def test_needs_approval_that_forgets_to_answer_is_asked_about() -> None:
    asked = Asked()
    run(ApprovalToolset(ByNeeds(None), asked), ACT)
    assert asked.tools == ["act"]


@pytest.mark.parametrize("kind", [ByContext, ByNeeds])
@pytest.mark.parametrize("garbage", ["no", 0, [], object()])
def test_an_opinion_that_is_not_understood_runs_nothing(kind: type[Deciding], garbage: Any) -> None:
    inner = kind(garbage)
    with pytest.raises(TypeError, match="answered with"):
        run(ApprovalToolset(inner, Asked()), ACT)
    assert not inner.ran


def test_an_asynchronous_opinion_is_refused_instead_of_taken_for_yes() -> None:
    class Later(Deciding):
        async def needs_approval(self, tool_name: str, args: dict[str, Any]) -> bool:
            return False

    with pytest.raises(TypeError, match="asynchronous"):
        run(ApprovalToolset(Later(None), Asked()), ACT)


def test_a_hook_with_another_signature_is_refused() -> None:
    class Odd(Deciding):
        def check_approval(self) -> None:
            return None

    with pytest.raises(TypeError, match="other arguments"):
        run(ApprovalToolset(Odd(None), Asked()), ACT)


@requires_approval
def wipe(what: str) -> str:
    """A marked tool."""
    return f"wiped {what}"


def look(what: str) -> str:
    """A tool without a mark."""
    return f"looked at {what}"


WIPE = [call("wipe", what="db")]


@pytest.mark.parametrize(("kind", "no"), [(ByContext, None), (ByNameAndMemory, None), (ByNeeds, False)])
def test_the_mark_on_a_function_asks_where_the_toolset_does_not(kind: type[Deciding], no: Any) -> None:
    inner, asked = kind(no), Asked()
    inner.tools.clear()
    inner.add_function(wipe, name="act")
    run(ApprovalToolset(inner, asked), [call("act", what="db")])
    assert asked.tools == ["act"]


@pytest.mark.parametrize("default", ["required", "none"])
def test_a_marked_tool_beside_those_of_a_sandbox_is_asked_about(workdir: Path, default: Any) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": "."}}, cwd=str(workdir)))
    files.add_function(wipe)
    asked = Asked()
    run(ApprovalToolset(files, asked, default_approval=default), WIPE)
    assert asked.tools == ["wipe"]


@pytest.mark.parametrize(("default", "asked_about"), [("required", ["look"]), ("none", [])])
def test_other_tools_beside_those_of_a_sandbox_are_left_to_the_default(
    workdir: Path, default: Any, asked_about: list[str]
) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": "."}}, cwd=str(workdir)))
    files.add_function(look)
    asked = Asked()
    run(ApprovalToolset(files, asked, default_approval=default), [call("look", what="db")])
    assert asked.tools == asked_about


def test_a_toolset_without_an_opinion_leaves_its_tool_to_the_default() -> None:
    asked = Asked()
    run(ApprovalToolset(ByContext(NotImplemented), asked), ACT)
    assert asked.tools == ["act"]


@pytest.mark.parametrize(
    ("around", "name"),
    [
        (lambda files: files, "write_file"),
        (lambda files: files.prefixed("my"), "my_write_file"),
        (lambda files: files.renamed({"save": "write_file"}), "save"),
        (lambda files: CombinedToolset([files, FunctionToolset([look])]), "write_file"),
        (WrapperToolset, "write_file"),
    ],
)
def test_a_write_is_asked_about_and_shown_whatever_is_around_the_toolset(
    workdir: Path, around: Callable[..., AbstractToolset[Any]], name: str
) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir)))
    asked = Asked(approved=False, mode="soft")
    toolset = ApprovalToolset(around(files), asked, default_approval="none")
    run(toolset, [call(name, path="a.txt", content="hi")])
    assert [(request.tool_name, len(request.effects)) for request in asked.requests] == [(name, 1)]
    assert list(workdir.iterdir()) == []


def test_a_method_in_a_plain_toolset_is_decided_by_its_object(workdir: Path) -> None:
    asked = Asked(approved=False, mode="soft")
    plain = FunctionToolset([ShellTool(workdir).run_command])
    run(ApprovalToolset(plain, asked, default_approval="none"), [call("run_command", command="touch ran")])
    assert asked.tools == ["run_command"]


def test_the_setting_none_overrides_the_toolset() -> None:
    asked = Asked()
    toolset = ApprovalToolset(ByContext(REQUEST), asked, tool_configs={"act": {"approval": "none"}})
    assert run(toolset, ACT) == [("success", "done")]
    assert asked.requests == []


def test_the_setting_required_overrides_the_toolset() -> None:
    asked = Asked()
    run(ApprovalToolset(ByContext(None), asked, tool_configs={"act": {"approval": "required"}}), ACT)
    assert asked.tools == ["act"]


def test_the_setting_required_keeps_the_request_of_the_toolset() -> None:
    asked = Asked()
    run(ApprovalToolset(ByContext(REQUEST), asked, tool_configs={"act": {"approval": "required"}}), ACT)
    assert asked.requests == [REQUEST]


def test_the_setting_required_still_shows_what_a_file_call_would_do(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw", "write_approval": False}}, cwd=str(workdir))
    asked = Asked(approved=False, mode="soft")
    toolset = ApprovalToolset(
        DeclaredToolset.of_files(sandbox), asked, tool_configs={"write_file": {"approval": "required"}}
    )
    run(toolset, [call("write_file", path="a.txt", content="hi")])
    assert asked.requests[0].effects


@pytest.mark.parametrize("config", [{}, {"approval": None}])
def test_a_tool_without_a_setting_is_left_to_the_toolset(config: dict[str, Any]) -> None:
    asked = Asked()
    run(ApprovalToolset(ByContext(None), asked, tool_configs={"act": config}), ACT)
    assert asked.requests == []


@pytest.mark.parametrize(
    "config", [{"approval": "maybe"}, {"approval": True}, {"aproval": "none"}, "none", {"approval": ["none"]}]
)
def test_a_setting_that_is_not_understood_is_refused(config: Any) -> None:
    with pytest.raises(ValueError, match="act"):
        ApprovalToolset(Deciding(None), Asked(), tool_configs={"act": config})


def test_the_mark_on_a_function_asks_where_the_default_does_not() -> None:
    @requires_approval
    def marked(number: int) -> str:
        """Marked."""
        return "marked"

    def plain(number: int) -> str:
        """Not marked."""
        return "plain"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([marked, plain]), asked, default_approval="none")
    run(toolset, [call("marked", number=1), call("plain", number=2)])
    assert asked.tools == ["marked"]


def test_the_mark_is_found_under_another_name_of_the_tool() -> None:
    @requires_approval(description="Send it")
    def send(to: str) -> str:
        """Send."""
        return "sent"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([send]).prefixed("mail"), asked, default_approval="none")
    run(toolset, [call("mail_send", to="x")])
    assert [request.description for request in asked.requests] == ["Send it"]


def test_the_older_mark_without_a_method_is_understood() -> None:
    def send(to: str) -> str:
        """Send."""
        return "sent"

    send._requires_approval = True  # type: ignore[attr-defined]
    asked = Asked()
    run(ApprovalToolset(FunctionToolset([send]), asked, default_approval="none"), [call("send", to="x")])
    assert asked.tools == ["send"]


def test_an_unknown_default_is_refused() -> None:
    with pytest.raises(ValueError, match="default_approval"):
        ApprovalToolset(Deciding(None), Asked(), default_approval="sometimes")  # type: ignore[arg-type]


def test_pre_approved_still_works_and_warns() -> None:
    asked = Asked()
    with pytest.warns(DeprecationWarning, match="tool_configs"):
        toolset = ApprovalToolset(Deploying().toolset(), asked, pre_approved=["deploy"])
    run(toolset, DEPLOY)
    assert asked.requests == []


def test_an_explicit_setting_is_stronger_than_pre_approved() -> None:
    asked = Asked()
    settings = {"deploy": {"approval": "required"}}
    with pytest.warns(DeprecationWarning, match="pre_approved"):
        toolset = ApprovalToolset(Deploying().toolset(), asked, pre_approved=["deploy"], tool_configs=settings)
    run(toolset, DEPLOY)
    assert asked.tools == ["deploy"]
    assert settings == {"deploy": {"approval": "required"}}


# -- construction ------------------------------------------------------------------------------------------


def test_arguments_have_two_names() -> None:
    asked = Asked()
    run(ApprovalToolset(wrapped=Deploying().toolset(), prompt_fn=asked), DEPLOY)
    assert asked.tools == ["deploy"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"approval_callback": Asked(), "prompt_fn": Asked()},
        {"wrapped": FunctionToolset()},
        {"approval_callback": Asked(), "controller": ApprovalController("strict")},
        {"memory": ApprovalMemory(), "controller": ApprovalController("strict")},
        {
            "approval_callback": ApprovalController("approve_all").approval_callback,
            "controller": ApprovalController("strict"),
        },
    ],
)
def test_arguments_that_contradict_each_other_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="give"):
        ApprovalToolset(Deploying().toolset(), **arguments)


def test_a_toolset_is_needed() -> None:
    with pytest.raises(TypeError, match="toolset to wrap"):
        ApprovalToolset()


@pytest.mark.parametrize("name", ["approval_callback", "request_approval", "request_approval_sync"])
def test_the_method_of_a_controller_stands_for_the_controller(name: str) -> None:
    controller = ApprovalController("strict", Asked())
    toolset = ApprovalToolset(
        Deploying().toolset(), approval_callback=getattr(controller, name), memory=controller.memory
    )
    assert toolset.controller is controller


def test_strict_mode_ends_the_run_even_with_a_callback_that_approves() -> None:
    controller = ApprovalController("strict", Asked())
    with pytest.raises(PermissionError, match="Strict mode"):
        run(ApprovalToolset(Deploying().toolset(), prompt_fn=controller.approval_callback), DEPLOY)


def test_approve_all_runs_without_asking() -> None:
    asked = Asked(approved=False)
    controller = ApprovalController("approve_all", asked)
    assert run(ApprovalToolset(Deploying().toolset(), controller=controller), DEPLOY)[0][0] == "success"
    assert asked.requests == []


def test_toolsets_that_share_a_memory_share_its_approvals() -> None:
    memory, asked = ApprovalMemory(), Asked(remember="session")
    for _ in range(2):
        run(ApprovalToolset(Deploying().toolset(), asked, memory), DEPLOY)
    assert asked.tools == ["deploy"]


def test_attributes_are_those_of_the_wrapped_toolset() -> None:
    inner = Deciding("opinion")
    toolset = ApprovalToolset(inner, Asked())
    assert toolset.opinion == "opinion"
    with pytest.raises(AttributeError, match="missing"):
        _ = toolset.missing


# -- under the framework -----------------------------------------------------------------------------------


class PerRun(WrapperToolset[Any]):
    """A toolset that is made anew for each run and has to be entered."""

    def __init__(self, wrapped: AbstractToolset[Any], log: list[str]) -> None:
        super().__init__(wrapped)
        self.log = log

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        self.log.append("for_run")
        return PerRun(self.wrapped, self.log)

    async def __aenter__(self) -> PerRun:
        self.log.append("enter")
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.log.append("exit")

    async def get_instructions(self, ctx: RunContext[Any]) -> str:
        return "Deploy carefully."


def test_a_toolset_with_a_life_of_its_own_is_prepared_entered_and_left() -> None:
    log: list[str] = []
    asked = Asked(remember="session")
    toolset = ApprovalToolset(PerRun(Deploying().toolset(), log), asked, default_approval="required")
    agent = Agent(script(DEPLOY, DEPLOY), toolsets=[toolset])
    assert told(messages_of(agent))[0] == ("success", "deployed to staging")
    assert log == ["for_run", "enter", "exit"]
    assert len(asked.requests) == 1


def test_instructions_of_the_wrapped_toolset_reach_the_model() -> None:
    agent = Agent(script(), toolsets=[ApprovalToolset(PerRun(Deploying().toolset(), []), Asked())])
    (request, _) = messages_of(agent)
    assert "Deploy carefully." in str(request)


def test_a_copy_decides_as_the_original_does() -> None:
    toolset = ApprovalToolset(
        Deploying().toolset(), Asked(), tool_configs={"deploy": {"approval": "none"}}, default_approval="none"
    )
    other = replace(toolset, wrapped=FunctionToolset())
    assert (other.controller, other.tool_configs) == (toolset.controller, toolset.tool_configs)
    assert other.default_approval == "none"


def test_arguments_are_shown_as_they_will_be_used() -> None:
    def book(when: date, seats: int = 2) -> str:
        """Book seats."""
        return f"booked {seats} for {when:%A}"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([book]), asked)
    assert run(toolset, [call("book", when="2026-11-21")]) == [("success", "booked 2 for Saturday")]
    assert asked.requests[0].arguments == {"when": "2026-11-21", "seats": 2}


def test_arguments_that_cannot_be_shown_run_nothing() -> None:
    tool = Deploying()
    toolset = ApprovalToolset(tool.toolset(), Asked())
    with pytest.raises(NotJsonError, match="deploy"):
        asyncio.run(toolset.call_tool("deploy", {"to": object()}, None, None))  # type: ignore[arg-type]
    assert tool.ran == []


def test_arguments_that_are_changed_after_they_were_shown_run_nothing() -> None:
    tool = Deploying()
    args = {"to": "staging"}

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        args["to"] = "production"
        return ApprovalDecision(approved=True)

    toolset = ApprovalToolset(tool.toolset(), callback)
    with pytest.raises(PermissionError, match="changed since it was approved"):
        asyncio.run(toolset.call_tool("deploy", args, None, None))  # type: ignore[arg-type]
    assert tool.ran == []


class Mail(BaseModel):
    """An argument that its serialization shows a part of."""

    to: str
    body: str = Field("", exclude=True)
    password: SecretStr = SecretStr("")


def test_an_approval_for_the_session_does_not_cover_what_a_serializer_would_hide() -> None:
    def send(mail: Mail) -> str:
        """Send it."""
        return "sent"

    asked = Asked(remember="session")
    toolset = ApprovalToolset(FunctionToolset([send]), asked)
    mails = [{"to": "a", "body": "hello"}, {"to": "a", "body": "pay"}, {"to": "a", "body": "pay", "password": "p"}]
    for mail in (*mails, mails[1]):
        run(toolset, [call("send", mail=mail)])
    shown = [request.arguments["mail"] for request in asked.requests if request.arguments is not None]
    assert shown == [{"password": "", **mail} for mail in mails]


def test_a_change_of_the_shown_arguments_does_not_change_what_runs() -> None:
    tool = Deploying()

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        assert request.arguments is not None
        request.arguments["to"] = request.payload["to"] = "production"
        return ApprovalDecision(approved=True)

    run(ApprovalToolset(tool.toolset(), callback), DEPLOY)
    assert tool.ran == ["staging"]


# -- what the reviewer gets --------------------------------------------------------------------------------


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


# -- files and commands ------------------------------------------------------------------------------------


@pytest.fixture
def files(workdir: Path, controller: ApprovalController) -> ApprovalToolset[Any]:
    sandbox = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    return ApprovalToolset(DeclaredToolset.of_files(sandbox), controller=controller)


def test_an_approved_write_is_on_the_disk(
    files: ApprovalToolset[Any], reviewed: StartReviewer, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    assert run(files, [call("write_file", path="a.txt", content="hi")])[0][0] == "success"
    assert (workdir / "a.txt").read_text() == "hi"
    assert reviewer.seen[0].submission.snapshot is not None


def test_a_refused_write_is_not_on_the_disk(
    files: ApprovalToolset[Any], reviewed: StartReviewer, workdir: Path
) -> None:
    reviewed(lambda _: Decision(approved=False))
    assert run(files, [call("write_file", path="a.txt", content="hi")])[0][0] == "denied"
    assert not (workdir / "a.txt").exists()


def test_two_edits_of_one_file_are_each_shown_against_what_they_will_find(
    files: ApprovalToolset[Any], reviewed: StartReviewer, workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\ntwo\n")
    reviewer = reviewed(yes)
    turn = [call("edit_file", path="a.txt", old=old, new=new) for old, new in (("one", "1"), ("two", "2"))]
    assert [outcome for outcome, _ in run(files, turn)] == ["success", "success"]
    first, second = (request.submission.snapshot["steps"][0] for request in reviewer.seen)  # type: ignore[index]
    assert second["before"]["sha256"] == first["after_sha256"]
    assert (workdir / "a.txt").read_text() == "1\n2\n"


def test_edits_of_different_files_are_asked_about_at_the_same_time(
    files: ApprovalToolset[Any], reviewed: StartReviewer, workdir: Path, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    turn = [call("write_file", path=name, content="") for name in ("a.txt", "b.txt")]

    async def scenario() -> list[tuple[str, str]]:
        running = asyncio.ensure_future(Agent(script(turn), toolsets=[files]).run("go"))
        for request in await asyncio.to_thread(reviewer.wait_for, 2):
            looking.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))
        return told((await running).all_messages())

    assert [outcome for outcome, _ in asyncio.run(scenario())] == ["success", "success"]


def test_an_edit_that_does_not_apply_is_told_to_the_model_as_what_it_is(
    files: ApprovalToolset[Any], workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\n")
    ((outcome, text),) = run(files, [call("edit_file", path="a.txt", old="two", new="2")])
    assert outcome == "denied"
    assert text.startswith("Not run, approval could not be asked for")


def test_a_failure_of_an_allowed_call_is_told_to_the_model(files: ApprovalToolset[Any]) -> None:
    ((outcome, text),) = run(files, [call("read_file", path="missing.txt")])
    assert outcome == "failed"
    assert "missing.txt" in text


def test_a_link_that_leads_elsewhere_when_the_approval_comes_is_not_written(
    files: ApprovalToolset[Any], reviewed: StartReviewer, workdir: Path
) -> None:
    link = workdir / "link.txt"
    link.symlink_to("shown.txt")
    (workdir / "other.txt").write_text("other")

    def swap_and_approve(request: StoredRequest) -> Decision:
        link.unlink()
        link.symlink_to("other.txt")
        return Decision(approved=True)

    reviewed(swap_and_approve)
    with pytest.raises(PermissionError, match="not what was approved"):
        run(files, [call("write_file", path="link.txt", content="new")])
    assert (workdir / "other.txt").read_text() == "other"


def test_a_file_that_was_changed_since_the_approval_is_told_to_the_model(workdir: Path) -> None:
    class Busy(FileSandbox):
        """Somebody else writes when the tool begins."""

        def write_file(self, path: str, content: str) -> str:
            (workdir / "a.txt").write_text("theirs")
            return super().write_file(path, content)

    sandbox = Busy({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    toolset = ApprovalToolset(DeclaredToolset.of_files(sandbox), Asked())
    ((outcome, text),) = run(toolset, [call("write_file", path="a.txt", content="hi")])
    assert (outcome, (workdir / "a.txt").read_text()) == ("failed", "theirs")
    assert "changed since it was approved; ask again" in text


def test_a_path_outside_the_sandbox_ends_the_run(files: ApprovalToolset[Any]) -> None:
    with pytest.raises(PermissionError, match="not in any sandbox"):
        run(files, [call("write_file", path="/etc/passwd", content="")])


def test_an_approved_command_runs_and_its_output_comes_back(
    controller: ApprovalController, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewed(yes)
    shell = ApprovalToolset(DeclaredToolset.of_shell(ShellTool(workdir)), controller=controller)
    ((outcome, text),) = run(shell, [call("run_command", command="echo hi; exit 3")])
    assert outcome == "success"
    assert '"exit_code":3' in text
    assert "hi" in text


def test_a_command_that_was_approved_for_the_session_is_not_asked_again(
    controller: ApprovalController, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    shell = ApprovalToolset(DeclaredToolset.of_shell(ShellTool(workdir)), controller=controller)
    turn = [call("run_command", command="ls")]
    assert len(run(shell, turn, turn)) == 2
    assert len(reviewer.seen) == 1
