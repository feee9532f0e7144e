"""Which files a sandbox covers: the corpus of paths, and the configuration."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from signoff.tools.resolving import follow
from signoff.tools.roots import PathConfig, Roots

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parents[1] / "corpora")) / "paths.jsonl"


def cases() -> list[Any]:
    found = [json.loads(line) for line in CORPUS.read_text("ascii").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in found]


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


def verdict(roots: Roots, operation: Any, path: Any) -> str:
    try:
        access = roots.access(operation, path)
    except PermissionError:
        return "block"
    return "ask" if access.reasons else "allow"


@pytest.mark.parametrize("case", cases())
def test_a_path_is_judged_by_where_it_leads(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path.resolve())
    monkeypatch.chdir(world.top)
    given = case["input"]
    world.do(given["setup"])
    roots = Roots(world.filled_in(given["sandbox"]["paths"]), str(world.top))
    path = world.filled_in(given["path"])
    assert verdict(roots, given["op"], path) in case["accept"], case["why"]
    if "then" in given:
        world.do(given["then"])
        assert verdict(roots, given["op"], path) in case["accept_then"], case["why"]


# -- resolving ---------------------------------------------------------------------------------------------


def test_a_path_without_links_is_where_it_says(workdir: Path) -> None:
    assert follow("a/./b//../c", str(workdir)) == f"{workdir}/a/c"


def test_a_link_in_the_middle_is_followed_before_its_parent_is_taken(workdir: Path) -> None:
    (workdir / "far" / "away").mkdir(parents=True)
    (workdir / "link").symlink_to("far/away")
    assert follow("link/../x", str(workdir)) == f"{workdir}/far/x"


def test_a_link_that_dangles_leads_to_what_it_names(workdir: Path) -> None:
    (workdir / "link").symlink_to("/nowhere/at/all")
    assert follow("link/x", str(workdir)) == "/nowhere/at/all/x"


@pytest.mark.parametrize("path", ["/proc/self/cwd/a", "/dev/fd/3", "link/a", "/../proc/1/root"])
def test_what_means_another_place_for_every_process_is_refused(workdir: Path, path: str) -> None:
    (workdir / "link").symlink_to("/proc/self/cwd")
    with pytest.raises(PermissionError, match="every process"):
        follow(path, str(workdir))


def test_a_circle_of_links_is_refused(workdir: Path) -> None:
    (workdir / "a").symlink_to("b/x")
    (workdir / "b").symlink_to("a/y")
    with pytest.raises(PermissionError, match="circle"):
        follow("a", str(workdir))


# -- configuration -----------------------------------------------------------------------------------------


def test_a_root_is_read_only_and_asks_before_writing_unless_it_says_otherwise() -> None:
    config = PathConfig(root=".")
    assert (config.mode, config.write_approval, config.read_approval) == ("ro", True, False)


@pytest.mark.parametrize(
    ("block", "write", "read"),
    [
        ({"write": "none"}, False, False),
        ({"read": "required"}, True, True),
        ({"write": "required", "read": "none"}, True, False),
    ],
)
def test_approval_can_be_written_as_a_block(block: dict[str, str], write: bool, read: bool) -> None:
    config = PathConfig.model_validate({"root": ".", "approval": block})
    assert (config.write_approval, config.read_approval) == (write, read)


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "rwx"},
        {"write_aproval": False},
        {"approval": {"write": "no"}},
        {"approval": {"delete": "none"}},
        {"approval": "none"},
        {"approval": {"write": "none"}, "write_approval": True},
    ],
)
def test_a_configuration_that_is_not_understood_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PathConfig.model_validate({"root": ".", **fields})
