"""A link or a directory that is swapped in while a call is carried out leads nowhere, at whatever moment."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.present.snapshot.snapshot import take
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.openat2 import kernel_resolves
from signoff.types import ApprovalContext

BY = [
    pytest.param(True, id="kernel", marks=pytest.mark.skipif(not kernel_resolves(), reason="no openat2 here")),
    pytest.param(False, id="walk"),
]

CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "read": ("read_file", {"path": "root/sub/a.txt"}),
    "list": ("list_files", {"path": "root/sub"}),
    "write": ("write_file", {"path": "root/sub/a.txt", "content": "written"}),
    "create": ("write_file", {"path": "root/sub/new/b.txt", "content": "written"}),
    "edit": ("edit_file", {"path": "root/sub/a.txt", "old": "inside", "new": "written"}),
}


def build(top: Path) -> None:
    """A root with a file in it, and outside of it the same names with a secret."""
    for name, text in (("root", "inside"), ("outside", "secret inside")):
        (top / name / "sub" / "new").mkdir(parents=True)
        (top / name / "sub" / "a.txt").write_text(text)
    (top / "root" / "sub" / "new").rmdir()
    (top / "outside" / "sub" / "told.txt").write_text("secret")


def held(top: Path) -> dict[str, str | None]:
    """All that is outside of the root, with its content."""
    outside = top / "outside"
    return {
        str(path.relative_to(outside)): path.read_text() if path.is_file() else None for path in outside.rglob("*")
    }


def written(top: Path) -> list[Path]:
    """All files that hold what the calls write, wherever their directory was moved."""
    return [path for path in top.rglob("*") if path.is_file() and "written" in path.read_text()]


@contextmanager
def approved(top: Path, call: str, *, by_kernel: bool) -> Iterator[Callable[[], Any]]:
    """Approve a call as it is shown now; what is yielded carries it out."""
    config = {"root": {"root": "root", "mode": "rw", "read_approval": True}}
    sandbox = FileSandbox(config, cwd=str(top), by_kernel=by_kernel)
    tool, args = CALLS[call]
    request = sandbox.check_approval(ApprovalContext(tool_name=tool, args=args))
    assert request is not None
    with bound_to(request, take(request.effects)):
        yield lambda: getattr(sandbox, tool)(**args)


# -- at every system call ----------------------------------------------------------------------------------


def swap_root(top: Path) -> None:
    (top / "root").rename(top / "moved")
    (top / "root").symlink_to("outside")


def swap_directory(top: Path) -> None:
    (top / "root" / "sub").rename(top / "root" / "moved")
    (top / "root" / "sub").symlink_to("../outside/sub")


def swap_file(top: Path) -> None:
    (top / "root" / "sub" / "a.txt").rename(top / "root" / "sub" / "moved.txt")
    (top / "root" / "sub" / "a.txt").symlink_to(top / "outside" / "sub" / "a.txt")


def swap_file_for_a_name_of_the_secret(top: Path) -> None:
    (top / "root" / "sub" / "a.txt").unlink()
    (top / "root" / "sub" / "a.txt").hardlink_to(top / "outside" / "sub" / "a.txt")


SYSTEM_CALLS = frozenset(
    {"open", "byref", "stat", "lstat", "mkdir", "scandir", "flock", "fsync", "fchmod", "rename"}
)
"""Functions before which something may be swapped; `byref` is called right before `openat2`."""

RESOLVING = ("signoff.tools.roots", "posixpath")
"""What is swapped while a path is resolved is found as if it had been swapped before or afterwards."""


class AtSystemCall:
    """Does something once, right before one of the system calls that are made in the body."""

    def __init__(self, number: int, action: Callable[[], None]) -> None:
        self.left = number
        self.action = action

    def __enter__(self) -> AtSystemCall:
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call" or called.__name__ not in SYSTEM_CALLS or frame.f_globals["__name__"] in RESOLVING:
            return
        if self.left == 0:
            sys.setprofile(None)
            self.action()
        self.left -= 1


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except PermissionError:
        return None


SWAPS: list[tuple[Callable[[Path], None], str]] = [
    *((swap, call) for swap in (swap_root, swap_directory) for call in CALLS),
    *(
        (swap, call)
        for swap in (swap_file, swap_file_for_a_name_of_the_secret)
        for call in ("read", "write", "edit")
    ),
]


@pytest.mark.parametrize("by_kernel", BY)
@pytest.mark.parametrize(("swap", "call"), SWAPS)
def test_nothing_outside_is_touched_whatever_is_swapped_before_any_system_call(
    workdir: Path, swap: Callable[[Path], None], call: str, by_kernel: bool
) -> None:
    number, happened = 0, True
    while happened:
        top = workdir / str(number)
        build(top)
        before = held(top)
        with approved(top, call, by_kernel=by_kernel) as run:
            with AtSystemCall(number, lambda top=top: swap(top)) as moment:  # type: ignore[misc]
                result = outcome(run)
            happened = moment.left < 0
        assert "secret" not in str(result), number
        assert "told.txt" not in str(result), number
        assert held(top) == before, number
        assert result is not None or not written(top), number
        assert not [path for path in top.rglob("*") if path.suffix == ".tmp"], number
        shutil.rmtree(top)
        number += 1
    assert number > 5


# -- by another process ------------------------------------------------------------------------------------

SWAPPER = '''
import os, shutil

def do(action, *paths):
    """Again and again: the sandbox may make the missing directory meanwhile, and write in it."""
    while True:
        try:
            return action(*paths)
        except OSError:
            shutil.rmtree("root/sub", ignore_errors=True)

print("swapping", flush=True)
while True:
    os.rename("root/sub", "root/moved")
    do(os.symlink, "../outside/sub", "root/sub")
    os.unlink("root/sub")
    do(os.rename, "root/moved", "root/sub")
'''


@contextmanager
def swapping(top: Path) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", SWAPPER], cwd=top, stdout=subprocess.PIPE) as swapper:
        try:
            assert swapper.stdout is not None
            assert swapper.stdout.readline() == b"swapping\n"
            yield
        finally:
            swapper.kill()


@pytest.mark.parametrize("by_kernel", BY)
@pytest.mark.parametrize("call", ["read", "list", "write"])
def test_nothing_outside_is_touched_while_another_process_swaps_a_directory_for_a_link(
    workdir: Path, call: str, by_kernel: bool
) -> None:
    build(workdir)
    before = held(workdir)
    outcomes: Counter[str] = Counter()
    tool, args = CALLS[call]
    sandbox = FileSandbox({"root": {"root": "root", "mode": "rw"}}, cwd=str(workdir), by_kernel=by_kernel)
    with swapping(workdir):
        # Both must have been met, or nothing was raced.
        while min(outcomes["done"], outcomes["refused"]) < 20:
            try:
                result = getattr(sandbox, tool)(**args)
            except OSError:
                outcomes["refused"] += 1
            else:
                outcomes["done"] += 1
                assert "secret" not in str(result)
                assert "told.txt" not in str(result)
    assert held(workdir) == before
