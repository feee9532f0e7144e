"""What a terminal answers about its background is never taken for keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.terminal_background import BackgroundAnswers, is_light

ENDS = ["\x07", "\x1b\\"]


@pytest.mark.parametrize("end", ENDS, ids=ascii)
@pytest.mark.parametrize(
    ("color", "wanted"),
    [
        ("rgb:ffff/ffff/ffff", (1.0, 1.0, 1.0)),
        ("rgb:0/8/f", (0.0, 8 / 15, 1.0)),
        ("rgba:ffff/0000/0000/8000", (1.0, 0.0, 0.0)),
        ("#ff0000", (1.0, 0.0, 0.0)),
    ],
)
def test_an_answer_is_understood(color: str, wanted: tuple[float, ...], end: str) -> None:
    keys, found = BackgroundAnswers().take(f"a\x1b]11;{color}{end}b")
    assert keys == "ab"
    assert found == wanted


def test_an_answer_that_is_no_color_of_three_parts_says_nothing() -> None:
    assert BackgroundAnswers().take("\x1b]11;#fffff\x07") == ("", None)


@pytest.mark.parametrize(
    ("background", "light"),
    [((1, 1, 1), True), ((0.99, 0.96, 0.89), True), ((0, 0.17, 0.21), False), ((0, 0, 0), False)],
)
def test_light_is_where_dark_letters_are_read_better(background: tuple[float, ...], light: bool) -> None:
    assert is_light(background) is light  # type: ignore[arg-type]


@given(st.data())
def test_an_answer_that_comes_in_pieces_is_no_key_either(data: st.DataObject) -> None:
    before, after = data.draw(st.text("yn 1\x1b]", max_size=4)), data.draw(st.text("yn 1", max_size=4))
    answer = f"\x1b]11;rgb:ffff/ffff/ffff{data.draw(st.sampled_from(ENDS))}"
    sent = before + answer + after
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=5)))
    answers = BackgroundAnswers()
    taken = [answers.take(sent[start:end]) for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    assert "".join(keys for keys, _ in taken) + answers.give_up() == before + after
    assert [background for _, background in taken if background] == [(1.0, 1.0, 1.0)]


@given(st.text("yn\x1b]1;O[A", max_size=12), st.integers(0, 12))
def test_without_an_answer_every_key_arrives(sent: str, cut: int) -> None:
    answers = BackgroundAnswers()
    keys = answers.take(sent[:cut])[0] + answers.take(sent[cut:])[0] + answers.give_up()
    assert keys == sent


@pytest.mark.parametrize("key", ["\x1b", "\x1b]"])
def test_a_key_that_an_answer_could_begin_with_is_soon_given_back(key: str) -> None:
    answers = BackgroundAnswers()
    answers.take(key)
    assert answers.holds_keys
