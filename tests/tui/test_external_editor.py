"""The person's own editor gets a private file, and nothing of it stays."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path

import pytest

from signoff_tui.external import HandoverError, edit_text, obeying_no_text, program


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """An environment whose editor is a script of sh."""
    file = tmp_path / "editor.sh"
    file.write_text(script)
    return {"EDITOR": f"sh '{file}'"}


def test_what_the_editor_leaves_is_returned(tmp_path: Path, folder: Path) -> None:
    assert edit_text("one é\n", ".txt", editor(tmp_path, 'echo two >> "$1"')) == "one é\ntwo\n"
    assert [*folder.iterdir()] == []


def test_an_unchanged_text_is_none(tmp_path: Path, folder: Path) -> None:
    assert edit_text("one\r\n", ".txt", editor(tmp_path, "true")) is None


def test_nobody_else_can_read_the_file(tmp_path: Path, folder: Path) -> None:
    script = 'stat -c "%a %n" "$1" "$(dirname "$1")" > "$1.modes"; mv "$1.modes" "$1"'
    modes = edit_text("x", ".json", editor(tmp_path, script))
    assert modes is not None
    file, directory = modes.splitlines()
    assert file.startswith("600 ")
    assert file.endswith("edit.json")
    assert directory.startswith("700 ")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "ended with 3"),
        ('rm "$1"', "no UTF-8 text"),
        ('printf "\\377" > "$1"', "no UTF-8 text"),
        ('ln -sf /dev/zero "$1"', "no UTF-8 text"),
        ('rm "$1"; mkfifo "$1"', "no UTF-8 text"),
        ('truncate -s 1G "$1"', "too large"),
    ],
)
def test_an_editor_that_fails_leaves_no_text(tmp_path: Path, folder: Path, script: str, words: str) -> None:
    with pytest.raises(HandoverError, match=words):
        edit_text("x", ".txt", editor(tmp_path, script))
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(
    ("command", "words"),
    [("/nowhere/editor", "cannot be started"), ("sh '", "cannot be read"), ("  ", "set EDITOR")],
)
def test_what_is_no_editor_is_said(folder: Path, command: str, words: str) -> None:
    with pytest.raises(HandoverError, match=words):
        edit_text("x", ".txt", {"EDITOR": command})


def test_visual_comes_before_editor(tmp_path: Path, folder: Path) -> None:
    named = {**editor(tmp_path, "exit 1"), "VISUAL": "true"}
    assert edit_text("x", ".txt", named) is None


def test_vim_obeys_no_text_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "vim.basic").write_text("#!/bin/sh\n")
    (tmp_path / "vim.basic").chmod(0o700)
    called = tmp_path / "editor"
    called.symlink_to("vim.basic")
    words = obeying_no_text([str(called), "-R", "-"])
    assert [words[0], words[1], *words[3:]] == [str(called), "--cmd", "-R", "-"]
    assert words[2].startswith("set nomodeline")
    assert obeying_no_text(["cat", "-n"]) == ["cat", "-n"]


def test_vim_obeys_no_text_even_where_its_settings_allow_it(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("vim: set textwidth=33 :\n")
    (tmp_path / "rc").write_text("set modeline\n")
    told = tmp_path / "told"
    tell = ["-u", str(tmp_path / "rc"), "-es", "-c", f'call writefile([&textwidth], "{told}")', "-c", "q!"]
    program([*obeying_no_text(["vim", *tell]), str(tmp_path / "text")])
    assert told.read_text() == "0\n"


def test_a_signal_that_ends_the_screen_ends_first_the_program_that_has_its_terminal() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    try:
        assert program(["sh", "-c", "kill -TERM $PPID; exec sleep 60"]) == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == [signal.SIGTERM]
