"""Document 000, "Tool Approval System": each code block and each row of its tables, by heading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import RunContext
from pydantic_ai.toolsets import FunctionToolset

import signoff
from asked import Asked
from documented_blocks import BLOCKS
from one_call import agent_calling, call, results
from signoff.config import build, parse_config
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.tools.workers import WorkerTools

MODES = ("interactive", "approve_all", "strict")


# -- Core Types --------------------------------------------------------------------------------------------


def test_core_types__the_six_names_are_imported_from_the_package() -> None:
    from signoff import (
        ApprovalController,
        ApprovalDecision,
        ApprovalMemory,
        ApprovalRequest,
        ApprovalToolset,
        requires_approval,
    )

    names = (
        ApprovalRequest,
        ApprovalDecision,
        ApprovalMemory,
        ApprovalController,
        ApprovalToolset,
        requires_approval,
    )
    assert all(map(callable, names))


def test_core_types__approval_request() -> None:
    request = signoff.ApprovalRequest(tool_name="t", description="d", payload={"a": 1})
    assert isinstance(request, BaseModel)
    assert (request.tool_name, request.description, request.payload) == ("t", "d", {"a": 1})
    assert request.presentation is None


def test_core_types__approval_decision() -> None:
    decision = signoff.ApprovalDecision(approved=False)
    assert (decision.approved, decision.note, decision.remember) == (False, None, "none")
    assert signoff.ApprovalDecision(approved=True, note="ok", remember="session").remember == "session"


def test_core_types__approval_memory() -> None:
    memory = signoff.ApprovalMemory()
    assert memory.lookup("t", {"a": 1}) is None
    memory.store("t", {"a": 1}, signoff.ApprovalDecision(approved=True, remember="session"))
    found = memory.lookup("t", {"a": 1})
    assert found is not None
    assert found.approved
    assert memory.lookup("t", {"a": 2}) is None
    memory.clear()
    assert memory.lookup("t", {"a": 1}) is None


# -- ApprovalController ------------------------------------------------------------------------------------


def request_for(**payload: Any) -> signoff.ApprovalRequest:
    return signoff.ApprovalRequest(tool_name="deploy", description="Deploy", payload=payload)


def test_modes__the_three_of_them() -> None:
    callback = Asked(approved=True)
    interactive = signoff.ApprovalController(mode="interactive", approval_callback=callback)
    assert interactive.request_approval_sync(request_for()).approved
    assert signoff.ApprovalController(mode="approve_all").request_approval_sync(request_for()).approved
    assert not signoff.ApprovalController(mode="strict").request_approval_sync(request_for()).approved
    assert callback.times == 1


class Deploying:
    """A toolset as in pattern 2, whose answer is chosen by the test."""

    def __init__(self, answer: Any) -> None:
        self.ran = 0
        self._answer = answer

    def check_approval(self, tool_name: str, args: dict[str, Any], memory: signoff.ApprovalMemory) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def deploy(self) -> str:
        self.ran += 1
        return "deployed"


def wrapped(inner: object, mode: str, callback: Asked) -> signoff.ApprovalToolset:
    controller = signoff.ApprovalController(mode=mode, approval_callback=callback)
    return signoff.ApprovalToolset(inner=inner, prompt_fn=controller.approval_callback, memory=controller.memory)


@pytest.mark.parametrize("mode", MODES)
async def test_behavior_matrix__none_executes(mode: str) -> None:
    inner, callback = Deploying(None), Asked()
    assert await call(wrapped(inner, mode, callback), "deploy") == "deployed"
    assert callback.times == 0


@pytest.mark.parametrize(
    ("mode", "asked", "ran"), [("interactive", 1, 1), ("approve_all", 0, 1), ("strict", 0, 0)]
)
async def test_behavior_matrix__approval_request(mode: str, asked: int, ran: int) -> None:
    inner, callback = Deploying(request_for()), Asked()
    toolset = wrapped(inner, mode, callback)
    if mode == "strict":
        with pytest.raises(PermissionError, match="Strict mode"):
            await call(toolset, "deploy")
    else:
        await call(toolset, "deploy")
    assert (callback.times, inner.ran) == (asked, ran)


@pytest.mark.parametrize("mode", MODES)
async def test_behavior_matrix__permission_error_blocks(mode: str) -> None:
    inner, callback = Deploying(PermissionError("never")), Asked()
    with pytest.raises(PermissionError, match="never"):
        await call(wrapped(inner, mode, callback), "deploy")
    assert (callback.times, inner.ran) == (0, 0)


def test_methods() -> None:
    controller = signoff.ApprovalController(approval_callback=Asked(remember="session"))
    assert not controller.is_session_approved(request_for())
    assert controller.approval_callback(request_for()).approved
    assert controller.is_session_approved(request_for())
    assert len(controller.memory.list()) == 1
    controller.clear_session_approvals()
    assert not controller.is_session_approved(request_for())


# -- Integration Patterns ----------------------------------------------------------------------------------


async def test_pattern_1__requires_approval_decorator() -> None:
    @signoff.requires_approval
    def send_email(to: str, subject: str, body: str) -> str:
        """Send an email - requires user approval."""
        return f"Email sent to {to}"

    callback = Asked()
    toolset = signoff.ApprovalToolset(inner=FunctionToolset([send_email]), prompt_fn=callback)
    args = {"to": "a@example.com", "subject": "Hi", "body": "Hello"}
    assert await call(toolset, "send_email", **args) == "Email sent to a@example.com"
    (request,) = callback.requests
    assert request.tool_name == "send_email"
    assert request.payload == args


class MyToolset:
    def check_approval(
        self, tool_name: str, args: dict[str, Any], memory: signoff.ApprovalMemory
    ) -> signoff.ApprovalRequest | None:
        if tool_name == "dangerous_operation":
            return signoff.ApprovalRequest(
                tool_name=tool_name,
                description="Execute dangerous operation",
                payload=args,
            )
        return None

    def dangerous_operation(self, param: str) -> str:
        return f"danger {param}"

    def safe_operation(self, param: str) -> str:
        return f"safe {param}"


async def test_pattern_2__toolset_level_check_approval() -> None:
    callback = Asked()
    toolset = signoff.ApprovalToolset(inner=MyToolset(), prompt_fn=callback)
    assert await call(toolset, "safe_operation", param="x") == "safe x"
    assert callback.times == 0
    assert await call(toolset, "dangerous_operation", param="x") == "danger x"
    assert [request.description for request in callback.requests] == ["Execute dangerous operation"]


@pytest.mark.parametrize("option", ["A: controller", "B: prompt function"])
async def test_pattern_3__approval_toolset_wrapper(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # writing outside the project is HIGH risk, which is never remembered
    my_callback = Asked(remember="session")
    sandbox = FileSandbox({"output": {"root": ".", "mode": "rw", "write_approval": True}}, cwd=str(tmp_path))
    if option.startswith("A"):
        controller = signoff.ApprovalController(mode="interactive", approval_callback=my_callback)
        memory, prompt_fn = controller.memory, controller.approval_callback
    else:
        memory, prompt_fn = signoff.ApprovalMemory(), my_callback
    approval_sandbox = signoff.ApprovalToolset(inner=sandbox, prompt_fn=prompt_fn, memory=memory)
    args = {"path": "a.txt", "content": "hello"}
    await agent_calling("write_file", args, toolsets=[approval_sandbox]).run("go")
    await agent_calling("write_file", {**args, "content": "again"}, toolsets=[approval_sandbox]).run("go")
    assert (tmp_path / "a.txt").read_text() == "again"
    assert (my_callback.times, len(memory.list())) == (1, 1)


async def test_pattern_3__a_denied_call_raises_permission_error() -> None:
    toolset = signoff.ApprovalToolset(inner=MyToolset(), prompt_fn=Asked(approved=False, note="not now"))
    with pytest.raises(PermissionError, match="not now"):
        await call(toolset, "dangerous_operation", param="x")


# -- Configuration -----------------------------------------------------------------------------------------


def test_configuration__sandbox_write_approval(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    sandbox = build(parse_config(BLOCKS["write_approval"], "agent.yaml"), tmp_path).sandbox
    assert sandbox is not None
    ctx = signoff.ApprovalContext(tool_name="write_file", args={"path": "output/a.txt", "content": "x"})
    assert sandbox.check_approval(ctx) is not None


def test_configuration__sandbox_read_approval(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.pdf").write_bytes(b"%PDF")
    sandbox = build(parse_config(BLOCKS["read_approval"], "agent.yaml"), tmp_path).sandbox
    assert sandbox is not None
    for tool in ("read_file", "read_attachment"):
        ctx = signoff.ApprovalContext(tool_name=tool, args={"path": "docs/a.pdf"})
        assert sandbox.check_approval(ctx) is not None


def test_configuration__custom_tools(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        dedent(
            """
            from signoff import requires_approval

            def calculate_fibonacci(n: int) -> int:
                return n if n < 2 else calculate_fibonacci(n - 1) + calculate_fibonacci(n - 2)

            @requires_approval
            def send_notification(text: str) -> str:
                return text

            def not_listed() -> None: ...
            """
        )
    )
    tools = build(parse_config(BLOCKS["custom_tools_list"], "agent.yaml"), tmp_path).custom_tools
    assert tools is not None
    assert set(tools.tools) == {"calculate_fibonacci", "send_notification"}
    asked = signoff.ApprovalContext(tool_name="send_notification", args={"text": "x"})
    assert tools.check_approval(asked) is not None


def test_configuration__shell_commands(tmp_path: Path) -> None:
    shell = build(parse_config(BLOCKS["shell_default_and_rules"], "agent.yaml"), tmp_path).shell
    assert shell is not None
    assert shell.check_approval(command("git status")) is None
    assert shell.check_approval(command("git commit -m done")) is not None
    with pytest.raises(PermissionError):
        shell.check_approval(command("curl example.com"))


def command(text: str) -> signoff.ApprovalContext:
    return signoff.ApprovalContext(tool_name="shell", args={"command": text})


# -- Usage in Tools ----------------------------------------------------------------------------------------


@dataclass
class WorkerContext:
    """Stands for the context of the document's own program."""

    approval_controller: signoff.ApprovalController


@pytest.mark.parametrize("approved", [True, False])
async def test_usage_in_tools(approved: bool) -> None:
    agent = agent_calling("my_tool", {"path": "a"}, deps_type=WorkerContext)

    @agent.tool
    def my_tool(ctx: RunContext[WorkerContext], path: str) -> str:
        request = signoff.ApprovalRequest(
            tool_name="my_tool",
            description=f"Process {path}",
            payload={"path": path},
        )
        decision = ctx.deps.approval_controller.request_approval_sync(request)
        if not decision.approved:
            raise PermissionError(f"Approval denied: {decision.note}")

        return f"worked on {path}"

    callback = Asked(approved=approved, note="why not")
    running = agent.run("go", deps=WorkerContext(signoff.ApprovalController(approval_callback=callback)))
    if approved:
        assert results((await running).all_messages()) == ["worked on a"]
    else:
        with pytest.raises(PermissionError, match="Approval denied: why not"):
            await running


def asks(tool: Any, tool_name: str, /, **args: Any) -> bool:
    return tool.check_approval(signoff.ApprovalContext(tool_name=tool_name, args=args)) is not None


@pytest.mark.parametrize("approval", [True, False])
def test_built_in_tool_approval__write_file(approval: bool, tmp_path: Path) -> None:
    sandbox = FileSandbox({"p": {"root": ".", "mode": "rw", "write_approval": approval}}, cwd=str(tmp_path))
    assert asks(sandbox, "write_file", path="a.txt", content="x") is approval


@pytest.mark.parametrize("approval", [True, False])
def test_built_in_tool_approval__read_file_for_attachments(approval: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    sandbox = FileSandbox({"p": {"root": ".", "read_approval": approval}}, cwd=str(tmp_path))
    assert asks(sandbox, "read_file", path="a.txt") is approval
    assert asks(sandbox, "read_attachment", path="a.txt") is approval


@pytest.mark.parametrize("approval", [True, False])
def test_built_in_tool_approval__shell(approval: bool, tmp_path: Path) -> None:
    rule = {"pattern": "git status", "approval": approval}
    shell = ShellTool(tmp_path, config={"default": {"approval": not approval}, "rules": [rule]})
    assert asks(shell, "shell", command="git status") is approval
    assert asks(shell, "shell", command="ls") is not approval


@pytest.mark.parametrize("name", ["worker_call", "worker_create"])
def test_built_in_tool_approval__workers_always_ask(name: str) -> None:
    workers = WorkerTools(call=lambda **_: "called", create=lambda **_: "created")
    args = {"worker_call": {"worker": "w", "input": "x"}, "worker_create": {"name": "w", "definition": {"a": 1}}}
    assert asks(workers, name, **args[name])


# -- Guidelines for Tool Authors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "same", "other"),
    [
        ({"path": "/data/report.txt"}, {"path": "/data/report.txt"}, {"path": "/data/other.txt"}),
        ({"sandbox": "data"}, {"sandbox": "data"}, {"sandbox": "cache"}),
        ({"command_pattern": "git status"}, {"command_pattern": "git status"}, {"command_pattern": "git push"}),
    ],
    ids=["fine-grained", "coarse-grained", "pattern-based"],
)
def test_payload_design(payload: dict[str, Any], same: dict[str, Any], other: dict[str, Any]) -> None:
    controller = signoff.ApprovalController(approval_callback=Asked(remember="session"))
    controller.request_approval_sync(request_for(**payload))
    assert controller.is_session_approved(request_for(**same))
    assert not controller.is_session_approved(request_for(**other))


@pytest.mark.parametrize(
    ("args", "exclude"),
    [
        ({"path": "a", "content": "long"}, {"content"}),
        ({"command": "git status", "output": "text"}, {"output"}),
        ({"endpoint": "/v1", "method": "POST", "body": "{}"}, {"body"}),
        ({"to": "anna", "token": "s3cret"}, {"token"}),
    ],
    ids=["file operations", "shell commands", "api calls", "sensitive data"],
)
def test_best_practices(args: dict[str, Any], exclude: set[str]) -> None:
    request = signoff.simple_approval_request("tool", args, exclude_keys=exclude)
    assert request.payload == {key: value for key, value in args.items() if key not in exclude}
    assert request.arguments == args, "the reviewer still sees everything"


@pytest.mark.parametrize(("keys", "asked"), [(("path", "content"), 2), (("path",), 1)], ids=["bad", "good"])
def test_avoid_volatile_data(keys: tuple[str, ...], asked: int) -> None:
    callback = Asked(remember="session")
    controller = signoff.ApprovalController(approval_callback=callback)
    for content in ("one", "two"):
        args = {"path": "a.txt", "content": content}
        controller.request_approval_sync(request_for(**{key: args[key] for key in keys}))
    assert callback.times == asked


# -- Module Reference --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "ApprovalPresentation",
        "ApprovalRequest",
        "ApprovalDecision",
        "ApprovalMemory",
        "ApprovalAware",
        "ApprovalController",
        "ApprovalToolset",
        "requires_approval",
    ],
)
def test_module_reference(name: str) -> None:
    assert callable(getattr(signoff, name))
