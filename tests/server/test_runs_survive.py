"""Runs, when the server or the host of the runs is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from server_bench import AGENTS, HOSTED, RULES, Served, served
from signoff.queue import Decision, open_review_queue
from system_bench import eventually

pytestmark = pytest.mark.system

MANY = 100


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as there:
        yield there


def test_runs_outlive_a_killed_server_and_get_what_was_decided_meanwhile(server: Served) -> None:
    runs = [server.begin("delete", f"file {number}") for number in range(MANY)]
    waiting = [server.becomes(run_id, "paused_checkpoint")["pending"][0]["request_id"] for run_id in runs]
    server.kill()
    with server.reviewing() as queue:
        assert {request.id for request in queue.pending()} == set(waiting)
        for number, request_id in enumerate(waiting):
            request = queue.get(request_id)
            target = request.id, request.revision, request.submission.digest
            if number % 4 == 0:
                queue.decide(*target, Decision(approved=True))
            if number % 4 == 1:
                queue.decide(*target, Decision(approved=False, hard=True))
    server.start()
    wanted = {0: "completed", 1: "cancelled", 2: "paused_checkpoint", 3: "paused_checkpoint"}
    for number, run_id in enumerate(runs):
        server.becomes(run_id, wanted[number % 4])
    assert sorted(path for _, path in server.executed()) == sorted(f"file {n}" for n in range(0, MANY, 4))
    later = runs[2]
    assert server.answer(later, approved=True).status_code == 200
    assert server.becomes(later, "completed")["output"] == "deleted file 2"


def test_a_killed_host_leaves_failed_runs_that_say_so_and_another_takes_its_place(server: Served) -> None:
    run_id = server.begin("delete", "lost")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    (host,) = server.hosts()
    os.kill(host, signal.SIGKILL)
    assert server.becomes(run_id, "failed")["error"] == "the process that hosted the run is gone"
    with server.reviewing() as queue:
        assert queue.get(pending["request_id"]).state == "withdrawn"
    assert server.answer(run_id, approved=True).status_code == 404
    assert server.executed() == []
    again = server.begin("delete", "again")
    server.becomes(again, "paused_checkpoint")


def test_a_host_that_cannot_start_fails_its_runs_and_is_started_again_for_the_next(tmp_path: Path) -> None:
    settings = RULES + HOSTED + "custom_tools:\n  broken: {}\n"
    tools = "import no_such_library\n\ndef broken(): ...\n"
    with served(tmp_path, settings, {**AGENTS, "tools.py": tools}) as server:
        for _ in range(2):
            error = server.becomes(server.begin("sleep"), "failed")["error"]
            assert error.startswith("its host cannot start: ")
            assert "no_such_library" in error


def test_a_run_goes_on_when_the_queue_is_lost_and_the_next_one_uses_the_new_queue(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        run_id = server.begin("twice")
        eventually(lambda: len(server.run(run_id)["pending"]) == 2)
        server.place.rename(server.place.with_name("gone"))
        assert server.becomes(run_id, "completed")["output"] == "no no"
        open_review_queue(server.place, create=True).close()
        again = server.begin("delete", "again")
        server.becomes(again, "paused_checkpoint")
        eventually(lambda: server.answer(again, approved=True).status_code == 200)
        server.becomes(again, "completed")


def test_a_named_queue_reaches_the_host_and_not_as_an_argument_that_others_may_read(
    server: Served, tmp_path: Path
) -> None:
    eventually(server.hosts)
    server.kill()
    eventually(lambda: not server.hosts(), "the host ends")
    named = tmp_path / "named"
    server.start("--queue", str(named))
    (host,) = eventually(server.hosts)
    assert str(named) not in Path(f"/proc/{host}/cmdline").read_text(encoding="utf-8")
    server.becomes(server.begin("delete", "there"), "paused_checkpoint")
    with open_review_queue(named) as review:
        assert len(review.pending()) == 1


def test_a_host_without_runs_ends_with_its_server(server: Served) -> None:
    eventually(server.hosts)
    server.kill()
    eventually(lambda: not server.hosts(), "the host ends")


def test_runs_that_had_ended_are_as_they_were_after_a_restart(server: Served) -> None:
    run_id = server.begin("fail")
    before = server.becomes(run_id, "failed")
    events = server.events(run_id)
    server.kill()
    server.start()
    assert server.run(run_id) == before
    assert server.events(run_id) == events
