"""`ApprovalToolset` around the `FileSandbox` and the `ShellTool`, with a reviewer on a real queue."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from toolset_agents import (
    StartReviewer,
    call,
    run,
    script,
    told,
)

from answering import waiting, yes
from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, ReviewQueue, StoredRequest
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool


@pytest.fixture
def controller(asking: AgentQueue) -> ApprovalController:
    return ApprovalController(queue=asking)


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
    assert text.startswith("Not run: ")


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
