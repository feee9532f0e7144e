"""Detection of what confines commands here, by confining one.

That a program is there, and even that it runs something, tells nothing: ten things are tried inside, and what came
of them is looked at from outside. All that the backend promises must hold.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from signoff.confine.backends import Backend, LaunchError, backend_named
from signoff.confine.checks import Check
from signoff.confine.errors import remedy_of
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files

__all__ = ["CHECKS", "Unusable", "Usable", "detect", "first_usable"]

CHECKS = tuple(Check)


@dataclass(frozen=True, slots=True)
class Usable:
    """A backend that confines.

    Attributes:
        backend: It.
        skipped: Those that come before it in the settings, and cannot be used.
    """

    backend: Backend
    skipped: tuple[Unusable, ...] = ()

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks that hold."""
        return tuple(check for check in CHECKS if check in self.backend.checks)

    @property
    def not_held(self) -> tuple[Check, ...]:
        """The checks that this backend does not promise."""
        return tuple(check for check in CHECKS if check not in self.backend.checks)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A backend that does not.

    Attributes:
        backend: Its name.
        reason: The reason, in words.
        remedy: What a person can do about it.
        raw_line: What the program said, or "".
    """

    backend: str
    reason: str
    remedy: str
    raw_line: str = ""

    def __str__(self) -> str:
        said = f" ({self.raw_line})" if self.raw_line else ""
        return f"{self.backend}: {self.reason}{said}; {self.remedy}"


_EXIT_CODE = 42
_SCRIPT = """\
echo made > free/made
echo made > ro/made
cat outside/secret && : > free/saw
echo made > rw/hole/made
mv rw/hole rw/moved
readlink /proc/self/ns/net /proc/self/ns/pid
while read -r line; do
    case $line in NoNewPrivs:*|CapEff:*|CapBnd:*|Seccomp:*) echo "$line";; esac
done < /proc/self/status
exit 42
"""


@cache
def detect(name: str) -> Usable | Unusable:
    """Try a backend, once in a process.

    Args:
        name: Its name in settings, such as ``bwrap``.
    """
    backend = backend_named(name)
    try:
        failed = _failed_checks(backend)
    except (LaunchError, OSError, subprocess.TimeoutExpired) as error:
        line = error.words if isinstance(error, LaunchError) else str(error)
        return Unusable(name, "no command can be started in it", remedy_of(line) or "see docs/sandbox.md", line)
    if not failed:
        return Usable(backend)
    return Unusable(
        name, f"a command ran in it and was not confined: not so: {'; '.join(failed)}", "do not use this one"
    )


def first_usable(names: Sequence[str]) -> Usable | tuple[Unusable, ...]:
    """Return the first of some backends that confines, or why none does."""
    found: list[Unusable] = []
    for name in names:
        result = detect(name)
        if isinstance(result, Usable):
            return replace(result, skipped=tuple(found))
        found.append(result)
    return tuple(found)


def _failed_checks(backend: Backend) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="signoff-") as made:
        base = Path(os.path.realpath(made))
        for name in ("free", "rw/hole", "ro", "outside"):
            (base / name).mkdir(parents=True)
        (base / "outside/secret").write_text("secret")
        places = {
            "free": PathAccess.WRITE,
            "rw": PathAccess.WRITE,
            "ro": PathAccess.READ,
            "rw/hole": PathAccess.READ,
        }
        paths = PathMap({str(base / name): access for name, access in places.items()})
        profile = OSProfile(paths.join(PathMap({str(base): PathAccess.NONE})), system_files(network=False))
        code, said = _run(backend, profile, base)
        if code != _EXIT_CODE:
            raise LaunchError(said.strip().partition("\n")[0] or f"a command ended with {code}, not {_EXIT_CODE}")
        held = dict(zip(CHECKS, _results(base, code, said), strict=True))
        return [check for check in CHECKS if check in backend.checks and not held[check]]


def _run(backend: Backend, profile: OSProfile, base: Path) -> tuple[int, str]:
    with tempfile.TemporaryFile() as output:
        process = backend.start(
            ["/bin/sh", "-c", f"cd {base}; {_SCRIPT}"],
            lambda: profile,
            cwd=str(base / "rw"),
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            code = process.wait(10)
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        return code, output.read().decode("utf-8", "replace")


def _results(base: Path, code: int, said: str) -> tuple[bool, ...]:
    status = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
    return (
        code == _EXIT_CODE,
        (base / "free/made").exists(),
        not (base / "ro/made").exists(),
        not (base / "free/saw").exists() and "secret" not in said.splitlines(),
        not (base / "rw/hole/made").exists() and not (base / "rw/moved").exists(),
        _other_namespace("net", said),
        _other_namespace("pid", said),
        status.get("NoNewPrivs") == "1",
        {status.get("CapEff"), status.get("CapBnd")} == {"0000000000000000"},
        status.get("Seccomp") == "2",
    )


def _other_namespace(kind: str, said: str) -> bool:
    inside = [line for line in said.splitlines() if line.startswith(f"{kind}:[")]
    return len(inside) == 1 and inside[0] != os.readlink(f"/proc/self/ns/{kind}")  # noqa: PTH115
