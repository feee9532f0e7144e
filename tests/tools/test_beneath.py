"""Opening below a directory: never out of it, never through a link, by the kernel and by walking alike."""

from __future__ import annotations

import copy
import ctypes
import errno
import os
import pickle
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.tools import openat2
from signoff.tools.openat2 import (
    PASSED,
    LedElsewhereError,
    RootDirectory,
    kernel_resolves,
    open_beneath,
)

BY = [
    pytest.param(True, id="kernel", marks=pytest.mark.skipif(not kernel_resolves(), reason="no openat2 here")),
    pytest.param(False, id="walk"),
]


@pytest.fixture(params=BY)
def by_kernel(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def tree(workdir: Path) -> Path:
    """A directory with something in it, and a secret beside it."""
    (workdir / "top" / "sub" / "deep").mkdir(parents=True)
    (workdir / "top" / "sub" / "deep" / "a.txt").write_text("inside")
    (workdir / "top" / "file").write_text("file")
    (workdir / "outside").mkdir()
    (workdir / "outside" / "a.txt").write_text("secret")
    return workdir / "top"


@pytest.fixture
def descriptor(tree: Path) -> Iterator[int]:
    directory = os.open(tree, PASSED)
    yield directory
    os.close(directory)


def descriptors() -> list[str]:
    return [path.name for path in Path("/dev/fd").iterdir()]


def content(directory: int, path: str, *, by_kernel: bool) -> bytes:
    opened = open_beneath(directory, path, os.O_RDONLY, by_kernel=by_kernel)
    try:
        return os.read(opened, 100)
    finally:
        os.close(opened)


def test_what_is_below_is_opened(descriptor: int, by_kernel: bool) -> None:
    assert content(descriptor, "sub/deep/a.txt", by_kernel=by_kernel) == b"inside"


@pytest.mark.parametrize("path", [".", "./.", "sub/."])
def test_a_dot_is_the_directory_itself(descriptor: int, tree: Path, by_kernel: bool, path: str) -> None:
    opened = open_beneath(descriptor, path, PASSED, by_kernel=by_kernel)
    assert os.path.samestat(os.fstat(opened), (tree / path).stat())
    os.close(opened)


@pytest.mark.parametrize(
    ("target", "link", "path"),
    [
        ("../outside", "l", "l/a.txt"),
        ("../outside/a.txt", "l", "l"),
        ("{outside}", "l", "l/a.txt"),
        ("{outside}/a.txt", "sub/l", "sub/l"),
        ("sub", "l", "l/deep/a.txt"),
        ("file", "l", "l"),
        ("/proc/self/cwd", "l", "l/x"),
        ("l", "l", "l"),
        ("nowhere", "l", "l"),
    ],
)
def test_no_link_is_followed_wherever_it_leads(
    descriptor: int, tree: Path, by_kernel: bool, target: str, link: str, path: str
) -> None:
    (tree / link).symlink_to(target.format(outside=tree.parent / "outside"))
    with pytest.raises(LedElsewhereError, match="led elsewhere"):
        open_beneath(descriptor, path, os.O_RDONLY, by_kernel=by_kernel)


def test_a_directory_is_not_opened_through_a_link(descriptor: int, tree: Path, by_kernel: bool) -> None:
    (tree / "l").symlink_to("../outside")
    with pytest.raises(LedElsewhereError):
        open_beneath(descriptor, "l", PASSED, by_kernel=by_kernel)


def test_a_file_is_no_directory_to_pass(descriptor: int, by_kernel: bool) -> None:
    with pytest.raises(LedElsewhereError):
        open_beneath(descriptor, "file/x", os.O_RDONLY, by_kernel=by_kernel)


@pytest.mark.parametrize("path", ["nowhere", "sub/nowhere/a.txt"])
def test_what_is_missing_is_told_as_missing(descriptor: int, by_kernel: bool, path: str) -> None:
    with pytest.raises(FileNotFoundError):
        open_beneath(descriptor, path, os.O_RDONLY, by_kernel=by_kernel)


@pytest.mark.parametrize("path", ["", "/", "/etc/passwd", "..", "../outside/a.txt", "sub/../file", "sub/.."])
def test_what_is_no_path_below_is_refused(descriptor: int, by_kernel: bool, path: str) -> None:
    with pytest.raises(ValueError, match="no path below"):
        open_beneath(descriptor, path, os.O_RDONLY, by_kernel=by_kernel)


def test_a_descriptor_is_not_inherited(descriptor: int, by_kernel: bool) -> None:
    opened = open_beneath(descriptor, "file", os.O_RDONLY, by_kernel=by_kernel)
    assert not os.get_inheritable(opened)
    os.close(opened)


def test_no_descriptor_is_left_open(tree: Path, by_kernel: bool) -> None:
    (tree / "l").symlink_to("sub")
    before = descriptors()
    root = RootDirectory(str(tree), by_kernel=by_kernel)
    with root.opened("sub/deep"):
        pass
    for path in ("l/deep", "nowhere", "file/x"):
        with pytest.raises(OSError, match=r"l/deep|nowhere|file"), root.opened(path):
            pass
    root.make_directories("new/er")
    del root
    assert descriptors() == before


# -- roots -------------------------------------------------------------------------------------------------


def test_a_root_is_not_opened_through_a_link(tree: Path, by_kernel: bool) -> None:
    (tree.parent / "link").symlink_to("top")
    with pytest.raises(LedElsewhereError):
        RootDirectory(str(tree.parent / "link" / "sub"), by_kernel=by_kernel)


def test_the_root_of_the_file_system_is_a_root(tree: Path, by_kernel: bool) -> None:
    with RootDirectory("/", by_kernel=by_kernel).opened(str(tree)[1:]) as opened:
        assert os.path.samestat(os.fstat(opened), tree.stat())


def leave_nothing(path: Path) -> None:
    pass


def put_a_link(path: Path) -> None:
    path.symlink_to("moved")


def put_another_directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("replace", [leave_nothing, put_a_link, put_another_directory])
def test_a_root_that_was_replaced_leads_nowhere(
    tree: Path, by_kernel: bool, replace: Callable[[Path], None]
) -> None:
    root = RootDirectory(str(tree), by_kernel=by_kernel)
    tree.rename(tree.with_name("moved"))
    replace(tree)
    with pytest.raises(LedElsewhereError, match="when the rules were loaded"), root.opened("."):
        pass


def test_a_root_that_was_moved_and_came_back_is_the_same(tree: Path, by_kernel: bool) -> None:
    root = RootDirectory(str(tree), by_kernel=by_kernel)
    tree.rename(tree.with_name("moved"))
    tree.with_name("moved").rename(tree)
    with root.opened("sub") as opened:
        assert os.path.samestat(os.fstat(opened), (tree / "sub").stat())


def test_missing_directories_are_made_below_the_root(tree: Path, by_kernel: bool) -> None:
    RootDirectory(str(tree), by_kernel=by_kernel).make_directories("sub/x/y")
    assert (tree / "sub" / "x" / "y").is_dir()


def test_very_many_directories_are_made_at_once(tree: Path, by_kernel: bool) -> None:
    root, deep = RootDirectory(str(tree), by_kernel=by_kernel), "/".join("x" * 600)
    root.make_directories(deep)
    with root.opened(deep) as opened:
        assert stat.S_ISDIR(os.fstat(opened).st_mode)


def test_no_directory_is_made_in_a_root_that_was_replaced(tree: Path, by_kernel: bool) -> None:
    root = RootDirectory(str(tree), by_kernel=by_kernel)
    tree.rename(tree.with_name("moved"))
    tree.mkdir()
    with pytest.raises(LedElsewhereError, match="when the rules were loaded"):
        root.make_directories("new")
    assert not (tree.with_name("moved") / "new").exists()


@pytest.mark.parametrize("path", ["l", "l/x", "l/x/y"])
def test_no_directory_is_made_through_a_link(tree: Path, by_kernel: bool, path: str) -> None:
    (tree / "l").symlink_to("../outside")
    with pytest.raises(LedElsewhereError):
        RootDirectory(str(tree), by_kernel=by_kernel).make_directories(path)
    assert [path.name for path in (tree.parent / "outside").iterdir()] == ["a.txt"]


def test_a_copy_of_a_root_is_the_root(tree: Path) -> None:
    root = RootDirectory(str(tree))
    assert copy.copy(root) is root
    assert copy.deepcopy(root) is root


def test_a_root_cannot_be_sent_to_another_process(tree: Path) -> None:
    with pytest.raises(TypeError, match="another process"):
        pickle.dumps(RootDirectory(str(tree)))


def test_an_error_of_the_kernel_keeps_its_number(descriptor: int, by_kernel: bool) -> None:
    with pytest.raises(OSError, match="name") as failed:
        open_beneath(descriptor, "x" * 300, os.O_RDONLY, by_kernel=by_kernel)
    assert failed.value.errno == errno.ENAMETOOLONG


# -- by the kernel -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "may"), [({}, True), ({"by_kernel": True}, True), ({"by_kernel": False}, False)]
)
def test_the_kernel_is_asked_unless_it_must_not_be(
    tree: Path, descriptor: int, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool], may: bool
) -> None:
    asked = []

    def no_kernel() -> None:
        asked.append(True)

    monkeypatch.setattr(openat2, "_kernel_opener", no_kernel)
    os.close(open_beneath(descriptor, "file", os.O_RDONLY, **options))
    assert bool(asked) == may
    asked.clear()
    root = RootDirectory(str(tree), **options)
    root.make_directories("new/er")
    with root.opened("new"):
        pass
    assert bool(asked) == may


class Kernel:
    """A kernel whose call fails a number of times before it is really made."""

    def __init__(self, error: int, failures: int) -> None:
        self.calls = 0
        self._error, self._failures = error, failures
        self._really = ctypes.CDLL(None, use_errno=True).syscall

    @property
    def syscall(self) -> Any:
        def call(*args: Any) -> int:
            self.calls += 1
            if self.calls <= self._failures:
                ctypes.set_errno(self._error)
                return -1
            return int(self._really(*args))

        return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], Kernel]:
    """Let the kernel fail with an error so many times."""

    def fail(error: int, failures: int) -> Kernel:
        kernel = Kernel(error, failures)
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: kernel)
        monkeypatch.setattr(openat2, "_kernel_opener", lambda: opener)
        opener = openat2._openat2()
        return kernel

    return fail


needs_the_kernel = pytest.mark.skipif(not kernel_resolves(), reason="no openat2 here")


@needs_the_kernel
@pytest.mark.parametrize("error", [errno.EAGAIN, errno.EINTR])
def test_the_kernel_is_asked_again_when_something_was_renamed_or_a_signal_came(
    descriptor: int, failing: Callable[[int, int], Kernel], error: int
) -> None:
    failing(error, 99)
    assert content(descriptor, "file", by_kernel=True) == b"file"


@needs_the_kernel
def test_a_tree_that_never_rests_is_told_as_such(descriptor: int, failing: Callable[[int, int], Kernel]) -> None:
    failing(errno.EAGAIN, 1_000_000)
    with pytest.raises(BlockingIOError):
        content(descriptor, "file", by_kernel=True)


@needs_the_kernel
def test_any_other_error_of_the_kernel_is_told_at_once(
    descriptor: int, failing: Callable[[int, int], Kernel]
) -> None:
    kernel = failing(errno.EACCES, 1)
    with pytest.raises(PermissionError):
        content(descriptor, "file", by_kernel=True)
    assert kernel.calls == 1


def test_a_descriptor_may_be_that_of_a_closed_standard_input(descriptor: int, by_kernel: bool) -> None:
    kept = os.dup(0)
    os.close(0)
    try:
        assert content(descriptor, "file", by_kernel=by_kernel) == b"file"
    finally:
        os.dup2(kept, 0)
        os.close(kept)
