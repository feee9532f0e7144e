"""What all system tests share: waiting, a clean environment, agents as processes, and looking at the results."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from signoff.present.snapshot.snapshot import Snapshot
from signoff.queue import AgentQueue, HistoryRecord, ReviewQueue, StoredRequest, Submission
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff.submission import plain_submission, submission_with_snapshot
from signoff.types import ApprovalRequest

PATIENCE = 120.0
"""Seconds after which a test gives up on something that should come at once, also on a busy machine."""

LOOK = 0.02
"""Seconds between two looks at something that tells no one when it changes."""

SCREEN = [sys.executable, "-m", "signoff.cli"]
"""The command that opens the screen."""

Found = TypeVar("Found")


def eventually(
    look: Callable[[], Found | None], what: str | Callable[[], str] = "it", seconds: float = PATIENCE
) -> Found:
    """Look again and again until there is something to see, and return it.

    Raises:
        AssertionError: There was nothing within the time; the message says what was missing.
    """
    end = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > end:
            raise AssertionError(f"never happened: {what() if callable(what) else what}")
        time.sleep(LOOK)
    return found


def environment(home: Path, **extra: str) -> dict[str, str]:
    """Variables for a program that shall find nothing of the person who runs the tests.

    Args:
        home: An existing folder that stands for the home directory and holds all that is written there.
        extra: Variables to add.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SIGNOFF_", "XDG_", "TMUX", "LC_", "TEXTUAL"))
        and name not in {"NO_COLOR", "COLUMNS", "LINES"}
    }
    folders = {
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_RUNTIME_DIR": home / "run",
        "XDG_STATE_HOME": home / "state",
        "TMPDIR": home / "tmp",
    }
    own = {name: str(folder) for name, folder in folders.items()}
    # Reviewers of the test and agents that it starts are the same person's.
    own |= {name: value for name, value in os.environ.items() if name == KEYS_VARIABLE}
    # With a theme that was chosen, the screen does not ask for one first.
    usual = {"HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "SIGNOFF_THEME": "signoff-dark"}
    return {**kept, **own, **usual, **extra}


@contextmanager
def running(command: Sequence[str], variables: dict[str, str], cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a program without a terminal; it is killed in the end if it still runs."""
    with subprocess.Popen(
        command,
        env=variables,
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def demo_agent(role: str, project: Path) -> list[str]:
    """The command that starts an agent of the demo."""
    return [sys.executable, "-m", "signoff.demo.agents", role, str(project)]


def is_running(pid: int) -> bool:
    """Whether there is a process of that number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def post(queue: AgentQueue, request: ApprovalRequest) -> StoredRequest:
    """Post a request as the controller does, without waiting for the answer."""
    submission, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=queue.agent.cwd))
    return queue.submit(submission)


def note(queue: AgentQueue, name: str) -> StoredRequest:
    """Post a small request that a person recognizes by its name."""
    return queue.submit(note_submission(name, cwd=queue.agent.cwd))


def note_submission(name: str, *, cwd: str, lines: int = 2, edition: int = 1) -> Submission:
    """A call without effects, of that name, that says which revision it is, with so many lines of content."""
    body = {"edition": edition, **{f"line {number}": name for number in range(lines)}}
    request = ApprovalRequest(tool_name="send_note", description=name, payload={"name": name, **body})
    return plain_submission(request, None, cwd=cwd)


def shown_files(queue: ReviewQueue, request: StoredRequest) -> dict[Path, bytes]:
    """What a request says that files would become: what a reviewer was shown, from the stored contents."""
    assert request.submission.snapshot is not None
    snapshot = Snapshot.from_json(dict(request.submission.snapshot), queue.blob)
    return {Path(change.path): snapshot.blobs[change.after_sha256] for change in snapshot.items}


def records_of(queue: ReviewQueue, request: StoredRequest) -> list[HistoryRecord]:
    """What the history says of a request, oldest first."""
    return [record for record in all_records(queue) if record.request_id == request.id]


def all_records(queue: ReviewQueue) -> list[HistoryRecord]:
    """The whole history, oldest first."""
    return list(reversed(queue.history(limit=10_000)))


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder by its relative path, with the hash of its content."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
