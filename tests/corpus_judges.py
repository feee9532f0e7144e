"""What signoff says of the cases of each corpus, and what is wrong about it. See tests/corpora/README.md.

A *hole* is an answer weaker than all that pass, a *false stop* one that is stronger.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from signoff.policy.regex import RegexError, compile_pattern
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.rule_coverage import written_paths
from signoff.policy.shell.syntax_model import Part
from signoff.policy.tool_rules import NameRules, judge_name
from signoff.policy.verdict import Level

__all__ = ["FOLDER", "Case", "Fault", "fault_of", "pattern_fault", "read", "said_of_command", "said_of_name"]

FOLDER = Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parent / "corpora"))

Case = dict[str, Any]
Fault = Literal["hole", "false stop"]


@cache
def read(name: str, folder: Path = FOLDER) -> tuple[Case, ...]:
    """The cases of one file."""
    return tuple(json.loads(line) for line in (folder / name).read_text("ascii").splitlines())


def fault_of(said: Level, accepted: Sequence[str]) -> Fault | None:
    """What is wrong about a verdict, if these pass."""
    if str(said) in accepted:
        return None
    return "hole" if said < min(Level[answer.upper()] for answer in accepted) else "false stop"


def said_of_command(case: Case) -> Level:
    """The verdict for a case of ``shell-rules.jsonl``."""
    given = case["input"]
    rules = [
        CommandRule(
            tuple(rule["pattern"].split()),
            _level(rule),
            rule["pattern"],
            partial(_lies_in, rule["sandbox_paths"]) if "sandbox_paths" in rule else None,
            any_arguments=rule.get("any_arguments", False),
        )
        for rule in given["rules"]
    ]
    return judge_command(given["command"], rules, _level(given["default"])).level


def _lies_in(folders: Sequence[str], part: Part) -> bool:
    """Folders beside each other, without links: names tell what lies in them."""
    paths = written_paths(part.words)
    return paths is not None and all(os.path.normpath(path).split("/")[0] in folders for path in paths)


def _level(said: Case) -> Level:
    if not said["allowed"]:
        return Level.BLOCK
    return Level.ASK if said["approval"] else Level.ALLOW


def said_of_name(case: Case) -> Level:
    """The verdict for a case of ``tool-filters.jsonl``."""
    config = case["input"]["config"]
    rules = NameRules.compiled(
        allowlist=config.get("allowlist"),
        denylist=config["denylist"],
        always=config["requires_approval"]["always"],
        conditional=config["requires_approval"]["conditional"],
    )
    return judge_name(case["input"]["tool_name"], rules, Level[config["default"].upper()]).level


def pattern_fault(case: Case) -> Fault | None:
    """What is wrong about a pattern of ``redos.jsonl``: one that is read although it must be refused is a hole."""
    given, expected = case["input"], case["expected"]
    try:
        pattern = compile_pattern(given["pattern"])
    except RegexError:
        return None if expected["load"] == "error" else "false stop"
    if expected["load"] == "error":
        return "hole"
    matches = (pattern.search if given["mode"] == "search" else pattern.fullmatch)(given["text"])
    return None if matches is expected["match"] else "hole"
