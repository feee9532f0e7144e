"""What a filter can ask of a row follows what happens to the row."""

from __future__ import annotations

import pytest
from model_samples import approved, news, stored
from test_session import GROUP, Bench

from signoff.filter import Filtered, Viewpoint, parse
from signoff_tui.state.inbox_filter import InboxSubjects

WORDS = ["waiting", "later", "held", "tagged", "late", "seen", "part", "unseen", "closed"]


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.hears(stored("one"), stored("two"))
    return bench


def states(bench: Bench, id_: str, subjects: InboxSubjects | None = None, **known: set[str]) -> list[str]:
    subject = (subjects or InboxSubjects(bench.desk)).subject(bench.entry(id_), **known)
    view = Viewpoint(0)
    return [word for word in WORDS if parse(f"is:{word}", Filtered.INBOX).matches(subject, view)]


def test_a_row_that_was_never_opened_is_unseen(bench: Bench) -> None:
    assert states(bench, "one") == ["waiting", "unseen"]


def test_what_was_painted_counts(bench: Bench) -> None:
    bench.opens("one", 4)
    bench.paints("one", 0, 1)
    bench.waits(1.0)
    bench.desk.coverages.settle()
    assert states(bench, "one") == ["waiting", "part"]
    bench.reads("two")
    assert states(bench, "two") == ["waiting", "seen"]


def test_lines_are_known_once_it_was_opened(bench: Bench) -> None:
    subjects = InboxSubjects(bench.desk)
    assert subjects.subject(bench.entry("one")).lines is None
    bench.opens("one", 4)
    assert subjects.subject(bench.entry("one")).lines == 4


def test_what_the_person_did_with_a_row_counts(bench: Bench) -> None:
    bench.entry("one").later = True
    bench.entry("two").held = True
    assert states(bench, "one") == ["waiting", "later", "unseen"]
    assert states(bench, "two", tagged={"two"}) == ["held", "tagged", "unseen"]


def test_who_joins_a_group_that_was_looked_at_is_late_until_it_is_looked_at_too() -> None:
    bench = Bench()
    bench.hears(stored("one", **GROUP))
    bench.hears(stored("early", **GROUP))
    bench.reads("one")
    bench.hears(stored("new", **GROUP))
    assert "late" not in states(bench, "early")
    assert "late" in states(bench, "new")
    bench.reads("new")
    assert "late" not in states(bench, "new")


def test_who_joins_a_group_that_fills_as_announced_is_not_late() -> None:
    bench = Bench()
    bench.hears(stored("one", group_size=2, **GROUP))
    bench.reads("one")
    bench.hears(stored("two", group_size=2, **GROUP))
    assert "late" not in states(bench, "two")


def test_how_much_another_reviewer_was_shown_counts_for_what_was_never_opened_here(bench: Bench) -> None:
    bench.desk.apply(news(approved(bench.entry("one").request)))
    subject = InboxSubjects(bench.desk).subject(bench.entry("one"))
    decision = bench.entry("one").request.decision
    assert decision is not None
    assert subject.shown == (None if decision.shown is None else int(decision.shown * 100))


def test_a_call_is_taken_apart_once_for_each_revision(bench: Bench) -> None:
    subjects = InboxSubjects(bench.desk)
    first = subjects.subject(bench.entry("one")).call
    bench.entry("one").later = True
    assert subjects.subject(bench.entry("one")).call is first
    bench.hears(stored("one", revision=2))
    assert subjects.subject(bench.entry("one")).call is not first


def test_what_left_the_inbox_is_forgotten(bench: Bench) -> None:
    subjects = InboxSubjects(bench.desk)
    entry = bench.entry("one")
    first = subjects.subject(entry).call
    bench.desk.apply(news(approved(entry.request)))
    bench.desk.inbox.move(1)
    bench.desk.fold()
    subjects.forget_the_gone()
    assert subjects.subject(entry).call is not first
