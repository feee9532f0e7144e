"""The roots of a sandbox: the real target of a path, its allowed operations, and protected names.

Roots are resolved once, when they are given. A request is resolved completely, then compared component by
component; the longest root that contains the file decides, and where several entries name that root the
strictest of them.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, StrictBool, model_validator

from signoff.confine.protected_names import is_protected
from signoff.policy.risk import lies_in_bare_repository
from signoff.present.reveal import findings
from signoff.present.snapshot.files import named
from signoff.tools.openat2 import RootDirectory

__all__ = [
    "Access",
    "Operation",
    "PathConfig",
    "Roots",
    "follow",
    "followed",
]


Operation = Literal["read", "write"]

_MANY_NAMES = "more than one name"
_UNSEEN = frozenset(
    ("bidi", "blank", "control", "invisible", "line-break", "line-ending", "private", "tag", "unassigned")
)
"""Kinds of findings in a name that looks like another one, or like none."""


class PathConfig(BaseModel):
    """The rights below one root.

    ``approval: {write: required, read: none}`` is read as well as the two flags.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: str
    """Directory; relative to the working directory. Resolved once; one that is not there covers nothing."""
    mode: Literal["ro", "rw"] = "ro"
    """ro: files may be read. rw: they may be written too."""
    suffixes: tuple[str, ...] | None = None
    """Endings, with the dot, that a file name must have one of; empty for no file at all. Left out: any."""
    write_approval: StrictBool = True
    """Whether writing has to be approved."""
    read_approval: StrictBool = False
    """Whether reading, and listing what is there, has to be approved."""

    @model_validator(mode="before")
    @classmethod
    def _read_approval_block(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or "approval" not in data:
            return data
        values = dict(data)
        block = values.pop("approval")
        if not isinstance(block, Mapping):
            raise ValueError('"approval" must name "read" or "write"')  # noqa: TRY004 - what pydantic expects
        for operation, answer in block.items():
            name = f"{operation}_approval"
            if operation not in ("read", "write") or name in values:
                raise ValueError(f'"approval: {operation}" is unknown, or "{name}" is given too')
            if answer not in ("required", "none"):
                raise ValueError(f'"approval: {operation}" must be "required" or "none", not {answer!r}')
            values[name] = answer == "required"
        return values


@dataclass(frozen=True, slots=True)
class Access:
    """A file that may be touched, or a directory that may be listed, perhaps after a question.

    Attributes:
        sandbox: Name of the root that decides.
        path: The file or directory with every link resolved, absolute.
        relative: The same, relative to the root.
        reasons: The reasons why approval is needed; empty if it is not.
        root: The directory that decides, as it was opened when the rules were loaded.
    """

    sandbox: str
    path: str
    relative: str
    reasons: tuple[str, ...]
    root: RootDirectory

    @property
    def has_many_names(self) -> bool:
        """True if the file was found under more than one name (hard link)."""
        return _MANY_NAMES in self.reasons


@dataclass(frozen=True, slots=True)
class _Root:
    name: str
    config: PathConfig
    directory: RootDirectory

    @property
    def path(self) -> str:
        return self.directory.path


class Roots:
    """The roots of a sandbox: each is resolved and opened once, and stays the directory that it was then.

    Args:
        paths: Configuration by name.
        cwd: Working directory at which relative paths start; the process's own by default.
        by_kernel: True to let the kernel resolve paths below a root if it can (`openat2`).

    Raises:
        OSError: No more directories can be opened.
    """

    def __init__(
        self,
        paths: Mapping[str, PathConfig],
        cwd: str | None = None,
        *,
        by_kernel: bool = True,
    ) -> None:
        self.cwd = os.path.realpath(cwd or os.curdir)
        self._roots: list[_Root] = []
        for name, config in paths.items():
            directory = _opened(self.cwd, config.root, by_kernel=by_kernel)
            if directory is not None:
                self._roots.append(_Root(name, config, directory))

    @property
    def places(self) -> tuple[tuple[str, PathConfig], ...]:
        """The directories, without links, with their settings."""
        return tuple((root.path, root.config) for root in self._roots)

    def access(self, operation: Operation, path: object) -> Access:
        """Judge one operation. Looks at names and links on the disk, never into a file.

        Args:
            operation: The operation.
            path: The path as the agent gave it.

        Raises:
            PermissionError: The operation is not allowed; the message says why.
        """
        path = _text(path)
        name = _file_name(path)
        called = followed(path, self.cwd)
        real = _text(called[-1])
        deciding = self._deciding(real)
        if not deciding:
            raise self._outside(path)
        for root in deciding:
            _refuse_by_root(root, operation, name, os.path.basename(real))  # noqa: PTH119
        nearest = deciding[0]
        reasons = [
            *_reasons_of_file(path, real),
            *(f"{operation} approval" for root in deciding if _asks(root.config, operation)),
        ]
        if operation == "write":
            if self._is_protected([path, *called], nearest.path) or lies_in_bare_repository(real):
                reasons.append("protected name")
            if _makes_option(nearest.path, real):
                reasons.append("a new name that programs take for an option")
        relative = os.path.relpath(real, nearest.path)
        return Access(nearest.name, real, relative, tuple(dict.fromkeys(reasons)), nearest.directory)

    def listing(self, path: object) -> Access:
        """Judge the listing of everything below a directory.

        Names reveal the content of a root, so they count as reading: also those of other roots further down.

        Args:
            path: The path of the directory as the agent gave it.

        Raises:
            PermissionError: The path is outside every root, or cannot be that of a directory.
        """
        path = _text(path)
        real = _text(follow(path, self.cwd))
        deciding = self._deciding(real)
        if not deciding:
            raise self._outside(path)
        if os.path.lexists(real) and not os.path.isdir(real):  # noqa: PTH112 - never raises
            raise PermissionError(f"{named(path)} is not a directory")
        told = [*deciding, *(root for root in self._roots if PurePosixPath(root.path).is_relative_to(real))]
        reasons = ("read approval",) if any(_asks(root.config, "read") for root in told) else ()
        nearest = deciding[0]
        return Access(nearest.name, real, os.path.relpath(real, nearest.path), reasons, nearest.directory)

    def hold(self, path: str, names: Collection[str]) -> bool:
        """True if a path lies in roots of certain names, and no other root is below it.

        Args:
            path: A path, relative to the working directory or absolute; it need not be there.
            names: Names of roots.
        """
        try:
            real = follow(_text(path), self.cwd)
        except PermissionError:
            return False
        others = [root for root in self._roots if root.name not in names]
        below = any(PurePosixPath(root.path).is_relative_to(real) and root.path != real for root in others)
        return not below and any(root.name in names for root in self._deciding(real))

    def _is_protected(self, called: Sequence[str], root: str) -> bool:
        """True if other programs run or obey the written file, by any of the names that lead to it.

        Names count from the working directory on if the root is in it, else from the root on: the directories
        above the project do not matter.
        """
        top = self.cwd if PurePosixPath(root).is_relative_to(self.cwd) else root
        for path in called:
            name = os.path.normpath(os.path.join(self.cwd, path))  # noqa: PTH118 - text is compared
            if not PurePosixPath(name).is_relative_to(top):  # a link from elsewhere
                name = os.path.join(top, os.path.basename(name))  # noqa: PTH118, PTH119
            if is_protected(PurePosixPath(name).relative_to(top).parts):
                return True
        return False

    def _outside(self, path: str) -> PermissionError:
        directories = ", ".join(dict.fromkeys(named(root.config.root) for root in self._roots))
        return PermissionError(f"{named(path)} is not in any sandbox; their directories: {directories or 'none'}")

    def _deciding(self, real: str) -> list[_Root]:
        """The entries for the longest root that contains a path."""
        holding = [root for root in self._roots if PurePosixPath(real).is_relative_to(root.path)]
        longest = max((len(root.path) for root in holding), default=0)
        return [root for root in holding if len(root.path) == longest]


def _opened(cwd: str, root: str, *, by_kernel: bool) -> RootDirectory | None:
    """The root, or None for one that is missing, is no directory or cannot be reached."""
    if not root:
        return None
    try:
        path = os.path.realpath(os.path.join(cwd, root), strict=True)  # noqa: PTH118 - text is compared
        return RootDirectory(path, by_kernel=by_kernel)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise
        return None


def _text(path: object) -> str:
    """The path, if it means the same to every program."""
    if not isinstance(path, str) or not path:
        raise PermissionError("a path is text that is not empty")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise PermissionError("the path holds half a character (a lone surrogate)") from None
    if "\0" in path:
        raise PermissionError("the path holds a NUL, at which other programs would end it")
    if path.startswith("~"):
        raise PermissionError('a "~" is not expanded here but might be elsewhere; give the whole path')
    return path


def _file_name(path: str) -> str:
    """The last component of a path that can be the path of a file."""
    name = path.rpartition("/")[2]
    if name in ("", ".", ".."):
        raise PermissionError(f"{named(path)} names a directory, not a file")
    return name


def _refuse_by_root(root: _Root, operation: Operation, *names: str) -> None:
    if operation == "write" and root.config.mode == "ro":
        raise PermissionError(f"sandbox {root.name!r} is read-only")
    suffixes = root.config.suffixes
    if suffixes is None:
        return
    for name in names:
        if not any(name.endswith(suffix) and len(name) > len(suffix) for suffix in suffixes):
            allowed = ", ".join(suffixes) or "none"
            raise PermissionError(f"sandbox {root.name!r} is for files that end in: {allowed}")


def _makes_option(root: str, real: str) -> bool:
    """True if a file or directory with a name that begins with a dash is made below a root, to write a file."""
    path = PurePosixPath(root)
    for name in PurePosixPath(real).relative_to(root).parts:
        path /= name
        if name.startswith("-") and not os.path.lexists(path):
            return True
    return False


def _asks(config: PathConfig, operation: Operation) -> bool:
    return config.write_approval if operation == "write" else config.read_approval


def _hides(name: str) -> bool:
    if name.isascii() and name.isprintable():
        return False
    return any(unicodedata.category(char) == "Cf" for char in name) or any(
        found.kind in _UNSEEN for found in findings(name, "path")
    )


def _reasons_of_file(path: str, real: str) -> Iterator[str]:
    if any(map(_hides, (path, real))):
        yield "hidden characters"
    try:
        found = os.lstat(real)
    except FileNotFoundError:
        return
    except OSError as error:
        raise PermissionError(f"the file cannot be looked at: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise PermissionError(f"{named(real)} is not a regular file")
    if found.st_nlink > 1:
        yield _MANY_NAMES


# -- The real target of a path, found one component at a time.
#
# The standard library answers the same question but folds a loop into a plausible path and walks through
# ``/proc/self`` and ``/dev/fd``, which mean something else in the process that opens the file later.

_MOST_LINKS = 40  # as the Linux kernel
_MOST_BYTES = 4095
_MOST_BYTES_OF_A_NAME = 255
_PROCESS_BOUND = ("proc", "dev")


def follow(path: str, start: str) -> str:
    """Resolve every link of a path.

    Nothing in the path is expanded or decoded: ``~``, ``$HOME``, ``%2e`` and backslashes are text. The last
    components may be missing; a dangling link is resolved to its target.

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
    """Resolve every link of a path, and list its names on the way.

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
    """True if a path exists and is no directory: nothing is below it, and a slash after it is an error."""
    try:
        return bool(components) and not stat.S_ISDIR(os.lstat("/" + "/".join(components)).st_mode)
    except OSError:
        return False


def _link_target(components: list[str]) -> str | None:
    """The target of the last component, or None if it is no link or does not exist."""
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
