"""The cases of ``matching.jsonl``: what a remembered approval covers, and what not."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest

from signoff.canonical import parse_json

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parent / "corpora")) / "matching.jsonl"


def cases() -> list[Any]:
    """Each case as the calls ``remembered`` and ``later``, and the answers that are right."""
    found = [json.loads(line) for line in CORPUS.read_text("ascii").splitlines()]
    return [pytest.param(case["input"], case["accept"], id=case["id"]) for case in found]


def payload_of(call: dict[str, Any]) -> Any:
    """The payload of a call.

    Raises:
        NotJsonError: It is text that is not strict JSON.
    """
    if "payload_json" in call:
        return parse_json(call["payload_json"])
    return ast.literal_eval(call["payload_py"])
