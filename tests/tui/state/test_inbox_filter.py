"""A filter and an order change what is listed and where, and nothing else: no danger is hidden silently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import approved, news, stored
from test_session import GROUP, GROUP_ROW, Bench

from signoff.filter import Filtered, Viewpoint, parse
from signoff.queue import Risk
from signoff_tui.guard import Omission
from signoff_tui.screens.review.filter import filter_line, first_waiting, nothing_listed
from signoff_tui.state.inbox import Order, RowKey, following
from signoff_tui.state.inbox_filter import Hidden, InboxFilter
from signoff_tui.text.lines import Line

VIEW = Viewpoint(0, "you")


class Filtering(Bench):
    """A desk with a filter."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.filter = InboxFilter(self.desk, lambda: VIEW)

    def keeps(self, text: str) -> None:
        self.filter.use(parse(text, Filtered.INBOX))

    @property
    def rows(self) -> list[str]:
        return [row.key.id for row in self.desk.inbox.rows()]

    def goes_to(self, id_: str) -> None:
        self.desk.inbox.move_to(RowKey("request", id_))


@pytest.fixture
def bench() -> Filtering:
    """Four requests of two agents, the cursor on the first."""
    bench = Filtering()
    bench.hears(
        stored("a", agent="docs"),
        stored("b", agent="shop", risk=Risk.HIGH),
        stored("c", agent="docs"),
        stored("d", agent="shop"),
    )
    return bench


def texts(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(piece.text.text for piece in (*line.left, *line.right)) for line in lines)


# -- what is listed ------------------------------------------------------------------------------------------


def test_only_what_passes_is_listed(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    assert bench.rows == ["a", "c", "b"]


def test_high_passes_every_filter_and_stands_after_what_matches(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    bench.hears(stored("e", agent="docs"), stored("f", agent="shop", risk=Risk.HIGH))
    assert bench.rows == ["a", "c", "e", "b", "f"]
    assert [bench.desk.inbox.is_in_filter(id_) for id_ in "abcef"] == [True, False, True, True, False]


def test_a_high_member_of_a_group_that_does_not_match_stands_alone_and_no_capital_reaches_it() -> None:
    bench = Filtering()
    bench.hears(
        stored("a", tool_name="no", risk=Risk.HIGH, **GROUP),
        *(stored(id_, tool_name="yes", **GROUP) for id_ in "bc"),
    )
    bench.desk.inbox.cursor = GROUP_ROW
    bench.keeps("tool:yes")
    assert bench.rows == [GROUP_ROW.id, "b", "c", "a"]
    members = bench.desk.eligibility(bench.desk.inbox.group(GROUP_ROW).members)
    assert {ref.id for ref in members.waiting} == {"b", "c"}


def test_what_becomes_high_while_a_filter_hides_it_is_listed_at_the_end(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    bench.hears(stored("d", agent="shop", revision=2, risk=Risk.HIGH))
    assert bench.rows == ["a", "c", "b", "d"]


def test_without_a_filter_everything_is_listed(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    bench.keeps("")
    assert bench.rows == ["a", "b", "c", "d"]


def test_the_row_under_the_cursor_stays_until_the_cursor_leaves_it(bench: Filtering) -> None:
    bench.keeps("agent:shop")
    assert bench.rows == ["a", "b", "d"]
    assert not bench.desk.inbox.is_hidden("a")
    bench.desk.inbox.move(1)
    assert bench.rows == ["b", "d"]
    assert bench.desk.inbox.is_hidden("a")


def test_what_arrives_is_asked_and_what_is_listed_stays(bench: Filtering) -> None:
    bench.keeps("agent:docs -is:closed")
    bench.hears(stored("e", agent="docs"), stored("f", agent="shop"))
    bench.hears(approved(bench.entry("c").request))
    assert bench.rows == ["a", "c", "e", "b"]
    bench.filter.settle()
    assert bench.rows == ["a", "e", "b"]


def test_what_was_hidden_and_passes_once_it_changed_is_listed(bench: Filtering) -> None:
    bench.keeps("-agent:shop | risk:med")
    bench.hears(stored("d", agent="shop", revision=2, risk=Risk.MEDIUM))
    assert bench.rows == ["a", "c", "d", "b"]


def test_an_arrival_that_is_hidden_does_not_get_the_cursor() -> None:
    bench = Filtering()
    bench.keeps("agent:docs")
    bench.hears(stored("b", agent="shop"))
    assert (bench.desk.inbox.cursor, bench.rows) == (None, [])
    bench.keeps("")
    assert bench.desk.inbox.cursor == RowKey("request", "b")


def test_going_to_what_is_hidden_lists_it_meanwhile(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    key = first_waiting(bench.desk, "agent:shop", VIEW)
    assert key == RowKey("request", "b")
    bench.goes_to("d")
    assert bench.rows == ["a", "c", "d", "b"]
    bench.desk.inbox.move(-1)
    assert bench.rows == ["a", "c", "b"]


def test_a_filter_that_was_typed_by_accident_is_undone(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    bench.keeps("")
    bench.filter.undo()
    assert bench.filter.query.text == "agent:docs"
    assert bench.rows == ["a", "c", "b"]


def test_while_it_is_typed_a_request_that_changed_is_looked_at_anew(bench: Filtering) -> None:
    bench.filter.typing(begins=True)
    bench.keeps("risk:high")
    bench.hears(stored("d", revision=2, risk=Risk.HIGH))
    bench.keeps("-risk:low")
    assert "d" in bench.rows


# -- what is hidden is told ----------------------------------------------------------------------------------


def test_what_waits_and_is_hidden_is_counted(bench: Filtering) -> None:
    bench.keeps("agent:docs")
    assert bench.filter.hidden == Hidden(1)
    bench.hears(approved(bench.entry("d").request))
    assert bench.filter.hidden == Hidden(0)


def test_the_counts_of_the_inbox_know_no_filter(bench: Filtering) -> None:
    before = bench.desk.inbox.tally.counts
    bench.keeps("agent:nobody")
    assert bench.desk.inbox.tally.counts == before


@pytest.mark.parametrize("width", [40, 80, 200])
def test_how_much_matches_is_told_at_any_width(width: int) -> None:
    told = filter_line("agent:" + "x" * 300, Hidden(12), 2, 14, width)
    assert "2 of 14 match" in texts((told,))
    assert "Esc" in texts((told,))
    words = " ".join(texts(nothing_listed(Hidden(12), width)).split())
    assert words == "No rows match. 12 waiting hidden. Esc clears the filter."


@pytest.mark.parametrize("strays", [False, True])
def test_a_row_that_stays_although_it_does_not_match_is_told(strays: bool) -> None:
    told = texts((filter_line("agent:=x", Hidden(2), 1, 3, 120, strays=strays),))
    assert ("the focused one stays" in told) is strays


def test_only_a_row_that_the_filter_would_hide_strays(bench: Filtering) -> None:
    bench.keeps("agent:nobody")
    assert bench.desk.inbox.focus_strays
    bench.keeps("")
    assert not bench.desk.inbox.focus_strays


@pytest.mark.parametrize("width", [41, 50, 62, 80])
def test_a_filter_that_matches_nothing_says_so_and_names_the_key_that_clears_it(width: int) -> None:
    row = filter_line("risk:high", Hidden(0, matches=False), 0, 3, width)
    assert row.width <= width
    assert "nothing matches" in texts((row,))
    assert "".join(piece.text.text for piece in row.right).split() == ["Esc", "clears"]


# -- what is hidden is decided by nothing that covers several --------------------------------------------------


@given(listed=st.sets(st.sampled_from("abcdef")), at=st.sampled_from("abcdef"))
def test_a_group_act_covers_only_what_is_listed(listed: set[str], at: str) -> None:
    bench = Filtering()
    bench.hears(*(stored(id_, tool_name="yes" if id_ in listed else "no", **GROUP) for id_ in "abcdef"))
    for id_ in "abcdef":
        bench.reads(id_)
    bench.goes_to(at)
    bench.keeps("tool:yes")
    members = bench.desk.eligibility(bench.desk.inbox.group(GROUP_ROW).members)
    shown = {row.key.id for row in bench.desk.inbox.rows() if row.key.kind == "request"}
    assert {ref.id for ref in members.ready} == {ref.id for ref in members.waiting} == shown == listed | {at}
    assert {item.reason for item in members.left_out} <= {Omission.HIDDEN}


def test_putting_a_group_aside_leaves_what_is_hidden() -> None:
    bench = Filtering()
    bench.hears(stored("a", tool_name="yes", **GROUP), stored("b", tool_name="no", **GROUP))
    bench.desk.inbox.cursor = GROUP_ROW
    bench.keeps("tool:yes")
    bench.desk.later.toggle()
    assert [bench.entry(id_).later for id_ in "ab"] == [True, False]


# -- orders --------------------------------------------------------------------------------------------------


def sorted_by(bench: Filtering, order: Order) -> list[str]:
    bench.desk.inbox.sort(order)
    return bench.rows


def test_the_riskiest_come_first_and_the_oldest_of_them_before_the_others(bench: Filtering) -> None:
    bench.hears(stored("e", risk=Risk.HIGH), stored("f", risk=Risk.MEDIUM))
    assert sorted_by(bench, "risk") == ["b", "e", "f", "a", "c", "d"]


def test_agents_stand_together_by_their_names(bench: Filtering) -> None:
    assert sorted_by(bench, "agent") == ["a", "c", "b", "d"]


def test_the_order_of_arrival_comes_back(bench: Filtering) -> None:
    bench.desk.inbox.sort("risk")
    assert sorted_by(bench, "arrival") == ["a", "b", "c", "d"]


def test_a_group_stands_where_the_riskiest_that_waits_in_it_belongs() -> None:
    bench = Filtering()
    bench.hears(stored("x"), stored("a", risk=Risk.HIGH, **GROUP), stored("b", risk=Risk.MEDIUM, **GROUP))
    assert sorted_by(bench, "risk") == [GROUP_ROW.id, "a", "b", "x"]
    bench.hears(stored("y", risk=Risk.HIGH), approved(bench.entry("a").request))
    assert sorted_by(bench, "risk") == ["y", GROUP_ROW.id, "a", "b", "x"]


def test_what_was_put_aside_is_at_the_end_in_any_order(bench: Filtering) -> None:
    bench.desk.inbox.set_later(["b"], later=True)
    assert sorted_by(bench, "risk")[-1] == "b"


def test_what_arrives_is_appended_and_marked_until_the_list_is_sorted_again(bench: Filtering) -> None:
    bench.desk.inbox.sort("risk")
    bench.hears(stored("e", risk=Risk.HIGH))
    assert bench.rows[-1] == "e"
    assert bench.desk.inbox.has_arrived(RowKey("request", "e"))
    bench.desk.inbox.sort("risk")
    assert not bench.desk.inbox.has_arrived(RowKey("request", "e"))
    assert bench.rows[:2] == ["b", "e"]


def test_an_order_leaves_the_cursor_on_its_row(bench: Filtering) -> None:
    bench.goes_to("c")
    bench.desk.inbox.sort("risk")
    assert bench.desk.inbox.cursor == RowKey("request", "c")


def test_the_orders_come_round() -> None:
    assert [following("arrival"), following("risk"), following("agent")] == ["risk", "agent", "arrival"]


def test_what_arrives_while_the_list_is_in_order_of_arrival_is_not_marked(bench: Filtering) -> None:
    bench.desk.apply(news(stored("e")))
    assert not bench.desk.inbox.has_arrived(RowKey("request", "e"))
