"""What other shells than bash read in another way is read in that way, too."""

from __future__ import annotations

import shlex

import pytest

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level

BLOCKED = (CommandRule(("git",), Level.BLOCK, "no git"),)
ALLOWED = (CommandRule(("ls",), Level.ALLOW, "ls"), CommandRule(("bash",), Level.ALLOW, "bash"))

ENDS_EARLIER = "$'\\';git #'"
"""One word to bash; to dash, a word and a command."""

IN_BASH = "bash -c " + shlex.quote("ls $'a'")


@pytest.mark.parametrize("before", ["", "x\\\\", "echo 'a'"])
@pytest.mark.parametrize(
    "runner", ["sh -c", "/bin/sh -c", "dash -c", "sudo sh -c", "env X=1 sh -c", "eval", "su -c"]
)
def test_a_program_behind_a_quote_that_ends_earlier_elsewhere_is_found(runner: str, before: str) -> None:
    command = f"{runner} {shlex.quote(before + ENDS_EARLIER)}"
    assert judge_command(command, BLOCKED, Level.ALLOW).level is Level.BLOCK


def test_it_is_found_in_texts_in_texts() -> None:
    command = f"sh -c {shlex.quote('eval ' + shlex.quote(ENDS_EARLIER))}"
    assert judge_command(command, BLOCKED, Level.ALLOW).level is Level.BLOCK


def test_it_is_asked_about_although_each_reading_holds_nothing_but_what_is_allowed() -> None:
    verdict = judge_command(
        """sh -c "ls \\$'a'" """, (*ALLOWED, CommandRule(("sh",), Level.ALLOW, "sh")), Level.BLOCK
    )
    assert (verdict.level, verdict.reasons) == (Level.ASK, ("has $'...', which not all shells read alike",))


@pytest.mark.parametrize("command", ["ls $'a'", IN_BASH], ids=["itself", "in bash"])
def test_bash_is_trusted_to_read_its_own_quotes(command: str) -> None:
    assert judge_command(command, ALLOWED, Level.BLOCK).level is Level.ALLOW
