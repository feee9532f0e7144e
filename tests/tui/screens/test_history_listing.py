"""What is listed of the history: the cursor stays on its record, and words say what became of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import START, stored
from rich.cells import cell_len

from signoff.filter import Found
from signoff.queue import Decision, DecisionSource, HistoryRecord, RequestState
from signoff.queue.amendment import Instead
from signoff.queue.records import Grant
from signoff.queue.wording import CLOSED
from signoff.text.time import local_time
from signoff_tui.screens.history.listing import Item, Listing
from signoff_tui.screens.history.outcomes import Deciders, outcome
from signoff_tui.screens.history.rows import RecordRowStyle, item_row
from signoff_tui.text.lines import paint
from signoff_tui.text.look import UNICODE
from signoff_tui.text.themes import builtin_themes

YES = Decision(approved=True, by="anna", shown=1.0)
FOLLOWED = Decision(approved=False, hard=True, source=DecisionSource.CASCADE)


def record(seq: int = 1, state: RequestState = RequestState.APPROVED, **fields: Any) -> HistoryRecord:
    request = stored(f"r{seq}")
    fields = {"decision": YES, "at": START, **fields}
    return HistoryRecord.about(request.asked_by, request.submission, state, seq=seq, **fields)


def grant(grant_id: str) -> Grant:
    return Grant(grant_id, "s-1", "refactor", "ls", {}, "{}", "r1", START, "ada", 1, None, None)


def records(seqs: Sequence[int]) -> tuple[HistoryRecord, ...]:
    return tuple(record(seq) for seq in seqs)


def listing(seqs: Sequence[int], *, more: bool = False) -> Listing:
    made = Listing()
    made.show(Found(records(seqs), more=more))
    return made


def seq(of: Listing) -> int | None:
    return None if of.current is None else of.current.seq


# -- the cursor ----------------------------------------------------------------------------------------------


def test_the_cursor_begins_at_the_newest() -> None:
    assert seq(listing([9, 7, 5])) == 9


def test_new_records_do_not_move_the_cursor() -> None:
    here = listing([9, 7, 5])
    here.add_newer(records([12, 11]))
    assert seq(here) == 9
    assert here.index == 2


def test_new_records_are_counted_until_somebody_goes_to_the_top() -> None:
    here = listing([9, 7, 5])
    here.add_newer(records([12, 11]))
    assert here.arrived == 2
    here.step(-99)
    assert here.arrived == 0


def test_another_filter_leaves_the_cursor_on_its_record() -> None:
    here = listing([9, 7, 5])
    here.step(1)
    here.show(Found(records([8, 7, 1])))
    assert seq(here) == 7


@pytest.mark.parametrize(("seqs", "expected"), [([9, 5], 5), ([9, 8], 8), ([3], 3)])
def test_a_filter_that_drops_the_record_leads_to_the_nearest_older_one(seqs: list[int], expected: int) -> None:
    here = listing([9, 7, 5])
    here.step(1)
    here.show(Found(records(seqs)))
    assert seq(here) == expected


def test_a_list_without_records_has_no_cursor() -> None:
    here = listing([9])
    here.show(Found(()))
    assert here.current is None
    assert here.cursor_row is None


def test_older_records_go_on_below_the_last_one() -> None:
    here = listing([9, 7], more=True)
    assert (here.more, here.looked_to) == (True, 7)
    here.add_older(Found(records([5, 3])))
    assert (here.more, here.looked_to) == (False, None)
    assert [one.seq for one in here.records] == [9, 7, 5, 3]


def test_a_search_that_gave_up_goes_on_where_it_stopped() -> None:
    here = Listing()
    here.show(Found((), stopped_at=400))
    assert (here.more, here.looked_to) == (True, 400)


@given(
    st.lists(st.integers(1, 60), unique=True, min_size=1),
    st.integers(-9, 9),
    st.lists(st.integers(61, 99), unique=True),
)
def test_what_comes_above_or_below_never_moves_the_cursor(seqs: list[int], steps: int, newer: list[int]) -> None:
    here = listing(sorted(seqs, reverse=True), more=True)
    here.step(steps)
    before = seq(here)
    here.add_newer(records(sorted(newer, reverse=True)))
    here.add_older(Found(()))
    here.lay_out(lambda item: 1 + item.record.seq % 3)
    assert seq(here) == before
    assert here.cursor_row is not None
    assert here.items[here.rows[here.cursor_row][0]].record.seq == before


# -- words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"decision": YES}, "approved"),
        ({"decision": Decision(approved=True, remember=True)}, "approved"),
        ({"decision": Decision(approved=True, source=DecisionSource.GRANT)}, "approved"),
        ({"decision": Decision(approved=True, shown=0.549, deliberate=True)}, "54 % shown"),
        ({"state": RequestState.REJECTED, "decision": Decision(approved=False)}, "rejected"),
        ({"state": RequestState.REJECTED, "decision": Decision(approved=False, hard=True)}, "stopped"),
        ({"state": RequestState.REJECTED, "decision": FOLLOWED}, "stopped"),
        ({"state": RequestState.EXPIRED, "decision": None}, "expired"),
        ({"state": RequestState.WITHDRAWN, "decision": None, "reason": "not needed"}, "withdrawn"),
        ({"state": RequestState.WITHDRAWN, "decision": None, "reason": CLOSED}, "agent exited"),
    ],
)
def test_how_it_ended_is_told_in_a_word_or_two(fields: dict[str, Any], words: str) -> None:
    assert outcome(record(**fields))[0] == words


@pytest.mark.parametrize(
    ("decision", "who"),
    [
        (Decision(approved=True, by="ada"), "you"),
        (Decision(approved=True, by="anna"), "anna"),
        (Decision(approved=True, by="g2", source=DecisionSource.GRANT), "allowed #2"),
        (Decision(approved=True, by="gone", source=DecisionSource.GRANT), "allowed"),
        (Decision(approved=True, by="rule 7", source=DecisionSource.RULE), "rule"),
        (Decision(approved=True, by="approve_all", source=DecisionSource.MODE), "mode"),
        (Decision(approved=False, by="anna", source=DecisionSource.CASCADE), "anna"),
        (None, ""),
    ],
)
def test_who_decided_is_told_in_a_word(decision: Decision | None, who: str) -> None:
    assert Deciders("ada", {"g2": (2, grant("g2"))}).who(record(decision=decision)) == who


def test_the_record_names_the_rule() -> None:
    by_rule = record(decision=Decision(approved=True, by="rule 7", source=DecisionSource.RULE))
    assert Deciders("ada").in_full(by_rule) == "by rule: rule 7"


def test_an_allowed_call_tells_who_allowed_it_and_when() -> None:
    allowed = record(decision=Decision(approved=True, by="g2", source=DecisionSource.GRANT))
    at = local_time(START, "minute")
    assert Deciders("ada", {"g2": (2, grant("g2"))}).in_full(allowed) == f"as allowed #2 by you at {at}"


# -- rows ----------------------------------------------------------------------------------------------------


def shown(of: HistoryRecord, width: int, changes: dict[int, str] | None = None) -> list[str]:
    """The lines of the row of a record."""
    style = RecordRowStyle(UNICODE, START, Deciders("ada"), changes or {})
    lines = item_row(Item(of), style, width, focused=True, opened=False)
    return [paint(each, width, builtin_themes()["signoff-dark"]).text for each in lines]


def test_a_row_tells_time_kind_what_change_how_it_ended_and_by_whom() -> None:
    at = local_time(START, "minute")
    (row,) = shown(record(decision=replace(YES, by="ada")), 60, {1: "+12 -3"})
    assert row == f"▌{at}  {{ Create r1  +12 -3             approved         you"


def test_the_words_to_the_agent_stand_below_the_row_and_end_with_a_whole_word() -> None:
    rejected = record(
        state=RequestState.REJECTED, decision=Decision(approved=False, note="not before the release")
    )
    assert shown(rejected, 60)[1].rstrip() == "          not before the release"
    assert shown(rejected, 30)[1].rstrip() == "          not before the …"


@pytest.mark.parametrize("width", [40, 50, 58, 80])
def test_how_it_ended_is_never_cut_and_a_name_keeps_its_room(width: int) -> None:
    (row,) = shown(
        record(decision=replace(YES, shown=0.5, deliberate=True, by="a" * 40)), width, {1: "+1000 -1000"}
    )
    assert " 50 % shown" in row
    assert "{ Create r1" in row


def test_an_edited_call_is_named_as_it_ran() -> None:
    edited = Instead(arguments={"command": "ls -l"}, summary="edited arguments command")
    (row,) = shown(record(decision=replace(YES, by="ada", instead=edited)), 80)
    assert "$ ls -l  edited by you" in row


@pytest.mark.parametrize("width", [40, 50, 58, 80, 120])
def test_the_row_of_an_edited_call_says_so_in_any_width(width: int) -> None:
    edited = Instead(arguments={"title": "a long title of what is wrong"}, summary="edited arguments title")
    (row,) = shown(record(decision=replace(YES, by="ada", instead=edited)), width)
    assert "  edited" in row
    assert "  approved" in row


def test_a_part_of_a_call_tells_how_much_of_it_was_approved() -> None:
    part = Instead.of_contents({"/a": b"x"}, refused=("a lines 1-2",), summary="2 of 3 hunks")
    (row,) = shown(record(decision=replace(YES, instead=part)), 80)
    assert "2 of 3 hunks" in row


@given(st.text(max_size=80), st.integers(40, 120))
def test_whatever_was_said_fits_and_is_inert(note: str, width: int) -> None:
    said = record(state=RequestState.REJECTED, decision=Decision(approved=False, by=note[:9], note=note or "x"))
    for line in shown(said, width):
        assert line.isprintable()
        assert cell_len(line) == width
