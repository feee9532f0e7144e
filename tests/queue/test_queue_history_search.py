"""The history is searched by words, in any combination with its filters, newest first."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from queue_samples import approve, call, reject

from signoff.queue import Decision, DecisionSource, HistoryFilter, RequestState
from signoff.queue.sql.history import LONGEST_SEARCHED, LONGEST_WORD, words_of

untimed = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
any_text = st.text(st.characters(codec=None, categories=None), min_size=1)

HOSTILE = [
    'x" OR "y',
    "x AND NOT y",
    "NEAR(x y)",
    "{words}: x",
    "^x",
    "x + y",
    "x) OR (y",
    "x'; DROP TABLE history; --",
    "a\0b",
    "\ud800lone",
    "x:*",
    "& | ! <-> x",
    "x:A",
    "\\x",
    "état*",
    "日本語",
    "\u202egnp",
    "search",
    "state:approved",
]


def recorded(agent, text, **fields):
    agent.record(
        call("k", description=text, **fields), Decision(approved=True, source=DecisionSource.RULE, by="r7")
    )


def found(review, text, **fields):
    return [line.description for line in review.history(HistoryFilter(text=text, **fields))]


@pytest.mark.parametrize(
    "fields",
    [
        {"description": "save the quarterly figures"},
        {"tool_name": "quarterly_report"},
        {"arguments": {"sheet": {"names": ["yearly", "Quarterly"]}}},
        {"arguments": {"quarterly": None}},
    ],
)
def test_a_word_is_found_wherever_a_call_has_it(agent, review, fields):
    posted = agent.submit(call("k1", **fields))
    approve(review, posted)
    approve(review, agent.submit(call("k2")))
    assert [line.request_id for line in review.history(HistoryFilter(text="quarterly "))] == [posted.id]


def test_words_of_the_agent_the_note_and_the_reason_are_found(open_agent, review):
    agent = open_agent("billing-bot", "s-9")
    noted, withdrawn = agent.submit(call("k1")), agent.submit(call("k2"))
    reject(review, noted, note="wait for the audit")
    agent.withdraw(withdrawn.id, "plans were revised")
    for text, request in (("audit", noted), ("revised", withdrawn), (noted.id[:9], noted)):
        assert [line.request_id for line in review.history(HistoryFilter(text=text))] == [request.id]
    assert len(review.history(HistoryFilter(text="billing"))) == 2


def test_all_words_must_be_there_in_any_order_and_case(agent, review):
    for text in ("red green", "green blue", "GREEN and RED"):
        recorded(agent, text)
    assert found(review, "Red GREEN ") == ["GREEN and RED", "red green"]
    assert found(review, "red blue") == []


def test_the_last_word_and_starred_words_find_what_begins_so(agent, review):
    for text in ("release pages", "relay pagers", "pages"):
        recorded(agent, text)
    assert found(review, "page") == ["pages", "relay pagers", "release pages"]
    assert found(review, "pages ") == ["pages", "release pages"]
    assert found(review, "rel* pages ") == ["release pages"]
    assert found(review, "rel pages ") == []


@pytest.mark.parametrize("length", range(1, 15))
def test_beginnings_of_every_length_are_found(agent, review, length):
    recorded(agent, "zoogeographical")
    assert found(review, "zoogeographical"[:length]) == ["zoogeographical"]


def test_accents_forms_and_scripts_are_told_apart_only_where_they_differ(agent, review):
    recorded(agent, "Straße ＦＵＬＬ Ünder")
    for text in ("STRASSE ", "full ", "ünder "):
        assert len(found(review, text)) == 1
    assert found(review, "under ") == []


def test_text_and_filters_combine(open_agent, review):
    one, two = open_agent("one", "s-1"), open_agent("two", "s-2")
    wanted = two.submit(call("k1", tool_name="run", description="deploy it"))
    reject(review, wanted)
    approve(review, two.submit(call("k2", tool_name="run", description="deploy it")))
    reject(review, one.submit(call("k3", tool_name="run", description="deploy it")))
    reject(review, two.submit(call("k4", tool_name="run", description="test it")))
    which = HistoryFilter(
        text="deploy",
        session="s-2",
        agent_name="two",
        tool_name="run",
        states=frozenset({RequestState.REJECTED}),
        decided_by="anna",
        since=1,
        until=2**57,
    )
    assert [line.request_id for line in review.history(which)] == [wanted.id]


@pytest.mark.parametrize("text", ["", "it"])
def test_several_states_are_merged_newest_first_and_paged(agent, review, text):
    ends = [approve, reject, None, reject, approve, None, reject]
    for number, end in enumerate(ends):
        posted = agent.submit(call(f"k{number}", description=f"do it {number}"))
        if end is None:
            agent.withdraw(posted.id, "no more")
        else:
            end(review, posted)
    which = HistoryFilter(text=text, states=frozenset({RequestState.REJECTED, RequestState.WITHDRAWN}))
    first = review.history(which, limit=3)
    second = review.history(which, limit=3, before=first[-1].seq)
    assert [line.seq for line in (*first, *second)] == [7, 6, 4, 3, 2]


def test_decisions_are_found_by_who_made_them(agent, open_review):
    anna, ben = open_review("anna"), open_review("ben")
    by_ben = agent.submit(call("k1"))
    approve(ben, by_ben)
    approve(anna, agent.submit(call("k2")))
    assert [line.request_id for line in anna.history(HistoryFilter(decided_by="ben"))] == [by_ben.id]


def test_times_bound_from_both_sides(agent, review):
    for text in "abc":
        recorded(agent, text)
    first, second, third = reversed(review.history())
    assert review.history(HistoryFilter(until=second.at, since=second.at)).count(second) == 1
    assert {line.seq for line in review.history(HistoryFilter(until=second.at))} >= {first.seq, second.seq}
    assert {line.seq for line in review.history(HistoryFilter(since=second.at))} >= {second.seq, third.seq}
    assert review.history(HistoryFilter(until=first.at - 1)) == ()


def test_a_search_without_a_word_asks_for_nothing(agent, review):
    recorded(agent, "x")
    assert found(review, "") == found(review, '"-* ') == ["x"]


def test_only_the_beginning_of_long_texts_is_searched(agent, review):
    filler = "y " * LONGEST_SEARCHED
    recorded(agent, f"early {filler} late", arguments={"first": "soon", "rest": filler, "last": "tardy"})
    assert len(found(review, "early ")) == len(found(review, "soon ")) == 1
    assert found(review, "late ") == found(review, "tardy ") == []


def test_long_words_are_compared_up_to_a_limit(agent, review):
    recorded(agent, "z" * (LONGEST_WORD + 5))
    assert len(found(review, "z" * (LONGEST_WORD + 9))) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_found_as_words_and_nothing_else(agent, review, text):
    recorded(agent, text)
    recorded(agent, "something of no concern")
    assert found(review, text) == [text]


def test_whatever_is_recorded_and_asked_is_found_by_its_words_only(agent, review):
    @untimed
    @given(any_text, any_text, st.booleans())
    def check(text, other, same):
        asked = text if same else other
        recorded(agent, text)
        (line,) = review.history(limit=1)
        hit = line in review.history(HistoryFilter(text=f"{asked.replace('*', ' ')} "), limit=1)
        there = {*words_of(text), *words_of("r7 refactor write_file path notes.txt content hello")}
        assert hit == (set(words_of(asked)) <= there)

    check()


@untimed
@given(any_text)
def test_words_hold_nothing_but_letters_and_digits(text):
    for word in words_of(text):
        assert word
        assert len(word) <= LONGEST_WORD
        word.encode()
        assert not set(word) & set("\0\"'*:&|!()<>\\ -_^+{}")


def test_everything_is_exported_oldest_first(agent, review, monkeypatch):
    monkeypatch.setattr("signoff.queue.sql.history._AT_ONCE", 3)
    for number in range(8):
        recorded(agent, f"number {number}")
    assert list(review.export()) == list(reversed(review.history()))
    assert [line.description for line in review.export(HistoryFilter(text="7"))] == ["number 7"]


def test_an_export_ends_with_what_was_there_when_it_began(agent, review):
    recorded(agent, "a")
    lines = review.export()
    assert next(lines).description == "a"
    recorded(agent, "b")
    assert list(lines) == []
