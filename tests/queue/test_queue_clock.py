"""Times of a queue in PostgreSQL are the server's, whatever the clocks of its users say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from queue_samples import approve, call, eventually

from signoff.queue.clock import SECOND, now_us

pytestmark = [
    pytest.mark.engines("fresh postgres"),
    pytest.mark.skipif(shutil.which("faketime") is None, reason="needs faketime"),
]

AHEAD, BEHIND = "+1h", "-1h"
ASKS = """
import sys
from signoff.canonical import canonical
from signoff.queue import AgentInfo, Submission, open_agent_queue
from signoff.queue.clock import now_us
with open_agent_queue(AgentInfo("astray", "s-9", "/work"), sys.argv[1]) as queue:
    asked = Submission(key="k", tool_name="t", description="", payload={}, payload_key=canonical({}), arguments={},
        digest="d", cwd="/work", expires_at=now_us() + 600_000_000)
    print(queue.submit(asked).id, flush=True)
    sys.stdin.readline()
"""


def with_clock(shift, *words):
    """A command line of a machine whose clock is off."""
    return ["faketime", "-f", shift, sys.executable, *words]


def told(shift, opener, *words):
    """What a command of signoff prints there."""
    command = with_clock(shift, "-m", "signoff.cli", *words, "--queue", opener.place)
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ).stdout


@pytest.mark.parametrize("shift", [AHEAD, BEHIND])
def test_who_lists_with_a_clock_that_is_off_ends_nothing(opener, agent, review, shift):
    posted = agent.submit(call(expires_at=now_us() + 600 * SECOND))
    listed = told(shift, opener, "list", "--json")
    assert posted.id in listed
    assert review.get(posted.id).pending


@pytest.mark.parametrize("shift", [AHEAD, BEHIND])
def test_a_deadline_is_as_far_away_as_its_sender_meant(opener, review, shift):
    with subprocess.Popen(
        with_clock(shift, "-c", ASKS, opener.place), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asking:
        request = review.get(asking.stdout.readline().strip())
        assert request.pending
        assert 590 * SECOND < request.expires_at - review.now <= 600 * SECOND
        asking.communicate("\n")


def test_what_is_recorded_has_the_time_of_the_server(opener, agent, review):
    posted = agent.submit(call())
    command = with_clock(AHEAD, "-m", "signoff.cli", "reject", posted.id, "--note", "no", "--queue", opener.place)
    subprocess.run(command, capture_output=True, check=True)
    (record,) = review.history()
    assert abs(record.at - now_us()) < 60 * SECOND


def test_the_status_tells_how_far_a_clock_is_off(opener, agent):
    assert "clock 1h" in told(AHEAD, opener, "status") or "clock 60m" in told(AHEAD, opener, "status")
    assert "ahead" in told(AHEAD, opener, "status")
    assert "behind" in told(BEHIND, opener, "status")
    assert (
        "clock"
        not in subprocess.run(
            [sys.executable, "-m", "signoff.cli", "status", "--queue", opener.place],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    )


def test_an_answer_in_time_is_in_time_by_the_clock_of_the_server(agent, review):
    posted = agent.submit(call(expires_at=now_us() + 2 * SECOND))
    approve(review, posted)
    eventually(lambda: review.now > posted.expires_at)
    assert agent.wait(posted.id).approved
