"""`signoff history verify` and `prune`: what they say, and how they end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_bench import Cli, at_a_terminal, call, exit_status, post

from signoff.queue import AgentQueue
from signoff.queue.keys.identity import signer_for


@pytest.fixture
def five(cli: Cli, agent: AgentQueue) -> None:
    """Five records of an agent that is gone."""
    for number in range(5):
        agent.withdraw(post(agent, call(description=f"Number {number}")).id, "plan changed")
    agent.close()


def seqs(cli: Cli) -> list[int]:
    return [record["seq"] for record in cli.inside("history", "--json").json]


def spoil(cli: Cli, trigger: str, statement: str) -> None:
    with closing(sqlite3.connect(cli.place / "queue.db")) as file, file:
        file.execute(f"DROP TRIGGER {trigger}")
        file.execute(statement)


def test_a_whole_history_is_said_to_be_whole_with_its_head(cli: Cli, five: None) -> None:
    head = cli.inside("history", "--json", "--limit", "1").json[0]["hash"]
    done = cli.inside("history", "verify")
    assert done.code == 0
    assert done.out == f"5 records are whole, from number 1 on\nthe last of them: number 5, {head}\n"


def test_a_head_that_was_noted_is_found_again(cli: Cli, five: None) -> None:
    noted = cli.inside("history", "verify", "--json").json
    words = ("--expect", str(noted["head_seq"]), "--expect-head", noted["head_hash"])
    assert cli.inside("history", "verify", *words).code == 0


def test_a_changed_record_ends_with_11_and_is_named(cli: Cli, five: None) -> None:
    spoil(cli, "history_stays", "UPDATE history SET took_us = took_us + 1 WHERE seq = 3")
    done = cli.inside("history", "verify")
    assert done.code == 11
    assert "broken at record 3: changed" in done.err
    facts = cli.inside("history", "verify", "--json").json
    assert (facts["whole"], facts["checked"], facts["broken"], facts["fault"]) == (False, 2, 3, "changed")


def test_an_end_that_is_missing_ends_with_11_if_it_was_expected(cli: Cli, five: None) -> None:
    head = cli.inside("history", "verify", "--json").json["head_hash"]
    spoil(cli, "history_is_kept", "DELETE FROM history WHERE seq = 5")
    assert cli.inside("history", "verify", "--accept").code == 0
    for words in (("--expect", "5"), ("--expect-head", head)):
        done = cli.inside("history", "verify", *words)
        assert done.code == 11
        assert "the end is missing" in done.err


def test_pruning_says_what_goes_and_needs_yes(cli: Cli, five: None) -> None:
    asked = cli.inside("history", "prune", "--keep", "2")
    assert (asked.code, asked.out) == (2, "")
    assert "this would delete 3 records, numbers 1 to 3" in asked.err
    assert seqs(cli) == [5, 4, 3, 2, 1]
    done = cli.inside("history", "prune", "--keep", "2", "--yes")
    assert done.code == 0
    assert done.out.startswith("deleted: 3 records, numbers 1 to 3")
    assert seqs(cli) == [6, 5, 4]
    assert cli.inside("history", "verify").out.startswith("3 records are whole, from number 4 on")


def test_at_a_terminal_pruning_asks(cli: Cli, five: None) -> None:
    for answer, code, left in (("y", 1, [5, 4, 3, 2, 1]), ("yes", 0, [6, 5])):
        terminal = at_a_terminal(cli, "history", "prune", "--keep", "1")
        terminal.expect("Type yes")
        terminal.sendline(answer)
        assert exit_status(terminal) == code
        assert seqs(cli) == left


def test_what_is_not_old_enough_stays(cli: Cli, five: None) -> None:
    done = cli.inside("history", "prune", "--older-than", "1d", "--json")
    assert (done.code, done.json["count"]) == (0, 0)
    assert seqs(cli) == [5, 4, 3, 2, 1]


def test_a_broken_history_is_not_pruned(cli: Cli, five: None) -> None:
    spoil(cli, "history_stays", "UPDATE history SET took_us = took_us + 1 WHERE seq = 1")
    done = cli.inside("history", "prune", "--keep", "1", "--yes")
    assert done.code == 5
    assert "nothing was deleted" in done.err
    assert seqs(cli) == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    "words",
    [
        ("prune",),
        ("prune", "--yes"),
        ("prune", "--keep", "-1"),
        ("prune", "--older-than", "soon"),
        ("prune", "--older-than", "2999-01-01"),
        ("verify", "--expect-head", "abc"),
        ("verify", "--expect", "many"),
    ],
)
def test_what_makes_no_sense_ends_with_2(cli: Cli, five: None, words: tuple[str, ...]) -> None:
    assert cli.inside("history", *words).code == 2
    assert seqs(cli) == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("words", [("verify",), ("prune", "--keep", "1", "--yes"), ("export",)])
def test_without_a_queue_they_end_with_5(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.inside("history", *words).code == 5


def test_a_history_that_became_shorter_is_told_at_the_next_start_until_it_is_accepted(
    cli: Cli, five: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_KEYS_DIR", str(tmp_path / "keys"))
    signer_for()
    assert cli.inside("history", "verify").code == 0
    spoil(cli, "history_is_kept", "DELETE FROM history WHERE seq > 3")
    told = "the history became shorter: you had seen 5 records, 3 are there (restored from a copy?)"
    status, verified = cli.inside("status"), cli.inside("history", "verify")
    assert "HISTORY CUT" in status.out
    assert told in status.err
    assert (verified.code, told in verified.err) == (11, True)
    assert cli.inside("history", "verify", "--accept").code == 0
    assert cli.inside("history", "verify").code == 0
    assert "HISTORY CUT" not in cli.inside("status").out
