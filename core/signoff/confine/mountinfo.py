"""The mounts of a process, as ``/proc/PID/mountinfo`` tells them: see proc_pid_mountinfo(5)."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["MountLine", "origins", "read_mounts"]

_LINE = re.compile("^[^ ]+ [^ ]+ ([^ ]+) ([^ ]+) ([^ ]+) (r[ow])[^ ]* (?:[^ ]+ )*?- ([^ ]+) .*\n", re.MULTILINE)
_ESCAPE = re.compile(r"\\([0-7]{3})")


class MountLine(NamedTuple):
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
    path = f"/proc/{process}/mountinfo"
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:  # noqa: PTH123
        text = file.read()
    found = [
        MountLine(device, _plain(root), _plain(path), access == "rw", type_)
        for device, root, path, access, type_ in _LINE.findall(text)
    ]
    if len(found) != text.count("\n"):
        raise OSError(errno.EBADMSG, "it has lines of another form than mounts have", path)
    return found


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), text) if "\\" in text else text


def origins(paths: Iterable[str], mounts: Sequence[MountLine]) -> dict[str, tuple[str, str]]:
    """Return where paths without links come from: each one's file system, and the path in there.

    Raises:
        OSError: None of the mounts is above one of them.
    """
    last = {each.path: each for each in mounts}
    return {path: _origin(path, last) for path in paths}


def _origin(path: str, last: Mapping[str, MountLine]) -> tuple[str, str]:
    place = path
    while place not in last:
        if place == "/":
            raise OSError(errno.ENOENT, "no mount is above it", path)
        place = place.rpartition("/")[0] or "/"
    found = last[place]
    rest = path.removeprefix(place).strip("/")
    return found.device, f"{found.root.rstrip('/')}/{rest}".rstrip("/") or "/"
