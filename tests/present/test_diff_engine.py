"""The line diff says only true things, and never takes more work than it was given."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.present.diff.engine import LineDiff, diff_items, diff_lines, split_lines

NOTHING_SEARCHED = 0
STEPS_PER_LINE = 6
"""Passes over the lines that the search may make whatever its budget is."""

few_lines = st.lists(st.sampled_from(["a\n", "b\n", "\n", "  c\n", "  a\n"]), max_size=14)
texts = st.text(alphabet="ab \t\n\r\x0c\x85\u2028", max_size=60)


@st.composite
def edited_lines(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Some lines, and the same lines after a few insertions and deletions."""
    before = draw(st.lists(st.sampled_from(["{\n", "}\n", "\n", "x\n", "y\n", "z"]), max_size=60))
    after = list(before)
    for _ in range(draw(st.integers(0, 8))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 4))] = draw(few_lines)
    return before, after


def assert_true(diff: LineDiff, before: list[str], after: list[str]) -> None:
    """Opcodes cover both sides in order, alternate, and call equal only what is."""
    at_a = at_b = 0
    previous = ""
    for opcode in diff.opcodes:
        assert (opcode.a0, opcode.b0) == (at_a, at_b)
        removed, added = before[opcode.a0 : opcode.a1], after[opcode.b0 : opcode.b1]
        expected = {
            (True, True): "replace",
            (True, False): "delete",
            (False, True): "insert",
        }[bool(removed), bool(added)]
        if opcode.tag == "equal":
            assert removed == added
            assert removed
        else:
            assert opcode.tag == expected
        assert (opcode.tag == "equal") != (previous == "equal") or not previous
        at_a, at_b, previous = opcode.a1, opcode.b1, opcode.tag
    assert (at_a, at_b) == (len(before), len(after))


def kept(diff: LineDiff) -> int:
    return sum(opcode.a1 - opcode.a0 for opcode in diff.opcodes if opcode.tag == "equal")


def longest_common(a: list[str], b: list[str]) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    row = [0] * (len(b) + 1)
    for item in a:
        above, row = row, [0]
        for j, other in enumerate(b):
            row.append(above[j] + 1 if item == other else max(above[j + 1], row[j]))
    return row[-1]


@given(texts)
def test_split_lines_joined_are_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text


@given(texts)
def test_split_lines_ends_lines_at_newlines_only(text: str) -> None:
    lines = split_lines(text)
    assert all("\n" not in line[:-1] for line in lines)
    assert all(line.endswith("\n") for line in lines[:-1])


@given(edited_lines())
def test_opcodes_cover_both_sides_in_order_and_call_equal_only_what_is(
    pair: tuple[list[str], list[str]],
) -> None:
    assert_true(diff_lines(*pair), *pair)


@given(edited_lines(), st.integers(0, 60))
def test_opcodes_stay_true_when_the_budget_is_tiny(pair: tuple[list[str], list[str]], budget: int) -> None:
    assert_true(diff_lines(*pair, budget=budget), *pair)


@given(edited_lines())
def test_the_text_after_is_rebuilt_from_the_text_before(
    pair: tuple[list[str], list[str]],
) -> None:
    before, after = pair
    rebuilt: list[str] = []
    for opcode in diff_lines(before, after).opcodes:
        kept_here = opcode.tag == "equal"
        rebuilt += before[opcode.a0 : opcode.a1] if kept_here else after[opcode.b0 : opcode.b1]
    assert rebuilt == after


@given(few_lines, few_lines)
def test_an_exact_diff_of_a_small_text_is_the_smallest(before: list[str], after: list[str]) -> None:
    diff = diff_lines(before, after)
    assert diff.exact
    assert kept(diff) == longest_common(before, after)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_items_of_any_kind_are_compared_and_the_diff_is_the_smallest(a: str, b: str) -> None:
    assert kept(diff_items(a, b)) == longest_common(list(a), list(b))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\tb\n", "a    b\n"),
        ("a\r\n", "a\n"),
        ("a\n", "a"),
        ("a \n", "a\n"),
        ("\u00e9\n", "e\u0301\n"),
        ("a\x0c\n", "a\n"),
        ("a\u200b\n", "a\n"),
    ],
)
def test_lines_that_look_alike_are_not_equal(before: str, after: str) -> None:
    diff = diff_lines(split_lines(before), split_lines(after))
    assert [opcode.tag for opcode in diff.opcodes] == ["replace"]


def test_equal_texts_are_one_equal_step_and_cost_nothing() -> None:
    diff = diff_lines(["a\n", "b\n"], ["a\n", "b\n"])
    assert [opcode.tag for opcode in diff.opcodes] == ["equal"]
    assert diff.steps == NOTHING_SEARCHED


def test_two_empty_texts_have_no_steps() -> None:
    assert diff_lines([], []).opcodes == ()


def test_texts_without_a_common_line_are_replaced_and_that_is_exact() -> None:
    diff = diff_lines([f"a{i}" for i in range(5_000)], [f"b{i}" for i in range(5_000)])
    assert [(opcode.tag, opcode.exact) for opcode in diff.opcodes] == [("replace", True)]


def test_a_long_text_with_scattered_edits_is_searched_exactly() -> None:
    before = [f"line {i}\n" for i in range(20_000)]
    after = [f"new {i}\n" if i % 40 == 0 else line for i, line in enumerate(before)]
    diff = diff_lines(before, after)
    assert diff.exact
    assert kept(diff) == 19_500


def test_three_edits_between_long_repeating_texts_are_found() -> None:
    before, after = ["a", "b"] * 10_000, ["b", "a"] * 10_000 + ["c"]
    assert kept(diff_lines(before, after)) == 19_999


def test_a_long_text_that_lost_its_head_and_gained_a_tail_is_searched_exactly() -> None:
    shared = [f"line {i}\n" for i in range(2_000)]
    diff = diff_lines(["head\n", *shared], [*shared, "tail\n"])
    assert diff.exact
    assert [opcode.tag for opcode in diff.opcodes] == ["delete", "equal", "insert"]


def records(numbers: list[int]) -> list[str]:
    """A long text of records that are alike but for their number."""
    return [line for number in numbers for line in (f"id {number}\n", *[f"field {at}\n" for at in range(20)])]


def test_a_record_put_before_others_like_it_is_one_insertion() -> None:
    before, after = records([*range(300)]), records([*range(10), 999, *range(10, 300)])
    changed = [opcode for opcode in diff_lines(before, after).opcodes if opcode.tag != "equal"]
    assert [(opcode.tag, opcode.b1 - opcode.b0) for opcode in changed] == [("insert", 21)]


def test_lines_moved_in_a_long_text_are_all_that_changes() -> None:
    lines = [f"line {number}\n" for number in range(3_000)]
    moved = [*lines[:100], *lines[160:2_000], *lines[100:160], *lines[2_000:]]
    assert kept(diff_lines(lines, moved)) == 2_940


def test_many_lines_put_into_a_long_text_are_one_insertion() -> None:
    lines = [f"line {number}\n" for number in range(3_000)]
    more = [*lines[:1_000], *[f"new {number}\n" for number in range(1_500)], *lines[1_000:]]
    assert [opcode.tag for opcode in diff_lines(lines, more).opcodes] == ["equal", "insert", "equal"]


LONG = records([*range(40)]) + [f"line {number % 7}\n" for number in range(400)]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, len(LONG)), st.integers(0, 40), few_lines), max_size=12), st.integers(0, 1)
)
def test_opcodes_of_long_texts_that_differ_here_and_there_are_true(
    edits: list[tuple[int, int, list[str]]], backwards: int
) -> None:
    after = list(LONG)
    for at, removed, added in edits:
        after[at : at + removed] = added
    pair = (after, LONG) if backwards else (LONG, after)
    assert_true(diff_lines(*pair), *pair)


def noise(symbols: int, lines: int, seed: int) -> list[str]:
    source = random.Random(seed)
    return [str(source.randrange(symbols)) for _ in range(lines)]


def divided_again_and_again(depth: int) -> list[str]:
    """Lines of which one more is unrepeated in what is left after each division."""
    return [item for i in range(depth) for item in (f"p{i}", f"p{i + 1}", "x", "y")]


PATHOLOGICAL = {
    "noise of two symbols": (noise(2, 3_000, 1), noise(2, 3_000, 2)),
    "noise of many symbols": (noise(40, 3_000, 3), noise(40, 3_000, 4)),
    "shuffled": (noise(10**9, 3_000, 5), sorted(noise(10**9, 3_000, 5))),
    "reversed": ([str(i) for i in range(3_000)], [str(i) for i in range(3_000, 0, -1)]),
    "one line repeated": (["x"] * 3_000, ["x"] * 1_000 + ["y", "x"] * 1_000),
    "periods that drift": (["a", "b", "c"] * 1_000, ["a", "c", "b"] * 1_000),
    "many noisy gaps": (
        [line for i in range(60) for line in (*noise(3, 60, i), f"anchor {i}")],
        [line for i in range(60) for line in (*noise(3, 60, -i - 1), f"anchor {i}")],
    ),
    "anchors inside anchors": (
        divided_again_and_again(800),
        [*divided_again_and_again(400), "z", *divided_again_and_again(700)],
    ),
}


@pytest.mark.parametrize("budget", [0, 1_000, 50_000])
@pytest.mark.parametrize("case", PATHOLOGICAL)
def test_a_search_ends_within_its_budget(case: str, budget: int) -> None:
    before, after = PATHOLOGICAL[case]
    diff = diff_lines(before, after, budget=budget)
    assert_true(diff, before, after)
    assert diff.steps <= budget + STEPS_PER_LINE * (len(before) + len(after))


def test_a_search_that_gives_up_says_where() -> None:
    before = [*noise(2, 2_000, 1), "anchor", "old"]
    after = [*noise(2, 2_000, 2), "anchor", "new"]
    diff = diff_lines(before, after, budget=1_000)
    assert not diff.exact
    assert [(opcode.tag, opcode.exact) for opcode in diff.opcodes][-3:] == [
        ("replace", False),
        ("equal", True),
        ("replace", True),
    ]


def test_a_small_gap_stays_exact_beside_noisy_ones() -> None:
    before = [*noise(2, 2_000, 1), "anchor", "1", "2", "1", "2"]
    after = [*noise(2, 2_000, 2), "anchor", "2", "1", "2", "1"]
    last = [opcode for opcode in diff_lines(before, after, budget=20_000).opcodes if opcode.a0 > 2000]
    assert all(opcode.exact for opcode in last)
    assert [opcode.tag for opcode in last] == ["delete", "equal", "insert"]


def inserted(before: str, after: str) -> list[str]:
    diff = diff_lines(split_lines(before), split_lines(after))
    lines = split_lines(after)
    return ["".join(lines[op.b0 : op.b1]) for op in diff.opcodes if op.tag == "insert"]


def test_an_inserted_function_is_shown_from_its_first_line() -> None:
    before = "x = 1\n\n@p\ndef a():\n    pass\n\n@p\ndef c():\n    pass\n"
    after = before.replace("@p\ndef c", "@p\ndef b():\n    pass\n\n@p\ndef c")
    assert inserted(before, after) == ["@p\ndef b():\n    pass\n\n"]


def test_an_inserted_block_ends_with_its_own_end() -> None:
    before = "if a:\n{\n  one\n}\nend\n"
    after = "if a:\n{\n  one\n}\nif b:\n{\n  one\n}\nend\n"
    assert inserted(before, after) == ["if b:\n{\n  one\n}\n"]
