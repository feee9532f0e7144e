"""The figures on the page on security are those of the code."""

from __future__ import annotations

from pathlib import Path

from signoff.policy.shell import commands, parser, worker
from signoff.policy.shell.programs import known_programs

ROOT = Path(__file__).resolve().parents[2]
PAGE = " ".join((ROOT / "docs/security.md").read_text(encoding="utf-8").split())


def test_the_limits_of_the_parsers_are_told() -> None:
    memory, size = parser._MEMORY_BYTES // 2**30, worker.MOST_BYTES // 2**10
    said = f"{memory} GiB of memory and {worker._SECONDS:.0f} seconds for a command, of at most {size} KiB"
    assert said in PAGE


def test_what_is_counted_behind_the_parsers_is_told() -> None:
    broken = commands._PER_BROKEN_TEXT + 1
    said = (
        f"{commands._MOST_TEXTS} texts for shells (one that cannot be read counts as {broken}), "
        f"{commands._MOST_CHARACTERS:,} characters of them, and {commands._MOST_WORDS:,} words of commands that"
        " others run (each command counts four more)"
    )
    assert said in PAGE
    assert commands._PER_COMMAND == 4


def test_the_size_of_the_table_of_programs_is_told() -> None:
    programs = len({row.words[0] for row in known_programs()})
    assert f"for some {programs // 10 * 10} programs" in PAGE


def test_the_terminals_that_were_measured_are_named() -> None:
    table = (ROOT / "tests/present/terminal_widths.txt").read_text(encoding="utf-8").splitlines()
    row = next(line for line in table if line.startswith("terminals: ")).removeprefix("terminals: ")
    *names, last = (each.split()[0] for each in row.split(", "))
    assert len(names) == 10
    assert "measured in eleven terminals" in PAGE
    assert f"measured in {', '.join(names)} and {last},".lower() in PAGE.lower()
