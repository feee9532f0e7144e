"""Running a plain tool function behind an approval."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import (
    ChangedSinceApprovedError,
    approved_instead,
    bound_to,
    require_approved,
)
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.effects import Command, Confinement, FileWrite
from signoff.execution import execute_tool
from signoff.present.snapshot.snapshot import take
from signoff.queue.amendment import Instead
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalDeniedError, ApprovalRequest

YES = ApprovalController("approve_all")


@requires_approval
def plain(number: int) -> int:
    return number + 1


@requires_approval
async def asynchronous(number: int) -> int:
    return number + 1


class WithCall:
    async def __call__(self, number: int) -> int:
        return number + 1


@pytest.mark.parametrize("tool", [plain, asynchronous, WithCall()])
async def test_any_kind_of_function_is_run(tool: Any) -> None:
    assert await execute_tool(tool, "tool", {"number": 1}, YES) == 2


async def test_a_function_without_a_mark_is_not_asked_about() -> None:
    assert await execute_tool(dict, "dict", {"a": 1}, ApprovalController("strict")) == {"a": 1}


async def test_the_tool_is_told_where_the_call_came_from() -> None:
    seen: list[ApprovalContext] = []

    def tool() -> None: ...

    tool.check_approval = seen.append  # type: ignore[attr-defined]
    await execute_tool(tool, "tool", {}, YES, {"run_id": "r-1"})
    assert seen == [ApprovalContext(tool_name="tool", args={}, metadata={"run_id": "r-1"})]


async def test_what_runs_is_not_changed_by_who_was_asked() -> None:
    ran: list[list[str]] = []

    @requires_approval
    def remove(files: list[str]) -> None:
        ran.append(files)

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        request.payload["files"].append("everything")
        return ApprovalDecision(approved=True)

    await execute_tool(remove, "remove", {"files": ["a"]}, ApprovalController(approval_callback=callback))
    assert ran == [["a"]]


async def test_what_runs_is_not_changed_by_who_asks() -> None:
    ran: list[list[str]] = []
    args = {"files": ["a"]}

    @requires_approval
    def remove(files: list[str]) -> None:
        ran.append(files)

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        args["files"].append("everything")
        return ApprovalDecision(approved=True)

    await execute_tool(remove, "remove", args, ApprovalController(approval_callback=callback))
    assert ran == [["a"]]


# -- methods of an object that decides -----------------------------------------------------------------------


class Door:
    """An object that decides about its own methods."""

    def __init__(self, answer: object = NotImplemented) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def check_approval(self, ctx: ApprovalContext) -> Any:
        self.asked.append(ctx.tool_name)
        return self.answer

    def open(self) -> str:
        return "opened"


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(**kwargs: Any) -> Any:
        return function(**kwargs)

    return wrapper


@pytest.mark.parametrize("handed_in", [lambda method: method, wrapped, functools.partial])
@pytest.mark.parametrize("name", ["run_command", "bash", "list_files"])
async def test_a_method_is_asked_about_by_its_object_whatever_the_tool_is_called(
    workdir: Path, handed_in: Callable[..., Any], name: str
) -> None:
    tool = handed_in(ShellTool(workdir).run_command)
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(tool, name, {"command": "touch ran"}, ApprovalController("strict"))


async def test_a_method_that_is_called_like_a_harmless_one_is_asked_about_all_the_same(workdir: Path) -> None:
    sandbox = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    args = {"path": "a.txt", "content": ""}
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(sandbox.write_file, "list_files", args, ApprovalController("strict"))


async def test_the_request_has_the_name_of_the_tool_and_shows_what_the_method_does(workdir: Path) -> None:
    asked: list[ApprovalRequest] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request)
        return ApprovalDecision(approved=True)

    shell = ShellTool(workdir)
    await execute_tool(
        shell.run_command, "bash", {"command": "true"}, ApprovalController(approval_callback=callback)
    )
    effect = Command("true", shell.cwd, confinement=Confinement("none", "", "not confined"))
    assert [(request.tool_name, request.effects) for request in asked] == [("bash", (effect,))]


async def test_a_method_that_its_object_needs_no_approval_for_runs() -> None:
    door = Door(None)
    assert await execute_tool(door.open, "open", {}, ApprovalController("strict")) == "opened"
    assert door.asked == ["open"]


async def test_a_method_that_its_object_has_no_opinion_on_is_asked_about() -> None:
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(Door().open, "open", {}, ApprovalController("strict"))


async def test_an_object_may_know_its_method_by_the_name_of_the_tool() -> None:
    door = Door(None)
    await execute_tool(door.open, "open_door", {}, ApprovalController("strict"))
    assert door.asked == ["open", "open_door"]


@pytest.mark.parametrize("answer", [True, False, {}])
async def test_an_answer_that_is_not_understood_runs_nothing(answer: object) -> None:
    with pytest.raises(TypeError, match="answered with"):
        await execute_tool(Door(answer).open, "open", {}, YES)


async def test_the_older_mark_without_a_method_is_asked_about() -> None:
    def tool() -> None: ...

    tool._requires_approval = True  # type: ignore[attr-defined]
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(tool, "tool", {}, ApprovalController("strict"))


async def test_a_file_that_is_changed_after_the_approval_is_not_written(workdir: Path) -> None:
    """Changed at the last moment: when the tool itself begins."""
    sandbox = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))

    @functools.wraps(sandbox.write_file)
    def write_late(**args: str) -> str:
        (workdir / "a.txt").write_text("theirs")
        return sandbox.write_file(**args)

    with pytest.raises(ChangedSinceApprovedError):
        await execute_tool(write_late, "write_file", {"path": "a.txt", "content": "new"}, YES)
    assert (workdir / "a.txt").read_text() == "theirs"


# -- the tie between approval and execution ----------------------------------------------------------------

LS = Command("ls", "/w")
APPROVED = ApprovalRequest(tool_name="run", description="Run", payload={"command": "ls"}, effects=(LS,))
READ = ApprovalRequest(tool_name="read", description="Read", payload={"path": "a"})


def test_outside_an_approved_call_nothing_is_checked() -> None:
    require_approved("run", {}, [Command("rm", "/w")])


def test_an_approved_effect_passes() -> None:
    with bound_to(APPROVED):
        require_approved("run", {"command": "ls"}, [LS])


@pytest.mark.parametrize("effect", [Command("rm", "/w"), Command("ls", "/"), Command("ls", "/w", {"A": "1"})])
def test_another_effect_is_refused(effect: Command) -> None:
    with bound_to(APPROVED), pytest.raises(PermissionError, match="not what was approved"):
        require_approved("run", {"command": "ls"}, [effect])


def test_an_approved_effect_does_not_carry_another_one_along() -> None:
    with bound_to(APPROVED), pytest.raises(PermissionError, match="not what was approved"):
        require_approved("run", {"command": "ls"}, [LS, Command("rm", "/w")])


def test_a_file_that_a_command_comes_with_has_no_directory_to_compare(workdir: Path) -> None:
    effects = (Command("ls", str(workdir)), FileWrite(str(workdir / "a.txt"), "new"))
    with bound_to(APPROVED.model_copy(update={"effects": effects}), take(effects)):
        require_approved("run", {"command": "ls"}, effects)


def test_what_a_reviewer_changed_binds_a_call_of_which_nothing_was_shown() -> None:
    other = Instead.of_contents({"/w/a.txt": b"other"})
    with bound_to(READ, None, other), pytest.raises(PermissionError, match="not the path that was shown"):
        approved_instead("/w/b.txt")


def test_a_call_without_effects_is_held_to_its_payload() -> None:
    with bound_to(READ):
        require_approved("read", {"path": "a"})
        with pytest.raises(PermissionError, match="not what was approved"):
            require_approved("read", {"path": "b"})


def test_a_request_under_another_name_is_held_to_its_payload_as_well() -> None:
    with bound_to(READ), pytest.raises(PermissionError, match="not what was approved"):
        require_approved("files_read", {"path": "b"})


def test_a_request_for_something_else_does_not_limit_a_call() -> None:
    with bound_to(READ):
        require_approved("fetch", {"url": "b"})


async def test_an_approved_call_is_bound_to_its_request() -> None:
    def tool() -> None:
        require_approved("run", {}, [Command("rm", "/w")])

    tool.check_approval = lambda ctx: APPROVED  # type: ignore[attr-defined]
    with pytest.raises(PermissionError, match="not what was approved"):
        await execute_tool(tool, "run", {}, YES)
    tool.check_approval = lambda ctx: None  # type: ignore[attr-defined]
    await execute_tool(tool, "run", {}, YES)


class Needy:
    """An object that says by name and arguments what needs approval."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.ran = False

    def needs_approval(self, tool_name: str, tool_args: dict[str, Any]) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def wipe(self, disk: str = "") -> None:
        self.ran = True


@pytest.mark.parametrize(("answer", "runs"), [(False, True), (True, False), ({"description": "Wipe"}, False)])
async def test_needs_approval_of_an_object_is_asked(answer: Any, runs: bool) -> None:
    needy = Needy(answer)
    if runs:
        await execute_tool(needy.wipe, "wipe", {}, ApprovalController("strict"))
    else:
        with pytest.raises(ApprovalDeniedError):
            await execute_tool(needy.wipe, "wipe", {}, ApprovalController("strict"))
    assert needy.ran is runs


async def test_a_block_by_needs_approval_holds_in_every_mode() -> None:
    needy = Needy(PermissionError("never"))
    with pytest.raises(PermissionError, match="never"):
        await execute_tool(needy.wipe, "wipe", {}, ApprovalController("approve_all"))
    assert not needy.ran


async def test_a_function_that_says_nothing_is_asked_about_where_the_default_says_so() -> None:
    def tool() -> None: ...

    await execute_tool(tool, "tool", {}, ApprovalController("strict"))
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(tool, "tool", {}, ApprovalController("strict"), default_approval="required")


async def test_what_a_hook_takes_out_of_the_arguments_is_shown_and_run_all_the_same() -> None:
    ran: list[str] = []

    class Mail:
        def check_approval(self, tool_name: str, args: dict[str, Any], memory: object) -> ApprovalRequest:
            args.pop("body")
            return ApprovalRequest(tool_name=tool_name, description="Mail", payload=args, arguments=args)

        def mail(self, to: str, body: str) -> None:
            ran.append(body)

    asked: list[ApprovalRequest] = []

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request)
        return ApprovalDecision(approved=True)

    args = {"to": "anna", "body": "secret"}
    await execute_tool(Mail().mail, "mail", args, ApprovalController(approval_callback=callback))
    assert (asked[0].arguments, ran) == (args, ["secret"])
