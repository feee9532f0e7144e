"""The verdict on shell commands that are made up by chance, against what bash does with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pytest
from benchmarks.fuzz.cases import cases, each_construct, programs
from benchmarks.fuzz.jail import Jail
from benchmarks.fuzz.judged import Case, Kind, examine
from benchmarks.fuzz.minimizing import minimized
from benchmarks.fuzz.tracing import traced_commands

from signoff.policy.shell.evaluate import CommandRule
from signoff.policy.verdict import Level, Verdict

SEED = 2026
COMMANDS = 300


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    """Where commands may run; a machine that cannot have one fails these tests, and says why."""
    with Jail(programs()) as jail:
        yield jail


def test_no_construct_hides_what_is_blocked(jail: Jail) -> None:
    failures = _failures(each_construct(), jail)
    assert not failures, "\n".join(failures)


def test_nothing_runs_unasked_but_what_rules_allow(jail: Jail) -> None:
    failures = _failures(islice(cases(SEED), COMMANDS), jail)
    assert not failures, "\n".join(failures)


def _failures(some: Iterable[Case], jail: Jail) -> list[str]:
    return [str(failure) for case in some if (failure := examine(case, jail).failure) is not None]


def test_the_same_seed_gives_the_same_commands() -> None:
    assert list(islice(cases(7), 50)) == list(islice(cases(7), 50))
    assert list(islice(cases(7), 50)) != list(islice(cases(8), 50))


# -- what the comparison rests on ----------------------------------------------------------------------------


def test_the_jail_sees_what_a_command_runs_in_other_programs(jail: Jail) -> None:
    ran = jail.run("env -i nice find f -exec timeout 5 rm {} ';'").ran
    assert [words[0] for words in ran] == ["env", "nice", "find", "timeout", "rm"]


def test_the_jail_sees_what_a_command_leaves_running(jail: Jail) -> None:
    assert ("rm", "f") in jail.run("setsid bash -c 'for i in 1 2 3; do :; done; rm f' & ls").ran


def test_a_cell_that_breaks_is_replaced(jail: Jail) -> None:
    jail._cell.kill()
    jail._cell.wait()
    assert jail.run("ls").ran == (("ls",),)


def test_the_jail_sees_builtins(jail: Jail) -> None:
    assert traced_commands(jail.run("eval \"printf '%s %s' \\$'a\\nb' it\\'s\"").trace)[-1] == (
        "printf",
        "%s %s",
        "a\nb",
        "it's",
    )


@pytest.mark.parametrize("text", ["echo > new", "echo >> f", "find rm -delete", ": > notes.txt"])
def test_the_jail_sees_changed_files(jail: Jail, text: str) -> None:
    assert len(jail.run(text).changed) == 1


def test_what_deletes_all_that_it_can_is_seen_and_ends_nothing(jail: Jail) -> None:
    assert ("find", "/", "-delete") in jail.run("find / -delete").ran
    assert jail.run("rm f").ran == (("rm", "f"),)


def test_a_command_finds_the_jail_as_if_it_were_the_first(jail: Jail) -> None:
    jail.run("echo > new; find f -delete")
    assert jail.run("[[ -e f && ! -e new ]] && ls").ran == (("ls",),)


def test_a_command_that_does_not_end_is_ended(jail: Jail) -> None:
    assert not jail.run("kill -STOP $$").finished
    assert jail.run("ls").finished


@pytest.mark.parametrize(
    "text",
    ["echo > /bin/ls", "echo > /real/new", "echo > /new", "echo x > /proc/self/comm", "/usr/bin/id"],
)
def test_nothing_of_the_machine_is_in_reach(jail: Jail, text: str) -> None:
    assert jail.run(f"{text} || ls").ran == (("ls",),)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("cat f; rm f", Kind.BLOCKED_RAN), ("cat f; unheard-of", Kind.OTHER_RAN), ("cat f > new", Kind.CHANGED)],
)
def test_a_verdict_that_allows_too_much_is_found_and_made_small(
    jail: Jail, monkeypatch: pytest.MonkeyPatch, text: str, kind: Kind
) -> None:
    allowing_all = (CommandRule(("cat",), Level.ALLOW, "cat"), CommandRule(("rm",), Level.BLOCK, "rm"))
    monkeypatch.setattr("benchmarks.fuzz.judged.judge_command", _only_looks_at_the_first_word)
    failure = examine(Case(text, allowing_all, Level.ASK), jail).failure
    assert failure is not None
    assert failure.kind is kind
    assert len(minimized(failure, jail).case.text) < len(text)


def _only_looks_at_the_first_word(text: str, rules: object, default: Level) -> Verdict:
    return Verdict(Level.ALLOW if text.startswith("cat") else Level.BLOCK)
