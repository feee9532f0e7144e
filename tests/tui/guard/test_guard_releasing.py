"""The keys of the allow sheet: each releases what the sheet lists for it, and all are as hard to press."""

from __future__ import annotations

import pytest
from guard_bench import MOMENT, Bench, permit_of, reason
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.guard import (
    Act,
    Decide,
    OpenSheet,
    PermitError,
    Reason,
    Ref,
    TargetFacts,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def sheet(bench: Bench, *listed: str) -> tuple[Ref, ...]:
    """The sheet of the first request: 1 allows it, 2 releases others that are listed, too."""
    refs = tuple(bench.request(id_, coverage=0.0) for id_ in listed)
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(releases={"1": (), "2": refs})
    bench.paint()
    return refs


def test_the_larger_key_names_the_request_first_and_then_what_is_listed(bench: Bench) -> None:
    listed = sheet(bench, "b", "c")
    permit = permit_of(bench.press("2", bench.now + 1))

    assert (permit.act, permit.refs) == (Act.RELEASE, (bench.known["a"].ref, *listed))
    assert permit.act.approves


def test_it_is_held_as_long_as_a_decision_about_many(bench: Bench) -> None:
    sheet(bench, "b")


def test_what_was_shown_is_what_was_shown_of_the_request_that_is_remembered(bench: Bench) -> None:
    sheet(bench, "b")

    assert permit_of(bench.press("2", bench.now + 1)).shown == 1.0


def test_the_smaller_key_releases_nothing(bench: Bench) -> None:
    sheet(bench, "b", "c")
    permit = permit_of(bench.press("1", bench.now + 1))

    assert (permit.act, permit.refs) == (Act.REMEMBER, (bench.known["a"].ref,))


def test_the_larger_key_is_nothing_where_it_is_not_offered(bench: Bench) -> None:
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(releases={"1": ()})
    bench.paint()

    assert reason(bench.press("2", bench.now + 1)) is Reason.SHEET
    assert bench.sent() == []


def test_it_takes_400_ms_from_the_paint(bench: Bench) -> None:
    sheet(bench, "b")

    assert reason(bench.press("2", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("2", bench.now + 0.2)


def test_an_unpainted_sheet_releases_nothing(bench: Bench) -> None:
    refs = (bench.request("b"),)
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(releases={"1": (), "2": refs})

    assert reason(bench.press("2", bench.now + 5)) is Reason.CATCHING_UP


@pytest.mark.parametrize("key", ["1", "2"])
def test_a_held_key_decides_at_its_first_press_and_never_the_larger_act_by_the_smaller(
    bench: Bench, key: str
) -> None:
    sheet(bench, "b", "c")
    bench.pass_time(1)
    reactions = [bench.press(key)]
    for _ in range(30):
        bench.pass_time(0.035)
        reactions.append(bench.press(key))
    acts = [reaction.verdict.permit.act for reaction in reactions if isinstance(reaction.verdict, Decide)]

    assert acts == [Act.REMEMBER if key == "1" else Act.RELEASE]


@pytest.mark.parametrize("words", ["sorry 2 You", "yes 12 please", "SQL: 2 SELECT"])
def test_typing_into_an_open_sheet_releases_nothing(bench: Bench, words: str) -> None:
    sheet(bench, "b", "c")
    bench.pass_time(1)
    bench.press_all(words, 0.08)

    assert bench.sent() == []


def test_a_paste_releases_nothing(bench: Bench) -> None:
    sheet(bench, "b")
    bench.guard.paste(bench.now + 1)

    assert bench.sent() == []


def test_nothing_is_released_when_the_request_itself_ended(bench: Bench) -> None:
    sheet(bench, "b")
    bench.alter("a", closed="withdrawn")

    assert reason(bench.press("2", bench.now + 1)) is Reason.ENDED


def test_with_nothing_left_to_release_the_request_is_still_remembered(bench: Bench) -> None:
    sheet(bench, "b")
    bench.alter("b", closed="expired")

    assert permit_of(bench.press("2", bench.now + 1)).refs == (bench.known["a"].ref,)


def test_undo_takes_all_of_it_back(bench: Bench) -> None:
    sheet(bench, "b", "c")
    bench.press("2", bench.now + 1)
    held = bench.guard.holds.take_back_last()

    assert held is not None
    assert [ref.id for ref in held.refs] == ["a", "b", "c"]
    assert bench.sent() == []


def test_what_is_held_cannot_be_released_by_another(bench: Bench) -> None:
    bench.armed("b")
    bench.press("y")
    bench.pass_time(0.5)
    sheet(bench, "b", "c")
    permit = permit_of(bench.press("2", bench.now + 0.5))

    assert [ref.id for ref in permit.refs] == ["a", "c"]


def test_the_sheet_of_a_group_releases_nothing(bench: Bench) -> None:
    bench.armed("a", group="g")
    bench.show_group()
    bench.paint()
    bench.pass_time(10)
    bench.press("s")

    with pytest.raises(PermitError):
        bench.guard.sheet_opened(releases={"1": (bench.request("b"),)})


def test_a_stop_releases_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.show_agent("agent", "a")
    bench.paint()
    bench.press("x", bench.now + 10)

    with pytest.raises(PermitError):
        bench.guard.sheet_opened(releases={"1": (bench.request("b"),)})


def test_a_sheet_releases_no_request_that_it_approves(bench: Bench) -> None:
    bench.armed("a")
    bench.press("s")

    with pytest.raises(PermitError):
        bench.guard.sheet_opened(releases={"1": (bench.known["a"].ref,)})


facts = st.builds(
    TargetFacts,
    st.builds(Ref, st.sampled_from("bcdefgh"), st.integers(1, 3)),
    st.sampled_from(["low", "med", "HIGH", "?"]),
    st.sampled_from([0.0, 0.5, 1.0, float("nan")]),
    st.sampled_from(["", "", "expired"]),
    st.booleans(),
)
others = st.lists(facts, unique_by=lambda member: member.ref.id, max_size=7)


@given(listed=others, now=others, key=st.sampled_from("12"), wait=st.sampled_from([0.0, 0.39, 0.41, 1.0]))
def test_only_what_was_listed_and_still_waits_is_released(
    listed: list[TargetFacts], now: list[TargetFacts], key: str, wait: float
) -> None:
    bench = Bench()
    bench.armed("a")
    verdict = bench.press("s").verdict
    assert isinstance(verdict, OpenSheet)
    bench.guard.sheet_opened(releases={"1": (), "2": tuple(member.ref for member in listed)})
    bench.paint()
    bench.known = {"a": bench.known["a"]} | {member.ref.id: member for member in now}
    reaction = bench.press(key, bench.now + wait)

    covered = set(permit_of(reaction).refs) if isinstance(reaction.verdict, Decide) else set()
    released = {
        member.ref
        for member in now
        if member.ref in {there.ref for there in listed}
        and member.risk in ("low", "med")
        and not member.closed
        and not member.later
    }
    if wait < 0.4:
        assert covered == set()
    else:
        assert covered == {bench.known["a"].ref} | (released if key == "2" else set())
