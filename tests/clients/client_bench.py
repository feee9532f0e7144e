"""One conversation of a real client with a scripted model, and the person who decides in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from answering import Answer, Reviewer
from clients.conftest import FOLDER
from clients.scripted_model import ScriptedModel
from signoff.queue import Decision, StoredRequest, open_review_queue
from system_bench import PATIENCE, environment

__all__ = ["Conversation", "ended", "kill", "no", "program"]


def program(pattern: str) -> str:
    """The path of a program, in the folder where they are installed."""
    [found] = (
        Path(os.environ[FOLDER])
        .resolve()
        .glob(pattern if pattern.startswith("vibe/") else f"node_modules/{pattern}")
    )
    return str(found)


class Conversation:
    """One conversation, in folders of its own.

    Attributes:
        folder: The project.
        place: The queue.
        home: The home directory.
    """

    def __init__(self, base: Path) -> None:
        self.folder, self.place, self.home = base / "shop", base / "queue", base / "home"
        self.folder.mkdir()
        (self.home / "tmp").mkdir(parents=True)

    def path(self, name: str, content: bytes | None = None) -> str:
        """The path of a file of the project, which is made if there is a content for it."""
        path = self.folder / name
        if content is not None:
            path.write_bytes(content)
        return str(path)

    def variables(self, **more: str) -> dict[str, str]:
        """The variables of a program in the project."""
        own = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "SIGNOFF_QUEUE": str(self.place)}
        return environment(self.home, **own, **more)

    def start(self, command: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a program in the project."""
        return subprocess.Popen(
            command,
            env=self.variables(**variables),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def install(self, agent: str) -> None:
        """Put the hook into the agent's settings, as its user would."""
        command = [sys.executable, "-m", "signoff.cli", "init", agent, "--yes"]
        subprocess.run(command, env=environment(self.home), check=True, stdout=subprocess.DEVNULL)

    @contextmanager
    def reviewed(self, answer: Answer) -> Iterator[Reviewer]:
        """Have a person decide."""
        open_review_queue(self.place).close()
        with Reviewer(self.place, answer) as reviewer:
            yield reviewer


def ended(process: subprocess.Popen[str], model: ScriptedModel[Any]) -> None:
    """Wait for the end of a program that was asked to do something."""
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert model.asked, (output, errors)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a program and the copies of itself that it has started, and nothing else that it runs."""
    own = _program(process.pid)
    parents = {int(folder.name): _parent(folder) for folder in Path("/proc").glob("[0-9]*")}
    for pid in parents:
        above = pid
        while above not in (0, process.pid):
            above = parents.get(above, 0)
        if above and _program(pid) == own:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _parent(folder: Path) -> int:
    with suppress(OSError):
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _program(pid: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/exe").readlink())
    return ""


def no(note: str, *, hard: bool = False) -> Callable[[StoredRequest], Decision]:
    """Reject whatever it is."""
    return lambda _: Decision(approved=False, note=note, hard=hard)
