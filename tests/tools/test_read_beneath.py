"""Reading what was resolved before: what is refused, and what is told, whatever is there by now."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from signoff.tools.openat2 import LedElsewhereError, RootDirectory
from signoff.tools.safe_io import list_beneath, read_beneath


@pytest.fixture
def root(workdir: Path) -> RootDirectory:
    (workdir / "a.txt").write_text("content")
    (workdir / "sub").mkdir()
    (workdir / "sub" / "b.txt").write_text("")
    return RootDirectory(str(workdir))


def change_whenever_looked_at(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Give a file another time of change so many times when it is looked at."""
    really_look, left = os.fstat, [times]

    def look_and_change(descriptor: int) -> os.stat_result:
        found = really_look(descriptor)
        if left[0] > 0 and stat.S_ISREG(found.st_mode):
            left[0] -= 1
            os.utime(descriptor, ns=(0, found.st_mtime_ns + 1_000_000_000))
        return found

    monkeypatch.setattr("signoff.tools.safe_io.os.fstat", look_and_change)


# -- files -------------------------------------------------------------------------------------------------


def test_a_second_name_is_refused_unless_it_was_known(root: RootDirectory, workdir: Path) -> None:
    os.link(workdir / "a.txt", workdir / "same.txt")
    with pytest.raises(LedElsewhereError, match="second name"):
        read_beneath(root, "a.txt")
    assert read_beneath(root, "a.txt", many_names=True) == b"content"


def test_a_pipe_is_not_read(root: RootDirectory, workdir: Path) -> None:
    os.mkfifo(workdir / "pipe")
    with pytest.raises(LedElsewhereError, match="not a regular file"):
        read_beneath(root, "pipe")


def test_a_pipe_that_is_swapped_in_while_a_file_is_opened_is_not_read(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_look = os.stat

    def look_and_swap(path: Any, *args: Any, **more: Any) -> os.stat_result:
        found = really_look(path, *args, **more)
        if path == "a.txt":
            (workdir / "a.txt").unlink()
            os.mkfifo(workdir / "a.txt")
        return found

    monkeypatch.setattr(os, "stat", look_and_swap)
    with pytest.raises(LedElsewhereError, match="not a regular file"):
        read_beneath(root, "a.txt")


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_is_read_up_to_the_greatest_bearable_size(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    monkeypatch.setattr("signoff.tools.safe_io.MAX_FILE_SIZE", 2**20)
    (workdir / "a.txt").write_bytes(bytes(2**20 + more))
    if more:
        with pytest.raises(ValueError, match="is larger than 1 MB"):
            read_beneath(root, "a.txt")
    else:
        assert read_beneath(root, "a.txt") == bytes(2**20)


def test_a_file_that_keeps_changing_is_not_read(root: RootDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    change_whenever_looked_at(monkeypatch, 1_000)
    with pytest.raises(OSError, match="keeps changing while it is read"):
        read_beneath(root, "a.txt")


def test_a_file_that_comes_to_rest_is_read(root: RootDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    change_whenever_looked_at(monkeypatch, 1)
    assert read_beneath(root, "a.txt") == b"content"


def test_an_error_of_the_disk_is_told_as_it_is(root: RootDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    really_open = os.open

    def failing(path: Any, *args: Any, **more: Any) -> int:
        if path == "a.txt":
            raise OSError(errno.EIO, "Input/output error")
        return really_open(path, *args, **more)

    monkeypatch.setattr(os, "open", failing)
    with pytest.raises(OSError, match="Input/output error"):
        read_beneath(root, "a.txt")


# -- directories -------------------------------------------------------------------------------------------


def test_a_pipe_in_the_place_of_a_directory_is_not_waited_for(root: RootDirectory, workdir: Path) -> None:
    os.mkfifo(workdir / "pipe")
    with pytest.raises(LedElsewhereError):
        list(list_beneath(root, "pipe"))


def test_a_directory_that_may_not_be_listed_has_no_files_and_hides_no_other(
    root: RootDirectory, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "then").mkdir()
    (workdir / "then" / "c.txt").write_text("")
    really_scan = os.scandir

    def forbidden_below(directory: int) -> Any:
        if "b.txt" in os.listdir(directory):
            raise PermissionError(errno.EACCES, "Permission denied")
        return really_scan(directory)

    monkeypatch.setattr(os, "scandir", forbidden_below)
    assert list(list_beneath(root, ".")) == ["a.txt", "then/c.txt"]
