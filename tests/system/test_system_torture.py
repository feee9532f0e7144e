"""Agents and reviewers are killed at random instants: nothing is lost, decided twice, or run unapproved.

Longer runs: make torture.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torture

import forked
import postgres_server

pytestmark = pytest.mark.system

SECONDS = float(os.environ.get("SIGNOFF_TORTURE_SECONDS", "0"))
"""How long at least; there are always so many kills and disturbances as `torture` says."""

SMALL_DISK = f"{40 + 2 * int(SECONDS)}m"
"""Full now and then, but not with what the agents ask in that time."""

UP, DOWN = 1.0, 0.5
"""Seconds for which agents work between two crashes of the database server, and for which it is gone."""


def test_kills_lose_nothing_and_run_nothing_twice(tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    report = torture.torture(str(tmp_path / "queue"), notes, SECONDS)
    assert report.faults == []
    assert report.counts["ran"] >= torture.KILLS / torture.IN_A_ROW, "agents that run nothing prove nothing"
    assert report.counts["reported"] > 0
    assert report.counts["kills"] >= torture.KILLS


def test_a_full_disk_besides_loses_nothing_either(tmp_path: Path) -> None:
    """On a small file system of the test's own, in a mount name space of its own."""
    (disk := tmp_path / "disk").mkdir()
    script = 'mount -t tmpfs -o size="$1" signoff "$2" && shift 2 && exec "$@"'
    command = [
        sys.executable,
        torture.__file__,
        f"{disk}/queue",
        f"{tmp_path}/notes",
        str(SECONDS),
        "--fill",
        str(disk),
    ]
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", SMALL_DISK, str(disk)]
    shared = {"PYTHONPATH": str(Path(forked.__file__).parent)}
    done = subprocess.run([*alone, *command], env=os.environ | shared, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert re.search(r"[1-9]\d* losses of the queue", done.stdout), "a disk that is never full proves nothing"


def test_a_database_server_that_crashes_besides_loses_nothing_either(tmp_path: Path) -> None:
    """PostgreSQL with every mistake a server can make: it stops without a goodbye, and recovers from its log."""
    (notes := tmp_path / "notes").mkdir()
    with own_server() as server:
        report = torture.torture(server.url, notes, SECONDS, [crashes(server)])
    assert report.faults == []
    assert report.counts["ran"] >= torture.KILLS / torture.IN_A_ROW
    assert report.counts["losses of the queue"] > 0, "a server that never crashes proves nothing"


@contextmanager
def own_server() -> Iterator[postgres_server.Server]:
    server = postgres_server.Server()
    try:
        yield server
    finally:
        server.remove()


def crashes(server: postgres_server.Server) -> torture.Disturbance:
    def disturb(course: torture.Course) -> Iterator[None]:
        while not course.over.wait(UP):
            with server.stopped(how=signal.SIGQUIT):
                course.over.wait(DOWN)
            yield
            course.goes_on()

    return disturb
