"""What may stand in a box for typing: only what `reveal` leaves as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.reveal import reveal_line
from signoff.present.reveal.escape import typeable, with_letters


@pytest.mark.parametrize(
    "char", ["\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u200b", "\u202e", "\x1b", "\xa0"]
)
def test_what_cannot_be_seen_is_left_out_or_something_stands_for_it(char: str) -> None:
    assert typeable(f"a{char}b") == "ab"
    assert typeable(f"a{char}b", "?") == "a?b"


@pytest.mark.parametrize("text", ["tool:rm", "größe 日本 שלום", "e\u0301", "👍", "two  blanks"])
def test_what_people_type_stays_as_it_is(text: str) -> None:
    assert typeable(text) == text


def test_vowel_signs_may_stay_where_their_letters_are_drawn() -> None:
    assert typeable("हिन्दी हाँ", vowels=True) == "हिन्दी हाँ"
    assert with_letters("हिन्दी हाँ") == reveal_line("हिन्दी हाँ").text


@given(st.text())
def test_reveal_shows_no_escape_in_what_is_left(text: str) -> None:
    # Long padding is counted by `reveal`; in a box the cursor tells how long it is.
    left = typeable(text, "?").replace(" ", "")
    assert reveal_line(left, "path").hidden == ()
