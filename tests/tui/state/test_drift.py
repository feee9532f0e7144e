"""While a request is looked at, it is told when its files are not as it shows them any more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from screen_bench import LARGE, PATIENCE, Screen, command, post, screen, write

from signoff import Command
from signoff.queue import AgentQueue, ReviewQueue, StoredRequest
from signoff_tui.state.drift import DriftWatch, FilesNow, drift_of
from signoff_tui.workers import Aside

STATE = {"exists": False, "sha256": None, "size": 0, "mode": None, "link_target": None, "real_path": "/a"}
CHANGED = "file changed on disk"


def told(seen: Screen) -> str:
    """What stands beside the list, wherever a long path breaks the lines."""
    beside = " ".join(row.rpartition("│")[2] for row in seen.frame)
    return " ".join(beside.split())


@pytest.fixture
def file(workdir: Path) -> Path:
    file = workdir / "a.txt"
    file.write_text("one\n")
    return file


async def test_a_file_that_changes_while_it_is_read_is_told_at_once(
    asking: AgentQueue, place: Path, file: Path
) -> None:
    post(asking, write(file, "two\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        await seen.until(lambda: CHANGED not in told(seen))
        file.write_text("three\n")  # noqa: ASYNC240
        await seen.until(lambda: CHANGED in told(seen))
        file.write_text("one\n")  # noqa: ASYNC240
        await seen.until(lambda: CHANGED not in told(seen))


async def test_a_file_that_changed_on_disk_makes_the_risk_medium_and_the_keys_arm_anew(
    asking: AgentQueue, place: Path, file: Path
) -> None:
    post(asking, write(file, "two\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        await seen.shows("low risk")
        before = seen.armed_at
        file.write_text("three\n")  # noqa: ASYNC240
        await seen.shows("med risk")
        await seen.armed_anew(before)


async def test_a_file_whose_directory_goes_and_comes_again_is_told_each_time(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    file = workdir / "sub" / "a.txt"
    file.parent.mkdir()
    file.write_text("one\n")
    post(asking, write(file, "two\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        for _ in range(2):
            shutil.rmtree(file.parent)
            await seen.until(lambda: "is gone" in told(seen))
            file.parent.mkdir()
            file.write_text("one\n")
            await seen.until(lambda: "is gone" not in told(seen))


async def test_a_file_that_changed_before_it_is_looked_at_is_told(
    asking: AgentQueue, place: Path, file: Path
) -> None:
    post(asking, write(file, "two\n"))
    file.unlink()  # noqa: ASYNC240
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.until(lambda: told(seen).count("is gone"))


async def test_looking_at_files_that_stayed_disarms_nothing(asking: AgentQueue, place: Path, file: Path) -> None:
    post(asking, write(file, "two\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        armed_at = seen.armed_at
        await seen.until(lambda: seen.desk.drift is not None, "looked at")
        assert seen.armed_at == armed_at


async def test_a_drive_that_does_not_answer_holds_nothing_up_and_is_told(
    asking: AgentQueue, looking: ReviewQueue, place: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = file.with_name("stuck")
    os.mkfifo(stuck)

    def never_answers(request: StoredRequest) -> tuple[str, ...]:
        with stuck.open("rb"):  # waits, as a hung drive does, until somebody writes
            return drift_of(request)

    monkeypatch.setattr("signoff_tui.state.drift.drift_of", never_answers)
    monkeypatch.setattr("signoff_tui.screens.review.work.SETTLED_SECONDS", 0.0)
    monkeypatch.setattr("signoff_tui.screens.review.work.ANSWER_SECONDS", 0.05)
    monkeypatch.setattr("signoff_tui.workers.MOST", 2)
    requests = [post(asking, write(file, f"{number}\n")) for number in range(3)]
    async with screen(place, size=LARGE, waiting=3) as seen:
        for request in requests:
            await seen.goes_to(request)
            await seen.until(lambda: "their drive does not answer" in told(seen))
        await seen.reads(requests[-1])
        await seen.press("y")
        await seen.until(lambda: looking.get(requests[-1].id).state == "approved")
        file.unlink()  # noqa: ASYNC240
        await seen.goes_to(requests[0])
        with stuck.open("wb"):
            await seen.until(lambda: seen.app._office.aside.under_way == 0, "all answered")
        monkeypatch.setattr("signoff_tui.state.drift.drift_of", drift_of)
        await seen.goes_to(requests[1])
        await seen.until(lambda: told(seen).count("is gone"))


def test_work_that_never_ends_does_not_keep_the_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "stuck")
    program = "import asyncio, sys; from signoff_tui.workers import Aside\n"
    program += "async def main(): Aside().begin(open, sys.argv[1])\n"
    program += "asyncio.run(main())"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "stuck")], check=True, timeout=PATIENCE)


async def test_what_fails_aside_fails_where_it_is_wanted() -> None:
    with pytest.raises(ZeroDivisionError):
        await Aside().begin(lambda: 1 // 0)


def test_a_directory_that_is_gone_is_told(asking: AgentQueue, workdir: Path) -> None:
    place = workdir / "sub"
    place.mkdir()
    request = post(asking, command("ls", place))
    place.rmdir()
    (reason,) = drift_of(request)
    assert reason.endswith("is gone")


def test_what_lies_on_another_machine_is_not_looked_at(
    asking: AgentQueue, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = post(asking, write(file, "two\n"))
    file.unlink()
    monkeypatch.setattr("signoff_tui.state.drift.this_host", lambda: "elsewhere")
    assert drift_of(request) == ()


async def test_nothing_is_watched_that_nobody_looks_at(asking: AgentQueue, file: Path) -> None:
    looked: list[str] = []
    watch = DriftWatch(lambda look: looked.append(look.request.id))
    request = post(asking, write(file, "two\n"))
    watch.follow(request)
    watch.follow(request)
    assert looked == [request.id]
    watch.follow(None)
    assert watch.key is None
    assert watch._watch is None


@pytest.mark.parametrize("cwd", [".", "/tmp/" + "x" * 300, "/tmp/\ud800"])
async def test_a_place_that_no_agent_of_ours_would_name_stops_no_screen(
    asking: AgentQueue, workdir: Path, cwd: str
) -> None:
    honest = post(asking, command("ls", workdir))
    step = {**dict(honest.submission.snapshot or {})["steps"][0], "cwd": cwd}
    file = {"kind": "file", "path": f"{cwd}/a", "before": STATE, "after_sha256": "0" * 64, "after_size": 0}
    steps = [step, {**file, "binary": False, "media_type": None, "follows": False}]
    snapshot = {**dict(honest.submission.snapshot or {}), "steps": steps}
    request = replace(honest, submission=replace(honest.submission, snapshot=snapshot))
    looks: list[FilesNow] = []
    watch = DriftWatch(looks.append)
    watch.follow(request)
    (look,) = looks
    assert look()
    watch.stop()
    assert look()


def test_of_many_reasons_the_first_are_told_and_the_others_counted(asking: AgentQueue, workdir: Path) -> None:
    places = [workdir / str(number) for number in range(8)]
    for place in places:
        place.mkdir()
    effects = tuple(Command("ls", str(place)) for place in places)
    request = post(asking, command("ls", workdir).model_copy(update={"effects": effects}))
    for place in places:
        place.rmdir()
    reasons = drift_of(request)
    assert (len(reasons), reasons[-1]) == (6, "3 more of what it names changed")


async def test_a_command_that_removes_files_says_what_is_there(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "gen").mkdir()
    for name in "abc":
        (workdir / "gen" / name).write_text("x")
    post(asking, command("rm -rf gen", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("gen: 3 files")
