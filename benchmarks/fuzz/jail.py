"""A place where bash can run anything: no other program of the machine is in it, no network, and no lasting file.

The root of the jail holds bash, stubs that note how they were called, and a few programs that run other programs
(`env`, `find`, ...), behind a stub each. Everything but a small file system in memory is read-only.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Jail", "NoJailError", "Observed", "Served"]

REAL = ("bash", "sh", "dash", "env", "nohup", "nice", "timeout", "xargs", "find", "setsid", "ionice")
"""Programs that are themselves, so that what they run is seen; those that the machine lacks are stubs."""

_STUB = r"""#!/real/bash -p
name=${0##*/}
printf '%s\0' "$#" "$name" "$@" >> /tmp/ran
if [[ -x /real/$name ]]; then exec -a "$name" "/real/$name" "$@"; fi
exit 0
"""
# What is mounted cannot be deleted: a command must not take away what was noted of it.
# A writable /proc would let its root write what belongs to the machine, even from a namespace.
_ENTER = """
mount --bind "$1" "$1" && mount --bind /dev/null "$1/dev/null" && mount -t tmpfs -o size=8m tmpfs "$1/tmp" &&
touch "$1/tmp/ran" "$1/tmp/trace" && mount --bind "$1/tmp/ran" "$1/tmp/ran" &&
mount --bind "$1/tmp/trace" "$1/tmp/trace" &&
mount -o remount,bind,ro,nosuid,nodev "$1" && mount -t proc -o ro,nosuid,nodev,noexec proc "$1/proc" &&
exec "$2" -I "$3" "$1"
"""
_UNSHARE = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--ipc",
    "--uts",
    "--pid",
    "--fork",
    "--kill-child",
]
_SECONDS = 90.0
_LIBRARY = re.compile(r"(/\S+)(?= \(0x)")


class NoJailError(Exception):
    """This machine does not let us build a jail, and nothing is run outside of one."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a command did.

    Attributes:
        ran: Name and arguments of each program that was started.
        trace: What ``set -x`` wrote: the commands that the outer bash ran, its builtins among them.
        changed: Files that were made, changed or removed.
        finished: False if it had to be ended.
    """

    ran: tuple[tuple[str, ...], ...]
    trace: str
    changed: tuple[str, ...]
    finished: bool


class Served(ABC):
    """A root directory, and a process in it that answers requests, from ``with`` to its end.

    Raises:
        NoJailError: On entering, if this machine lacks a program or a right that it takes.
    """

    needs: Sequence[str] = ("unshare",)
    """Programs of the machine without which it cannot be built."""

    def __enter__(self) -> Self:
        for needed in self.needs:
            if shutil.which(needed) is None:
                raise NoJailError(f"a jail for shell commands cannot be built here: there is no {needed}")
        self._root = Path(tempfile.mkdtemp(prefix="signoff-jail-"))
        try:
            self._furnish()
            self._start()
        except BaseException:
            shutil.rmtree(self._root)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._stop()
        shutil.rmtree(self._root)

    def ask(self, request: Any) -> Any:
        """Have a request answered, by a second process if the first breaks.

        Args:
            request: What can be written as JSON.

        Raises:
            RuntimeError: The request breaks the process that answers, and each further one.
        """
        try:
            return self._asked(request)
        except (EOFError, BrokenPipeError):
            # A command may meet the cell itself. Whether it was this one, a second cell tells.
            said = self._last_words()
            self._start()
            try:
                return self._asked(request)
            except (EOFError, BrokenPipeError) as error:
                raise RuntimeError(f"{request!r} breaks the cell, which said: {said or 'nothing'}") from error

    @abstractmethod
    def _furnish(self) -> None:
        """Put into the root directory what has to be there before the process starts."""

    @abstractmethod
    def _command(self) -> tuple[list[str], dict[str, str]]:
        """The command of the process, to be run in new namespaces, and its environment."""

    @abstractmethod
    def _try_out(self) -> str | None:
        """Have the process do something; None if all is well, else what is not."""

    def _asked(self, request: Any) -> Any:
        assert self._cell.stdin is not None
        self._cell.stdin.write(json.dumps(request).encode() + b"\n")
        self._cell.stdin.flush()
        return json.loads(self._answer())

    def _last_words(self) -> str:
        self._cell.kill()
        return self._cell.communicate()[1].decode(errors="replace").strip()

    def _start(self) -> None:
        command, environment = self._command()
        self._cell = subprocess.Popen(
            [*_UNSHARE, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment,
        )
        try:
            problem = self._try_out()
        except (OSError, EOFError) as error:
            said = self._last_words()
            raise NoJailError(
                "a jail for shell commands cannot be built here: it takes user, mount, process and network "
                f"namespaces, and the system said: {said or error}"
            ) from error
        if problem is not None:
            self._stop()
            raise NoJailError(f"the jail does not work here: {problem}")

    def _answer(self) -> bytes:
        assert self._cell.stdout is not None
        answer = b""
        while not answer.endswith(b"\n"):
            if not select.select([self._cell.stdout], [], [], _SECONDS)[0]:
                raise TimeoutError("the cell does not answer")
            piece = os.read(self._cell.stdout.fileno(), 1 << 16)
            if not piece:
                raise EOFError("the cell broke")
            answer += piece
        return answer

    def _stop(self) -> None:
        self._cell.communicate()  # the end of its input is the end of it


class Jail(Served):
    """A jail of stubs that is there between ``with`` and its end.

    Args:
        programs: The names of the stubs.
    """

    needs = ("unshare", "mount", "ldd", "bash")

    def __init__(self, programs: Iterable[str]) -> None:
        self._programs = sorted({*programs, *REAL})

    def run(self, text: str) -> Observed:
        """Run ``bash -c`` with a text in an almost empty directory, and wait for all that it starts.

        Args:
            text: The command; without NUL, which no argument of a program can hold.

        Raises:
            RuntimeError: The command breaks the cell that it runs in, and each further one.
        """
        data = self.ask(text)
        return Observed(tuple(map(tuple, data["ran"])), data["trace"], tuple(data["changed"]), data["finished"])

    def _furnish(self) -> None:
        _furnish(self._root, self._programs)

    def _command(self) -> tuple[list[str], dict[str, str]]:
        cell = Path(__file__).with_name("cell.py")
        return ["sh", "-c", _ENTER, "sh", str(self._root), sys.executable, str(cell)], dict(os.environ)

    def _try_out(self) -> str | None:
        seen = self._asked("ls")["ran"]
        return None if seen == [["ls"]] else f"bash -c ls ran {seen}"


def _furnish(root: Path, programs: Iterable[str]) -> None:
    for name in ("bin", "dev", "proc", "real", "tmp", "usr/local"):
        (root / name).mkdir(parents=True)
    (root / "dev/null").touch()
    (root / "dev/fd").symlink_to("/proc/self/fd")
    for name in ("sbin", "usr/bin", "usr/sbin", "usr/local/bin"):
        (root / name).symlink_to("/bin")
    for name in REAL:
        if (path := shutil.which(name, path="/usr/bin:/bin")) or (path := shutil.which(name)):
            _copy_program(Path(path).resolve(), root / "real" / name, root)
    stub = root / "real/.stub"
    stub.write_text(_STUB)
    stub.chmod(0o755)
    for name in programs:
        (root / "bin" / name).hardlink_to(stub)


def _copy_program(source: Path, target: Path, root: Path) -> None:
    """Copy a program with the libraries that it is linked to."""
    shutil.copy(source, target)
    listed = subprocess.run(["ldd", str(source)], capture_output=True, text=True, check=False).stdout
    for library in _LIBRARY.findall(listed):
        place = root / library.lstrip("/")
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, place)
