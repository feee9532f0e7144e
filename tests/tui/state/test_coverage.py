"""What counts as shown: whole lines, on the screen, standing still for the dwell time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.state.coverage import LONG_LINE, Coverage, PaintedRow

DWELL = 0.2
SOON = DWELL / 2
LATER = DWELL * 2


def whole(*units: int) -> tuple[PaintedRow, ...]:
    """Lines that are not wrapped."""
    return tuple(PaintedRow(unit, 0, 1, 1) for unit in units)


def test_a_line_counts_after_the_dwell_time() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.settle(DWELL)
    assert coverage.shown == 1


def test_a_line_does_not_count_before_the_dwell_time() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.settle(SOON)
    assert coverage.shown == 0


def test_a_share_was_reached_when_the_dwell_time_was_over_however_late_it_is_counted() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 1.0)
    coverage.painted(whole(1), 1.0 + LATER)
    coverage.settle(9.0)
    assert coverage.shown_from == 1.0 + LATER + DWELL


def test_what_was_shown_before_is_reached_no_later_when_it_is_shown_again() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.hidden(LATER)
    coverage.painted(whole(0), 8.0)
    coverage.settle(9.0)
    assert coverage.shown_from == DWELL


def test_what_was_painted_counts_when_something_else_takes_its_place() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.painted(whole(1), LATER)
    assert coverage.is_shown(0)
    assert not coverage.is_shown(1)


def test_lines_that_are_scrolled_past_do_not_count() -> None:
    coverage = Coverage(3, DWELL)
    for unit in range(3):
        coverage.painted(whole(unit), unit * SOON)
    assert coverage.shown == 0


def test_painting_the_same_again_does_not_start_the_dwell_time_anew() -> None:
    coverage = Coverage(1, DWELL)
    for step in range(4):
        coverage.painted(whole(0), step * SOON)
    assert coverage.complete


def test_painting_the_same_again_is_no_news() -> None:
    coverage = Coverage(1, DWELL)
    assert [coverage.painted(whole(0), at) for at in (0.0, SOON)] == [True, False]


def test_lines_that_stay_while_others_change_wait_anew() -> None:
    coverage = Coverage(3, DWELL)
    coverage.painted(whole(0, 1), 0.0)
    coverage.painted(whole(1, 2), SOON)
    coverage.settle(SOON + SOON)
    assert coverage.shown == 0


def test_what_is_covered_does_not_count() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.hidden(SOON)
    coverage.settle(LATER)
    assert coverage.shown == 0


def test_what_was_on_screen_long_enough_counts_when_it_is_covered() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 0.0)
    coverage.hidden(LATER)
    assert coverage.complete


def test_a_wrapped_line_counts_when_all_its_parts_did() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 60, 100)], 0.0)
    coverage.painted([PaintedRow(0, 60, 100, 100)], LATER)
    assert not coverage.complete
    coverage.settle(2 * LATER)
    assert coverage.complete


def test_what_was_shown_of_a_line_is_kept_at_another_width() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 60, 100)], 0.0)
    coverage.painted([PaintedRow(0, 40, 80, 100)], LATER)
    coverage.painted([PaintedRow(0, 80, 99, 100)], 2 * LATER)
    coverage.settle(3 * LATER)
    assert not coverage.complete
    coverage.painted([PaintedRow(0, 80, 100, 100)], 3 * LATER)
    coverage.settle(4 * LATER)
    assert coverage.complete


def test_a_blank_line_has_no_character_to_miss() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 0, 0)], 0.0)
    coverage.settle(LATER)
    assert coverage.complete


@pytest.mark.parametrize(("length", "share"), [(LONG_LINE, 0.5), (LONG_LINE + 100, 0.75)])
def test_of_a_long_line_what_was_shown_counts_for_the_share(length: int, share: float) -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted([*whole(0), PaintedRow(1, 0, length // 2, length)], 0.0)
    coverage.settle(LATER)
    assert (coverage.share, coverage.shown, coverage.is_shown(1)) == (share, 1, False)


def test_progress_on_a_long_line_is_news() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 300, 900)], 0.0)
    assert coverage.settle(LATER)
    coverage.painted([PaintedRow(0, 100, 200, 900)], LATER)
    assert not coverage.settle(2 * LATER)


def test_progress_on_a_long_line_changes_what_there_is_to_say() -> None:
    coverage = Coverage(1, DWELL)
    before = coverage.state
    coverage.painted([PaintedRow(0, 0, LONG_LINE, 2 * LONG_LINE)], 0.0)
    coverage.settle(DWELL)
    assert coverage.percent == 50
    assert coverage.state != before


def test_it_says_when_to_look_again() -> None:
    coverage = Coverage(1, DWELL)
    assert coverage.settles_at is None
    coverage.painted(whole(0), 1.0)
    assert coverage.settles_at == 1.0 + DWELL
    coverage.settle(LATER + 1.0)
    assert coverage.settles_at is None


def test_settling_says_whether_the_share_changed() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 0.0)
    assert [coverage.settle(SOON), coverage.settle(LATER), coverage.settle(2 * LATER)] == [False, True, False]


def test_the_percentage_is_rounded_down_so_that_100_means_all() -> None:
    coverage = Coverage(1_000, DWELL)
    coverage.painted(whole(*range(999)), 0.0)
    coverage.settle(LATER)
    assert (coverage.percent, coverage.missing) == (99, 1)


def test_content_of_which_a_part_cannot_be_shown_is_never_complete() -> None:
    coverage = Coverage(1, DWELL, whole=False)
    coverage.painted(whole(0), 0.0)
    coverage.settle(LATER)
    assert not coverage.complete
    assert coverage.share < 1


def test_where_there_is_nothing_to_show_nothing_was_shown() -> None:
    assert Coverage(0, DWELL).share == 0


@st.composite
def films(draw: st.DrawFn) -> tuple[list[int], list[tuple[tuple[PaintedRow, ...], float]]]:
    """The lengths of units, and what a view showed one after the other: parts, and for how long they stood.

    Times are parts of a second that add up without rounding.
    """
    lengths = draw(st.lists(st.sampled_from([0, 1, 7, LONG_LINE + 1]), min_size=1, max_size=5))
    film = []
    for _ in range(draw(st.integers(1, 12))):
        width = draw(st.sampled_from([3, 4, 200]))
        lines = [
            PaintedRow(unit, start, min(start + width, length), length)
            for unit, length in enumerate(lengths)
            for start in range(0, max(length, 1), width)
        ]
        first = draw(st.integers(0, len(lines)))
        last = draw(st.integers(first, len(lines)))
        film.append((tuple(lines[first:last]), draw(st.sampled_from([0.0625, 0.125, 0.25, 1.0]))))
    return lengths, film


@given(films())
def test_a_unit_counts_only_if_each_of_its_characters_stood_still_for_the_dwell_time(
    drawn: tuple[list[int], list[tuple[tuple[PaintedRow, ...], float]]],
) -> None:
    lengths, film = drawn
    coverage, now = Coverage(len(lengths), 0.25), 0.0
    stood: list[set[int]] = [set() for _ in lengths]
    painted: set[int] = set()
    still = 0.0
    before: tuple[PaintedRow, ...] | None = None
    for parts, seconds in film:
        coverage.painted(parts, now)
        still = still + seconds if parts == before else seconds
        before = parts
        now += seconds
        if still >= coverage.dwell:
            for part in parts:
                painted.add(part.unit)
                stood[part.unit].update(range(part.start, part.end))
    coverage.settle(now)
    for unit, length in enumerate(lengths):
        assert coverage.is_shown(unit) == (unit in painted and len(stood[unit]) == length)


@given(films())
def test_the_share_never_shrinks(drawn: tuple[list[int], list[tuple[tuple[PaintedRow, ...], float]]]) -> None:
    lengths, film = drawn
    coverage, now = Coverage(len(lengths), DWELL), 0.0
    share = 0.0
    for parts, seconds in film:
        coverage.painted(parts, now)
        now += seconds
        coverage.settle(now)
        assert coverage.share >= share
        share = coverage.share
