"""A command that removes files says what is there now, if that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.command_review import removed_now


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name in ("gen/a", "gen/deep/b", "gen/.c", "notes.txt", "x.pyc", "y.pyc", ".z.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("gen")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm -rf gen", ("gen: 3 files",)),
        ("rm -rf gen empty notes.txt", ("gen: 3 files", "empty: no files", "notes.txt: 1 file")),
        ("rm gone", ("gone: nothing is there",)),
        ("rm -- -f", ("-f: nothing is there",)),
        ("rm link", ("link: 1 file",)),
        ("rm *.pyc", ("*.pyc: 2 files",)),
        ("ls && sudo rm -r 'gen'", ("gen: 3 files",)),
        ("rm -r .", (".: 8 files",)),
        ("rm a b c d e f g", (*(f"{name}: nothing is there" for name in "abcde"), "and 2 more")),
        ("rm 'a\x1b[2J'", ("a^[[2J: nothing is there",)),
    ],
)
def test_what_is_there_is_counted(shop: Path, command: str, said: tuple[str, ...]) -> None:
    assert removed_now(command, str(shop)) == said


@pytest.mark.parametrize(
    "command", ["ls gen", "rm -rf $TARGET", "rm -rf ~/gen", "rm {a,b}", "cd gen && rm a", "rm 'a", "echo rm gen"]
)
def test_nothing_is_said_where_it_is_not_known_what_is_removed(shop: Path, command: str) -> None:
    assert removed_now(command, str(shop)) == ()


def test_very_many_files_are_not_all_counted(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.command_review._MOST_COUNTED", 2)
    assert removed_now("rm -rf gen", str(shop)) == ("gen: over 2 files",)
