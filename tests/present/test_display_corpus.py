"""Every case of the display corpus: no hole, no false stop. See tests/corpora/README.md."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from signoff.present.reveal import SafeText, quoted, reveal, reveal_line

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parent.parent / "corpora")) / "display.jsonl"
FIRST_SCREEN = 24 * 80

Case = dict[str, Any]


@cache
def cases() -> tuple[Case, ...]:
    return tuple(json.loads(line) for line in CORPUS.read_text("ascii").splitlines())


def categories() -> list[str]:
    return sorted({case["category"] for case in cases()})


def rows(case: Case) -> list[SafeText]:
    """The text as a screen draws it: row by row, a single-line field in one."""
    text, field = case["input"]["content"], case["input"]["field"]
    lines = text.split("\n") if field in ("command", "arg_value", "description", "content") else [text]
    return [reveal_line(line, field, mark_trailing=True) for line in lines]


def visible_forms(code: int) -> list[str]:
    forms = [f"\\x{code:02x}", f"\\u{code:04x}", f"<U+{code:04X}"]
    return [*forms, f"^{chr(code ^ 0x40)}", chr(0x2400 + code)] if code < 0x20 else forms


def longest_run_of_marks(text: str) -> int:
    runs = groupby(text, key=lambda char: unicodedata.category(char)[0] == "M")
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


def holes(case: Case) -> Iterator[str]:
    """What a hostile case gets away with."""
    expected = case["expected"]
    safe = reveal(case["input"]["content"], case["input"]["field"])
    drawn = rows(case)
    everything = [safe, *drawn]
    for name in expected["escape"]:
        code = int(name.removeprefix("U+"), 16)
        if any(chr(code) in text.text for text in everything):
            yield f"{name} arrives raw"
        if not any(form in safe.text for form in visible_forms(code)):
            yield f"{name} cannot be seen"
    if expected["warn"] is True and not safe.warns:
        yield "no warning"
    if any(bad in text.text for bad in expected.get("forbid", ()) for text in everything):
        yield "forbidden bytes"
    if any(good not in safe.text for good in expected.get("visible", ())):
        yield "not made visible"
    if any(longest_run_of_marks(text.text) > expected.get("max_marks", 1000) for text in everything):
        yield "marks pile up"
    yield from layout_holes(expected, safe, drawn)


def layout_holes(expected: Case, safe: SafeText, drawn: list[SafeText]) -> Iterator[str]:
    """What a screen needs to keep a text in its place."""
    if "tail" in expected:
        at = safe.text.find(expected["tail"])
        if at < 0:
            yield "the tail is cut"
        elif at + safe.text[:at].count("\n") * 80 > FIRST_SCREEN and not any(
            finding.kind == "long" and re.search(r"\d", finding.message) for finding in safe.findings
        ):
            yield "the tail is out of sight and nothing says so"
    if expected.get("visible_ends"):
        ended = quoted(safe)
        if (ended.hidden[0], ended.hidden[-1]) != ((0, 1), (len(ended) - 1, len(ended))):
            yield "the ends cannot be seen"
    # Whatever the case is about, a row must not leave its row.
    if any(re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", row.text) for row in drawn):
        yield "a row moves the cursor"


def false_stops(case: Case) -> Iterator[str]:
    """What ordinary text has to suffer."""
    expected = case["expected"]
    safe = reveal(case["input"]["content"], case["input"]["field"])
    for kept in expected.get("keep", ()):
        if kept not in safe.text:
            yield f"changed: {kept!a}"
    if expected["warn"] is False:
        yield from (f"warned of: {finding.message}" for finding in safe.findings if finding.warn)


def faults(category: str, look: Callable[[Case], Iterator[str]]) -> dict[str, list[str]]:
    found = {case["id"]: list(look(case)) for case in cases() if case["category"] == category}
    return {name: faults for name, faults in found.items() if faults}


@pytest.mark.parametrize("category", categories())
def test_no_hole(category: str) -> None:
    assert faults(category, holes) == {}


@pytest.mark.parametrize("category", categories())
def test_no_false_stop(category: str) -> None:
    assert faults(category, false_stops) == {}


def test_the_corpus_has_hostile_and_benign_cases() -> None:
    """Says how each category fares; run with -s to see it."""
    for category in categories():
        count = sum(case["category"] == category for case in cases())
        missed, stopped = len(faults(category, holes)), len(faults(category, false_stops))
        sys.stdout.write(f"{category:12} {count:3} cases, {missed} holes, {stopped} false stops\n")
    assert {case["benign"] for case in cases()} == {True, False}
