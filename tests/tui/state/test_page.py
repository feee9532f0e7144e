"""The page of the reading pane: each line is that of its request, and counts for that request alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import ended, stored
from test_session import GROUP, GROUP_ROW, WIDTH, Bench

from signoff.queue import Risk
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.page import LONGEST, ContentPage, page_from
from signoff_tui.widgets.document.layout import Reading


@pytest.fixture
def bench() -> Bench:
    """A group of three, of four lines each, all made."""
    bench = Bench()
    bench.hears(*(stored(id_, **GROUP) for id_ in "abc"))
    for id_ in "abc":
        bench.opens(id_, 4)
    return bench


def page(bench: Bench, key: RowKey = GROUP_ROW) -> ContentPage:
    """The page of a row, as far as it can be made."""
    made = page_from(bench.desk, key)
    assert made is not None
    while made.grow():
        pass
    return made


def members(of: ContentPage) -> list[str]:
    return [section.request_id for section in of.sections]


def text(of: ContentPage) -> str:
    return "\n".join(row.text.text for document in of.documents for row in document)


def shows(bench: Bench, of: ContentPage, *units: int) -> None:
    """Units of the page are painted for long enough."""
    bench.desk.coverages.painted_together(of.split([PaintedRow(unit, 0, 1, 1) for unit in units]), WIDTH)
    bench.waits(1.0)
    bench.desk.coverages.settle()


# -- what is on it -------------------------------------------------------------------------------------------


def test_what_follows_has_a_heading_with_its_risk(bench: Bench) -> None:
    bench.hears(stored("d", risk=Risk.HIGH, **GROUP))
    bench.opens("d")
    assert "Create a" not in text(page(bench))  # the head of the pane says it
    assert "{ create_issue: Create b  low risk" in text(page(bench))
    assert "{ create_issue: Create d  HIGH: decide it alone" in text(page(bench))


def test_it_begins_with_one_request_and_grows(bench: Bench) -> None:
    begun = page_from(bench.desk, GROUP_ROW)
    assert begun is not None
    assert members(begun) == ["a"]


def test_that_of_a_group_begins_with_the_first_that_is_still_to_be_read(bench: Bench) -> None:
    shows(bench, page(bench), 0, 1, 2, 3)
    assert members(page(bench)) == ["b", "c"]


def test_that_of_a_member_begins_with_it_and_goes_on_with_what_is_still_to_be_read(bench: Bench) -> None:
    shows(bench, page(bench), 4, 5, 6, 7)
    assert members(page(bench, RowKey("request", "a"))) == ["a", "c"]
    assert members(page(bench, RowKey("request", "b"))) == ["b", "c"]


def test_that_of_a_group_that_was_read_begins_with_its_first_member(bench: Bench) -> None:
    shows(bench, page(bench), *range(12))
    assert members(page(bench)) == ["a"]


def test_a_request_without_a_group_is_alone_on_its_page(bench: Bench) -> None:
    bench.hears(stored("alone"))
    bench.opens("alone", 2)
    assert members(page(bench, RowKey("request", "alone"))) == ["alone"]


def test_there_is_no_page_for_a_row_that_is_gone(bench: Bench) -> None:
    assert page_from(bench.desk, RowKey("request", "nobody")) is None


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


def test_who_comes_later_is_on_the_next_page(bench: Bench) -> None:
    made = page(bench)
    bench.hears(stored("late", **GROUP))
    bench.opens("late")
    made.renew()
    assert (members(made), made.complete) == (["a", "b", "c"], True)
    assert members(page(bench)) == ["a", "b", "c", "late"]


def test_who_ends_stays_where_it_was(bench: Bench) -> None:
    made = page(bench)
    bench.hears(ended(bench.entry("b").request))
    made.renew()
    assert members(made) == ["a", "b", "c"]


def test_a_page_notices_that_its_first_request_changed(bench: Bench) -> None:
    made = page(bench)
    assert made.begins_as_it_did
    bench.hears(stored("a", revision=2, **GROUP))
    assert not made.begins_as_it_did


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
    assert "cannot be shown (damaged" in text(made)
    assert "\x1b" not in text(made)


def test_a_page_is_so_long_and_no_longer() -> None:
    bench = Bench()
    bench.hears(*(stored(f"r{number}", **GROUP) for number in range(LONGEST + 3)))
    for number in range(LONGEST + 3):
        bench.opens(f"r{number}", 1)
    made = page(bench)
    assert (len(made.sections), made.complete) == (LONGEST, True)


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
    made = ContentPage(bench.desk, [f"r{at}" for at in range(len(lines))])
    while made.grow():
        pass
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
    assert made.missing == len(whose) - len(shown)


def test_the_page_counts_units_as_the_view_does(bench: Bench) -> None:
    made = page(bench)
    reading = Reading(made.documents, 40)
    for section in made.sections:
        place = reading.place_of_unit(section.unit)
        assert made.section_at(reading.document_at(place)) == section


def test_nothing_counts_that_moved_before_it_was_still_whosever_it_is(bench: Bench) -> None:
    made = page(bench)
    split = [
        made.split([PaintedRow(unit, 0, 1, 1) for unit in units]) for units in ((0, 1, 2, 3, 4), (0, 1, 2, 3, 5))
    ]
    bench.desk.coverages.painted_together(split[0], WIDTH)
    bench.waits(0.1)
    assert bench.desk.coverages.painted_together(split[1], WIDTH)
    bench.waits(0.15)
    bench.desk.coverages.settle()
    assert bench.desk.share(bench.entry("a")) == 0.0


def test_what_is_covered_counts_no_more(bench: Bench) -> None:
    made = page(bench)
    bench.desk.coverages.painted_together(made.split([PaintedRow(unit, 0, 1, 1) for unit in range(12)]), WIDTH)
    bench.desk.coverages.covered()
    bench.waits(1.0)
    bench.desk.coverages.settle()
    assert made.missing == 12
    assert bench.desk.coverages.settles_at is None


def test_what_was_decided_meanwhile_need_not_be_shown(bench: Bench) -> None:
    made = page(bench)
    bench.hears(ended(bench.entry("a").request))
    assert [made.is_shown(unit) for unit in (0, 3, 4)] == [True, True, False]


def test_a_request_opens_at_its_first_unread_line_and_at_the_top_if_all_or_none_was_shown(bench: Bench) -> None:
    made = page(bench)
    assert made.first_unread is None
    shows(bench, made, 0, 1)
    assert made.first_unread == 2
    shows(bench, made, 2, 3)
    assert made.first_unread is None


def test_the_documents_of_a_request_are_known(bench: Bench) -> None:
    made = page(bench)
    assert [made.documents_of(id_) for id_ in "abc"] == [range(1), range(1, 3), range(3, 5)]
    assert made.documents_of("nobody") == range(0)
