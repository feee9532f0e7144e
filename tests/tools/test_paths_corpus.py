"""Every case of the corpus of paths: no hole, no false stop. See tests/corpora/README.md."""

from __future__ import annotations

import json
import os
import socket
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.roots import Operation
from signoff.types import ApprovalContext

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parents[1] / "corpora")) / "paths.jsonl"
STRENGTH = {"allow": 0, "ask": 1, "block": 2}

Case = dict[str, Any]


@cache
def cases() -> tuple[Case, ...]:
    return tuple(json.loads(line) for line in CORPUS.read_text("ascii").splitlines())


def categories() -> list[str]:
    return sorted({case["category"] for case in cases()})


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
        (self.top / path).write_text(text)

    def symlink(self, target: str, link: str) -> None:
        (self.top / link).symlink_to(target)

    def hardlink(self, old: str, new: str) -> None:
        (self.top / new).hardlink_to(self.top / old)

    def fifo(self, path: str) -> None:
        os.mkfifo(self.top / path)

    def socket(self, path: str) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(self.top / path))

    def remove(self, path: str) -> None:
        (self.top / path).unlink()

    def rename(self, old: str, new: str) -> None:
        (self.top / old).rename(self.top / new)


def verdict(sandbox: FileSandbox, operation: Operation, path: Any) -> str:
    said = str(sandbox.verdict(operation, path).level)
    assert said == asked(sandbox, operation, path)
    return said


def asked(sandbox: FileSandbox, operation: str, path: Any) -> str:
    """The same, as it comes out when a tool is called."""
    args = {"path": path, "content": "x"} if operation == "write" else {"path": path}
    try:
        request = sandbox.check_approval(ApprovalContext(tool_name=f"{operation}_file", args=args))
    except PermissionError:
        return "block"
    return "allow" if request is None else "ask"


def judged(case: Case, world: World) -> list[tuple[str, list[str]]]:
    """The verdicts about a case, each with those that pass; all from one sandbox."""
    given = case["input"]
    world.do(given["setup"])
    sandbox = FileSandbox({"paths": world.filled_in(given["sandbox"]["paths"])}, cwd=str(world.top))
    path = world.filled_in(given["path"])
    found = [(verdict(sandbox, given["op"], path), case["accept"])]
    if "then" in given:
        world.do(given["then"])
        found.append((verdict(sandbox, given["op"], path), case["accept_then"]))
    return found


def failure(said: str, accepted: list[str]) -> str | None:
    """What a verdict is that is weaker or stronger than all that pass."""
    if said in accepted:
        return None
    return "hole" if STRENGTH[said] < max(STRENGTH[answer] for answer in accepted) else "false stop"


@pytest.mark.parametrize("category", categories())
def test_a_path_is_judged_by_where_it_leads(
    category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []
    for case in (case for case in cases() if case["category"] == category):
        top = (tmp_path / case["id"]).resolve()
        top.mkdir()
        monkeypatch.chdir(top)
        failures += [
            (failed, case["id"], said, case["why"])
            for said, accepted in judged(case, World(top))
            if (failed := failure(said, accepted))
        ]
    assert failures == []
