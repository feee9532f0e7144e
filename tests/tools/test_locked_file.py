"""A file that is kept for one writer: what it may be, and what is refused whoever asks."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import ChangedSinceApprovedError
from signoff.present.snapshot.steps import FileState
from signoff.tools.openat2 import RootDirectory
from signoff.tools.safe_io import locked_file


@pytest.fixture
def root(workdir: Path) -> RootDirectory:
    (workdir / "a.txt").write_text("12345678")
    return RootDirectory(str(workdir))


def state_of(file: Path, **other: Any) -> FileState:
    """How a file is found now, or as it would be if something were different."""
    data = file.read_bytes()
    digest, mode = hashlib.sha256(data).hexdigest(), stat.S_IMODE(file.stat().st_mode)
    found = {"exists": True, "sha256": digest, "size": len(data), "mode": mode}
    return FileState(**(found | {"link_target": None, "real_path": str(file)} | other))


def put_nothing(file: Path) -> None:
    pass


def put_a_pipe(file: Path) -> None:
    os.mkfifo(file)


def put_a_link(file: Path) -> None:
    file.symlink_to("b.txt")


def swap_when_looked_at(monkeypatch: pytest.MonkeyPatch, file: Path, put: Callable[[Path], None]) -> None:
    """Replace a file at the last moment: after it was found to be regular, before it is opened."""
    really_look = os.stat

    def look_and_swap(path: Any, *args: Any, **more: Any) -> os.stat_result:
        found = really_look(path, *args, **more)
        if path == file.name:
            file.rename(file.with_name("b.txt"))
            put(file)
        return found

    monkeypatch.setattr(os, "stat", look_and_swap)


# -- what it may be ----------------------------------------------------------------------------------------


def test_a_link_in_the_place_of_the_file_is_not_replaced_and_not_followed(
    root: RootDirectory, workdir: Path
) -> None:
    (workdir / "link").symlink_to("a.txt")
    with (
        locked_file(root, "link") as file,
        pytest.raises(OSError, match="not a regular file any more; it was not written"),
    ):
        file.replace(b"new")
    assert (workdir / "link").is_symlink()
    assert (workdir / "a.txt").read_text() == "12345678"


@pytest.mark.parametrize("put", [put_a_pipe, put_a_link])
def test_what_is_swapped_in_while_a_file_is_opened_is_not_read(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], None]
) -> None:
    swap_when_looked_at(monkeypatch, workdir / "a.txt", put)
    with locked_file(root, "a.txt") as file, pytest.raises(OSError, match="not a regular file any more"):
        file.look()


def test_a_file_that_is_taken_away_while_it_is_opened_is_not_there(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap_when_looked_at(monkeypatch, workdir / "a.txt", put_nothing)
    with locked_file(root, "a.txt") as file:
        state, data = file.look()
    assert (state.exists, data) == (False, b"")


def test_an_error_of_the_disk_is_told_as_it_is(root: RootDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with locked_file(root, "a.txt") as file:
        monkeypatch.setattr(os, "open", failing)
        with pytest.raises(OSError, match="Input/output error"):
            file.look()


@pytest.mark.parametrize(("most", "bearable"), [(7, False), (8, True), (9, True)])
def test_a_file_is_looked_at_up_to_the_greatest_bearable_size(
    root: RootDirectory, monkeypatch: pytest.MonkeyPatch, most: int, bearable: bool
) -> None:
    monkeypatch.setattr("signoff.tools.safe_io.MAX_FILE_SIZE", most)
    with locked_file(root, "a.txt") as file:
        if bearable:
            assert file.look()[1] == b"12345678"
        else:
            with pytest.raises(OSError, match="too large"):
                file.look()


# -- where it is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [{"real_path": "/elsewhere/a.txt"}, {"link_target": "a.txt"}])
def test_a_path_that_was_shown_to_lead_elsewhere_is_not_locked(
    root: RootDirectory, workdir: Path, other: dict[str, str]
) -> None:
    shown = state_of(workdir / "a.txt", **other)
    with pytest.raises(ChangedSinceApprovedError, match="leads to"), locked_file(root, "a.txt", shown):
        pass


def test_directories_are_made_only_for_who_asks_for_them(root: RootDirectory, workdir: Path) -> None:
    with pytest.raises(FileNotFoundError), locked_file(root, "sub/new.txt"):
        pass
    assert not (workdir / "sub").exists()


def test_a_pipe_in_the_place_of_the_directory_is_not_waited_for(root: RootDirectory, workdir: Path) -> None:
    (workdir / "sub").mkdir()
    (workdir / "sub" / "a.txt").write_text("")
    shown = state_of(workdir / "sub" / "a.txt")
    (workdir / "sub").rename(workdir / "moved")
    os.mkfifo(workdir / "sub")
    with pytest.raises(ChangedSinceApprovedError), locked_file(root, "sub/a.txt", shown):
        pass


def test_a_directory_that_cannot_be_locked_is_not_written_in(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on some file systems of other machines."""

    def failing(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", failing)
    with (
        pytest.raises(
            OSError, match=r"cannot be locked \(No locks available\); the file was not written"
        ) as refused,
        locked_file(root, "a.txt") as file,
    ):
        file.replace(b"new")
    assert refused.value.errno == errno.ENOLCK
    assert (workdir / "a.txt").read_text() == "12345678"


# -- how it is written -------------------------------------------------------------------------------------


def test_the_whole_content_is_on_the_disk_before_it_takes_the_place_of_the_old_one(
    root: RootDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_sync, synced = os.fsync, []

    def sync_and_note(descriptor: int) -> None:
        really_sync(descriptor)
        synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", sync_and_note)
    with locked_file(root, "a.txt") as file:
        file.replace(b"new content")
    assert synced == [len(b"new content")]
