"""The report on the corpora: it counts what is wrong, and passes over nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora_report import main
from corpus_judges import read


@pytest.fixture(autouse=True)
def _read_anew() -> None:
    read.cache_clear()


def write(folder: Path, name: str, *cases: dict[str, Any]) -> None:
    (folder / name).write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="ascii")


def command(text: str, *accept: str) -> dict[str, Any]:
    rules = [{"pattern": "ls", "allowed": True, "approval": False}]
    default = {"allowed": True, "approval": True}
    given = {"command": text, "rules": rules, "default": default}
    return {"id": text, "category": "some", "input": given, "accept": list(accept), "why": "a test"}


def test_a_folder_in_which_all_is_right_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "shell-rules.jsonl", command("ls", "allow"), command("rm", "ask"))
    assert main(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "2", "0", "0"]


def test_holes_and_false_stops_are_counted_by_category(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        tmp_path, "shell-rules.jsonl", command("ls", "ask", "block"), command("rm", "allow"), command("cat", "ask")
    )
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-2].split() == ["some", "3", "1", "1"]


@pytest.mark.parametrize("name", ["shell.jsonl", "notes.txt"])
def test_a_file_that_nobody_knows_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, "shell-rules.jsonl", command("ls", "allow"))
    write(tmp_path, name)
    assert main(tmp_path) == 2


def test_a_file_without_cases_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "shell-rules.jsonl")
    assert main(tmp_path) == 2


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    assert main(tmp_path) == 2


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert main(tmp_path / "missing") == 2


def test_a_case_that_cannot_be_judged_is_a_hole_and_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "shell-rules.jsonl", {**command("ls", "allow"), "input": {}}, command("ls", "allow"))
    assert main(tmp_path) == 1
    told = capsys.readouterr()
    assert "cannot be judged: KeyError" in told.err
    assert told.out.splitlines()[-1].split() == ["all", "2", "1", "0"]
