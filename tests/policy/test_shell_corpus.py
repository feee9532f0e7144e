"""The cases of ``shell-rules.jsonl``: does a rule cover this command?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from signoff.policy.shell.judging import CommandRule, judge_command
from signoff.policy.verdict import Level

CORPUS = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parents[1] / "corpora")) / "shell-rules.jsonl"


def level(said: dict[str, Any]) -> Level:
    if not said["allowed"]:
        return Level.BLOCK
    return Level.ASK if said["approval"] else Level.ALLOW


def cases() -> list[Any]:
    found = [json.loads(line) for line in CORPUS.read_text("ascii").splitlines()]
    return [pytest.param(case["input"], case["accept"], id=case["id"]) for case in found]


@pytest.mark.parametrize(("given", "accepted"), cases())
def test_a_rule_covers_what_it_says(given: dict[str, Any], accepted: list[str]) -> None:
    rules = [CommandRule(tuple(rule["pattern"].split()), level(rule), rule["pattern"]) for rule in given["rules"]]
    assert str(judge_command(given["command"], rules, level(given["default"])).level) in accepted
