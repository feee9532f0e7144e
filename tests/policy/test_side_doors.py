"""Side doors from the manuals: a rule that allows a program, or it with a subcommand, covers none of them.

`side_doors.tsv` has one a line: the words of a rule, a command that begins with them and yet runs another program
or code, writes or deletes, sends, changes settings or reads options from elsewhere, what it does, and where the
manual says so.
"""

from __future__ import annotations

import csv
import shlex
from itertools import groupby
from pathlib import Path

import pytest
from msgspec import Struct

from signoff.policy.shell.commands import expand
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level

_FILE = Path(__file__).with_name("side_doors.tsv")


class SideDoor(Struct, frozen=True):
    """One line of the file: a command that a rule must not cover."""

    rule: str
    command: str
    does: str
    manual: str

    @property
    def program(self) -> str:
        """The first word of the rule."""
        return self.rule.split()[0]

    @property
    def is_allowed(self) -> bool:
        """Tells if the rule alone lets the command through."""
        rule = CommandRule(tuple(self.rule.split()), Level.ALLOW, self.rule)
        return judge_command(self.command, [rule], Level.ASK).level is Level.ALLOW


def _read() -> list[SideDoor]:
    with _FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [SideDoor(*row) for row in rows[1:]]


SIDE_DOORS = _read()
BY_PROGRAM = {
    program: list(doors)
    for program, doors in groupby(sorted(SIDE_DOORS, key=lambda door: door.program), key=lambda door: door.program)
}


@pytest.mark.parametrize("program", BY_PROGRAM)
def test_a_rule_does_not_cover_the_side_doors_of(program: str) -> None:
    assert [(door.command, door.does) for door in BY_PROGRAM[program] if door.is_allowed] == []


def test_there_are_at_least_300_side_doors_of_at_least_100_programs() -> None:
    assert len({door.command for door in SIDE_DOORS}) >= 300
    assert len(BY_PROGRAM) >= 100


def test_each_side_door_begins_with_the_words_of_its_rule_and_goes_on() -> None:
    def goes_on(door: SideDoor) -> bool:
        said, words = shlex.split(door.command), door.rule.split()
        return said[: len(words)] == words and len(said) > len(words)

    assert [door for door in SIDE_DOORS if not goes_on(door)] == []


def test_nothing_but_what_the_program_is_told_makes_a_side_door_ask() -> None:
    """No redirection, substitution or assignment, which ask whatever the program is."""
    assert [door.command for door in SIDE_DOORS if expand(door.command).floors] == []
