"""An approved write happens to the file that was shown, and to no other state of it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import ChangedSinceApprovedError, bound_to
from signoff.effects import FileEdit, FileWrite
from signoff.present.snapshot.snapshot import take
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext, ApprovalRequest

SHOWN = "one\ntwo\n"
WRITE = ("write_file", {"path": "a.txt", "content": "new\n"})
EDIT = ("edit_file", {"path": "a.txt", "old": "two", "new": "2"})


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    (workdir / "a.txt").write_text(SHOWN)
    return FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(workdir))


@contextmanager
def approved(sandbox: FileSandbox, tool: str, args: dict[str, str]) -> Iterator[Callable[[], str]]:
    """Approve a call as it is shown now; what is yielded carries it out."""
    request = sandbox.check_approval(ApprovalContext(tool_name=tool, args=args))
    assert request is not None
    with bound_to(request, take(request.effects)):
        yield lambda: getattr(sandbox, tool)(**args)


def write_over(file: Path) -> None:
    file.write_text("somebody else\ntwo\n")


def take_away(file: Path) -> None:
    file.unlink()


def change_mode(file: Path) -> None:
    file.chmod(0o600 if file.stat().st_mode & 0o077 else 0o644)


def turn_into_a_link(file: Path) -> None:
    file.rename(file.with_name("b.txt"))
    file.symlink_to("b.txt")


def turn_into_a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def move_the_directory(file: Path) -> None:
    file.parent.rename(file.parent.with_name("moved"))


CHANGES = [write_over, take_away, change_mode]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("tool", "args"), [WRITE, EDIT])
def test_a_file_that_was_changed_since_it_was_approved_is_not_written(
    sandbox: FileSandbox, workdir: Path, tool: str, args: dict[str, str], change: Callable[[Path], None]
) -> None:
    file = workdir / "a.txt"
    with approved(sandbox, tool, args) as run:
        change(file)
        found = file.read_text() if file.exists() else None
        with pytest.raises(PermissionError, match="changed since it was approved; ask again"):
            run()
    assert (file.read_text() if file.exists() else None) == found


@pytest.mark.parametrize("change", [*CHANGES, turn_into_a_link, turn_into_a_directory, move_the_directory])
@pytest.mark.parametrize(("tool", "args"), [WRITE, EDIT])
def test_a_change_just_before_the_new_content_takes_its_place_is_found_too(
    sandbox: FileSandbox,
    workdir: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    args: dict[str, str],
    change: Callable[[Path], None],
) -> None:
    """The new content is on the disk already, under another name, when the file is changed."""
    file = workdir / "a.txt"
    really_sync = os.fsync

    def sync_and_change(descriptor: int) -> None:
        really_sync(descriptor)
        change(file)

    with approved(sandbox, tool, args) as run:
        monkeypatch.setattr(os, "fsync", sync_and_change)
        with pytest.raises(ChangedSinceApprovedError):
            run()
    held = [
        path
        for path in workdir.parent.rglob("*")
        if path.is_file() and workdir.parent / "queue" not in path.parents
    ]
    assert not any(path.suffix == ".tmp" or "new" in path.read_text() for path in held)


def test_a_file_that_appeared_since_it_was_approved_is_not_overwritten(
    sandbox: FileSandbox, workdir: Path
) -> None:
    with approved(sandbox, "write_file", {"path": "new.txt", "content": "new"}) as run:
        (workdir / "new.txt").write_text("theirs")
        with pytest.raises(ChangedSinceApprovedError):
            run()
    assert (workdir / "new.txt").read_text() == "theirs"


def test_a_directory_that_is_gone_is_not_made_again(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "sub").mkdir()
    (workdir / "sub" / "a.txt").write_text("")
    with approved(sandbox, "write_file", {"path": "sub/a.txt", "content": "new"}) as run:
        (workdir / "sub").rename(workdir / "moved")
        with pytest.raises(ChangedSinceApprovedError):
            run()
    assert not (workdir / "sub").exists()


@pytest.mark.parametrize(("tool", "args"), [WRITE, EDIT])
def test_a_file_that_is_as_it_was_shown_is_written_once(
    sandbox: FileSandbox, workdir: Path, tool: str, args: dict[str, str]
) -> None:
    with approved(sandbox, tool, args) as run:
        run()
    assert (workdir / "a.txt").read_text() != SHOWN


def test_a_file_written_in_a_new_directory_has_it_made(sandbox: FileSandbox, workdir: Path) -> None:
    with approved(sandbox, "write_file", {"path": "x/y/new.txt", "content": "new"}) as run:
        run()
    assert (workdir / "x/y/new.txt").read_text() == "new"


def test_one_approved_call_may_change_a_file_several_times(sandbox: FileSandbox, workdir: Path) -> None:
    path = str(workdir / "a.txt")
    effects = (FileEdit(path, "one", "1"), FileEdit(path, "two", "2"))
    request = ApprovalRequest(tool_name="renumber", description="Renumber", payload={}, effects=effects)
    with bound_to(request, take(effects)):
        sandbox.edit_file(path, "one", "1")
        sandbox.edit_file(path, "two", "2")
    assert (workdir / "a.txt").read_text() == "1\n2\n"


def test_between_two_changes_of_one_call_nobody_else_may_change_the_file(
    sandbox: FileSandbox, workdir: Path
) -> None:
    path = str(workdir / "a.txt")
    effects = (FileEdit(path, "one", "1"), FileWrite(path, "all new"))
    request = ApprovalRequest(tool_name="renew", description="Renew", payload={}, effects=effects)
    with bound_to(request, take(effects)):
        sandbox.edit_file(path, "one", "1")
        (workdir / "a.txt").write_text("theirs")
        with pytest.raises(ChangedSinceApprovedError):
            sandbox.write_file(path, "all new")
    assert (workdir / "a.txt").read_text() == "theirs"


def test_a_name_in_the_refusal_is_made_visible(sandbox: FileSandbox, workdir: Path) -> None:
    with approved(sandbox, "write_file", {"path": "\u202etxt.a", "content": "new"}) as run:
        (workdir / "\u202etxt.a").write_text("theirs")
        with pytest.raises(ChangedSinceApprovedError) as refused:
            run()
    assert str(refused.value).isascii()


def test_an_edit_that_nobody_approved_does_not_undo_what_came_between(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_sync = os.fsync

    def sync_and_change(descriptor: int) -> None:
        really_sync(descriptor)
        write_over(workdir / "a.txt")

    monkeypatch.setattr(os, "fsync", sync_and_change)
    with pytest.raises(OSError, match="changed while it was edited"):
        sandbox.edit_file("a.txt", "two", "2")
    assert (workdir / "a.txt").read_text().startswith("somebody else")


# -- several writers ---------------------------------------------------------------------------------------

WRITER = """
import sys
from signoff.approved_call import bound_to
from signoff.present.snapshot.snapshot import take
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext

sandbox = FileSandbox({"work": {"root": ".", "mode": "rw"}})
args = {"path": sys.argv[1], "content": sys.argv[2]}
request = sandbox.check_approval(ApprovalContext(tool_name="write_file", args=args))
with bound_to(request, take(request.effects)):
    print("approved", flush=True)
    sys.stdin.readline()
    try:
        print(sandbox.write_file(**args), flush=True)
    except PermissionError as error:
        print(error, flush=True)
"""


@pytest.mark.parametrize("path", ["a.txt", "new.txt", "sub/new.txt"])
def test_of_processes_that_were_approved_at_the_same_moment_one_writes_and_the_others_are_told(
    sandbox: FileSandbox, workdir: Path, path: str
) -> None:
    contents = ["first", "second", "third"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, content], cwd=workdir, **pipes)
        for content in contents
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "approved\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    told = [writer.communicate()[0] for writer in writers]
    winners = [content for content, answer in zip(contents, told, strict=True) if answer.startswith("Wrote")]
    assert winners == [(workdir / path).read_text()]
    assert sum("changed since it was approved; ask again" in answer for answer in told) == 2


def test_a_writer_waits_while_another_has_the_directory(sandbox: FileSandbox, workdir: Path) -> None:
    directory = os.open(workdir, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    writer = threading.Thread(target=sandbox.write_file, args=("a.txt", "new"))
    writer.start()
    assert (workdir / "a.txt").read_text() == SHOWN
    os.close(directory)
    writer.join()
    assert (workdir / "a.txt").read_text() == "new"


def test_a_directory_that_stays_locked_is_told_instead_of_waited_for_for_ever(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff.tools.safe_io._PATIENCE", 0.05)
    directory = os.open(workdir, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    try:
        with pytest.raises(OSError, match="locked; try again later"):
            sandbox.write_file("a.txt", "new")
    finally:
        os.close(directory)
    assert (workdir / "a.txt").read_text() == SHOWN


def test_nothing_but_the_file_is_left_in_the_project(sandbox: FileSandbox, workdir: Path) -> None:
    sandbox.write_file("a.txt", "new")
    assert [path.name for path in workdir.iterdir()] == ["a.txt"]
