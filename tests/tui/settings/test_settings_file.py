"""What was chosen on the screen is written into the settings, and nothing else is changed there."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from signoff_tui.settings import (
    NotKeptError,
    ScreenSettings,
    keep_filter,
    keep_theme,
    load_settings,
    parse_settings,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "screen.yaml"


def saved(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_a_file_that_is_not_there_is_begun_with_every_setting(file: Path) -> None:
    keep_theme(file, "signoff-light")
    assert load_settings(file) == ScreenSettings(theme="signoff-light")
    assert "hold: " in file.read_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("theme: auto\nmouse: off\n", "theme: mine\nmouse: off\n"),
        ("mouse: off\ntheme: auto  # dark\n", "mouse: off\ntheme: mine  # dark\n"),
        ("theme:   'signoff-dark'", "theme: mine"),
        ("# nothing yet\n", "theme: mine\n# nothing yet\n"),
        ("mouse: off\r\ntheme: auto\r\n", "mouse: off\r\ntheme: mine\r\n"),
    ],
)
def test_the_rest_of_a_file_stays_as_it_is(file: Path, before: str, after: str) -> None:
    file.parent.mkdir()
    file.write_bytes(before.encode())
    keep_theme(file, "mine")
    assert file.read_bytes() == after.encode()


def test_what_else_was_set_holds_on(file: Path) -> None:
    text = "guard: {hold: 2s}\nkeys:\n  map: {approve: A}\n"
    keep_theme(saved(file, text), "mine")
    assert load_settings(file) == replace(parse_settings(text), theme="mine")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{theme: auto, mouse: off}", 'put "theme: mine" into'),
        ('"theme": auto\n', 'put "theme: mine" into'),
        ("mouze: off\n", "is not valid"),
        ("- theme\n", "is not valid"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_stays_as_it_is(file: Path, text: str, told: str) -> None:
    with pytest.raises(NotKeptError, match=told):
        keep_theme(saved(file, text), "mine")
    assert file.read_text() == text
    assert list(file.parent.iterdir()) == [file]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = saved(tmp_path / "file", "")
    with pytest.raises(NotKeptError, match="not written: "):
        keep_theme(blocked / "screen.yaml", "mine")


def test_a_link_to_the_settings_stays_a_link(file: Path, tmp_path: Path) -> None:
    kept_elsewhere = saved(tmp_path / "dotfiles" / "screen.yaml", "mouse: off\n")
    file.parent.mkdir()
    file.symlink_to(kept_elsewhere)
    keep_theme(file, "mine")
    assert file.is_symlink()
    assert load_settings(kept_elsewhere).theme == "mine"


def test_who_may_read_the_file_stays_as_it_was(file: Path) -> None:
    saved(file, "mouse: off\n").chmod(0o640)
    keep_theme(file, "mine")
    assert file.stat().st_mode & 0o777 == 0o640


# -- filters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mouse: off\n", 'filters: {6: "is:unseen"}\nmouse: off\n'),
        ("filters: {}  # mine\n", 'filters: {6: "is:unseen"}  # mine\n'),
        ("filters: {7: 'a #b'}  # c\n", "filters: {6: \"is:unseen\", 7: 'a #b'}  # c\n"),
        ("filters:  # mine\n  7: a\n", 'filters:  # mine\n  6: "is:unseen"\n  7: a\n'),
        ("filters: {\n  6: a }\n", 'filters: {7: "is:unseen", \n  6: a }\n'),
    ],
    ids=["none", "empty", "inline", "below", "over lines"],
)
def test_a_filter_gets_the_first_free_digit(file: Path, before: str, after: str) -> None:
    digit = keep_filter(saved(file, before), "is:unseen")
    assert file.read_text() == after
    assert load_settings(file).filters[digit] == "is:unseen"


def test_a_filter_begins_a_file_that_is_not_there(file: Path) -> None:
    assert keep_filter(file, 'note:"\u00fc \U0001f600"') == 6
    assert load_settings(file) == ScreenSettings(filters={6: 'note:"\u00fc \U0001f600"'})


def test_a_filter_that_is_there_keeps_its_digit(file: Path) -> None:
    text = "filters: {8: is:unseen}\n"
    assert keep_filter(saved(file, text), "is:unseen") == 8
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("filters: {6: a, 7: b, 8: c, 9: d}\n", "6, 7, 8, 9 are taken"),
        ("filters:\nmouse: off\n", "is not valid"),
        ("{mouse: off}\n", 'put 6: "is:unseen" below filters in'),
        ("mouze: off\n", "is not valid"),
    ],
    ids=["no digit left", "no filters", "braces", "not valid"],
)
def test_a_filter_that_cannot_be_saved_changes_nothing(file: Path, text: str, told: str) -> None:
    with pytest.raises(NotKeptError, match=told):
        keep_filter(saved(file, text), "is:unseen")
    assert file.read_text() == text
