"""The cases of ``display.jsonl``: what may reach the terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from corpus_judges import read
from signoff import ApprovalRequest, Command, FileWrite
from signoff.present.reveal import Field, SafeText, has_no_one_width, quoted, reveal, reveal_line

FIRST_SCREEN = 24 * 80


@dataclass(frozen=True)
class Case:
    """One case; see the README of the corpora for what is expected."""

    id: str
    category: str
    field: Field
    text: str
    benign: bool
    expected: Mapping[str, Any]

    @property
    def hidden(self) -> list[int]:
        """Code points that must not arrive raw, and must be visible."""
        return [int(name.removeprefix("U+"), 16) for name in self.expected["escape"]]


def case_of(found: dict[str, Any]) -> Case:
    """A case as the file has it."""
    given = found["input"]
    return Case(
        found["id"], found["category"], given["field"], given["content"], found["benign"], found["expected"]
    )


@cache
def cases() -> tuple[Case, ...]:
    """Every case."""
    return tuple(map(case_of, read("display.jsonl")))


def categories() -> list[str]:
    """Every category once."""
    return sorted({case.category for case in cases()})


def visible_forms(code: int) -> list[str]:
    """The ways in which a character may be shown that must not arrive raw."""
    forms = [f"\\x{code:02x}", f"\\u{code:04x}", f"<U+{code:04X}"]
    return [*forms, f"^{chr(code ^ 0x40)}", chr(0x2400 + code)] if code < 0x20 else forms


def asking_with(case: Case, folder: Path) -> ApprovalRequest:
    """A request that has the text where the case wants it; the name of an agent stands elsewhere."""
    told = {"tool_name": "tool", "description": "A request", "payload": {"x": 1}}
    match case.field:
        case "command":
            return ApprovalRequest(**told, effects=(Command(case.text, str(folder)),))
        case "path":
            path = case.text.replace("\0", "")  # no file has such a name
            return ApprovalRequest(**told, effects=(FileWrite(str(folder / path), "x\n"),))
        case "content":
            return ApprovalRequest(**told, effects=(FileWrite(str(folder / "new.txt"), case.text),))
        case "description" | "tool_name":
            return ApprovalRequest(**{**told, case.field: case.text})
        case "arg_key":
            return ApprovalRequest(**{**told, "payload": {case.text: 1}})
        case _:
            return ApprovalRequest(**{**told, "payload": {case.field: case.text}})


def rows(case: Case) -> list[SafeText]:
    """The text as a screen draws it: row by row, a single-line field in one."""
    many = case.field in ("command", "arg_value", "description", "content")
    lines = case.text.split("\n") if many else [case.text]
    return [reveal_line(line, case.field, mark_trailing=True) for line in lines]


def longest_run_of_marks(text: str) -> int:
    runs = groupby(text, key=lambda char: unicodedata.category(char)[0] == "M")
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


def holes(case: Case) -> Iterator[str]:
    """What a hostile case gets away with."""
    expected = case.expected
    safe = reveal(case.text, case.field)
    drawn = rows(case)
    everything = [safe, *drawn]
    for code in case.hidden:
        if any(chr(code) in text.text for text in everything):
            yield f"U+{code:04X} arrives raw"
        if not any(form in safe.text for form in visible_forms(code)):
            yield f"U+{code:04X} cannot be seen"
    if expected["warn"] is True and not safe.warns:
        yield "no warning"
    if any(bad in text.text for bad in expected.get("forbid", ()) for text in everything):
        yield "forbidden bytes"
    if any(good not in safe.text for good in expected.get("visible", ())):
        yield "not made visible"
    if any(longest_run_of_marks(text.text) > expected.get("max_marks", 1000) for text in everything):
        yield "marks pile up"
    yield from layout_holes(case, safe, drawn)


def layout_holes(case: Case, safe: SafeText, drawn: list[SafeText]) -> Iterator[str]:
    """What a screen needs to keep a text in its place."""
    expected = case.expected
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
    # Whatever the case is about, a row must not leave its row, and be as wide on every terminal.
    if any(map(has_no_one_width, "".join(re.sub("[\U0001f1e6-\U0001f1ff]{2}", "", row.text) for row in drawn))):
        yield "terminals disagree about the width"
    if any(re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", row.text) for row in drawn):
        yield "a row moves the cursor"


def false_stops(case: Case) -> Iterator[str]:
    """What ordinary text has to suffer."""
    expected = case.expected
    safe = reveal(case.text, case.field)
    for kept in expected.get("keep", ()):
        if kept not in safe.text:
            yield f"changed: {kept!a}"
    if expected["warn"] is False:
        yield from (f"warned of: {finding.message}" for finding in safe.findings if finding.warn)
