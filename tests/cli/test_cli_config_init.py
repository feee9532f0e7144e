"""`signoff config init`: the settings of the screen, with every default."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_bench import Cli

from signoff_tui.settings import ScreenSettings, load_settings


@pytest.fixture
def file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(cli.folder / "config"))
    return cli.folder / "config" / "signoff" / "screen.yaml"


def test_it_writes_a_file_that_sets_the_defaults_and_says_where(cli: Cli, file: Path) -> None:
    done = cli.inside("config", "init")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"wrote {file}: the settings of your screen;")
    assert load_settings(file) == ScreenSettings()


def test_a_file_that_is_there_stays(cli: Cli, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("mouse: off\n")
    done = cli.inside("config", "init")
    assert (done.code, done.out) == (2, "")
    assert "is there already; --force puts the defaults in its place" in done.err
    assert file.read_text() == "mouse: off\n"


def test_force_puts_the_defaults_in_its_place(cli: Cli, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("mouse: off\n")
    assert cli.inside("config", "init", "--force").code == 0
    assert load_settings(file) == ScreenSettings()


def test_another_file_can_be_named(cli: Cli, tmp_path: Path) -> None:
    assert cli.inside("config", "init", SIGNOFF_SETTINGS=str(tmp_path / "mine.yaml")).code == 0
    assert load_settings(tmp_path / "mine.yaml") == ScreenSettings()


def test_a_place_that_cannot_be_written_ends_with_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cli.inside("config", "init", SIGNOFF_SETTINGS=str(tmp_path / "file" / "screen.yaml"))
    assert done.code == 2
    assert "cannot be written" in done.err
