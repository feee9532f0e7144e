"""Bubblewrap (https://github.com/containers/bubblewrap): a command in a file system of its own.

The new root is empty. What the profile shows is mounted into it at its own path, parents before children; what it
hides in there is covered; and what is read-only inside a writable directory keeps its place, because each
directory above it is a mount as well, which nobody can rename. The command starts only after the mounts were read
back from outside.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from signoff.confine.checks import Check
from signoff.confine.errors import LaunchError, ended_words, remedy_of
from signoff.confine.mountinfo import MountLine, origins, read_mounts
from signoff.confine.profile import OSProfile, PathAccess, is_below
from signoff.confine.seccomp import UnknownMachineError, filter_program
from signoff.confine.system import system_links, system_places

__all__ = ["Bubblewrap", "Mount", "MountKind", "mounts_of", "options"]

_PROGRAMS = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/usr/sbin/bwrap", "/sbin/bwrap")
"""The places in which the program is looked for: none that an agent may write."""
_OWN = ("/proc", "/sys", "/dev")
"""Directories that are made anew for each command."""
_TMP = "/tmp"  # noqa: S108 - of the command alone
_MOST_WORDS = 8_900
"""Bubblewrap takes 9,000, with its own and those of the command."""
_TMP_BYTES = 1 << 30
_MOST_PROCESSES = 2048
_SECONDS = 10.0
"""The time for setting up; what takes longer is ended."""
_LOOK_AGAIN = 0.0003
"""The time, in seconds, between two looks at whether a sandbox is set up."""
_SECONDS_TO_END = 0.5
_AS_SYSTEM = (PathAccess.NONE, PathAccess.READ)
"""The access above a file of the system and to it, as programs need it."""
_MOST_SAID = 1000


class MountKind(StrEnum):
    """A kind of mount."""

    WRITABLE = "writable"
    READ_ONLY = "read-only"
    SYSTEM = "read-only, of the system, if it is there"
    HIDDEN_DIRECTORY = "hidden directory"
    HIDDEN_FILE = "hidden file"


class Mount(NamedTuple):
    """A place that is mounted.

    Attributes:
        path: The path, in the sandbox.
        kind: The kind of mount.
        source: The path outside; "" if there is none.
        leads: True for a hidden directory with something visible inside.
    """

    path: str
    kind: MountKind
    source: str
    leads: bool = False


# -- Which mounts a profile needs.


def mounts_of(profile: OSProfile, replaced: Mapping[str, str] | None = None) -> list[Mount]:
    """Return the mounts for a profile, those above before those below.

    Args:
        profile: The profile.
        replaced: Other directories by the places where they are mounted, with all that is below them.

    Raises:
        LaunchError: The profile cannot be kept as the files are now.
    """
    shown = profile.visible()
    places, found, plain = dict(shown), dict[str, Mount](), set[str]()
    holding = {above for path in places for above in _above(path)}
    for path, access in shown:
        source = _source(path, replaced) if replaced else path
        above = PathAccess.NONE if path == "/" else shown.at(_parent(path))
        if path in system_places() and path == source and path not in holding and (above, access) == _AS_SYSTEM:
            # If it is missing, a command could not make it; a link in its place is noticed when it is read back.
            found[path] = Mount(path, MountKind.SYSTEM, path)
            continue
        kind = _kind_of_file(source, plain)
        if kind is None:
            _require_harmless(path, access, above)
            continue
        _require_not_made_anew(path, access)
        leads = access is PathAccess.NONE and any(inner and is_below(place, path) for place, inner in shown)
        found[path] = _mount(path, access, kind, source, leads=leads)
        if above is PathAccess.WRITE:
            # The directories up to the writable one: a mount of its own cannot be renamed.
            for pin in takewhile(lambda each: each not in places, _above(path)):
                found.setdefault(pin, Mount(pin, MountKind.WRITABLE, _source(pin, replaced) if replaced else pin))
    return sorted(found.values(), key=lambda mount: (_depth(mount.path), mount.path))


def _source(path: str, replaced: Mapping[str, str]) -> str:
    above = [place for place in replaced if is_below(path, place)]
    if not above:
        return path
    nearest = max(above, key=len)
    return os.path.normpath(os.path.join(replaced[nearest], os.path.relpath(path, nearest)))  # noqa: PTH118


def _mount(path: str, access: PathAccess, kind: str, source: str, *, leads: bool) -> Mount:
    match access:
        case PathAccess.WRITE:
            return Mount(path, MountKind.WRITABLE, source)
        case PathAccess.READ:
            return Mount(path, MountKind.READ_ONLY, source)
        case _ if kind == "file":
            return Mount(path, MountKind.HIDDEN_FILE, os.devnull)
        case _:
            return Mount(path, MountKind.HIDDEN_DIRECTORY, "", leads)


def _above(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first."""
    while path != "/":
        path = _parent(path)
        yield path


def _kind_of_file(path: str, plain: set[str]) -> str | None:
    """``directory`` or ``file``; None if there is nothing. `plain` keeps directories to which no link leads."""
    try:
        mode = os.lstat(path).st_mode
        through_link = stat.S_ISLNK(mode) or not _is_plain(_parent(path), plain)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LaunchError(f"{path} cannot be looked at: {error.strerror}") from error
    if through_link:
        raise LaunchError(f"{path} leads elsewhere through a link")
    if stat.S_ISDIR(mode):
        return "directory"
    if stat.S_ISREG(mode):
        return "file"
    raise LaunchError(f"{path} is neither a file nor a directory")


def _is_plain(directory: str, plain: set[str]) -> bool:
    """True if no part of a path is a link. `plain` keeps those of which this is known."""
    looked_at: list[str] = []
    while directory != "/" and directory not in plain:
        if stat.S_ISLNK(os.lstat(directory).st_mode):
            return False
        looked_at.append(directory)
        directory = _parent(directory)
    plain.update(looked_at)
    return True


def _require_harmless(path: str, access: PathAccess, above: PathAccess) -> None:
    """Return if it does no harm that a place is not there: nobody can make it."""
    if access is PathAccess.WRITE:
        raise LaunchError(f"{path} is to be writable, and is not there", "make it first")
    if above is PathAccess.WRITE:
        raise LaunchError(f"{path} is protected, and is not there, so that the command could make it")


def _require_not_made_anew(path: str, access: PathAccess) -> None:
    top = f"/{path.split('/', 2)[1]}"
    if access is PathAccess.WRITE and top in ("/", *_OWN):
        raise LaunchError(f"{path} is never writable in a sandbox")
    if access is PathAccess.READ and top in ("/proc", "/dev"):
        raise LaunchError(f"{path} cannot be shown in a sandbox, which has one of its own")


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _depth(path: str) -> int:
    return 0 if path == "/" else path.count("/")


# -- The options of Bubblewrap.


def options(profile: OSProfile, mounts: Sequence[Mount], links: Mapping[str, str], cwd: str) -> list[str]:
    """Return the options for a profile and its mounts.

    Args:
        profile: The profile.
        mounts: Its mounts, as `mounts_of` returns them.
        links: Links, by their paths, with what they say.
        cwd: The working directory.
    """
    whole = any(mount.path == "/" for mount in mounts)
    places = {mount.path for mount in mounts}
    words = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if profile.network else ["--unshare-net"]
    words += ["--disable-userns", "--cap-drop", "ALL", "--new-session"]
    words += ["--hostname", "confined"]
    for mount in mounts:
        if mount.path == "/":
            words += _words_of(mount)
    # The kernel lets root write into /proc/sys by user id alone, even without capabilities.
    words += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]
    if _TMP not in places:
        words += ["--perms", "1777", "--size", str(_TMP_BYTES), "--tmpfs", _TMP]
    if not whole:
        for path, target in links.items():
            words += ["--symlink", target, path]
    for mount in mounts:
        if mount.path != "/":
            words += _words_of(mount)
    if profile.visible().at(cwd) is PathAccess.NONE:  # empty, but for what is visible below it
        words += ["--dir", cwd]
    for mount in mounts:
        if mount.kind is MountKind.HIDDEN_DIRECTORY:
            words += ["--remount-ro", mount.path]
    return [*words, "--remount-ro", "/", "--chdir", cwd]


def _words_of(mount: Mount) -> list[str]:
    match mount.kind:
        case MountKind.WRITABLE:
            return ["--bind", mount.source, mount.path]
        case MountKind.READ_ONLY | MountKind.HIDDEN_FILE:
            return ["--ro-bind", mount.source, mount.path]
        case MountKind.SYSTEM:
            return ["--ro-bind-try", mount.source, mount.path]
        case MountKind.HIDDEN_DIRECTORY:
            return ["--perms", "0111" if mount.leads else "0000", "--tmpfs", mount.path]


# -- Starting.


class Bubblewrap:
    """Confines commands with Bubblewrap and a filter of system calls."""

    name = "bwrap"
    checks = frozenset(Check)
    shows_copies = True
    exact = True

    def enforced(self, profile: OSProfile) -> OSProfile:
        """Return a profile as it is; see `Backend.enforced`."""
        return profile

    def start(
        self,
        argv: Sequence[str],
        profile_now: Callable[[], OSProfile],
        *,
        cwd: str,
        env: Mapping[str, str],
        replaced: Mapping[str, str] | None = None,
        links: Mapping[str, str] | None = None,
        meanwhile: Callable[[], object] | None = None,
        **streams: int | IO[Any] | None,
    ) -> subprocess.Popen[bytes]:
        """Start a command under a profile, once its mounts are as they should be; see `Backend.start`."""
        program = find_program()
        with _SettingUp() as setting_up:
            process = setting_up.popen([program], argv, env=dict(env), **streams)
            try:
                profile = profile_now()  # while the program is loaded
                mounts = mounts_of(profile, replaced)
                shown = profile.visible()
                missing = {path: to for path, to in (links or {}).items() if shown.at(path) is PathAccess.NONE}
                words = options(profile, mounts, {**system_links(network=profile.network), **missing}, cwd)
                _require_room([*words, *argv], len(mounts))
                setting_up.tell(words, _calls(profile))
                outside = read_mounts()
                if meanwhile is not None:
                    meanwhile()
                child = setting_up.child(process)
                _require_mounts(process, child, profile, mounts, outside)
                resource.prlimit(child, resource.RLIMIT_CORE, (0, 0))
                resource.prlimit(child, resource.RLIMIT_NPROC, (_MOST_PROCESSES, _MOST_PROCESSES))
                setting_up.release()
            except (LaunchError, OSError) as error:
                reason = _failure(process, error, streams)
                _end(process)
                raise reason from None
            except BaseException:
                _end(process)
                raise
            return process


def _calls(profile: OSProfile) -> bytes:
    try:
        return filter_program(network=profile.network, unix_sockets=profile.unix_sockets)
    except UnknownMachineError as error:
        raise LaunchError(str(error)) from error


def _require_room(words: Sequence[str], mounts: int) -> None:
    if len(words) > _MOST_WORDS:
        raise LaunchError(
            f"{mounts} mounts are needed, more than bwrap takes: the writable directories have too many protected"
            " files; name smaller ones"
        )


def _failure(
    process: subprocess.Popen[bytes], error: LaunchError | OSError, streams: Mapping[str, int | IO[Any] | None]
) -> LaunchError:
    """The reason why no command was started; if Bubblewrap ended, that is the reason, whatever was seen of it."""
    if isinstance(error, OSError):  # what waited inside is gone, and so will be what started it
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS_TO_END)
    code = process.poll()
    if code is None:
        if isinstance(error, LaunchError):
            return error
        return LaunchError(f"the sandbox cannot be looked at: {error.strerror or error}")
    how = _said(process, streams) or f"bwrap {ended_words(code)}"
    if how.startswith("bwrap ended") and streams.get("stderr") is None:
        how += ", and its own words stand above"
    return LaunchError(f"the sandbox was not set up: {how}", remedy_of(how))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End all that was started: what waits inside does not end with its parent yet."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def find_program() -> str:
    """Return the path of Bubblewrap, from a directory of the system.

    Raises:
        LaunchError: There is none, or it is not one to be trusted with this.
    """
    found = next((path for path in _PROGRAMS if os.access(path, os.X_OK)), None)
    if found is None:
        raise LaunchError("bwrap is not installed in a directory of the system")
    path = os.path.realpath(found)
    _require_trusted(path)
    return path


def _require_trusted(path: str) -> None:
    facts = os.stat(path)  # noqa: PTH116
    by_others = facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if by_others or (facts.st_uid != 0 and not _is_root_outside(facts.st_uid)):
        raise LaunchError(f"{path} does not belong to root alone")
    if facts.st_mode & stat.S_ISUID:
        raise LaunchError(f"{path} is set-user-id; install one that uses user namespaces")


def _is_root_outside(owner: int) -> bool:
    """True in a user namespace that has not the root outside, for the number of all who are not in it."""
    nobody = int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii"))
    lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    maps = [(int(first), int(count)) for first, _, count in map(str.split, lines)]
    return owner == nobody and not any(first <= nobody < first + count for first, count in maps)


class _SettingUp:
    """The descriptors by which a starting sandbox is told its options, tells its process, and waits."""

    def __init__(self) -> None:
        # Bubblewrap ends if nothing was written into it.
        self._filter = os.memfd_create("filter")
        self._ours: list[int] = [self._filter]
        # Not a pipe: one has its end only when the last copy is closed, also one that another thread's fork made.
        self._telling, self._told = socket.socketpair()
        self._telling.settimeout(_SECONDS)
        self._info, self._tells = self._pipe()
        reads, self._go = self._pipe()
        # For writing too, so that it never comes to its end: what waits for it would go on if we were killed.
        self._waits = os.open(f"/proc/self/fd/{reads}", os.O_RDWR)
        self._ours.append(self._waits)

    def _pipe(self) -> tuple[int, int]:
        both = os.pipe()
        self._ours += both
        return both

    def popen(self, program: Sequence[str], argv: Sequence[str], **given: Any) -> subprocess.Popen[bytes]:
        """Start Bubblewrap, which loads, and waits to be told its options."""
        own = {
            "--seccomp": self._filter,
            "--info-fd": self._tells,
            "--block-fd": self._waits,
            "--args": self._told.fileno(),
        }
        words = (word for name, number in own.items() for word in (name, str(number)))
        try:
            process = subprocess.Popen(
                [*program, "--die-with-parent", *words, "--", *argv],
                pass_fds=tuple(own.values()),
                start_new_session=True,
                **given,
            )
        except OSError as error:
            raise LaunchError(f"{program[0]} cannot be started: {error.strerror}") from error
        for number in (self._tells, self._waits):
            self._ours.remove(number)
            os.close(number)
        self._told.close()
        return process

    def tell(self, words: Sequence[str], filter_of_calls: bytes) -> None:
        """Tell it its options, and the filter of system calls."""
        os.pwrite(self._filter, filter_of_calls, 0)
        self._telling.sendall(os.fsencode("\0".join([*words, ""])))
        self._telling.shutdown(socket.SHUT_WR)

    def child(self, process: subprocess.Popen[bytes]) -> int:
        """Return the process that waits inside."""
        told, end = b"", time.monotonic() + _SECONDS
        while b"}" not in told:
            ready, _, _ = select.select([self._info], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise LaunchError(f"the sandbox was not set up within {_SECONDS:g} seconds")
            piece = os.read(self._info, 4096)
            if not piece:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_SECONDS)
                raise LaunchError("bwrap closed what it should tell its process by, and goes on")
            told += piece
        return int(json.loads(told)["child-pid"])

    def release(self) -> None:
        os.write(self._go, b"1")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._telling.close()
        self._told.close()
        for number in self._ours:
            os.close(number)


def _said(process: subprocess.Popen[bytes], streams: Mapping[str, int | IO[Any] | None]) -> str:
    """The words of a program that ended, if its errors go to a file or a pipe of ours."""
    errors = streams.get("stderr")
    file, pipe = (
        (streams.get("stdout"), process.stdout) if errors == subprocess.STDOUT else (errors, process.stderr)
    )
    try:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            return os.read(pipe.fileno(), _MOST_SAID).decode("utf-8", "replace").strip()
        return os.pread(file.fileno(), _MOST_SAID, 0).decode("utf-8", "replace").strip()  # type: ignore[union-attr]
    except (AttributeError, OSError):
        return ""


# -- Reading back from outside.


def _require_mounts(
    process: subprocess.Popen[bytes],
    child: int,
    profile: OSProfile,
    mounts: Iterable[Mount],
    outside: Sequence[MountLine],
) -> None:
    """Return once a sandbox has all its mounts, each of what it should show, and nothing else that can be written.

    Args:
        process: What sets it up.
        child: The process that waits inside.
        profile: What it should show.
        mounts: Its mounts.
        outside: The mounts that they are made of.

    Raises:
        LaunchError: It has not.
    """
    end = time.monotonic() + _SECONDS
    sources = origins((mount.source for mount in mounts if mount.source), outside)
    with open(f"/proc/{child}/stat", "rb", buffering=0) as state:  # noqa: PTH123 - read again and again
        while True:
            late = time.monotonic() > end
            # A look at the mounts holds up the mounting, so it waits until the process waits.
            if late or not _works(state.fileno()):
                inside = read_mounts(child)
                if _is_set_up(inside, outside):
                    return _require_as_planned(inside, sources, profile, mounts)
                if late or process.poll() is not None:
                    raise LaunchError(f"the sandbox was not set up within {_SECONDS:g} seconds")
            time.sleep(_LOOK_AGAIN)


def _works(state: int) -> bool:
    """True if a process does something, or waits for the kernel to be done with it; see proc_pid_stat(5)."""
    return os.pread(state, 512, 0).rpartition(b") ")[2][:1] in (b"R", b"D")


def _is_set_up(inside: Sequence[MountLine], outside: Sequence[MountLine]) -> bool:
    """True once the new root is in place, with a ``/proc`` of its own; it is sealed before that."""
    here, there = ({line.path: line for line in lines} for lines in (inside, outside))
    own = "/proc" in here and "/proc" in there and here["/proc"].device != there["/proc"].device
    return own and not here["/"].writable


def _require_as_planned(
    inside: Sequence[MountLine],
    sources: Mapping[str, tuple[str, str]],
    profile: OSProfile,
    mounts: Iterable[Mount],
) -> None:
    last = {line.path: line for line in inside}
    for mount in mounts:
        line = last.get(mount.path)
        if line is None and mount.kind is MountKind.SYSTEM:
            continue
        if line is None or line.writable is not (mount.kind is MountKind.WRITABLE):
            raise LaunchError(f"{mount.path} is not mounted as planned ({mount.kind})")
        if mount.kind is MountKind.HIDDEN_DIRECTORY:
            if line.type != "tmpfs":
                raise LaunchError(f"{mount.path} is not hidden as planned")
            continue
        if (line.device, line.root) != sources[mount.source]:
            raise LaunchError(f"{mount.path} was exchanged for something else while the sandbox was set up")
    shown = profile.visible()
    own = {*_OWN, _TMP} - {mount.path for mount in mounts}
    for path in (path for path, line in last.items() if line.writable):
        if shown.at(path) is not PathAccess.WRITE and not any(is_below(path, place) for place in own):
            raise LaunchError(f"{path} is writable in the sandbox, and should not be")
