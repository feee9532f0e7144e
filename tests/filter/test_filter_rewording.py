"""Filters that are changed without typing: another range, only one agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import Filtered, asked_of, exactly, parse, reworded
from signoff.filter.completion import SAVED_FILTERS
from signoff.present.reveal.escape import typeable


def history(text: str) -> object:
    return parse(text, Filtered.HISTORY).expression


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "since:1h"),
        ("risk:high", "risk:high since:1h"),
        ("since:today risk:high", "risk:high since:1h"),
        ("npm | yarn", "(npm | yarn) since:1h"),
        ("(npm | yarn) since:2h", "(npm | yarn) since:1h"),
        ("-since:2h", "-since:2h since:1h"),
    ],
)
def test_a_filter_gets_another_range(before: str, after: str) -> None:
    query = parse(before, Filtered.HISTORY)
    assert reworded(query, without={"since"}, more=["since:1h"]) == after


def test_what_is_taken_out_can_leave_nothing() -> None:
    assert reworded(parse("since:1h", Filtered.HISTORY), without={"since"}) == ""


def test_an_alternative_that_stays_alone_needs_no_parentheses() -> None:
    assert reworded(parse("(npm | yarn) since:2h", Filtered.HISTORY), without={"since"}) == "npm | yarn"


def test_only_what_holds_for_everything_is_asked_of_all() -> None:
    query = parse("agent:a -agent:b (agent:c | npm)", Filtered.HISTORY)
    assert [pair.values[0].text for pair in asked_of(query, "agent")] == ["a"]


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("refactor", "agent:=refactor"),
        ("docs bot", 'agent:="docs bot"'),
        ('say "hi"', 'agent:="say ""hi"""'),
        ("a\x1b[2Jb\u202e", "agent:a??2Jb?"),
        ("docs\u3164bot\u115f", "agent:docs?bot?"),
        ("", "agent:~^$"),
    ],
)
def test_one_value_is_asked_for_as_it_would_be_typed(name: str, pair: str) -> None:
    assert exactly("agent", name) == pair


@given(st.text(max_size=20))
def test_every_name_can_be_asked_for_and_nothing_in_it_is_hidden(name: str) -> None:
    pair = exactly("agent", name)
    assert typeable(pair) == pair
    assert history(pair) is not None


@pytest.mark.parametrize("agent", ["refactor", "a\x07b", ""])
def test_the_saved_filter_of_an_agent_can_be_read_whatever_its_name(agent: str) -> None:
    assert history(SAVED_FILTERS[0].text(agent)) is not None
