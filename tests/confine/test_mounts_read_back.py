"""A command starts only if its mounts, read from outside, are as planned: what was exchanged is noticed."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from signoff.confine.bubblewrap import Mount, MountKind, _is_set_up, _require_as_planned
from signoff.confine.errors import LaunchError
from signoff.confine.mountinfo import MountLine, origins, read_mounts
from signoff.confine.profile import OSProfile, PathAccess, PathMap

NONE, READ, WRITE = PathAccess
PROFILE = OSProfile(PathMap({"/p": WRITE, "/p/ro": READ, "/p/hole": NONE, "/p/file": NONE, "/p/a/ro": READ}))
MOUNTS = (
    Mount("/p", MountKind.WRITABLE, "/p"),
    Mount("/p/a", MountKind.WRITABLE, "/p/a"),
    Mount("/p/file", MountKind.HIDDEN_FILE, "/dev/null"),
    Mount("/p/hole", MountKind.HIDDEN_DIRECTORY, ""),
    Mount("/p/ro", MountKind.READ_ONLY, "/p/ro"),
    Mount("/p/a/ro", MountKind.READ_ONLY, "/p/a/ro"),
    Mount("/usr", MountKind.SYSTEM, "/usr"),
)
OUTSIDE = (
    MountLine("8:1", "/", "/", True, "ext4"),
    MountLine("0:5", "/", "/dev", True, "devtmpfs"),
    MountLine("0:20", "/", "/proc", True, "proc"),
    MountLine("8:2", "/data", "/p/a", True, "xfs"),
)
INSIDE = (
    MountLine("0:50", "/", "/", False, "tmpfs"),
    MountLine("0:51", "/", "/proc", True, "proc"),
    MountLine("0:51", "/sys", "/proc/sys", False, "proc"),
    MountLine("0:52", "/", "/dev", True, "tmpfs"),
    MountLine("0:53", "/", "/tmp", True, "tmpfs"),
    MountLine("8:1", "/p", "/p", True, "ext4"),
    MountLine("8:2", "/data", "/p/a", True, "xfs"),
    MountLine("0:5", "/null", "/p/file", False, "devtmpfs"),
    MountLine("0:54", "/", "/p/hole", False, "tmpfs"),
    MountLine("8:1", "/p/ro", "/p/ro", False, "ext4"),
    MountLine("8:2", "/data/ro", "/p/a/ro", False, "xfs"),
    MountLine("8:1", "/usr", "/usr", False, "ext4"),
)
SOURCES = origins((mount.source for mount in MOUNTS if mount.source), OUTSIDE)


def test_mounts_that_are_as_planned_are_taken() -> None:
    _require_as_planned(INSIDE, SOURCES, PROFILE, MOUNTS)
    assert _is_set_up(INSIDE, OUTSIDE)


def changed(path: str, **fields: object) -> tuple[MountLine, ...]:
    return tuple(line._replace(**fields) if line.path == path else line for line in INSIDE)  # type: ignore[arg-type]


@pytest.mark.parametrize("mount", MOUNTS, ids=lambda mount: mount.path)
def test_each_must_be_there_as_writable_as_planned_and_of_what_it_should_show(mount: Mount) -> None:
    line = next(line for line in INSIDE if line.path == mount.path)
    missing = tuple(each for each in INSIDE if each is not line)
    wrong = [
        *([] if mount.kind is MountKind.SYSTEM else [missing]),
        changed(mount.path, writable=not line.writable),
        *(
            [changed(mount.path, type="ext4")]
            if mount.kind is MountKind.HIDDEN_DIRECTORY
            else [changed(mount.path, root="/elsewhere"), changed(mount.path, device="8:9")]
        ),
    ]
    for inside in wrong:
        with pytest.raises(LaunchError, match=mount.path):
            _require_as_planned(inside, SOURCES, PROFILE, MOUNTS)


def test_files_of_the_system_may_be_missing() -> None:
    _require_as_planned([line for line in INSIDE if line.path != "/usr"], SOURCES, PROFILE, MOUNTS)


def test_of_two_mounts_at_one_path_the_later_counts() -> None:
    covered = MountLine("8:1", "/etc", "/p/ro", False, "ext4")
    with pytest.raises(LaunchError, match="exchanged"):
        _require_as_planned((*INSIDE, covered), SOURCES, PROFILE, MOUNTS)
    _require_as_planned((covered, *INSIDE), SOURCES, PROFILE, MOUNTS)


@pytest.mark.parametrize("path", ["/", "/etc", "/p/ro/inner", "/p/hole/inner", "/tmpfs", "/devices"])
def test_nothing_else_is_writable(path: str) -> None:
    extra = MountLine("8:3", "/", path, True, "ext4")
    with pytest.raises(LaunchError, match="is writable in the sandbox, and should not be"):
        _require_as_planned((*INSIDE, extra), SOURCES, PROFILE, MOUNTS)


@pytest.mark.parametrize("path", ["/p/inner", "/dev/shm", "/dev/pts", "/tmp/inner"])
def test_what_lies_in_writable_places_may_be_a_mount_itself(path: str) -> None:
    _require_as_planned((*INSIDE, MountLine("8:3", "/", path, True, "ext4")), SOURCES, PROFILE, MOUNTS)


# As in Linux's Documentation/filesystems/proc.rst, with what a path may hold unescaped.
TOLD = (
    "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue\n"
    "37 35 0:5 / /a\\040b\r\u2028\xa0- ro - tmpfs none rw\n"
)


def told(text: str, monkeypatch: pytest.MonkeyPatch) -> list[MountLine]:
    monkeypatch.setattr("signoff.confine.mountinfo.open", lambda *_, **__: io.StringIO(text), raising=False)
    return read_mounts()


def test_mounts_are_read_whatever_their_paths_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(TOLD, monkeypatch) == [
        MountLine("98:0", "/mnt1", "/mnt2", True, "ext3"),
        MountLine("0:5", "/", "/a b\r\u2028\xa0-", False, "tmpfs"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "36 35 98:0 / / - ext3 x rw",
        "36 35 98:0 / / xx - ext3 x rw",
        "36 35 98:0 / / rw",
        "x 36 35 98:0 / / rw - ext3 x rw",
    ],
)
def test_a_line_of_another_form_is_an_error(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="another form"):
        told(f"{TOLD}{line}\n", monkeypatch)


def not_yet() -> list[Callable[[], tuple[MountLine, ...]]]:
    return [
        lambda: OUTSIDE,
        lambda: changed("/", writable=True),
        lambda: changed("/proc", device="0:20"),
        lambda: tuple(line for line in INSIDE if line.path != "/proc"),
    ]


@pytest.mark.parametrize("inside", not_yet())
def test_a_sandbox_is_set_up_once_it_has_a_root_and_processes_of_its_own(
    inside: Callable[[], tuple[MountLine, ...]],
) -> None:
    assert not _is_set_up(inside(), OUTSIDE)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/", ("8:1", "/")),
        ("/p", ("8:1", "/p")),
        ("/p/ab", ("8:1", "/p/ab")),
        ("/p/a", ("8:2", "/data")),
        ("/p/a/x", ("8:2", "/data/x")),
        ("/dev/null", ("0:5", "/null")),
        ("/devices", ("8:1", "/devices")),
    ],
)
def test_a_path_comes_from_the_file_system_that_is_mounted_nearest_above(
    path: str, wanted: tuple[str, str]
) -> None:
    assert origins([path], OUTSIDE) == {path: wanted}
