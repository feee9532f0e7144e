"""The table of known programs: how rows are read, a person's own rows, and rows that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell_bench import level_of

from signoff.policy.shell.programs import ProgramTable, ProgramTableError, known_programs, own_programs_file


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The file with a person's own rows, of a person who has none yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    known_programs.cache_clear()
    file = own_programs_file()
    file.parent.mkdir(mode=0o700)
    yield file
    known_programs.cache_clear()


def test_every_row_of_our_own_can_be_read() -> None:
    assert len({row.words[0] for row in known_programs()}) > 200


def test_no_row_of_our_own_says_of_an_option_both_that_it_takes_the_next_word_and_that_it_does_not() -> None:
    """A value wins, so that one that takes none would hide the options behind it in the same word."""
    assert {row.words: both for row in known_programs() if (both := row.flags & row.valued.keys())} == {}


@pytest.mark.parametrize(
    ("subcommand", "without_value", "with_value"),
    [
        ("gh pr list", "-d", "-a -l -s -q -t -L"),
        ("gh issue list", "", "-a -l -m -s"),
        ("gh run list", "-a", "-w -b -c -e -u -s"),
        ("gh run view", "-v", "-a -j"),
        ("gh workflow list", "-a", "-L"),
        ("gh workflow view", "-y", "-r"),
        ("gh pr status", "-c", "-q"),
        ("docker logs", "-f -t", "-n"),
        ("podman logs", "-f -t -n", "--tail"),
        ("kubectl rollout status", "-w", "-n -l"),
        ("kubectl events", "-A -w", "-n -o"),
        ("git stash list", "-p", "-n"),
        ("git switch", "-d -t", "-c -C"),
        ("uv tree", "-q", "-d"),
        ("git tag --list", "-i", "--merged --contains"),
        ("bun test", "--only", "-t"),
        ("cmp", "-b -l -s", "-i -n"),
        ("diff3", "-i", ""),
        ("nox", "-l", "-e -p -s"),
        ("tox", "-p", "-e"),
        ("bat", "-A", "-l"),
        ("diff", "-d", "-U"),
    ],
)
def test_an_option_takes_a_value_as_the_help_of_its_own_subcommand_says(
    subcommand: str, without_value: str, with_value: str
) -> None:
    row = known_programs().row(tuple(subcommand.split()))
    assert row is not None
    assert set(without_value.split()) <= row.flags
    assert set(with_value.split()) <= row.valued.keys()


@pytest.mark.parametrize(
    ("row", "command", "level"),
    [
        ("frob: -ab", "frob -ab -b", "allow"),
        ("frob: -ab", "frob -abc", "ask"),
        ("frob: -a=", "frob -a x", "allow"),
        ("frob: -a=", "frob -a --x", "ask"),
        ("frob: -a=", "frob -a--x", "ask"),
        ("frob: --a=", "frob --a=--x", "ask"),
        ("frob: --a=?", "frob --a=--x", "ask"),
        ("frob: -a=?", "frob -a--x", "ask"),
        ("frob: --a=", "frob --a=-1", "allow"),
        ("frob: --a=", "frob --a='- x'", "allow"),
        ("frob: --a^=", "frob --a=-x", "allow"),
        ("frob: @reads --a=", "frob --a=-x", "allow"),
        ("frob: --a=ORDER", "frob --a=-date", "allow"),
        ("frob: --a=ORDER", "frob --a=--date", "ask"),
        ("frob: --a=", 'frob --a "$X"', "allow"),
        ("frob: --a=", 'frob --a "$_"', "ask"),
        ("frob: --a=", 'frob --a "$1"', "ask"),
        ("frob: --a=INSIDE", 'frob --a "$X"', "ask"),
        ("frob: ; NEW...", "frob a b/c-d", "allow"),
        ("frob: ; NEW...", "frob a b/-c", "ask"),
        ("frob: ; NEW...", "frob -- -a/b", "ask"),
        ("frob: ; NEW...", "frob src/*.py a/{b,c}", "allow"),
        ("frob: ; NEW...", "frob a/{b,-c}", "ask"),
        ("frob: ; NEW...", "frob a/{+..-}c", "ask"),
        ("frob: ; NEW...", 'frob "a/$X"', "ask"),
        ("frob: -a=NUMBER -a=?", "frob -a 4 -a", "allow"),
        ("frob: -a=NUMBER -a=?", "frob -a x", "ask"),
        ("frob: @args -a=", "frob -a @x", "ask"),
        ("frob: -a=NUMBER", "frob -a x", "ask"),
        ("frob: --color=?", "frob --color x", "ask"),
        ("frob: --color=?", "frob --color=x", "allow"),
        ("frob: --[no-]color", "frob --no-color", "allow"),
        ("frob: --color", "frob --col", "ask"),
        ("frob: -#", "frob -15", "allow"),
        ("frob: -a=", "frob -15", "ask"),
        ("frob: ; FILE", "frob x", "allow"),
        ("frob: ; FILE", "frob x y", "ask"),
        ("frob: ; TEXT FILE...", "frob x y z", "allow"),
        ("frob: -e^=TEXT ; NUMBER FILE", "frob -e x y", "allow"),
        ("frob: -e^=TEXT ; NUMBER FILE", "frob x y", "ask"),
        ("frob: ; FILE", "frob @x", "ask"),
        ("frob: !-f", "frob -f", "ask"),
        ("frob: @reads ; FILE...", "frob *", "allow"),
        ("frob: ; FILE...", "frob *", "ask"),
        ("frob: @words -name=", "frob -name x", "allow"),
        ("frob: @words -name=", "frob -n x", "ask"),
        ("frob: @words", "frob --", "ask"),
        ("frob: @stops ; TEXT...", "frob x --deep", "allow"),
        ("frob: ; TEXT...", "frob x --deep", "ask"),
        ("frob: @text", "frob --deep *", "allow"),
        ("frob: -a\nfrob sub: -b", "frob -a sub -b", "allow"),
        ("frob: -a\nfrob sub: -b", "frob sub -a", "ask"),
        ("frob: -a\nfrob sub: @named", "frob sub", "ask"),
        ("frob: @named\nfrob sub: @named\nfrob sub list: ", "frob sub list", "allow"),
        ("frob run x: ", "frob run x", "ask"),
        ("frob, brof: -a", "brof -a", "allow"),
        ("# a note\n\nfrob: -a\n  -b", "frob -b", "allow"),
        ("cat: ", "cat x", "ask"),
    ],
)
def test_a_row_of_ones_own_says_what_is_covered(own: Path, row: str, command: str, level: str) -> None:
    own.write_text(f"{row}\n")
    own.chmod(0o600)
    program = command.split(maxsplit=1)[0]
    assert level_of(command, *([] if program == "cat" else [f"{program}=allow"])) == level


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("frob", 'line 1: no ": " behind the words'),
        ("\n: -a", "line 2: names no program"),
        ("frob: @wild", "line 1: unknown mark @wild; the marks are @apart"),
        ("frob: a", "line 1: 'a' is no option"),
        ("frob: -a=SHOE", "line 1: '-a=SHOE' is no option"),
        ("frob: ; SHOE", "line 1: the operands must be of the kinds TEXT, FILE"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ProgramTableError) as raised:
        list(ProgramTable({"rows": text}))
    assert str(raised.value).startswith(f"rows, {said}")


@pytest.mark.parametrize("fault", ["row", "others may write it", "link", "folder", "encoding"])
def test_own_rows_that_cannot_be_read_leave_every_rule_its_own_words(own: Path, fault: str) -> None:
    own.write_bytes(b"\xff" if fault == "encoding" else b"frob: a" if fault == "row" else b"frob: -a")
    own.chmod(0o666 if fault == "others may write it" else 0o600)
    if fault == "link":
        own.rename(own.with_name("rows"))
        own.symlink_to("rows")
    elif fault == "folder":
        own.unlink()
        own.mkdir()
    assert level_of("cat") == "allow"
    assert level_of("cat x") == "ask"


def test_the_program_goes_on_without_a_file_of_ones_own(own: Path) -> None:
    assert not own.exists()
    assert level_of("cat x") == "allow"


def test_a_file_of_somebody_else_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text("frob: -a\n")
    own.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(ProgramTableError, match=r"programs\.txt belongs to user"):
        known_programs()
