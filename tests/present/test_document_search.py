"""Looking for words: capitals count only if somebody typed one, and places are places in the text itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.model import Words
from signoff.present.document.text import text_document

TEXTS = st.text(alphabet="abAB ßſİ\u200b.", max_size=30)


@given(TEXTS, st.text(alphabet="abAB ß.", min_size=1, max_size=3))
def test_what_is_found_is_what_was_looked_for(text: str, wanted: str) -> None:
    for start, end in Words(wanted).spans(text):
        assert wanted.casefold() in text[start:end].casefold()


@given(TEXTS, st.integers(0, 30), st.integers(1, 4))
def test_every_part_of_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    part = text[start : start + length]
    if part:
        assert any(Words(part).spans(text))


@pytest.mark.parametrize(("words", "found"), [("error", 3), ("Error", 1), ("ERROR", 1)])
def test_capitals_count_if_there_is_one_among_the_words(words: str, found: int) -> None:
    assert len(list(Words(words).spans("error Error ERROR"))) == found


def test_nothing_to_look_for_is_refused() -> None:
    with pytest.raises(ValueError, match="type what to look for"):
        Words("")


@given(st.lists(TEXTS, min_size=1, max_size=8), st.text(alphabet="ab <U+2", min_size=1, max_size=3))
def test_a_document_is_searched_as_it_is_shown(lines: list[str], wanted: str) -> None:
    document = text_document("\n".join(lines))
    shown = [row.text.text for row in document]
    expected = next((index for index, text in enumerate(shown) if any(Words(wanted).spans(text))), None)
    assert document.find(Words(wanted), range(len(document))) == expected
