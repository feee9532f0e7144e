"""Agents and reviewers are killed at random instants: nothing is lost, decided twice, or run unapproved.

And a database server hangs, or is away for as long as an upgrade takes, and nobody who waits is sent away.
Longer runs: make torture.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import torture
from person_bench import Person
from pty_bench import Terminal

import forked
import postgres_server
from signoff.queue import Decision, QueueAwayError, RequestState, open_review_queue
from system_bench import SCREEN, Found, eventually

pytestmark = pytest.mark.system

SECONDS = float(os.environ.get("SIGNOFF_TORTURE_SECONDS", "0"))
"""How long at least; there are always so many kills and disturbances as `torture` says."""

SMALL_DISK = f"{40 + 2 * int(SECONDS)}m"
"""Full now and then, but not with what the agents ask in that time."""

UP, DOWN = 1.0, 0.5
"""Seconds for which agents work between two crashes of the database server, and for which it is gone."""

HANGS, STOPPED = (40.0, 60.0) if SECONDS else (7.0, 4.0)
"""Seconds for which a server hangs, and for which it is away."""

LATEST = 2.0
"""Seconds after which the screen says that the queue is lost, and a started `signoff status` gives up."""

WAITING = 4
"""Agents that wait meanwhile."""


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
def own_server(primary: postgres_server.Server | None = None) -> Iterator[postgres_server.Server]:
    server = postgres_server.Server(primary=primary)
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


@pytest.mark.parametrize("what", ["hangs", "is away"])
def test_who_waits_goes_on_waiting_for_a_server_that_hangs_or_is_away(
    what: str, variables: dict[str, str], workdir: Path
) -> None:
    """Processes as people start them: `signoff ask`, a screen, and `signoff status`."""
    with own_server() as server, ExitStack() as stack:
        with_queue = {**variables, "SIGNOFF_QUEUE": server.url}
        review = stack.enter_context(open_review_queue(server.url))
        agents = [stack.enter_context(asking(number, with_queue, workdir)) for number in range(WAITING)]
        eventually(lambda: len(review.pending()) == WAITING, "all wait")
        terminal = stack.enter_context(Terminal(SCREEN, with_queue, workdir))
        person = Person(terminal)
        eventually(lambda: person.works("y"), "a request to approve")
        by_lines = Person(stack.enter_context(Terminal([*SCREEN, "--plain"], with_queue, workdir)))
        by_lines.sees(f"new: {WAITING}")
        _, usual = status_line(with_queue, workdir)
        begun = time.monotonic()
        with server.frozen() if what == "hangs" else server.stopped():
            person.sees("QUEUE LOST .* was lost")
            seen_after = time.monotonic() - begun
            person.sees("keys are off")
            terminal.press("y")
            by_lines.sees(r"nothing\s+is\s+decided")
            status, status_took = status_line(with_queue, workdir)
            time.sleep(max(0.0, begun + (HANGS if what == "hangs" else STOPPED) - time.monotonic()))
        eventually(lambda: person.works("y"), "a request to approve")
        by_lines.sees("the queue was opened again")
        assert [agent.poll() for agent in agents] == [None] * WAITING
        assert [request.state for request in review.pending()] == [RequestState.PENDING] * WAITING
        for request in review.pending():
            review.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))
        said = [agent.communicate(timeout=torture.STANDSTILL)[1] for agent in agents]
    assert [agent.returncode for agent in agents] == [0] * WAITING
    assert [len(re.findall("signoff: the queue at .* does not answer; still waiting", each)) for each in said] == [
        1
    ] * WAITING, said
    assert [line for each in said for line in each.splitlines() if not line.startswith("signoff: ")] == []
    assert status.returncode == 30, status
    if SECONDS:  # on a machine that does other things besides, nothing comes in time
        assert max(seen_after, status_took - usual) <= LATEST, (seen_after, status_took, usual)


@pytest.mark.skipif(
    not (postgres_server.programs() / "pg_basebackup").exists(), reason="there is no pg_basebackup"
)
def test_who_waits_goes_on_at_the_standby_after_a_failover(variables: dict[str, str], workdir: Path) -> None:
    with own_server() as server, own_server(primary=server) as standby, ExitStack() as stack:
        hosts = f"host={server.socket.parent},{standby.socket.parent}&target_session_attrs=read-write"
        place = f"postgresql://signoff@/signoff?{hosts}"
        with_queue = {**variables, "SIGNOFF_QUEUE": place}
        review = stack.enter_context(open_review_queue(place))
        agents = [stack.enter_context(asking(number, with_queue, workdir)) for number in range(WAITING)]
        eventually(lambda: len(review.pending()) == WAITING, "all wait")
        server.stop()  # which waits for the standby to have everything
        standby.promote()
        waiting = eventually(lambda: answered(review.pending), "the reviewer is back")
        for request in waiting:
            review.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))
        for agent in agents:
            agent.communicate(timeout=torture.STANDSTILL)
    assert [agent.returncode for agent in agents] == [0] * WAITING


def answered(question: Callable[[], Found]) -> Found | None:
    with suppress(QueueAwayError):
        return question()
    return None


@contextmanager
def asking(number: int, variables: dict[str, str], workdir: Path) -> Iterator[subprocess.Popen[str]]:
    command = [*SCREEN, "ask", "--tool", "deploy", "--arg", f"to=staging-{number}"]
    with subprocess.Popen(
        command, env=variables, cwd=workdir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as agent:
        try:
            yield agent
        finally:
            agent.kill()


def status_line(variables: dict[str, str], workdir: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    begun = time.monotonic()
    done = subprocess.run(
        [*SCREEN, "status"], env=variables, cwd=workdir, capture_output=True, text=True, check=False
    )
    return done, time.monotonic() - begun
