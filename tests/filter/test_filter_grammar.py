"""Any text is a filter or an error at a place in it; and, or and not mean what they say."""

from __future__ import annotations

import pytest
from filter_samples import HOUR, VIEW, change, grant, kept, record, request, run, subject
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import (
    FIELDS,
    Filtered,
    FilterError,
    fields_of,
    of_record,
    parse,
    written,
)
from signoff.filter.fields import Form
from signoff.filter.grammar import All, AnyOf, Expression, Not, Operator, Pair, Text, Value
from signoff.filter.query import LONGEST_FILTER, parse_expression
from signoff.queue import Decision, DecisionSource, RequestState, Risk

PIECES = [
    *(f"{name}:" for name in FIELDS), "-", "(", ")", "|", " ", '"', ",", ">", ">=", "<", "<=", "=", "~", "..", "*",
    "high", "you", "5m", "100", "14:30", "today", "2026-11-20", "src/**", "[", "a", "A", "ß", "agnet:",
]  # fmt: skip
TEXTS = st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)

WORDS = st.text(st.sampled_from("abÄ*?[.<,=~-"), min_size=1, max_size=4).filter(lambda word: word[0] != "-")
BARE = st.text(st.sampled_from("abÄ*?[.:"), min_size=1, max_size=4)
QUOTED = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
VALUES = st.builds(Value, BARE) | st.builds(Value, QUOTED, st.just(True))
NAMES = st.sampled_from([field.name for field in fields_of(Filtered.HISTORY) if field.form is Form.NAME])
TEXT = st.builds(Text, st.builds(Value, WORDS) | st.builds(Value, QUOTED, st.just(True)))
PAIR = st.builds(
    Pair,
    NAMES,
    st.sampled_from([Operator.FITS, Operator.EQUAL, Operator.PATTERN]),
    st.lists(VALUES, min_size=1, max_size=3).map(tuple),
)
EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    TEXT | PAIR,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(All, st.lists(inner, min_size=2, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=8,
)

RECORDS = [
    record(),
    record(change("/work/src/a.py"), agent="Bob", group_id="rename", risk=Risk.HIGH),
    record(run("git push"), decision=Decision(approved=True, source=DecisionSource.GRANT), ago=2 * HOUR),
    record(state=RequestState.REJECTED, decision=Decision(approved=False, by="bob", note="use yarn")),
    record(state=RequestState.EXPIRED, decision=None, reason="the deadline passed"),
]
SAMPLES = {Filtered.INBOX: request(), Filtered.HISTORY: RECORDS[1], Filtered.MEMORY: grant()}
QUERIES = st.sampled_from(
    [
        "agent:bob", "risk:high", "by:memory,you", "age:>1h", "path:src/**", "cmd:push", "yarn", "is:closed",
        "since:1h", "-note:yarn", "(risk:low by:you)", "nothing", "decision:approved | is:expired", "shown:100",
        "batch:x",
    ]
)  # fmt: skip


def kept_of(text: str) -> set[int]:
    test = parse(text, Filtered.HISTORY).test(VIEW)
    return {place for place, each in enumerate(RECORDS) if test(of_record(each))}


@given(TEXTS, st.sampled_from(Filtered))
def test_any_text_is_a_filter_or_an_error_at_a_place_in_it(text: str, filtered: Filtered) -> None:
    try:
        query = parse(text, filtered)
    except FilterError as error:
        fault = error
    else:
        assert isinstance(query.test(VIEW)(subject(SAMPLES[filtered])), bool)
        return
    assert 0 <= fault.column <= len(text)
    assert fault.message
    assert fault.message.isprintable()


@given(EXPRESSIONS)
def test_what_is_written_is_read_as_the_same(expression: Expression) -> None:
    assert parse_expression(written(expression), Filtered.HISTORY) == expression


@given(TEXTS)
def test_what_was_read_is_written_as_the_same(text: str) -> None:
    try:
        expression = parse_expression(text, Filtered.INBOX)
    except FilterError:
        return
    if expression is not None:
        assert parse_expression(written(expression), Filtered.INBOX) == expression


@given(QUERIES)
def test_not_twice_changes_nothing(query: str) -> None:
    assert kept_of(f"-(-({query}))") == kept_of(query)


@given(QUERIES)
def test_not_keeps_exactly_the_others(query: str) -> None:
    assert kept_of(f"-({query})") == set(range(len(RECORDS))) - kept_of(query)


@given(QUERIES, QUERIES)
def test_or_keeps_what_either_keeps(one: str, other: str) -> None:
    assert kept_of(f"({one}) | ({other})") == kept_of(one) | kept_of(other)


@given(QUERIES, QUERIES)
def test_a_blank_keeps_what_both_keep(one: str, other: str) -> None:
    assert kept_of(f"({one}) ({other})") == kept_of(one) & kept_of(other)


def test_or_binds_weaker_than_a_blank() -> None:
    a, b, c, d = (Text(Value(word)) for word in "abcd")
    assert parse_expression("a b|c d", Filtered.HISTORY) == AnyOf((All((a, b)), All((c, d))))
    assert parse_expression("a (b|c) d", Filtered.HISTORY) == All((a, AnyOf((b, c)), d))


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
def test_an_empty_filter_keeps_everything(text: str) -> None:
    assert kept_of(text) == set(range(len(RECORDS)))


def test_a_doubled_quote_stands_for_one() -> None:
    assert kept('cmd:"say ""hi"""', record(run('say "hi"')))
    assert not kept('cmd:"say ""hi"""', record(run("say hi")))


def test_a_field_may_be_typed_in_any_case() -> None:
    assert parse("Agent:x", Filtered.HISTORY).expression == parse("agent:x", Filtered.HISTORY).expression


HISTORY_STATES = "seen part unseen closed expired gone redacted hidden changed"
ERRORS = {
    "agnet:x": (0, "'agnet' is not a field, did you mean agent?"),
    "risk:low agnet:x": (9, "'agnet' is not a field, did you mean agent?"),
    "http://x": (0, "'http' is not a field, put quotes around text that has a colon"),
    ":x": (0, "the name of a field is missing before the colon"),
    "agent:": (6, "agent needs a value: agent:refactor"),
    "agent:a,": (8, "agent needs a value: agent:refactor"),
    "a (b": (2, "this ( is never closed"),
    "a)": (1, "there is no ( that this ) closes"),
    ")": (0, "there is no ( that this ) closes"),
    "()": (1, "something to look for is missing here"),
    "a |": (3, "something to look for is missing here"),
    '"a': (0, "this quote is never closed"),
    '""': (0, "there is nothing between the quotes"),
    'a"b"': (1, 'put a blank before ", or quotes around text that has it'),
    "rm(x)": (2, "put a blank before (, or quotes around text that has it"),
    "-": (1, "- leaves out what stands directly behind it, and nothing does"),
    "--force": (1, 'one - leaves out; put quotes around text that begins with one: "--force"'),
    "risk:hihg": (5, "risk does not take 'hihg', did you mean high?"),
    "kind:zzz": (5, "kind does not take 'zzz', it takes diff new shell api text bin"),
    "shown:~3": (6, "~ does not go with shown: shown:<100"),
    "kind:>diff": (5, "> does not go with kind: kind:shell,api"),
    "age:5": (4, "'5' is no length of time; write 90s, 5m, 1h30m, 2d or 1m..5m"),
    "age:>1m,<5m": (8, "'<5m' is no length of time; write 90s, 5m, 1h30m, 2d or 1m..5m"),
    "shown:half": (6, "'half' is no number; write 200 or 50..90"),
    "took:5m..1m": (5, "the range '5m..1m' ends before it begins"),
    "took:>1m..5m": (6, "a range takes no >"),
    "since:25:00": (6, "'25:00' is no time; write 1h, 14:30, today, yesterday or 2026-11-20"),
    "on:2026-02-30": (3, "no calendar has the day '2026-02-30'"),
    "on:1h": (3, "on takes a day: today, yesterday or 2026-11-20"),
    "since:0001-01-01": (6, "'0001-01-01' is no day of the years 1970 to 9998"),
    "lines:>3": (0, "'lines' is known in the inbox, not in the history"),
    "is:late": (3, f"is:late is not known in the history; known here: {HISTORY_STATES}"),
    "a" * (LONGEST_FILTER + 1): (LONGEST_FILTER, "a filter has at most 2000 characters"),
    "(" * 41 + "a": (40, "at most 40 parentheses may stand inside one another"),
}


@pytest.mark.parametrize("text", ERRORS, ids=lambda text: text[:20])
def test_an_error_names_the_place_and_what_to_write(text: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text, Filtered.HISTORY)
    assert (caught.value.column, caught.value.message) == ERRORS[text]


def test_a_field_that_grants_lack_is_an_error_that_lists_what_they_have() -> None:
    with pytest.raises(
        FilterError, match="'took' is known in the inbox and the history, not in the memory; fields"
    ):
        parse("took:>5m", Filtered.MEMORY)


@pytest.mark.parametrize("filtered", Filtered)
def test_every_example_of_the_table_can_be_read(filtered: Filtered) -> None:
    for field in fields_of(filtered):
        parse(field.example, filtered)
