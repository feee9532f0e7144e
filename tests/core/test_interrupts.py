"""Ctrl+C in a real process whose worker threads wait for a person."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from answering import waiting
from signoff.queue import Decision, ReviewQueue
from system_bench import PATIENCE, running

PROGRAM = """
import asyncio, concurrent.futures, pathlib
from signoff import ApprovalController, simple_approval_request

controller = ApprovalController()

def deploy(to):
    decision = controller.request_approval_sync(simple_approval_request("deploy", {"to": to}))
    pathlib.Path("deployed.txt").write_text(str(decision))

async def in_a_thread():
    await asyncio.to_thread(deploy, "staging")

def in_a_pool():
    pool = concurrent.futures.ThreadPoolExecutor()
    pool.submit(deploy, "staging").result()

def in_a_full_pool():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = [pool.submit(deploy, to) for to in ("staging", "production")]
        asked[0].result()

def in_a_loop_of_its_own():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        asking = controller.request_approval(simple_approval_request("deploy", {"to": "staging"}))
        pool.submit(asyncio.run, asking).result()
"""


@pytest.mark.parametrize(
    "way", ["asyncio.run(in_a_thread())", "in_a_pool()", "in_a_full_pool()", "in_a_loop_of_its_own()"]
)
def test_an_interrupt_withdraws_what_a_worker_thread_waits_for_and_a_later_yes_runs_nothing(
    way: str, reviewed, looking: ReviewQueue, variables: dict[str, str], workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with running([sys.executable, "-c", PROGRAM + way], variables, workdir) as process:
        (posted,) = reviewer.wait_for(1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in output
    verdict = looking.decide(posted.id, posted.revision, posted.submission.digest, Decision(approved=True))
    assert "the agent was interrupted (Ctrl+C)" in verdict.message
    assert looking.pending() == ()
    assert not (workdir / "deployed.txt").exists()
