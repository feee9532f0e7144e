"""Arguments that the declared effects do not show are shown beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from signoff.effects import Command, FileEdit, FileWrite
from signoff.present.document.build import documents_for, leftover_arguments
from signoff.present.snapshot.snapshot import Snapshot, take


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


@pytest.mark.parametrize("value", ["./a.txt", "a.txt", ".//a.txt"])
def test_a_path_may_be_spelled_in_any_plain_way(tmp_path: Path, value: str) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "new\n")])
    for name in ("path", "file_path", "filepath", "filename", "file"):
        assert leftover_arguments(snapshot, {name: value}, str(tmp_path)) == {}


def test_a_path_that_goes_up_is_left_over_since_links_decide_where_it_leads(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "new\n")])
    arguments = {"path": "link/../a.txt"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == arguments


def test_the_value_of_a_shown_part_under_a_name_of_its_own_is_left_over(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "x\n")])
    odd = {"then_delete": "./a.txt", "email_copy_of": "a.txt", "also_append": "x\n", "cwd": str(tmp_path)}
    assert leftover_arguments(snapshot, {"path": "a.txt", "content": "x\n", **odd}, str(tmp_path)) == odd


def test_the_value_of_a_command_under_a_name_of_its_own_is_left_over(tmp_path: Path) -> None:
    snapshot = take([Command("ls", str(tmp_path))])
    odd = {"upload_dir": ".", "on_failure": "ls", "path": "."}
    assert leftover_arguments(snapshot, {"command": "ls", **odd}, str(tmp_path)) == odd


def test_a_well_known_name_with_another_value_is_left_over(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "x\n")])
    arguments = {"path": "b.txt", "content": "y\n", "old": "x\n", "new": "x\n"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == arguments


@pytest.mark.parametrize(("first", "second"), [*combinations(("path", "file_path", "filename", "file"), 2)])
def test_of_two_names_for_one_part_the_second_is_left_over(tmp_path: Path, first: str, second: str) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.txt"), "x\n")])
    arguments = {second: "a.txt", first: "a.txt"}
    assert len(leftover_arguments(snapshot, arguments, str(tmp_path))) == 1


def test_each_effect_shows_an_argument_of_its_own(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / name), "x\n") for name in ("a.txt", "b.txt")])
    arguments = {"path": "a.txt", "file_path": "b.txt", "file": "b.txt"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == {"file": "b.txt"}


def test_an_edit_is_shown_only_by_its_two_names_together(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three\n")
    snapshot = take([FileEdit(str(tmp_path / "a.txt"), "two", "2")])
    for odd in ({"old": "two", "with": "2"}, {"old": "two"}, {"old": "two", "new_str": "2"}):
        assert leftover_arguments(snapshot, odd, str(tmp_path)) == odd


def test_binary_content_is_never_shown_so_it_is_left_over(tmp_path: Path) -> None:
    snapshot = take([FileWrite(str(tmp_path / "a.bin"), b"a\0b")])
    arguments = {"path": "a.bin", "content": "a\0b"}
    assert leftover_arguments(snapshot, arguments, str(tmp_path)) == {"content": "a\0b"}


class CountedContents(Mapping[str, bytes]):
    """Contents by hash that count how often one is read."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents
        self.reads = 0

    def __getitem__(self, sha256: str) -> bytes:
        self.reads += 1
        return self._contents[sha256]

    def __iter__(self) -> Iterator[str]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)


@pytest.mark.parametrize("many", [0, 20_000])
def test_the_contents_are_read_once_however_many_arguments_there_are(tmp_path: Path, many: int) -> None:
    (tmp_path / "a.txt").write_text("one two\n" * 10_000 + "three\n")
    snapshot = take([FileEdit(str(tmp_path / "a.txt"), "three", "3")])
    contents = CountedContents(snapshot.blobs)
    odd: dict[str, Any] = {f"text_{number}": "one two" for number in range(many)}
    arguments = {**odd, "path": "a.txt", "old": "three", "new": "3"}
    assert leftover_arguments(Snapshot(snapshot.steps, contents), arguments, str(tmp_path)) == odd
    assert contents.reads == 2
