"""The most that a command may touch, derived from the configuration of the file and shell tools.

It never allows what the tools themselves would refuse, or would ask about and nobody was asked: where a mount
cannot say what the configuration says, such as endings of names, it allows less.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, StrictBool

from signoff.confine.profile import OSProfile, PathAccess, PathMap, is_below
from signoff.confine.system import SOURCES, system_files
from signoff.queue.keys.folder import keys_folder
from signoff.queue.location import PLACE_VARIABLE, is_postgres, locate
from signoff.settings_yaml import KeyPath

if TYPE_CHECKING:
    from signoff.tools.file_sandbox import SandboxConfig
    from signoff.tools.roots import PathConfig
    from signoff.tools.shell_rules import ShellConfig

__all__ = [
    "ENVIRONMENT",
    "OSProfileConfig",
    "derive_os_sandbox_profile",
    "derived",
    "is_of_the_system",
    "links_to",
]

ENVIRONMENT = frozenset(
    {"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TZ", "USER", "LOGNAME", "NO_COLOR", "COLUMNS"}
)
"""Variables that a confined command gets, besides those that are set for it."""

_OF_THE_SYSTEM = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr",
    "/var/spool/cron",
)  # fmt: skip
"""Directories whose programs and settings count for everybody, with all that is below them."""
_TOO_WIDE = ("/", "/var")

_MADE_ANEW = ("proc", "dev")
"""A command has its own; those of the host tell of every process, so that the file tools refuse them too."""


class OSProfileConfig(BaseModel):
    """Limits for commands, beyond those that follow from the tools: nothing here ever allows more.

    What is left out limits nothing further; an empty list allows nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    read: tuple[str, ...] | None = None
    """Directories and files that may be read, besides those that may be written. Left out: no limit."""
    write: tuple[str, ...] | None = None
    """Directories and files that may be written. Left out: no limit."""
    hide: tuple[str, ...] = ()
    """Directories and files that are not there for a command, of the system too. Left out: none."""
    network: StrictBool | None = None
    """false: no network, whatever `shell` allows. Left out: as that says."""
    environment: tuple[str, ...] | None = None
    """Names of the variables that a command may get, of those on signoff's own list. Left out: all of these."""

    def profile(self, cwd: str) -> OSProfile:
        """Return the limits as a profile.

        Args:
            cwd: The directory at which relative paths start.
        """
        hidden = {_resolved(cwd, path): PathAccess.NONE for path in self.hide}
        paths = runtime = _below("/", hidden)
        if self.write is not None:
            paths = paths.meet(PathMap({"/": PathAccess.READ} | self._places(cwd, self.write)))
        if self.read is not None:
            paths = paths.meet(PathMap(self._places(cwd, (*self.read, *(self.write or ())))))
        environment = None if self.environment is None else frozenset(self.environment)
        return OSProfile(paths, runtime, self.network is not False, True, environment)

    def absent(self, cwd: str, profile: OSProfile) -> Iterator[tuple[KeyPath, str]]:
        """Yield the entries that keep a profile from being enforced because they are not there, with what to do.

        Args:
            cwd: As for `profile`.
            profile: A profile within these limits.
        """
        places = dict(profile.paths)
        for name, access in (("write", PathAccess.WRITE), ("hide", PathAccess.NONE)):
            for index, entry in enumerate(getattr(self, name) or ()):
                path = _resolved(cwd, entry)
                if places.get(path) is not access or os.path.lexists(path):
                    continue
                above = profile.paths.at(os.path.dirname(path))  # noqa: PTH120
                if PathAccess.WRITE in (access, above):
                    told = f"there is no {path}, so no command is started that could make it"
                    yield ("os_sandbox_profile", name, index), f"{told}; make it first, or leave the entry out"

    def _places(self, cwd: str, paths: Iterable[str]) -> dict[str, PathAccess]:
        return {_resolved(cwd, path): PathAccess.WRITE for path in paths}


def _below(path: str, less: Mapping[str, PathAccess]) -> PathMap:
    return PathMap({path: PathAccess.WRITE}).meet(PathMap({"/": PathAccess.WRITE} | dict(less)))


def derive_os_sandbox_profile(
    sandbox_config: SandboxConfig,
    shell_config: ShellConfig | None = None,
    explicit_profile: OSProfile | None = None,
    *,
    cwd: str | os.PathLike[str] | None = None,
    approved: bool = True,
) -> OSProfile:
    """Derive what a command may touch from the configuration of the tools.

    Args:
        sandbox_config: The roots.
        shell_config: The rules of the shell; without them there is no network.
        explicit_profile: Limits beyond those; nothing that it does not allow is allowed.
        cwd: The directory at which relative roots start; the process's own by default.
        approved: True for a command that a person approves, seeing what it can write. For others, what the file
            tools would ask about is read-only, or hidden.

    Raises:
        ValueError: A root is too wide to be writable, or of the system, or commands could lead one elsewhere.
    """
    from signoff.tools.roots import Roots  # the directories that the file tools take, and no others

    roots = Roots(sandbox_config.paths, None if cwd is None else os.fspath(cwd))
    profile = derived(roots.places, shell_config, explicit_profile, approved=approved)
    links_to((config.root for _, config in roots.places), roots.cwd, profile.paths)
    return profile


def derived(
    roots: Iterable[tuple[str, PathConfig]],
    shell: ShellConfig | None,
    explicit: OSProfile | None = None,
    *,
    approved: bool,
    copies: bool = False,
) -> OSProfile:
    """Derive a profile, as `derive_os_sandbox_profile`, from roots that were resolved before.

    Args:
        roots: The directories with their settings.
        shell: As there.
        explicit: As there.
        approved: As there.
        copies: True for a command that works on copies, of which a person approves what comes of it: it writes
            wherever it could be allowed to, and there is no network by which something could get out.

    Raises:
        ValueError: A root is too wide to be writable, or of the system, or commands could lead signoff to other
            keys or queues.
    """
    places: dict[str, PathAccess] = {}
    for path, config in roots:
        if config.mode == "rw":
            _require_narrow(path)
        if path.split("/")[1] not in _MADE_ANEW:
            access = _access(config, approved=approved, copies=copies)
            places[path] = min(access, places.get(path, access))
    network = shell is not None and shell.network and not copies
    paths, system = PathMap(places), system_files(network=network)
    runtime, whole = system, {path for path, _ in system}
    for path, access in places.items():
        if access is PathAccess.NONE and system.at(path) and path not in whole:
            runtime = runtime.limited(path, PathAccess.NONE)
    for own in own_places():
        paths, runtime = (each.limited(own, PathAccess.NONE) for each in (paths, runtime))
    profile = OSProfile(paths, runtime, network, False, ENVIRONMENT)
    if explicit is not None:
        profile = profile.intersect(explicit)
    links_to(_own_as_written(), "/", profile.paths)  # for the next start, which would find other keys there
    return profile


def links_to(roots: Iterable[str], cwd: str, paths: PathMap) -> dict[str, str]:
    """Return the links on the ways to some directories, by their paths, with what they say.

    Args:
        roots: The directories as they are written.
        cwd: The directory at which relative ones start.
        paths: What commands may touch.

    Raises:
        ValueError: A link lies where commands may write: one of them could lead it elsewhere for the next.
    """
    found: dict[str, str] = {}
    for root in roots:
        ahead, behind = os.path.join(cwd, root).split("/")[::-1], "/"  # noqa: PTH118
        while ahead:
            name = ahead.pop()
            here = os.path.normpath(os.path.join(behind, name))  # noqa: PTH118
            if not name or not os.path.islink(here):  # noqa: PTH114
                behind = here
                continue
            if paths.at(here) is PathAccess.WRITE:
                raise ValueError(
                    f"{root} leads through the link {here}, which commands can change; name its target"
                )
            found[here] = os.readlink(here)  # noqa: PTH115
            ahead += found[here].split("/")[::-1]
            behind = "/" if found[here].startswith("/") else behind
    return found


def _access(config: PathConfig, *, approved: bool, copies: bool) -> PathAccess:
    """The access below a root; a mount cannot tell names by their endings, so such a root is hidden."""
    if config.suffixes is not None or (config.read_approval and not approved):
        return PathAccess.NONE
    if config.mode == "ro" or (config.write_approval and not approved and not copies):
        return PathAccess.READ
    return PathAccess.WRITE


def is_of_the_system(path: str) -> bool:
    """True for a directory, without links, that holds programs or settings of the system, or lies in one."""
    if any(path != each and is_below(path, each) for each in SOURCES):
        return False
    return any(is_below(path, os.path.realpath(each)) for each in _OF_THE_SYSTEM)


def _require_narrow(path: str) -> None:
    if is_of_the_system(path):
        raise ValueError(
            f"{path} cannot be writable for commands: programs and settings of the system could be changed from"
            " inside; name directories elsewhere"
        )
    if path in map(os.path.realpath, _TOO_WIDE) or is_below(os.path.realpath(Path.home()), path):
        raise ValueError(f"{path} is too wide to be writable for commands; name directories in it instead")


def own_places() -> frozenset[str]:
    """Return the directories of signoff itself: data with queues and trusted rules, settings, keys and state."""
    return frozenset(map(os.path.realpath, _own_as_written()))


def _own_as_written() -> list[str]:
    import platformdirs  # late, as wherever places are looked up

    kinds = (platformdirs.user_data_path, platformdirs.user_config_path, platformdirs.user_state_path)
    places = [keys_folder().directory, *(kind("signoff", appauthor=False) for kind in kinds)]
    if not is_postgres(os.environ.get(PLACE_VARIABLE)):
        places.append(locate().directory)
    return list(map(str, places))


def _resolved(cwd: str, path: str) -> str:
    return os.path.realpath(os.path.join(cwd, os.path.expanduser(path)))  # noqa: PTH118, PTH111
