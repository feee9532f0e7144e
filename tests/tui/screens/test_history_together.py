"""What one key decided or one cause ended is one row of the history; it opens to its members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import START, stored
from screen_bench import LARGE, SMALL, agent, command, post, screen, write

from signoff.filter import Found
from signoff.queue import Decision, DecisionSource, HistoryRecord, RequestState, ReviewQueue, open_review_queue
from signoff.queue.wording import CLOSED
from signoff.text.time import local_time
from signoff_tui.screens.history.data import sizes_of_acts
from signoff_tui.screens.history.details import member_lines
from signoff_tui.screens.history.listing import Listing, act_of, acts_in
from signoff_tui.screens.history.outcomes import Deciders
from signoff_tui.screens.history.rows import RecordRowStyle, item_row
from signoff_tui.text.look import UNICODE

SECOND = 1_000_000


def record(seq: int, act: int | None = None) -> HistoryRecord:
    """A record; those of one act have its time."""
    request = stored(f"r{seq}")
    at = START + (seq if act is None else 1_000 + act) * SECOND
    decision = Decision(approved=True, by="you", shown=1.0)
    return HistoryRecord.about(
        request.asked_by,
        request.submission,
        RequestState.APPROVED,
        seq=seq,
        at=at,
        decision=decision,
        request_id=request.id,
    )


def listing(acts: Sequence[int | None], *, oldest: int = 1) -> Listing:
    """A listing of records, newest first, of these acts; None stands for a decision about one."""
    made = Listing()
    made.show(Found(tuple(records(acts, oldest))))
    return made


def records(acts: Sequence[int | None], oldest: int = 1) -> Sequence[HistoryRecord]:
    newest = oldest + len(acts) - 1
    return [record(newest - index, act) for index, act in enumerate(acts)]


def rows(of: Listing) -> list[str]:
    """Each row: a record by its number, and what stands for several in brackets."""
    return [
        f"[{len(item.together.records)}/{item.size}]" if item.heads and item.together else str(item.record.seq)
        for item in of.items
    ]


RUNS = st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=8)
"""Lengths of acts, newest first, and whether they are acts about several at all."""


def acts_of_runs(runs: Sequence[tuple[int, bool]]) -> list[int | None]:
    return [act if several else None for act, (length, several) in enumerate(runs) for _ in range(length)]


# -- rows ----------------------------------------------------------------------------------------------------


def test_what_was_decided_together_is_one_row() -> None:
    assert rows(listing([None, 7, 7, 7, None])) == ["5", "[3/3]", "1"]


def test_it_opens_to_its_members_and_closes_again() -> None:
    here = listing([None, 7, 7, None])
    here.step(1)
    assert here.set_open(open_=True)
    assert rows(here) == ["4", "[2/2]", "3", "2", "1"]
    here.step(2)
    assert here.set_open(open_=False)
    assert rows(here) == ["4", "[2/2]", "1"]
    assert here.index == 1


def test_one_decision_about_one_request_has_nothing_to_open() -> None:
    here = listing([None, None])
    assert not here.set_open(open_=True)


def test_of_an_act_with_one_listed_record_the_record_is_listed() -> None:
    here = Listing()
    only = record(4, 7)
    act = act_of(only)
    assert act is not None
    here.show(Found((only,)))
    assert here.add_sizes({act: 9})
    assert not here.add_sizes({act: 9})
    assert rows(here) == ["4"]
    assert here.items[0].size == 9


def test_an_act_that_goes_on_in_older_records_becomes_one_row() -> None:
    here = Listing()
    all_of_it = records([7, 7, 7, None])
    here.show(Found(tuple(all_of_it[:2]), more=True))
    here.add_older(Found(tuple(all_of_it[2:])))
    assert rows(here) == ["[3/3]", "1"]


@pytest.mark.parametrize(
    "other",
    [
        {"at": START},
        {"request_id": None},
        {"decision": None},
        {"decision": Decision(approved=False, by="you", shown=1.0)},
        {"decision": Decision(approved=True, by="rule 7", source=DecisionSource.RULE)},
    ],
)
def test_what_differs_was_not_decided_together(other: dict[str, object]) -> None:
    first, second = records([7, 7])
    changed = replace(second, **other)  # type: ignore[arg-type]
    assert [len(members) for _, members in acts_in([first, changed])] == [1, 1]


@given(RUNS, st.lists(st.tuples(st.integers(-30, 30), st.booleans()), max_size=6))
def test_every_record_is_in_exactly_one_row_or_behind_one(
    runs: Sequence[tuple[int, bool]], moves: Sequence[tuple[int, bool]]
) -> None:
    here = listing(acts_of_runs(runs))
    for steps, open_ in moves:
        here.step(steps)
        before = here.current
        if not here.set_open(open_=open_):
            assert here.current is before
    found = [
        member.seq
        for item in here.items
        if not (item.heads and here.is_open(item))
        for member in (item.together.records if item.heads and item.together else (item.record,))
    ]
    assert found == [each.seq for each in here.records]


@given(RUNS, RUNS, st.integers(0, 30), st.booleans())
def test_news_leave_the_cursor_on_its_row(
    runs: Sequence[tuple[int, bool]], newer: Sequence[tuple[int, bool]], steps: int, open_: bool
) -> None:
    old = acts_of_runs(runs)
    here = listing(old)
    here.step(steps)
    here.set_open(open_=open_)
    before = here.item
    news = [act if act is None else act + 100 for act in acts_of_runs(newer)]
    here.add_newer(records(news, oldest=len(old) + 1))
    if before is not None:
        assert here.item == before


def drawn(of: Listing) -> list[str]:
    """The lines of the first row."""
    style = RecordRowStyle(UNICODE, START, Deciders("you"), {})
    lines = item_row(of.items[0], style, 70, focused=False, opened=False)
    return ["".join(piece.text.text for piece in (*line.left, *line.right)) for line in lines]


def rejection(of: HistoryRecord, decision: Decision) -> HistoryRecord:
    return replace(of, state=RequestState.REJECTED, decision=decision)


def test_a_stop_and_what_it_took_along_are_one_row_named_by_what_was_stopped() -> None:
    first, second, third = records([7, 7, 7])
    stopped = Decision(approved=False, by="you", hard=True, note="not now")
    took_along = Decision(
        approved=False, by="you", hard=True, source=DecisionSource.CASCADE, note="never looked at"
    )
    here = Listing()
    here.show(Found((rejection(first, took_along), rejection(second, took_along), rejection(third, stopped))))
    row, below = drawn(here)
    assert "{ Create r1" in row
    assert "stopped" in row
    assert below.strip() == "not now; 2 more of its turn"


def test_what_an_agent_left_behind_is_one_row_named_by_the_agent() -> None:
    here = Listing()
    left = [
        replace(each, state=RequestState.WITHDRAWN, decision=None, reason=CLOSED) for each in records([7, 7, 7])
    ]
    here.show(Found(tuple(left)))
    (row,) = drawn(here)
    assert "▸ refactor exited" in row
    assert "3 withdrawn" in row


# -- what is odd between records -------------------------------------------------------------------------------


def odd(seqs: Sequence[int], *, whole: bool = True) -> list[str]:
    here = Listing()
    here.show(Found(tuple(record(seq) for seq in seqs)), whole=whole)
    return [item.odd for item in here.items]


def test_records_that_are_not_there_are_told_where_they_should_be() -> None:
    assert odd([392, 388, 387, 385]) == [
        "-- 3 records missing between 388 and 392 --",
        "",
        "-- 1 record missing between 385 and 387 --",
        "",
    ]


def test_what_a_filter_leaves_out_is_not_missing() -> None:
    assert odd([392, 388], whole=False) == ["", ""]


def test_a_clock_that_was_set_back_is_told_and_the_order_stays() -> None:
    newer, older = record(5), replace(record(4), at=START + 3_600 * SECOND)
    here = Listing()
    here.show(Found((newer, older)))
    assert [item.record.seq for item in here.items] == [5, 4]
    assert here.items[0].odd == f"clock changed {local_time(newer.at, 'minute')}"


def test_what_is_odd_within_what_was_decided_together_is_told_open_or_closed() -> None:
    here = Listing()
    first, second = record(9, 7), record(7, 7)
    here.show(Found((first, second)), whole=True)
    assert [item.odd for item in here.items] == ["-- 1 record missing between 7 and 9 --"]
    here.set_open(open_=True)
    assert [bool(item.odd) for item in here.items] == [False, True, False]


def test_what_has_no_room_beside_the_list_is_counted() -> None:
    (item,) = listing([7] * 9).items
    assert item.together is not None
    for rows in range(12):
        lines = [
            "".join(piece.text.text for piece in each.left)
            for each in member_lines(item.together, RecordRowStyle(UNICODE, START, Deciders(), {}), rows)
        ]
        named = sum("Create" in each for each in lines)
        more = [each for each in lines if "more" in each]
        assert named + (int(more[0].split()[1]) if more else 0) == 9


# -- how many there are --------------------------------------------------------------------------------------


@pytest.fixture
def you(place: Path) -> ReviewQueue:
    return open_review_queue(place, reviewer="you")


def decided(you: ReviewQueue, place: Path, workdir: Path) -> None:
    """Five of a group, one of them a HIGH command, rejected with one key between two single decisions."""
    with agent(place, "docs", cwd=workdir) as docs:
        for name, group in (("before", None), ("", "save"), ("after", None)):
            decision = Decision(approved=False, note="not now", shown=1.0)
            asked = (
                [post(docs, write(workdir / f"{n}.txt", "x", group_id="save")) for n in range(4)]
                + [post(docs, command("rm -rf build", workdir, group_id="save"))]
                if group
                else [post(docs, command(f"ls {name}", workdir))]
            )
            targets = [(each.id, 1, each.submission.digest) for each in asked]
            assert all(verdict.accepted for verdict in you.decide_many(targets, decision))


def test_the_queue_knows_how_many_were_decided_together(you: ReviewQueue, place: Path, workdir: Path) -> None:
    decided(you, place, workdir)
    everything = you.history()
    assert sorted(sizes_of_acts(you, everything).values()) == [1, 1, 5]
    few = [each for each in everything if each.tool_name == "write_file"][:2]
    assert list(sizes_of_acts(you, few).values()) == [5]
    you.close()


# -- on the screen -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE, (50, 40)], ids=["small", "large", "narrow"])
async def test_a_group_is_one_row_that_opens_and_a_filter_counts_members(
    you: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    decided(you, place, workdir)
    you.close()
    async with screen(place, size=size) as seen:
        await seen.press("h")
        await seen.shows("ls after", "save", "ls before", "7 records: 0 approved, 7 rejected")
        assert "0.txt" not in seen.text
        assert "HIGH" in seen.line("▸ save")
        await seen.press("j", "right")
        await seen.shows("0.txt", "3.txt", "rm -rf build")
        assert len([line for line in seen.frame if "not now" in line[:30]]) == 3
        await seen.press("j", "j", "left")
        await seen.shows("▸ save")
        await seen.press("/")
        await seen.types("tool:write_file")
        await seen.press("enter")
        await seen.shows("4 of 5", "4 of 7")
        await seen.press("/")
        await seen.types("risk:high")
        await seen.press("enter")
        await seen.shows("1 of 7", "rm -rf build")


async def test_what_stands_beside_a_group_names_its_members(you: ReviewQueue, place: Path, workdir: Path) -> None:
    decided(you, place, workdir)
    you.close()
    async with screen(place, size=LARGE) as seen:
        await seen.press("h")
        await seen.shows("5 calls")
        await seen.press("j")
        await seen.shows("rejected by you at", "told the agent   not now", "1 HIGH", "  $ rm -rf build")
        await seen.press("enter")
        await seen.shows("▾ save", "A 0.txt")
        await seen.press("j", "i")
        await seen.shows("record           #2")
