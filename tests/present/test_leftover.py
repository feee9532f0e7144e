"""Arguments that the declared effects do not show are shown beside them."""

from __future__ import annotations

from pathlib import Path

from signoff.effects import Command, FileEdit, FileWrite
from signoff.present.documents import documents_for
from signoff.present.leftover import leftover_arguments
from signoff.present.snapshot import take


def test_path_and_content_of_a_write_are_shown_by_its_effects(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "new\n")])
    assert leftover_arguments(snapshot, {"path": "a.txt", "content": "new\n"}, str(tmp_path)) == {}


def test_old_and_new_text_of_an_edit_are_shown_by_its_effects(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three\n")
    snapshot = take([FileEdit(str(tmp_path / "a.txt"), "two", "2")])
    arguments = {"path": "a.txt", "old": "two", "new": "2"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == {}


def test_a_command_and_its_directory_are_shown_by_its_effects(tmp_path: Path) -> None:
    snapshot = take([Command("ls -l", str(tmp_path))])
    assert leftover_arguments(snapshot, {"command": "ls -l", "cwd": str(tmp_path)}, str(tmp_path)) == {}


def test_a_text_that_merely_occurs_in_the_content_is_left_over(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "delete nothing\n")])
    arguments = {"path": "a.txt", "content": "delete nothing\n", "mode": "delete"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == {"mode": "delete"}


def test_flags_and_structures_are_left_over(tmp_path: Path) -> None:
    snapshot = take([Command("ls", str(tmp_path))])
    arguments = {"command": "ls", "as_root": True, "env": {"A": "1"}}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == {"as_root": True, "env": {"A": "1"}}


def test_left_over_arguments_are_a_document_that_must_be_read(tmp_path: Path) -> None:
    snapshot = take([Command("ls", str(tmp_path))])
    command, further = documents_for(snapshot, None, {"command": "ls", "as_root": True}, str(tmp_path))
    assert command.kind == "command"
    assert further.units > 0
    assert any("as_root" in row.text.text for row in further)
