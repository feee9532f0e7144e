"""A change of a file is told."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest

from signoff_tui import file_watch
from signoff_tui.file_watch import FileWatch

PATIENCE = 10.0


class Told:
    """Waits until a change is told."""

    def __init__(self) -> None:
        self.happened = asyncio.Event()
        self.watch = FileWatch(self.happened.set)
        self.watch.start()

    async def once(self) -> None:
        await asyncio.wait_for(self.happened.wait(), PATIENCE)
        self.happened.clear()


@pytest.fixture
async def told() -> AsyncIterator[Told]:
    told = Told()
    yield told
    told.watch.stop()


async def test_a_file_that_is_written_in_place_is_told(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("1")
    told.watch.watch([file])
    file.write_text("2")
    await told.once()


async def test_a_file_that_is_replaced_is_told(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("1")
    told.watch.watch([file])
    (tmp_path / "new").write_text("2")
    (tmp_path / "new").replace(file)
    await told.once()


async def test_a_file_that_goes_is_told(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("1")
    told.watch.watch([file])
    file.unlink()
    await told.once()


async def test_a_file_behind_a_link_is_told(told: Told, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "b.yaml"
    real.parent.mkdir()
    real.write_text("1")
    link = tmp_path / "a.yaml"
    link.symlink_to(real)
    told.watch.watch([link])
    real.write_text("2")
    await told.once()


async def test_a_file_in_a_folder_that_came_while_the_watch_began_is_told(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "not yet" / "a.yaml"
    begins = file_watch._looks

    def comes_before(*places: Any) -> Generator[bool]:
        file.parent.mkdir(exist_ok=True)
        return begins(*places)

    monkeypatch.setattr(file_watch, "_looks", comes_before)
    told.watch.watch([file])
    file.write_text("1")
    await told.once()


async def test_a_folder_that_goes_while_the_watch_begins_is_told(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "folder" / "a.yaml"
    file.parent.mkdir()
    begins = file_watch._looks

    def goes_before(*places: Any) -> Generator[bool]:
        file.parent.rmdir()
        return begins(*places)

    monkeypatch.setattr(file_watch, "_looks", goes_before)
    told.watch.watch([file])
    await told.once()


async def test_a_folder_that_comes_is_told_and_then_what_is_in_it(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "not" / "yet" / "a.yaml"
    told.watch.watch([file])
    file.parent.mkdir(parents=True)
    await told.once()
    told.watch.watch([file])
    file.write_text("1")
    await told.once()


async def test_every_file_of_a_folder_counts(told: Told, tmp_path: Path) -> None:
    told.watch.watch([], [tmp_path])
    (tmp_path / "any").write_text("1")
    await told.once()


async def test_other_files_beside_it_are_not_told(told: Told, tmp_path: Path) -> None:
    other, beside = tmp_path / "b.yaml", Told()
    told.watch.watch([tmp_path / "a.yaml"])
    beside.watch.watch([other])
    for words in "12":  # each is told in a look of its own, and between them the other watch looks, too
        other.write_text(words)
        await beside.once()
    beside.watch.stop()
    assert not told.happened.is_set()


async def test_a_file_in_a_linked_folder_is_told(told: Told, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").symlink_to(tmp_path / "elsewhere")
    told.watch.watch([tmp_path / "folder" / "a.yaml"])
    (tmp_path / "elsewhere" / "a.yaml").write_text("1")
    await told.once()


async def test_the_last_of_many_saves_is_told(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    told.watch.watch([file])
    for number in range(100):
        (tmp_path / "new").write_text(str(number))
        (tmp_path / "new").replace(file)
        await asyncio.sleep(0)
    await told.once()
    file.write_text("the last")
    await told.once()


async def test_a_folder_that_goes_and_comes_again_is_told_each_time(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "folder" / "a.yaml"
    for _ in range(2):
        told.watch.watch([file])
        file.parent.mkdir()
        await told.once()
        told.watch.watch([file])
        file.write_text("1")
        await told.once()
        told.watch.watch([file])
        file.unlink()
        file.parent.rmdir()
        await told.once()


async def test_a_name_that_is_no_utf_8_ends_nothing(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    told.watch.watch([file])
    (tmp_path / os.fsdecode(b"\xff")).touch()
    await told.once()
    told.watch.watch([file])
    file.write_text("1")
    await told.once()


async def test_a_folder_whose_name_is_no_utf_8_keeps_no_other_from_being_watched(
    told: Told, tmp_path: Path
) -> None:
    odd, link = tmp_path / os.fsdecode(b"\xff"), tmp_path / "link"
    odd.mkdir()
    link.symlink_to(odd)
    told.watch.watch([link / "a.yaml", tmp_path / "a.yaml"], [link])
    (tmp_path / "a.yaml").write_text("1")
    await told.once()


async def test_in_a_thread_it_begins_before_it_returns(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    await asyncio.to_thread(told.watch.watch, [file])
    file.write_text("1")
    await told.once()


async def test_after_its_end_nothing_begins(told: Told, tmp_path: Path) -> None:
    told.watch.stop()
    told.watch.watch([], [tmp_path])
    assert told.watch._looks is None


def _run(program: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", program, str(folder)]
    return subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE)


@pytest.mark.parametrize(
    "last",
    [
        "pass",
        "watch.stop()",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "threading.Thread(target=again, args=[watch], daemon=True).start()",
    ],
    ids=["kept", "stopped", "killed", "in a thread"],
)
def test_nothing_stays_behind_a_program_that_ends(tmp_path: Path, last: str) -> None:
    program = f"""
import asyncio, os, signal, sys, threading
from pathlib import Path
from signoff_tui.file_watch import FileWatch
def again(watch):
    while True:
        watch.watch([], [Path(sys.argv[1])])
async def main():
    watch = FileWatch(print)
    watch.start()
    await asyncio.to_thread(watch.watch, [], [Path(sys.argv[1])])
    await asyncio.sleep(0)
    {last}
asyncio.run(main())
"""
    done = _run(program, tmp_path)
    assert (done.returncode in (0, -15), done.stdout, done.stderr) == (True, b"", b"")


def test_where_nothing_more_can_be_opened_nothing_fails(tmp_path: Path) -> None:
    program = """
import asyncio, resource, sys
from pathlib import Path
import watchfiles
from signoff_tui.file_watch import FETCH_SECONDS, FileWatch
async def main():
    watch = FileWatch(print)
    watch.start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    watch.watch([], [Path(sys.argv[1])])
    await asyncio.sleep(2 * FETCH_SECONDS)
    watch.stop()
asyncio.run(main())
"""
    done = _run(program, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("limit", ["max_inotify_instances", "max_inotify_watches"])
def test_where_the_system_has_no_watch_left_a_change_is_told_all_the_same(tmp_path: Path, limit: str) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from signoff_tui.file_watch import FileWatch
async def main():
    told = asyncio.Event()
    watch = FileWatch(told.set)
    watch.start()
    file = Path(sys.argv[1], "a.yaml")
    file.write_text("0")
    watch.watch([file])
    file.write_text("1")
    await asyncio.wait_for(told.wait(), 20)
    watch.stop()
asyncio.run(main())
"""
    lowered = f'echo 0 >/proc/sys/user/{limit}; exec "$@"'
    own_limits = ["unshare", "--user", "--map-root-user", "sh", "-c", lowered, "-"]
    if subprocess.run([*own_limits, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    done = subprocess.run(
        [*own_limits, sys.executable, "-c", program, str(tmp_path)], check=False, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "path", ["/tmp/" + "x" * 300, "/" + "a/" * 3000, "/tmp/\ud800/x", "a\0b/c", "", "/proc/self/fd/0"]
)
async def test_a_path_that_no_file_can_have_is_watched_for_in_vain(told: Told, path: str) -> None:
    told.watch.watch([Path(path)])
    assert not told.happened.is_set()
