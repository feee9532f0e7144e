"""Where a requested path really leads, found out one component at a time.

The standard library answers the same question but folds a loop into a plausible path and walks through
``/proc/self`` and ``/dev/fd``, which mean something else in the process that opens the file later.
"""

from __future__ import annotations

import os
import stat
from collections import deque

__all__ = ["follow", "followed"]

_MOST_LINKS = 40  # as the Linux kernel
_MOST_BYTES = 4095
_MOST_BYTES_OF_A_NAME = 255
_PROCESS_BOUND = ("proc", "dev")


def follow(path: str, start: str) -> str:
    """Resolve every link of a path.

    Nothing in the path is expanded or decoded: ``~``, ``$HOME``, ``%2e`` and backslashes are text. The last
    components may be missing; a link that dangles is resolved to what it names.

    Args:
        path: Path as requested, relative to `start` or absolute.
        start: Absolute directory without links.

    Returns:
        An absolute path without links, ``.`` and ``..``.

    Raises:
        PermissionError: The path loops, is too long, leads through ``/proc`` or ``/dev``, goes through
            something that is not a directory, or cannot be looked at.
    """
    return followed(path, start)[-1]


def followed(path: str, start: str) -> list[str]:
    """Resolve every link of a path, and tell what it is called on the way.

    Args:
        path: Path as requested, relative to `start` or absolute.
        start: Absolute directory without links.

    Returns:
        Absolute paths without ``.`` and ``..``: one for each link, in which it is replaced by its target, and at
        the end the one without links.

    Raises:
        PermissionError: As `follow` does.
    """
    if len(os.fsencode(path)) > _MOST_BYTES:
        raise PermissionError("the path is longer than any path can be")
    ahead = deque(path.split("/"))
    behind = [] if path.startswith("/") else _components(start)
    passed: list[str] = []
    while ahead:
        name = ahead.popleft()
        if name in ("", ".", ".."):
            if _is_file(behind):
                raise PermissionError("the path goes through something that is not a directory")
            if name == "..":
                del behind[-1:]
            continue
        target = _link_target([*behind, name])
        if target is None:
            behind.append(name)
            if behind[0] in _PROCESS_BOUND:
                raise PermissionError(f"/{behind[0]} means something else for every process; use another path")
            continue
        if len(passed) == _MOST_LINKS:
            raise PermissionError("the path leads through too many links, or around in a circle")
        ahead.extendleft(reversed(target.split("/")))
        if target.startswith("/"):
            behind = []
        passed.append(os.path.normpath("/" + "/".join([*behind, *ahead]).lstrip("/")))
    return [*passed, "/" + "/".join(behind)]


def _components(path: str) -> list[str]:
    return [name for name in path.split("/") if name]


def _is_file(components: list[str]) -> bool:
    """Whether this is there and no directory: nothing is below or beside it, and a slash behind it is an error."""
    try:
        return bool(components) and not stat.S_ISDIR(os.lstat("/" + "/".join(components)).st_mode)
    except OSError:
        return False


def _link_target(components: list[str]) -> str | None:
    """What the last component links to, or None if it is no link or is not there."""
    path = "/" + "/".join(components)
    if len(os.fsencode(components[-1])) > _MOST_BYTES_OF_A_NAME or len(os.fsencode(path)) > _MOST_BYTES:
        raise PermissionError("the path is longer than any path can be")
    try:
        if not stat.S_ISLNK(os.lstat(path).st_mode):
            return None
        return os.readlink(path)  # noqa: PTH115 - the exact text
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PermissionError(f"the path cannot be looked at: {error.strerror}") from error
