"""Times that go on while they are shown, and when their words change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.ages import age_text, age_words, left_text, until_age_changes, until_left_changes

TIMES = st.integers(-5_000, 20_000_000).map(lambda milliseconds: milliseconds / 1_000)
A_MOMENT = 0.002
"""Longer than numbers are inexact here, and shorter than any two wordings are apart."""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "<10s"), (9.9, "<10s"), (10, "10s"), (59.9, "50s"), (60, "1m"), (3599, "59m"), (3720, "1h02m")],
)
def test_how_long_ago_something_was_is_told_in_steps_of_ten_seconds_and_in_minutes(
    seconds: float, text: str
) -> None:
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0s"), (0.5, "0s"), (9.9, "9s"), (19, "10s"), (60, "1m"), (3599, "59m"), (93_784, "26h03m")],
)
def test_of_the_time_that_is_left_the_last_seconds_are_told_one_by_one(seconds: float, text: str) -> None:
    assert left_text(seconds) == text


@given(TIMES)
def test_the_words_for_an_age_change_when_it_was_said_and_not_before(seconds: float) -> None:
    change = seconds + until_age_changes(seconds)
    assert age_text(change - A_MOMENT) == age_text(seconds)
    assert age_text(change + A_MOMENT) != age_text(seconds)


@given(TIMES)
def test_the_words_for_the_time_left_change_when_it_was_said_and_not_before(seconds: float) -> None:
    wait = until_left_changes(seconds)
    if wait is None:
        assert left_text(seconds) == left_text(-1) == "0s"
        return
    assert left_text(max(seconds - wait, 0) + A_MOMENT) == left_text(seconds + A_MOMENT)
    assert left_text(seconds - wait - A_MOMENT) != left_text(seconds)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "less than 10 s"),
        (9.9, "less than 10 s"),
        (45, "40 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3725, "1 h 02 min"),
    ],
)
def test_an_age_in_words(seconds: float, words: str) -> None:
    assert age_words(seconds) == words


@given(st.integers(0, 100_000))
def test_both_wordings_of_an_age_change_at_the_same_moments(seconds: int) -> None:
    assert (age_words(seconds) == age_words(seconds + 1)) == (age_text(seconds) == age_text(seconds + 1))
