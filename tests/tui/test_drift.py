"""While a request is looked at, it is told when its files are not as it shows them any more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from screen_bench import LARGE, Screen, command, post, screen, write

from signoff import Command
from signoff.queue import AgentQueue
from signoff_tui.drift import DriftWatch, drift_of

STATE = {"exists": False, "sha256": None, "size": 0, "mode": None, "link_target": None, "real_path": "/a"}
CHANGED = "was changed: approved, it would only ask again"


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


async def test_a_file_that_changed_before_it_is_looked_at_is_told(
    asking: AgentQueue, place: Path, file: Path
) -> None:
    post(asking, write(file, "two\n"))
    file.unlink()  # noqa: ASYNC240
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.until(lambda: "is gone: approved, it would only ask again" in told(seen))


async def test_looking_at_files_that_stayed_disarms_nothing(asking: AgentQueue, place: Path, file: Path) -> None:
    post(asking, write(file, "two\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        armed_at = seen.armed_at
        await seen.until(lambda: seen.desk.drift is not None, "looked at")
        assert seen.armed_at == armed_at


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
    monkeypatch.setattr("signoff_tui.drift.this_host", lambda: "elsewhere")
    assert drift_of(request) == ()


async def test_nothing_is_watched_that_nobody_looks_at(asking: AgentQueue, file: Path) -> None:
    looked: list[str] = []
    watch = DriftWatch(lambda request: looked.append(request.id))
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
    looked: list[str] = []
    watch = DriftWatch(lambda request: looked.append(request.id))
    watch.follow(request)
    watch.stop()
    assert looked == [request.id]
    assert drift_of(request)


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
