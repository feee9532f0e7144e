"""What is listed of the history: the cursor stays on its record, and words say what became of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import SECOND, START, stored

from signoff.filter import Filtered, Found, parse
from signoff.queue import Decision, DecisionSource, HistoryRecord, RequestState
from signoff_tui.screens.history.listing import Listing
from signoff_tui.screens.history.ranges import next_range, of_one_agent, range_of
from signoff_tui.screens.history.wording import Deciders, outcome, said, share, took_text, took_words

YES = Decision(approved=True, by="anna", shown=1.0)


def record(seq: int = 1, state: RequestState = RequestState.APPROVED, **fields: Any) -> HistoryRecord:
    request = stored(f"r{seq}")
    fields = {"decision": YES, "at": START, **fields}
    return HistoryRecord.about(request.asked_by, request.submission, state, seq=seq, **fields)


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


# -- ranges --------------------------------------------------------------------------------------------------


def test_one_key_goes_through_the_ranges_and_keeps_the_rest() -> None:
    seen, text = [], "risk:low"
    for _ in range(4):
        text = next_range(parse(text, Filtered.HISTORY), record())
        seen.append(text)
    assert seen == ["risk:low since:1h", "risk:low since:today", "risk:low session:=s-41", "risk:low"]


def test_without_a_record_there_is_no_session_to_take() -> None:
    assert next_range(parse("since:today", Filtered.HISTORY), None) == ""


@pytest.mark.parametrize("text", ["since:2h", "since:1h until:14:30", "on:yesterday"])
def test_a_range_that_was_typed_is_called_set_and_gives_way(text: str) -> None:
    query = parse(text, Filtered.HISTORY)
    assert range_of(query) == "set"
    assert next_range(query, record()) == "since:1h"


def test_only_this_agent_and_again_all() -> None:
    one = of_one_agent(parse("risk:low", Filtered.HISTORY), record())
    assert one == "risk:low agent:=refactor"
    assert of_one_agent(parse(one, Filtered.HISTORY), record()) == "risk:low"


# -- words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"decision": YES}, "approved once"),
        ({"decision": Decision(approved=True, remember=True)}, "approved session"),
        ({"decision": Decision(approved=True, source=DecisionSource.GRANT)}, "approved"),
        ({"state": RequestState.REJECTED, "decision": Decision(approved=False)}, "rejected"),
        ({"state": RequestState.REJECTED, "decision": Decision(approved=False, hard=True)}, "stopped"),
        (
            {
                "state": RequestState.REJECTED,
                "decision": Decision(approved=False, hard=True, source=DecisionSource.CASCADE),
            },
            "stopped too",
        ),
        ({"state": RequestState.EXPIRED, "decision": None}, "expired"),
    ],
)
def test_the_decision_is_told_in_words(fields: dict[str, Any], words: str) -> None:
    assert outcome(record(**fields))[0] == words


def test_what_was_not_fully_shown_is_told_twice() -> None:
    unseen = record(decision=Decision(approved=True, by="anna", shown=0.54, deliberate=True))
    assert share(unseen) == "54%!"
    assert outcome(unseen, with_share=True)[0] == "approved 54%!"
    assert said(unseen) == ("approved with !, 54% of it had been shown",)


@pytest.mark.parametrize(
    ("decision", "who"),
    [
        (Decision(approved=True, by="ada"), "you"),
        (Decision(approved=True, by="anna"), "anna"),
        (Decision(approved=True, by="g2", source=DecisionSource.GRANT), "memory#2"),
        (Decision(approved=True, by="gone", source=DecisionSource.GRANT), "memory"),
        (Decision(approved=True, by="rule 7", source=DecisionSource.RULE), "rule"),
        (Decision(approved=True, by="approve_all", source=DecisionSource.MODE), "mode"),
        (Decision(approved=False, by="anna", source=DecisionSource.CASCADE), "cascade"),
        (None, "nobody"),
    ],
)
def test_who_decided_is_told_in_a_word(decision: Decision | None, who: str) -> None:
    assert Deciders("ada", {"g1": 1, "g2": 2}).who(record(decision=decision)) == who


def test_the_record_names_the_rule() -> None:
    by_rule = record(decision=Decision(approved=True, by="rule 7", source=DecisionSource.RULE))
    assert Deciders("ada").in_full(by_rule) == "rule: rule 7"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (38, "0:38"), (300, "5:00"), (7300, "2h01m")])
def test_the_time_that_an_answer_took_is_short(seconds: int, text: str) -> None:
    assert took_text(record(took_us=seconds * SECOND)) == text


def test_a_record_says_how_much_of_the_time_was_the_hold() -> None:
    held = record(took_us=13_300_000, decision=replace(YES, held_us=1_250_000))
    assert took_words(held) == "took 0:13: the key after 0:12, then held 1.2s"
    assert took_words(record(took_us=13_300_000)) == "took 0:13"
