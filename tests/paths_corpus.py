"""The cases of ``paths.jsonl``: is this file inside the sandbox? See tests/corpora/README.md."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from typing import Any

from corpus_judges import Case
from signoff.policy.verdict import Level
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.roots import Operation
from signoff.types import ApprovalContext

__all__ = ["World", "judged"]


class World:
    """The directory of one case, and the steps that change it."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def filled_in(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{T}", str(self.top)).replace("{B}", self.top.name)
        if isinstance(value, dict):
            return {key: self.filled_in(item) for key, item in value.items()}
        return value

    def do(self, steps: list[list[str]]) -> None:
        for verb, *arguments in steps:
            getattr(self, verb)(*map(self.filled_in, arguments))

    def mkdir(self, path: str) -> None:
        (self.top / path).mkdir(parents=True, exist_ok=True)

    def file(self, path: str, text: str) -> None:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(text)

    def symlink(self, target: str, link: str) -> None:
        (self.top / link).parent.mkdir(parents=True, exist_ok=True)
        (self.top / link).symlink_to(target)

    def hardlink(self, old: str, new: str) -> None:
        (self.top / new).hardlink_to(self.top / old)

    def fifo(self, path: str) -> None:
        os.mkfifo(self.top / path)

    def socket(self, path: str) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(self.top / path))

    def remove(self, path: str) -> None:
        found = self.top / path
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found)
        else:
            found.unlink()

    def rename(self, old: str, new: str) -> None:
        (self.top / old).rename(self.top / new)


def judged(case: Case, top: Path) -> list[tuple[Level, list[str]]]:
    """The verdicts about a case, each with those that pass; all from one sandbox.

    Args:
        case: The case.
        top: An empty directory, which is the working directory as well.
    """
    world, given = World(top), case["input"]
    world.do(given["setup"])
    sandbox = FileSandbox({"paths": world.filled_in(given["sandbox"]["paths"])}, cwd=str(top))
    path = world.filled_in(given["path"])
    found = [(verdict(sandbox, given["op"], path), case["accept"])]
    if "then" in given:
        world.do(given["then"])
        found.append((verdict(sandbox, given["op"], path), case["accept_then"]))
    return found


def verdict(sandbox: FileSandbox, operation: Operation, path: Any) -> Level:
    """What the sandbox says, in both ways in which it is asked."""
    said = sandbox.verdict(operation, path).level
    assert said is asked(sandbox, operation, path)
    return said


def asked(sandbox: FileSandbox, operation: str, path: Any) -> Level:
    """The same, as it comes out when a tool is called."""
    args = {"path": path, "content": "x"} if operation == "write" else {"path": path}
    try:
        request = sandbox.check_approval(ApprovalContext(tool_name=f"{operation}_file", args=args))
    except PermissionError:
        return Level.BLOCK
    return Level.ALLOW if request is None else Level.ASK
