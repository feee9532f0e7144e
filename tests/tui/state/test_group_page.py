"""All contents of a group on one page: each line is its member's, and counts for that member alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import ended, stored
from test_session import GROUP, GROUP_ROW, WIDTH, Bench

from signoff.queue import Risk
from signoff_tui.screens.review.page_lines import page_line
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.state.documents import content_key
from signoff_tui.state.group_page import LONGEST, GroupPage
from signoff_tui.widgets.document.layout import Reading, Rest


@pytest.fixture
def bench() -> Bench:
    """A group of three, of four lines each, all made."""
    bench = Bench()
    bench.hears(*(stored(id_, **GROUP) for id_ in "abc"))
    for id_ in "abc":
        bench.opens(id_, 4)
    return bench


def page(bench: Bench) -> GroupPage:
    """The page, as far as it can be made."""
    made = GroupPage(bench.desk, GROUP_ROW)
    while made.grow():
        pass
    return made


def members(of: GroupPage) -> list[str]:
    return [section.request_id for section in of.sections]


def text(of: GroupPage) -> str:
    return "\n".join(row.text.text for document in of.documents for row in document)


def shows(bench: Bench, of: GroupPage, *units: int) -> None:
    """Units of the page are painted for long enough."""
    bench.desk.coverages.painted_together(of.split([PaintedRow(unit, 0, 1) for unit in units]), WIDTH)
    bench.waits(1.0)
    bench.desk.coverages.settle()


# -- what is on it -------------------------------------------------------------------------------------------


def test_every_member_has_a_heading_with_its_risk(bench: Bench) -> None:
    bench.hears(stored("d", risk=Risk.HIGH, **GROUP))
    bench.opens("d")
    assert "1/4  { create_issue  Create a  risk low" in text(page(bench))
    assert "4/4  { create_issue  Create d  HIGH: decide it alone" in text(page(bench))


def test_it_begins_with_the_first_whatever_else_is_made(bench: Bench) -> None:
    assert members(GroupPage(bench.desk, GROUP_ROW)) == ["a"]


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (90, "1/3 1 of 3 on this page so far, more follows 0 of their 4 lines shown"),
        (70, "1/3 1 of 3 so far, more follows 0 of their 4 lines shown"),
        (50, "more follows 0 of their 4 lines shown"),
    ],
)
def test_until_all_are_on_it_its_line_says_of_how_many_it_counts_the_lines(
    bench: Bench, width: int, words: str
) -> None:
    begun = page_line(GroupPage(bench.desk, GROUP_ROW), Rest(9), 1, "-", width)
    told = [piece.text.text.strip() for piece in (*begun.left, *begun.right)]
    assert " ".join(each for each in told if each.strip("-")) == words


def test_it_goes_on_when_the_next_is_made(bench: Bench) -> None:
    bench.hears(*(stored(id_, **GROUP) for id_ in "de"))
    bench.opens("e")
    made = page(bench)
    assert (members(made), made.wanted, made.complete) == (["a", "b", "c"], bench.entry("d"), False)
    before = made.documents
    bench.opens("d")
    assert made.grow()
    assert (members(made), made.wanted, made.complete) == (["a", "b", "c", "d"], None, False)
    assert made.grow()
    assert (made.complete, made.grow()) == (True, False)
    assert made.documents[: len(before)] == before  # the same ones: nothing is laid out anew


def test_who_comes_later_is_at_the_end(bench: Bench) -> None:
    made = page(bench)
    bench.hears(stored("late", **GROUP))
    bench.opens("late")
    made.renew()
    assert (members(made), made.complete) == (["a", "b", "c"], False)
    assert made.grow()
    assert members(made) == ["a", "b", "c", "late"]


def test_who_ends_stays_where_it_was_and_who_had_ended_is_not_there(bench: Bench) -> None:
    made = page(bench)
    bench.hears(ended(bench.entry("b").request))
    made.renew()
    assert members(made) == ["a", "b", "c"]
    assert members(page(bench)) == ["a", "c"]


def test_who_changed_keeps_its_place_while_it_is_made_anew(bench: Bench) -> None:
    made = page(bench)
    bench.hears(stored("b", revision=2, **GROUP))
    made.renew()
    assert members(made) == ["a", "b", "c"]
    assert made.wanted is bench.entry("b")
    assert "it changed" in text(made)


def test_what_the_filter_hides_is_not_on_it(bench: Bench) -> None:
    bench.desk.inbox.sift(lambda entry: entry.id != "b")
    assert members(page(bench)) == ["a", "c"]


def test_what_cannot_be_shown_says_so(bench: Bench) -> None:
    bench.hears(stored("d", **GROUP))
    bench.desk.contents.fail(content_key(bench.entry("d").request), "damaged \x1b[2J")
    made = page(bench)
    assert made.complete
    assert "cannot be shown: damaged" in text(made)
    assert "\x1b" not in text(made)


def test_a_page_is_so_long_and_no_longer_and_says_so() -> None:
    bench = Bench()
    bench.hears(*(stored(f"r{number}", **GROUP) for number in range(LONGEST + 3)))
    for number in range(LONGEST + 3):
        bench.opens(f"r{number}", 1)
    made = page(bench)
    assert (len(made.sections), made.left_out, made.complete) == (LONGEST, 3, True)
    made.renew()
    assert made.left_out == 3


# -- what was shown ------------------------------------------------------------------------------------------


@given(
    lines=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    painted=st.lists(st.sets(st.integers(0, 19)), max_size=4),
)
def test_a_line_counts_for_the_member_whose_it_is_and_for_no_other(
    lines: list[int], painted: list[set[int]]
) -> None:
    bench = Bench()
    bench.hears(*(stored(f"r{at}", **GROUP) for at in range(len(lines))))
    for at, count in enumerate(lines):
        bench.opens(f"r{at}", count)
    made = page(bench)
    whose = [(at, line) for at, count in enumerate(lines) for line in range(count)]
    shown = set()
    for frame in painted:
        units = [unit for unit in sorted(frame) if unit < len(whose)]
        shows(bench, made, *units)
        shown |= {whose[unit] for unit in units}
    for at, count in enumerate(lines):
        coverage = bench.desk.coverage(bench.entry(f"r{at}"))
        assert coverage is not None
        assert {line for line in range(count) if coverage.is_shown(line)} == {
            line for of, line in shown if of == at
        }
        assert coverage.complete == (count > 0 and {(at, line) for line in range(count)} <= shown)
    assert made.shown == (len(shown), len(whose))


def test_the_page_counts_units_as_the_view_does(bench: Bench) -> None:
    made = page(bench)
    reading = Reading(made.documents, 40)
    for section in made.sections:
        place = reading.place_of_unit(section.unit)
        assert made.section_at(reading.document_at(place)) == made.sections.index(section)


def test_nothing_counts_that_moved_before_it_was_still_whosever_it_is(bench: Bench) -> None:
    made = page(bench)
    split = [
        made.split([PaintedRow(unit, 0, 1) for unit in units]) for units in ((0, 1, 2, 3, 4), (0, 1, 2, 3, 5))
    ]
    bench.desk.coverages.painted_together(split[0], WIDTH)
    bench.waits(0.1)
    assert bench.desk.coverages.painted_together(split[1], WIDTH)
    bench.waits(0.15)
    bench.desk.coverages.settle()
    assert bench.desk.share(bench.entry("a")) == 0.0


def test_what_is_covered_counts_no_more(bench: Bench) -> None:
    made = page(bench)
    bench.desk.coverages.painted_together(made.split([PaintedRow(unit, 0, 1) for unit in range(12)]), WIDTH)
    bench.desk.coverages.covered()
    bench.waits(1.0)
    bench.desk.coverages.settle()
    assert made.shown == (0, 12)
    assert bench.desk.coverages.settles_at is None


def test_what_was_decided_meanwhile_need_not_be_shown(bench: Bench) -> None:
    made = page(bench)
    bench.hears(ended(bench.entry("a").request))
    assert [made.is_shown(unit) for unit in (0, 3, 4)] == [True, True, False]
