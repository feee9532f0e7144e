"""`signoff popup` outside of what it needs, and how it opens the screen; the real thing is in the system tests."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from cli_bench import Cli

from signoff.cli.popup import too_old

FAKE_TMUX = """#!/bin/sh
if [ "$1" = -V ]; then echo "$FAKE_VERSION"; exit; fi
echo "$@" > {told}
eval "last=\\${{$#}}"
cat ${{last#sh }} > {script}
stat -c %a ${{last#sh }} $(dirname ${{last#sh }}) > {modes}
[ -z "$FAKE_ERROR" ] || echo "$FAKE_ERROR" >&2
"""


class Tmux:
    """A program that stands for tmux, and keeps what it was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self._told, self._script, self._modes = (folder / name for name in ("told", "script", "modes"))
        program = self.folder / "tmux"
        program.write_text(FAKE_TMUX.format(told=self._told, script=self._script, modes=self._modes))
        program.chmod(0o700)

    def variables(self, version: str = "tmux 3.3a", error: str = "") -> dict[str, str]:
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        return {"TMUX": "/tmp/t,1,0", "PATH": path, "FAKE_VERSION": version, "FAKE_ERROR": error}

    @property
    def told(self) -> str:
        return self._told.read_text()

    @property
    def script(self) -> str:
        return self._script.read_text()

    @property
    def modes(self) -> list[int]:
        return [int(mode, 8) for mode in self._modes.read_text().split()]


@pytest.fixture
def tmux(tmp_path: Path) -> Tmux:
    return Tmux(tmp_path)


def test_outside_of_tmux_it_says_what_to_do(cli: Cli) -> None:
    done = cli.run("popup", TMUX="")
    assert (done.code, done.out) == (2, "")
    assert "not inside one; open the screen with: signoff" in done.err


def test_without_tmux_it_says_so(cli: Cli, tmp_path: Path) -> None:
    done = cli.run("popup", TMUX="/tmp/t,1,0", PATH=str(tmp_path))
    assert done.code == 2
    assert "the program tmux, which is not on the PATH" in done.err


def test_an_old_tmux_is_named(cli: Cli, tmux: Tmux) -> None:
    done = cli.run("popup", **tmux.variables("tmux 3.1c"))
    assert done.code == 2
    assert "needs tmux 3.2 or newer, this is tmux 3.1c" in done.err


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("tmux 3.1c", True),
        ("tmux 2.9", True),
        ("tmux 3.2", False),
        ("tmux 3.10", False),
        ("tmux next-3.4", False),
        ("tmux 4.0", False),
        ("tmux master", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, old: bool) -> None:
    assert too_old(version) is old


def test_the_popup_opens_the_screen_with_the_same_options(cli: Cli, tmux: Tmux) -> None:
    done = cli.run("--ascii", "--theme", "signoff-light", "popup", "--read-only", **tmux.variables())
    assert (done.code, done.err) == (0, "")
    assert tmux.told.startswith("display-popup -EE ")
    assert "-m signoff.cli --theme signoff-light --ascii --read-only\n" in tmux.script


def test_the_queue_is_handed_over_without_being_told_to_everyone(cli: Cli, tmux: Tmux) -> None:
    url = "postgresql://anna:it's-secret@db/signoff"
    done = cli.run("--queue", url, "popup", **tmux.variables())
    assert done.code == 0
    assert "secret" not in tmux.told
    assert """SIGNOFF_QUEUE='postgresql://anna:it'"'"'s-secret@db/signoff'""" in tmux.script
    assert not any(mode & (stat.S_IRWXG | stat.S_IRWXO) for mode in tmux.modes[1:])


def test_no_file_of_the_directory_that_it_is_opened_in_runs(cli: Cli, tmux: Tmux, tmp_path: Path) -> None:
    project = tmp_path / "of-agents"
    project.mkdir()
    (project / "click.py").write_text('raise SystemExit("a file of the project stands in for a library")\n')
    assert cli.run("popup", **tmux.variables()).code == 0
    opened = subprocess.run(
        ["sh", "-c", tmux.script],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "terminal" in opened.stderr
    assert "a file of the project" not in opened.stdout + opened.stderr


def test_what_tmux_says_against_it_is_told(cli: Cli, tmux: Tmux) -> None:
    done = cli.run("popup", **tmux.variables(error="no current client"))
    assert done.code == 2
    assert "tmux opened no popup: no current client" in done.err
