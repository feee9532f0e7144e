"""`ApprovalToolset`: what its author sets, and whom that overrules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset
from toolset_agents import (
    ACT,
    DEPLOY,
    REQUEST,
    ByContext,
    ByNameAndMemory,
    ByNeeds,
    Deciding,
    Deploying,
    call,
    run,
)

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.session_memory import ApprovalMemory
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext


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


def test_pre_approved_fills_in_what_other_settings_of_the_tool_leave_open() -> None:
    asked = Asked()
    with pytest.warns(DeprecationWarning, match="pre_approved"):
        toolset = ApprovalToolset(
            FunctionToolset([decorated_tool, undecorated_tool]),
            asked,
            pre_approved=["decorated_tool"],
            tool_configs={"decorated_tool": {"approval": None, "edit": True}},
        )
    run(toolset, BOTH)
    assert asked.requests == []


def test_pre_approved_is_a_list() -> None:
    with pytest.raises(TypeError, match=r"\['deploy'\], not one text"):
        ApprovalToolset(Deploying().toolset(), Asked(), pre_approved="deploy")


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


# -- what holds for tools that nobody says anything about --------------------------------------------------


@requires_approval
def decorated_tool(what: str) -> str:
    """Marked."""
    return f"did {what}"


def undecorated_tool(what: str) -> str:
    """Not marked."""
    return f"did {what}"


BOTH = [call("decorated_tool", what="a"), call("undecorated_tool", what="b")]


@pytest.mark.parametrize(
    ("arguments", "default"),
    [
        ({}, "required"),
        ({"tool_configs": {}}, "none"),
        ({"tool_configs": {"other": {"approval": "required"}}}, "none"),
        ({"tool_configs": {}, "default_approval": "required"}, "required"),
        ({"default_approval": "none"}, "none"),
    ],
)
def test_the_default_is_to_ask_unless_tools_were_named_or_it_is_given(
    arguments: dict[str, Any], default: str
) -> None:
    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([decorated_tool, undecorated_tool]), asked, **arguments)
    run(toolset, BOTH)
    assert toolset.default_approval == default
    assert sorted(asked.tools) == ["decorated_tool", "undecorated_tool"][: 1 if default == "none" else 2]


def test_pre_approved_names_tools_as_tool_configs_does() -> None:
    asked = Asked()
    with pytest.warns(DeprecationWarning, match="pre_approved"):
        toolset = ApprovalToolset(FunctionToolset([decorated_tool, undecorated_tool]), asked, pre_approved=[])
    run(toolset, BOTH)
    assert asked.tools == ["decorated_tool"]


class ByHand(AbstractToolset[Any]):
    """A toolset that keeps its functions itself, in an attribute of that name."""

    def __init__(self, attribute: str) -> None:
        tools = (decorated_tool, undecorated_tool)
        setattr(self, attribute, {tool.__name__: tool for tool in tools})
        self.schemas = FunctionToolset(tools)

    @property
    def id(self) -> None:
        return None

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        found = await self.schemas.get_tools(ctx)
        return {
            name: ToolsetTool(
                toolset=self, tool_def=tool.tool_def, max_retries=1, args_validator=tool.args_validator
            )
            for name, tool in found.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        return globals()[name](**tool_args)


@pytest.mark.parametrize("attribute", ["functions", "_functions", "tools"])
def test_the_mark_is_found_where_a_toolset_keeps_its_functions(attribute: str) -> None:
    asked = Asked()
    assert len(run(ApprovalToolset(ByHand(attribute), asked, tool_configs={}), BOTH)) == 2
    assert asked.tools == ["decorated_tool"]


# -- blocking ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["interactive", "approve_all", "strict"])
def test_the_setting_deny_blocks_in_every_mode(mode: Any) -> None:
    inner, asked = Deciding(None), Asked()
    controller = ApprovalController(mode, asked)
    toolset = ApprovalToolset(inner, controller=controller, tool_configs={"act": {"approval": "deny"}})
    with pytest.raises(PermissionError, match=r"act is blocked \(tool_configs: deny\)"):
        run(toolset, ACT)
    assert (inner.ran, asked.requests) == (False, [])


def test_the_setting_deny_blocks_what_was_remembered() -> None:
    inner, asked, memory = Deciding(None), Asked(remember="session"), ApprovalMemory()
    run(ApprovalToolset(inner, asked, memory), ACT)
    with pytest.raises(PermissionError, match="deny"):
        run(ApprovalToolset(inner, asked, memory, tool_configs={"act": {"approval": "deny"}}), ACT)


def test_the_setting_once_per_session_is_refused_because_reviewers_decide_how_far_an_approval_reaches() -> None:
    with pytest.raises(ValueError, match="the reviewer decides"):
        ApprovalToolset(Deciding(None), Asked(), tool_configs={"act": {"approval": "once_per_session"}})


# -- calls that need nobody --------------------------------------------------------------------------------


def test_a_tool_that_never_asks_may_take_arguments_that_could_not_be_shown() -> None:
    toolset = ApprovalToolset(ByHand("tools"), tool_configs={"undecorated_tool": {"approval": "none"}})
    assert asyncio.run(_outside_a_run(toolset, "undecorated_tool")).startswith("did <object")


async def _outside_a_run(toolset: ApprovalToolset[Any], tool: str) -> Any:
    return await toolset.call_tool(tool, {"what": object()}, None, None)  # type: ignore[arg-type]


def test_the_setting_none_lets_nothing_run_that_the_object_of_a_method_blocks(tmp_path: Path) -> None:
    sandbox = FileSandbox({"w": {"root": str(tmp_path), "mode": "ro"}})
    toolset = FunctionToolset([sandbox.write_file])
    wrapper = ApprovalToolset(toolset, tool_configs={"write_file": {"approval": "none"}})
    with pytest.raises(PermissionError, match="read-only"):
        run(wrapper, [call("write_file", path=str(tmp_path / "a"), content="")])


class Blocking(FunctionToolset[None]):
    """A toolset that allows nothing."""

    def check_approval(self, ctx: ApprovalContext) -> None:
        raise PermissionError("blocked")


@pytest.mark.parametrize(
    "hide",
    [
        lambda inner: inner.prefixed("p"),
        lambda inner: inner.filtered(lambda ctx, tool: True),
        lambda inner: CombinedToolset([inner]),
        lambda inner: CombinedToolset([FunctionToolset(), WrapperToolset(inner)]),
    ],
    ids=["prefixed", "filtered", "combined", "deeper"],
)
def test_a_toolset_with_a_say_that_another_hides_is_refused(hide: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="directly around Blocking"):
        ApprovalToolset(hide(Blocking([])))


def test_a_toolset_that_asks_itself_may_be_inside_another() -> None:
    inner = ApprovalToolset(Blocking([]))
    ApprovalToolset(CombinedToolset([inner.prefixed("p")]))
