"""What a sandbox says of a path agrees with where the kernel's own open ends, whatever links lie about."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.openat2 import kernel_resolves
from signoff.tools.roots import Access, Operation, PathConfig, Roots
from signoff.tools.safe_io import OLD_FILE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells where a descriptor leads")

ROOTS = {"outer": "a", "inner": "a/b", "linked": "l"}
READ = os.O_RDONLY | os.O_NONBLOCK
CREATE = os.O_WRONLY | os.O_NONBLOCK | os.O_CREAT

starts = st.sampled_from(["", "", "a/", "a/b/", "c/", "l/", "{T}/", "{T}/a/", "/"])
components = st.sampled_from(["a", "b", "c", "l", "m", "..", "..", ".", ""])
ways = st.lists(components, max_size=4).map(lambda names: "".join(f"{name}/" for name in names))
targets = st.builds("{}{}{}".format, starts, ways, st.sampled_from(["a", "b", "c", "l", "m", "x", ".", ".."]))
paths = st.builds("{}{}{}".format, starts, ways, st.sampled_from(["x", "x", "x", "l", "m", "new"]))

places = st.builds("{}{}".format, st.sampled_from(["", "a/", "a/b/", "c/", "l/"]), st.sampled_from("lmabc"))
Step = tuple[str, str, str]
steps = st.one_of(
    st.tuples(st.just("mkdir"), places, st.just("")),
    st.tuples(st.just("file"), places, st.just("")),
    st.tuples(st.just("symlink"), places, targets),
    st.tuples(st.just("symlink"), places, targets),
)
trees = st.lists(steps, max_size=10)


@contextmanager
def world(tree: list[Step]) -> Iterator[Path]:
    """A directory with roots and files, and in it what can be made of a list of steps."""
    with TemporaryDirectory() as name:
        top = Path(name).resolve()
        for directory in ("a/b", "a", "c", "."):
            (top / directory).mkdir(parents=True, exist_ok=True)
            (top / directory / "x").write_text(directory)
        for kind, place, target in tree:
            with contextlib.suppress(OSError):
                make(top, kind, place, target.replace("{T}", str(top)))
        yield top


def make(top: Path, kind: str, place: str, target: str) -> None:
    path = top / place
    if not stays_in(path, top):
        return
    if kind == "symlink":
        path.symlink_to(target)
    elif kind == "mkdir":
        path.mkdir()
    else:
        path.write_text(place)


def stays_in(path: Path, top: Path) -> bool:
    """Whether making something at a path changes nothing but the test's own directory."""
    return os.path.realpath(path).startswith(f"{top}/")


@contextmanager
def kernel_opens(path: str, top: Path, flags: int) -> Iterator[int | None]:
    """What the kernel opens at a path, following every link; None if it opens nothing."""
    with contextlib.ExitStack() as closing:
        start = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
        closing.callback(os.close, start)
        try:
            opened = os.open(path, flags, 0o600, dir_fd=start)
        except OSError:
            yield None
            return
        closing.callback(os.close, opened)
        yield opened


def led_to(opened: int) -> str:
    return str(Path(f"/proc/self/fd/{opened}").readlink())


def is_regular(opened: int) -> bool:
    return stat.S_ISREG(os.fstat(opened).st_mode)


def deciding(real: str, top: Path) -> set[str]:
    """Names of the entries for the longest root that holds a path, by where the kernel says that roots are."""
    holding: dict[str, int] = {}
    for name, root in ROOTS.items():
        with kernel_opens(root, top, os.O_PATH | os.O_DIRECTORY) as opened:
            if opened is not None and Path(real).is_relative_to(led_to(opened)):
                holding[name] = len(led_to(opened))
    return {name for name, length in holding.items() if length == max(holding.values())}


def judged(top: Path, operation: Operation, path: str, *, by_kernel: bool = True) -> Access | None:
    config = {name: PathConfig(root=root, mode="rw") for name, root in ROOTS.items()}
    try:
        return Roots(config, str(top), by_kernel=by_kernel).access(operation, path)
    except PermissionError:
        return None


def require_agreement(access: Access | None, real: str, expected: set[str]) -> None:
    assert (access is not None) == bool(expected)
    if access is not None:
        assert access.path == real
        assert access.sandbox in expected


@given(trees, paths)
def test_a_file_is_inside_exactly_if_the_kernel_finds_it_inside(tree: list[Step], given_path: str) -> None:
    with world(tree) as top:
        path = given_path.replace("{T}", str(top))
        access = judged(top, "read", path)
        with kernel_opens(path, top, READ) as opened:
            if opened is not None:
                real = led_to(opened)
                require_agreement(access, real, deciding(real, top) if is_regular(opened) else set())


@given(trees, paths)
def test_a_new_file_is_judged_by_where_the_kernel_makes_it(tree: list[Step], given_path: str) -> None:
    with world(tree) as top:
        path = given_path.replace("{T}", str(top))
        access = judged(top, "write", path)
        with kernel_opens(path, top, CREATE if stays_in(top / path, top) else READ) as opened:
            if opened is not None and is_regular(opened):
                real = led_to(opened)
                require_agreement(access, real, deciding(real, top))


@pytest.mark.parametrize("by_kernel", [*([True] if kernel_resolves() else []), False])
@given(tree=trees, given_path=paths)
def test_what_is_opened_below_a_root_is_the_file_that_the_kernel_opens(
    by_kernel: bool, tree: list[Step], given_path: str
) -> None:
    with world(tree) as top:
        path = given_path.replace("{T}", str(top))
        access = judged(top, "read", path, by_kernel=by_kernel)
        with kernel_opens(path, top, READ) as theirs:
            if access is not None and theirs is not None:
                with access.root.opened(access.relative, OLD_FILE) as ours:
                    assert os.path.samestat(os.fstat(ours), os.fstat(theirs))
