"""What counts as shown: whole lines, on the screen, standing still for the dwell time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.state.coverage import Coverage, PaintedRow

DWELL = 0.2
SOON = DWELL / 2
LATER = DWELL * 2


def whole(*units: int) -> tuple[PaintedRow, ...]:
    """Lines that are not wrapped."""
    return tuple(PaintedRow(unit, 0, 1) for unit in units)


def test_a_line_counts_after_the_dwell_time() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.settle(DWELL)
    assert coverage.shown == 1


def test_a_line_does_not_count_before_the_dwell_time() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.settle(SOON)
    assert coverage.shown == 0


def test_what_was_painted_counts_when_something_else_takes_its_place() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.painted(whole(1), 80, LATER)
    assert coverage.is_shown(0)
    assert not coverage.is_shown(1)


def test_lines_that_are_scrolled_past_do_not_count() -> None:
    coverage = Coverage(3, DWELL)
    for unit in range(3):
        coverage.painted(whole(unit), 80, unit * SOON)
    assert coverage.shown == 0


def test_painting_the_same_again_does_not_start_the_dwell_time_anew() -> None:
    coverage = Coverage(1, DWELL)
    for step in range(4):
        coverage.painted(whole(0), 80, step * SOON)
    assert coverage.complete


def test_painting_the_same_again_is_no_news() -> None:
    coverage = Coverage(1, DWELL)
    assert [coverage.painted(whole(0), 80, at) for at in (0.0, SOON)] == [True, False]


def test_lines_that_stay_while_others_change_wait_anew() -> None:
    coverage = Coverage(3, DWELL)
    coverage.painted(whole(0, 1), 80, 0.0)
    coverage.painted(whole(1, 2), 80, SOON)
    coverage.settle(SOON + SOON)
    assert coverage.shown == 0


def test_what_is_covered_does_not_count() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.hidden(SOON)
    coverage.settle(LATER)
    assert coverage.shown == 0


def test_what_was_on_screen_long_enough_counts_when_it_is_covered() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.hidden(LATER)
    assert coverage.complete


def test_a_wrapped_line_counts_when_all_its_parts_did() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 2)], 80, 0.0)
    coverage.painted([PaintedRow(0, 1, 2)], 80, LATER)
    assert not coverage.complete
    coverage.settle(2 * LATER)
    assert coverage.complete


def test_parts_of_another_width_are_not_added_up() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted([PaintedRow(0, 0, 2)], 80, 0.0)
    coverage.painted([PaintedRow(0, 1, 2)], 40, LATER)
    coverage.settle(2 * LATER)
    assert not coverage.complete


def test_what_was_shown_stays_shown_at_another_width() -> None:
    coverage = Coverage(2, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    coverage.painted(whole(1), 40, LATER)
    assert coverage.is_shown(0)


def test_it_says_when_to_look_again() -> None:
    coverage = Coverage(1, DWELL)
    assert coverage.settles_at is None
    coverage.painted(whole(0), 80, 1.0)
    assert coverage.settles_at == 1.0 + DWELL
    coverage.settle(LATER + 1.0)
    assert coverage.settles_at is None


def test_settling_says_whether_the_share_changed() -> None:
    coverage = Coverage(1, DWELL)
    coverage.painted(whole(0), 80, 0.0)
    assert [coverage.settle(SOON), coverage.settle(LATER), coverage.settle(2 * LATER)] == [False, True, False]


def test_the_percentage_is_rounded_down_so_that_100_means_all() -> None:
    coverage = Coverage(1_000, DWELL)
    coverage.painted(whole(*range(999)), 80, 0.0)
    coverage.settle(LATER)
    assert (coverage.percent, coverage.missing) == (99, 1)


def test_content_of_which_a_part_cannot_be_shown_is_never_complete() -> None:
    coverage = Coverage(1, DWELL, whole=False)
    coverage.painted(whole(0), 80, 0.0)
    coverage.settle(LATER)
    assert not coverage.complete
    assert coverage.share < 1


def test_where_there_is_nothing_to_show_nothing_was_shown() -> None:
    assert Coverage(0, DWELL).share == 0


@st.composite
def films(draw: st.DrawFn) -> tuple[int, list[tuple[tuple[PaintedRow, ...], int, float]]]:
    """What a view showed one after the other: parts, width, and for how long each picture stood."""
    units = draw(st.integers(1, 5))
    sizes = {width: draw(st.lists(st.integers(1, 3), min_size=units, max_size=units)) for width in (40, 80)}
    film = []
    for _ in range(draw(st.integers(1, 12))):
        width = draw(st.sampled_from([40, 80]))
        lines = [PaintedRow(unit, part, count) for unit, count in enumerate(sizes[width]) for part in range(count)]
        start = draw(st.integers(0, len(lines)))
        stop = draw(st.integers(start, len(lines)))
        film.append((tuple(lines[start:stop]), width, draw(st.sampled_from([0.05, 0.1, 0.25, 1.0]))))
    return units, film


@given(films())
def test_a_unit_counts_only_if_each_of_its_parts_stood_still_for_the_dwell_time(
    drawn: tuple[int, list[tuple[tuple[PaintedRow, ...], int, float]]],
) -> None:
    units, film = drawn
    coverage, now = Coverage(units, DWELL), 0.0
    stood: set[tuple[int, PaintedRow]] = set()
    still = 0.0
    before: tuple[tuple[PaintedRow, ...], int] | None = None
    for parts, width, seconds in film:
        coverage.painted(parts, width, now)
        still = still + seconds if (parts, width) == before else seconds
        before = parts, width
        now += seconds
        if still >= DWELL:
            stood |= {(width, part) for part in parts}
    coverage.settle(now)
    for unit in range(units):
        if coverage.is_shown(unit):
            assert any(_all_parts(unit, width, stood) for width in (40, 80))


def _all_parts(unit: int, width: int, stood: set[tuple[int, PaintedRow]]) -> bool:
    parts = {part for at, part in stood if at == width and part.unit == unit}
    return any(len(parts) == part.count for part in parts)


@given(films())
def test_the_share_never_shrinks(drawn: tuple[int, list[tuple[tuple[PaintedRow, ...], int, float]]]) -> None:
    units, film = drawn
    coverage, now = Coverage(units, DWELL), 0.0
    share = 0.0
    for parts, width, seconds in film:
        coverage.painted(parts, width, now)
        now += seconds
        coverage.settle(now)
        assert coverage.share >= share
        share = coverage.share
