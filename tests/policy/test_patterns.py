"""Patterns of rule files: RE2's syntax and meaning, linear time, and an error for what cannot be used."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_judges import Case, pattern_fault, read
from signoff.policy.regex import LONGEST_PATTERN, RegexError, compile_pattern


@pytest.mark.parametrize("case", read("redos.jsonl"), ids=lambda case: case["id"])
def test_a_pattern_loads_and_matches_as_the_corpus_says(case: Case) -> None:
    assert pattern_fault(case) is None


REFUSED = {
    "": "a pattern is empty",
    "(": r"'\(' cannot be used: missing \)",
    "(?=a)b": r"'\(\?=a\)b' cannot be used: invalid perl operator",
    r"(a)\1": "cannot be used: invalid escape sequence",
    "a{1001}": "cannot be used: invalid repetition size",
    r"(?:\pL{3}){100}": "cannot be used: pattern too large",
    "a" * (LONGEST_PATTERN + 1): f"too large: it is longer than {LONGEST_PATTERN} characters",
    "\ud800": "holds a character that no text has",
}


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_pattern_that_cannot_be_used_is_named_with_the_cause(text: str) -> None:
    with pytest.raises(RegexError, match=REFUSED[text]):
        compile_pattern(text)


def test_a_hostile_pattern_is_named_in_printable_ascii() -> None:
    with pytest.raises(RegexError) as caught:
        compile_pattern("(\x1b[2J\u202e")
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


def test_nothing_is_written_about_a_pattern_that_cannot_be_used(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RegexError):
        compile_pattern("(")
    assert capfd.readouterr() == ("", "")


def test_a_pattern_must_match_the_whole_text() -> None:
    pattern = compile_pattern("read_.*")
    assert [pattern.fullmatch(name) for name in ("read_file", "xread_file", "read_file\n")] == [True, False, False]


def test_case_counts_unless_it_is_ignored() -> None:
    assert not compile_pattern("delete").fullmatch("DELETE")
    assert compile_pattern("delete", ignore_case=True).fullmatch("DELETE")


def test_a_dot_matches_a_newline_only_if_it_is_told_to() -> None:
    assert not compile_pattern("a.b").fullmatch("a\nb")
    assert compile_pattern("a.b", dot_matches_newline=True).fullmatch("a\nb")


@pytest.mark.parametrize("text", ["delete\ud800", "\udfffdelete", "a\0delete"], ids=ascii)
def test_a_dot_matches_what_is_no_character_too(text: str) -> None:
    assert compile_pattern(".*delete.*").fullmatch(text)


@given(st.text(alphabet=st.characters(), max_size=30))
def test_any_text_is_matched_without_an_error(text: str) -> None:
    assert compile_pattern(".*", dot_matches_newline=True).fullmatch(text)


@given(st.text(alphabet=st.characters(), max_size=30))
def test_any_pattern_compiles_or_is_an_error_of_ours(text: str) -> None:
    with suppress(RegexError):
        compile_pattern(text).search("some text")


def _outcome(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_library_is_not_loaded_before_a_pattern_is_compiled() -> None:
    program = "import sys, signoff, signoff.policy.tool_rules; print('re2' in sys.modules)"
    assert _outcome(program) == "False\n"


def test_without_the_library_it_is_said_what_to_install() -> None:
    program = (
        "import sys; sys.modules['re2'] = None\n"
        "from signoff.policy.regex import compile_pattern\n"
        "try: compile_pattern('a')\n"
        "except ValueError as error: print(error)"
    )
    assert "pip install 'signoff[policy]'" in _outcome(program)
