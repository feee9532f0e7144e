"""Filters without typing: of one agent, and those to choose from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import Filtered, exactly, parse
from signoff.filter.completion import SAVED_FILTERS
from signoff.present.reveal.escape import typeable


def history(text: str) -> object:
    return parse(text, Filtered.HISTORY).expression


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
