"""Times that go on while they are shown, and when their words change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.time import age_text, left_text, length_text, until_age_changes, until_left_changes

TIMES = st.integers(-5_000, 20_000_000).map(lambda milliseconds: milliseconds / 1_000)
A_MOMENT = 0.002
"""Longer than numbers are inexact here, and shorter than any two wordings are apart."""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0:00"), (9.9, "0:00"), (10, "0:10"), (252, "4:10"), (3599, "59:50"), (3725, "1h02m")],
)
def test_how_long_ago_something_was_is_told_in_steps_of_ten_seconds(seconds: float, text: str) -> None:
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0:00"), (0.5, "0:00"), (9.9, "0:09"), (59.9, "0:59"), (75, "1:10"), (3599, "59:50"), (93_784, "1d02h")],
)
def test_of_the_time_that_is_left_the_last_minute_is_told_by_seconds(seconds: float, text: str) -> None:
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
        assert left_text(seconds) == left_text(-1) == "0:00"
        return
    assert left_text(max(seconds - wait, 0) + A_MOMENT) == left_text(seconds)
    assert left_text(seconds - wait - A_MOMENT) != left_text(seconds)


@given(st.integers(0, 1_000_000))
def test_an_age_is_written_as_what_took_as_long(seconds: int) -> None:
    assert age_text(seconds) == length_text(seconds // 10 * 10_000_000)
