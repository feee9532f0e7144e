"""Programs that system tests start as processes of their own: ``python system_children.py ROLE …``."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path

from signoff.connection import connect_agent
from signoff.queue import StoredRequest
from system_bench import note_submission


def stream(place: str, seed: str, rate: str = "5") -> None:
    """Post requests at a rate until standard input ends; withdraw one a second, amend one in two seconds."""
    posted = 1 / float(rate)
    dice = random.Random(seed)
    over = threading.Event()
    threading.Thread(target=_set_at_end_of_input, args=(over,), daemon=True).start()
    waiting: list[StoredRequest] = []
    number = 0
    with connect_agent("stream", session="s-stream", place=place, cwd=str(Path.cwd())) as queue:
        while not over.wait(posted):
            number += 1
            waiting.append(queue.submit(note_submission(f"note-{number:04}", cwd=queue.agent.cwd)))
            if dice.random() < posted:
                queue.withdraw(waiting.pop(dice.randrange(len(waiting))).id, "not needed any more")
            if waiting and dice.random() < posted / 2:
                place_of = dice.randrange(max(len(waiting) - 10, 0), len(waiting))
                chosen, lines = waiting[place_of], dice.randint(3, 9)
                name, edition = chosen.submission.description, chosen.revision + 1
                amended = note_submission(name, cwd=queue.agent.cwd, lines=lines, edition=edition)
                waiting[place_of] = queue.amend(chosen.id, amended)


def _set_at_end_of_input(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    {"stream": stream}[sys.argv[1]](*sys.argv[2:])
