"""What a probe is, the place where it runs, and how it is judged."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

__all__ = [
    "PROBES",
    "Attempt",
    "Finding",
    "Kind",
    "Outcome",
    "Probe",
    "Vacuous",
    "Verdict",
    "judged",
    "probe",
    "until",
]

SECONDS = 20.0
"""The longest that a command may take."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs are that a confined command sees too."""


class Kind(StrEnum):
    """What a probe is for."""

    CONTROL = "control"
    BOUNDARY = "boundary"
    HARDENING = "hardening"
    HYGIENE = "hygiene"


class Verdict(StrEnum):
    """What came of a probe; those in capitals are failures, but for a vacuous one."""

    WORKS = "works"
    STOPPED = "stopped"
    VACUOUS = "vacuous"
    BROKEN = "BROKEN"
    ESCAPED = "ESCAPED"
    NOTRUN = "NOTRUN"


class Vacuous(Exception):  # noqa: N818 - no error: it says why a probe proves nothing
    """A probe proves nothing here."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Something that a command tries.

    Attributes:
        id: Its name: a letter for the subject, and a number.
        kind: What it is for.
        words: What it tries.
        attempt: Tries it; True if it did what it tried.
        bare: The same without a sandbox, where that is another thing.
        programs: Programs that it needs.
        refusal: True if refusing to start the command is a way to stop it.
        offline: True if it tells only of commands without network.
    """

    id: str
    kind: Kind
    words: str
    attempt: Callable[[Attempt], bool]
    bare: Callable[[Attempt], bool]
    programs: tuple[str, ...]
    refusal: bool
    offline: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict, with what explains it."""

    verdict: Verdict
    reason: str = ""

    @property
    def failed(self) -> bool:
        """True if the sandbox is not as it should be."""
        return self.verdict in (Verdict.BROKEN, Verdict.ESCAPED, Verdict.NOTRUN)


PROBES: dict[str, Probe] = {}

_Attempt = Callable[["Attempt"], bool]


def probe(
    kind: Kind,
    words: str,
    *programs: str,
    bare: _Attempt | None = None,
    refusal: bool = False,
    offline: bool = False,
) -> Callable[[_Attempt], _Attempt]:
    """Make a probe of a function, which is called like it."""

    def add(attempt: _Attempt) -> _Attempt:
        name = attempt.__name__
        assert name not in PROBES
        PROBES[name] = Probe(name, kind, words, attempt, bare or attempt, programs, refusal, offline)
        return attempt

    return add


def judged(one: Probe, *, network: bool = False) -> Finding:
    """Run a probe without a sandbox and within one.

    Args:
        one: The probe.
        network: True for a sandbox that shares the network.
    """
    missing = [name for name in one.programs if shutil.which(name, path=PATH) is None]
    if missing:
        return Finding(Verdict.VACUOUS, f"{' and '.join(missing)} not installed for all users")
    if one.offline and network:
        return Finding(Verdict.VACUOUS, "the network is allowed")
    try:
        with Attempt(confined=False) as without:
            if not one.bare(without):
                return Finding(Verdict.VACUOUS, f"does nothing without a sandbox: {without.said()}")
        with Attempt(confined=True, network=network) as within:
            did = one.attempt(within)
    except Vacuous as reason:
        return Finding(Verdict.VACUOUS, str(reason))
    if not within.began and not (one.refusal and within.refused and not did):
        return Finding(Verdict.NOTRUN, within.said())
    if one.kind is Kind.CONTROL:
        return Finding(Verdict.WORKS) if did else Finding(Verdict.BROKEN, within.said())
    if did:
        return Finding(Verdict.ESCAPED, within.said())
    return Finding(Verdict.STOPPED, "" if within.began else "refused to start")


# -- The place where a probe runs.


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command said, and its exit code."""

    text: str
    code: int


_SETTINGS = """\
sandbox:
  paths:
    rw: {{root: {rw}, mode: rw, write_approval: false}}
    ro: {{root: {ro}, mode: ro}}
shell:
  network: {network}
  default: {{approval: false}}
"""

_PRELUDE = """\
import ctypes, errno, os, signal, socket, struct, subprocess, sys, time
print(%r, flush=True)
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    "The result of a system call, and its error."
    ctypes.set_errno(0)
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return libc.syscall(ctypes.c_long(number), *words), ctypes.get_errno()
def attempt(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except (OSError, ValueError) as error:
        print(function.__name__, error)
def put(path, how="w"):
    try:
        with open(path, how) as file:
            file.write("changed")
        print("wrote", path)
    except OSError as error:
        print(error)
"""

SYSTEM_CALLS = {
    "x86_64": {
        "process_vm_readv": 310, "add_key": 248, "keyctl": 250, "bpf": 321, "perf_event_open": 298, "syslog": 103,
        "name_to_handle_at": 303, "open_by_handle_at": 304,
    },
    "aarch64": {
        "process_vm_readv": 270, "add_key": 217, "keyctl": 219, "bpf": 280, "perf_event_open": 241, "syslog": 116,
        "name_to_handle_at": 264, "open_by_handle_at": 265,
    },
}  # fmt: skip


class Attempt:
    """A place of its own for a probe, with a secret in each part of it, and a way to run commands.

    Args:
        confined: True to run them through ``signoff sandbox exec``.
        network: True for a sandbox that shares the network.

    Attributes:
        rw: The directory that commands may write, and where they run.
        ro: One that they may read.
        outside: One that they may not.
        home: The home directory of the caller, which they may not.
        secret: What lies in `outside` and `home`.
        key: A variable of the caller's environment.
        before: Words before each command, with the sandbox and without.
        bare: Words before each command without a sandbox.
        settings: The settings file of the sandbox.
        pass_fds: Descriptors that are left open for commands.
        began: True once a command began.
        refused: True if the sandbox said that it starts no command.
    """

    def __init__(self, *, confined: bool, network: bool = False) -> None:
        self.confined = confined
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="signoff-probe-")))
        self.secret, self.key, self._beginning = (f"{name}-{secrets.token_hex(8)}" for name in ("s", "k", "began"))
        self.rw, self.ro, self.outside, self.home = (self.base / name for name in ("rw", "ro", "outside", "home"))
        for folder in (self.rw, self.ro, self.outside, self.home):
            folder.mkdir()
            (folder / "file").write_text(f"file of {folder.name}")
        for folder in (self.outside, self.home):
            (folder / "secret").write_text(self.secret)
        self.settings = self.rw / "signoff.yaml"
        self.settings.write_text(_SETTINGS.format(rw=self.rw, ro=self.ro, network=str(network).lower()))
        self.before: list[str] = []
        self.bare: list[str] = []
        self.pass_fds: list[int] = []
        self.began = self.refused = False
        self._said: list[str] = []
        self._before = {folder: _snapshot(folder) for folder in (self.rw, self.ro, self.outside, self.home)}
        self.stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()
        self.host("chmod", "-R", "u+rwX", str(self.base))
        shutil.rmtree(self.base, ignore_errors=True)

    # Commands.

    def sh(self, script: str) -> Outcome:
        """Run a script of the shell to its end."""
        return self.run(["sh", "-c", self.begun(script)])

    def python(self, script: str) -> Outcome:
        """Run a script of the system's Python, with `call`, `attempt` and `put`, to its end."""
        return self.run(self.python_words(script))

    def python_words(self, script: str) -> list[str]:
        """Return a command that runs such a script."""
        return [python_of_the_system(), "-I", "-S", "-c", _PRELUDE % self._beginning + script]

    def begun(self, script: str) -> str:
        """Return a script of the shell that says first that it began."""
        return f"echo {self._beginning}\n{script}"

    def run(self, argv: Sequence[str]) -> Outcome:
        """Run a command to its end, and note whether it began."""
        process = self.start(argv)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b"\nkilled: it took too long"
        return self.ended(out, err, process.returncode)

    def ended(self, out: bytes, err: bytes, code: int) -> Outcome:
        """Note what a command said."""
        text, errors = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        self.began |= self._beginning in text
        self.refused |= code == 2 and errors.startswith("signoff: ")
        text = text.replace(self._beginning + "\n", "")
        self._said.append(f"{text}{errors}[{code}]")
        return Outcome(text + errors, code)

    def start(self, argv: Sequence[str], **given: Any) -> subprocess.Popen[bytes]:
        """Start a command."""
        words = [*self.before, *(self._launcher() if self.confined else self.bare), *argv]
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | given
        process = subprocess.Popen(words, cwd=self.rw, env=self._environment(), pass_fds=self.pass_fds, **given)
        self.stack.callback(_end, process)
        return process

    def _launcher(self) -> list[str]:
        return [sys.executable, "-P", "-m", "signoff.cli", "sandbox", "exec", "--config", str(self.settings), "--"]

    def _environment(self) -> dict[str, str]:
        places = [os.path.realpath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        own = {"PYTHONPATH": os.pathsep.join(places), "LANG": os.environ.get("LANG", "C.UTF-8")}
        own["XDG_DATA_HOME"] = str(self.base / "data")  # where the launcher keeps records
        return own | {"PATH": PATH, "HOME": str(self.home), "AGENT_KEY": self.key}

    def said(self) -> str:
        """Return the end of what was said, in one line."""
        return (
            " / ".join(line for line in " ".join(self._said).splitlines() if line.strip())[-300:] or "nothing said"
        )

    # What came of them.

    def changed(self, *folders: Path) -> bool:
        """True if something in these directories is not as it was at first."""
        found: list[str] = []
        for folder in folders:
            before, now = self._before[folder], _snapshot(folder)
            differ = (name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
            found += [f"changed: {folder.name}/{name}\n" for name in differ]
        self._said += found
        return bool(found)

    def made(self, folder: Path) -> set[str]:
        """Return the names of what is new in a directory."""
        return _snapshot(folder).keys() - self._before[folder].keys()

    def settle(self) -> None:
        """Take all that is there now as what was there at first."""
        self._before = {folder: _snapshot(folder) for folder in self._before}

    # What hosts have.

    def repository(self, folder: Path) -> Path:
        """Make a git repository with a commit, and return its ``.git``."""
        folder.mkdir(parents=True, exist_ok=True)
        identity = ("-c", "user.name=n", "-c", "user.email=e")
        for words in (["init", "-q"], ["add", "file"], [*identity, "commit", "-q", "-m", "first"]):
            (folder / "file").touch()
            self.host("git", "-C", str(folder), *words)
        shutil.rmtree(folder / ".git/hooks", ignore_errors=True)
        (folder / ".git/hooks").mkdir()
        self.settle()
        return folder / ".git"

    def host(self, *argv: str) -> str:
        """Run a program of the host, and return what it printed."""
        done = subprocess.run(
            argv,
            env={"PATH": PATH, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return done.stdout

    def bystander(self, script: str = "time.sleep(30)") -> subprocess.Popen[str]:
        """Start a process of the host that has nothing to do with the command, and wait for what it says first."""
        words = [python_of_the_system(), "-I", "-S", "-c", f"{_PRELUDE % 'here'}{script}", f"--word={self.secret}"]
        process = subprocess.Popen(
            words,
            env={"BYSTANDER": self.secret},
            cwd=self.outside,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.stack.callback(_end, process)
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        return process

    def bwrap(self, *words: str) -> Outcome:
        """Run a command in a sandbox made without care, and return what came of it."""
        program = shutil.which("bwrap", path=PATH)
        if program is None:
            raise Vacuous("bwrap is not installed")
        done = subprocess.run(
            [program, *words], cwd=self.rw, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        self._said.append(done.stdout + done.stderr)
        return Outcome(done.stdout + done.stderr, done.returncode)


def _end(process: subprocess.Popen[Any]) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def _snapshot(folder: Path) -> dict[str, object]:
    """All that can be told of the files in a directory, by their paths."""
    found: dict[str, object] = {}
    for above, folders, files in os.walk(folder):
        for path in (Path(above), *(Path(above, name) for name in (*folders, *files))):
            facts = path.lstat()
            kept = path.read_bytes() if stat.S_ISREG(facts.st_mode) and os.access(path, os.R_OK) else facts.st_ino
            attributes = {}
            with suppress(OSError):
                attributes = {name: os.getxattr(path, name) for name in os.listxattr(path, follow_symlinks=False)}
            found[str(path.relative_to(folder))] = (
                facts.st_mode,
                facts.st_uid,
                facts.st_mtime_ns,
                kept,
                attributes,
            )
    return found


def python_of_the_system() -> str:
    """Return a Python that confined commands see, and other users."""
    found = shutil.which("python3", path=PATH)
    if found is None:
        raise Vacuous("there is no python3 for all users")
    return found


def require_root() -> None:
    """Raise `Vacuous` for an ordinary user, who can do no such thing anyway."""
    if os.geteuid() != 0:
        raise Vacuous("needs root")


def number_of(name: str) -> int:
    """Return the number of a system call."""
    try:
        return SYSTEM_CALLS[platform.machine()][name]
    except KeyError:
        raise Vacuous(f"the numbers of system calls are not known for {platform.machine()}") from None


def until(holds: Callable[[], object], seconds: float = 5.0) -> bool:
    """Wait until something holds, and return whether it ever did."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process so that it can do nothing about it."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
