"""A settings file with rules on calls, from the file to what an agent may run."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.tools import BaseTool, StructuredTool
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.models.test import TestModel

from asked import Asked
from runtime_settings import BALANCED
from signoff import ApprovalController, execute_tool
from signoff.adapters.langchain import ApprovalMiddleware
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.config import Setup, build_from_file
from signoff.modes import MODE_VARIABLE
from signoff.policy.trust import trust
from signoff.types import ApprovalDeniedError

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"

NAMES = ["read_file", "list_created", "get_deleted", "write_file", "sudo_run"]
OFFERED = ["read_file", "list_created"]


class Tools:
    """The tools of a server, which note their runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.functions = [self._tool(name) for name in NAMES]

    def _tool(self, name: str) -> Callable[[], str]:
        def tool() -> str:
            """Run."""
            self.ran.append(name)
            return name

        tool.__name__ = name
        return tool


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """What a file with the block describes."""
    path = tmp_path / "signoff.yaml"
    path.write_text(BALANCED, encoding="utf-8")
    return build_from_file(path, trusted=True)


async def test_an_agent_of_pydantic_ai_is_held_to_the_file(setup: Setup) -> None:
    tools, asked, model = Tools(), Asked(), TestModel()
    controller = ApprovalController("interactive", asked)
    toolset = ApprovalToolset(
        FunctionToolset(tools.functions), controller=controller, policy=setup.call_policy, server="prod-tools"
    )
    await Agent(model, toolsets=[toolset]).run("go")
    parameters = model.last_model_request_parameters
    assert parameters is not None
    assert [tool.name for tool in parameters.function_tools] == OFFERED
    assert (sorted(tools.ran), asked.tools) == (sorted(OFFERED), ["list_created"])


class Calling(GenericFakeChatModel):
    """A model that calls every tool it is offered, once."""

    offered: list[str] = []  # noqa: RUF012 - a field, copied for each model

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.offered[:] = [tool.name for tool in tools]
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = self.offered if isinstance(messages[-1], HumanMessage) else []
        calls = [ToolCall(name=name, args={}, id=name, type="tool_call") for name in wanted]
        self.messages = iter([AIMessage("", tool_calls=calls)])
        return super()._generate(messages, *args, **kwargs)


async def test_an_agent_of_langchain_is_held_to_the_file(setup: Setup) -> None:
    tools, asked, model = Tools(), Asked(), Calling(messages=iter([]))
    controller = ApprovalController("interactive", asked)
    around = ApprovalMiddleware(controller, policy=setup.call_policy, server="prod-tools")
    given: list[BaseTool] = [StructuredTool.from_function(function) for function in tools.functions]
    await create_agent(model, given, middleware=[around]).ainvoke({"messages": [HumanMessage("go")]})
    assert (model.offered, sorted(tools.ran), asked.tools) == (OFFERED, sorted(OFFERED), ["list_created"])


async def test_a_single_function_is_held_to_the_file(setup: Setup) -> None:
    tools, asked = Tools(), Asked()
    controller = ApprovalController("approve_all", asked)
    for function in tools.functions:
        run = execute_tool(
            function, function.__name__, {}, controller, policy=setup.call_policy, server="prod-tools"
        )
        if function.__name__ in OFFERED:
            await run
        else:
            with pytest.raises(PermissionError, match="is blocked"):
                await run
    assert tools.ran == OFFERED


RunProgram = Callable[..., dict[str, Any]]


@pytest.fixture
def run_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunProgram:
    """Runs the program of the guide beside a settings file, and returns its names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(MODE_VARIABLE, raising=False)

    def run(settings: str, tools: str = "") -> dict[str, Any]:
        Path("signoff.yaml").write_text(settings, encoding="utf-8")
        Path("tools.py").write_text(tools, encoding="utf-8")
        trust({"signoff.yaml": settings.encode(), "tools.py": tools.encode()})
        names: dict[str, Any] = {}
        (program,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        exec(compile(program, GUIDE.name, "exec"), names)
        return names

    return run


async def test_the_program_in_the_guide_holds_a_server_to_the_file(run_program: RunProgram) -> None:
    names, tools = run_program(BALANCED), Tools()
    names["controller"].mode = "approve_all"
    toolset = names["tools_of_server"]("prod-tools", FunctionToolset(tools.functions))
    await Agent(TestModel(), toolsets=[toolset]).run("go")
    assert sorted(tools.ran) == sorted(OFFERED)


@pytest.mark.parametrize(("server", "ran"), [("prod-tools", ["read_file"]), ("prod-tool", [])])
async def test_the_program_in_the_guide_runs_no_tool_of_a_misspelled_server_unasked(
    run_program: RunProgram, server: str, ran: list[str]
) -> None:
    names, tools = run_program(BALANCED), Tools()
    names["controller"].mode = "strict"
    read_file = tools.functions[0]
    toolset = names["tools_of_server"](server, FunctionToolset([read_file]))
    with contextlib.suppress(ApprovalDeniedError):
        await Agent(TestModel(), toolsets=[toolset]).run("go")
    assert tools.ran == ran


async def test_the_program_in_the_guide_holds_the_tools_of_the_file_to_it(run_program: RunProgram) -> None:
    settings = """\
custom_tools: {greet: {approval: none}}
arguments: {greet: {rules: [{when: {name: root}, verdict: block}]}}
"""
    (toolset,) = run_program(settings, "def greet(name: str) -> str:\n    return name\n")["toolsets"]
    with pytest.raises(PermissionError, match=r"greet is blocked \(policy: arguments\.greet\.rules\[0\]\)"):
        await toolset.call_tool("greet", {"name": "root"}, None, None)
