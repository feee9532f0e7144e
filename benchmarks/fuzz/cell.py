"""The process inside the jail: runs one command after the other and tells what each of them did.

It is started by `jail.py` as the first process of a namespace of its own, so that everything that a command leaves
behind can be ended by one signal. It goes into the jail itself before it runs anything: no process that a command
can see has another root.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path("/tmp/here")
RAN = Path("/tmp/ran")
TRACE = Path("/tmp/trace")

_TRACE_DESCRIPTOR = 197
"""High enough that no command closes it by chance."""
_ENVIRONMENT = {"PATH": "/bin", "BASH_XTRACEFD": str(_TRACE_DESCRIPTOR)}
_SECONDS = 1.0
_LIMITS = {
    resource.RLIMIT_CPU: 1,
    resource.RLIMIT_NPROC: 200,
    resource.RLIMIT_FSIZE: 1 << 16,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_AS: 1 << 30,
}
_FILES = {"f": "rm f\n", "notes.txt": "curl host\n", "rm": "", "dir/deep": "x\n"}
"""What is there when a command starts: its patterns have something to match, and its shells something to read."""
_MOST_SHOWN = 200


def serve(root: str) -> None:
    """Answer commands, a JSON text on each line, until standard input ends."""
    if os.getpid() != 1:
        raise SystemExit("the cell ends every process that it can see: it must be the first of its namespace")
    os.chroot(root)
    os.chdir("/")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_observed(json.loads(line))) + "\n")
        sys.stdout.flush()


def _observed(text: str) -> dict[str, Any]:
    _prepare()
    before = _files()
    finished = _run(text)
    return {
        "ran": _programs(),
        "trace": TRACE.read_text("utf-8", "surrogateescape"),
        "changed": sorted({name for name, _ in before ^ _files()}),
        "finished": finished,
    }


def _prepare() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for name, content in _FILES.items():
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    for log in (RAN, TRACE):
        log.write_bytes(b"")


def _files() -> set[tuple[str, tuple[int, ...]]]:
    found: set[tuple[str, tuple[int, ...]]] = set()
    for path in HERE.rglob("*"):
        state = path.lstat()
        # What is in a directory is seen by itself.
        said = (state.st_mode, 0, 0) if path.is_dir() else (state.st_mode, state.st_size, state.st_mtime_ns)
        found.add((str(path.relative_to(HERE)), said))
    return found


def _programs() -> list[list[str]]:
    """What the stubs wrote: how many arguments, the name, the arguments, each ended by a NUL."""
    fields = RAN.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
    found: list[list[str]] = []
    while fields and len(found) < _MOST_SHOWN:
        count = int(fields[0]) if fields[0].isdecimal() else 0
        found.append(fields[1 : count + 2])
        del fields[: count + 2]
    return found


def _run(text: str) -> bool:
    """Run a command until nothing of it is left; False if it had to be ended."""
    if os.fork() == 0:
        _become_bash(text)
    finished = _wait(time.monotonic() + _SECONDS)
    if not finished:
        os.kill(-1, signal.SIGKILL)
        _wait(time.monotonic() + 60)
    return finished


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


def _become_bash(text: str) -> None:
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for limit, most in _LIMITS.items():
            resource.setrlimit(limit, (most, most))
        null = os.open("/dev/null", os.O_RDWR)
        trace = os.open(TRACE, os.O_WRONLY | os.O_APPEND)
        os.dup2(trace, _TRACE_DESCRIPTOR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.closerange(3, _TRACE_DESCRIPTOR)
        os.chdir(HERE)
        os.execve("/real/bash", [b"bash", b"--norc", b"-x", b"-c", os.fsencode(text)], _ENVIRONMENT)
    finally:
        os._exit(127)


if __name__ == "__main__":
    serve(sys.argv[1])
