"""`OSSandbox`: the walls of the operating system around the commands of an agent."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from signoff.confine.detect import Usable, first_usable
from signoff.confine.errors import LaunchError
from signoff.confine.profile import EVERYWHERE, NOWHERE, OSProfile, PathAccess, PathMap, is_below
from signoff.confine.protected_names import (
    kept_back,
    lies_in_protected,
    open_up,
    protected_below,
    reason_of,
    secrets_of,
)
from signoff.confine.system import SOURCES
from signoff.effects import Confinement
from signoff.settings_yaml import KeyPath, dotted
from signoff.tools.os_profile import OSProfileConfig, derived, links_to, own_places
from signoff.tools.os_records import KeptRecord, Record, made_by_others, refuse_unseen

if TYPE_CHECKING:
    import subprocess

    from signoff.confine.backends import Backend
    from signoff.tools.roots import PathConfig
    from signoff.tools.shell_rules import ShellConfig

__all__ = ["OSSandbox", "Started"]

_INSIDE = {"HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - a directory of the command alone
_TOOLS_FILE = "tools.py"
_MOST_LOOKS = 20
"""The most looks of a sweep at a directory: another command may make new files there all the time."""


@dataclass(frozen=True, slots=True)
class Started:
    """A command that runs, perhaps in the sandbox.

    Attributes:
        process: Its process; the exit code is 128 and the number of the signal if a signal ended it.
    """

    process: subprocess.Popen[bytes]
    _record: Record = field(default_factory=Record)
    _states: Mapping[str, _State] = field(default_factory=dict)
    _kept: KeptRecord | None = None

    def swept(self) -> list[str]:
        """Move away what the command made, although other programs run or obey it, and return a line for each.

        To be called when it has ended. What was there before stays, and a line tells what of it was replaced.
        """
        if self._kept is not None and self._kept.has_ended:
            return []
        changed = {path for path, state in self._states.items() if _state(path) not in (None, state)}
        lines = [_told(path) for path in sorted(changed & self._record.protected) if self._record.may_write(path)]
        tried = set(self._states) - (changed - self._record.protected)
        clean = [self._sweep(top, tried, lines) for top in sorted(self._record.writable)]
        if self._kept is not None and all(clean):
            self._kept.end()
        return list(dict.fromkeys(lines))

    def _sweep(self, top: str, tried: set[str], lines: list[str]) -> bool:
        """Sweep a directory, and return whether nothing is left there."""

        def say(error: OSError) -> None:
            lines.append(f"{error.filename} cannot be looked into for what was made there: {error.strerror}")

        quarantine = _quarantine()  # of its own: two directories may have a file of the same name
        open_up(top, self._record.places | self._states.keys())
        is_clean = True
        for _ in range(_MOST_LOOKS):
            try:
                below = protected_below(top, self._record.places, say)
                made = [path for path, most in below if most and path not in tried]
                reasons = {path: reason_of(path) for path in made}
            except OSError as error:  # another command is at work here
                say(error)
                continue
            if not made:
                return is_clean
            away = {path if reason in tried else reason for path, reason in reasons.items()}
            tried |= away
            for path in sorted(away):
                line, moved = _put_away(path, top, quarantine)
                lines.append(line)
                is_clean &= moved
        return False


class OSSandbox:
    """Confines the commands of an agent to what its tools may touch.

    Args:
        roots: The directories of the file tools, resolved, with their settings.
        shell: The settings of the shell tool.
        limits: Further limits.
        cwd: The directory in which commands run.
        backends: The ways to confine them, in order; the first that works is taken.

    Raises:
        ValueError: None of them works here, or the one that does cannot do what the mode of the shell takes; or a
            root is too wide, or commands could lead one elsewhere.
    """

    def __init__(
        self,
        roots: Iterable[tuple[str, PathConfig]],
        shell: ShellConfig | None = None,
        limits: OSProfileConfig | None = None,
        *,
        cwd: str,
        backends: Sequence[str] = ("bwrap",),
    ) -> None:
        found = first_usable(backends)
        if not isinstance(found, Usable):
            raise ValueError("; ".join(map(str, found)))  # noqa: TRY004 - of the system, not of an argument
        self._backend: Backend = found.backend
        self._skipped = found.skipped if found.not_held else ()
        self._limits = OSProfileConfig() if limits is None else limits
        if shell is not None and shell.mode == "review" and not found.backend.shows_copies:
            raise ValueError(
                f"the shell's mode review takes bwrap: {self.backend} cannot have commands work on copies"
            )
        self._cwd = cwd
        explicit = None if limits is None else limits.profile(cwd)
        self._most_read = EVERYWHERE if explicit is None else explicit.runtime
        places = tuple(roots)
        self._roots = tuple(path for path, _ in places)
        self._profiles = {
            approved: _without_protected(derived(places, shell, explicit, approved=approved), places, cwd)
            for approved in (False, True)
        }
        on_copies = derived(places, shell, explicit, approved=False, copies=True)
        self._on_copies = _without_protected(on_copies, places, cwd)
        self._links = links_to((config.root for _, config in places), cwd, self._profiles[True].paths)

    @property
    def backend(self) -> str:
        """Name of the way in which commands are confined."""
        return self._backend.name

    @property
    def fallback(self) -> tuple[str, ...]:
        """The reasons, in words, why a backend confines commands that holds less than one before it would."""
        return tuple(f"{self.backend} is used, which holds less, because of {each}" for each in self._skipped)

    def profile(self, *, approved: bool) -> OSProfile:
        """Return what a command may touch, whatever files are there.

        Args:
            approved: True for a command that a person approves.
        """
        return self._profiles[approved]

    def profile_now(self, *, approved: bool) -> OSProfile:
        """Return what a command that is started now may touch: less, where there are protected files.

        Args:
            approved: As for `profile`.
        """
        profile = self.profile(approved=approved)
        return _without(profile, self._protected(profile))

    def enforced(self, *, approved: bool) -> OSProfile:
        """Return what the backend enforces of a profile: with Landlock less, where it cannot say the same.

        Args:
            approved: As for `profile`.

        Raises:
            LaunchError: No command can be started.
        """
        self._require_present(self.profile(approved=approved))
        if self._backend.exact:
            return self.profile(approved=approved)
        return self._backend.enforced(self.profile_now(approved=approved))

    def line(self, *, approved: bool) -> str:
        """Return what a command may do, in one line for the person who is asked about it."""
        return self.confinement(approved=approved).words

    def _line(self, profile: OSProfile, of: str = "") -> str:
        written = ", ".join(map(self._shown, _writable(profile)))
        said = f"{of}{written}" if written else "nothing"
        return f"can write: {said}; network: {'yes' if profile.network else 'no'}"

    def confinement(self, *, approved: bool) -> Confinement:
        """Return what is said of a command, to the person who is asked about it and in the history.

        Args:
            approved: True for a command that a person approves.
        """
        try:
            profile = self.enforced(approved=approved)
        except LaunchError as error:
            return Confinement(self.backend, self.profile(approved=approved).digest(), f"cannot start: {error}")
        return Confinement(self.backend, profile.digest(), self._line(profile))

    def confinement_on_copies(self) -> Confinement:
        """Return what is said of a command that works on copies, as `confinement`."""
        return Confinement(self.backend, self._on_copies.digest(), self._line(self._on_copies, "copies of "))

    def findings(self) -> list[tuple[KeyPath, str]]:
        """Return by which keys of ``sandbox`` less is enforced than they say, or no command started, and why."""
        ceiling = self.profile(approved=True)
        absent = list(self._limits.absent(self._cwd, ceiling))
        words = list(self.fallback)
        try:
            kept = _writable(ceiling if absent else self.enforced(approved=True))
        except LaunchError as error:
            words.append(f"no command can be started: {error}")
        else:
            words += [
                f"{path} is read-only for commands: {self.backend} cannot keep a part of it as it is"
                for path in _writable(ceiling)
                if path not in kept
            ]
        return [*absent, *((("os_sandbox_backends",), each) for each in words)]

    def _shown(self, path: str) -> str:
        if path == self._cwd:
            return "."
        inside = is_below(path, self._cwd)
        return f"{os.path.relpath(path, self._cwd) if inside else path}/"

    def start(
        self,
        argv: Sequence[str],
        *,
        approved: bool,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        reads: Iterable[str] = (),
        **streams: int | IO[Any] | None,
    ) -> Started:
        """Start a command.

        Args:
            argv: The command, as words.
            approved: True for a command that a person approved.
            env: Variables that are set for it, beside those that it may get.
            cwd: Its working directory; that of the sandbox by default.
            reads: Files and directories that it needs besides those that all programs may need.
            **streams: `stdin`, `stdout` and `stderr`, as for `subprocess.Popen`.

        Raises:
            LaunchError: It was not started.
        """
        profile = self.profile(approved=approved)
        needed = self._needed(reads, profile)
        if needed != NOWHERE:
            for own in own_places():
                needed = needed.limited(own, PathAccess.NONE)
            profile = replace(profile, runtime=profile.runtime.join(needed))
        return self._start(profile, argv, env, cwd, streams)

    def _needed(self, reads: Iterable[str], profile: OSProfile) -> PathMap:
        """The files that a command needs besides, without those among them that it must not see."""
        wanted = {os.path.realpath(path): PathAccess.READ for path in reads}
        if not wanted:
            return NOWHERE
        hidden = [path for path in self._roots if profile.paths.at(path) is PathAccess.NONE]
        hidden += map(os.path.realpath, SOURCES)
        return PathMap(dict.fromkeys(hidden, PathAccess.NONE) | wanted).meet(self._most_read)

    def start_on_copies(
        self,
        argv: Sequence[str],
        copies: Mapping[str, str],
        *,
        env: Mapping[str, str] | None = None,
        **streams: int | IO[Any] | None,
    ) -> Started:
        """Start a command that works on copies of directories.

        Args:
            argv: The command, as words.
            copies: The copies, by the writable directories that they are of; see `writable`.
            env: As for `start`.
            **streams: As for `start`.

        Raises:
            LaunchError: It was not started.
        """
        return self._start(self._on_copies, argv, env, None, streams, copies)

    @property
    def writable(self) -> tuple[str, ...]:
        """The directories that a command may write if it works on copies."""
        return _writable(self._on_copies)

    def _start(
        self,
        profile: OSProfile,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | None,
        streams: Mapping[str, int | IO[Any] | None],
        copies: Mapping[str, str] | None = None,
    ) -> Started:
        self._require_present(profile)
        writable = frozenset(() if copies else _writable(profile))
        places = frozenset(path for path, _ in profile.paths)
        found: dict[str, PathAccess] = {}
        states: dict[str, _State] = {}
        record = Record()
        kept: KeptRecord | None = None

        def profile_now() -> OSProfile:
            found.update(self._protected(profile))
            return _without(profile, found)

        def keep_record() -> None:
            nonlocal record, kept
            doubtful = made_by_others(found, writable) if writable else set()
            # After that: what the sweep of another command has moved away meanwhile is not there.
            states.update({path: state for path in found if (state := _state(path)) is not None})
            record = Record(writable, places, frozenset(states) - doubtful)
            kept = KeptRecord.of(record) if writable else None

        try:
            process = self._backend.start(
                argv,
                profile_now,
                cwd=cwd or self._cwd,
                env=self._environment(profile) | _INSIDE | dict(env or {}),
                replaced=copies,
                links=self._links,
                meanwhile=keep_record,
                **streams,
            )
        except BaseException:
            if kept is not None:
                kept.end()
            raise
        return Started(process, record, states, kept)

    def _require_present(self, profile: OSProfile) -> None:
        for key, words in self._limits.absent(self._cwd, profile):
            raise LaunchError(f"{dotted(key)}: {words}")

    def _protected(self, profile: OSProfile) -> dict[str, PathAccess]:
        """The files that are there now and that commands must leave as they are, with what they may do there."""
        places = {path for path, _ in profile.paths}
        tools = os.path.join(self._cwd, _TOOLS_FILE)  # noqa: PTH118
        found = {tools: PathAccess.READ} if os.path.lexists(tools) else {}
        for top, access in profile.paths:
            if access is not PathAccess.NONE:
                for path, most in protected_below(
                    top, places, refuse_unseen if access is PathAccess.WRITE else None
                ):
                    if most < access:
                        found[path] = min(most, found.get(path, most))
                    found |= dict.fromkeys(secrets_of(path), PathAccess.NONE)
        return found

    def _environment(self, profile: OSProfile) -> dict[str, str]:
        names = profile.environment
        if names is None:
            return dict(os.environ)
        return {name: os.environ[name] for name in names if name in os.environ}


def _without(profile: OSProfile, protected: Mapping[str, PathAccess]) -> OSProfile:
    return replace(profile, paths=profile.paths.meet(PathMap({"/": PathAccess.WRITE, **protected})))


def _writable(profile: OSProfile) -> tuple[str, ...]:
    return tuple(path for path, access in profile.paths if access is PathAccess.WRITE)


def _without_protected(profile: OSProfile, roots: Iterable[tuple[str, PathConfig]], cwd: str) -> OSProfile:
    """Leave out as writable what lies in a directory whose name protects all that is in it."""
    paths = profile.paths
    for place in _writable(profile):
        root = max((root for root, _ in roots if is_below(place, root)), key=len)
        if lies_in_protected(place, cwd if is_below(root, cwd) else root):
            paths = paths.limited(place, PathAccess.READ)
    return replace(profile, paths=paths)


_State = tuple[int, int, int]


def _state(path: str) -> _State | None:
    """Marks of a file or directory by which another one in its place is noticed, and of a file a change."""
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, 0 if stat.S_ISDIR(facts.st_mode) else facts.st_ctime_ns


def _told(path: str) -> str:
    return f"{path} was changed or replaced while the command ran; what is replaced is not protected: look at it"


def _put_away(path: str, top: str, quarantine: Path) -> tuple[str, bool]:
    """A line about a file that a command made, and whether it was moved away."""
    moved = True
    try:
        end = f"it is now {kept_back(path, top, quarantine)}"
    except OSError as error:
        moved = not os.path.lexists(path)
        end = f"it could not be moved away ({error.strerror}); look at it"
    return f"{path} was made, and other programs run or obey files of that name: {end}", moved


def _quarantine() -> Path:
    import platformdirs

    kept = Path(platformdirs.user_data_path("signoff", appauthor=False)) / "kept-back"
    return kept / time.strftime("%Y-%m-%d-%H%M%S", time.gmtime()) / os.urandom(3).hex()
