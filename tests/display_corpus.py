"""The cases of ``display.jsonl``: what may reach the terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from signoff import ApprovalRequest, Command, FileWrite
from signoff.present.reveal import Field

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parent / "corpora")) / "display.jsonl"


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


@cache
def cases() -> tuple[Case, ...]:
    """Every case."""
    return tuple(
        Case(
            id=found["id"],
            category=found["category"],
            field=found["input"]["field"],
            text=found["input"]["content"],
            benign=found["benign"],
            expected=found["expected"],
        )
        for found in map(json.loads, CORPUS.read_text("ascii").splitlines())
    )


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
