"""A stream of cases that is the same for the same seed."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.fuzz.grammar import Grammar
from benchmarks.fuzz.judged import Case
from benchmarks.fuzz.mutation import mutated, soup
from benchmarks.fuzz.templates import COMMANDS, CONSTRUCTS, DOORS, PROGRAMS, READERS, SHELLS, WRAPPERS

from signoff.policy.shell.evaluate import CommandRule
from signoff.policy.verdict import Level

__all__ = ["cases", "each_construct", "programs"]

CORPUS = (
    Path(os.environ.get("SIGNOFF_CORPORA", Path(__file__).parents[2] / "tests" / "corpora")) / "shell-rules.jsonl"
)

_ALLOWED = (
    "ls", "cat", "echo", "grep", "wc", "head", "tail", "sort", "printf", "true", ":", "cd", "test", "[", "date",
    "tree", "git", "env", "nohup", "nice", "timeout", "setsid", "ionice", "command", "builtin", "exec", "find",
    "xargs", "bash", "sh", "dash", "eval", "trap", "set", "shopt", "time", "export", "declare", "let", "read",
    "unset", "mapfile", "compgen", "jobs", "hash", "case", "rm", "make",
)  # fmt: skip
_ALLOWED_LONGER = ("git log", "git status", "env ls", "nice -n", "command -v", "git -P")
_BLOCKED = ("rm", "curl", "git push", "sudo", "dd", "npm run", "rm -rf", "tee", "python3", "eval", "git")
_DEFAULTS = (Level.ALLOW, Level.ALLOW, Level.ASK, Level.ASK, Level.BLOCK)
_NAME = re.compile(r"[A-Za-z0-9_.+-]{1,30}")
_LONGEST = 3000


def programs() -> set[str]:
    """The names that stubs are needed for."""
    named = {rule.words[0] for case in _corpus() for rule in case.rules if rule.words}
    return {*PROGRAMS, *(name for name in named if _NAME.fullmatch(name))} - {".", ".."}


def cases(seed: int) -> Iterator[Case]:
    """Commands with rules, without end.

    Args:
        seed: The same gives the same cases.
    """
    rng = random.Random(seed)
    grammar = Grammar(rng)
    corpus = [case for case in _corpus() if len(case.text) < _LONGEST]
    texts = [case.text for case in corpus]
    while True:
        case = Case(grammar.command(rng.choice((1, 2, 2, 3))), _rules(rng), rng.choice(_DEFAULTS))
        origin = rng.choice(corpus)
        match rng.randrange(10):
            case 0 | 1 | 2:
                yield case
            case 3 | 4 | 5:
                yield replace(case, text=mutated(case.text, texts, rng))
            case 6:
                yield replace(case, text=mutated(origin.text, texts, rng))
            case 7 | 8:
                yield replace(origin, text=mutated(origin.text, texts, rng))
            case _:
                yield replace(case, text=soup(COMMANDS, rng))


def each_construct() -> Iterator[Case]:
    """Every construct once, around a command that is blocked where all others are allowed."""
    rules = (CommandRule(("rm",), Level.BLOCK, "rm"),)
    texts = [template.replace("§", "rm f") for template in (*CONSTRUCTS, *DOORS, *READERS)]
    texts += [f"{wrapper} rm f" + (" ';'" if wrapper.startswith("find") else "") for wrapper in WRAPPERS]
    texts += [f"{shell} 'rm f'" for shell in SHELLS]
    return (Case(text, rules, Level.ALLOW) for text in texts)


def _rules(rng: random.Random) -> tuple[CommandRule, ...]:
    """Rules that allow much and block little, so that most of what is wrong has consequences."""
    allowed = [name for name in (*_ALLOWED, *_ALLOWED_LONGER) if rng.random() < 0.85]
    blocked = ["rm", *(name for name in _BLOCKED if rng.random() < 0.3)]
    asked = [name for name in ("git push", "head", "dd") if rng.random() < 0.1]
    levels = ((allowed, Level.ALLOW), (blocked, Level.BLOCK), (asked, Level.ASK))
    return tuple(
        CommandRule(tuple(name.split()), level, name)
        for names, level in levels
        for name in dict.fromkeys(names)
        if level is not Level.ALLOW or name not in blocked
    )


def _corpus() -> list[Case]:
    """The cases of the corpus of shell rules."""
    found = [json.loads(line)["input"] for line in CORPUS.read_text("ascii").splitlines()]
    return [
        Case(
            case["command"],
            tuple(
                CommandRule(tuple(rule["pattern"].split()), _level(rule), rule["pattern"])
                for rule in case["rules"]
            ),
            _level(case["default"]),
        )
        for case in found
    ]


def _level(said: dict[str, Any]) -> Level:
    if not said["allowed"]:
        return Level.BLOCK
    return Level.ASK if said["approval"] else Level.ALLOW
