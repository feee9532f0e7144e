"""Document 003, "Config-Based Approval Spec": each code block and each row of its tables, by heading."""

from __future__ import annotations

import warnings
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from asked import Asked
from documented_blocks import BLOCKS
from one_call import call
from signoff import ApprovalDecision, ApprovalMemory, ApprovalRequest, ApprovalToolset, requires_approval
from signoff.config import build, parse_config
from signoff.tools.roots import PathConfig
from signoff.tools.shell_rules import ShellRule


def safe_tool_1(x: int = 0) -> str:
    return "safe 1"


def safe_tool_2(x: int = 0) -> str:
    return "safe 2"


@requires_approval
def decorated_tool(x: int = 0) -> str:
    return "decorated"


def undecorated_tool(x: int = 0) -> str:
    return "undecorated"


def my_tool(x: int = 0) -> str:
    return "mine"


async def asked_of(toolset: Any, name: str, callback: Asked, **args: Any) -> int:
    """How often a call made the callback be asked."""
    before = callback.times
    await call(toolset, name, **args)
    return callback.times - before


# -- Motivation --------------------------------------------------------------------------------------------


async def test_current_state__pre_approved_list_and_needs_approval() -> None:
    class Custom(FunctionToolset[None]):
        def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> bool:
            return True

    callback = Asked()
    with pytest.warns(DeprecationWarning, match="tool_configs"):
        toolset = ApprovalToolset(
            inner=Custom([safe_tool_1, my_tool]), approval_callback=callback, pre_approved=["safe_tool_1"]
        )
    assert await asked_of(toolset, "safe_tool_1", callback) == 0
    assert await asked_of(toolset, "my_tool", callback) == 1


TOOLS_PY = """
    from signoff import requires_approval

    def calculate_stats() -> str: return "stats"

    @requires_approval
    def send_notification() -> str: return "sent"

    @requires_approval
    def format_output() -> str: return "formatted"
"""


@pytest.mark.parametrize(
    ("name", "asked"), [("calculate_stats", 1), ("send_notification", 0), ("format_output", 1)]
)
async def test_use_case__custom_tools_in_a_file(name: str, asked: int, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(dedent(TOOLS_PY))
    setup = build(parse_config(BLOCKS["custom_tools_mapping"], "worker.yaml"), tmp_path)
    callback = Asked()
    toolset = ApprovalToolset(setup.custom_tools, callback, tool_configs=setup.tool_configs)
    assert await asked_of(toolset, name, callback) == asked


def test_consistency_goal__sandbox_paths() -> None:
    new = PathConfig.model_validate({"root": ".", "mode": "rw", "approval": {"write": "required"}})
    assert new == PathConfig.model_validate({"root": ".", "mode": "rw", "write_approval": True})


@pytest.mark.parametrize(("setting", "asked"), [("required", 1), ("none", 0)])
async def test_consistency_goal__custom_tools(setting: str, asked: int) -> None:
    callback = Asked()
    toolset = ApprovalToolset(
        FunctionToolset([my_tool]), callback, tool_configs={"my_tool": {"approval": setting}}
    )
    assert await asked_of(toolset, "my_tool", callback) == asked


def test_consistency_goal__shell_commands() -> None:
    new = ShellRule.model_validate({"pattern": "git push", "approval": "required"})
    assert new == ShellRule.model_validate({"pattern": "git push", "action": "approve"})
    assert new.approval


# -- Proposed Design ---------------------------------------------------------------------------------------


def test_new_parameter__signature() -> None:
    memory = ApprovalMemory()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        toolset = ApprovalToolset(
            FunctionToolset([my_tool]), Asked(), memory, ["other"], {"my_tool": {"approval": "required"}}
        )
    assert toolset.memory is memory


@pytest.mark.parametrize(
    ("inner_says", "config", "function", "asked"),
    [
        (True, None, undecorated_tool, 1),
        ({"description": "Custom"}, None, undecorated_tool, 1),
        (False, None, undecorated_tool, 0),
        (False, None, decorated_tool, 1),
        (False, "required", undecorated_tool, 1),
        (None, "none", decorated_tool, 0),
        (None, "required", undecorated_tool, 1),
        (None, None, decorated_tool, 1),
        (None, None, undecorated_tool, 0),
    ],
)
async def test_default_needs_approval_logic(
    inner_says: Any, config: str | None, function: Any, asked: int
) -> None:
    class Inner(FunctionToolset[None]):
        if inner_says is not None:

            def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> Any:
                return inner_says

    callback = Asked()
    configs = {} if config is None else {function.__name__: {"approval": config}}
    toolset = ApprovalToolset(Inner([function]), callback, tool_configs=configs)
    assert await asked_of(toolset, function.__name__, callback) == asked
    if isinstance(inner_says, dict):
        assert callback.requests[0].description == "Custom"


async def test_deprecate_pre_approved__old_way_and_new_way_are_equal() -> None:
    old_callback, new_callback = Asked(), Asked()
    with pytest.warns(DeprecationWarning, match="pre_approved"):
        old = ApprovalToolset(
            inner=FunctionToolset([safe_tool_1, safe_tool_2, decorated_tool]),
            approval_callback=old_callback,
            pre_approved=["safe_tool_1", "safe_tool_2"],
        )
    new = ApprovalToolset(
        inner=FunctionToolset([safe_tool_1, safe_tool_2, decorated_tool]),
        approval_callback=new_callback,
        tool_configs={"safe_tool_1": {"approval": "none"}, "safe_tool_2": {"approval": "none"}},
    )
    for name in ("safe_tool_1", "safe_tool_2", "decorated_tool"):
        assert await asked_of(old, name, old_callback) == await asked_of(new, name, new_callback)


async def test_deprecate_pre_approved__conversion_keeps_the_other_settings() -> None:
    callback = Asked()
    configs: dict[str, Any] = {"my_tool": {"approval": "required"}, "safe_tool_1": {"edit": True}}
    with pytest.warns(DeprecationWarning, match="pre_approved is deprecated, use tool_configs instead"):
        toolset = ApprovalToolset(
            FunctionToolset([safe_tool_1, decorated_tool, my_tool]),
            callback,
            pre_approved=["safe_tool_1", "decorated_tool"],
            tool_configs=configs,
        )
    for name, asked in {"safe_tool_1": 0, "decorated_tool": 0, "my_tool": 1}.items():
        assert await asked_of(toolset, name, callback) == asked
    assert toolset.tool_configs["safe_tool_1"] == {"edit": True, "approval": "none"}
    assert configs["safe_tool_1"] == {"edit": True}, "what the author handed in is left as it was"


@pytest.mark.parametrize(
    ("value", "decorated", "undecorated"), [("required", 1, 1), ("none", 0, 0), (None, 1, 0), ("missing", 1, 0)]
)
async def test_approval_values(value: str | None, decorated: int, undecorated: int) -> None:
    callback = Asked()
    config: dict[str, Any] = {} if value == "missing" else {"approval": value}
    toolset = ApprovalToolset(
        FunctionToolset([decorated_tool, undecorated_tool]),
        callback,
        tool_configs={"decorated_tool": config, "undecorated_tool": config},
    )
    assert await asked_of(toolset, "decorated_tool", callback) == decorated
    assert await asked_of(toolset, "undecorated_tool", callback) == undecorated


async def test_approval_values__future_deny() -> None:
    callback = Asked()
    toolset = ApprovalToolset(FunctionToolset([my_tool]), callback, tool_configs={"my_tool": {"approval": "deny"}})
    with pytest.raises(PermissionError):
        await call(toolset, "my_tool")
    assert callback.times == 0


# -- Examples ----------------------------------------------------------------------------------------------


class MyToolset(AbstractToolset[Any]):
    """Simple toolset - no needs_approval needed."""

    def __init__(self, **functions: Any) -> None:
        self._functions = functions

    @property
    def id(self) -> str | None:
        return None

    async def get_tools(self, ctx: Any) -> dict[str, ToolsetTool[Any]]:
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(name=name),
                max_retries=0,
                args_validator=SchemaValidator(core_schema.dict_schema()),
            )
            for name in self._functions
        }

    async def call_tool(self, name: str, args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        return self._functions[name](**args)


async def test_simple_custom_toolset() -> None:
    callback = Asked()
    approved = ApprovalToolset(
        inner=MyToolset(dangerous_tool=my_tool, safe_tool=safe_tool_1, other=undecorated_tool),
        approval_callback=callback,
        tool_configs={
            "dangerous_tool": {"approval": "required"},
            "safe_tool": {"approval": "none"},
        },
    )
    assert await asked_of(approved, "dangerous_tool", callback) == 1
    assert await asked_of(approved, "safe_tool", callback) == 0
    assert await asked_of(approved, "other", callback) == 0


class FileSandbox(MyToolset):
    """Complex toolset - implements needs_approval for path-based decisions."""

    def __init__(self, **approval: str) -> None:
        super().__init__(write_file=lambda path, content: "written", read_file=lambda path: "read")
        self._config = SimpleNamespace(approval=SimpleNamespace(**approval))

    def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> bool | dict[str, Any]:
        path = tool_args.get("path")

        if tool_name == "write_file":
            if self._config.approval.write == "none":
                return False
            return {"description": f"Write to {path}"}

        return False


@pytest.mark.parametrize(("write", "asked"), [("required", 1), ("none", 0)])
async def test_toolset_with_custom_logic(write: str, asked: int) -> None:
    callback = Asked()
    approved = ApprovalToolset(inner=FileSandbox(write=write), approval_callback=callback)
    assert await asked_of(approved, "write_file", callback, path="a", content="x") == asked
    assert await asked_of(approved, "read_file", callback, path="a") == 0
    assert [request.description for request in callback.requests] == ["Write to a"] * asked


async def test_mixed__config_overrides_inner_logic() -> None:
    callback = Asked()
    approved = ApprovalToolset(
        inner=FileSandbox(write="required"),
        approval_callback=callback,
        tool_configs={
            "write_file": {"approval": "none"},  # Override inner's decision
        },
    )
    assert await asked_of(approved, "write_file", callback, path="a", content="x") == 0


# -- Testing -----------------------------------------------------------------------------------------------


async def test_new_tests__tool_configs_required() -> None:
    """Tool with approval: required always prompts."""
    callback = Asked()
    toolset = ApprovalToolset(
        inner=FunctionToolset([my_tool]),
        approval_callback=callback,
        tool_configs={"my_tool": {"approval": "required"}},
    )
    assert await asked_of(toolset, "my_tool", callback) == 1


async def test_new_tests__tool_configs_none() -> None:
    """Tool with approval: none never prompts."""
    callback = Asked()
    toolset = ApprovalToolset(
        inner=FunctionToolset([my_tool]),
        approval_callback=callback,
        tool_configs={"my_tool": {"approval": "none"}},
    )
    assert await asked_of(toolset, "my_tool", callback) == 0


async def test_new_tests__tool_configs_missing_uses_decorator() -> None:
    """Tool without config checks @requires_approval."""
    callback = Asked()
    toolset = ApprovalToolset(
        inner=FunctionToolset([decorated_tool, undecorated_tool]),
        approval_callback=callback,
        tool_configs={},  # No explicit config
    )
    assert await asked_of(toolset, "decorated_tool", callback) == 1
    assert await asked_of(toolset, "undecorated_tool", callback) == 0


async def test_new_tests__tool_configs_overrides_inner_needs_approval() -> None:
    """Config overrides inner toolset's needs_approval."""

    class ToolsetThatRequiresApproval(FunctionToolset[None]):
        def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> bool:
            return True

    callback = Asked()
    toolset = ApprovalToolset(
        inner=ToolsetThatRequiresApproval([my_tool]),
        approval_callback=callback,
        tool_configs={"my_tool": {"approval": "none"}},  # Override
    )
    assert await asked_of(toolset, "my_tool", callback) == 0


def test_new_tests__pre_approved_deprecation_warning() -> None:
    """pre_approved emits deprecation warning."""

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        raise AssertionError("nobody is asked")

    with pytest.warns(DeprecationWarning, match="pre_approved"):
        ApprovalToolset(
            inner=FunctionToolset([my_tool]),
            approval_callback=callback,
            pre_approved=["tool_a"],
        )
