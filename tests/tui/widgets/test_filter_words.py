"""A filter while it is typed: the last good one stays in force, Tab goes through what could stand there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.filter import Filtered
from signoff_tui.text.lines import Line
from signoff_tui.widgets.filter_bar import FilterWords, hint_lines, problem_lines

VALUES = {"agent": ["refactor", "release", "docs bot"]}


@pytest.fixture
def words() -> FilterWords:
    return FilterWords(Filtered.HISTORY)


def text(lines: list[Line]) -> list[str]:
    return ["".join(piece.text.text for piece in line.left).rstrip() for line in lines]


def test_what_can_be_read_is_in_force_at_once(words: FilterWords) -> None:
    assert words.take("risk:high")
    assert words.query.text == "risk:high"


def test_a_blank_makes_no_other_filter(words: FilterWords) -> None:
    words.take("risk:high")
    assert not words.take("risk:high ")


def test_what_cannot_be_read_leaves_the_last_good_one_in_force(words: FilterWords) -> None:
    words.take("risk:high")
    assert not words.take("risk:high agnet:")
    assert words.query.text == "risk:high"
    assert words.problem is not None


def test_the_filter_of_before_comes_back(words: FilterWords) -> None:
    words.take("risk:high")
    words.begin()
    words.take("risk:low")
    assert words.restore()
    assert words.query.text == "risk:high"


def test_giving_up_what_could_not_be_read_changes_nothing(words: FilterWords) -> None:
    words.begin()
    words.take("agnet:x")
    assert not words.restore()
    assert words.problem is None


def test_tab_goes_through_the_values_and_around(words: FilterWords) -> None:
    at = ("agent:re", 8)
    seen = []
    for _ in range(3):
        at = words.complete(*at, VALUES)
        seen.append(at[0])
    assert seen == ["agent:refactor", "agent:release", "agent:refactor"]


def test_shift_tab_goes_through_them_backwards(words: FilterWords) -> None:
    assert words.complete("agent:re", 8, VALUES, step=-1) == ("agent:release", 13)


def test_typing_on_ends_the_round(words: FilterWords) -> None:
    words.complete("agent:re", 8, VALUES)
    words.take("agent:refactor r")
    assert words.offered is None


def test_a_word_in_front_of_the_cursor_is_a_field(words: FilterWords) -> None:
    assert words.complete("sess", 4, VALUES) == ("session:", 8)


def test_where_nothing_could_stand_tab_changes_nothing(words: FilterWords) -> None:
    assert words.complete("agent:zz", 8, VALUES) == ("agent:zz", 8)


def test_the_filter_of_before_can_be_had_again(words: FilterWords) -> None:
    words.take("risk:high")
    words.begin()
    words.take("")
    words.begin()
    assert words.earlier == "risk:high"


def test_what_cannot_be_seen_does_not_get_into_the_box(words: FilterWords) -> None:
    words.take('agent:="a\x1b\u202eb"')
    words.begin()
    assert words.earlier == 'agent:="a??b"'


def test_the_mark_stands_below_the_place_that_is_wrong(words: FilterWords) -> None:
    words.take("risk:high agnet:x")
    assert words.problem is not None
    (line,) = text(problem_lines(words.problem, "risk:high agnet:x", 3, 100))
    assert line.startswith(" " * 13 + "^ 'agnet' is not a field, did you mean agent?")


def test_a_long_message_gets_lines_of_its_own(words: FilterWords) -> None:
    words.take("risk:high agnet:x")
    assert words.problem is not None
    first, *others = text(problem_lines(words.problem, "risk:high agnet:x", 3, 40))
    assert first == " " * 13 + "^"
    assert " ".join(" ".join(others).split()) == words.problem.message


@given(place=st.integers(0, 200), width=st.integers(10, 60))
def test_hints_have_a_mark_on_the_screen_and_fit(place: int, width: int) -> None:
    words = FilterWords(Filtered.HISTORY)
    typed = "x" * place + " agnet:1"
    words.take(typed)
    assert words.problem is not None
    assert "^" in text(problem_lines(words.problem, typed, 3 - max(0, place - width), width))[0][:width]


def test_while_a_value_is_typed_it_is_said_what_fits(words: FilterWords) -> None:
    about = words.field_at("path:app", 8)
    assert text(hint_lines(None, 0, about, 80)) == [
        "   path: a file that it changes: api.py, app/api.py, app/, *.py"
    ]


@given(width=st.integers(40, 120))
def test_candidates_fit_and_those_without_room_are_counted(width: int) -> None:
    words = FilterWords(Filtered.HISTORY)
    words.complete("", 0, VALUES)
    (line,) = hint_lines(words.offered, words.chosen, None, width)
    assert line.width <= width
    assert words.offered is not None
    listed = sum(f"{each.text}" in text([line])[0].split() for each in words.offered.candidates)
    (more,) = [int(word[1:]) for word in text([line])[0].split() if word.startswith("+")]
    assert listed + more == len(words.offered.candidates)
