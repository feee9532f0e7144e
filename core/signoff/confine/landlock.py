"""Landlock: a command that the kernel keeps from opening files.

Weaker than Bubblewrap, and used only if the settings name it. The command stays in the file system, and among the
processes, of everybody: names and sizes of files can be asked for everywhere; modes, times and attributes of files
that its user owns can be changed; what it leaves running outlives it; and before Linux 6.12 it can signal other
processes of its user. It has neither ``/proc`` nor ``/sys``, and of ``/dev`` only what is like ``/dev/null``.

The kernel only ever adds: what is allowed for a directory is allowed for all in it. So a writable directory with
something read-only inside is read-only as a whole, and one with something hidden inside is refused; only of the
files of the system, all that is there beside the hidden ones is allowed by itself. See
https://docs.kernel.org/userspace-api/landlock.html.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from signoff.confine.checks import Check
from signoff.confine.errors import LaunchError, ended_words
from signoff.confine.landlock_launcher import READY
from signoff.confine.profile import OSProfile, PathAccess, PathMap, is_below
from signoff.confine.scratch import Scratch
from signoff.confine.seccomp import UnknownMachineError, filter_program

__all__ = ["Landlock", "rules_of"]

_LAUNCHER = Path(__file__).with_name("landlock_launcher.py")
_NEVER_WRITABLE = ("/proc", "/sys", "/dev")
_SECONDS = 10.0
"""The time for setting up; what takes longer is ended."""


def rules_of(profile: OSProfile) -> dict[str, PathAccess]:
    """Return what is allowed at and below some places; nothing is allowed anywhere else.

    Raises:
        LaunchError: Landlock cannot say what the profile says.
    """
    shown = profile.visible()
    rules: dict[str, PathAccess] = {}
    for path, access in shown:
        if access is PathAccess.NONE:
            continue
        inside = {each: less for each, less in shown if PurePosixPath(each).is_relative_to(path)}
        hidden = [each for each, less in inside.items() if less is PathAccess.NONE]
        if hidden and profile.paths.at(path) is PathAccess.NONE:
            rules |= dict.fromkeys(_beside(path, hidden), PathAccess.READ)
            continue
        if hidden:
            raise LaunchError(
                f"{hidden[0]} is hidden inside {path}, which can be read: Landlock cannot take it out; "
                "use bwrap, or name the other parts one by one"
            )
        rules[path] = min(inside.values())
        if access is PathAccess.WRITE and (
            path == "/" or any(PurePosixPath(path).is_relative_to(each) for each in _NEVER_WRITABLE)
        ):
            raise LaunchError(f"{path} is never writable in a sandbox")
    return rules


def _beside(folder: str, hidden: Collection[str]) -> Iterator[str]:
    """The files and directories below one that are there now and neither hidden nor lead to what is hidden."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.path in hidden or not (
            entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
        ):
            continue
        if any(is_below(each, entry.path) for each in hidden):
            yield from _beside(entry.path, hidden)
        else:
            yield entry.path


class Landlock:
    """Confines commands with Landlock and a filter of system calls."""

    name = "landlock"
    checks = frozenset(Check) - {Check.NETWORK, Check.PROCESSES, Check.CAPABILITIES}
    shows_copies = False
    exact = False

    def enforced(self, profile: OSProfile) -> OSProfile:
        """Return the profile with what is lowered around what allows less; see `Backend.enforced`."""
        return replace(profile, paths=profile.paths.meet(PathMap(rules_of(profile))))

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
        profile = profile_now()
        if replaced:
            raise LaunchError("Landlock cannot show other directories in the places of some; use bwrap")
        if profile.unix_sockets:
            raise LaunchError("Landlock cannot tell Unix sockets that a command may see from others; use bwrap")
        if not sys.platform.startswith("linux") or not sys.executable:
            raise LaunchError("Landlock is there on Linux only, and needs the program of Python")
        rules = rules_of(profile)
        try:
            calls = filter_program(network=profile.network, unix_sockets=False, namespaces=False)
        except UnknownMachineError as error:
            raise LaunchError(str(error)) from error
        scratch = Scratch()
        rules_told = [[_as_text(path), access is PathAccess.WRITE] for path, access in rules.items()]
        told = {
            "argv": [_as_text(word) for word in argv],
            "cwd": _as_text(cwd),
            "env": {_as_text(name): _as_text(value) for name, value in scratch.environment(env).items()},
            "rules": [*rules_told, [_as_text(scratch.path), True]],
            "must": [_as_text(path) for path, access in profile.visible() if access is PathAccess.WRITE],
            "network": profile.network,
            "filter": calls.hex(),
        }
        try:
            if meanwhile is not None:
                meanwhile()
            process = _launched(json.dumps(told).encode(), streams)
        except BaseException:
            scratch.remove()
            raise
        scratch.remove_with(process)
        return process


def _as_text(text: str) -> str:
    """Bytes of the system as characters of the same numbers, so that the launcher needs no encoding."""
    return os.fsencode(text).decode("latin-1")


def _launched(told: bytes, streams: Mapping[str, int | IO[Any] | None]) -> subprocess.Popen[bytes]:
    """Start the launcher, and return when it has become the command."""
    rules = os.memfd_create("rules")
    ours, tells = os.pipe()
    try:
        os.truncate(rules, len(told))
        os.pwrite(rules, told, 0)
        process: subprocess.Popen[bytes] = subprocess.Popen(
            [sys.executable, "-I", "-S", _LAUNCHER, str(rules), str(tells)],
            cwd="/",
            pass_fds=(rules, tells),
            start_new_session=True,
            **streams,  # type: ignore[call-overload]
        )
        os.close(tells)
        tells = -1
        try:
            _require_ready(ours, process)
        except BaseException:
            process.kill()
            process.wait()
            raise
        return process
    finally:
        for number in (rules, ours, tells):
            if number >= 0:
                os.close(number)


def _require_ready(ours: int, process: subprocess.Popen[bytes]) -> None:
    """Return when the launcher is gone because the command took its place.

    Raises:
        LaunchError: It did not.
    """
    said, end = b"", time.monotonic() + _SECONDS
    while True:
        ready, _, _ = select.select([ours], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            raise LaunchError(f"the sandbox was not set up within {_SECONDS:g} seconds")
        piece = os.read(ours, 4096)
        if not piece:
            break
        said += piece
    if said != READY:
        words = said.removeprefix(READY).decode("utf-8", "replace")
        raise LaunchError(words or f"the program that sets up Landlock {ended_words(process.wait(_SECONDS))}")
