"""Command lines that developers and their agents type, under one sensible set of rules.

`everyday_rules.yaml` is the set. `everyday_lines.tsv` has one a line: what it ought to do under it, ``runs`` or
``asks``, the command, and why it asks.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct

from signoff.config.load import load_config
from signoff.policy.verdict import Level
from signoff.tools.shell import verdict
from signoff.tools.shell_rules import ShellConfig

_HERE = Path(__file__).parent
_MOST_ASKED_WITHOUT_NEED = 0.02

_SHELL_ESCAPE = "less runs shell commands that are typed, and options that a variable of its own gives it"

ASKED_WITHOUT_NEED: dict[str, str] = {
    "grep --color=always -n TODO src/app.py | less -R": _SHELL_ESCAPE,
    "less README.md": _SHELL_ESCAPE,
    "less -R build.log": _SHELL_ESCAPE,
    "zgrep -c ERROR logs/app.log.1.gz": "a shell script around other programs, of which each system has its own",
}
"""Commands that ask although they ought to run, each with the reason why that is accepted."""


class EverydayLine(Struct, frozen=True):
    """One line of the file."""

    ought_to: str
    command: str
    why: str = ""


def _read() -> list[EverydayLine]:
    with (_HERE / "everyday_lines.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [EverydayLine(*row) for row in rows[1:]]


LINES = _read()
RUNS = [line.command for line in LINES if line.ought_to == "runs"]
ASKS = [line.command for line in LINES if line.ought_to == "asks"]


@cache
def _shell() -> ShellConfig:
    shell = load_config(_HERE / "everyday_rules.yaml").shell
    assert shell is not None
    return shell


def _is_allowed(command: str) -> bool:
    return verdict(_shell(), command, lambda _arguments, _roots: False).level is Level.ALLOW


def test_no_line_that_ought_to_ask_runs() -> None:
    assert [command for command in ASKS if _is_allowed(command)] == []


def test_the_lines_that_ask_without_need_are_the_listed_ones() -> None:
    assert [command for command in RUNS if not _is_allowed(command)] == [
        command for command in RUNS if command in ASKED_WITHOUT_NEED
    ]


def test_at_most_two_in_a_hundred_are_asked_about_without_need() -> None:
    assert set(ASKED_WITHOUT_NEED) <= set(RUNS)
    assert len(ASKED_WITHOUT_NEED) <= _MOST_ASKED_WITHOUT_NEED * len(RUNS)


def test_every_reason_is_given() -> None:
    assert [line.command for line in LINES if bool(line.why) != (line.ought_to == "asks")] == []
    assert [command for command, why in ASKED_WITHOUT_NEED.items() if not why] == []


@pytest.mark.parametrize(("lines", "least"), [(RUNS, 550), (ASKS, 100)], ids=["runs", "asks"])
def test_there_are_enough_lines(lines: list[str], least: int) -> None:
    assert len(set(lines)) == len(lines) >= least
