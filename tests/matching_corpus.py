"""The cases of ``matching.jsonl``: what a remembered approval covers, and what not."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from corpus_judges import read
from signoff.canonical import NotJsonError, parse_json
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalDecision


def cases() -> list[Any]:
    """Each case as the calls ``remembered`` and ``later``, and the answers that are right."""
    found = read("matching.jsonl")
    return [pytest.param(case["input"], case["accept"], id=case["id"]) for case in found]


def payload_of(call: dict[str, Any]) -> Any:
    """The payload of a call.

    Raises:
        NotJsonError: It is text that is not strict JSON.
    """
    if "payload_json" in call:
        return parse_json(call["payload_json"])
    return ast.literal_eval(call["payload_py"])


def covers(remembered: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a memory that approved one call approves the other."""
    memory = ApprovalMemory()
    yes = ApprovalDecision(approved=True, remember="session")
    try:
        memory.store(remembered["tool_name"], payload_of(remembered), yes)
        return memory.lookup(later["tool_name"], payload_of(later)) is not None
    except (NotJsonError, TypeError, ValueError):  # refused: it matches nothing
        return False
