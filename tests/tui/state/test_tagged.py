"""Tags are on exact contents, fall by themselves, and an act on them covers no more than a group act would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import approved, ended, stored
from test_inbox_filter import Filtering
from test_session import Bench

from signoff.queue import Risk
from signoff_tui.guard import Act, Decide, OpenEditor, OpenSheet
from signoff_tui.state.inbox import RowKey


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.hears(stored("a"), stored("b", risk=Risk.HIGH), stored("c"), stored("d"))
    for id_ in "abc":
        bench.reads(id_)
    return bench


def tag(bench: Bench, ids: str) -> None:
    for id_ in ids:
        bench.desk.tags.toggle((bench.entry(id_),))


def tagged(bench: Bench) -> list[str]:
    return [ref.id for ref in bench.desk.tags.refs]


# -- tagging -------------------------------------------------------------------------------------------------


def test_a_second_time_untags(bench: Bench) -> None:
    tag(bench, "aca")
    assert tagged(bench) == ["c"]


def test_several_are_tagged_at_once_and_untagged_if_all_are(bench: Bench) -> None:
    entries = [bench.entry(id_) for id_ in "acd"]
    tag(bench, "c")
    assert bench.desk.tags.toggle(entries) is True
    assert sorted(tagged(bench)) == ["a", "c", "d"]
    assert bench.desk.tags.toggle(entries) is False
    assert tagged(bench) == []


def test_what_does_not_wait_cannot_be_tagged(bench: Bench) -> None:
    bench.hears(ended(bench.entry("a").request))
    assert bench.desk.tags.toggle((bench.entry("a"),)) is None
    assert tagged(bench) == []


@pytest.mark.parametrize("happens", ["ends", "is decided", "changes", "is sent"])
def test_a_tag_falls_when_its_request(bench: Bench, happens: str) -> None:
    tag(bench, "ac")
    request = bench.entry("a").request
    match happens:
        case "ends":
            bench.hears(ended(request))
        case "is decided":
            bench.hears(approved(request))
        case "changes":
            bench.hears(stored("a", revision=2))
        case "is sent":
            bench.entry("a").sent = True
    assert tagged(bench) == ["c"]


def test_a_tag_that_was_put_on_by_accident_is_undone(bench: Bench) -> None:
    tag(bench, "a")
    tag(bench, "c")
    bench.desk.tags.clear()
    bench.desk.tags.undo()
    assert tagged(bench) == ["a", "c"]
    bench.desk.tags.undo()
    assert tagged(bench) == ["a"]


# -- acting --------------------------------------------------------------------------------------------------


def test_capitals_are_about_what_is_tagged_and_small_letters_about_the_row(bench: Bench) -> None:
    tag(bench, "ac")
    bench.desk.inbox.move_to(RowKey("request", "d"))
    target = bench.desk.target()
    assert target is not None
    assert target.focus is not None
    assert (target.focus.id, target.group) == ("d", "tagged")
    assert {ref.id for ref in target.ready} == {"a", "c"}


def test_capitals_are_about_the_row_again_when_the_last_tag_falls(bench: Bench) -> None:
    tag(bench, "a")
    bench.hears(ended(bench.entry("a").request))
    target = bench.desk.target()
    assert target is not None
    assert target.group is None


def test_what_an_approval_leaves_out_stays_tagged(bench: Bench) -> None:
    tag(bench, "abd")
    verdict = bench.judges("Y")
    assert isinstance(verdict, OpenSheet)
    assert [ref.id for ref in verdict.offer.refs] == ["a"]
    bench.desk.tags.decided(verdict.offer.refs)
    assert tagged(bench) == ["b", "d"]


def test_one_key_approves_the_tagged_if_all_of_them_were_read(bench: Bench) -> None:
    tag(bench, "ac")
    held = bench.presses("Y")
    assert (held.permit.act, [ref.id for ref in held.refs]) == (Act.APPROVE_GROUP, ["a", "c"])


def test_a_decision_about_one_request_unties_its_tag_only(bench: Bench) -> None:
    tag(bench, "ac")
    assert [ref.id for ref in bench.presses("y").refs] == ["a"]
    assert tagged(bench) == ["c"]


def test_rejecting_the_tagged_covers_all_that_wait_and_nothing_else(bench: Bench) -> None:
    tag(bench, "bd")
    verdict = bench.judges("N")
    assert isinstance(verdict, OpenEditor)
    assert [ref.id for ref in verdict.offer.refs] == ["b", "d"]


requests = st.fixed_dictionaries(
    {
        "risk": st.sampled_from(list(Risk)),
        "read": st.booleans(),
        "later": st.booleans(),
        "tagged": st.booleans(),
        "hidden": st.booleans(),
        "ends": st.booleans(),
        "changes": st.booleans(),
    }
)


@given(st.lists(requests, min_size=1, max_size=5), st.just("Y"))
def test_an_act_on_the_tagged_covers_what_is_tagged_listed_read_and_not_high(
    drawn: list[dict[str, object]], key: str
) -> None:
    """UT-11 for tags, and the gate: each must have been shown on its own."""
    bench = Filtering()
    bench.hears(*(stored(f"r{at}", risk=each["risk"], agent=f"{each['hidden']}") for at, each in enumerate(drawn)))
    bench.hears(stored("under the cursor", agent="False"))
    bench.goes_to("under the cursor")
    for at, each in enumerate(drawn):
        entry = bench.entry(f"r{at}")
        if each["read"]:
            bench.reads(entry.id)
        if each["tagged"]:
            bench.desk.tags.toggle((entry,))
        entry.later = bool(each["later"])
        if each["changes"]:
            bench.hears(stored(entry.id, risk=entry.request.submission.risk, revision=2))
        if each["ends"]:
            bench.hears(ended(entry.request))
    bench.keeps("agent:False")
    acting = bool(bench.desk.tags)
    verdict = bench.judges(key)
    covered = verdict.permit.refs if isinstance(verdict, Decide) else getattr(verdict, "offer", None)
    refs = {ref.id for ref in (covered if isinstance(covered, tuple) else covered.refs if covered else ())}
    allowed = {
        f"r{at}"
        for at, each in enumerate(drawn)
        if each["tagged"] and each["read"] and each["risk"] is not Risk.HIGH
        if not (each["later"] or each["hidden"] or each["ends"] or each["changes"])
    }
    assert refs == (allowed if acting else set())
