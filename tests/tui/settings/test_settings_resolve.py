"""What counts: the command line before the environment before the settings file before the default."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from signoff.settings_yaml import ConfigError
from signoff_tui.settings.resolve import Personal, ResolvedSettings, wants_ascii
from signoff_tui.text.themes import builtin_themes

THEMES = Path(__file__).resolve().parents[3] / "themes"

UNCHOSEN = ResolvedSettings(theme_was_chosen=False)
"""What holds for somebody who never chose anything."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's configuration directory of signoff."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "signoff"
    (folder / "themes").mkdir(parents=True)
    return folder


def own_theme(folder: Path, name: str, *, file: str = "") -> Path:
    """A theme of the person's own."""
    path = folder / "themes" / f"{file or name}.yaml"
    path.write_text((THEMES / "signoff-dark.yaml").read_text().replace("signoff-dark", name))
    return path


def test_without_a_file_everything_has_its_default(folder: Path) -> None:
    assert Personal({"TERM": "xterm"}).choose() == UNCHOSEN


def test_the_file_counts(folder: Path) -> None:
    (folder / "screen.yaml").write_text("theme: signoff-light\nnotify: {channel: osc9}\n")
    chosen = Personal({"TERM": "xterm"}).choose()
    assert (chosen.theme, chosen.notices.channel) == ("signoff-light", "osc9")


def test_the_environment_counts_more_than_the_file(folder: Path) -> None:
    (folder / "screen.yaml").write_text("theme: signoff-light\nnotify: {channel: osc9}\n")
    chosen = Personal({"SIGNOFF_THEME": "signoff-ansi", "SIGNOFF_NOTIFY": "off", "TERM": "xterm"}).choose()
    assert (chosen.theme, chosen.notices.channel) == ("signoff-ansi", "off")


def test_the_command_line_counts_more_than_the_environment(folder: Path) -> None:
    variables = {"SIGNOFF_THEME": "signoff-ansi", "TERM": "xterm"}
    chosen = Personal(variables, theme="signoff-light", ascii_only=True).choose()
    assert (chosen.theme, chosen.ascii_only) == ("signoff-light", True)


def test_another_file_can_be_named(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("mouse: off")
    assert not Personal({"SIGNOFF_SETTINGS": str(other)}).choose().mouse


def test_a_named_file_has_to_be_there(folder: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        Personal({"SIGNOFF_SETTINGS": "/nowhere/screen.yaml"}).choose()


def test_a_file_in_the_working_directory_has_no_say(
    folder: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("screen.yaml", "signoff.yaml"):
        (workdir / name).write_text("mouse: off\nguard: {require_seen: off}")
    monkeypatch.chdir(workdir)
    assert Personal({"TERM": "xterm"}).choose() == UNCHOSEN


# -- themes --------------------------------------------------------------------------------------------------


def test_a_theme_of_ones_own_can_be_chosen(folder: Path) -> None:
    own_theme(folder, "mine")
    (folder / "screen.yaml").write_text("theme: mine")
    chosen = Personal({"TERM": "xterm"}).choose()
    assert chosen.theme == "mine"
    assert {*chosen.themes} == {*builtin_themes(), "mine"}


def test_a_bad_theme_is_left_out_and_the_others_load(folder: Path) -> None:
    own_theme(folder, "mine")
    (folder / "themes" / "bad.yaml").write_text("name: bad\n")
    chosen = Personal({"TERM": "xterm"}).choose()
    assert "mine" in chosen.themes
    assert chosen.problems == ("bad.yaml: section 'colors' is missing",)


@pytest.mark.parametrize("name", ["signoff-dark", "auto", "first"])
def test_a_name_that_is_taken_is_left_out(folder: Path, name: str) -> None:
    own_theme(folder, "first", file="a")
    own_theme(folder, name, file="b")
    assert Personal({"TERM": "xterm"}).choose().problems == (
        f"b.yaml: there is a theme {name} already; give it another name",
    )


def test_when_the_chosen_theme_is_not_valid_that_is_said_first(folder: Path) -> None:
    (folder / "themes" / "mine.yaml").write_text("name: mine\n")
    (folder / "screen.yaml").write_text("theme: mine")
    with pytest.raises(ConfigError) as caught:
        Personal({"TERM": "xterm"}).choose()
    first, second = str(caught.value).splitlines()
    assert first.endswith("mine.yaml: section 'colors' is missing")
    assert "theme: must be auto or one of" in second


def test_without_a_folder_there_are_the_built_in_themes(folder: Path) -> None:
    shutil.rmtree(folder)
    assert {*Personal({"TERM": "xterm"}).choose().themes} == {*builtin_themes()}


# -- ASCII ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "variables",
    [
        {"TERM": "linux", "LANG": "de_DE.UTF-8"},
        {"TERM": "dumb"},
        {"TERM": "xterm", "LANG": "de_DE.ISO-8859-1"},
        {"TERM": "xterm", "LC_ALL": "C", "LANG": "de_DE.UTF-8"},
        {"TERM": "xterm", "LANG": "C", "LC_CTYPE": "C.UTF-8"},
    ],
)
def test_a_terminal_that_draws_little_is_given_ascii(variables: dict[str, str]) -> None:
    assert wants_ascii(variables)


@pytest.mark.parametrize(
    "variables",
    [
        {"TERM": "xterm", "LANG": "de_DE.UTF-8"},
        {"TERM": "xterm", "LANG": "en_US.utf8"},
        {"TERM": "xterm"},
        {"TERM": "xterm", "LC_CTYPE": "UTF-8"},
    ],
)
def test_a_terminal_with_utf_8_is_not(variables: dict[str, str]) -> None:
    assert not wants_ascii(variables)
