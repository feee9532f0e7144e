"""The list behind the screen: it moves for nobody but the person."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from model_samples import approved, ended, news, rejected, stored

from signoff import FileWrite
from signoff.present.snapshot.snapshot import take
from signoff.queue import Risk, StoredRequest
from signoff_tui.state.inbox import Inbox, Order, PuttingAside, RowKey


def request_key(id_: str) -> RowKey:
    return RowKey("request", id_)


def filled(*requests: StoredRequest) -> Inbox:
    inbox = Inbox()
    inbox.apply(news(*requests))
    return inbox


def shown(inbox: Inbox) -> list[str]:
    return [row.key.id for row in inbox.rows()]


GROUP = {"group_id": "save", "session": "s-1"}
GROUP_ROW = RowKey("group", "s-1\x1fsave")


def at_path(folder: Path, name: str, id_: str) -> StoredRequest:
    """A member that writes a file."""
    snapshot = take((FileWrite(str(folder / name), "x\n"),)).to_json()
    return stored(id_, snapshot=snapshot, cwd=str(folder), session="s-1", group_id="save")


# -- order ---------------------------------------------------------------------------------------------------


def test_requests_are_listed_in_the_order_of_their_arrival() -> None:
    assert shown(filled(stored("a"), stored("b"), stored("c"))) == ["a", "b", "c"]


def test_a_later_request_is_appended_at_the_end() -> None:
    inbox = filled(stored("a"), stored("b"))
    inbox.apply(news(stored("c")))
    assert shown(inbox) == ["a", "b", "c"]


@pytest.mark.parametrize("approving", [True, False])
def test_what_changes_before_the_queue_answered_came_back_only_if_it_was_approved(*, approving: bool) -> None:
    inbox = filled(stored("a"))
    inbox.set_sent(["a"], sent=True, approving=approving)
    inbox.apply(news(stored("a", revision=2)))
    assert inbox.entry("a").answered is approving


def test_a_later_member_joins_its_group_at_the_end_of_the_group() -> None:
    inbox = filled(stored("a", **GROUP), stored("b"))
    inbox.apply(news(stored("c", **GROUP)))
    assert shown(inbox) == [GROUP_ROW.id, "a", "c", "b"]


@pytest.mark.parametrize("together", [True, False])
def test_members_stand_by_batch_position_then_by_path_however_they_came(together: bool, tmp_path: Path) -> None:
    requests = [
        at_path(tmp_path, "a10.py", "d"),
        at_path(tmp_path, "a9.py", "c"),
        stored("b", batch_id="b", batch_position=2, **GROUP),
        stored("a", batch_id="b", batch_position=1, **GROUP),
    ]
    inbox = Inbox()
    for changes in [requests] if together else [[each] for each in requests]:
        inbox.apply(news(*changes))
    assert shown(inbox) == [GROUP_ROW.id, "a", "b", "c", "d"]


def test_a_member_that_joins_above_the_cursor_leaves_it_on_its_request(tmp_path: Path) -> None:
    inbox = filled(at_path(tmp_path, "b.py", "b"), at_path(tmp_path, "c.py", "c"))
    inbox.move_to(request_key("c"))
    inbox.apply(news(at_path(tmp_path, "a.py", "a")))
    assert shown(inbox) == [GROUP_ROW.id, "a", "b", "c"]
    assert inbox.cursor == request_key("c")


def test_a_request_that_ended_stays_in_its_place() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    inbox.apply(news(ended(stored("b"))))
    assert shown(inbox) == ["a", "b", "c"]
    assert inbox.entry("b").closed


def test_a_request_that_ended_before_it_was_listed_never_appears() -> None:
    inbox = filled(stored("a"))
    inbox.apply(news(ended(stored("b"))))
    assert shown(inbox) == ["a"]


def test_what_ended_folds_away_and_nothing_else() -> None:
    inbox = filled(stored("a"), stored("b", **GROUP), stored("c", **GROUP), stored("d"))
    inbox.apply(news(ended(stored("a")), ended(stored("b", **GROUP))))
    inbox.move_to(request_key("d"))
    assert inbox.fold()
    assert shown(inbox) == [GROUP_ROW.id, "c", "d"]
    assert not inbox.fold()


def test_the_row_under_the_cursor_does_not_fold_away() -> None:
    inbox = filled(stored("a"), stored("b"))
    inbox.apply(news(ended(stored("a"))))
    assert not inbox.fold()
    assert shown(inbox) == ["a", "b"]


@pytest.mark.parametrize("group", [{}, GROUP], ids=["alone", "together"])
def test_if_all_ended_no_row_stays(group: dict[str, str]) -> None:
    inbox = filled(stored("a", **group), stored("b", **group))
    inbox.apply(news(ended(stored("a", **group)), ended(stored("b", **group))))
    assert inbox.fold()
    assert shown(inbox) == []
    assert inbox.cursor is None


def test_a_group_that_ended_becomes_one_row_first_and_goes_the_next_time() -> None:
    inbox = filled(stored("a", **GROUP), stored("b", **GROUP), stored("c"))
    inbox.apply(news(ended(stored("a", **GROUP)), ended(stored("b", **GROUP))))
    inbox.move_to(request_key("c"))
    inbox.fold()
    assert shown(inbox) == [GROUP_ROW.id, "c"]
    inbox.fold()
    assert shown(inbox) == ["c"]


def test_what_folded_away_does_not_come_back() -> None:
    inbox = filled(stored("a"), stored("b"))
    inbox.apply(news(approved(stored("a"))))
    inbox.move(1)
    inbox.fold()
    inbox.apply(news(approved(stored("a"))))
    assert shown(inbox) == ["b"]


def test_what_is_snoozed_stands_below_the_list_and_arrivals_below_that() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    PuttingAside(inbox).toggle()
    assert shown(inbox) == ["b", "c", "a"]
    inbox.apply(news(stored("d")))
    assert shown(inbox) == ["b", "c", "a", "d"]


def test_a_snooze_that_is_undone_leaves_each_row_where_it_was() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    aside = PuttingAside(inbox)
    aside.toggle()
    inbox.apply(news(stored("d")))
    aside.undo()
    assert shown(inbox) == ["a", "b", "c", "d"]
    assert not inbox.entry("a").later


def test_sorting_moves_what_was_put_aside_to_the_end() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    inbox.set_later(["a"], later=True)
    assert shown(inbox) == ["a", "b", "c"]
    inbox.sort("arrival")
    assert shown(inbox) == ["b", "c", "a"]


# -- groups --------------------------------------------------------------------------------------------------


def test_equal_group_ids_of_two_sessions_are_two_groups() -> None:
    inbox = filled(
        *(
            stored(f"{session}{number}", group_id="save", session=session)
            for session in ("s-1", "s-2")
            for number in "ab"
        )
    )
    assert shown(inbox) == ["s-1\x1fsave", "s-1a", "s-1b", "s-2\x1fsave", "s-2a", "s-2b"]


def test_a_group_of_one_is_a_plain_row() -> None:
    inbox = filled(stored("a", **GROUP), stored("b"))
    assert shown(inbox) == ["a", "b"]
    assert inbox.focused_group() is None


def test_a_group_has_a_heading_from_its_second_member_on_and_keeps_it() -> None:
    inbox = filled(stored("a", **GROUP), stored("b"))
    inbox.apply(news(stored("c", **GROUP)))
    inbox.apply(news(ended(stored("c", **GROUP))))
    inbox.fold()
    assert shown(inbox) == [GROUP_ROW.id, "a", "b"]
    assert inbox.cursor == request_key("a")


def test_a_group_of_which_more_are_announced_has_a_heading() -> None:
    assert shown(filled(stored("a", group_size=4, **GROUP))) == [GROUP_ROW.id, "a"]


def test_a_group_knows_how_many_members_were_announced() -> None:
    assert filled(stored("a", group_size=4, **GROUP)).group(GROUP_ROW).announced == 4


def test_closing_a_group_hides_its_members() -> None:
    inbox = filled(stored("a", **GROUP), stored("a2", **GROUP), stored("b"))
    inbox.set_open(GROUP_ROW, open_=False)
    assert shown(inbox) == [GROUP_ROW.id, "b"]


def test_closing_a_group_moves_the_cursor_from_a_member_to_the_heading() -> None:
    inbox = filled(stored("a", **GROUP), stored("a2", **GROUP))
    inbox.move_to(request_key("a"))
    inbox.set_open(GROUP_ROW, open_=False)
    assert inbox.cursor == GROUP_ROW


def test_going_to_a_member_opens_its_group() -> None:
    inbox = filled(stored("a", **GROUP))
    inbox.set_open(GROUP_ROW, open_=False)
    inbox.move_to(request_key("a"))
    assert inbox.group(GROUP_ROW).open
    assert inbox.cursor == request_key("a")


# -- contents ------------------------------------------------------------------------------------------------


def test_a_new_revision_is_reported_as_another_content() -> None:
    inbox = filled(stored("a"), stored("b"))
    assert inbox.apply(news(stored("a", revision=2))) == ("a",)


def test_news_about_the_same_content_is_no_other_content() -> None:
    inbox = filled(stored("a"))
    assert inbox.apply(news(ended(stored("a")))) == ()


def test_a_new_revision_waits_even_if_the_old_one_was_decided_here() -> None:
    inbox = filled(stored("a"))
    inbox.entry("a").sent = True
    inbox.apply(news(stored("a", revision=2)))
    assert inbox.entry("a").waiting


def test_a_decision_of_this_screen_is_no_longer_awaited_once_the_request_ended() -> None:
    inbox = filled(stored("a"))
    inbox.entry("a").sent = True
    inbox.apply(news(approved(stored("a"))))
    assert not inbox.entry("a").sent


# -- counts --------------------------------------------------------------------------------------------------


def test_counts_are_of_what_waits_held_decisions_included() -> None:
    inbox = filled(stored("a", seq=3), stored("b", seq=4, risk=Risk.HIGH), stored("c", session="s-2"))
    inbox.entry("a").held = True
    inbox.apply(news(ended(stored("c", session="s-2"))))
    counts = inbox.tally.counts
    assert (counts.waiting, counts.high, counts.agents) == (2, 1, 1)
    assert counts.oldest_at == inbox.entry("a").request.created_at


# -- the cursor ----------------------------------------------------------------------------------------------


def test_the_first_arrival_in_an_empty_inbox_gets_the_cursor() -> None:
    assert filled(stored("a"), stored("b")).cursor == request_key("a")


def test_the_cursor_stays_on_its_request_when_that_ends() -> None:
    inbox = filled(stored("a"), stored("b"))
    inbox.apply(news(ended(stored("a")), stored("c")))
    assert inbox.cursor == request_key("a")


def test_the_cursor_stops_at_both_ends() -> None:
    inbox = filled(stored("a"), stored("b"))
    inbox.move(10)
    assert inbox.cursor == request_key("b")
    inbox.move(-10)
    assert inbox.cursor == request_key("a")


def test_the_neighbor_is_the_next_that_waits() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    inbox.apply(news(ended(stored("b"))))
    inbox.move_to_neighbor(1)
    assert inbox.cursor == request_key("c")
    inbox.move_to_neighbor(-1)
    assert inbox.cursor == request_key("a")


def test_a_closed_group_in_which_something_waits_is_a_neighbor() -> None:
    inbox = filled(stored("a"), stored("b", **GROUP), stored("b2", **GROUP))
    inbox.set_open(GROUP_ROW, open_=False)
    inbox.move_to_neighbor(1)
    assert inbox.cursor == GROUP_ROW


# -- after a decision ----------------------------------------------------------------------------------------


def decided_at(inbox: Inbox, id_: str) -> RowKey | None:
    """Where the cursor goes when the request it is on is decided."""
    inbox.move_to(request_key(id_))
    inbox.entry(id_).held = True
    inbox.advance()
    return inbox.cursor


def test_after_a_decision_the_next_waiting_member_of_the_group_comes() -> None:
    inbox = filled(stored("a", **GROUP), stored("x"), stored("b", **GROUP), stored("c", **GROUP))
    inbox.entry("b").held = True
    assert decided_at(inbox, "a") == request_key("c")


def test_after_the_last_member_the_earlier_ones_come_before_other_rows() -> None:
    inbox = filled(stored("a", **GROUP), stored("b", **GROUP), stored("x"))
    assert decided_at(inbox, "b") == request_key("a")


def test_after_the_whole_group_the_next_waiting_row_below_comes() -> None:
    inbox = filled(stored("o"), stored("a", **GROUP), stored("x"))
    assert decided_at(inbox, "a") == request_key("x")


def test_after_the_last_row_the_oldest_that_waits_comes() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    inbox.apply(news(ended(stored("a"))))
    assert decided_at(inbox, "c") == request_key("b")


def test_a_high_request_is_not_preferred() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c", risk=Risk.HIGH))
    assert decided_at(inbox, "a") == request_key("b")


def test_what_was_put_aside_is_passed_over() -> None:
    inbox = filled(stored("a"), stored("b"), stored("c"))
    inbox.set_later(["b"], later=True)
    assert decided_at(inbox, "a") == request_key("c")


def test_a_closed_group_in_which_something_waits_is_not_passed_over() -> None:
    inbox = filled(stored("a"), stored("b", **GROUP), stored("b2", **GROUP), stored("c"))
    inbox.set_open(GROUP_ROW, open_=False)
    assert decided_at(inbox, "a") == GROUP_ROW


def test_the_cursor_stays_when_nothing_waits() -> None:
    assert decided_at(filled(stored("a")), "a") == request_key("a")


# -- in general ----------------------------------------------------------------------------------------------

IDS = [f"r{number}" for number in range(12)]


class Life(RuleBasedStateMachine):
    """Everything that can happen to a list. Only the person's own acts may move anything."""

    @initialize()
    def empty(self) -> None:
        self.inbox = Inbox()
        self.sent: list[str] = []

    @rule(id_=st.sampled_from(IDS), group=st.sampled_from([None, "g", "h"]))
    def a_request_arrives(self, id_: str, group: str | None) -> None:
        if id_ not in self.inbox and id_ not in self.sent:
            self.sent.append(id_)
            self._from_outside(stored(id_, group_id=group, seq=len(self.sent)))

    @precondition(lambda self: any(True for _ in self.inbox.entries()))
    @rule(data=st.data(), end=st.sampled_from([ended, approved, rejected]))
    def a_request_ends(self, data: st.DataObject, end: object) -> None:
        entry = data.draw(st.sampled_from(list(self.inbox.entries())))
        assert callable(end)
        self._from_outside(end(entry.request))

    @precondition(lambda self: any(True for _ in self.inbox.entries()))
    @rule(data=st.data())
    def a_request_is_amended(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(list(self.inbox.entries())))
        old = entry.request
        self._from_outside(
            stored(old.id, revision=old.revision + 1, group_id=old.submission.group_id, seq=old.seq)
        )

    @rule(steps=st.integers(-4, 4))
    def the_person_moves(self, steps: int) -> None:
        self.inbox.move(steps)

    @precondition(lambda self: any(row.key.kind == "group" for row in self.inbox.rows()))
    @rule(data=st.data(), open_=st.booleans())
    def the_person_folds_a_group(self, data: st.DataObject, open_: bool) -> None:
        groups = [row.key for row in self.inbox.rows() if row.key.kind == "group"]
        self.inbox.set_open(data.draw(st.sampled_from(groups)), open_=open_)

    @precondition(lambda self: any(entry.waiting for entry in self.inbox.entries()))
    @rule(data=st.data())
    def the_person_decides(self, data: st.DataObject) -> None:
        waiting = [entry for entry in self.inbox.entries() if entry.waiting]
        entry = data.draw(st.sampled_from(waiting))
        self.inbox.move_to(request_key(entry.id))
        self.inbox.set_held([*(each.id for each in self.inbox.entries() if each.held), entry.id])
        self.inbox.advance()

    @rule(wanted=st.sampled_from(["r1", "x", ""]))
    def the_person_filters(self, wanted: str) -> None:
        cursor = self.inbox.cursor
        self.inbox.sift((lambda entry: wanted in entry.id) if wanted else None)
        assert cursor is None or self.inbox.cursor == cursor

    @rule(order=st.sampled_from(get_args(Order)))
    def the_person_sorts(self, order: Order) -> None:
        cursor, before = self.inbox.cursor, {row.key for row in self.inbox.rows()}
        self.inbox.sort(order)
        assert self.inbox.cursor == cursor
        assert {row.key for row in self.inbox.rows()} == before

    @rule()
    def what_ended_folds_away(self) -> None:
        cursor = self.inbox.cursor
        while self.inbox.fold():
            pass
        assert self.inbox.cursor == (cursor if self.inbox.rows() else None)
        focused = self.inbox.focused_group()
        left = [entry for entry in self.inbox.entries() if entry.closed and entry.id != (cursor and cursor.id)]
        assert all(focused is not None and entry.group == focused.key for entry in left)

    def _from_outside(self, request: StoredRequest) -> None:
        """Something the queue reports must not move the cursor, nor any row past another."""
        cursor, before = self.inbox.cursor, self.inbox.rows()
        self.inbox.apply(news(request))
        if before:
            assert self.inbox.cursor == cursor
        were = [row.key for row in before]
        assert [row.key for row in self.inbox.rows() if row.key in were] == were

    @invariant()
    def the_cursor_is_on_a_row_whenever_there_is_one(self) -> None:
        assert (self.inbox.cursor is None) == (not self.inbox.rows())
        assert self.inbox.cursor is None or self.inbox.row_index(self.inbox.cursor) is not None

    @invariant()
    def every_request_has_its_row_unless_its_group_is_closed_or_the_filter_hides_it(self) -> None:
        rows = [row.key for row in self.inbox.rows()]
        assert len(rows) == len(set(rows))
        for entry in self.inbox.entries():
            folded = entry.group is not None and not self.inbox.group(entry.group).open
            assert (request_key(entry.id) in rows) is not (folded or self.inbox.is_hidden(entry.id))

    @invariant()
    def rows_that_were_added_one_by_one_are_those_of_a_new_layout(self) -> None:
        rows = self.inbox.rows()
        self.inbox._lay_out_anew()
        assert self.inbox.rows() == rows

    @invariant()
    def what_is_counted_is_what_is_there(self) -> None:
        entries, counts = list(self.inbox.entries()), self.inbox.tally.counts
        assert counts.waiting == sum(entry.request.pending for entry in entries)
        assert self.inbox.tally.any_ended == any(entry.closed for entry in entries)


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)


@given(st.permutations(IDS), st.integers(0, 11))
def test_a_thousand_arrivals_leave_the_cursor_where_it_is(order: list[str], at: int) -> None:
    inbox = filled(*(stored(id_) for id_ in order))
    inbox.move_to(request_key(order[at]))
    inbox.apply(news(*(stored(f"new {number}") for number in range(1_000))))
    assert inbox.cursor == request_key(order[at])
    assert inbox.row_index(inbox.cursor) == at
