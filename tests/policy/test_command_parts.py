"""A command line in its parts: each command, how it is joined to the others, its risk and its rule."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell_bench import USUAL

from signoff.effects import Risk
from signoff.policy.risk import command_findings, line_findings
from signoff.policy.shell import shfmt_tree
from signoff.policy.shell.commands import Expanded, expand
from signoff.policy.shell.evaluate import judge_command
from signoff.policy.shell.explain import CommandPart, CommandParts, command_parts
from signoff.policy.verdict import Level

CWD = "/home/me/project"
ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


def parts_of(command: str) -> CommandParts:
    return command_parts(command, CWD, lambda text: judge_command(text, USUAL, Level.ASK))


def part(command: str, text: str) -> CommandPart:
    return next(each for each in parts_of(command).parts if each.text == text)


def told(command: str) -> list[str]:
    """Each part with what joins it, indented by what runs it."""
    return [f"{'  ' * each.depth}{each.joined} {each.text}" for each in parts_of(command).parts]


# -- the parts and what joins them ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", [" pytest -q"]),
        ("a && b || c; d | e", [" a", "&& b", "|| c", "; d", "| e"]),
        ("a &\nb\nc", [" a", "& b", "; c"]),
        ("(a; b) && { c; d; }", [" a", "; b", "&& c", "; d"]),
        ("if a; then b; elif c; then d; else e; fi", ["if a", "then b", "if c", "then d", "else e"]),
        ("while read x; do a; b; done", ["while read x", "do a", "; b"]),
        ("for x in *; do a; done; b", ["do a", "; b"]),
        ("case $1 in x) a; b;; y) c;; esac", ["case a", "; b", "case c"]),
        ("f() { a; }; f", ["function a", "; f"]),
        ("a $(b) `c` <(d) >(e)", [" a $(b) `c` <(d) >(e)", "$( b", "$( c", "<( d", ">( e"]),
    ],
)
def test_every_command_is_a_part_with_what_joins_it(command: str, expected: list[str]) -> None:
    assert told(command) == expected


def test_what_a_command_runs_stands_below_it() -> None:
    assert told("sudo bash -c 'rm a && ls'; echo") == [
        " sudo bash -c 'rm a && ls'",
        "  runs bash -c 'rm a && ls'",
        "    runs rm a",
        "    && ls",
        "; echo",
    ]


def test_disguises_are_gone_and_what_the_shell_fills_in_is_as_written() -> None:
    assert told('r\\m "$HOME"/a*; c""at \'a b\'') == [' rm "$HOME"/a*', "; cat 'a b'"]


def test_what_redirections_write_is_told_of_the_commands_they_apply_to() -> None:
    found = parts_of('{ a; b; } > "$x" 2>/dev/null; c < in >> /etc/hosts')
    assert [(each.text, each.writes) for each in found.parts] == [
        ("a", ('"$x"',)),
        ("b", ('"$x"',)),
        ("c", ("/etc/hosts",)),
    ]
    assert part("echo $(date) > out", "date").writes == ()


def test_a_command_that_is_said_again_is_told_once_with_how_often() -> None:
    found = parts_of("ls; rm a; ls; ls")
    assert [(each.text, each.times) for each in found.parts] == [("ls", 3), ("rm a", 1)]


def test_a_command_that_writes_elsewhere_the_second_time_is_told_again() -> None:
    found = parts_of("echo x > a; echo x > .git/hooks/pre-commit; echo x > a")
    assert [(each.writes, each.times) for each in found.parts] == [(("a",), 2), ((".git/hooks/pre-commit",), 1)]


# -- risk ----------------------------------------------------------------------------------------------------


def test_each_part_has_its_own_risk_and_reasons() -> None:
    found = parts_of("ls && curl x | tee ../a; echo > b")
    assert [(each.risk, each.reasons) for each in found.parts] == [
        (Risk.LOW, ()),
        (Risk.MEDIUM, ("network", "unknown-command")),
        (Risk.HIGH, ("outside-root", "unknown-command")),
        (Risk.MEDIUM, ("redirection",)),
    ]


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("ls $(cat a)", ("fills in what another command prints", Risk.MEDIUM, False)),
        ("curl x | sh", ("runs what comes from the network", Risk.HIGH, False)),
        ("> a", ("writes to a file", Risk.MEDIUM, False)),
        ("echo 'a", ("is no complete command for bash", Risk.HIGH, True)),
        ("x" * 200_000, ("is longer than a shell takes", Risk.HIGH, True)),
    ],
)
def test_what_is_about_the_line_is_told_of_it(command: str, remark: tuple[str, Risk, bool]) -> None:
    assert remark in [(each.words, each.risk, each.unread) for each in parts_of(command).remarks]


def test_a_redirection_that_a_part_tells_is_not_told_of_the_line_as_well() -> None:
    assert parts_of("echo a > b").remarks == ()


@pytest.mark.parametrize("command", ["echo 'a; rm x; rm y", "if rm x; rm y"])
def test_where_nothing_can_be_read_what_may_be_dangerous_is_named_once(command: str) -> None:
    doubtful = [each for each in parts_of(command).parts if each.doubtful]
    assert [(each.text, each.risk, each.times) for each in doubtful] == [("rm", Risk.HIGH, 2)]


def test_all_that_can_be_said_of_a_line_is_known_to_be_read_or_not() -> None:
    floors = tuple(shfmt_tree._FLOORS.values())
    found = dict(line_findings(Expanded((), (*floors, "never heard of"), (), ())))
    assert {words for words, (risk, _) in found.items() if risk is Risk.HIGH} == {"never heard of"}


# Enough to find that a part is missing: longer texts take longer.
PIECES = st.sampled_from(
    ["ls", "rm a", "curl x", "$(id)", "`rm b`", "> c", "sh", "sudo", "'", "|", ";", "&&", "\n", "("]
)


@settings(max_examples=60)
@given(st.lists(PIECES, max_size=6).map(" ".join))
def test_the_parts_are_as_risky_as_the_line(command: str) -> None:
    highest = max((risk for risk, _ in command_findings(command, CWD)), key=ORDER.index, default=Risk.LOW)
    assert parts_of(command).risk is highest


# -- rules ---------------------------------------------------------------------------------------------------


def test_each_part_has_the_rule_that_is_about_it() -> None:
    found = parts_of("git push; sudo rm a; ls; make")
    assert [(each.text, each.verdict and (each.verdict.level, each.verdict.rule)) for each in found.parts] == [
        ("git push", (Level.ASK, "git push")),
        ("sudo rm a", (Level.ASK, "default")),
        ("rm a", (Level.BLOCK, "rm")),
        ("ls", (Level.ALLOW, "ls")),
        ("make", (Level.ASK, "default")),
    ]


@given(st.lists(PIECES, max_size=5).map(" ".join))
@settings(max_examples=30)
def test_verdicts_come_one_for_each_command_in_their_order(command: str) -> None:
    runs = expand(command).runs
    assert [each.text for each in judge_command(command, USUAL, Level.ASK).parts[: len(runs)]] == [
        run.part.text for run in runs
    ]


def test_without_rules_nothing_is_said_of_them() -> None:
    assert [each.verdict for each in command_parts("rm a; ls", CWD).parts] == [None, None]
