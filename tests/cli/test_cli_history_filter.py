"""`signoff history --filter`: the language of the screen, beside the other options."""

from __future__ import annotations

import functools
import json

import pytest
from cli_bench import Cli, agent_on, call, command, post

import signoff.filter
from signoff.queue import AgentQueue, Decision


@pytest.fixture
def decided(cli: Cli, agent: AgentQueue) -> list[str]:
    """Ids, oldest first: withdrawn by another agent, approved, rejected with a note."""
    first, second = post(agent, call()), post(agent, command("git push", cli.folder))
    with agent_on(cli, "docs-bot", "s-2") as other:
        third = post(other, call("publish", "Publish the docs"))
        other.withdraw(third.id, "plan changed")
    with cli.review() as review:
        review.decide(first.id, 1, first.submission.digest, Decision(approved=True))
        review.decide(second.id, 1, second.submission.digest, Decision(approved=False, note="use yarn"))
    return [third.id, first.id, second.id]


def ids(cli: Cli, *words: str) -> list[str]:
    return [record["id"] for record in cli.inside("history", "--json", *words).json]


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("", [2, 1, 0]),
        ("agent:docs*", [0]),
        ("agent:=refactor -decision:rejected", [1]),
        ('cmd:"git push"', [2]),
        ("note:yarn | by:nobody", [2, 0]),
        ("plan", [0]),
        ("since:1h", [2, 1, 0]),
        ("age:>1h", []),
        ("why:publish", [2]),
    ],
)
def test_a_filter_narrows_the_list(cli: Cli, decided: list[str], query: str, which: list[int]) -> None:
    assert ids(cli, "--filter", query) == [decided[place] for place in which]


def test_it_goes_together_with_the_other_options(cli: Cli, decided: list[str]) -> None:
    assert ids(cli, "--filter", "agent:refactor", "--state", "approved") == [decided[1]]
    assert ids(cli, "--filter", "decision:approved", "--state", "rejected") == []
    assert ids(cli, "--filter", "agent:=refactor", "--agent", "docs-bot") == []
    assert ids(cli, "--filter", "agent:refactor", "--before", "3") == [decided[1]]
    assert ids(cli, "--filter", "create", "--text", "issue") == [decided[1]]


def test_a_limit_that_leaves_something_out_says_so(cli: Cli, decided: list[str]) -> None:
    done = cli.inside("history", "--filter", "agent:refactor", "--limit", "1")
    assert "there is more: these are the newest 1" in done.err
    assert "--before 3" in done.err
    assert cli.inside("history", "--filter", "agent:refactor", "--limit", "2").err == ""


def test_a_search_that_gives_up_says_where_to_go_on(
    cli: Cli, decided: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = functools.partial(signoff.filter.search_history, most=1)
    monkeypatch.setattr(signoff.filter, "search_history", short)
    done = cli.inside("history", "--filter", "agent:docs-bot")
    assert (done.code, done.out) == (0, "")
    assert "there may be more: the search ended at record 3; go on with --before 3" in done.err


def test_nothing_that_fits_is_said(cli: Cli, decided: list[str]) -> None:
    done = cli.inside("history", "--filter", "agent:nobody")
    assert (done.code, done.out) == (0, "")
    assert "no such record" in done.err


@pytest.mark.parametrize(
    ("query", "place"), [("risk:high agnet:x", 10), ("文 agnet:x", 3), ("\x1b agnet:x", None), ("agent:", 6)]
)
def test_an_error_points_at_its_place_and_ends_with_2(
    cli: Cli, agent: AgentQueue, query: str, place: int | None
) -> None:
    done = cli.inside("history", "--filter", query)
    assert (done.code, done.out) == (2, "")
    text, pointer, sentence = done.err.splitlines()
    assert text.isprintable()
    assert pointer.strip() == "^"
    if place is None:
        assert text[pointer.index("^") :] == "agnet:x"
    else:
        assert pointer.index("^") == 2 + place
    assert "did you mean agent?" in sentence or "agent needs a value" in sentence


def test_a_filter_narrows_an_export(cli: Cli, decided: list[str]) -> None:
    out = cli.inside("history", "export", "--filter", "agent:refactor").out
    assert [json.loads(line)["id"] for line in out.splitlines()] == decided[1:]
    assert cli.inside("history", "export", "--filter", "decision:approved is:gone").out == ""


def test_a_filter_before_the_verb_is_refused(cli: Cli, decided: list[str]) -> None:
    done = cli.inside("history", "--filter", "a", "export")
    assert done.code == 2
    assert "put --filter behind export" in done.err
