"""A loss of power at any moment loses no decision that was reported as taken.

Two halves: what was reported had been handed to the disk with a barrier before (seen in the system calls), and
whatever prefix of the log then survives, everything that was reported by its end is there, and nothing is torn.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import power_children
import pytest

from signoff.queue import RequestState, open_review_queue

pytestmark = pytest.mark.system

WAL_HEADER, FRAME = 32, 24 + 4096
"""Bytes; see https://sqlite.org/fileformat2.html#the_write_ahead_log for the format."""

TORN = (1, 24, 2000, FRAME - 1)
"""How much of a frame may be there that was being written."""


@dataclass(frozen=True)
class Reported:
    """A decision as it was reported, and how long the log was then."""

    request_id: str
    approved: bool
    length: int


@dataclass(frozen=True)
class Crash:
    """What a queue looked like on disk when its processes were killed, and what had been reported."""

    database: Path
    log: bytes
    reported: list[Reported]


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> Crash:
    folder = tmp_path_factory.mktemp("power")
    reported = []
    for line in told([sys.executable, power_children.__file__, str(folder / "queue")]):
        request_id, approved, length = line.split()
        reported.append(Reported(request_id, approved == "True", int(length)))
    return Crash(folder / "queue" / "queue.db", (folder / "queue" / "queue.db-wal").read_bytes(), reported)


def told(command: list[str]) -> list[str]:
    """What the program reports until it is killed, as it should be."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    return done.stdout.splitlines()


def prefixes(log: bytes) -> Iterator[int]:
    """Every length at which the log could end: after each frame, and within some."""
    for number, start in enumerate(range(WAL_HEADER, len(log), FRAME)):
        yield start
        yield start + TORN[number % len(TORN)]
    yield len(log)


def test_whatever_prefix_of_the_log_survives_holds_all_that_was_reported_by_then(
    crash: Crash, tmp_path: Path
) -> None:
    with open_review_queue(tmp_path / "queue"):
        pass  # for the directories
    assert len(crash.reported) >= 8
    for length in prefixes(crash.log):
        for file in (tmp_path / "queue").glob("queue.db*"):
            file.unlink()
        shutil.copy2(crash.database, tmp_path / "queue" / "queue.db")
        log = tmp_path / "queue" / "queue.db-wal"
        log.write_bytes(crash.log[:length])
        log.chmod(0o600)
        with open_review_queue(tmp_path / "queue") as review:
            ends = {
                record.request_id: record.state is RequestState.APPROVED
                for record in reversed(review.history(limit=1000))
                if record.decision is not None
            }
            assert review.verify() is None
        expected = {each.request_id: each.approved for each in crash.reported if each.length <= length}
        assert expected.items() <= ends.items(), f"after {length} of {len(crash.log)} bytes"


def test_a_decision_is_reported_only_after_a_barrier_behind_its_last_byte(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    watched = ["strace", "-f", "-y", "-e", "trace=pwrite64,write,fdatasync,fsync", "-o", str(trace)]
    told([*watched, sys.executable, power_children.__file__, str(tmp_path / "queue")])
    reports, unsafe = 0, False
    for line in trace.read_text(errors="replace").splitlines():
        if re.search(r"pwrite64\(\d+<[^>]*queue\.db-wal>", line):
            unsafe = True
        elif re.search(r"f(data)?sync\(\d+<[^>]*queue\.db-wal>\)\s+= 0", line):
            unsafe = False
        elif re.search(r"write\(1<", line):
            reports += 1
            assert not unsafe, line
    assert reports >= 8
