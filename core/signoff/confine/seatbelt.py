"""Seatbelt: a command under a policy of macOS's ``sandbox-exec``, which denies all that it does not allow.

Experimental. That the policy never allows more of files than a profile is proved by a reader that tries it; which
further things of the system programs need there, such as services, is not known from running it.

Beyond its profile a command reads the names in ``/``, metadata of the directories that lead to what is visible,
and devices like ``/dev/null``; with the network, it asks for names of hosts. Short of it, a writable place and
each directory in it that leads to a place with another access cannot be renamed or removed. The command stays
among the processes of everybody, and what it leaves running outlives it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from signoff.confine.checks import Check
from signoff.confine.errors import LaunchError
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.scratch import Scratch

__all__ = ["Policy", "Seatbelt", "policy_of"]

_PROGRAM = "/usr/bin/sandbox-exec"
_NEVER_WRITABLE = ("/dev", "/System")
_FILES = "file-read* file-map-executable process-exec*"

_START = """\
(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read
  (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax") (sysctl-name "kern.hostname") (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.osproductversion") (sysctl-name "kern.osrelease") (sysctl-name "kern.ostype")
  (sysctl-name "kern.osversion") (sysctl-name "kern.usrstack64") (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read* (literal "/"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
"""
_NETWORK = """\
(allow system-socket)
(allow network-outbound (remote ip "*:*") (literal "/private/var/run/mDNSResponder"))
(allow network-inbound network-bind (local ip "*:*"))
(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd") (global-name "com.apple.trustd"))
"""
"""Names of hosts are asked for at a socket."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: the last rule that matches decides.

    Attributes:
        text: Its rules, in which no path of a profile stands.
        parameters: The paths, by the names that the rules have for them.
    """

    text: str
    parameters: Mapping[str, str]


def policy_of(profile: OSProfile) -> Policy:
    """Return the policy for a profile.

    Rules that take back name the very operations of those that gave: it is then no matter whether a rule for one
    operation counts before one for a group of them.
    """
    shown = profile.visible()
    names: dict[str, str] = {}

    def filters(kind: str, paths: Iterable[str]) -> str:
        return " ".join(f'({kind} (param "{names.setdefault(path, f"PLACE_{len(names)}")}"))' for path in paths)

    lines = ["(deny network*)\n", *([_NETWORK] if profile.network else [])]
    for path, access in shown:
        above = PathAccess.NONE if path == "/" else shown.at(_parent(path))
        place = filters("subpath", [path])
        lines += [f"{rule} {place})\n" for rule in _rules(access, above)]
        if profile.unix_sockets:
            sockets = f"(remote unix-socket {place}) (local unix-socket {place})"
            lines += [f"{rule} {sockets})\n" for rule in _rules_of_sockets(access)]
    places = [path for path, _ in shown]
    kept = [path for path in _with_ancestors(places) if shown.at(path) is PathAccess.WRITE]
    leading = [
        path
        for path in _with_ancestors(path for path, access in shown if access)
        if shown.at(path) is PathAccess.NONE
    ]
    lines += [f"(deny file-write-unlink {filters('literal', kept)})\n"] if kept else []
    lines += [f"(allow file-read-metadata {filters('literal', leading)})\n"] if leading else []
    lines += ["(deny file-write-setugid)\n"]
    return Policy(_START + "".join(lines), {name: path for path, name in names.items()})


def _rules(access: PathAccess, above: PathAccess) -> Iterator[str]:
    match access:
        case PathAccess.WRITE:
            yield f"(allow {_FILES} file-write*"
        case PathAccess.READ:
            if above is PathAccess.WRITE:
                yield "(deny file-write*"
            yield f"(allow {_FILES}"
        case _:
            yield f"(deny {_FILES} file-write*"


def _rules_of_sockets(access: PathAccess) -> Iterator[str]:
    yield "(deny network-outbound network-inbound network-bind"
    if access:
        yield "(allow network-outbound network-inbound"
    if access is PathAccess.WRITE:
        yield "(allow network-bind"


def _with_ancestors(paths: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for path in paths:
        found |= dict.fromkeys([path, *map(str, PurePosixPath(path).parents)])
    return sorted(found)


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


class Seatbelt:
    """Confines commands with ``sandbox-exec``."""

    name = "seatbelt"
    checks = frozenset({Check.STARTS, Check.WRITES, Check.READS_ONLY, Check.HIDES, Check.KEEPS_PROTECTED})
    shows_copies = False
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
        """Start a command under a profile; see `Backend.start`."""
        if sys.platform != "darwin":
            raise LaunchError("Seatbelt is there on macOS only")
        if replaced:
            raise LaunchError("Seatbelt cannot show other directories in the places of some")
        profile = profile_now()
        _require_places(profile.visible())
        scratch = Scratch()
        try:
            paths = profile.paths.join(PathMap({scratch.path: PathAccess.WRITE}))
            policy = policy_of(OSProfile(paths, profile.runtime, profile.network, profile.unix_sockets))
            words = [word for name, path in policy.parameters.items() for word in ("-D", f"{name}={path}")]
            if meanwhile is not None:
                meanwhile()
            process = subprocess.Popen(
                [_PROGRAM, *words, "-p", policy.text, "--", *argv],
                cwd=cwd,
                env=scratch.environment(env),
                start_new_session=True,
                **streams,
            )
        except BaseException as error:
            scratch.remove()
            if isinstance(error, OSError):
                raise LaunchError(f"{_PROGRAM} cannot be started in {cwd}: {error.strerror}") from error
            raise
        scratch.remove_with(process)
        return process


def _require_places(shown: PathMap) -> None:
    """Return if the places of a profile are there, under the very names that the system has for them.

    Raises:
        LaunchError: One is not; rules for another name would not hold.
    """
    for path, access in shown:
        above = PathAccess.NONE if path == "/" else shown.at(_parent(path))
        if access is PathAccess.WRITE and (
            path == "/" or any(PurePosixPath(path).is_relative_to(each) for each in _NEVER_WRITABLE)
        ):
            raise LaunchError(f"{path} is never writable in a sandbox")
        if os.path.realpath(path) != path:
            raise LaunchError(f"{path} leads elsewhere through a link")
        if not os.path.lexists(path):
            if access is PathAccess.WRITE:
                raise LaunchError(f"{path} is to be writable, and is not there")
            if above:
                raise LaunchError(
                    f"{path} is protected, and is not there, so that it could be made in other letters"
                )
        elif not _is_spelled_so(Path(path)):
            raise LaunchError(f"{path} has another spelling on the disk; name it as it is there")


def _is_spelled_so(path: Path) -> bool:
    """True if each name on a path is in its directory in these very letters; a volume may not tell cases apart."""
    try:
        return all(each.name in os.listdir(each.parent) for each in (path, *path.parents) if each.name)  # noqa: PTH208
    except OSError:
        return False
