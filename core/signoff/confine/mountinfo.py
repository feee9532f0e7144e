"""The mounts of a process, as ``/proc/PID/mountinfo`` tells them: see proc_pid_mountinfo(5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from signoff.confine.profile import is_below

__all__ = ["MountLine", "origin", "read_mounts"]

_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class MountLine:
    """A mount.

    Attributes:
        device: Major and minor number of its file system.
        root: The directory or file of that file system which is mounted.
        path: The place where it is mounted.
        writable: False if nothing can be written through it.
        type: Name of the kind of file system.
    """

    device: str
    root: str
    path: str
    writable: bool
    type: str


def read_mounts(process: int | str = "self") -> list[MountLine]:
    """Return the mounts that a process sees, oldest first: of two at one path the later one counts.

    Raises:
        OSError: They cannot be read.
    """
    text = Path(f"/proc/{process}/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    return [_line(each) for each in text.splitlines()]


@lru_cache(4096)  # while a sandbox is set up, the same lines are read again and again
def _line(text: str) -> MountLine:
    before, _, after = text.partition(" - ")
    _, _, device, root, path, options, *_ = before.split(" ")
    return MountLine(device, _plain(root), _plain(path), "rw" in options.split(","), after.split(" ")[0])


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), text)


def origin(path: str, mounts: Sequence[MountLine]) -> tuple[str, str]:
    """Return where a path without links comes from: its file system, and the path in there."""
    mount = max(
        ((len(each.path), at) for at, each in enumerate(mounts) if is_below(path, each.path)), default=None
    )
    assert mount is not None, "there is no root"
    found = mounts[mount[1]]
    rest = path.removeprefix(found.path).strip("/")
    return found.device, f"{found.root.rstrip('/')}/{rest}".rstrip("/") or "/"
