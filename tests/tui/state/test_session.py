"""The state behind the screen, at fake times and without widgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from model_samples import approved, ended, news, stored

from signoff.present.document.diff import diff_document
from signoff.present.document.text import text_document
from signoff.queue import DecideResult, Decision, Risk, StoredRequest, VerdictKind
from signoff_tui.guard import Act, Cause, Decide, GuardSettings, Held, LeftOut, Omission, Ref
from signoff_tui.guard import Verdict as Judgement
from signoff_tui.input.keymap import KeyMap
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.documents import Content, content_key
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.session import ReviewSession, next_unseen
from signoff_tui.text.summary import already_ended_text

WIDTH = 80
GROUP = {"group_id": "save", "session": "s-1"}
GROUP_ROW = RowKey("group", "s-1\x1fsave")


@dataclass
class Bench:
    """A desk at fake times, with somebody who reads and decides."""

    now: float = 100.0
    desk: ReviewSession = field(init=False)

    def __post_init__(self) -> None:
        self.desk = ReviewSession(GuardSettings(), KeyMap(), lambda: self.now, "you")

    def hears(self, *requests: StoredRequest) -> tuple[Held[HeldAnswer], ...]:
        return self.desk.apply(news(*requests))

    def entry(self, id_: str) -> Entry:
        return self.desk.inbox.entry(id_)

    def opens(self, id_: str, lines: int = 2, *, complete: bool = True, scanned: bool = True) -> None:
        """The documents of a request are made."""
        key = content_key(self.entry(id_).request)
        documents = (text_document("".join(f"line {line}\n" for line in range(lines))),)
        self.desk.take_content(Content(key, documents, lines, 0, 0, complete, (), scanned))

    def paints(self, id_: str, *units: int) -> None:
        """Lines of a request are on the screen."""
        parts = [PaintedRow(unit, 0, 1, 1) for unit in units]
        self.desk.coverages.painted(content_key(self.entry(id_).request), parts, WIDTH)

    def reads(self, id_: str, lines: int = 2, **options: Any) -> None:
        """A request is opened and shown in full."""
        self.opens(id_, lines, **options)
        self.paints(id_, *range(lines))
        self.waits(1.0)
        self.desk.coverages.settle()

    def waits(self, seconds: float) -> None:
        self.now += seconds

    def judges(self, key: str) -> Judgement:
        """A decision key is pressed on what the target line names, long after it was painted."""
        guard = self.desk.guard
        guard.show(self.desk.target(), Cause.MOVED)
        if guard.pending is not None:
            guard.painted(guard.pending, self.now)
        self.waits(5.0)
        return guard.press(key, self.now).verdict

    def presses(self, key: str) -> Held[HeldAnswer]:
        """A decision key is pressed, and decides."""
        verdict = self.judges(key)
        assert isinstance(verdict, Decide), verdict
        return self.desk.hold(verdict.permit)


def bench(*requests: StoredRequest) -> Bench:
    made = Bench()
    made.hears(*requests)
    return made


def ref(request: StoredRequest) -> Ref:
    return Ref(request.id, request.revision, request.submission.digest)


# -- what was shown ------------------------------------------------------------------------------------------


def test_nothing_of_a_request_was_shown_before_it_is_opened() -> None:
    made = bench(stored("a"))
    assert (made.desk.coverage(made.entry("a")), made.desk.share(made.entry("a"))) == (None, 0.0)


def test_the_share_grows_with_what_is_painted() -> None:
    made = bench(stored("a"))
    made.opens("a", lines=4)
    made.paints("a", 0)
    made.waits(1.0)
    made.desk.coverages.settle()
    assert made.desk.share(made.entry("a")) == 0.25


def test_what_was_not_searched_for_hidden_characters_is_not_all_shown_yet() -> None:
    made = bench(stored("a"))
    made.reads("a", scanned=False)
    assert made.desk.share(made.entry("a")) < 1.0
    made.opens("a", scanned=True)
    assert made.desk.share(made.entry("a")) == 1.0


def test_only_one_content_is_on_the_screen() -> None:
    made = bench(stored("a"), stored("b"))
    made.opens("a")
    made.opens("b")
    made.paints("a", 0, 1)
    made.paints("b", 0, 1)
    made.waits(1.0)
    made.desk.coverages.settle()
    assert [made.desk.share(made.entry(id_)) for id_ in ("a", "b")] == [0.0, 1.0]


def test_what_is_covered_is_not_on_the_screen() -> None:
    made = bench(stored("a"))
    made.opens("a")
    made.paints("a", 0, 1)
    made.desk.coverages.covered()
    made.waits(1.0)
    made.desk.coverages.settle()
    assert made.desk.share(made.entry("a")) == 0.0


def test_painting_the_same_content_after_it_was_covered_is_news() -> None:
    made = bench(stored("a"))
    made.opens("a")
    made.paints("a", 0, 1)
    made.desk.coverages.covered()
    assert made.desk.coverages.painted(content_key(made.entry("a").request), [PaintedRow(0, 0, 1, 1)], WIDTH)


def test_another_content_starts_at_zero() -> None:
    made = bench(stored("a"))
    made.reads("a")
    made.hears(stored("a", revision=2))
    assert made.desk.share(made.entry("a")) == 0.0


def test_content_that_cannot_be_shown_in_full_never_counts_as_shown() -> None:
    made = bench(stored("a"))
    made.reads("a", complete=False)
    assert made.desk.share(made.entry("a")) < 1


def test_what_was_shown_is_remembered_when_the_documents_are_forgotten() -> None:
    made = bench(*(stored(f"r{number}", seq=number) for number in range(1, 500)))
    made.reads("r1")
    for number in range(2, 500):
        made.opens(f"r{number}")
    assert made.desk.content(made.entry("r1")) is None
    assert made.desk.share(made.entry("r1")) == 1.0


def test_what_ended_is_forgotten_when_it_folds_away() -> None:
    made = bench(stored("a"), stored("b"))
    made.reads("a")
    before = made.entry("a")
    made.hears(ended(before.request))
    made.desk.inbox.move(1)
    made.desk.fold()
    assert "a" not in made.desk.inbox
    assert made.desk.coverage(before) is None


# -- what the guard is told ----------------------------------------------------------------------------------


def test_the_guard_is_told_exactly_what_is_on_the_row() -> None:
    made = bench(stored("a", revision=3, risk=Risk.HIGH))
    made.reads("a")
    facts = made.desk.facts("a")
    assert facts is not None
    assert (facts.ref, facts.risk, facts.coverage, facts.closed) == (ref(made.entry("a").request), "HIGH", 1.0, "")


def test_what_ended_or_was_sent_is_closed() -> None:
    made = bench(stored("a"), stored("b"))
    made.hears(approved(made.entry("a").request, by="anna"))
    made.entry("b").sent = True
    facts = [made.desk.facts(id_) for id_ in ("a", "b")]
    assert [fact and fact.closed for fact in facts] == [
        already_ended_text(made.entry("a").request),
        "sent, the queue has not answered yet",
    ]


def test_a_request_that_is_not_there_has_no_facts() -> None:
    assert bench(stored("a")).desk.facts("b") is None


def test_only_what_was_fully_shown_is_ready_in_a_group() -> None:
    made = bench(*(stored(id_, **GROUP) for id_ in "abc"), stored("d", risk=Risk.HIGH, **GROUP))
    made.reads("a")
    made.reads("d")
    made.opens("b", lines=4)
    made.paints("b", 0)
    made.waits(1.0)
    made.desk.coverages.settle()
    members = made.desk.eligibility(made.desk.inbox.group(GROUP_ROW).members)
    assert [ref.id for ref in members.ready] == ["a"]
    assert [(item.ref.id, item.reason, item.coverage) for item in members.left_out] == [
        ("b", Omission.UNSEEN, 0.25),
        ("c", Omission.UNSEEN, 0.0),
        ("d", Omission.HIGH, 1.0),
    ]


def test_a_member_whose_decision_is_held_is_left_out() -> None:
    made = bench(stored("a", **GROUP), stored("b", **GROUP))
    made.reads("a")
    made.desk.inbox.move_to(RowKey("request", "a"))
    held = ref(made.entry("a").request)
    made.presses("y")
    members = made.desk.eligibility(made.desk.inbox.group(GROUP_ROW).members)
    assert (members.ready, LeftOut(held, Omission.CLOSED, 1.0) in members.left_out) == ((), True)


# -- deciding ------------------------------------------------------------------------------------------------


def test_an_approval_says_how_much_was_shown() -> None:
    made = bench(stored("a"))
    made.reads("a")
    decision = made.presses("y").payload.decision
    assert decision == Decision(approved=True, by="you", shown=1.0)


def test_a_held_request_does_not_wait_until_it_is_taken_back() -> None:
    made = bench(stored("a"))
    made.reads("a")
    held = made.presses("y")
    assert not made.entry("a").waiting
    made.desk.guard.holds.take_back_last()
    made.desk.take_back([held])
    assert made.entry("a").waiting


def test_a_decision_on_its_way_is_awaited() -> None:
    made = bench(stored("a"))
    made.reads("a")
    made.desk.sending(made.presses("y"))
    assert (made.entry("a").held, made.entry("a").sent, made.entry("a").waiting) == (False, True, False)


@pytest.mark.parametrize(("kind", "waits"), [(VerdictKind.CHANGED, True), (VerdictKind.ACCEPTED, False)])
def test_a_refused_decision_leaves_the_request_waiting(kind: VerdictKind, waits: bool) -> None:
    made = bench(stored("a"))
    made.reads("a")
    made.desk.sending(made.presses("y"))
    verdict = DecideResult(kind, "a", "it changed", None)
    assert made.desk.answered([verdict]) == ((verdict,) if waits else ())
    assert made.entry("a").waiting is waits


def test_a_held_decision_about_a_content_that_is_no_more_is_taken_back() -> None:
    made = bench(stored("a"))
    made.reads("a")
    held = made.presses("y")
    assert made.hears(stored("a", revision=2)) == (held,)
    assert len(made.desk.guard.holds) == 0


def test_a_held_group_goes_on_when_one_of_its_members_changed() -> None:
    made = bench(stored("a", **GROUP), stored("b", **GROUP))
    made.reads("a")
    made.reads("b")
    assert made.presses("Y").permit.act is Act.APPROVE_GROUP
    assert made.hears(stored("a", revision=2, **GROUP)) == ()
    assert len(made.desk.guard.holds) == 1


def test_a_changed_request_says_so() -> None:
    made = bench(stored("a"))
    made.hears(stored("a", revision=2))
    assert made.entry("a").note == "changed: read again"


# -- stopping and putting aside ------------------------------------------------------------------------------


def test_putting_a_group_aside_puts_all_that_wait_aside() -> None:
    made = bench(stored("a", **GROUP), stored("b", **GROUP))
    made.desk.inbox.set_later(["a"], later=True)
    made.desk.inbox.move_to(GROUP_ROW)
    assert [made.desk.later.toggle(), made.entry("a").later, made.entry("b").later] == [True, True, True]
    assert [made.desk.later.toggle(), made.entry("a").later, made.entry("b").later] == [False, False, False]


def test_putting_aside_can_be_undone() -> None:
    made = bench(stored("a", **GROUP), stored("b", **GROUP))
    made.desk.inbox.set_later(["a"], later=True)
    made.desk.inbox.move_to(GROUP_ROW)
    made.desk.later.toggle()
    made.desk.later.undo()
    assert (made.entry("a").later, made.entry("b").later) == (True, False)


def test_what_ended_cannot_be_put_aside() -> None:
    made = bench(stored("a"))
    made.hears(ended(made.entry("a").request))
    assert made.desk.later.toggle() is None


# -- what to read next ---------------------------------------------------------------------------------------


def read_next(made: Bench, at: str) -> str | None:
    made.desk.inbox.move_to(RowKey("request", at))
    key = next_unseen(made.desk)
    return None if key is None else key.id


def test_the_next_unseen_request_is_the_next_below() -> None:
    made = bench(stored("a"), stored("b"), stored("c"))
    made.reads("b")
    assert read_next(made, "a") == "c"


def test_the_group_is_read_to_its_end_first() -> None:
    made = bench(stored("o"), *(stored(id_, **GROUP) for id_ in "abc"), stored("z"))
    made.reads("c")
    assert read_next(made, "b") == "a"


def test_after_the_last_row_reading_goes_on_at_the_top() -> None:
    assert read_next(bench(stored("a"), stored("b")), "b") == "a"


def test_members_of_a_closed_group_are_found() -> None:
    made = bench(stored("a"), stored("b", **GROUP))
    made.desk.inbox.set_open(GROUP_ROW, open_=False)
    assert read_next(made, "a") == "b"


def test_what_ended_or_was_put_aside_is_not_read_next() -> None:
    made = bench(stored("a"), stored("b"), stored("c"))
    made.reads("a")
    made.hears(ended(made.entry("b").request))
    made.desk.inbox.set_later(["c"], later=True)
    assert read_next(made, "a") is None


def test_what_cannot_be_shown_is_not_looked_for_again() -> None:
    made = bench(stored("a"))
    made.reads("a", complete=False)
    assert read_next(made, "a") is None


# -- what the reviewer makes of it ---------------------------------------------------------------------------


def opens_hunks(made: Bench, id_: str, path: str = "/work/a.txt") -> None:
    """The request would change two places of a file."""
    old = "".join(f"line {number}\n" for number in range(40))
    new = old.replace("line 3\n", "THREE\n").replace("line 30\n", "THIRTY\n")
    document = diff_document(old.encode(), new.encode(), path)
    key = content_key(made.entry(id_).request)
    made.desk.take_content(Content(key, (document,), document.units, 2, 2, True, (), True))


def choosable(id_: str, **fields: Any) -> StoredRequest:
    return stored(id_, supports=frozenset({"partial"}), **fields)


def test_to_undo_what_typing_refused_of_an_earlier_revision_waives_nothing_of_this_one() -> None:
    made = bench(choosable("a"))
    opens_hunks(made, "a")
    made.desk.changes.toggle_hunks(made.entry("a"), {0})
    made.desk.changes.toggle_hunks(made.entry("a"), {1})
    made.hears(choosable("a", revision=2))
    opens_hunks(made, "a")
    made.desk.changes.undo_toggle()
    coverage = made.desk.coverage(made.entry("a"))
    assert coverage is not None
    assert (coverage.waived, made.desk.changes.of(made.entry("a"))) == (frozenset(), None)


def test_to_undo_a_key_that_did_nothing_undoes_nothing_that_was_meant() -> None:
    made = bench(choosable("a"))
    opens_hunks(made, "a")
    change = made.desk.changes.toggle_hunks(made.entry("a"), {0})
    made.desk.changes.toggled_nothing()
    made.desk.changes.undo_toggle()
    assert made.desk.changes.of(made.entry("a")) is change


def test_to_undo_a_key_that_put_nothing_aside_takes_nothing_back() -> None:
    made = bench(stored("a"), stored("b"))
    made.desk.inbox.move_to(RowKey("request", "a"))
    made.desk.later.toggle()
    made.hears(ended(made.entry("b").request))
    made.desk.inbox.move_to(RowKey("request", "b"))
    assert made.desk.later.toggle() is None
    made.desk.later.undo()
    assert made.entry("a").later


def test_hunks_of_a_file_with_the_longest_name_can_be_refused() -> None:
    made = bench(choosable("a"))
    opens_hunks(made, "a", f"/{'x/' * 2046}a")
    change = made.desk.changes.toggle_hunks(made.entry("a"), {0})
    assert change is not None
    assert change.instead is not None
    assert change.instead.refused[0].endswith("/x/a line 4")
