"""A pgbouncer in front of the PostgreSQL server of the tests."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from postgres_server import PATIENCE, server

__all__ = ["Pooler", "pooler"]

_SETTINGS = """
[databases]
* = host={server}

[pgbouncer]
listen_port = 5432
unix_socket_dir = {home}
auth_type = trust
auth_file = {home}/users
logfile = {home}/log
pool_mode = {mode}
{more}
"""


class Pooler:
    """A running pgbouncer.

    Attributes:
        host: What a client has to connect to.
    """

    def __init__(self, home: Path) -> None:
        self.host = str(home)

    def place(self, place: str) -> str:
        """A queue of the server, by way of the pooler."""
        return place.replace(f"host={server().home}", f"host={self.host}")


@contextlib.contextmanager
def pooler(mode: str, more: str = "") -> Iterator[Pooler]:
    """Run pgbouncer for the length of a ``with`` block.

    Args:
        mode: Its ``pool_mode``.
        more: More lines of its settings.
    """
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    home = Path(tempfile.mkdtemp(prefix="signoff-pool-"))
    owned = server().as_user()
    (home / "settings").write_text(_SETTINGS.format(server=server().home, home=home, mode=mode, more=more))
    (home / "users").write_text('"signoff" ""\n"stranger" ""\n')
    if "user" in owned:
        shutil.chown(home, owned["user"], owned["group"])
    home.chmod(0o755)
    process = subprocess.Popen(
        [program, "--quiet", str(home / "settings")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **owned
    )
    try:
        _await(home / ".s.PGSQL.5432", process)
        yield Pooler(home)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(home)


def _await(listening: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(listening))
            return
        assert process.poll() is None, (listening.parent / "log").read_text()
        assert time.monotonic() < end
        time.sleep(0.01)
