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
        ("mouse: off\n", 'filters: ["is:unseen"]\nmouse: off\n'),
        ("filters: []  # mine\n", 'filters: ["is:unseen"]  # mine\n'),
        ("filters: ['a #b']  # c\n", "filters: [\"is:unseen\", 'a #b']  # c\n"),
        ("filters:  # mine\n  - a\n", 'filters:  # mine\n  - "is:unseen"\n  - a\n'),
        ("filters:\n- a\n", 'filters:\n- "is:unseen"\n- a\n'),
        ("filters: [\n  a ]\n", 'filters: ["is:unseen", \n  a ]\n'),
    ],
    ids=["none", "empty", "inline", "below", "below, not indented", "over lines"],
)
def test_a_filter_is_written_before_the_others(file: Path, before: str, after: str) -> None:
    keep_filter(saved(file, before), "is:unseen")
    assert file.read_text() == after
    assert load_settings(file).filters[0] == "is:unseen"


def test_a_filter_begins_a_file_that_is_not_there(file: Path) -> None:
    keep_filter(file, 'note:"\u00fc \U0001f600"')
    assert load_settings(file) == ScreenSettings(filters=('note:"\u00fc \U0001f600"',))


def test_a_filter_that_is_there_is_not_written_again(file: Path) -> None:
    text = "filters: [is:unseen]\n"
    keep_filter(saved(file, text), "is:unseen")
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("filters:\nmouse: off\n", "is not valid"),
        ("{mouse: off}\n", 'put "is:unseen" below filters in'),
        ("mouze: off\n", "is not valid"),
    ],
    ids=["no filters", "braces", "not valid"],
)
def test_a_filter_that_cannot_be_saved_changes_nothing(file: Path, text: str, told: str) -> None:
    with pytest.raises(NotKeptError, match=told):
        keep_filter(saved(file, text), "is:unseen")
    assert file.read_text() == text
