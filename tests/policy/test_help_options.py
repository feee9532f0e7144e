"""Options that installed programs name in their help, judged by the table of programs and then really run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from benchmarks.fuzz.help_options import OptionLine, OptionSearch, installed_programs, named_options, sample_files
from benchmarks.fuzz.machine import Machine

from signoff.policy.shell import rule_coverage
from signoff.policy.shell.programs import ProgramRow, ProgramTable, known_programs

SEED = 2026
LINES = 400
COREUTILS = frozenset({"sort", "ls", "cat", "head", "cut", "uniq", "date", "stat", "wc", "tr", "split"})


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Where programs may run; a machine that cannot have it fails these tests, and says why."""
    with Machine(sample_files()) as machine:
        yield machine


def _rows(table: ProgramTable) -> list[ProgramRow]:
    return [row for row in installed_programs(table) if row.words[0] in COREUTILS]


def _surprises(search: OptionSearch) -> Iterator[str]:
    return (str(surprise) for surprise in islice(search.surprises(), LINES) if surprise is not None)


def test_no_line_that_is_allowed_does_more_than_read(machine: Machine) -> None:
    search = OptionSearch(machine, _rows(known_programs()), SEED)
    assert list(_surprises(search)) == []
    assert search.allowed > LINES // 4, search.told()


@pytest.mark.parametrize(
    ("row", "seen"),
    [
        ("sort: -o= ; FILE...", "changed"),
        ("sort: @reads -u ; FILE...", "changed"),
        ("uniq: -c ; FILE FILE", "changed"),
        ("split: --filter= ; FILE", "ran a program"),
        ("head: @words -q= ; FILE...", "read --zzz as an option"),
        ("ls: @undivided @reads -a --almost-all --zzz ; FILE...", "read --zzz as an option"),
    ],
)
def test_a_table_that_says_too_much_is_found(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, row: str, seen: str
) -> None:
    table = ProgramTable({"a table of mistakes": f"{row}\n"})
    monkeypatch.setattr(rule_coverage, "known_programs", lambda: table)
    assert any(seen in surprise for surprise in _surprises(OptionSearch(machine, _rows(table), SEED)))


def test_the_same_seed_gives_the_same_lines(machine: Machine) -> None:
    first, again, other = (
        list(islice(OptionSearch(machine, _rows(known_programs()), seed).lines_to_judge(), 40))
        for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


def test_options_are_read_from_the_help_of_a_program() -> None:
    text = "usage: x [-ab] [-o <file>] [--[no-]color[=<when>]]\n  -n, --lines=N  as -5 or a-b, see /usr/--x\n"
    assert named_options(text) == ["-a", "-b", "-o", "--color", "--no-color", "-n", "--lines", "-5"]
    assert named_options("  -maxdepth N", words=True) == ["-maxdepth"]


# -- what it rests on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["touch /etc/new", "echo > /usr/bin/new", "mount -o remount,rw /", "date -s 2020-01-01"]
)
def test_nothing_but_its_own_directories_can_be_written(machine: Machine, text: str) -> None:
    trace = machine.run(f"{text} || echo refused")
    assert "refused" in trace.said
    assert not trace.changed


def test_the_network_is_out_of_reach(machine: Machine) -> None:
    assert "refused" in machine.run("(: < /dev/tcp/192.0.2.1/80) || echo refused").said


def test_changes_are_seen_and_undone_before_the_next_line(machine: Machine) -> None:
    assert machine.run("rm notes.txt; echo > ~/new; ./canary").changed == (
        "here/notes.txt",
        "home/new",
        "ran/canary",
    )
    assert machine.run("cat notes.txt; ls ~").said == "b 2\na 1\n"


def test_a_line_under_a_rule_with_other_words_is_not_allowed() -> None:
    assert OptionLine(("sort",), "sort -u f", "sort", "-u").is_allowed
    assert not OptionLine(("sort",), "uniq f", "uniq", "").is_allowed
