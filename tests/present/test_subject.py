"""What a call is about comes from what it would do."""

from __future__ import annotations

from pathlib import Path

import pytest
from document_reading import texts

from signoff.effects import Command, Effect, FileWrite
from signoff.present.document.build import documents_for
from signoff.present.snapshot.snapshot import take
from signoff.present.subject import subject_text


def subject(cwd: Path, *effects: Effect) -> str | None:
    return subject_text(take(effects).to_json(), str(cwd))


def test_a_command_is_told_as_it_is(tmp_path: Path) -> None:
    assert subject(tmp_path, Command("rm -rf build", str(tmp_path))) == "rm -rf build"


def test_a_file_below_the_working_directory_is_told_relative_to_it(tmp_path: Path) -> None:
    assert subject(tmp_path, FileWrite(str(tmp_path / "src" / "a.py"), "x")) == "src/a.py"


def test_a_file_elsewhere_is_told_in_full(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    assert subject(tmp_path / "work", FileWrite(str(tmp_path / "a.py"), "x")) == str(tmp_path / "a.py")


def test_that_there_is_more_than_one_step_is_told_first(tmp_path: Path) -> None:
    steps = FileWrite(str(tmp_path / "a"), "x"), FileWrite(str(tmp_path / "b"), "x")
    assert subject(tmp_path, *steps) == "1 of 2: a"


def test_a_file_that_is_emptied_and_removed_is_one_subject(tmp_path: Path) -> None:
    path = tmp_path / "old file"
    path.write_text("x")
    removed = FileWrite(str(path), ""), Command(f"rm -- '{path}'", str(tmp_path))
    assert subject(tmp_path, *removed) == "old file"
    assert texts(documents_for(take(removed), None, {}, str(tmp_path))[0])[1] == "the file is removed"


@pytest.mark.parametrize(
    ("content", "command", "env", "link"),
    [
        ("y", "rm -- {}", {}, False),
        ("", "rm -- {}; make", {}, False),
        ("", "rm -- {}.bak", {}, False),
        ("", "rm -- {}", {"PATH": "."}, False),
        ("", "rm -- {}", {}, True),
    ],
)
def test_whatever_does_more_than_remove_it_is_two(
    tmp_path: Path, content: str, command: str, env: dict[str, str], link: bool
) -> None:
    (tmp_path / "b").write_text("x")
    path = tmp_path / "a"
    if link:
        path.symlink_to("b")
    else:
        path.write_text("x")
    effects = FileWrite(str(path), content), Command(command.format(path), str(tmp_path), env)
    assert subject(tmp_path, *effects) == "1 of 2: a"
    assert "the file is removed" not in texts(documents_for(take(effects), None, {}, str(tmp_path))[0])


@pytest.mark.parametrize("snapshot", [None, {}, {"steps": "nonsense"}])
def test_what_declared_nothing_has_no_subject(snapshot: dict[str, object] | None) -> None:
    assert subject_text(snapshot, "/work") is None
