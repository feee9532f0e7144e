"""Lengths of time and times: what is written is read as the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.time import (
    LengthStyle,
    TimeStyle,
    iso,
    length_text,
    local_time,
    read_length,
    read_time,
    when_text,
)

NOW = 1_700_000_000_000_000
SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND
LENGTHS = st.integers(0, 10**9 * SECOND)
MOMENTS = st.integers(0, 253_402_300_799_999_999)
OFFSETS = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))


# -- lengths -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "length", "step"),
    [
        ("0", 0, SECOND),
        ("250ms", 250_000, 1_000),
        ("1.125ms", 1_125, 1),
        ("1.5s", 1_500_000, 100_000),
        ("90s", 90 * SECOND, SECOND),
        ("5m", 5 * MINUTE, MINUTE),
        ("1h30m", 90 * MINUTE, MINUTE),
        ("1h30m250ms", 90 * MINUTE + 250_000, 1_000),
        ("0.5h", 30 * MINUTE, 6 * MINUTE),
        ("2d", 2 * DAY, DAY),
        ("1w", 7 * DAY, 7 * DAY),
        ("999999999w", 999_999_999 * 7 * DAY, 7 * DAY),
    ],
)
def test_a_length_is_read_with_what_it_is_exact_to(text: str, length: int, step: int) -> None:
    assert read_length(text) == (length, step)


@pytest.mark.parametrize(
    "text",
    ["", "1", "00", "s", "-1s", "1 s", "1S", "1e3s", "1.s", ".5s", "1.2345s", "1234567890s", "1h 30m", "1y"],
)
def test_what_is_no_length_is_none(text: str) -> None:
    assert read_length(text) is None


@pytest.mark.parametrize(
    ("seconds", "clock", "words", "unit"),
    [
        (0, "0:00", "0 s", "0"),
        (0.25, "0:00", "0 s", "250ms"),
        (59, "0:59", "59 s", "59s"),
        (119.5, "1:59", "119 s", "119500ms"),
        (120, "2:00", "2 min", "2m"),
        (252, "4:12", "4 min", "252s"),
        (3_599, "59:59", "59 min", "3599s"),
        (3_720, "1h02m", "62 min", "62m"),
        (7_200, "2h00m", "2 h", "2h"),
        (93_600, "1d02h", "26 h", "26h"),
        (172_800, "2d00h", "2 days", "48h"),
        (-5, "0:00", "0 s", "0"),
    ],
)
def test_a_length_is_written_in_three_styles(seconds: float, clock: str, words: str, unit: str) -> None:
    written = {style: length_text(int(seconds * SECOND), style) for style in get_args(LengthStyle)}
    assert written == {"clock": clock, "words": words, "unit": unit}


@given(st.integers(0, 999_999_999_999))
def test_a_length_in_a_unit_reads_back_as_the_same(length: int) -> None:
    found = read_length(length_text(length, "unit"))
    assert found is not None
    assert found[0] == length


@given(LENGTHS.filter(lambda length: length >= HOUR))
def test_a_length_as_a_clock_shows_it_reads_back_but_for_what_is_left_out(length: int) -> None:
    found = read_length(length_text(length))
    assert found is not None
    assert found[0] == length // found[1] * found[1]


@given(LENGTHS)
def test_a_length_in_words_reads_back_but_for_what_is_left_out(length: int) -> None:
    number, unit = length_text(length, "words").split()
    found = read_length(f"{number}{unit[0]}")
    assert found is not None
    assert found[0] == length // found[1] * found[1]


# -- times ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["90s", "30m", "1h", "1h30m", "1.5h", "2d", "1w", "1W"])
def test_a_length_means_so_long_ago(text: str) -> None:
    length = read_length(text.lower())
    assert length is not None
    assert read_time(text, NOW) == (NOW - length[0], NOW - length[0])


@given(MOMENTS)
def test_a_written_time_reads_back(moment: int) -> None:
    written = iso(moment)
    assert written is not None
    assert read_time(written, NOW) == (moment, moment)


@given(st.datetimes(datetime(1970, 1, 3), datetime(9999, 12, 29)), OFFSETS)  # noqa: DTZ001 - the offset is the zone
def test_a_time_without_an_offset_is_meant_where_the_reader_is(there: datetime, zone: timezone) -> None:
    moment = (there.replace(tzinfo=zone) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert read_time(there.isoformat(), NOW, zone) in (
        (moment, moment),
        read_time(f"{there:%Y-%m-%d}", NOW, zone),  # midnight
    )
    assert read_time(f"{there:%Y-%m-%d}", NOW, zone) == read_time("today", moment, zone)
    assert read_time("today", moment, zone) == read_time("yesterday", moment + DAY, zone)


@given(st.integers(0, 10**17), st.integers(0, 23), st.integers(0, 59), OFFSETS)
def test_a_time_of_day_is_the_last_that_was(now: int, hour: int, minute: int, zone: timezone) -> None:
    found = read_time(f"{hour}:{minute:02}", now, zone)
    assert found is not None
    assert now - DAY < found[0] == found[1] <= now


@pytest.mark.parametrize("day", ["2026-11-20", "20261120", "2026-W47-5"])
def test_a_day_is_all_of_it(day: str) -> None:
    first = 1_795_132_800 * SECOND
    assert read_time(day, NOW, UTC) == (first, first + DAY - 1)
    assert read_time(f"{day}T00:00", NOW, UTC) == (first, first)


def test_the_last_day_of_the_calendar_can_be_read() -> None:
    assert read_time("9999-12-31", NOW, UTC) == (253_402_214_400 * SECOND, 253_402_300_800 * SECOND - 1)


@given(st.text())
def test_any_other_text_is_no_time(text: str) -> None:
    assert read_time(f"{text}?", NOW) is None


@given(st.integers())
def test_any_number_of_microseconds_can_be_written(moment: int) -> None:
    assert iso(moment)
    assert local_time(moment)
    assert when_text(moment, NOW)


@pytest.mark.parametrize("moment", [10**18, -(10**18), 10**30])
def test_a_time_outside_the_calendar_is_said_to_be_so(moment: int) -> None:
    words = f"outside the calendar ({moment} microseconds since 1970)"
    assert {
        iso(moment),
        when_text(moment, NOW),
        *(local_time(moment, style) for style in get_args(TimeStyle)),
    } == {words}


@given(st.integers(0, 2**52))
def test_each_style_of_a_time_is_a_part_of_it(moment: int) -> None:
    day, clock = local_time(moment).split()
    assert (local_time(moment, "day"), local_time(moment, "clock")) == (day, clock)
    assert local_time(moment, "minute") == clock[:5]


def at(text: str) -> int:
    found = read_time(text, NOW)
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("text", "full", "row", "short"),
    [
        ("2026-11-20T09:05:07", "09:05:07", "09:05:07", "09:05"),
        ("2026-11-19T09:05:07", "2026-11-19 09:05", "19 Nov", "11-19"),
        ("2025-11-20T09:05:07", "2025-11-20 09:05", "2025-11", "11-20"),
    ],
)
def test_when_something_was_is_told_by_the_day_unless_it_was_today(
    text: str, full: str, row: str, short: str
) -> None:
    now = at("2026-11-20T14:00")
    assert when_text(at(text), now) == full
    assert when_text(at(text), now, "row") == row
    assert when_text(at(text), now, "short") == short
