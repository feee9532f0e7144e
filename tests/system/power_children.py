"""Decides one request after the other and reports each, then dies: ``python power_children.py PLACE``.

Each line it prints says which request, whether it was approved, and how long the log of the database was when the
decision was reported.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from signoff.canonical import canonical, digest
from signoff.queue import AgentInfo, Decision, Submission, open_agent_queue, open_review_queue

DECISIONS = 10


def main(place: Path) -> None:
    """Ask and decide, report, and die without saying goodbye."""
    agent = open_agent_queue(AgentInfo("refactor", "s-1", "/work"), place)
    review = open_review_queue(place, reviewer="anna")
    for number in range(DECISIONS):
        payload = {"path": f"{number}.txt"}
        request = agent.submit(
            Submission(
                key=str(number),
                tool_name="write_file",
                description=f"write {number}.txt",
                payload=payload,
                payload_key=canonical(payload),
                arguments=payload,
                digest=digest(payload),
                cwd="/work",
            )
        )
        decision = Decision(approved=number % 3 != 0, note="why not")
        verdict = review.decide(request.id, request.revision, request.submission.digest, decision)
        assert verdict.accepted
        # Only its length is looked at: nothing but SQLite may open the file.
        length = (place / "queue.db-wal").stat().st_size
        os.write(1, f"{request.id} {decision.approved} {length}\n".encode())
        agent.wait(request.id)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
