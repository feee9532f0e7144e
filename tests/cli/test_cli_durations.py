from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.cli.durations import iso, local_time, parse_since
from signoff.lengths import clock

NOW = 1_700_000_000_000_000
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "00:00"),
        (59, "00:59"),
        (252, "04:12"),
        (3_599, "59:59"),
        (3_720, "1h02m"),
        (93_600, "1d02h"),
        (-5, "00:00"),
    ],
)
def test_a_length_of_time_is_short_and_exact_to_its_unit(seconds: int, written: str) -> None:
    assert clock(seconds * SECOND) == written


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1_800), ("1h", 3_600), ("2d", 172_800), ("1w", 604_800)]
)
def test_a_length_means_so_long_ago(text: str, seconds: int) -> None:
    assert parse_since(text, NOW) == NOW - seconds * SECOND


def test_a_length_before_the_epoch_means_everything() -> None:
    assert parse_since("999999999w", NOW) == 0


@given(st.integers(min_value=0, max_value=253_402_300_799_999_999))
def test_a_written_time_reads_back(moment: int) -> None:
    written = iso(moment)
    assert written is not None
    assert parse_since(written, NOW) == moment


@given(st.integers())
def test_any_number_of_microseconds_can_be_written(moment: int) -> None:
    assert iso(moment)
    assert local_time(moment)


@pytest.mark.parametrize("moment", [10**18, -(10**18), 10**30])
def test_a_time_outside_the_calendar_is_said_to_be_so(moment: int) -> None:
    assert iso(moment) == local_time(moment) == f"outside the calendar ({moment} microseconds since 1970)"


@given(st.text())
def test_any_other_text_is_refused_with_words(text: str) -> None:
    with pytest.raises(ValueError, match="ISO 8601"):
        parse_since(f"{text}?", NOW)
