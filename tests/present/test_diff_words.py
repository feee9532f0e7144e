"""The word diff marks what differs between two lines, and nothing that does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.present.diff.refine import MAX_WORDS, Span, diff_words

lines = st.text(alphabet="ab \t\r.(\u00e9\u0301\u200b", max_size=30)


def marked(line: str, spans: tuple[Span, ...]) -> list[str]:
    return [line[start:stop] for start, stop in spans]


def unmarked(line: str, spans: tuple[Span, ...]) -> str:
    kept, at = "", 0
    for start, stop in spans:
        kept, at = kept + line[at:start], stop
    return kept + line[at:]


@given(lines, lines)
def test_what_is_not_marked_is_equal_on_both_sides(old: str, new: str) -> None:
    old_spans, new_spans = diff_words(old, new)
    assert unmarked(old, old_spans) == unmarked(new, new_spans)


@given(lines, lines)
def test_spans_are_in_order_inside_the_line_and_not_empty(old: str, new: str) -> None:
    for line, spans in zip((old, new), diff_words(old, new), strict=True):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= start < stop <= len(line) for start, stop in spans)


@given(lines)
def test_equal_lines_have_no_marks(line: str) -> None:
    assert diff_words(line, line) == ((), ())


def test_only_the_changed_word_is_marked() -> None:
    old, new = "call(first, 1)", "call(second, 1)"
    old_spans, new_spans = diff_words(old, new)
    assert (marked(old, old_spans), marked(new, new_spans)) == (["first"], ["second"])


def test_a_tab_that_becomes_blanks_is_marked() -> None:
    old, new = "a\tb", "a  b"
    old_spans, new_spans = diff_words(old, new)
    assert (marked(old, old_spans), marked(new, new_spans)) == (["\t"], ["  "])


def test_a_carriage_return_at_the_end_is_marked_alone() -> None:
    assert diff_words("word \r", "word ") == (((5, 6),), ())


def test_lines_without_a_common_word_are_marked_whole() -> None:
    assert diff_words("alpha beta", "gamma delta") == (((0, 10),), ((0, 11),))


def test_lines_with_little_in_common_are_marked_whole() -> None:
    assert diff_words("return alpha(beta)", "raise Gamma(delta, epsilon)") == (((0, 18),), ((0, 27),))


def test_lines_of_blanks_are_compared_too() -> None:
    assert diff_words("  ", "\t") == (((0, 2),), ((0, 1),))


def test_lines_of_too_many_words_are_marked_whole() -> None:
    old = "a " * MAX_WORDS
    assert diff_words(old, old + "b") == (((0, len(old)),), ((0, len(old) + 1),))


def test_a_line_of_very_many_characters_is_marked_whole() -> None:
    old = "a" * 100_000
    assert diff_words(old, old + " b") == (((0, len(old)),), ((0, len(old) + 2),))


def test_an_empty_line_has_no_span() -> None:
    assert diff_words("", "new") == ((), ((0, 3),))
