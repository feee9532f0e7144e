"""Document 001, "Tool Approval Architecture": each code block and each row of its tables, by heading."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic_ai import RunContext

from asked import Asked
from documented_blocks import BLOCKS
from one_call import agent_calling, results
from sandbox_bench import require_backend
from signoff import (
    ApprovalAware,
    ApprovalContext,
    ApprovalController,
    ApprovalDecision,
    ApprovalPresentation,
    ApprovalRequest,
    ApprovalScope,
    execute_tool,
    requires_approval,
    simple_approval_request,
    truncate_for_display,
)
from signoff.config import AgentConfig, build, parse_config
from signoff.confine.profile import OSProfile, PathAccess
from signoff.queue import AgentQueue, Decision
from signoff.tools.file_sandbox import FileSandbox, SandboxConfig
from signoff.tools.os_profile import OSProfileConfig, derive_os_sandbox_profile
from signoff.tools.shell import ShellTool
from signoff.tools.shell_rules import ShellConfig, ShellDefault

MODES = ("interactive", "approve_all", "strict")


def ctx(tool_name: str, /, metadata: dict[str, Any] | None = None, **args: Any) -> ApprovalContext:
    return ApprovalContext(tool_name=tool_name, args=args, metadata=metadata or {})


def request_for(**payload: Any) -> ApprovalRequest:
    return ApprovalRequest(tool_name="deploy", description="Deploy", payload=payload)


# -- Tool Approval Interface -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "diff", "file_content", "command", "structured"])
def test_tool_approval_interface__presentation(kind: Any) -> None:
    presentation = ApprovalPresentation(type=kind, content="x", language="python", metadata={"full_content": "xx"})
    assert (presentation.type, presentation.metadata) == (kind, {"full_content": "xx"})
    assert ApprovalPresentation(type=kind, content="x").language is None


def test_tool_approval_interface__context() -> None:
    context = ApprovalContext(tool_name="t", args={"a": 1}, metadata={"run_id": "r"})
    assert (context.tool_name, context.args, context.metadata) == ("t", {"a": 1}, {"run_id": "r"})
    assert ApprovalContext(tool_name="t", args={}).metadata == {}


def test_tool_approval_interface__request() -> None:
    presentation = ApprovalPresentation(type="text", content="x")
    request = ApprovalRequest(
        tool_name="t", description="d", payload={"a": 1}, presentation=presentation, group_id="g"
    )
    assert (request.presentation, request.group_id) == (presentation, "g")
    assert request_for().group_id is None


def test_tool_approval_interface__approval_aware_is_synchronous() -> None:
    class Tool:
        def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
            return None

    assert isinstance(Tool(), ApprovalAware)
    assert not asyncio.iscoroutinefunction(Tool().check_approval)


def test_factory_function_for_simple_cases() -> None:
    request = simple_approval_request("send", {"to": "anna", "body": "x"}, exclude_keys={"body"})
    assert request.payload == {"to": "anna"}
    assert request.description.startswith("send(to='anna'")
    assert simple_approval_request("send", {}, description="Send it").description == "Send it"


async def test_phase_1_simple_display__tool_and_arguments_are_shown(reviewed: Any, asking: AgentQueue) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True))
    args = {"path": "notes/log.txt", "content": "Meeting notes..."}
    await ApprovalController(queue=asking).request_approval(simple_approval_request("write_file", args))
    (shown,) = reviewer.wait_for(1)
    assert (shown.submission.tool_name, shown.submission.arguments) == ("write_file", args)


@pytest.mark.parametrize(
    ("request_of", "kind"),
    [
        ("text", "text"),
        ("edit", "diff"),
        ("new file", "file_content"),
        ("command", "command"),
        ("structured", "structured"),
    ],
)
def test_phase_2_rich_presentation(request_of: str, kind: str, tmp_path: Path) -> None:
    from signoff.present.document.build import documents_for
    from signoff.submission import plain_submission, submission_with_snapshot

    (tmp_path / "report.md").write_text("# Weekly Report\n## Summary\n")
    sandbox = FileSandbox({"notes": {"root": ".", "mode": "rw"}}, cwd=str(tmp_path))
    requests = {
        "text": request_for().model_copy(
            update={"presentation": ApprovalPresentation(type="text", content="A message")}
        ),
        "edit": sandbox.check_approval(ctx("write_file", path="report.md", content="# Weekly Report\n")),
        "new file": sandbox.check_approval(ctx("write_file", path="new.py", content="x = 1\n")),
        "command": ShellTool(tmp_path).check_approval(ctx("shell", command="ls")),
        "structured": request_for(to="staging"),
    }
    request = requests[request_of]
    assert request is not None
    plain = plain_submission(request, None, cwd=str(tmp_path))
    bound, snapshot = submission_with_snapshot(request, plain)
    documents = documents_for(snapshot, bound.presentation, bound.arguments, bound.cwd)
    assert kind in [document.kind for document in documents]


# -- Separation of Concerns --------------------------------------------------------------------------------


class Tool:
    """A tool function with an answer of its own."""

    def __init__(self, answer: Any) -> None:
        self.ran = 0
        self._answer = answer

    def check_approval(self, ctx: ApprovalContext) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def __call__(self) -> str:
        self.ran += 1
        return "done"


@pytest.mark.parametrize("mode", MODES)
async def test_separation_of_concerns__none_executes(mode: Any) -> None:
    tool, callback = Tool(None), Asked()
    assert await execute_tool(tool, "deploy", {}, ApprovalController(mode, callback)) == "done"
    assert callback.times == 0


@pytest.mark.parametrize(
    ("mode", "asked", "ran"), [("interactive", 1, 1), ("approve_all", 0, 1), ("strict", 0, 0)]
)
async def test_separation_of_concerns__approval_request(mode: Any, asked: int, ran: int) -> None:
    tool, callback = Tool(request_for()), Asked()
    running = execute_tool(tool, "deploy", {}, ApprovalController(mode, callback))
    if mode == "strict":
        with pytest.raises(PermissionError, match="Strict mode: approval required"):
            await running
    else:
        await running
    assert (callback.times, tool.ran) == (asked, ran)


@pytest.mark.parametrize("mode", MODES)
async def test_separation_of_concerns__permission_error_blocks(mode: Any) -> None:
    tool, callback = Tool(PermissionError("never")), Asked()
    with pytest.raises(PermissionError, match="never"):
        await execute_tool(tool, "deploy", {}, ApprovalController(mode, callback))
    assert (callback.times, tool.ran) == (0, 0)


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_runtime_flow(asynchronous: bool) -> None:
    if asynchronous:

        @requires_approval
        async def tool_func(x: int) -> int:
            return x + 1
    else:

        @requires_approval
        def tool_func(x: int) -> int:
            return x + 1

    callback = Asked()
    controller = ApprovalController(approval_callback=callback)
    metadata = {"run_id": "r", "session_id": "s"}
    assert await execute_tool(tool_func, "add", {"x": 1}, controller, metadata) == 2
    assert callback.times == 1
    refusing = ApprovalController(approval_callback=Asked(approved=False, note="no"))
    with pytest.raises(PermissionError, match="Approval denied: no"):
        await execute_tool(tool_func, "add", {"x": 1}, refusing, metadata)


# -- Example: Filesystem Sandbox ---------------------------------------------------------------------------


@pytest.fixture
def sandbox(tmp_path: Path) -> FileSandbox:
    for name in ("notes", "cache"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes" / "a.txt").write_text("x")
    found = build(parse_config(BLOCKS["sandbox_in_one_place"], "agent.yaml"), tmp_path).sandbox
    assert found is not None
    return found


def test_filesystem_sandbox__configuration(sandbox: FileSandbox) -> None:
    assert sandbox.check_approval(ctx("write_file", path="notes/b.txt", content="x")) is not None
    assert sandbox.check_approval(ctx("read_file", path="notes/a.txt")) is None
    assert sandbox.check_approval(ctx("write_file", path="cache/b", content="x")) is None
    with pytest.raises(PermissionError, match="end in"):
        sandbox.check_approval(ctx("write_file", path="notes/b.py", content="x"))


def test_filesystem_sandbox__check_approval(sandbox: FileSandbox) -> None:
    request = sandbox.check_approval(ctx("write_file", path="notes/b.txt", content="x"))
    assert request is not None
    assert request.description == "Write notes:b.txt"
    assert request.payload == {"sandbox": "notes", "path": "b.txt"}
    assert request.presentation is None, "made later, and only if a person is asked"
    with pytest.raises(PermissionError, match="not in any sandbox"):
        sandbox.check_approval(ctx("write_file", path="/etc/passwd", content="x"))


# -- Example: Shell Tool -----------------------------------------------------------------------------------

OUTPUT = "sandbox:\n  paths:\n    output: {root: ./output, mode: rw}\n"


@pytest.fixture
def shell(tmp_path: Path) -> ShellTool:
    (tmp_path / "output").mkdir()
    found = build(parse_config(OUTPUT + BLOCKS["shell_block"], "agent.yaml"), tmp_path).shell
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("git status", "runs"),
        ("git add a.txt", "asks: Stage files for commit"),
        ("git commit", "asks: Create a commit"),
        ("rm -rf build", "blocked"),
        ("pytest output", "asks"),
        ("pytest ../elsewhere", "asks"),
        ("make", "asks"),
    ],
)
def test_shell_tool__configuration(command: str, answer: str, shell: ShellTool) -> None:
    if answer == "blocked":
        with pytest.raises(PermissionError):
            shell.check_approval(ctx("shell", command=command))
        return
    request = shell.check_approval(ctx("shell", command=command))
    assert (request is not None) == answer.startswith("asks")
    if request is not None:
        assert answer.removeprefix("asks").removeprefix(": ") in request.description


def test_shell_tool__check_approval(shell: ShellTool) -> None:
    request = shell.check_approval(ctx("shell", command="git commit -m done"))
    assert request is not None
    assert request.tool_name == "shell"
    assert request.payload["command"] == "git commit -m done"


# -- Example: Custom Tool ----------------------------------------------------------------------------------


def test_custom_tool__decorator_with_empty_parentheses() -> None:
    @requires_approval()
    def send_email(to: str, subject: str, body: str) -> str:
        """Send an email."""
        return f"Email sent to {to}"

    args = {"to": "anna", "subject": "Hi", "body": "x"}
    request = send_email.check_approval(ctx("send_email", **args))  # type: ignore[attr-defined]
    assert (request.tool_name, request.payload) == ("send_email", args)
    assert send_email(**args) == "Email sent to anna"


def test_custom_tool__description_and_excluded_keys() -> None:
    @requires_approval(
        description=lambda args: f"Send email to {args['to']}: {args['subject']}",
        exclude_keys={"body"},  # Omit body from payload to avoid logging sensitive content
    )
    def send_email(to: str, subject: str, body: str) -> str:
        """Send an email."""
        return f"Email sent to {to}"

    args = {"to": "anna", "subject": "Hi", "body": "x"}
    request = send_email.check_approval(ctx("send_email", **args))  # type: ignore[attr-defined]
    assert request.description == "Send email to anna: Hi"
    assert request.payload == {"to": "anna", "subject": "Hi"}


@pytest.mark.parametrize(
    ("options", "description", "payload"),
    [
        ({}, "delete_file(path='a', force=True)", {"path": "a", "force": True}),
        (
            {"description": lambda args: f"Delete {args['path']}", "exclude_keys": {"force"}},
            "Delete a",
            {"path": "a"},
        ),
        ({"description": "Delete"}, "Delete", {"path": "a", "force": True}),
        (
            {"payload": lambda args: {"dir": args["path"]}, "exclude_keys": {"path"}},
            None,
            {"dir": "a"},
        ),
    ],
    ids=["generated", "callable", "text", "payload"],
)
def test_decorator_implementation(options: dict[str, Any], description: str | None, payload: Any) -> None:
    @requires_approval(**options)
    def delete_file(path: str, force: bool = False) -> str:
        return path

    request = delete_file.check_approval(ctx("delete_file", path="a", force=True))  # type: ignore[attr-defined]
    assert request.payload == payload
    assert description is None or request.description == description


# -- OS Sandbox Integration --------------------------------------------------------------------------------


def _derived(tmp_path: Path, *, network: bool = False, explicit: OSProfile | None = None) -> OSProfile:
    for name in ("data", "docs"):
        (tmp_path / name).mkdir(exist_ok=True)
    paths = {"data": {"root": "data", "mode": "rw"}, "docs": {"root": "docs", "mode": "ro"}}
    return derive_os_sandbox_profile(
        SandboxConfig.model_validate({"paths": paths}), ShellConfig(network=network), explicit, cwd=tmp_path
    )


def test_os_sandbox__what_the_file_sandbox_allows_as_writable_is_writable_and_nothing_else(tmp_path: Path) -> None:
    profile = _derived(tmp_path)
    assert profile.paths.at(f"{tmp_path}/data/a") is PathAccess.WRITE
    assert profile.paths.at(f"{tmp_path}/docs/a") is PathAccess.READ
    assert profile.paths.at(f"{tmp_path}/other") is PathAccess.NONE


@pytest.mark.parametrize("network", [False, True])
def test_os_sandbox__the_network_is_what_the_shell_says(tmp_path: Path, network: bool) -> None:
    assert _derived(tmp_path, network=network).network is network


def test_os_sandbox__an_explicit_profile_can_be_more_restrictive_and_never_less(tmp_path: Path) -> None:
    limits = OSProfileConfig(read=("docs",), write=("docs", "elsewhere"), network=True)
    profile = _derived(tmp_path, explicit=limits.profile(str(tmp_path)))
    assert profile.paths.at(f"{tmp_path}/docs/a") is PathAccess.READ
    assert profile.paths.at(f"{tmp_path}/data/a") is PathAccess.NONE
    assert profile.paths.at(f"{tmp_path}/elsewhere") is PathAccess.NONE
    assert not profile.network
    assert profile <= _derived(tmp_path)


def _block(tmp_path: Path, **other: str) -> AgentConfig:
    """The document's block; with a way to confine that this system does not have, if asked for."""
    (tmp_path / "data").mkdir(exist_ok=True)
    text = BLOCKS["os_sandbox"]
    for old, new in other.items():
        assert old in text
        text = text.replace(old, new)
    return parse_config(text, "agent.yaml")


NOT_HERE = "require_os_sandbox: true\n  os_sandbox_backends: [seatbelt]"


def test_require_os_sandbox__where_one_can_be_had_everything_proceeds_normally(tmp_path: Path) -> None:
    require_backend()
    config = _block(tmp_path).model_copy(update={"shell": ShellConfig(default=ShellDefault(approval=False))})
    setup = build(config, tmp_path)
    assert setup.shell is not None
    assert setup.shell.run_command("echo hello").output == "hello\n"


def test_require_os_sandbox__it_catches_what_leaves_the_directories(tmp_path: Path) -> None:
    require_backend()
    (tmp_path / "secret").write_text("secret")
    config = _block(tmp_path).model_copy(update={"shell": ShellConfig(default=ShellDefault(approval=False))})
    setup = build(config, tmp_path)
    assert setup.shell is not None
    assert "No such file" in setup.shell.run_command("cat data/../secret").output


@pytest.mark.skipif(sys.platform == "darwin", reason="there it can be had")
def test_require_os_sandbox__fail_fast_is_the_default_and_refuses_to_start_without_one(tmp_path: Path) -> None:
    config = _block(
        tmp_path, **{"require_os_sandbox: true": NOT_HERE, "  os_sandbox_fallback: refuse_tools": "  #"}
    )
    with pytest.raises(ValueError, match="require_os_sandbox is set, and commands cannot be confined here"):
        build(config, tmp_path)


@pytest.mark.skipif(sys.platform == "darwin", reason="there it can be had")
def test_require_os_sandbox__refuse_tools_blocks_every_call(tmp_path: Path) -> None:
    sandbox = build(_block(tmp_path, **{"require_os_sandbox: true": NOT_HERE}), tmp_path).sandbox
    assert sandbox is not None
    with pytest.raises(PermissionError):
        sandbox.check_approval(ctx("read_file", path="data/a"))


# -- Framework Integration ---------------------------------------------------------------------------------


async def approval_tool_wrapper(
    tool_func: Callable[..., Any],
    ctx: Any,
    tool_name: str,
    args: dict[str, Any],
    approval_controller: ApprovalController,
) -> Any:
    """The document's own wrapper of a PydanticAI tool."""
    if hasattr(tool_func, "check_approval"):
        approval_ctx = ApprovalContext(
            tool_name=tool_name,
            args=args,
            metadata={
                "run_id": getattr(ctx, "run_id", None),
                "session_id": getattr(ctx.deps, "session_id", None),
                "caller": getattr(ctx.deps, "worker_name", None),
            },
        )
        request = tool_func.check_approval(approval_ctx)

        if request is not None:
            decision = await approval_controller.request_approval(request)
            if not decision.approved:
                raise PermissionError(f"Approval denied: {decision.note}")

    if asyncio.iscoroutinefunction(tool_func):
        return await tool_func(**args)
    return tool_func(**args)


@pytest.mark.parametrize("approved", [True, False])
async def test_example_pydantic_ai_integration(approved: bool) -> None:
    @requires_approval
    def deploy(to: str) -> str:
        return f"deployed to {to}"

    controller = ApprovalController(approval_callback=Asked(approved=approved, note="not today"))
    agent = agent_calling("deploy_tool", {"to": "staging"})

    @agent.tool
    async def deploy_tool(ctx: RunContext[None], to: str) -> str:
        return str(await approval_tool_wrapper(deploy, ctx, "deploy", {"to": to}, controller))

    if approved:
        assert results((await agent.run("go")).all_messages()) == ["deployed to staging"]
    else:
        with pytest.raises(PermissionError, match="Approval denied: not today"):
            await agent.run("go")


@pytest.mark.parametrize("approved", [True, False])
async def test_example_langchain_integration(approved: bool) -> None:
    from langchain_core.tools import BaseTool

    from signoff.adapters.langchain import ApprovalToolWrapper

    class Deploy(BaseTool):
        name: str = "deploy"
        description: str = "Deploy somewhere."
        runs: ClassVar[list[str]] = []

        def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
            return ApprovalRequest(tool_name=ctx.tool_name, description="Deploy", payload=ctx.args)

        def _run(self, to: str) -> str:
            return f"deployed to {to}"

    controller = ApprovalController(approval_callback=Asked(approved=approved, note="not today"))
    wrapper = ApprovalToolWrapper(Deploy(), controller)
    if approved:
        assert await wrapper.invoke({"to": "staging"}, None) == "deployed to staging"
    else:
        with pytest.raises(PermissionError, match="Approval denied: not today"):
            await wrapper.invoke({"to": "staging"}, None)


# -- Batch Approvals ---------------------------------------------------------------------------------------


async def test_batch_approvals(reviewed: Any, asking: AgentQueue, workdir: Path) -> None:
    sandbox = FileSandbox({"data": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    reviewer = reviewed(lambda _: Decision(approved=True))
    controller = ApprovalController(queue=asking)
    for name in ("a.txt", "b.txt"):
        request = sandbox.check_approval(ctx("write_file", {"batch_id": "save project"}, path=name, content="x"))
        assert request is not None
        await controller.request_approval(request)
    assert [shown.submission.group_id for shown in reviewer.wait_for(2)] == ["save project"] * 2


# -- Session Approval Matching -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "other"),
    [
        ({"path": "/data/report.txt"}, {"path": "/data/report2.txt"}),
        ({"sandbox": "data"}, {"sandbox": "data2"}),
        ({"command_pattern": "git status"}, {"command_pattern": "git status "}),
    ],
    ids=["fine-grained", "coarse-grained", "command pattern"],
)
def test_matching_rules__exact_match_and_granularity(payload: dict[str, Any], other: dict[str, Any]) -> None:
    controller = ApprovalController(approval_callback=Asked(remember="session"))
    controller.request_approval_sync(request_for(**payload))
    assert controller.is_session_approved(request_for(**payload))
    assert not controller.is_session_approved(request_for(**other))


@pytest.mark.parametrize(("keys", "asked"), [(("path", "content"), 2), (("path",), 1)], ids=["bad", "good"])
def test_matching_rules__exclude_volatile_data(keys: tuple[str, ...], asked: int) -> None:
    callback = Asked(remember="session")
    controller = ApprovalController(approval_callback=callback)
    for content in ("one", "two"):
        args = {"path": "a", "content": content}
        controller.request_approval_sync(request_for(**{key: args[key] for key in keys}))
    assert callback.times == asked


def test_matching_implementation__scope_and_decision() -> None:
    assert (ApprovalScope.ONCE.value, ApprovalScope.SESSION.value) == ("once", "session")
    decision = ApprovalDecision(approved=True, scope=ApprovalScope.SESSION, note="ok")  # type: ignore[call-arg]
    assert (decision.scope, decision.remember) == (ApprovalScope.SESSION, "session")
    assert ApprovalDecision(approved=True).scope is ApprovalScope.ONCE


async def test_matching_implementation__controller() -> None:
    class Prompting(ApprovalController):
        prompted = 0

        async def _prompt_user(self, request: ApprovalRequest) -> ApprovalDecision:
            self.prompted += 1
            return ApprovalDecision(approved=True, scope=ApprovalScope.SESSION)  # type: ignore[call-arg]

    controller = Prompting(mode="interactive")
    assert not controller.is_session_approved(request_for())
    first = await controller.request_approval(request_for())
    second = await controller.request_approval(request_for())
    assert (first.approved, second.approved, controller.prompted) == (True, True, 1)
    assert second.scope is ApprovalScope.SESSION
    other = ApprovalController()
    other.add_session_approval(request_for())
    assert other.is_session_approved(request_for())


class Enriching(ApprovalController):
    """The document's hook: a presentation that is made only when somebody is asked."""

    enriched = 0

    async def _enrich_presentation(self, request: ApprovalRequest) -> ApprovalRequest:
        if request.presentation is not None:
            return await super()._enrich_presentation(request)
        self.enriched += 1
        shown = ApprovalPresentation(type="text", content=f"look {self.enriched}")
        return request.model_copy(update={"presentation": shown})


@pytest.mark.parametrize("synchronous", [False, True])
async def test_matching_implementation__enriched_only_for_whom_is_asked(synchronous: bool) -> None:
    callback = Asked(remember="session")
    controller = Enriching(approval_callback=callback)
    for _ in range(2):
        if synchronous:
            await asyncio.to_thread(controller.request_approval_sync, request_for())
        else:
            await controller.request_approval(request_for())
    assert [shown.presentation.content for shown in callback.requests if shown.presentation] == ["look 1"]
    assert controller.is_session_approved(request_for()), "what is remembered is the tool's own request"
    assert (await Enriching("strict").request_approval(request_for())).note == "Strict mode: approval required"


async def test_matching_implementation__the_enriched_request_is_what_the_queue_shows(
    reviewed: Any, asking: AgentQueue, workdir: Path
) -> None:
    from signoff.effects import FileEdit

    (workdir / "a.txt").write_text("one")
    effects = (FileEdit(str(workdir / "a.txt"), "one", "two"),)

    def decide(request: Any) -> Decision:
        if request.revision == 1:  # somebody else writes while a person reads: asked again, and enriched again
            (workdir / "a.txt").write_text("one more")
        return Decision(approved=True)

    reviewer = reviewed(decide)
    decision = await Enriching(queue=asking).request_approval(
        request_for().model_copy(update={"effects": effects})
    )
    shown = [each.submission.presentation["content"] for each in reviewer.wait_for(2)]
    assert (decision.approved, shown) == (True, ["look 1", "look 2"])


@pytest.mark.parametrize("answer", [None, {"payload": {"to": "production"}}, {"tool_name": "other"}])
async def test_matching_implementation__the_hook_changes_nothing_but_the_presentation(answer: Any) -> None:
    class Changing(ApprovalController):
        def _enrich_presentation(self, request: ApprovalRequest) -> Any:  # a plain method will do
            return answer and request.model_copy(update=answer)

    callback = Asked()
    controller = Changing(approval_callback=callback)
    with pytest.raises(TypeError, match="_enrich_presentation"):
        await controller.request_approval(request_for(to="staging"))
    assert callback.times == 0


@pytest.mark.parametrize(
    ("args", "exclude"),
    [
        ({"path": "a", "content": "x"}, {"content"}),
        ({"command": "ls", "output": "x"}, {"output"}),
        ({"endpoint": "/v1", "method": "POST", "body": "x", "response": "y"}, {"body", "response"}),
        ({"query": "SELECT ?", "parameters": [1]}, {"parameters"}),
    ],
    ids=["file operations", "shell commands", "api calls", "database queries"],
)
def test_guidelines_for_tool_authors(args: dict[str, Any], exclude: set[str]) -> None:
    request = simple_approval_request("tool", args, exclude_keys=exclude)
    assert set(request.payload) == set(args) - exclude
    assert request.arguments == args


# -- Rich Presentation -------------------------------------------------------------------------------------


def test_content_conventions__terminal_safe() -> None:
    from signoff.present.document.build import documents_for
    from signoff.present.snapshot.snapshot import take

    presentation = {"type": "text", "content": "red \x1b[31malert\x1b[0m", "metadata": {}}
    (first, *_) = documents_for(take(()), presentation, {}, "/")
    assert "\x1b" not in "".join(row.text.text for row in first)


def test_content_conventions__binary_files_show_type_and_size(tmp_path: Path) -> None:
    from signoff.effects import FileWrite
    from signoff.present.document.build import documents_for
    from signoff.present.snapshot.snapshot import take

    png = b"\x89PNG\r\n\x1a\n" + bytes(2_347)
    snapshot = take([FileWrite(str(tmp_path / "a.png"), png)])
    (document, *_) = documents_for(snapshot, None, {}, str(tmp_path))
    text = "\n".join(row.text.text for row in document)
    assert "image/png, new, 2.3 KB" in text


def test_content_conventions__full_content_behind_a_shortened_one() -> None:
    from signoff.present.document.build import documents_for
    from signoff.present.snapshot.snapshot import take

    metadata = {"full_content": "all of it, to the end"}
    presentation = {"type": "text", "content": "all of it ...", "metadata": metadata}
    shown = documents_for(take(()), presentation, {}, "/")
    assert any("to the end" in row.text.text for document in shown for row in document)


@pytest.mark.parametrize(
    ("lines", "max_lines", "shown"),
    [
        (50, 50, "\n".join(map(str, range(50)))),
        (51, 50, "\n".join(map(str, range(50))) + "\n\n... [1 more lines]"),
        (3, 1, "0\n\n... [2 more lines]"),
    ],
)
def test_truncation_helper(lines: int, max_lines: int, shown: str) -> None:
    assert truncate_for_display("\n".join(map(str, range(lines))), max_lines) == shown


@pytest.mark.parametrize("kept", [True, False], ids=["full_content", "nothing more"])
def test_truncation_helper__what_it_leaves_out_is_shown_or_told(kept: bool) -> None:
    from signoff.present.document.build import documents_for
    from signoff.present.snapshot.snapshot import take

    content = "\n".join(map(str, range(60)))
    presentation = ApprovalPresentation(
        type="text",
        content=truncate_for_display(content),
        metadata={"full_content": content} if kept else {},
    )
    shown = documents_for(take(()), presentation.model_dump(), {}, "/")
    assert all(document.complete for document in shown) is kept
    told = [row.text.text for document in shown for row in document]
    assert ("59" in told) is kept
    assert ("TRUNCATED BY THE TOOL: 50 of 60 lines. The rest cannot be shown" in told) is not kept


# -- Design Decisions --------------------------------------------------------------------------------------


async def test_design_decisions__presentation_is_lazy(workdir: Path) -> None:
    """What is remembered is answered although the file that a diff would be made of cannot be read."""
    from signoff.effects import FileWrite

    request = request_for(path="x")
    controller = ApprovalController(approval_callback=Asked())
    controller.add_session_approval(request)
    assert (await controller.request_approval(request)).approved
    unread = request.model_copy(update={"effects": (FileWrite(str(workdir / "a"), "x"),)})
    strict = await ApprovalController("strict").request_approval(unread)
    assert strict.note == "Strict mode: approval required"


async def test_design_decisions__strict_respects_pre_approval() -> None:
    assert await execute_tool(Tool(None), "deploy", {}, ApprovalController("strict")) == "done"
