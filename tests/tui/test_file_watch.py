"""The kernel tells when files change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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
    if not told.watch.works:
        pytest.skip("there is no inotify here")
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
    file = tmp_path / "a.yaml"
    told.watch.watch([file])
    (tmp_path / "b.yaml").write_text("1")
    file.write_text("1")
    await told.once()
    (tmp_path / "b.yaml").write_text("2")
    told.watch._read()
    assert told.watch._told_soon is None


@pytest.mark.parametrize(
    "path", ["/tmp/" + "x" * 300, "/" + "a/" * 3000, "/tmp/\ud800/x", "a\0b/c", "", "/proc/self/fd/0"]
)
async def test_a_path_that_no_file_can_have_is_watched_for_in_vain(told: Told, path: str) -> None:
    told.watch.watch([Path(path)])
    assert not told.happened.is_set()
