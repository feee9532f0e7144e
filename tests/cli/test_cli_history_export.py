"""`signoff history export`: everything, exact or for spreadsheets, in a file that nobody else reads."""

from __future__ import annotations

import csv
import io
import json
import stat
from pathlib import Path

import pytest
from cli_bench import HOSTILE, Cli, agent_on, at_a_terminal, call, exit_status, post

from signoff.queue import AgentQueue, Decision


@pytest.fixture
def decided(cli: Cli, agent: AgentQueue) -> list[str]:
    """Ids, oldest first: approved, rejected with a note, withdrawn by another agent."""
    first, second = post(agent, call()), post(agent, call("publish", "Publish"))
    with cli.review() as review:
        review.decide(first.id, 1, first.submission.digest, Decision(approved=True))
        review.decide(second.id, 1, second.submission.digest, Decision(approved=False, note="no"))
    with agent_on(cli, "docs-bot", "s-2") as other:
        third = post(other, call())
        other.withdraw(third.id, "plan changed")
    return [first.id, second.id, third.id]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_json_lines_have_every_record_as_the_list_has_it_oldest_first(cli: Cli, decided: list[str]) -> None:
    exported = lines(cli.inside("history", "export").out)
    assert [record["id"] for record in exported] == decided
    assert exported == list(reversed(cli.inside("history", "--json").json))


def test_csv_has_a_row_for_every_record(cli: Cli, decided: list[str]) -> None:
    exported = rows(cli.inside("history", "export", "--format", "csv").out)
    assert [row["id"] for row in exported] == decided
    assert [row["state"] for row in exported] == ["approved", "rejected", "withdrawn"]
    assert [row["by"] for row in exported] == ["anna", "anna", ""]
    assert (exported[1]["note"], exported[2]["reason"]) == ("no", "plan changed")
    assert json.loads(exported[0]["arguments"]) == {"title": "Crash on save"}


def test_both_forms_have_the_same_facts_of_a_call(cli: Cli, decided: list[str]) -> None:
    (row, *_) = rows(cli.inside("history", "export", "--format", "csv").out)
    (record, *_) = lines(cli.inside("history", "export").out)
    assert record.keys() - row.keys() == {"decision"}


@pytest.mark.parametrize(
    ("words", "which"), [(("--agent", "docs-bot"), [2]), (("--text", "publ"), [1]), (("--by", "anna"), [0, 1])]
)
def test_filters_narrow_an_export(cli: Cli, decided: list[str], words: tuple[str, str], which: list[int]) -> None:
    exported = lines(cli.inside("history", "export", *words).out)
    assert [record["id"] for record in exported] == [decided[place] for place in which]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_holds_the_same_and_is_for_its_owner_only(cli: Cli, decided: list[str], form: str) -> None:
    target = cli.folder / "out"
    done = cli.inside("history", "export", "--format", form, "--output", str(target))
    assert (done.code, done.out) == (0, "")
    assert "3 records written" in done.err
    assert target.read_text() == cli.inside("history", "export", "--format", form).out
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_file_that_is_there_is_replaced_only_by_force(cli: Cli, decided: list[str]) -> None:
    target = cli.folder / "out"
    target.write_text("precious")
    refused = cli.inside("history", "export", "--output", "out")
    assert (refused.code, target.read_text()) == (2, "precious")
    assert "--force replaces it" in refused.err
    target.chmod(0o644)
    assert cli.inside("history", "export", "--output", "out", "--force").code == 0
    assert len(lines(target.read_text())) == 3
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_is_not_followed(cli: Cli, decided: list[str]) -> None:
    (cli.folder / "out").symlink_to(cli.folder / "elsewhere")
    assert cli.inside("history", "export", "--output", "out").code == 2
    assert not (cli.folder / "elsewhere").exists()


def test_a_failed_export_leaves_no_file(cli: Cli, decided: list[str]) -> None:
    before = set(cli.folder.iterdir())
    assert cli.inside("history", "export", "--output", "no/such/folder").code == 2
    assert cli.inside("history", "export", "--force", "--output", ".").code == 2
    assert set(cli.folder.iterdir()) == before


@pytest.mark.parametrize(
    "formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("http://x")']
)
def test_no_cell_is_taken_for_a_formula(cli: Cli, agent: AgentQueue, formula: str) -> None:
    post(agent, call(formula, formula))
    agent.close()
    (row,) = rows(cli.inside("history", "export", "--format", "csv").out)
    assert row["tool"].startswith("'")
    assert row["description"].startswith("'")


def test_nothing_in_a_file_acts_on_the_terminal_it_is_printed_on(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(HOSTILE, HOSTILE, payload={HOSTILE: HOSTILE}))
    agent.close()
    for form in ("jsonl", "csv"):
        text = cli.inside("history", "export", "--format", form).out
        assert all(character.isprintable() or character == "\n" for character in text)


def test_an_export_at_a_terminal_ends_well(cli: Cli, decided: list[str]) -> None:
    terminal = at_a_terminal(cli, "history", "export")
    terminal.expect("Crash on save")
    assert exit_status(terminal) == 0


@pytest.mark.parametrize("words", [("--force",), ("--format", "xml"), ("--text", "--"), ("--output", "")])
def test_what_makes_no_sense_ends_with_2(cli: Cli, decided: list[str], words: tuple[str, ...]) -> None:
    assert cli.inside("history", "export", *words).code == 2


def test_an_option_before_the_verb_is_refused(cli: Cli, decided: list[str]) -> None:
    done = cli.inside("history", "--agent", "docs-bot", "export")
    assert (done.code, done.out) == (2, "")
    assert "put --agent behind export" in done.err


def test_the_queue_may_be_named_anywhere(cli: Cli, decided: list[str]) -> None:
    place = str(Path(cli.place))
    for words in (("--queue", place, "history", "export"), ("history", "--queue", place, "export")):
        assert len(lines(cli.inside(*words, SIGNOFF_QUEUE="elsewhere").out)) == 3
