"""What is offered while a filter is typed."""

from __future__ import annotations

import pytest
from filter_samples import VIEW, change, grant, record, subject
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import (
    FIELDS,
    Filtered,
    complete,
    existing_values,
    field_at,
    of_record,
    parse,
)
from signoff.present.reveal.escape import typeable

VALUES = {"agent": ["refactor", "docs-bot", "Report", "two words", "a*b", 'say "hi"', "=x", "a,b"]}


def offered(text: str, cursor: int | None = None, filtered: Filtered = Filtered.INBOX) -> list[str]:
    done = complete(text, len(text) if cursor is None else cursor, filtered, VALUES)
    return [candidate.text for candidate in done.candidates]


def test_fields_come_first_in_the_order_of_the_table() -> None:
    assert offered("") == [f"{name}:" for name in FIELDS]
    assert offered("risk:high a") == ["agent:", "age:"]
    assert offered("-(S") == ["since:", "session:", "scope:", "shown:"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("path:", "path"), ("risk:high -path:a,b", "path"), ("path", None), ("path:a b", None), ("agnet:a", None)],
)
def test_the_field_whose_value_is_typed_is_known(text: str, name: str | None) -> None:
    found = field_at(text, len(text), Filtered.INBOX)
    assert (None if found is None else found.name) == name


def test_only_fields_that_are_known_there_are_offered() -> None:
    assert offered("s", filtered=Filtered.MEMORY) == ["since:", "session:"]
    assert offered("took:", filtered=Filtered.MEMORY) == []


def test_words_of_a_field_come_before_values_that_exist() -> None:
    assert offered("risk:") == ["low", "med", "high"]
    assert offered("risk:>=m") == ["med"]
    done = complete("by:", 3, Filtered.HISTORY, {"by": ["anna", "rule"]})
    assert [candidate.text for candidate in done.candidates][-3:] == ["nobody", "anna", '"rule"']


def test_only_words_that_are_known_there_are_offered() -> None:
    assert "tagged" in offered("is:")
    assert "tagged" not in offered("is:", filtered=Filtered.HISTORY)


def test_values_that_exist_are_offered_as_they_must_be_typed() -> None:
    assert offered("agent:re") == ["refactor", "Report"]
    assert offered("agent:docs-bot,re") == ["refactor", "Report"]
    assert offered("agent:t") == ['"two words"']
    assert offered("agent:a") == ['"a*b"', '"a,b"']
    assert offered("agent:=a") == ["a*b", '"a,b"']
    assert offered("agent:s") == ['"say ""hi"""']


def test_times_are_offered() -> None:
    assert offered("since:") == ["1h", "today", "yesterday"]
    assert offered("on:t") == ["today"]


def test_an_example_is_offered_for_a_length_and_a_number() -> None:
    assert offered("age:") == [">5m"]
    assert offered("lines:") == [">=200"]
    assert offered("age:>") == []


def test_the_names_of_files_are_offered() -> None:
    one = of_record(record(change("/work/app/src/pricing.py")))
    done = complete("path:pri", 8, Filtered.HISTORY, existing_values([one]))
    assert [candidate.text for candidate in done.candidates] == ["pricing.py"]


@pytest.mark.parametrize("text", ["agnet:r", "agent:~r", '"age', 'agent:"re', "shown:>=r", "kind:~d"])
def test_nothing_is_offered_where_nothing_is_known(text: str) -> None:
    assert offered(text) == []


@pytest.mark.parametrize(
    ("text", "cursor", "result"),
    [
        ("risk:high ag", 12, ("risk:high agent:", 16)),
        ("ag|risk:high", 2, ("agent:|risk:high", 6)),
        ("agxx:refactor", 2, ("agent:refactor", 6)),
        ("agent:rexx,docs-bot tool:x", 8, ("agent:refactor,docs-bot tool:x", 14)),
        ("(-agent:re)", 10, ("(-agent:refactor)", 16)),
    ],
)
def test_the_whole_word_under_the_cursor_is_replaced(text: str, cursor: int, result: tuple[str, int]) -> None:
    assert complete(text, cursor, Filtered.INBOX, VALUES).applied(text) == result


@given(st.text(min_size=1, max_size=6))
def test_what_is_offered_keeps_the_row_it_was_taken_from(name: str) -> None:
    one = of_record(record(agent=name))
    for begin in ("agent:", "agent:="):
        for candidate in complete(begin, len(begin), Filtered.HISTORY, existing_values([one])).candidates:
            assert typeable(candidate.text) == candidate.text
            assert [*parse(f"{begin}{candidate.text}", Filtered.HISTORY).keep([one], VIEW)] == [one]


@given(st.text(st.sampled_from('ag:"|() ,->=~r'), max_size=12), st.integers(0, 12))
def test_it_never_fails_and_stays_within_the_text(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    done = complete(text, cursor, Filtered.INBOX, VALUES)
    assert 0 <= done.start <= cursor <= done.end <= len(text)


def test_existing_values_are_each_told_once() -> None:
    subjects = [
        subject(record(agent="a")),
        subject(record(agent="b", group_id="g", risk_reasons=("network",), why="rule x")),
        subject(grant()),
    ]
    found = existing_values(subjects)
    assert (found["agent"], found["group"], found["by"]) == (["a", "b", "refactor"], ["g"], ["anna"])
    assert found["why"] == ["network", "rule x"]
