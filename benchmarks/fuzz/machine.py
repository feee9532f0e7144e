"""The machine as it is, for programs that must not change it: read-only but for an own directory and home."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzz.jail import Served

__all__ = ["Machine", "Trace"]

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TERM": "dumb"}


@dataclass(frozen=True, slots=True)
class Trace:
    """What is left of a command that was run.

    Attributes:
        changed: Files and directories that were made, changed or removed, below ``/tmp``.
        said: What it printed, to either output.
        finished: False if it had to be ended.
    """

    changed: tuple[str, ...]
    said: str
    finished: bool


class Machine(Served):
    """The programs of the machine, without network, from ``with`` to its end.

    Args:
        files: What is in the directory that commands run in, by their paths. An executable ``canary`` is added,
            which notes that it ran.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {name: content.decode("latin-1") for name, content in files.items()}

    def run(self, text: str, environment: Mapping[str, str] | None = None) -> Trace:
        """Run ``bash -c`` with a text, and wait for all that it starts.

        Args:
            text: The command.
            environment: Variables for it.

        Raises:
            RuntimeError: The command breaks the cell that it runs in, and each further one.
        """
        data = self.ask({"text": text, "environment": dict(environment or {})})
        return Trace(tuple(data["changed"]), data["said"], data["finished"])

    def _furnish(self) -> None:
        pass

    def _command(self) -> tuple[list[str], dict[str, str]]:
        cell = Path(__file__).with_name("machine_cell.py")
        path = os.environ.get("PATH", "/usr/bin:/bin")
        environment = {**_ENVIRONMENT, "PATH": path}
        if (toolchains := Path.home() / ".rustup").is_dir():
            environment["RUSTUP_HOME"] = str(toolchains)
        # A program may need what lies beside the directory that it is found in.
        kept = {str(Path(folder).resolve().parent) for folder in path.split(":") if folder.startswith("/tmp/")}
        kept = {folder for folder in kept if folder != "/tmp"}
        kept = {each for each in kept if not any(each.startswith(f"{other}/") for other in kept)}
        return [sys.executable, "-I", str(cell), str(self._root), *sorted(kept)], environment

    def _try_out(self) -> str | None:
        self._asked({"files": self._files})
        seen = self._asked({"text": "echo x > made; ls; ./canary", "environment": {}})
        wanted = ["here/made", "ran/canary"]
        right = seen["changed"] == wanted and shutil.which("ls") is not None
        return None if right else f"it saw {seen['changed']} instead of {wanted}: {seen['said']}"
