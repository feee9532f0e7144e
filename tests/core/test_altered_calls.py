"""A reviewer approves a part of a call, or other arguments: exactly that runs, and the agent is told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answering import Answer, Reviewer, yes
from signoff.approved_call import HONORS
from signoff.canonical import canonical
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.effects import Command
from signoff.execution import execute_tool
from signoff.policy.argument_rules import ArgumentRule, Condition, ToolArguments
from signoff.policy.tool_rules import CallPolicy
from signoff.policy.verdict import Level
from signoff.present.diff.engine import diff_lines, split_lines
from signoff.present.diff.refine import HunkChoice, applied, hunks_of
from signoff.queue import AgentQueue, Decision, Instead, Outcome, RequestState, ReviewQueue, StoredRequest
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import CommandResult, ShellTool
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalDeniedError, ApprovalRequest

StartReviewer = Callable[[Answer], Reviewer]

BEFORE = "".join(f"line {n}\r\n" for n in range(30)) + "the end"
AFTER = BEFORE.replace("line 3\r\n", "LINE 3\r\n").replace("the end", "the END")


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    (workdir / "a.txt").write_bytes(BEFORE.encode())
    return FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))


def first_hunk_only(request: StoredRequest) -> Decision:
    """What a screen sends when the second of two hunks is unticked."""
    assert request.submission.snapshot is not None
    (step,) = request.submission.snapshot["steps"]
    old, new = split_lines(BEFORE), split_lines(AFTER)
    choice = HunkChoice(hunks_of(diff_lines(old, new).opcodes), frozenset({1}))
    contents = {step["path"]: applied(old, new, choice).encode()}
    refused = (f"a.txt {choice.hunks[1].lines}",)
    return Decision(approved=True, instead=Instead.of_contents(contents, refused=refused, summary=choice.summary))


WRITES: list[tuple[str, dict[str, str]]] = [
    ("write_file", {"path": "a.txt", "content": AFTER}),
    ("edit_file", {"path": "a.txt", "old": BEFORE[20:], "new": AFTER[20:]}),
]


@pytest.mark.parametrize(("tool", "args"), WRITES)
async def test_exactly_the_approved_hunk_is_on_the_disk_and_the_agent_is_told(
    sandbox: FileSandbox,
    asking: AgentQueue,
    reviewed: StartReviewer,
    workdir: Path,
    tool: str,
    args: dict[str, str],
) -> None:
    reviewed(first_hunk_only)
    told = await execute_tool(getattr(sandbox, tool), tool, args, ApprovalController(queue=asking))
    assert (workdir / "a.txt").read_bytes() == BEFORE.replace("line 3\r\n", "LINE 3\r\n").encode()
    assert "1 of 2 hunks" in told
    assert "refused: a.txt line 31" in told


async def test_who_runs_the_call_must_be_able_to_honor_it(
    sandbox: FileSandbox, asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    """A tool that can, in an adapter that says nothing: the reviewer is not offered it, and the queue refuses."""
    reviewer = reviewed(lambda request: None)
    controller = ApprovalController(queue=asking)
    request = sandbox.check_approval(ApprovalContext(tool_name="write_file", args=WRITES[0][1]))
    assert request is not None
    waiting = asyncio.ensure_future(controller.request_approval(request))
    (posted,) = await asyncio.to_thread(reviewer.wait_for, 1)
    assert not {"partial", "edit"} & posted.submission.supports
    waiting.cancel()


@requires_approval(editable=True)
def deploy(target: str, force: bool = False) -> str:
    return f"deployed to {target}, force={force}"


def edited(**arguments: Any) -> Answer:
    return lambda _: Decision(approved=True, instead=Instead(arguments=arguments, summary="other arguments"))


async def test_a_call_runs_with_the_arguments_that_were_approved(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(edited(target="staging"))
    controller = ApprovalController(queue=asking)
    told = await execute_tool(deploy, "deploy", {"target": "production", "force": True}, controller)
    assert told.startswith("deployed to staging, force=False")
    assert told.endswith('The reviewer changed the arguments: it ran with {"target":"staging"}')


async def test_arguments_that_the_tool_does_not_take_do_not_run(
    asking: AgentQueue, reviewed: StartReviewer, looking: ReviewQueue
) -> None:
    reviewed(edited(goal="staging"))
    controller = ApprovalController(queue=asking)
    with pytest.raises(
        ApprovalDeniedError, match="reviewer changed the arguments, and so it cannot run"
    ) as denied:
        await execute_tool(deploy, "deploy", {"target": "production"}, controller)
    assert not denied.value.decision.hard
    assert [record.state for record in looking.history()] == [RequestState.SUPERSEDED, RequestState.APPROVED]


async def test_a_block_outranks_the_reviewers_edit(asking: AgentQueue, reviewed: StartReviewer) -> None:
    reviewed(edited(target="production"))
    rule = ArgumentRule((Condition.equal_to("target", ["production"]),), Level.BLOCK, "never there")
    policy = CallPolicy(arguments=(ToolArguments("deploy", (rule,)),))
    with pytest.raises(ApprovalDeniedError, match="blocked"):
        await execute_tool(
            deploy, "deploy", {"target": "staging"}, ApprovalController(queue=asking), policy=policy
        )


async def test_a_tool_that_is_not_editable_is_not_run_with_other_arguments(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    @requires_approval
    def strict(target: str) -> str:
        return target

    answers = iter([Instead(arguments={"target": "staging"}), None])
    reviewer = reviewed(lambda _: Decision(approved=True, instead=next(answers)))
    running = asyncio.ensure_future(
        execute_tool(strict, "strict", {"target": "production"}, ApprovalController(queue=asking))
    )
    await asyncio.to_thread(reviewer.wait_for, 1)
    assert not running.done()
    running.cancel()


# -- command lines -----------------------------------------------------------------------------------------

RULES = {"rules": [{"pattern": "rm", "action": "deny"}, {"pattern": "touch free", "action": "allow"}]}
ASKED = "touch asked"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def ran(shell: ShellTool, asking: AgentQueue) -> CommandResult:
    result = await execute_tool(
        shell.run_command, "run_command", {"command": ASKED}, ApprovalController(queue=asking)
    )
    assert isinstance(result, CommandResult)
    return result


@pytest.mark.parametrize("command", ["echo edited; touch edited", "touch free && touch edited"])
async def test_a_shell_runs_the_edited_command_and_nothing_else(
    asking: AgentQueue, reviewed: StartReviewer, workdir: Path, command: str
) -> None:
    reviewed(edited(command=command))
    result = await ran(ShellTool(workdir, config=RULES), asking)
    assert set(names(workdir)) == set(re.findall(r"touch (\w+)", command))
    assert result.exit_code == 0
    told = canonical({"command": command})
    assert result.output.endswith(f"[The reviewer changed the arguments: it ran with {told}]")


async def test_an_edited_command_that_the_rules_would_let_run_is_still_the_approved_one(
    asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewed(edited(command="touch free"))
    assert (await ran(ShellTool(workdir, config=RULES), asking)).exit_code == 0
    assert names(workdir) == ["free"]


async def test_an_edited_command_that_the_rules_block_does_not_run(
    asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    (workdir / "kept").touch()
    reviewed(edited(command="rm kept"))
    with pytest.raises(ApprovalDeniedError, match="and so it cannot run"):
        await ran(ShellTool(workdir, config=RULES), asking)
    assert names(workdir) == ["kept"]


async def test_a_command_that_is_made_of_its_arguments_is_not_offered_for_editing(
    asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    """What another argument would make of it cannot be shown."""
    reviewer = reviewed(lambda _: None)
    request = ApprovalRequest(
        tool_name="check",
        description="Check",
        payload={"name": "core"},
        effects=(Command("pytest core", str(workdir)),),
        honors=HONORS,
    )
    controller = ApprovalController(queue=asking)
    waiting = asyncio.ensure_future(
        controller.request_approval(request, CALL.model_copy(update={"check_edited": lambda _: None}))
    )
    (posted,) = await asyncio.to_thread(reviewer.wait_for, 1)
    assert not {"partial", "edit"} & posted.submission.supports
    waiting.cancel()


async def test_a_call_that_would_do_something_else_than_the_edited_command_does_not_run(
    asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    """A tool whose effects follow from the command in its own way."""

    class Twice:
        def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest:
            command = ctx.args["command"]
            run = command if command == ASKED else f"{command}; {ASKED}"
            return ApprovalRequest(
                tool_name=ctx.tool_name,
                description=run,
                payload=ctx.args,
                effects=(Command(run, str(workdir)),),
                honors=HONORS,
            )

        def twice(self, command: str) -> str:
            raise AssertionError("ran")

    reviewed(edited(command="ls"))
    with pytest.raises(ApprovalDeniedError, match="what nobody was shown"):
        await execute_tool(Twice().twice, "twice", {"command": ASKED}, ApprovalController(queue=asking))


# -- whoever asks the controller itself --------------------------------------------------------------------

Ask = Callable[[ApprovalController, ApprovalContext | None], Awaitable[ApprovalDecision]]

TO_PRODUCTION = {"target": "production"}
CALL = ApprovalContext(tool_name="deploy", args=TO_PRODUCTION, honors=HONORS)
DEPLOY = ApprovalRequest(tool_name="deploy", description="Deploy", payload=TO_PRODUCTION, honors=HONORS)


def ask_async(controller: ApprovalController, context: ApprovalContext | None) -> Awaitable[ApprovalDecision]:
    return controller.request_approval(DEPLOY, context)


def ask_sync(controller: ApprovalController, context: ApprovalContext | None) -> Awaitable[ApprovalDecision]:
    return asyncio.to_thread(controller.request_approval_sync, DEPLOY, context)


@pytest.mark.parametrize("ask", [ask_async, ask_sync])
@pytest.mark.parametrize("kind", [PermissionError, ValueError, TypeError])
async def test_arguments_that_are_refused_when_they_are_looked_at_do_not_run(
    asking: AgentQueue, reviewed: StartReviewer, ask: Ask, kind: type[Exception]
) -> None:
    def refuse(_: object) -> None:
        raise kind("there is no such place")

    reviewed(edited(target="nowhere"))
    decision = await ask(ApprovalController(queue=asking), CALL.model_copy(update={"check_edited": refuse}))
    told = "approved, not run: the reviewer changed the arguments, and so it cannot run: there is no such place"
    assert (decision.approved, decision.hard, decision.note) == (False, False, told)


@pytest.mark.parametrize("ask", [ask_async, ask_sync])
async def test_exactly_the_arguments_that_were_approved_are_looked_at(
    asking: AgentQueue, reviewed: StartReviewer, ask: Ask
) -> None:
    looked_at: list[object] = []
    reviewed(edited(target="staging"))
    context = CALL.model_copy(update={"check_edited": looked_at.append})
    decision = await ask(ApprovalController(queue=asking), context)
    assert decision.instead is not None
    assert looked_at == [decision.instead.arguments] == [{"target": "staging"}]


@pytest.mark.parametrize("context", [None, CALL], ids=["no context", "nobody looks at arguments"])
async def test_changed_arguments_that_nobody_can_look_at_do_not_run(
    asking: AgentQueue, reviewed: StartReviewer, monkeypatch: pytest.MonkeyPatch, context: ApprovalContext | None
) -> None:
    """The queue refuses such an answer; should one come through all the same, it is not run."""
    wait = asking.wait

    def altered(request_id: str) -> Outcome:
        outcome = wait(request_id)
        assert outcome.decision is not None
        return replace(outcome, decision=replace(outcome.decision, instead=Instead(arguments={"target": "x"})))

    reviewed(yes)
    monkeypatch.setattr(asking, "wait", altered)
    decision = await ask_sync(ApprovalController(queue=asking), context)
    told = "approved, not run: its arguments were changed, and nobody here can run it so"
    assert (decision.approved, decision.note) == (False, told)
