"""Lines of safe text: they fill exactly their width, and what must not be cut is not."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff_tui.text.lines import (
    Chunk,
    Cut,
    Line,
    chopped,
    chunk,
    crop,
    crop_middle,
    foreign,
    fullest,
    line,
    paint,
    rule,
    sign_tokens,
    signs_between,
    splits_flag,
    wrapped,
)
from signoff_tui.text.themes import builtin_themes

THEME = builtin_themes()["signoff-dark"]
WORDS = st.text(alphabet="ab 世界é\x1b\u202e\u200b[@click]", max_size=30)


@st.composite
def pieces(draw: st.DrawFn) -> Chunk:
    most = draw(st.none() | st.integers(1, 20))
    least = draw(st.integers(0, 12)) if most is None else draw(st.integers(0, most))
    text = foreign(draw(WORDS)).text
    return Chunk(text, draw(st.sampled_from(["text", "add", "muted"])), draw(st.booleans()), most, least)


LINES = st.builds(
    Line,
    st.lists(pieces(), max_size=5).map(tuple),
    st.lists(pieces(), max_size=3).map(tuple),
    st.sampled_from(["background", "focus-bg"]),
    st.booleans(),
)


def drawn(content: Line, width: int) -> str:
    return paint(content, width, THEME).text


@given(WORDS, st.integers(0, 40), st.integers(0, 40))
def test_the_signs_of_a_stretch_are_those_of_the_whole_that_touch_it(words: str, one: int, other: int) -> None:
    text, (start, end) = foreign(words).text, sorted((one, other))
    signs = zip(text.hidden, sign_tokens(text), strict=True)
    touching = [((a, b), token) for (a, b), token in signs if a < end and b > start]
    found = [((a, b), token) for (a, b), token in signs_between(text, start, end) if a < end and b > start]
    assert found == touching


@pytest.mark.parametrize("words", ["世界" * 40, "hello 世界世界 " * 12, "👍" * 61])
def test_no_cell_of_wrapped_words_is_lost(words: str) -> None:
    rows = wrapped(words, 30, head=chunk(" ! "))
    assert all(row.width <= 30 for row in rows)
    assert "".join(drawn(row, 30) for row in rows).replace(" ", "").replace("!", "") == words.replace(" ", "")


# -- painting ------------------------------------------------------------------------------------------------


@given(LINES, st.integers(1, 120))
def test_a_line_fills_exactly_its_width(content: Line, width: int) -> None:
    assert cell_len(drawn(content, width)) == width


@given(LINES, st.integers(1, 120))
def test_no_control_character_is_painted(content: Line, width: int) -> None:
    assert drawn(content, width).isprintable()


@given(LINES)
def test_a_line_with_room_enough_is_not_cut(content: Line) -> None:
    text = drawn(content, content.width + 1)
    for piece in (*content.left, *content.right):
        assert piece.fitted("…") in text


@given(LINES, st.integers(1, 120))
def test_pieces_that_must_be_kept_are_not_cut_while_there_is_room_for_them(content: Line, width: int) -> None:
    loose = [piece for piece in content.left if not piece.keep]
    kept = [piece for piece in content.left if piece.keep]
    assume(sum(piece.width for piece in (*kept, *content.right)) + len(loose) <= width)
    text = drawn(content, width)
    for piece in (*kept, *content.right):
        assert piece.fitted("…") in text


def test_the_right_end_stands_at_the_right_edge() -> None:
    assert drawn(line(chunk("left"), right=[chunk("right")]), 20) == "left           right"


def test_the_longest_piece_gives_way_first() -> None:
    assert drawn(line(chunk("short "), chunk("a much longer piece")), 16).startswith("short a")


def test_a_name_is_cut_in_its_middle() -> None:
    content = line(chunk("src/app/deep/in/the/tree/models.py"), right=[chunk(" +1")])
    assert drawn(content, 20).endswith("models.py +1")


def test_a_piece_takes_no_more_than_it_may() -> None:
    name = Chunk(foreign("x" * 500).text, keep=True, most=5)
    assert drawn(line(name, chunk("|")), 10) == "x…xxx|    "


def test_a_rule_fills_the_whole_width() -> None:
    assert drawn(rule("-"), 5) == "-----"


def test_revealed_characters_have_a_style_of_their_own() -> None:
    strip = paint(line(foreign("a\u202eb")), 30, THEME)
    hidden = [segment.text for segment in strip if segment.style == THEME.style("hidden")]
    assert hidden == ["<U+202E RLO>"]


def test_revealed_characters_keep_their_style_in_a_padded_column() -> None:
    piece = foreign("a\u202eb")
    strip = paint(line(Chunk(piece.text, least=20)), 30, THEME)
    assert [segment.text for segment in strip if segment.style == THEME.style("hidden")] == ["<U+202E RLO>"]


# -- cutting -------------------------------------------------------------------------------------------------


@given(st.text(alphabet="ab世é", max_size=40), st.integers(0, 40))
def test_a_cut_text_is_never_wider_than_asked_for(text: str, width: int) -> None:
    assert cell_len(crop_middle(text, width)) <= width


@given(st.text(alphabet="ab世é", max_size=40), st.integers(0, 40))
def test_a_text_that_fits_is_not_touched(text: str, width: int) -> None:
    assume(cell_len(text) <= width)
    assert crop_middle(text, width) == text


@given(st.text(alphabet="abc", min_size=12, max_size=40), st.integers(6, 11))
def test_both_ends_of_a_cut_text_are_kept(text: str, width: int) -> None:
    cut = crop_middle(text, width)
    start, end = cut.split("…")
    assert text.startswith(start)
    assert text.endswith(end)
    assert len(end) >= len(start)


# -- making --------------------------------------------------------------------------------------------------


def test_our_own_words_must_not_hold_what_is_not_ours() -> None:
    with pytest.raises(ValueError, match="reveal"):
        chunk("a\u202eb")


def test_blanks_at_the_ends_of_words_of_others_stay_blanks() -> None:
    assert foreign("  a b ").text.text == "  a b "


def test_the_fullest_wording_that_fits_is_taken() -> None:
    wordings = [line(chunk("a long wording")), line(chunk("shorter")), line(chunk("s"))]
    assert fullest(wordings, 10) == wordings[1]


def test_the_last_wording_is_taken_when_none_fits() -> None:
    wordings = [line(chunk("a long wording")), line(chunk("shorter"))]
    assert fullest(wordings, 3) == wordings[-1]


def test_a_path_that_is_cut_in_front_keeps_its_name() -> None:
    assert crop("/home/ada/shop/src/api.py", 12, "front") == "\u2026/src/api.py"


def test_a_name_that_is_too_long_by_itself_keeps_its_beginning_and_its_end() -> None:
    assert crop(f"/srv/invoice-{'x' * 50}.pdf", 16, "front") == "invoi\u2026xxxxxx.pdf"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (30, "approve what waits, one by one"),
        (29, "approve what waits, one by…"),
        (27, "approve what waits, one by…"),
        (26, "approve what waits, one…"),
        (9, "approve…"),
        (5, "appr…"),
    ],
)
def test_a_sentence_is_cut_after_a_word(width: int, shown: str) -> None:
    assert crop("approve what waits, one by one", width, "end") == shown


def test_a_long_word_at_the_end_of_a_sentence_is_cut_itself() -> None:
    assert crop(f"cannot read /srv/{'x' * 50}", 24, "end") == "cannot read /srv/xxxxxx…"


# -- flags -------------------------------------------------------------------------------------------------

FLAGGED = st.lists(
    st.sampled_from(["\U0001f1e6\U0001f1fa", "\U0001f1f8\U0001f1ea", "x", " ", "\U0001f1eb", "世"])
).map("".join)


@given(FLAGGED, st.integers(2, 12))
def test_no_piece_of_a_text_ends_in_the_middle_of_a_flag(text: str, width: int) -> None:
    pieces = chopped(text, width)
    assert "".join(pieces) == text
    assert all(cell_len(piece) <= width for piece in pieces)
    ends = [sum(map(len, pieces[:number])) for number in range(1, len(pieces))]
    assert not any(splits_flag(text, end) for end in ends)


@given(FLAGGED, st.integers(1, 12), st.sampled_from(["front", "middle", "end"]))
def test_a_cut_text_shows_no_half_of_a_flag_that_was_whole(text: str, width: int, cut: Cut) -> None:
    shown = crop(text, width, cut)
    cells, room = cell_len(shown), min(width, cell_len(text))
    assert cells <= room if cut == "end" else cells == room  # an end is lost in whole words
    before, dots, after = shown.partition("…")
    if dots and cut != "front":
        assert not splits_flag(text, len(before.rstrip(" ")))
    if dots and cut != "end":
        assert not splits_flag(text, len(text) - len(after.lstrip(" ")))


@pytest.mark.parametrize(("at", "splits"), [(0, False), (1, True), (2, False), (3, True), (4, False), (5, False)])
def test_halves_belong_together_from_the_left(at: int, splits: bool) -> None:
    assert splits_flag("\U0001f1e6\U0001f1fa\U0001f1f8\U0001f1ea;", at) is splits
