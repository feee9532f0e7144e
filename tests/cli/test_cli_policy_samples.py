"""Examples for patterns are right, or there are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.cli.policy.examples import meeting, nearly_meeting
from signoff.config.models import ArgumentRuleConfig
from signoff.config.pattern_samples import near_miss_of, sample_of
from signoff.policy.regex import RegexError, compile_pattern

PIECES = [*"ab.*+?|()[]^$\\{}-1,", "[a-z]", "\\d", "\\w+", "(?i)", "(?:", "{2}", "[^x]", ".*", "é", "\n"]


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        ("read_.*", "read_x"),
        ("(get|list)_[a-z]+", "get_a"),
        (r"api\.example\.com", "api.example.com"),
        ("x{3}", "xxx"),
        ("(?i)foo$", "foo"),
        ("[^/]+", "x"),
    ],
)
def test_a_text_is_found_for_a_common_pattern(pattern: str, sample: str) -> None:
    assert sample_of(pattern) == sample


@pytest.mark.parametrize("pattern", [r"\pL+", "(" * 200 + "a" + ")" * 200, "a{500}"])
def test_no_text_is_better_than_a_wrong_one(pattern: str) -> None:
    found = sample_of(pattern)
    assert found is None or compile_pattern(pattern).fullmatch(found)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_a_sample_matches_and_a_near_miss_does_not(text: str) -> None:
    try:
        pattern = compile_pattern(text)
    except RegexError:
        return
    sample = sample_of(text)
    if sample is None:
        return
    assert pattern.fullmatch(sample)
    miss = near_miss_of(pattern, sample)
    assert miss is None or not pattern.fullmatch(miss)


def test_there_is_no_near_miss_of_what_matches_everything() -> None:
    assert near_miss_of(compile_pattern(".*"), "x") is None


def test_arguments_that_would_stand_inside_each_other_are_no_example() -> None:
    rule = ArgumentRuleConfig(when={"a": "x", "a.b": "y"}, verdict="allow")
    assert meeting(rule) is None
    assert list(nearly_meeting(rule)) == [None]
