"""Letting a command try: it runs confined, on copies of the directories, and a person approves what came of it.

Nothing that it does reaches the real directories before each changed file was shown, as a group of requests; what
is approved does. What a decision on a file cannot carry is told and left out: links and special files.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.approved_call import bound_to
from signoff.present.snapshot.files import MAX_FILE_SIZE, named
from signoff.types import ApprovalContext

if TYPE_CHECKING:
    from signoff.controller import ApprovalController
    from signoff.tools.file_sandbox import FileSandbox
    from signoff.types import ApprovalDecision

__all__ = ["Trial", "TriedChange", "TriedOutcome", "review", "trial"]

_MOST_BYTES = 1 << 30
"""The most that is copied for a command, and the most that is asked about."""

_Facts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class TriedChange:
    """A file that a command changed on a copy.

    Attributes:
        path: The real path.
        content: The new content; None if the file is gone.
    """

    path: str
    content: bytes | None


@dataclass(frozen=True, slots=True)
class TriedOutcome:
    """The end of a change that was asked about.

    Attributes:
        path: The real path.
        approved: True if it was approved and made.
        words: What was done, or why not.
    """

    path: str
    approved: bool
    words: str


class Trial:
    """Copies of directories, and what a command changed on them.

    Attributes:
        copies: The copies, by the real directories.
    """

    def __init__(self, copies: Mapping[str, str]) -> None:
        self.copies = copies
        self._before = {real: dict(_files(copy)) for real, copy in copies.items()}

    def changes(self) -> tuple[tuple[TriedChange, ...], tuple[str, ...]]:
        """Return the changed files, and in words what else was changed and cannot be taken over."""
        changes: list[TriedChange] = []
        left_out: dict[str, str] = {}
        left = _MOST_BYTES
        for real, copy in self.copies.items():
            unseen: list[str] = []
            before, after = self._before[real], dict(_files(copy, unseen.append))
            left_out |= {_joined(real, name): "cannot be looked into" for name in unseen}
            for name in sorted({*before, *after}, key=lambda name: name.split("/")):
                path = _joined(real, name)
                above = {str(each) for each in Path(path).parents}
                if before.get(name) == after.get(name) or not above.isdisjoint(left_out):
                    continue
                size = after[name][2] if name in after else 0
                why = _left_out(before.get(name), after.get(name), path, _joined(copy, name))
                if why or size > min(left, MAX_FILE_SIZE):
                    left_out[path] = why or "is too large to be shown"
                    continue
                left -= size
                content = Path(copy, name).read_bytes() if name in after else None
                if content != _content(path):
                    changes.append(TriedChange(path, content))
        told = tuple(f"{named(path)} {why}; it was left out" for path, why in left_out.items())
        return tuple(changes), told


def _left_out(before: _Facts | None, after: _Facts | None, path: str, copy: str) -> str:
    """The reason why a decision on a file cannot carry a change; "" if it can."""
    if after is not None and not stat.S_ISREG(after[0]):
        return "is a link or a special file"
    if before is not None and not stat.S_ISREG(before[0]):
        return "was a link or a special file"
    if after is None and os.path.isdir(copy):  # noqa: PTH112 - never raises
        return "is a directory now"
    if after is not None and os.path.isdir(path):  # noqa: PTH112
        return "was a directory"
    return "" if after is None or os.access(copy, os.R_OK) else "cannot be read"


def _joined(folder: str, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name))  # noqa: PTH118


@contextmanager
def trial(directories: Sequence[str]) -> Iterator[Trial]:
    """Copy directories for a command that tries, and remove the copies afterwards.

    Args:
        directories: The directories, absolute; of one inside another there is one copy.

    Raises:
        ValueError: They are too large to be copied, or temporary files are made in one of them.
        OSError: They cannot be copied.
    """
    outer = [path for path in directories if not any(_is_below(path, other) for other in directories)]
    size = sum(facts[2] for path in outer for _, facts in _files(path))
    if size > _MOST_BYTES:
        raise ValueError(f"the writable directories have {size >> 20} MiB; up to {_MOST_BYTES >> 20} are copied")
    with tempfile.TemporaryDirectory(prefix="signoff-review-") as base:
        within = Path(os.path.realpath(base))
        if any(within.is_relative_to(path) for path in outer):
            raise ValueError(f"temporary files are made in {within.parent}, which is copied; set TMPDIR elsewhere")
        copies = {path: str(within / str(at)) for at, path in enumerate(outer)}
        for path, copy in copies.items():
            _copy(path, copy)
        yield Trial(copies)


def _copy(path: str, copy: str) -> None:
    try:
        shutil.copytree(path, copy, symlinks=True, ignore=_special)
    except shutil.Error as error:
        first, _, why = error.args[0][0]
        raise OSError(f"{named(first)} cannot be copied: {why}") from error


def _special(folder: str, names: list[str]) -> list[str]:
    """Names of sockets, pipes and devices, which are not copied."""
    kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}  # noqa: PTH118
    return [name for name, mode in modes.items() if not any(kind(mode) for kind in kinds)]


def _is_below(path: str, other: str) -> bool:
    return path != other and Path(path).is_relative_to(other)


def _files(top: str, unseen: Callable[[str], object] | None = None) -> Iterator[tuple[str, _Facts]]:
    """All but directories below one, with facts that change whenever a file does.

    Args:
        top: The directory.
        unseen: Called with each directory that cannot be looked into.
    """

    def say(error: OSError) -> None:
        if unseen is not None:
            unseen(os.path.relpath(error.filename, top))

    for folder, folders, files in os.walk(top, onerror=say):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
        for name in (*files, *links):
            path = os.path.join(folder, name)  # noqa: PTH118
            found = os.lstat(path)
            yield os.path.relpath(path, top), (found.st_mode, found.st_ino, found.st_size, found.st_ctime_ns)


def _content(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes() if stat.S_ISREG(os.lstat(path).st_mode) else None
    except OSError:
        return None


def review(
    changes: Sequence[TriedChange],
    sandbox: FileSandbox,
    controller: ApprovalController,
    tool_name: str,
    arguments: Mapping[str, Any],
) -> list[TriedOutcome]:
    """Ask about changes, as one group, and make those that are approved.

    Args:
        changes: The changes.
        sandbox: The file tools, whose rules hold for them.
        controller: The controller that asks.
        tool_name: Name of the tool that ran the command.
        arguments: Arguments of its call.
    """
    metadata = {"group_id": f"what {tool_name} did, {uuid.uuid4().hex[:6]}", "group_size": len(changes)}
    context = ApprovalContext(tool_name=tool_name, args=dict(arguments), metadata=metadata)

    async def all_of_them() -> list[TriedOutcome]:
        return list(await asyncio.gather(*(_review(each, sandbox, controller, context) for each in changes)))

    with ThreadPoolExecutor(1) as thread:  # with an event loop of its own, whoever calls
        try:
            return thread.submit(asyncio.run, all_of_them()).result()
        except _InterruptedError:
            raise KeyboardInterrupt from None


class _InterruptedError(Exception):
    """The program was told to stop. An event loop would be left at once by the interrupt itself."""


async def _review(
    change: TriedChange, sandbox: FileSandbox, controller: ApprovalController, context: ApprovalContext
) -> TriedOutcome:
    try:
        request = sandbox.change_request(context, change.path, change.content)
        honors = context.model_copy(update={"honors": request.honors})
        decision: ApprovalDecision = await controller.request_approval(request, honors)
        decision.raise_if_denied()
        with bound_to(request, decision.snapshot, decision.instead):
            done = await asyncio.to_thread(sandbox.change, context, change.path, change.content)
    except KeyboardInterrupt:
        raise _InterruptedError from None
    except (OSError, ValueError) as error:
        return TriedOutcome(change.path, approved=False, words=f"{named(change.path)}: {error}")
    return TriedOutcome(change.path, approved=True, words=done)
