"""Pager and viewer of the person: what they are given, where it lies, and what becomes of it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from signoff_tui.external import HandoverError, in_pager, in_viewer


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class Waits:
    """Counts how often somebody would have to press Enter."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def script(tmp_path: Path, text: str) -> list[str]:
    """The words of a command that is a script of sh; ``$OUT`` is a file for what it tells."""
    file = tmp_path / "program.sh"
    file.write_text(f"OUT='{tmp_path}/told'\n{text}\n")
    return ["sh", str(file)]


def told(tmp_path: Path) -> str:
    return (tmp_path / "told").read_text()


def test_the_pager_reads_the_text_from_its_standard_input(tmp_path: Path, folder: Path) -> None:
    pager = " ".join(script(tmp_path, 'cat > "$OUT"; echo "$#, $LESSSECURE" >> "$OUT"'))
    in_pager("one é\n", {"PAGER": pager}, wait=Waits())
    assert told(tmp_path) == "one é\n0, 1\n"
    assert [*folder.iterdir()] == []


def test_a_pager_that_waits_for_nobody_is_waited_for(tmp_path: Path, folder: Path) -> None:
    waits = Waits()
    in_pager("one\n", {"PAGER": "true"}, wait=waits)
    assert waits.times == 1


@pytest.mark.parametrize(
    ("pager", "words"),
    [("false", "false ended with 1"), ("/nowhere/pager", "cannot be started"), ("less '", "PAGER cannot be read")],
)
def test_a_pager_that_fails_says_so(folder: Path, pager: str, words: str) -> None:
    with pytest.raises(HandoverError, match=words):
        in_pager("one\n", {"PAGER": pager}, wait=Waits())
    assert [*folder.iterdir()] == []


def test_no_shell_reads_the_name_of_a_pager(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(HandoverError):
        in_pager("one\n", {"PAGER": f"true; touch {tmp_path}/told"}, wait=Waits())
    assert not (tmp_path / "told").exists()


def test_the_viewer_gets_two_private_files_that_are_gone_afterwards(tmp_path: Path, folder: Path) -> None:
    tells = 'stat -c "%a %n" "$@" > "$OUT"; cat "$@" >> "$OUT"; pwd >> "$OUT"'
    waits = Waits()
    in_viewer(script(tmp_path, tells), ["one", "two"], ["one", "2"], "src/api.py", wait=waits)
    before, after, *rest, where = told(tmp_path).splitlines()
    assert before.startswith("600 ")
    assert before.endswith("/before.py")
    assert after.endswith("/after.py")
    assert rest == ["one", "two", "one", "2"]
    assert Path(where).parent == folder.resolve()
    assert [*folder.iterdir()] == []
    assert waits.times == 1


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/-rf", "before"), ("x.\x1b[2J", "before"), ("Makefile", "before"), ("a.tar.gz", "before.gz")],
)
def test_only_a_harmless_ending_of_a_name_is_used(tmp_path: Path, folder: Path, path: str, name: str) -> None:
    in_viewer(script(tmp_path, 'basename "$1" > "$OUT"'), [], [], path, wait=Waits())
    assert told(tmp_path) == f"{name}\n"


def test_a_difference_is_no_failure(folder: Path) -> None:
    in_viewer(["diff"], ["a"], ["b"], "x", wait=Waits())


@pytest.mark.parametrize(
    ("command", "words"),
    [([sys.executable, "-c", "raise SystemExit(3)"], "ended with 3"), (["/nowhere"], "started")],
)
def test_a_viewer_that_fails_says_so(folder: Path, command: list[str], words: str) -> None:
    with pytest.raises(HandoverError, match=words):
        in_viewer(command, ["a"], ["b"], "x", wait=Waits())
    assert [*folder.iterdir()] == []
