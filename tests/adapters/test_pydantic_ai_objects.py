"""`ApprovalToolset` around a plain object whose public methods are the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, FunctionToolset, RunContext
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.test import TestModel
from toolset_agents import call, look, messages_of, run, script, told

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import ObjectToolset, tools_of
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.session_memory import ApprovalMemory
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext, ApprovalRequest


@dataclass
class Size:
    """An argument of a type that only this module knows."""

    width: int


class Plain:
    """A toolset as an author writes one who knows no framework."""

    limit = 3

    def __init__(self) -> None:
        self.ran: list[str] = []

    def check_approval(
        self, tool_name: str, args: dict[str, Any], memory: ApprovalMemory
    ) -> ApprovalRequest | None:
        assert isinstance(memory, ApprovalMemory)
        if tool_name == "blocked":
            raise PermissionError("never")
        if tool_name != "dangerous":
            return None
        return ApprovalRequest(tool_name=tool_name, description="Execute dangerous operation", payload=args)

    def dangerous(self, param: str) -> str:
        """Something to ask about."""
        self.ran.append("dangerous")
        return f"did {param}"

    async def safe(self, param: str) -> str:
        """Something harmless."""
        self.ran.append("safe")
        return f"looked at {param}"

    def blocked(self) -> None:
        self.ran.append("blocked")

    def with_types(self, ctx: RunContext[Any], size: Size) -> str:
        """A method that wants the run and a structured argument."""
        return f"{ctx.run_step}:{size.width}"

    def _private(self) -> None:
        raise AssertionError

    @property
    def state(self) -> str:
        return "idle"

    @staticmethod
    def helper() -> None:
        raise AssertionError

    @classmethod
    def create(cls) -> Plain:
        raise AssertionError


# -- which methods are tools -------------------------------------------------------------------------------


def test_the_public_methods_are_the_tools_in_the_order_in_which_they_are_written() -> None:
    assert list(tools_of(Plain())) == ["dangerous", "safe", "blocked", "with_types"]


def test_no_hook_is_a_tool() -> None:
    class Hooked:
        def needs_approval(self, tool_name: str, args: dict[str, Any]) -> bool:
            return False

        def approval_request(self, ctx: ApprovalContext) -> None: ...

        def act(self) -> None: ...

    assert list(tools_of(Hooked())) == ["act"]


def test_inherited_methods_are_tools_and_overridden_ones_are_their_newest_form() -> None:
    class Derived(Plain):
        safe = None  # type: ignore[assignment]

        def more(self) -> None: ...

        def dangerous(self, param: str) -> str:
            return "new"

    tools = tools_of(Derived())
    assert list(tools) == ["dangerous", "blocked", "with_types", "more"]
    assert tools["dangerous"]("x") == "new"


def test_no_property_is_read_to_find_the_methods() -> None:
    class Shy:
        @property
        def secret(self) -> str:
            raise AssertionError

        def act(self) -> None: ...

    assert list(tools_of(Shy())) == ["act"]


def test_an_object_may_name_its_tools() -> None:
    class Naming(Plain):
        @property
        def tools(self) -> dict[str, Any]:
            return {"help": self.helper, "look": self.safe}

    given = Naming()
    assert tools_of(given) == {"help": given.helper, "look": given.safe}


def test_a_method_that_is_called_tools_is_a_tool() -> None:
    class Workshop:
        def tools(self) -> list[str]:
            return ["hammer"]

    assert list(tools_of(Workshop())) == ["tools"]


@pytest.mark.parametrize("named", [{"safe": "safe"}, {}])
def test_an_object_that_names_no_tools_that_can_be_called_is_refused(named: Any) -> None:
    given = Plain()
    given.tools = named  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        tools_of(given)


@pytest.mark.parametrize("given", [Plain, Sized, look, [look], object(), "tools", 7])
def test_what_has_no_methods_to_call_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match="neither a toolset nor an object"):
        ApprovalToolset(given)


def test_only_the_tools_of_a_sandbox_and_a_shell_are_tools_not_their_other_methods(workdir: Path) -> None:
    for given in (FileSandbox({"w": {"root": str(workdir)}}), ShellTool(workdir)):
        assert tools_of(given) == given.tools


# -- asking ------------------------------------------------------------------------------------------------


def test_the_object_is_asked_about_its_methods() -> None:
    given, asked = Plain(), Asked()
    toolset = ApprovalToolset(inner=given, prompt_fn=asked, memory=ApprovalMemory())
    turn = [call("dangerous", param="it"), call("safe", param="this")]
    assert sorted(run(toolset, turn)) == [("success", "did it"), ("success", "looked at this")]
    assert [request.description for request in asked.requests] == ["Execute dangerous operation"]


def test_what_the_object_blocks_ends_the_run() -> None:
    given = Plain()
    with pytest.raises(PermissionError, match="never"):
        run(ApprovalToolset(given, controller=ApprovalController("approve_all")), [call("blocked")])
    assert given.ran == []


def test_a_refused_method_does_not_run() -> None:
    given = Plain()
    toolset = ApprovalToolset(given, Asked(approved=False, mode="soft"))
    assert run(toolset, [call("dangerous", param="x")])[0][0] == "denied"
    assert given.ran == []


def test_needs_approval_of_the_object_is_asked() -> None:
    class Needing:
        def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> bool | dict[str, Any]:
            return {"description": f"Write to {tool_args['path']}"} if tool_name == "write" else False

        def write(self, path: str) -> str:
            return "written"

        def read(self, path: str) -> str:
            return "read"

    asked = Asked()
    run(ApprovalToolset(Needing(), asked), [call("write", path="a"), call("read", path="a")])
    assert [request.description for request in asked.requests] == ["Write to a"]


def test_an_object_without_hooks_has_every_method_asked_about() -> None:
    class Hookless:
        def act(self) -> str:
            return "done"

    asked = Asked()
    assert run(ApprovalToolset(Hookless(), asked), [call("act")]) == [("success", "done")]
    assert asked.tools == ["act"]


def test_a_marked_method_is_asked_about_where_the_object_does_not_ask() -> None:
    class Marked(Plain):
        @requires_approval(description="Marked it")
        def safe(self, param: str) -> str:  # type: ignore[override]
            return "safe"

    asked = Asked()
    run(ApprovalToolset(Marked(), asked), [call("safe", param="x")])
    assert [request.description for request in asked.requests] == ["Marked it"]


def test_a_static_method_that_is_named_as_a_tool_is_asked_about_too() -> None:
    class Static:
        @property
        def tools(self) -> dict[str, Any]:
            return {"dangerous": self.dangerous}

        def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest:
            return ApprovalRequest(tool_name=ctx.tool_name, description="Static", payload={})

        @staticmethod
        def dangerous() -> str:
            return "done"

    asked = Asked()
    run(ApprovalToolset(Static(), asked, default_approval="none"), [call("dangerous")])
    assert [request.description for request in asked.requests] == ["Static"]


@pytest.mark.parametrize("hook", ["check_approval", "needs_approval"])
def test_the_object_behind_a_method_is_asked_in_a_toolset_of_another_kind(hook: str) -> None:
    class Owner:
        def act(self) -> str:
            return "done"

    def check(self: Any, tool_name: str, args: dict[str, Any], *memory: object) -> Any:
        return ApprovalRequest(tool_name=tool_name, description="Owned", payload={})

    setattr(Owner, hook, check)
    asked = Asked()
    toolset = FunctionToolset([Owner().act]).prefixed("my")
    run(ApprovalToolset(toolset, asked, default_approval="none"), [call("my_act")])
    assert [(request.tool_name, request.description) for request in asked.requests] == [("my_act", "Owned")]


# -- running -----------------------------------------------------------------------------------------------


def test_annotations_and_the_context_of_the_run_reach_the_method() -> None:
    turn = [call("with_types", size={"width": 7})]
    assert run(ApprovalToolset(Plain(), Asked()), turn) == [("success", "1:7")]


@pytest.mark.parametrize("error", [FileNotFoundError(2, "no such file"), ValueError("bad value")])
def test_what_a_method_cannot_do_is_told_to_the_model(error: Exception) -> None:
    class Failing:
        def act(self) -> None:
            raise error

        async def wait(self) -> None:
            raise error

    for tool in ("act", "wait"):
        ((outcome, text),) = run(ApprovalToolset(Failing(), Asked()), [call(tool)])
        assert (outcome, type(error).__name__ in text) == ("failed", True)


def test_a_block_by_a_running_method_ends_the_run() -> None:
    class Blocking:
        def act(self) -> None:
            raise PermissionError("not this one")

    with pytest.raises(PermissionError, match="not this one"):
        run(ApprovalToolset(Blocking(), Asked()), [call("act")])


def test_an_error_in_a_method_ends_the_run() -> None:
    class Broken:
        def act(self) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(ApprovalToolset(Broken(), Asked()), [call("act")])


def test_the_sandbox_is_taken_as_it_is(workdir: Path) -> None:
    asked = Asked()
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    turns = [call("write_file", path="a.txt", content="hi")], [call("list_files")], [call("read_file", path="b")]
    outcomes = [outcome for outcome, _ in run(ApprovalToolset(inner=sandbox, prompt_fn=asked), *turns)]
    assert outcomes == ["success", "success", "failed"]
    assert [(request.tool_name, len(request.effects)) for request in asked.requests] == [("write_file", 1)]
    assert (workdir / "a.txt").read_text() == "hi"


def test_an_attachment_reaches_the_model_as_the_file_that_it_is(workdir: Path) -> None:
    (workdir / "dot.png").write_bytes(b"\x89PNG\xff")
    toolset = ApprovalToolset(FileSandbox({"w": {"root": "."}}, cwd=str(workdir)), Asked())
    messages = messages_of(Agent(script([call("read_attachment", path="dot.png")]), toolsets=[toolset]))
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [file for part in parts for file in part.files] == [
        BinaryContent(b"\x89PNG\xff", media_type="image/png")
    ]


def test_the_shell_is_taken_as_it_is(workdir: Path) -> None:
    asked = Asked()
    ((outcome, _),) = run(ApprovalToolset(ShellTool(workdir), asked), [call("run_command", command="touch ran")])
    assert (outcome, asked.tools, (workdir / "ran").exists()) == ("success", ["run_command"], True)


# -- the object stays what it is ---------------------------------------------------------------------------


def test_attributes_are_those_of_the_object(workdir: Path) -> None:
    shell = ShellTool(workdir, timeout=5.0)
    toolset = ApprovalToolset(shell, Asked())
    assert (toolset.timeout, toolset.cwd, toolset.check_approval) == (5.0, str(workdir), shell.check_approval)
    with pytest.raises(AttributeError, match="ShellTool"):
        _ = toolset.missing


def test_a_copy_of_the_wrapper_asks_the_same_object() -> None:
    given, asked = Plain(), Asked()
    toolset: ApprovalToolset[Any] = ApprovalToolset(given, asked)
    run(replace(toolset), [call("dangerous", param="x")])
    assert (asked.tools, given.ran, replace(toolset).limit) == (["dangerous"], ["dangerous"], 3)


def test_the_tools_of_an_object_may_be_filtered_first() -> None:
    asked = Asked()
    toolset = ObjectToolset(Plain()).filtered(lambda _, tool: tool.name == "dangerous")
    messages = messages_of(Agent(TestModel(), toolsets=[ApprovalToolset(toolset, asked, default_approval="none")]))
    assert (len(told(messages)), asked.tools) == (1, ["dangerous"])


async def test_asynchronous_methods_run_at_the_same_time() -> None:
    class Meeting:
        """Two methods that can only end together."""

        def __init__(self) -> None:
            self.barrier = asyncio.Barrier(2)

        async def meet(self, who: str) -> str:
            await self.barrier.wait()
            return who

    turn = [call("meet", who="a"), call("meet", who="b")]
    async with asyncio.timeout(30):
        result = await Agent(script(turn), toolsets=[ApprovalToolset(Meeting(), Asked())]).run("go")
    assert told(result.all_messages()) == [("success", "a"), ("success", "b")]
