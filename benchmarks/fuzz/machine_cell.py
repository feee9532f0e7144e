"""The process inside the real machine: runs one command after the other and tells what each of them changed.

It is started by `machine.py` as the first process of a namespace of its own. All that the machine has is there and
read-only, with nothing in ``/run`` and few devices. Only ``/tmp`` can be written: the directory that commands run
in, a home, and a place for files that programs need for a while.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path("/tmp/here")
HOME = Path("/tmp/home")
SCRATCH = Path("/tmp/scratch")
RAN = Path("/tmp/ran")

_MODEL = Path("/tmp/model")
"""How the directory looks when a command starts, with its repository."""
_PLACES = (HERE, HOME, SCRATCH, RAN)
_CANARY = f'#!/bin/sh\necho "$0 $*" > {RAN}/canary\n'
_SECONDS = 3.0
_LIMITS = {
    resource.RLIMIT_CPU: 5,
    resource.RLIMIT_NPROC: 400,
    resource.RLIMIT_FSIZE: 1 << 22,
    resource.RLIMIT_CORE: 0,
}
_MOST_TOLD = 1 << 18
_BIND = (1 << 12) | (1 << 14)  # MS_BIND | MS_REC
_SEALED = 0b1111  # MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LIBC = ctypes.CDLL(None, use_errno=True)


def serve(root: str, kept: list[str]) -> None:
    """Answer requests, a JSON text on each line, until standard input ends.

    Args:
        root: An empty directory, for the view of the machine.
        kept: Directories below ``/tmp`` in which programs are.
    """
    if os.getpid() != 1:
        raise SystemExit("the cell ends every process that it can see: it must be the first of its namespace")
    _lay_out(root, kept)
    os.chroot(root)
    os.chdir("/")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    os.environ.update(
        {"HOME": str(HOME), "TMPDIR": str(SCRATCH), "PATH": f"{os.environ['PATH']}:{_MODEL.parent}/bin"}
    )
    changed = True
    for line in sys.stdin:
        request = json.loads(line)
        if "files" in request:
            _furnish(request["files"])
            answer: dict[str, Any] = {}
            changed = True
        else:
            if changed:
                _prepare()
            answer = _observed(request["text"], request["environment"])
            changed = bool(answer["changed"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


# -- the view of the machine ---------------------------------------------------------------------------------


def _lay_out(root: str, kept: list[str]) -> None:
    _mount("/", root, flags=_BIND)
    attributes = (ctypes.c_uint64 * 4)(0b11, 0, 0, 0)  # read-only, and no program gains rights
    call = _LIBC.syscall(442, -100, os.fsencode(root), 0x8000, attributes, 32)  # mount_setattr, recursively
    _check(call, "mount_setattr (Linux 5.12)")
    for place in ("tmp", "run", "dev"):
        _mount("tmpfs", f"{root}/{place}", "tmpfs", data="size=64m")
    for name in _DEVICES:
        Path(root, "dev", name).touch()
        _mount(f"/dev/{name}", f"{root}/dev/{name}", flags=_BIND)
    Path(root, "dev/shm").mkdir()
    Path(root, "dev/fd").symlink_to("/proc/self/fd")
    _mount("proc", f"{root}/proc", "proc", _SEALED)
    for folder in kept:
        Path(f"{root}{folder}").mkdir(parents=True)
        _mount(folder, f"{root}{folder}", flags=_BIND)
        _check(_LIBC.syscall(442, -100, os.fsencode(f"{root}{folder}"), 0x8000, attributes, 32), folder)


def _mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    texts = [os.fsencode(text) or None for text in (source, target, kind)]
    _check(_LIBC.mount(*texts, ctypes.c_ulong(flags), os.fsencode(data) or None), f"mount {target}")


def _check(returned: int, what: str) -> None:
    if returned:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


# -- the directory that commands run in ----------------------------------------------------------------------


def _furnish(files: dict[str, str]) -> None:
    """Make the model of the directory, with a commit of all its files if the machine has git."""
    shutil.rmtree(_MODEL, ignore_errors=True)
    for name, content in files.items():
        path = _MODEL / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1"))
    for place in (HOME, Path("/tmp/bin")):
        place.mkdir(exist_ok=True)
    for path in (_MODEL / "canary", Path("/tmp/bin/canary")):
        path.write_text(_CANARY)
        path.chmod(0o755)
    if shutil.which("git"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        for command in (
            ["init", "-q", "--template="],
            ["add", "."],
            [*who, "commit", "-qm", "all"],
            ["tag", "v1"],
        ):
            subprocess.run(["git", *command], cwd=_MODEL, check=True, stdout=subprocess.DEVNULL)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})


def _prepare() -> None:
    for place in _PLACES:
        shutil.rmtree(place, ignore_errors=True)
        if place is not HERE:
            place.mkdir()
    shutil.copytree(_MODEL, HERE, symlinks=True)
    if shutil.which("git"):  # or the first "git status" renews what it knows of the files
        pid = os.fork()
        if pid == 0:
            os.chdir(HERE)
            os.execlp("git", "git", "update-index", "-q", "--refresh")
        os.waitpid(pid, 0)


def _files() -> set[tuple[str, tuple[int, ...]]]:
    found: set[tuple[str, tuple[int, ...]]] = set()
    for place in _PLACES:
        for folder, _, names in os.walk(place):
            mode = os.lstat(folder).st_mode if os.path.lexists(folder) else 0
            found.add((folder, (mode, 0, 0)))
            for name in names:
                path = f"{folder}/{name}"
                state = os.lstat(path)
                found.add((path, (state.st_mode, state.st_size, state.st_mtime_ns)))
    return found


# -- running -------------------------------------------------------------------------------------------------


def _observed(text: str, environment: dict[str, str]) -> dict[str, Any]:
    before = _files()
    told = os.memfd_create("told")
    if os.fork() == 0:
        _become_bash(text, environment, told)
    finished = _wait(time.monotonic() + _SECONDS)
    if not finished:
        os.kill(-1, signal.SIGKILL)
        _wait(time.monotonic() + 60)
    changed = sorted({name.removeprefix("/tmp/") for name, _ in before ^ _files()})
    said = os.pread(told, _MOST_TOLD, 0).decode("utf-8", "replace")
    os.close(told)
    return {"changed": changed, "said": said, "finished": finished}


def _wait(deadline: float) -> bool:
    """Wait for all children; as the first process this one inherits those that others leave behind."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        left = deadline - time.monotonic()
        if left <= 0 or signal.sigtimedwait({signal.SIGCHLD}, left) is None:
            return False


def _become_bash(text: str, environment: dict[str, str], told: int) -> None:
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for limit, most in _LIMITS.items():
            resource.setrlimit(limit, (most, most))
        for capability in range(64):
            _LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: the next program has no rights of its own
        null = os.open("/dev/null", os.O_RDONLY)
        for descriptor, source in enumerate((null, told, told)):
            os.dup2(source, descriptor)
        os.closerange(3, 1024)
        os.chdir(HERE)
        os.execvpe("bash", ["bash", "--norc", "-c", text], {**os.environ, **environment})
    finally:
        os._exit(127)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
