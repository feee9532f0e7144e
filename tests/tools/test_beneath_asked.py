"""What the kernel is asked, as strace sees it: walking alone would give the same answers, so no answer tells."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import pytest

from signoff.tools.openat2 import kernel_resolves

CALLED = re.compile(
    r'openat2\(\d+, "(?P<path>[^"]*)", '
    r"\{flags=(?P<flags>[A-Z_|]+), resolve=(?P<resolve>[A-Z_|]+)\}, \d+\) = (?P<result>-?\d+)"
)
WORK = """
import sys
from signoff.tools.openat2 import RootDirectory
root = RootDirectory(sys.argv[1])
with root.opened("sub"):
    pass
root.make_directories("sub/new")
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="no openat2 here"
)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[re.Match[str]]:
    """Every path that was resolved by the kernel while a directory was opened, and one made below it."""
    place = tmp_path_factory.mktemp("asked").resolve()
    (place / "sub").mkdir()
    trace = place / "trace"
    command = ["strace", "-f", "-e", "trace=openat2", "-o", str(trace), sys.executable, "-c", WORK, str(place)]
    subprocess.run(command, check=True)
    found = list(CALLED.finditer(trace.read_text()))
    assert found, "the kernel was not asked"
    if int(found[0]["result"]) < 0:
        pytest.skip("a filter of system calls forbids it")
    return found


def test_every_step_below_a_directory_is_resolved_by_the_kernel(calls: list[re.Match[str]]) -> None:
    paths = [call["path"] for call in calls]
    below = [path for path in paths if "/" not in path]
    assert below == [".", "sub", "sub", "new", "new"]  # the first is to see whether it can
    assert len(paths) - len(below) == 3  # the directory itself: opened, and looked at again before each step


def test_links_and_ways_out_are_forbidden_at_every_step(calls: list[re.Match[str]]) -> None:
    wanted = {"RESOLVE_NO_MAGICLINKS", "RESOLVE_NO_SYMLINKS", "RESOLVE_BENEATH"}
    assert [set(call["resolve"].split("|")) for call in calls] == [wanted] * len(calls)


def test_programs_that_are_started_do_not_inherit_what_was_opened(calls: list[re.Match[str]]) -> None:
    assert all("O_CLOEXEC" in call["flags"] and "O_NOFOLLOW" in call["flags"] for call in calls)


@pytest.mark.usefixtures("calls")
def test_that_the_kernel_can_is_known() -> None:
    assert kernel_resolves() is True
