"""The demo's project and its agents."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answering import Answer, Reviewer, yes
from signoff.connection import connect_agent
from signoff.demo.agents import ROLES, SAVE_PROJECT, AgentReport, main, read_report, run_agent
from signoff.demo.project import create_project, saved_files, shop_files
from signoff.demo.run import AgentProcesses
from signoff.queue import Decision, Risk, StoredRequest, open_review_queue
from system_bench import eventually

StartReviewer = Callable[[Answer], Reviewer]


@pytest.fixture
def shop(workdir: Path) -> Path:
    """The project, as the agents find it."""
    create_project(workdir / "shop")
    return workdir / "shop"


def run(role: str, folder: Path) -> AgentReport:
    """Run an agent in this process."""
    with connect_agent(role, cwd=str(folder)) as queue:
        return run_agent(role, folder, queue)


def start(role: str, folder: Path) -> subprocess.Popen[str]:
    """Start an agent in a process of its own."""
    command = [sys.executable, "-m", "signoff.demo.agents", role, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def unless(refuse: Callable[[StoredRequest], bool], **refusal: Any) -> Answer:
    """Approve everything but this."""

    def answer(request: StoredRequest) -> Decision:
        return Decision(approved=False, **refusal) if refuse(request) else Decision(approved=True)

    return answer


def outcomes(report: AgentReport) -> list[str]:
    return [call.outcome for call in report.calls]


# -- the project -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("saved", [False, True], ids=["found", "saved"])
def test_the_project_works_before_and_after_it_was_saved(shop: Path, saved: bool) -> None:
    for path, content in saved_files().items() if saved else ():
        (shop / path).write_text(content)
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "discover", "-s", "tests"], cwd=shop, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_ten_files_are_saved_and_three_of_them_are_new() -> None:
    before, after = shop_files(), saved_files()
    assert len(after) == 10
    assert len(after.keys() - before.keys()) == 3
    assert all(before.get(path) != content for path, content in after.items())
    assert "pyproject.toml" in after


# -- the agents --------------------------------------------------------------------------------------------


def test_agents_in_processes_of_their_own_do_all_that_is_approved(shop: Path, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    agents = {role: start(role, shop) for role in ROLES}
    for role, agent in agents.items():
        stdout, stderr = agent.communicate(timeout=60)
        report = read_report(shop, role)
        assert (agent.returncode, stderr) == (0, "")
        assert report is not None
        assert set(outcomes(report)) == {"ran"}
        assert stdout == (shop / ".demo" / f"{role}.log").read_text()
    assert {request.asked_by.name for request in reviewer.seen} == set(ROLES)
    assert len({request.asked_by.session for request in reviewer.seen}) == 3
    assert {request.submission.cwd for request in reviewer.seen} == {str(shop)}


def test_an_interrupt_that_was_typed_into_a_pager_ends_no_agent(
    shop: Path, place: Path, tmp_path: Path, reviewed: StartReviewer
) -> None:
    with AgentProcesses(("release",), shop, place, tmp_path / "logs") as agents, open_review_queue(place) as queue:
        eventually(queue.pending, "a request")
        os.kill(queue.agents()[0].pid, signal.SIGINT)
        reviewed(yes)
        eventually(lambda: agents.ended, "the end of the agent")
        assert agents.exit_codes() == {"release": 0}


def test_saving_is_one_group_of_ten_requests(shop: Path, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    run("refactor", shop)
    groups = [(request.submission.group_id, request.submission.group_size) for request in reviewer.seen]
    assert groups == [(SAVE_PROJECT, 10)] * 10
    risks = {request.submission.description: request.submission.risk for request in reviewer.seen}
    assert risks.pop("Edit shop:pyproject.toml") is Risk.MEDIUM
    assert set(risks.values()) == {Risk.LOW}


def test_saving_writes_what_was_shown(shop: Path, reviewed: StartReviewer) -> None:
    reviewed(yes)
    run("refactor", shop)
    assert {path: (shop / path).read_text() for path in saved_files()} == saved_files()


def test_a_command_that_was_approved_for_the_session_is_not_asked_again(
    shop: Path, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda request: Decision(approved=True, remember=request.submission.risk is not Risk.HIGH))
    assert len(run("runner", shop).calls) == 6
    assert len(reviewer.seen) == 4


def test_exactly_one_command_is_of_high_risk_and_really_deletes(shop: Path, reviewed: StartReviewer) -> None:
    reviewer = reviewed(yes)
    run("runner", shop)
    high = [request.submission for request in reviewer.seen if request.submission.risk is Risk.HIGH]
    assert [submission.arguments["command"] for submission in high] == ["rm -rf build dist"]
    assert not (shop / "build").exists()


def test_released_calls_are_written_down_and_asked_one_after_the_other(
    shop: Path, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(yes)
    run("release", shop)
    entries = [json.loads(line) for line in (shop / "outbox.jsonl").read_text().splitlines()]
    assert [request.submission.batch_remaining for request in reviewer.seen] == [(), (), ()]
    assert [entry.get("url") for entry in entries] == [
        None,
        "https://api.example.com/v1/releases",
        "https://api.example.com/v1/announcements",
    ]
    assert entries[1]["body"] == reviewer.seen[1].submission.arguments["body"]


def test_a_refusal_reaches_the_agent_which_goes_on(shop: Path, reviewed: StartReviewer) -> None:
    reviewed(unless(lambda request: request.submission.risk is Risk.HIGH, note="dist is still needed"))
    report = run("runner", shop)
    assert outcomes(report) == ["ran", "ran", "ran", "refused", "ran", "ran"]
    assert (
        '  refused  run_command rm -rf build dist  told: "Approval denied: dist is still needed"' in report.lines()
    )
    assert (shop / "dist").exists()


def test_a_hard_refusal_stops_the_agent_which_still_reports(shop: Path, reviewed: StartReviewer) -> None:
    reviewed(unless(lambda request: "url" in request.submission.arguments, note="not before Monday", hard=True))
    report = run("release", shop)
    assert (report.finished, outcomes(report)) == ("stopped", ["ran", "not run"])
    assert "not before Monday" in report.message
    assert read_report(shop, "release") == report


# -- mistakes ----------------------------------------------------------------------------------------------


def test_there_is_no_report_before_an_agent_is_done(shop: Path) -> None:
    assert read_report(shop, "refactor") is None


@pytest.mark.parametrize("arguments", [[], ["refactor"], ["painter", "."], ["refactor", ".", "."]])
def test_a_wrong_command_line_is_explained(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "refactor|runner|release" in capsys.readouterr().err


def test_an_unusable_queue_is_explained(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIGNOFF_QUEUE", os.devnull)
    assert main(["refactor", str(shop)]) != 0
    assert capsys.readouterr().err.startswith("refactor: ")
