"""Letting a command try: it runs confined, on copies of the directories, and a person approves what came of it.

Nothing that it does reaches the real directories before each changed file was shown, as a group of requests; what
is approved does. What a decision on a file cannot carry is told and left out: links and special files.
"""

from __future__ import annotations

import os
import shutil
import stat
import uuid
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.approved_call import bound_to
from signoff.confine.scratch import directory_while_alive
from signoff.present.snapshot.files import MAX_FILE_SIZE, look, named
from signoff.queue.errors import QueueError
from signoff.tools.file_sandbox import TriedChange
from signoff.tools.safe_io import OLD_FILE
from signoff.types import ApprovalContext

if TYPE_CHECKING:
    from signoff.controller import ApprovalController
    from signoff.tools.file_sandbox import FileSandbox
    from signoff.types import ApprovalDecision, ApprovalRequest

__all__ = ["Trial", "TriedOutcome", "review", "trial"]

_MOST_BYTES = 1 << 30
"""The most that is copied for a command, and the most that is asked about."""
_CHUNK = 1 << 20

_Facts = tuple[int, int, int, int]
"""Mode, number, size and time of a file or directory. They change whenever a file does."""


@dataclass(frozen=True, slots=True)
class TriedOutcome:
    """The end of a change that was to be asked about.

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

    Args:
        copies: The copies, by the real directories.
        digests: SHA-256 of each file of the copies, by its path there.
        usual: The permission bits of new directories.

    Attributes:
        copies: The copies, by the real directories.
    """

    def __init__(self, copies: Mapping[str, str], digests: Mapping[str, str], usual: int) -> None:
        self.copies = copies
        self._digests = digests
        self._usual = usual
        self._before = {real: dict(_found(copy)) for real, copy in copies.items()}

    def changes(self) -> tuple[tuple[TriedChange, ...], tuple[str, ...]]:
        """Return the changed files, and in words what else was changed and cannot be taken over.

        The copies are compared with what they were at first: what happened to the real files meanwhile is no
        change of the command.
        """
        changes: list[TriedChange] = []
        left_out: dict[str, str] = {}
        left = _MOST_BYTES
        for real, copy in self.copies.items():
            unseen: list[str] = []
            before, after = self._before[real], dict(_found(copy, unseen.append))
            left_out.update((_joined(real, name), "cannot be looked into; it was left out") for name in unseen)
            for name in _outermost({*before, *after}, real, left_out):
                old, new, path = before.get(name), after.get(name), _joined(real, name)
                if old == new or path in left_out or _are_directories(old, new):
                    continue
                why = _left_out(old, new, _joined(copy, name))
                size = 0 if new is None else new[2]
                if why or size > min(left, MAX_FILE_SIZE):
                    left_out[path] = f"{why or 'is too large to be shown'}; it was left out"
                elif change := self._change(path, _joined(copy, name), old, new):
                    left -= size
                    changes.append(change)
            told = {*left_out, *(change.path for change in changes)}
            left_out.update(_directories(real, before, after, self._usual, told))
        return tuple(changes), tuple(f"{named(path)} {why}" for path, why in left_out.items())

    def _change(self, path: str, copy: str, old: _Facts | None, new: _Facts | None) -> TriedChange | None:
        """The change of a file; None if it was only touched."""
        replaces = self._digests.get(copy, "")
        old_mode = None if old is None else stat.S_IMODE(old[0])
        if new is None:
            return TriedChange(path, None, replaces, None, old_mode)
        mode: int | None = stat.S_IMODE(new[0])
        if mode == (self._usual & 0o666 if old_mode is None else old_mode):
            mode = None
        change = TriedChange(path, Path(copy).read_bytes(), replaces, mode, old_mode)
        return None if mode is None and change.sha256 == replaces else change


def _left_out(old: _Facts | None, new: _Facts | None, copy: str) -> str:
    """The reason why a decision on a file cannot carry a change; "" if it can."""
    if new is not None and stat.S_ISDIR(new[0]):
        return "is a directory now"
    if new is not None and not stat.S_ISREG(new[0]):
        return "is a link or a special file"
    if old is not None and stat.S_ISDIR(old[0]):
        return "was a directory"
    if old is not None and not stat.S_ISREG(old[0]):
        return "was a link or a special file"
    return "" if new is None or os.access(copy, os.R_OK) else "cannot be read"


def _are_directories(old: _Facts | None, new: _Facts | None) -> bool:
    return all(each is None or stat.S_ISDIR(each[0]) for each in (old, new))


def _directories(
    real: str, before: Mapping[str, _Facts], after: Mapping[str, _Facts], usual: int, told: set[str]
) -> dict[str, str]:
    """Changes of directories, which no decision on a file can carry.

    Args:
        real: The real directory that they are below.
        before: What there was.
        after: What there is.
        usual: The permission bits of new directories.
        told: Paths of which something is said or asked.
    """
    holding: set[str] = set()
    for path in told:
        while path != "/" and path not in holding:
            holding.add(path)
            path = os.path.dirname(path)  # noqa: PTH120
    found: dict[str, str] = {}
    modes: dict[str, str] = {}
    for name in _outermost({*before, *after}, real, found):
        old, new, path = before.get(name), after.get(name), _joined(real, name)
        if old == new or path in told or not _are_directories(old, new):
            continue
        if new is None:
            found[path] = "was removed: its files are asked about, and the empty directory stays"
        elif old is None and path not in holding:
            found[path] = "is a new directory without files; it was left out"
        elif (mode := new[0] & 0o777) != (usual if old is None else old[0] & 0o777):
            modes[path] = f"got the permissions {mode:o}; they were left out"
    # One line for a whole tree that got the same.
    outermost = {path for path, words in modes.items() if modes.get(os.path.dirname(path)) != words}  # noqa: PTH120
    return found | {path: modes[path] for path in sorted(outermost)}


def _outermost(names: Set[str], real: str, told: Container[str]) -> Iterator[str]:
    """Paths below a directory in order, without those below one of which something is told."""
    done: str | None = None
    for name in sorted(names, key=lambda name: name.replace("/", "\0")):
        if done is None or not (done == "" or name.startswith(f"{done}/")):
            yield name
            done = name if _joined(real, name) in told else None


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
    size = sum(facts[2] for path in outer for _, facts in _found(path) if stat.S_ISREG(facts[0]))
    if size > _MOST_BYTES:
        raise ValueError(f"the writable directories have {size >> 20} MiB; up to {_MOST_BYTES >> 20} are copied")
    with directory_while_alive("signoff-review-") as base:
        within = Path(base)
        if any(within.is_relative_to(path) for path in outer):
            raise ValueError(f"temporary files are made in {within.parent}, which is copied; set TMPDIR elsewhere")
        copies = {path: str(within / str(at)) for at, path in enumerate(outer)}
        digests: dict[str, str] = {}
        for path, copy in copies.items():
            _copy(path, copy, digests)
        yield Trial(copies, digests, _usual_mode(within / "new"))


def _copy(path: str, copy: str, digests: dict[str, str]) -> None:
    """Copy a directory, and note the digest of each file by the path of its copy."""

    def copy_file(source: str, target: str) -> None:
        digest = sha256()
        with (
            open(source, "rb", opener=lambda name, _: os.open(name, OLD_FILE)) as old,
            open(target, "xb") as new,  # noqa: PTH123
        ):
            while data := old.read(_CHUNK):
                digest.update(data)
                new.write(data)
        shutil.copystat(source, target, follow_symlinks=False)
        digests[target] = digest.hexdigest()

    try:
        shutil.copytree(path, copy, symlinks=True, ignore=_special, copy_function=copy_file)
    except shutil.Error as error:
        first, _, why = error.args[0][0]
        raise OSError(f"{named(first)} cannot be copied: {why}") from error
    except RecursionError as error:
        raise ValueError(f"{named(path)} is too deep to be copied") from error


def _usual_mode(folder: Path) -> int:
    """The permission bits that a new directory gets."""
    folder.mkdir()
    try:
        return stat.S_IMODE(folder.stat().st_mode)
    finally:
        folder.rmdir()


def _special(folder: str, names: list[str]) -> list[str]:
    """Names of sockets, pipes and devices, which are not copied."""
    kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}  # noqa: PTH118
    return [name for name, mode in modes.items() if not any(kind(mode) for kind in kinds)]


def _is_below(path: str, other: str) -> bool:
    return path != other and Path(path).is_relative_to(other)


def _found(top: str, unseen: Callable[[str], object] | None = None) -> Iterator[tuple[str, _Facts]]:
    """A directory, as "", and all that is below it, by relative paths. A tree may be of any depth.

    Args:
        top: The directory.
        unseen: Called with each directory that cannot be looked into.
    """
    waiting = [("", os.lstat(top))]
    while waiting:
        name, found = waiting.pop()
        yield name, (found.st_mode, found.st_ino, found.st_size, found.st_ctime_ns)
        if not stat.S_ISDIR(found.st_mode):
            continue
        try:
            for entry in tuple(os.scandir(_joined(top, name))):
                with suppress(FileNotFoundError):
                    waiting.append((f"{name}/{entry.name}".lstrip("/"), entry.stat(follow_symlinks=False)))
        except OSError:  # closed, or too deep
            if unseen is not None:
                unseen(name)


def review(
    changes: Sequence[TriedChange],
    sandbox: FileSandbox,
    controller: ApprovalController,
    tool_name: str,
    arguments: Mapping[str, Any],
) -> list[TriedOutcome]:
    """Ask about changes, as one group, and make those that are approved.

    What rules block, and a file that something else changed meanwhile, is not asked about.

    Args:
        changes: The changes.
        sandbox: The file tools, whose rules hold for them.
        controller: The controller that asks.
        tool_name: Name of the tool that ran the command.
        arguments: Arguments of its call.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    metadata: dict[str, Any] = {"group_id": f"what {tool_name} did, {uuid.uuid4().hex[:6]}"}
    context = ApprovalContext(tool_name=tool_name, args=dict(arguments), metadata=metadata)
    ended: dict[str, TriedOutcome] = {}
    requests: list[tuple[TriedChange, ApprovalRequest]] = []
    for change in changes:
        try:
            request = sandbox.change_request(context, change)
            found, _ = look(change.path)
            if not change.is_made(found):
                change.require_applicable(found)
                requests.append((change, request))
        except (OSError, ValueError) as error:
            ended[change.path] = _not_made(change, error)
    size = sum(not _is_remembered(controller, request) for _, request in requests)
    metadata["group_size"] = size
    sized = [(change, request.model_copy(update={"group_size": size})) for change, request in requests]

    async def all_of_them() -> list[TriedOutcome]:
        return list(await asyncio.gather(*(_review(*each, sandbox, controller, context) for each in sized)))

    with ThreadPoolExecutor(1) as thread:  # with an event loop of its own, whoever calls
        try:
            ended |= {each.path: each for each in thread.submit(asyncio.run, all_of_them()).result()}
        except _InterruptedError:
            raise KeyboardInterrupt from None
    return [ended[change.path] for change in changes if change.path in ended]


def _is_remembered(controller: ApprovalController, request: ApprovalRequest) -> bool:
    """True if nobody is asked about a request."""
    try:
        return controller.is_session_approved(request)
    except QueueError:
        return False


def _not_made(change: TriedChange, error: Exception) -> TriedOutcome:
    path, why = named(change.path), str(error)
    return TriedOutcome(change.path, approved=False, words=why if path in why else f"{path}: {why}")


class _InterruptedError(Exception):
    """The program was told to stop. An event loop would be left at once by the interrupt itself."""


async def _review(
    change: TriedChange,
    request: ApprovalRequest,
    sandbox: FileSandbox,
    controller: ApprovalController,
    context: ApprovalContext,
) -> TriedOutcome:
    import asyncio

    try:
        honors = context.model_copy(update={"honors": request.honors})
        decision: ApprovalDecision = await controller.request_approval(request, honors)
        decision.raise_if_denied()
        with bound_to(request, decision.snapshot, decision.instead):
            done = await asyncio.to_thread(sandbox.change, context, change)
    except KeyboardInterrupt:
        raise _InterruptedError from None
    except (OSError, ValueError) as error:
        return _not_made(change, error)
    return TriedOutcome(change.path, approved=True, words=done)
